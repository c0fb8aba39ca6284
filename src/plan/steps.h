/* Private to src/plan: the steps by which plan_mask_make gets from rationals to integers. */
#ifndef STENCIL_PLAN_STEPS_H
#define STENCIL_PLAN_STEPS_H

#include "plan/terms.h"

/* A plan's sums stay below 2^62: the bound of plan/plan.h. */
#define PLAN_BITS 62

/* A mask with the overrides applied. */
struct plan_input {
    const struct mask *mask; /* its weights */
    size_t cells;
    mpq_t divisor; /* never 0, may be negative */
    mpq_t offset;  /* in sample values; until plan_mask_make has max, perhaps a fraction of it */
    bool offset_percent, flip;
    int anchor_x, anchor_y;
    uint32_t max;
};

/* The weight of the plan's cell K in row-major order. A mask to flip is turned here, not copied. */
static inline mpq_srcptr plan_input_weight(const struct plan_input *input, size_t k)
{
    return input->mask->weight[input->flip ? input->cells - 1 - k : k];
}

/* Fills sums, bound and accumulator from weight, divisor and offset. False if the bound is too
 * large. */
bool plan_mask_settle(struct plan_mask *plan, uint32_t max);

/* The quantised weights of the contract, for masks that have no integers below the bound. Fills
 * weight (allocated by the caller), divisor, offset and the quantised_ fields, and settles. False
 * if there is no q. */
bool plan_mask_quantise(struct plan_mask *plan, const struct plan_input *input, bool *no_memory);

/* Fills column and row if the weights have rank 1. False only without memory. */
bool plan_mask_factor(struct plan_mask *plan);

/* The greatest common divisor, >= 0; 0 only of 0 and 0. */
int64_t plan_gcd(int64_t a, int64_t b);

#endif
