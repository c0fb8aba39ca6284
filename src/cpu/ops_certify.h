/* The inner loops of certified sums for 16-bit samples in portable C, around the instruction
 * set's own sums; a part of cpu/ops_template.h, included once per instruction set. What they mean
 * and why they are right: cpu/certify16.c. */
#ifndef STENCIL_CPU_OPS_CERTIFY_H
#define STENCIL_CPU_OPS_CERTIFY_H

#include "cpu/ops.h"

#ifndef OPS_PAIRS_U16
#define OPS_PAIRS_U16 pairs_u16
static void pairs_u16(const uint16_t *upper, const uint16_t *lower, uint32_t *pair, int n)
{
    for (int x = 0; x < n; x++)
        pair[x] = (upper[x] | (uint32_t)lower[x] << 16) ^ 0x80008000;
}
#endif

#ifndef OPS_CERTIFY_TWO_PLANES
#define OPS_CERTIFY_TWO_PLANES certify_two_planes
static uint64_t certify_words(const struct cpu_bounds *bounds, const uint32_t *high,
                              const uint32_t *low, uint16_t *out, int n)
{
    int32_t max = bounds->max, width = bounds->width;
    int high_shift = bounds->high_shift, low_shift = bounds->low_shift, bits = bounds->bits;
    uint32_t start = (uint32_t)bounds->start;
    uint64_t doubtful = 0;

    for (int x = 0; x < n; x++) {
        uint32_t sum = (uint32_t)((int32_t)high[x] >> high_shift) + start;
        int32_t low_bound = (int32_t)(sum + (uint32_t)((int32_t)low[x] >> low_shift));
        int32_t below = low_bound >> bits, above = (low_bound + width) >> bits;
        below = below < 0 ? 0 : below > max ? max : below;
        above = above < 0 ? 0 : above > max ? max : above;
        out[x] = (uint16_t)below;
        doubtful |= (uint64_t)(below != above) << x;
    }
    return doubtful;
}

/* A block's sums by groups. */
static void sum_groups(const struct cpu_two_masks *masks, int group, const uint32_t *const *rows,
                       int first, uint32_t *high, uint32_t *low)
{
    uint32_t upper[2 * CPU_BLOCK], lower[2 * CPU_BLOCK]; /* with slack */

    memset(high, 0, CPU_BLOCK * sizeof *high);
    memset(low, 0, CPU_BLOCK * sizeof *low);
    for (int p = 0; p < masks->pairs; p++)
        for (int j = 0; j < masks->width; j += group) {
            int taps = masks->width - j < group ? masks->width - j : group;
            const uint32_t *row = rows[p] + first + j * masks->step;
            struct cpu_two_masks some = *masks;

            some.pairs = 1;
            some.width = taps;
            for (int k = 0; k < 2; k++)
                some.weight[k] += p * masks->width + j;
            OPS_SUM_TWO_ROWS(&some, &row, 0, upper, lower, CPU_BLOCK);
            for (int k = 0; k < CPU_BLOCK; k++) {
                high[k] += upper[k];
                low[k] += (uint32_t)((int32_t)lower[k] >> CPU_PART_SHIFT);
            }
        }
}

static void certify_two_planes(const struct cpu_two_masks *masks, int group,
                               const uint32_t *const *rows, const struct cpu_bounds *bounds,
                               uint16_t *out, uint64_t *doubtful, int n)
{
    const uint32_t *at[(CPU_MAX_SIDE + 1) / 2];
    uint32_t high[2 * CPU_BLOCK], low[2 * CPU_BLOCK]; /* with slack */

    for (int x = 0; x < n; x += CPU_BLOCK) {
        int count = n - x < CPU_BLOCK ? n - x : CPU_BLOCK;
        for (int p = 0; p < masks->pairs; p++)
            at[p] = rows[p] + x;
        if (group > 0)
            sum_groups(masks, group, rows, x, high, low);
        else
            OPS_SUM_TWO_ROWS(masks, at, 0, high, low, CPU_BLOCK);
        doubtful[x / CPU_BLOCK] = certify_words(bounds, high, low, out + x, count);
    }
}
#endif

#endif
