/* The checker's masks, by number. */
#ifndef STENCIL_TESTS_KERNEL_CHECKER_MASKS_H
#define STENCIL_TESTS_KERNEL_CHECKER_MASKS_H

#include <stdint.h>

#include "plan/mask.h"

int check_mask_count(void);
const char *check_mask_name(int mask);
int check_mask_cells(int mask);        /* 0: not random, and small */
int check_mask_parts(int mask);        /* 2: the masks of a gradient, else 1 */
bool check_mask_is_weighted(int mask); /* for colour weighted by alpha */

/* The words of an order filter ("open", "rank 30"); NULL: the mask is one of weights. */
const char *check_mask_order(int mask);

/* The range of a bilateral filter; NULL: the mask is one of another filter. */
const char *check_mask_range(int mask);

/* Makes part 0 or 1 of a mask; *state is the random generator. */
bool check_mask_make(struct mask *made, int mask, int part, uint64_t *state, struct error *err);

#endif
