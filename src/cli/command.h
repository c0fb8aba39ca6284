/* The commands: each takes the parsed options and returns the exit status. Only they and main.c
 * print: messages on stderr as "stencilcli: ...", data on stdout. */
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

/* Prints "stencilcli: " and a sentence as one line on stderr, cleaned as by command_print_clean:
 * callers need not clean what they put into it. */
__attribute__((format(printf, 1, 2))) void command_say(const char *format, ...);

/* Prints an error's sentence by command_say and returns its exit code. */
int command_fail(const struct error *err);

/* Prints TEXT so that it stays on one line and gives no orders to a terminal. */
void command_print_clean(FILE *out, const char *text);

/* --divisor, --offset, --anchor and --flip, as texts that the options own. */
struct plan_overrides command_overrides(const struct options *options);

#endif
