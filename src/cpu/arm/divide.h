/* Sums of 32 bits to samples with NEON; a part of cpu/arm/neon.c and cpu/arm/neon_dot.c. */
#ifndef STENCIL_CPU_ARM_DIVIDE_H
#define STENCIL_CPU_ARM_DIVIDE_H

#include "cpu/arm/neon.h"
#include "cpu/ops.h"

#define OPS_DIVIDE_32_U8  divide_32_u8_neon
#define OPS_DIVIDE_32_U16 divide_32_u16_neon

/* floor(v / d) for 0 <= v < 2^31 by a multiplication: see cpu_divide_factor. */
struct divide_lanes {
    bool power;
    int32x4_t half, shift; /* to the left */
    uint32x4_t factor;
};

static inline struct divide_lanes divide_lanes_make(const struct cpu_divide *divide)
{
    struct divide_lanes l;
    int shift = divide->shift;
    l.power = shift >= 0;
    l.factor = vdupq_n_u32(l.power ? 0 : cpu_divide_factor(divide, &shift));
    l.half = vdupq_n_s32((int32_t)(divide->divisor / 2));
    l.shift = vdupq_n_s32(-shift);
    return l;
}

/* Four quotients; those below 0 are 0 or below. */
static inline int32x4_t divide_lanes(const struct divide_lanes *l, const int32_t *sum)
{
    int32x4_t v = vaddq_s32(vld1q_s32(sum), l->half);
    uint32x4_t u;
    uint64x2_t low, high;
    if (l->power)
        return vshlq_s32(v, l->shift);
    u = vreinterpretq_u32_s32(vmaxq_s32(v, vdupq_n_s32(0)));
    low = vmull_u32(vget_low_u32(u), vget_low_u32(l->factor));
    high = vmull_high_u32(u, l->factor);
    u = vuzp2q_u32(vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high));
    return vreinterpretq_s32_u32(vshlq_u32(u, l->shift));
}

/* Eight numbers, saturated to 0..65535. */
static inline uint16x8_t pack_words(int32x4_t low, int32x4_t high)
{
    return vcombine_u16(vqmovun_s32(low), vqmovun_s32(high));
}

/* Sixteen, saturated to 0..255. */
static inline uint8x16_t pack_bytes(const int32x4_t v[4])
{
    return pack_16(pack_words(v[0], v[1]), pack_words(v[2], v[3]));
}

/* Sums have slack up to CPU_BLOCK, samples have none. */
static void divide_32_u8_neon(const struct cpu_divide *divide, const int32_t *sum, uint8_t *out,
                              int n)
{
    const struct divide_lanes l = divide_lanes_make(divide);
    const uint8x16_t max = vdupq_n_u8((uint8_t)divide->max);
    uint8_t last[BLOCK_MOST] = {0};
    for (int x = 0; x < n; x += 16) {
        int32x4_t v[4];
        UNROLL
        for (int i = 0; i < 4; i++)
            v[i] = divide_lanes(&l, sum + x + 4 * i);
        vst1q_u8(block_at(out, x, n, 16, last), vminq_u8(pack_bytes(v), max));
    }
    copy_last(out, n, 16, last);
}

static void divide_32_u16_neon(const struct cpu_divide *divide, const int32_t *sum, uint16_t *out,
                               int n)
{
    const struct divide_lanes l = divide_lanes_make(divide);
    const uint16x8_t max = vdupq_n_u16((uint16_t)divide->max);
    uint16_t last[8] = {0};
    for (int x = 0; x < n; x += 8) {
        uint16x8_t v = pack_words(divide_lanes(&l, sum + x), divide_lanes(&l, sum + x + 4));
        vst1q_u16(n - x < 8 ? last : out + x, vminq_u16(v, max));
    }
    memcpy(out + n / 8 * 8, last, (size_t)(n % 8) * sizeof *out);
}

#endif
