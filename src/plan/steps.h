/* The steps by which plan_mask_make gets from rationals to integers. Only the
 * plan_*.c files include this; plan/plan.h is what the others see. */
#ifndef STENCIL_PLAN_STEPS_H
#define STENCIL_PLAN_STEPS_H

#include "plan/plan.h"

/* A plan's sums stay below 2^62: the bound of plan/plan.h. */
#define PLAN_BITS 62

/* A mask with the overrides taken in: what is to be made of integers. */
struct plan_input {
    const struct mask *mask;
    bool flip;
    size_t cells;
    mpq_t divisor; /* never 0, may be negative */
    mpq_t offset;  /* in sample values, a percentage already multiplied out */
    uint32_t max;
};

/* The weight of the plan's cell K in row-major order: the mask is turned here, and not copied. */
static inline mpq_srcptr plan_input_weight(const struct plan_input *input, size_t k)
{
    return input->mask->weight[input->flip ? input->cells - 1 - k : k];
}

/* From weight, divisor and offset: sums, bound, accumulator. False if the bound is not held. */
bool plan_mask_settle(struct plan_mask *plan, uint32_t max);

/* The quantised weights of the contract, for masks that have no integers below the bound. Fills
 * weight (allocated by the caller), divisor, offset and the quantised_ fields, and settles. False
 * if there is no q. */
bool plan_mask_quantise(struct plan_mask *plan, const struct plan_input *input, bool *no_memory);

/* Fills column and row if the weights have rank 1. False only without memory. */
bool plan_mask_factor(struct plan_mask *plan);

#endif
