/* Prints a comparison as a table for people and as members of a JSON object. */
#ifndef STENCIL_CLI_PRINT_COMPARE_H
#define STENCIL_CLI_PRINT_COMPARE_H

#include <stdio.h>

#include "compare/compare.h"

/* A line for each channel and one for all; nothing for pictures of different shape. */
void compare_print_table(FILE *out, const struct compare_result *result);

/* `"result":"different","why":...` and the numbers, without braces; an infinite PSNR is the
 * string "inf". */
void compare_print_json(FILE *out, const struct compare_result *result);

#endif
