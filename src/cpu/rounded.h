/* Masks whose exact sums need 64 bits, with 8-bit samples, by 32-bit sums of rounded weights
 * (cpu/pairs.c). Nearly all samples follow from such a sum, the others are summed exactly. For
 * masks that are not close to low rank this is faster than floats (cpu/real.h), because the
 * processor makes two to four products of 16 bits in the time of one float product. */
#ifndef STENCIL_CPU_ROUNDED_H
#define STENCIL_CPU_ROUNDED_H

#include "cpu/ops.h"
#include "plan/plan.h"

/* The mask's weights in multiples of an integer, rounded to int16; and the test of their sums,
 * which fit 32 bits. */
struct cpu_rounded {
    int64_t *weight; /* owned; as many as the mask has cells. NULL: it cannot be used */
    int64_t unit;
    struct cpu_certify test;
    double sample_ns; /* nanoseconds per sample */
};

/* For plans of 8 bits. False: too many samples would be in doubt, or no memory; there is then
 * nothing to free. */
bool cpu_rounded_make(struct cpu_rounded *rounded, const struct plan *plan);
void cpu_rounded_free(struct cpu_rounded *rounded);

#endif
