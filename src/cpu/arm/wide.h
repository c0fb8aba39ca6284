/* The loops for sums of 64 bits and for colour weighted by alpha with NEON; a part of
 * cpu/arm/neon.c. Why the quotients are right: cpu/ops_wide.h. */
#ifndef STENCIL_CPU_ARM_WIDE_H
#define STENCIL_CPU_ARM_WIDE_H

#include "cpu/arm/neon.h"
#include "cpu/ops.h"

#define OPS_SUM_64      sum_64_neon
#define OPS_DIVIDE_64   divide_64_neon
#define OPS_WEIGHTED    weighted_neon
#define OPS_GRADIENT_32 gradient_32_neon

/* Four sums modulo 2^64 of samples times weights high * 2^32 + low: products of 64 bits with low,
 * and of those with high only what is left modulo 2^32. */
struct wide_sums {
    uint64x2_t low[2];
    uint32x4_t high;
};

static inline void wide_sums_store(const struct wide_sums *sum, void *out)
{
    uint64x2_t high[2] = {vmovl_u32(vget_low_u32(sum->high)), vmovl_high_u32(sum->high)};
    UNROLL
    for (int k = 0; k < 2; k++)
        vst1q_u64((uint64_t *)out + 2 * k, vaddq_u64(sum->low[k], vshlq_n_u64(high[k], 32)));
}

static void sum_64_neon(const struct cpu_mask *mask, const uint32_t *const *rows, uint64_t start,
                        int64_t *sum, int n)
{
    for (int x = 0; x < n; x += 16) {
        struct wide_sums acc[4];
        UNROLL
        for (int k = 0; k < 4; k++) {
            acc[k].low[0] = acc[k].low[1] = vdupq_n_u64(start);
            acc[k].high = vdupq_n_u32(0);
        }
        for (int i = 0; i < mask->height; i++)
            for (int j = 0; j < mask->width; j++) {
                const uint32_t *row = rows[i] + x + j * mask->step;
                uint64_t w = mask->weight64[i * mask->width + j];
                uint32x4_t low = vdupq_n_u32((uint32_t)w), high = vdupq_n_u32((uint32_t)(w >> 32));
                UNROLL
                for (int k = 0; w != 0 && k < 4; k++) {
                    uint32x4_t v = vld1q_u32(row + 4 * k);
                    uint64x2_t *to = acc[k].low;
                    to[0] = vmlal_u32(to[0], vget_low_u32(v), vget_low_u32(low));
                    to[1] = vmlal_high_u32(to[1], v, low);
                    acc[k].high = vmlaq_u32(acc[k].high, v, high);
                }
            }
        UNROLL
        for (int k = 0; k < 4; k++)
            wide_sums_store(&acc[k], sum + x + 4 * k);
    }
}

static void divide_64_neon(const struct cpu_divide *divide, const int64_t *sum, int32_t *quotient,
                           int n)
{
    const int64x2_t half = vdupq_n_s64(divide->divisor / 2);
    const float64x2_t inverse = vdupq_n_f64(1.0 / (double)divide->divisor);
    const float64x2_t max = vdupq_n_f64(divide->max), zero = vdupq_n_f64(0);
    for (int x = 0; x < n; x += 2) {
        float64x2_t v = vcvtq_f64_s64(vaddq_s64(vld1q_s64(sum + x), half));
        float64x2_t q = vmulq_f64(vaddq_f64(v, vdupq_n_f64(0.5)), inverse);
        q = vminq_f64(vmaxq_f64(q, zero), max);
        vst1_s32(quotient + x, vmovn_s64(vcvtq_s64_f64(q)));
    }
}

/* Two places: half a pixel or one. */
static void weighted_neon(const struct cpu_weighted *w, const uint32_t *plain,
                          const uint32_t *product, int32_t *quotient, int n)
{
    const float64x2_t gain = vdupq_n_f64((double)w->gain), d = vdupq_n_f64((double)w->divisor);
    const float64x2_t o = vdupq_n_f64((double)w->offset), half = vdupq_n_f64(0.5);
    const float64x2_t all = vdupq_n_f64((double)w->weight_sum), zero = vdupq_n_f64(0);
    const float64x2_t max = vdupq_n_f64((double)w->max);
    int alpha = w->channels - 1;
    for (int x = 0; x < n; x += 2) {
        const uint64x2_t place = {0, (x & alpha) == alpha - 1 ? UINT64_MAX : 0};
        float64x2_t b = vdupq_n_f64(plain[x | alpha]);
        float64x2_t a = vcvtq_f64_u64(vmovl_u32(vld1_u32(product + x)));
        float64x2_t up = vaddq_f64(vmulq_f64(gain, a), vmulq_f64(o, b));
        float64x2_t down = vbslq_f64(place, all, vmulq_f64(d, b));
        up = vbslq_f64(place, b, up);
        up = vaddq_f64(up, vrndmq_f64(vmulq_f64(down, half)));
        float64x2_t q = vaddq_f64(up, half) / down;
        q = vminq_f64(vmaxq_f64(q, zero), max);
        uint64x2_t none = vbicq_u64(vceqq_f64(b, zero), place);
        q = vbslq_f64(none, vdupq_n_f64(-1), q);
        vst1_s32(quotient + x, vmovn_s64(vcvtq_s64_f64(q)));
    }
}

static void gradient_32_neon(const int32_t *gx, const int32_t *gy, int32_t max, int32_t *size,
                             int n)
{
    const float64x2_t most = vdupq_n_f64(max);
    for (int x = 0; x < n; x += 2) {
        float64x2_t a = vcvtq_f64_s64(vmovl_s32(vld1_s32(gx + x)));
        float64x2_t b = vcvtq_f64_s64(vmovl_s32(vld1_s32(gy + x)));
        float64x2_t g = vaddq_f64(vmulq_f64(a, a), vmulq_f64(b, b));
        float64x2_t root = vminq_f64(vsqrtq_f64(g), most);
        vst1_s32(size + x, vmovn_s64(vcvtq_s64_f64(vaddq_f64(root, vdupq_n_f64(0.5)))));
    }
}

#endif
