/* --plan: what would run, in words or as JSON. */
#ifndef STENCIL_CLI_PRINT_PLAN_H
#define STENCIL_CLI_PRINT_PLAN_H

#include <stdio.h>

#include "run/picture.h"

/* INPUT is the picture's name. */
void plan_print(FILE *out, const char *input, const struct plan *plan,
                const struct picture_report *report);
void plan_print_json(FILE *out, const char *input, const struct plan *plan,
                     const struct picture_report *report);

#endif
