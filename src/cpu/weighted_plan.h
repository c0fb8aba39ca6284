/* Colour weighted by alpha in floating point: the weights, and how far its quotients can be from
 * the exact ones.
 *
 *   out_c = floor( W/d * A/B + o/d + 1/2 )     A = sum of w*c*a,  B = sum of w*a
 *   out_a = floor( B/W + 1/2 )
 *
 * (The contract's floor((N + floor(D/2)) / D) is floor(N/D + 1/2).) There are no negative weights,
 * so all that is added is positive and relative errors stay small however little alpha there is:
 * with u = 2^-24 for float (8 bits, whose products with alpha are exact) and 2^-53 for double (16
 * bits), a number that is rounded k times on its way into a sum is off by less than k*u of itself,
 * and so is the sum. Weights are w/W, off by 4u (the double quotient of two rounded integers,
 * rounded); a product and at most width + height sums follow:
 *
 *   error = (width + height + 5) * u
 *
 * A mask that is close to a column times a row has their products for weights: then it is
 * (width + height + 2) * u and the largest relative error of those products against w/W.
 *
 * The quotient has the errors of both sums, that of itself and 5u of W/d and its product; the
 * constant and the last sum are rounded too, by u of what is not above max * W/d + |o/d| + 1. So
 *
 *   |error of all| < 1.05 * (2 * error + 16u) * max * W/d + 8u * (|o/d| + 1)
 *
 * where 1.05 covers what is of second order. Where both bounds, clamped, have the same floor, that
 * is the sample; the others are made exactly. Nothing gets smaller than 2^-62: no underflow. */
#ifndef STENCIL_CPU_WEIGHTED_PLAN_H
#define STENCIL_CPU_WEIGHTED_PLAN_H

#include "cpu/ops.h"
#include "plan/plan.h"

struct cpu_weighted_plan {
    bool wide; /* double */
    bool separable;
    struct cpu_real_mask mask; /* or its column */
    struct cpu_real_mask row;
    struct cpu_quotients weighted; /* of A and B to colour and alpha */
    struct cpu_quotients plain;    /* of sums of w*c: where B is 0 */
    void *weights;                 /* owned: all that the masks point at */
};

/* For ALPHA_WEIGHTED; false: no memory. */
bool cpu_weighted_plan_make(struct cpu_weighted_plan *weighted, const struct plan *plan);
void cpu_weighted_plan_free(struct cpu_weighted_plan *weighted);

#endif
