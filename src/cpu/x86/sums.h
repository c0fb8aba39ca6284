/* Sums of pairs of int16 with the vectors of cpu/x86/vector_avx2.h or cpu/x86/vector_avx512.h; a
 * part of cpu/x86/avx2.c and cpu/x86/avx512.c. */
#ifndef STENCIL_CPU_X86_SUMS_H
#define STENCIL_CPU_X86_SUMS_H

#include "cpu/ops.h"

#define OPS_SUM_PAIRS    sum_pairs_x86
#define OPS_SUM_TWO_ROWS sum_two_rows_x86

#define CHAINS (CPU_BLOCK / LANES)

/* A block of accumulators: with AVX2 enough independent chains to hide vpmaddwd's latency. */
static void sum_pairs_x86(const struct cpu_mask *mask, const uint32_t *const *rows, uint32_t start,
                          int32_t *sum, int n)
{
    int pairs = (mask->height + 1) / 2;
    for (int x = 0; x < n; x += CPU_BLOCK) {
        vector acc[CHAINS];
        for (int k = 0; k < CHAINS; k++)
            acc[k] = V(set1_epi32)((int)start);
        for (int p = 0; p < pairs; p++) {
            const uint32_t *weight = mask->pair + p * mask->width;
            const uint32_t *row = rows[p] + x;
            for (int j = 0; j < mask->width; j++, row += mask->step) {
                vector w = V(set1_epi32)((int)weight[j]);
                for (int k = 0; k < CHAINS; k++)
                    acc[k] = add_pairs(acc[k], load_any(row + LANES * k), w);
            }
        }
        for (int k = 0; k < CHAINS; k++)
            store_any(sum + x + LANES * k, acc[k]);
    }
}

/* Adds the products of TAPS taps to two sums. 2 * WIDE accumulators, the two weights, and what was
 * loaded are in registers. */
static inline __attribute__((always_inline)) void add_taps(const uint32_t *row, int step,
                                                           const uint32_t *upper_weight,
                                                           const uint32_t *lower_weight, int taps,
                                                           vector a[WIDE], vector b[WIDE])
{
    for (int j = 0; j < taps; j++, row += step) {
        vector u, v;
        if ((upper_weight[j] | lower_weight[j]) == 0)
            continue;
        u = broadcast(upper_weight + j);
        v = broadcast(lower_weight + j);
        for (int k = 0; k < WIDE; k++) {
            vector samples = load_any(row + LANES * k);
            /* Or the compiler loads it twice, and loads are what runs out first. */
            KEEP(samples);
            a[k] = add_pairs(a[k], samples, u);
            b[k] = add_pairs(b[k], samples, v);
        }
    }
}

static void sum_two_rows_x86(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                             uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    for (int x = 0; x < n; x += LANES * WIDE) {
        vector a[WIDE], b[WIDE];
        for (int k = 0; k < WIDE; k++)
            a[k] = b[k] = V(set1_epi32)((int)start);
        for (int p = 0; p < masks->pairs; p++)
            add_taps(rows[p] + x, masks->step, masks->weight[0] + p * masks->width,
                     masks->weight[1] + p * masks->width, masks->width, a, b);
        for (int k = 0; k < WIDE; k++) {
            store_any(upper + x + LANES * k, a[k]);
            store_any(lower + x + LANES * k, b[k]);
        }
    }
}

#endif
