/* The inner loops of certified sums by row and column in portable C, around the instruction set's
 * own sums; a part of cpu/ops_template.h. What they mean: cpu/near8_make.c. */
#ifndef STENCIL_CPU_OPS_NEAR_H
#define STENCIL_CPU_OPS_NEAR_H

#include "cpu/ops.h"

#ifndef OPS_ROW_PAIRS
#define OPS_ROW_PAIRS row_pairs
static void row_pairs(const struct cpu_row_pairs *row, const uint32_t *upper, const uint32_t *lower,
                      uint32_t *pair, int n, const struct cpu_ahead ahead[2])
{
    const struct cpu_mask mask = {
        .width = row->taps, .height = 2, .step = row->step, .pair = row->weight};
    int shift = row->shift;
    (void)ahead;

    for (int x = 0; x < n; x += CPU_BLOCK) {
        const uint32_t *const above = upper + x, *const below = lower + x;
        int32_t first[CPU_BLOCK], second[CPU_BLOCK];
        OPS_SUM_PAIRS(&mask, &above, (uint32_t)row->start, first, CPU_BLOCK);
        OPS_SUM_PAIRS(&mask, &below, (uint32_t)row->start, second, CPU_BLOCK);
        for (int k = 0; k < CPU_BLOCK; k++)
            pair[x + k] =
                ((uint32_t)(first[k] >> shift) & 0xffff) | (uint32_t)second[k] >> shift << 16;
    }
}
#endif

#ifndef OPS_CERTIFY_TWO_ROWS
#define OPS_CERTIFY_TWO_ROWS certify_two_rows
static uint64_t certify_block(const struct cpu_bounds8 *bounds, const uint32_t *sum, uint8_t *out,
                              int n)
{
    int32_t base = bounds->base, max = bounds->max;
    int bits = bounds->bits;
    uint32_t mask = (1u << bits) - 1, doubt = mask + 1 - (uint32_t)bounds->width;
    uint64_t doubtful = 0;

    for (int k = 0; k < n; k++) {
        int32_t value = (int32_t)(sum[k] >> bits) + base;
        out[k] = (uint8_t)(value < 0 ? 0 : value > max ? max : value);
        doubtful |= (uint64_t)((sum[k] & mask) >= doubt) << k;
    }
    return doubtful;
}

static void certify_two_rows(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                             const struct cpu_bounds8 *bounds, uint8_t *const out[2],
                             uint64_t *const doubtful[2], int n)
{
    const uint32_t *at[CPU_MAX_SIDE / 2 + 1];
    uint32_t sum[2][2 * CPU_BLOCK]; /* with slack */

    for (int x = 0; x < n; x += CPU_BLOCK) {
        int count = n - x < CPU_BLOCK ? n - x : CPU_BLOCK;
        for (int p = 0; p < masks->pairs; p++)
            at[p] = rows[p] + x;
        OPS_SUM_TWO_ROWS(masks, at, bounds->start, sum[0], sum[1], CPU_BLOCK);
        for (int k = 0; k < 2; k++)
            doubtful[k][x / CPU_BLOCK] = certify_block(bounds, sum[k], out[k] + x, count);
    }
}
#endif

#endif
