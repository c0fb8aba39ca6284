/* A mask in words: as text in the file format with facts in comment lines, and as JSON. For
 * `stencilcli mask`; signal prints numbers in the same way. */
#ifndef STENCIL_CLI_PRINT_MASK_H
#define STENCIL_CLI_PRINT_MASK_H

#include <stdio.h>

#include "plan/plan.h"

/* Room for mask_number's text: a number of 64 characters, or "about " and a double. */
#define MASK_NUMBER_CHARS (RATIONAL_MAX_CHARS + 1)

/* The exact number if it is short enough to read, else `about X`. */
void mask_number(char text[MASK_NUMBER_CHARS], mpq_srcptr value);

/* Returns the mask in the file format, followed by comment lines: sum, rank, symmetry, bounds.
 * Parsing it gives an equal mask. The string is malloc'ed; NULL if a number is too long. */
char *mask_print(const struct mask *mask, struct error *err);

/* One JSON object on one line. */
void mask_print_json(FILE *out, const struct mask *mask);

#endif
