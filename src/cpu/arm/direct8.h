/* Two rows of output from lines of pairs of bytes with NEON; a part of cpu/arm/neon.c. smlal
 * takes bytes and weights signed, so that the lines hold b - 128; what the sums lack,
 * 128 times the sum of the weights, is added at the end. The two products of a pair stand
 * side by side until then. */
#ifndef STENCIL_CPU_ARM_DIRECT8_H
#define STENCIL_CPU_ARM_DIRECT8_H

#include "cpu/arm/neon.h"
#include "cpu/ops.h"

#define OPS_BYTE_PAIRS       byte_pairs_neon
#define OPS_BYTE_TWO_ROWS    byte_two_rows_neon
#define OPS_BYTE_TWO_ROWS_16 NULL /* byte_sums takes as many multiplications, and no lines */

static void byte_pairs_neon(const uint8_t *upper, const uint8_t *lower, uint16_t *pair, int n)
{
    const uint8x16_t bias = vdupq_n_u8(BYTE_BIAS);
    int x = 0;
    for (; x + 16 <= n; x += 16) {
        uint8x16_t u = veorq_u8(vld1q_u8(upper + x), bias), l = veorq_u8(vld1q_u8(lower + x), bias);
        vst1q_u16(pair + x, vreinterpretq_u16_u8(vzip1q_u8(u, l)));
        vst1q_u16(pair + x + 8, vreinterpretq_u16_u8(vzip2q_u8(u, l)));
    }
    for (; x < n; x++)
        pair[x] = (uint16_t)((upper[x] | lower[x] << 8) ^ 0x0101 * BYTE_BIAS);
}

/* What the sums of one row lack. */
static uint32_t byte_bias(const struct cpu_two_byte_masks *masks, int row)
{
    return BYTE_BIAS * weights_sum(masks->weight[row], masks->pairs * masks->width, 2);
}

/* The products of two vectors of pairs with the weights of both rows. */
static inline __attribute__((always_inline)) void add_products(const uint16_t *row, int8x16_t u,
                                                               int8x16_t v, int16x8_t *a,
                                                               int16x8_t *b)
{
    UNROLL
    for (int k = 0; k < 2; k++) {
        int8x16_t samples = vreinterpretq_s8_u16(vld1q_u16(row + 8 * k));
        a[2 * k] = vmlal_s8(a[2 * k], vget_low_s8(samples), vget_low_s8(u));
        a[2 * k + 1] = vmlal_high_s8(a[2 * k + 1], samples, u);
        b[2 * k] = vmlal_s8(b[2 * k], vget_low_s8(samples), vget_low_s8(v));
        b[2 * k + 1] = vmlal_high_s8(b[2 * k + 1], samples, v);
    }
}

/* Sums of 16 bits are added to those of 32, and start again. */
static inline void widen_sums(int16x8_t from, int16x8_t sum[4], int32x4_t wide[4])
{
    UNROLL
    for (int k = 0; k < 4; k++) {
        wide[k] = vpadalq_s16(wide[k], sum[k]);
        sum[k] = from;
    }
}

/* From one full place to the next the weights of each row are at most 257 together where none is
 * negative, else at most 128 above and 128 below 0 (cpu/pairs.c). Bytes of -128..127 then
 * give -32896..32639, which fits from 128 on, or -32640..32640. */
#define FROM_UNSIGNED 128

static void byte_two_rows_neon(const struct cpu_two_byte_masks *masks, const uint16_t *const *rows,
                               uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    const int16x8_t from = vdupq_n_s16(masks->is_signed ? 0 : FROM_UNSIGNED);
    for (int t = 0; !masks->is_signed && t < masks->pairs * masks->width; t++)
        start -= masks->full[t] ? 2 * FROM_UNSIGNED : 0; /* of both products */
    const int32x4_t upper_start = vdupq_n_s32((int32_t)(start + byte_bias(masks, 0)));
    const int32x4_t lower_start = vdupq_n_s32((int32_t)(start + byte_bias(masks, 1)));
    for (int x = 0; x < n; x += 16) {
        int16x8_t a[4] = {from, from, from, from}, b[4] = {from, from, from, from};
        int32x4_t wide[2][4];
        int tap = 0;
        UNROLL
        for (int k = 0; k < 4; k++) {
            wide[0][k] = upper_start;
            wide[1][k] = lower_start;
        }
        for (int p = 0; p < masks->pairs; p++) {
            const uint16_t *row = rows[p] + x;
            for (int j = 0; j < masks->width; j++, tap++, row += masks->step) {
                add_products(row, load_weights(masks->weight[0] + tap),
                             load_weights(masks->weight[1] + tap), a, b);
                if (masks->full[tap]) {
                    widen_sums(from, a, wide[0]);
                    widen_sums(from, b, wide[1]);
                }
            }
        }
        UNROLL
        for (int k = 0; k < 4; k++) {
            vst1q_u32(upper + x + 4 * k, vreinterpretq_u32_s32(wide[0][k]));
            vst1q_u32(lower + x + 4 * k, vreinterpretq_u32_s32(wide[1][k]));
        }
    }
}

#endif
