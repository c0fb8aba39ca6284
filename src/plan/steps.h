/* Private to src/plan: the steps of plan_mask_make from rationals to integers. */
#ifndef STENCIL_PLAN_STEPS_H
#define STENCIL_PLAN_STEPS_H

#include "plan/plan.h"

/* A plan's sums stay below 2^62: the bound of plan/plan.h. */
#define PLAN_BITS 62

#define PLAN_NO_MEMORY "no memory for the mask's plan"

/* Stores VALUE if it is below the plan's bound. */
bool plan_store(int64_t *place, const mpz_t value);

/* Says that the mask's numbers are too large; returns false. */
bool plan_too_large(const struct mask *mask, struct error *err);

/* Fills sums, bound and accumulator from weight, divisor and offset; false: bound too large. */
bool plan_mask_settle(struct plan_mask *plan, uint32_t max);

/* Makes the quantised weights, for masks whose exact integers exceed the bound. Fills weight
 * (allocated by the caller), divisor, offset and the quantised_ fields, and settles. OFFSET is in
 * sample values. An error if no q fits. */
bool plan_mask_quantise(struct plan_mask *plan, const struct mask *mask, const mpq_t offset,
                        uint32_t max, struct error *err);

/* Fills column, row and centre of a long mask, exactly, and settles. An error if the numbers are
 * too large. OFFSET is in sample values. */
bool plan_mask_make_outer(struct plan_mask *plan, const struct mask *mask, const mpq_t offset,
                          uint32_t max, struct error *err);

/* Fills column and row of a single row or column of any length. False: no memory. */
bool plan_mask_split_line(struct plan_mask *plan);

/* Fills column and row if the weights have rank 1, else the terms if few are enough. False only
 * without memory. */
bool plan_mask_factor(struct plan_mask *plan);
void plan_terms_free(struct plan_mask *plan);

#endif
