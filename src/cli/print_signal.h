/* What is printed about a signal: --plan, in words or as JSON, and --json. */
#ifndef STENCIL_CLI_PRINT_SIGNAL_H
#define STENCIL_CLI_PRINT_SIGNAL_H

#include <stdio.h>

#include "signal/filter.h"

/* Which numbers hold the sums, as a phrase: "sums in 64-bit integers". */
const char *signal_print_sums(const struct signal_report *report);

/* What would run. INPUT is the signal's name, MASK signal_mask_row's. */
void signal_print_plan(FILE *out, const char *input, const struct signal_request *request,
                       const struct mask *mask, const struct signal_report *report);
void signal_print_plan_json(FILE *out, const char *input, const struct signal_request *request,
                            const struct mask *mask, const struct signal_report *report);

/* What has run, as one object. */
void signal_print_json(FILE *out, const char *input, const char *output,
                       const struct signal_request *request, const struct signal_report *report);

#endif
