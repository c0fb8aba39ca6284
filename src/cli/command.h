/* The commands: each takes the parsed options and returns the exit code. They
 * are the only code besides cli/main.c that prints; messages go to stderr as
 * "stencilcli: ...", data to stdout. */
#ifndef STENCIL_CLI_COMMAND_H
#define STENCIL_CLI_COMMAND_H

#include "cli/options.h"
#include "plan/plan.h"

int command_filter(const struct options *options); /* blur, sobel, ... INPUT OUTPUT */
int command_mask(const struct options *options);
int command_reuse(const struct options *options);
int command_signal(const struct options *options);
int command_bench(const struct options *options);
int command_compare(const struct options *options);
int command_golden(const struct options *options);
int command_list(const struct options *options);

/* Prints "stencilcli: TEXT" on stderr and returns the error's exit code. */
int command_fail(const struct error *err);

/* Prints TEXT as one line that no terminal takes orders from; bytes that are no UTF-8 are '?'. */
void command_print_clean(FILE *out, const char *text);

/* --divisor, --offset, --anchor and --flip. The texts stay the options' own. */
struct plan_overrides command_overrides(const struct options *options);

#endif
