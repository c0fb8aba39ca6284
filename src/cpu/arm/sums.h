/* Lines of pairs and sums of them with NEON; a part of cpu/arm/neon.c and cpu/arm/neon_dot.c. smlal
 * is four exact 16-bit products added to sums of 32 bits. The two products of a pair stand side by
 * side and are added up at the end, so that no multiplication is wasted. */
#ifndef STENCIL_CPU_ARM_SUMS_H
#define STENCIL_CPU_ARM_SUMS_H

#include "cpu/arm/neon.h"
#include "cpu/ops.h"

#define OPS_SUM_TWO_ROWS sum_two_rows_neon
#define OPS_SUM_PAIRS    sum_pairs_neon
#define OPS_WIDEN
#define OPS_VECTOR_BYTES 16
/* Of the method `real`: 4 rows in 16 registers. */
#define OPS_REAL_ROWS    4
#define OPS_REAL_VECTORS 4
#define OPS_REAL_KEEP(v) (void)0
#define OPS_REAL_ADD_float(sum, v, w)                                                              \
    (real_wide_float) vfmaq_f32((float32x4_t)(sum), (float32x4_t)(v), (float32x4_t)(w))
#define OPS_REAL_ADD_double(sum, v, w)                                                             \
    (real_wide_double) vfmaq_f64((float64x2_t)(sum), (float64x2_t)(v), (float64x2_t)(w))

static inline int16x8_t load_pairs(const uint32_t *at)
{
    return vreinterpretq_s16_u32(vld1q_u32(at));
}

/* Sums of four pairs, the two products of each side by side. */
struct pair_sums {
    int32x4_t low, high;
};

static inline void add_pairs(struct pair_sums *sum, int16x8_t samples, int16x8_t weights)
{
    sum->low = vmlal_s16(sum->low, vget_low_s16(samples), vget_low_s16(weights));
    sum->high = vmlal_high_s16(sum->high, samples, weights);
}

static inline void store_pairs(void *out, int32x4_t start, const struct pair_sums *sum)
{
    vst1q_s32(out, vaddq_s32(start, vpaddq_s32(sum->low, sum->high)));
}

#define WIDE 8
static void sum_pairs_neon(const struct cpu_mask *mask, const uint32_t *const *rows, uint32_t start,
                           int32_t *sum, int n)
{
    int pairs = (mask->height + 1) / 2;
    for (int x = 0; x < n; x += 4 * WIDE) {
        struct pair_sums acc[WIDE];
        UNROLL
        for (int k = 0; k < WIDE; k++)
            acc[k].low = acc[k].high = vdupq_n_s32(0);
        for (int p = 0; p < pairs; p++) {
            const uint32_t *weight = mask->pair + p * mask->width;
            const uint32_t *row = rows[p] + x;
            for (int j = 0; j < mask->width; j++, row += mask->step) {
                int16x8_t w = vreinterpretq_s16_s8(load_weights(weight + j));
                UNROLL
                for (int k = 0; k < WIDE; k++)
                    add_pairs(&acc[k], load_pairs(row + 4 * k), w);
            }
        }
        UNROLL
        for (int k = 0; k < WIDE; k++)
            store_pairs(sum + x + 4 * k, vdupq_n_s32((int32_t)start), &acc[k]);
    }
}

/* Two rows of output from each load. */
#define WIDE_TWO 4
static void sum_two_rows_neon(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                              uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    for (int x = 0; x < n; x += 4 * WIDE_TWO) {
        struct pair_sums a[WIDE_TWO], b[WIDE_TWO];
        UNROLL
        for (int k = 0; k < WIDE_TWO; k++)
            a[k].low = a[k].high = b[k].low = b[k].high = vdupq_n_s32(0);
        for (int p = 0; p < masks->pairs; p++) {
            const uint32_t *upper_weight = masks->weight[0] + p * masks->width;
            const uint32_t *lower_weight = masks->weight[1] + p * masks->width;
            const uint32_t *row = rows[p] + x;
            for (int j = 0; j < masks->width; j++, row += masks->step) {
                int16x8_t u = vreinterpretq_s16_s8(load_weights(upper_weight + j));
                int16x8_t v = vreinterpretq_s16_s8(load_weights(lower_weight + j));
                UNROLL
                for (int k = 0; k < WIDE_TWO; k++) {
                    int16x8_t samples = load_pairs(row + 4 * k);
                    add_pairs(&a[k], samples, u);
                    add_pairs(&b[k], samples, v);
                }
            }
        }
        UNROLL
        for (int k = 0; k < WIDE_TWO; k++) {
            store_pairs(upper + x + 4 * k, vdupq_n_s32((int32_t)start), &a[k]);
            store_pairs(lower + x + 4 * k, vdupq_n_s32((int32_t)start), &b[k]);
        }
    }
}

/* The compilers widen four bytes one by one. */
static inline void widen_u8_32(const uint8_t *in, uint32_t __attribute__((vector_size(16))) * out)
{
    uint32_t four;
    memcpy(&four, in, sizeof four);
    uint16x8_t v = vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(four)));
    *out = (uint32_t __attribute__((vector_size(16))))vmovl_u16(vget_low_u16(v));
}

static inline void widen_u16_32(const uint16_t *in, uint32_t __attribute__((vector_size(16))) * out)
{
    *out = (uint32_t __attribute__((vector_size(16))))vmovl_u16(vld1_u16(in));
}

#endif
