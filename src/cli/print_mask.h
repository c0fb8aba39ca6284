/* What is said about a mask, for mask_print's comment lines and for the JSON of
 * `stencilcli mask`. */
#ifndef STENCIL_CLI_PRINT_MASK_H
#define STENCIL_CLI_PRINT_MASK_H

#include "plan/plan.h"

/* Room for mask_number's text: a number of 64 characters, or "about " and a double. */
#define MASK_NUMBER_CHARS (RATIONAL_MAX_CHARS + 1)

/* The exact number where it is short enough to read, else `about X`. */
void mask_number(char text[MASK_NUMBER_CHARS], mpq_srcptr value);

/* The INDEX-th symmetry that the mask has ("horizontal", "vertical", ...), NULL past the last. */
const char *mask_symmetry(const struct mask *mask, int index);

/* The smallest and the largest value of S/d for samples of 0..max: what comes out before rounding
 * and clamping. */
void mask_range(const struct plan_mask *plan, uint32_t max, char lowest[MASK_NUMBER_CHARS],
                char highest[MASK_NUMBER_CHARS]);

#endif
