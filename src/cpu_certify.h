/* Masks whose exact sums need 64 bits, by 32-bit sums of rounded weights: which
 * samples that decides, and which must be summed exactly. For 8-bit samples. */
#ifndef STENCIL_CPU_CERTIFY_H
#define STENCIL_CPU_CERTIFY_H

#include "cpu_ops.h"
#include "plan.h"

/* Rounds the mask's weights to int16 (weight, as many as the mask has cells) and fills the test of
 * their sums. False where rounding cannot be used. */
bool cpu_certify_make(const struct plan *plan, int64_t *weight, struct cpu_certify *certify);

/* Of a mask that is close to rank 1: the row through the largest weight, and what the other rows
 * are of it. */
void cpu_certify_factors(const double *value, int width, int height, double *column, double *row);

/* The first of samples x..n-1 whose bit is set, or n. */
static inline int cpu_certify_next(const uint64_t *doubtful, int x, int n)
{
    while (x < n) {
        uint64_t bits = doubtful[x / 64] >> x % 64;
        if (bits != 0) {
            x += __builtin_ctzll(bits);
            return x < n ? x : n;
        }
        x = (x / 64 + 1) * 64;
    }
    return n;
}

#endif
