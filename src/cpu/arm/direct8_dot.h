/* Two rows of output from lines of four rows of bytes with NEON's dot products; a part of
 * cpu/arm/neon_dot.c. One sdot is four taps of four samples, added to sums of 32 bits. It takes
 * bytes and weights signed, so that the lines hold b - 128; 128 times the sum of the weights stands
 * in the sums from the beginning. */
#ifndef STENCIL_CPU_ARM_DIRECT8_DOT_H
#define STENCIL_CPU_ARM_DIRECT8_DOT_H

#include "cpu/arm/neon.h"
#include "cpu/ops.h"

#define OPS_BYTE_QUADS       byte_quads_neon
#define OPS_QUAD_TWO_ROWS    quad_two_rows_neon
#define OPS_QUAD_TWO_ROWS_16 quad_two_rows_16_neon

static void byte_quads_neon(const uint8_t *const row[4], uint32_t *quad, int n)
{
    int x = 0;
    for (; x + 16 <= n; x += 16) {
        uint8x16_t r[4], low[2], high[2];
        UNROLL
        for (int i = 0; i < 4; i++)
            r[i] = veorq_u8(vld1q_u8(row[i] + x), vdupq_n_u8(BYTE_BIAS));
        UNROLL
        for (int i = 0; i < 2; i++) {
            low[i] = vzip1q_u8(r[2 * i], r[2 * i + 1]);
            high[i] = vzip2q_u8(r[2 * i], r[2 * i + 1]);
        }
        uint16x8_t a = vreinterpretq_u16_u8(low[0]), b = vreinterpretq_u16_u8(low[1]);
        uint16x8_t c = vreinterpretq_u16_u8(high[0]), d = vreinterpretq_u16_u8(high[1]);
        vst1q_u32(quad + x, vreinterpretq_u32_u16(vzip1q_u16(a, b)));
        vst1q_u32(quad + x + 4, vreinterpretq_u32_u16(vzip2q_u16(a, b)));
        vst1q_u32(quad + x + 8, vreinterpretq_u32_u16(vzip1q_u16(c, d)));
        vst1q_u32(quad + x + 12, vreinterpretq_u32_u16(vzip2q_u16(c, d)));
    }
    for (; x < n; x++)
        quad[x] = (row[0][x] | (uint32_t)row[1][x] << 8 | (uint32_t)row[2][x] << 16 |
                   (uint32_t)row[3][x] << 24) ^
                  0x01010101U * BYTE_BIAS;
}

/* Both rows' sums of 32 samples. */
static inline __attribute__((always_inline)) void quad_sums(const struct cpu_two_masks *masks,
                                                            const uint32_t *const *rows, int x,
                                                            const int32x4_t from[2], int32x4_t a[8],
                                                            int32x4_t b[8])
{
    UNROLL
    for (int k = 0; k < 8; k++) {
        a[k] = from[0];
        b[k] = from[1];
    }
    for (int p = 0; p < masks->pairs; p++) {
        const uint32_t *upper_weight = masks->weight[0] + p * masks->width;
        const uint32_t *lower_weight = masks->weight[1] + p * masks->width;
        const uint32_t *row = rows[p] + x;
        for (int j = 0; j < masks->width; j++, row += masks->step) {
            int8x16_t u = load_weights(upper_weight + j), l = load_weights(lower_weight + j);
            UNROLL
            for (int k = 0; k < 8; k++) {
                int8x16_t samples = vreinterpretq_s8_u32(vld1q_u32(row + 4 * k));
                a[k] = vdotq_s32(a[k], samples, u);
                b[k] = vdotq_s32(b[k], samples, l);
            }
        }
    }
}

/* What the sums of both rows start with. */
static inline void quad_start(const struct cpu_two_masks *masks, uint32_t start, int32x4_t from[2])
{
    for (int i = 0; i < 2; i++)
        from[i] =
            vdupq_n_s32((int32_t)(start + BYTE_BIAS * weights_sum(masks->weight[i],
                                                                  masks->pairs * masks->width, 4)));
}

/* 16 bits: the low halves of the sums. */
static inline void store_sums(void *out, bool words, const int32x4_t sum[8])
{
    UNROLL
    for (int k = 0; k < 8; k += 2) {
        uint32x4_t low = vreinterpretq_u32_s32(sum[k]), high = vreinterpretq_u32_s32(sum[k + 1]);
        if (words) {
            vst1q_u16((uint16_t *)out + 4 * k,
                      vuzp1q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high)));
        } else {
            vst1q_u32((uint32_t *)out + 4 * k, low);
            vst1q_u32((uint32_t *)out + 4 * k + 4, high);
        }
    }
}

static inline __attribute__((always_inline)) void quad_two_rows(const struct cpu_two_masks *masks,
                                                                const uint32_t *const *rows,
                                                                uint32_t start, bool words,
                                                                void *upper, void *lower, int n)
{
    const size_t bytes = words ? sizeof(uint16_t) : sizeof(uint32_t);
    int32x4_t from[2];
    quad_start(masks, start, from);
    for (int x = 0; x < n; x += 32) {
        int32x4_t a[8], b[8];
        quad_sums(masks, rows, x, from, a, b);
        store_sums((uint8_t *)upper + (size_t)x * bytes, words, a);
        store_sums((uint8_t *)lower + (size_t)x * bytes, words, b);
    }
}

static void quad_two_rows_neon(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                               uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    quad_two_rows(masks, rows, start, false, upper, lower, n);
}

static void quad_two_rows_16_neon(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                                  uint16_t start, uint16_t *upper, uint16_t *lower, int n)
{
    quad_two_rows(masks, rows, start, true, upper, lower, n);
}

#endif
