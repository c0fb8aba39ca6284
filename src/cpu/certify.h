/* Masks whose exact sums need 64 bits, by 32-bit sums of rounded weights: which
 * samples that decides, and which must be summed exactly. For 8-bit samples. */
#ifndef STENCIL_CPU_CERTIFY_H
#define STENCIL_CPU_CERTIFY_H

#include "cpu/ops.h"
#include "plan/plan.h"

/* The cells whose rounded weights exceed int16, and what lies between them; of width 0: none. */
struct cpu_certify_large {
    int left, top, width, height;
};

#define CPU_LARGE_SHIFT 8
/* Of masks with more it does not matter, and takes long to find out. */
#define CPU_ROUNDED_CELLS 512

/* The mask's weights in multiples of an integer, rounded: to int16, but for LARGE, whose weights
 * are h * 2^CPU_LARGE_SHIFT + l with h of int16 and -128 <= l < 128; and the test of their sums,
 * which fit 32 bits. */
struct cpu_rounded {
    int64_t *weight; /* owned; as many as the mask has cells. NULL: it cannot be used */
    int64_t unit;
    struct cpu_certify test;
    struct cpu_certify_large large;
    double cost; /* ns a sample */
};

/* Searches for the unit that costs least. False where there is none, or no memory; there is then
 * nothing to free. */
bool cpu_rounded_make(struct cpu_rounded *rounded, const struct plan *plan);
void cpu_rounded_free(struct cpu_rounded *rounded);

/* h of such a weight */
static inline int64_t cpu_certify_upper(int64_t weight)
{
    return (weight + (1 << (CPU_LARGE_SHIFT - 1))) >> CPU_LARGE_SHIFT;
}

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
