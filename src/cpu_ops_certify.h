/* The inner loops of certified sums for 16-bit samples in portable C; a part of
 * cpu_ops_template.h, included once per instruction set. What they mean and why they
 * are right: cpu_certify16.c. */
#ifndef STENCIL_CPU_OPS_CERTIFY_H
#define STENCIL_CPU_OPS_CERTIFY_H

#include "cpu_ops.h"

#ifndef OPS_PAIRS_U16
#define OPS_PAIRS_U16 pairs_u16
static void pairs_u16(const uint16_t *upper, const uint16_t *lower, uint32_t *pair, int n)
{
    for (int x = 0; x < n; x++)
        pair[x] = (upper[x] | (uint32_t)lower[x] << 16) ^ 0x80008000;
}
#endif

#ifndef OPS_CERTIFY_U16
#define OPS_CERTIFY_U16 certify_u16
static void certify_u16(const struct cpu_bounds *bounds, const uint32_t *high, const uint32_t *low,
                        uint16_t *out, uint64_t *doubtful, int n)
{
    int32_t max = bounds->max, width = bounds->width;
    int high_shift = bounds->high_shift, low_shift = bounds->low_shift, bits = bounds->bits;
    uint32_t start = (uint32_t)bounds->start;
    for (int x = 0; x < n; x += 64)
        doubtful[x / 64] = 0;
    for (int x = 0; x < n; x++) {
        uint32_t sum = (uint32_t)((int32_t)high[x] >> high_shift) + start;
        int32_t low_bound = (int32_t)(sum + (uint32_t)((int32_t)low[x] >> low_shift));
        int32_t below = low_bound >> bits, above = (low_bound + width) >> bits;
        below = below < 0 ? 0 : below > max ? max : below;
        above = above < 0 ? 0 : above > max ? max : above;
        out[x] = (uint16_t)below;
        doubtful[x / 64] |= (uint64_t)(below != above) << x % 64;
    }
}
#endif

#endif
