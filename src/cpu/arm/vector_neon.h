/* The operations on vectors with NEON; a part of cpu/arm/neon.c and cpu/arm/neon_dot.c. What the
 * operations mean: cpu/ops_plain.h. CPU_EMULATED: compiled for tests on any processor. */
#ifndef STENCIL_CPU_ARM_VECTOR_NEON_H
#define STENCIL_CPU_ARM_VECTOR_NEON_H

#ifdef CPU_EMULATED
#include "tests/cpu/emulated_neon.h"
#else
#include <arm_neon.h>
#endif

#include "cpu/ops_vector.h"

/* 16 registers of sums: a sum of pairs takes two. */
#define PAIRS_WIDE_ONE  8
#define PAIRS_WIDE_TWO  4
#define PAIRS_WIDE_FOUR 2
#define REAL_ROWS       4
#define REAL_VECTORS    4

#define KEEP(v) (void)(v)

#define REAL_ADD_float(sum, v, w)                                                                  \
    (v_f32) vfmaq_f32((float32x4_t)(sum), (float32x4_t)(v), (float32x4_t)(w))
#define REAL_ADD_double(sum, v, w)                                                                 \
    (real_wide_double) vfmaq_f64((float64x2_t)(sum), (float64x2_t)(v), (float64x2_t)(w))

INLINE v_u32 broadcast(const uint32_t *weight)
{
    return (v_u32)vld1q_dup_u32(weight);
}

/* smlal is four exact 16-bit products added to sums of 32 bits. The two products of a pair stand
 * side by side and are added up at the end, so that no multiplication is wasted. */
typedef struct {
    int32x4_t low, high;
} pair_sum;

INLINE void add_pairs(pair_sum *sum, v_u32 samples, v_u32 weights)
{
    int16x8_t v = (int16x8_t)samples, w = (int16x8_t)weights;
    sum->low = vmlal_s16(sum->low, vget_low_s16(v), vget_low_s16(w));
    sum->high = vmlal_high_s16(sum->high, v, w);
}

INLINE v_u32 pair_total(const pair_sum *sum)
{
    return (v_u32)vpaddq_s32(sum->low, sum->high);
}

/* Adds bytes times a weight: umlal and umlsl take the weight's absolute value. */
INLINE void add_bytes(v_u16 sum[2], v_u8 bytes, int weight)
{
    uint8x16_t v = (uint8x16_t)bytes, size = vdupq_n_u8((uint8_t)(weight < 0 ? -weight : weight));
    uint16x8_t low = (uint16x8_t)sum[0], high = (uint16x8_t)sum[1];
    if (weight >= 0) {
        low = vmlal_u8(low, vget_low_u8(v), vget_low_u8(size));
        high = vmlal_high_u8(high, v, size);
    } else {
        low = vmlsl_u8(low, vget_low_u8(v), vget_low_u8(size));
        high = vmlsl_high_u8(high, v, size);
    }
    sum[0] = (v_u16)low;
    sum[1] = (v_u16)high;
}

INLINE byte_pair load_byte_pair(const uint8_t *first, const uint8_t *second)
{
    return (byte_pair){{(v_u8)vld1q_u8(first), (v_u8)vld1q_u8(second)}};
}

INLINE void add_byte_pair(v_u16 sum[2], byte_pair pair, uint32_t weight)
{
    add_bytes(sum, pair.part[0], (int8_t)(weight & 0xff));
    if ((weight >> 8 & 0xff) != 0) /* else the tap is alone */
        add_bytes(sum, pair.part[1], (int8_t)(weight >> 8 & 0xff));
}

INLINE v_u16 multiply_high_16(v_u16 v, uint16_t factor)
{
    uint32x4_t low = vmull_n_u16(vget_low_u16((uint16x8_t)v), factor);
    uint32x4_t high = vmull_high_u16((uint16x8_t)v, vdupq_n_u16(factor));
    return (v_u16)vuzp2q_u16((uint16x8_t)low, (uint16x8_t)high);
}

INLINE v_u32 multiply_high_32(v_u32 v, uint32_t factor)
{
    uint64x2_t low = vmull_n_u32(vget_low_u32((uint32x4_t)v), factor);
    uint64x2_t high = vmull_high_u32((uint32x4_t)v, vdupq_n_u32(factor));
    return (v_u32)vuzp2q_u32((uint32x4_t)low, (uint32x4_t)high);
}

INLINE v_u8 min_u8(v_u8 a, v_u8 b)
{
    return (v_u8)vminq_u8((uint8x16_t)a, (uint8x16_t)b);
}

INLINE v_u16 min_u16(v_u16 a, v_u16 b)
{
    return (v_u16)vminq_u16((uint16x8_t)a, (uint16x8_t)b);
}

INLINE v_u8 max_u8(v_u8 a, v_u8 b)
{
    return (v_u8)vmaxq_u8((uint8x16_t)a, (uint8x16_t)b);
}

INLINE v_u16 max_u16(v_u16 a, v_u16 b)
{
    return (v_u16)vmaxq_u16((uint16x8_t)a, (uint16x8_t)b);
}

INLINE v_u8 narrow_16(v_u16 a, v_u16 b)
{
    return (v_u8)vcombine_u8(vqmovun_s16((int16x8_t)a), vqmovun_s16((int16x8_t)b));
}

INLINE v_u16 narrow_32(v_s32 a, v_s32 b, bool turned)
{
    (void)turned;
    return (v_u16)vcombine_u16(vqmovun_s32((int32x4_t)a), vqmovun_s32((int32x4_t)b));
}

INLINE v_u8 narrow_32_u8(const v_s32 v[4], bool turned)
{
    (void)turned;
    int16x8_t low = vcombine_s16(vqmovn_s32((int32x4_t)v[0]), vqmovn_s32((int32x4_t)v[1]));
    int16x8_t high = vcombine_s16(vqmovn_s32((int32x4_t)v[2]), vqmovn_s32((int32x4_t)v[3]));
    return narrow_16((v_u16)low, (v_u16)high);
}

/* Compilers widen four bytes one by one. */
INLINE v_u32 widen_u8_32(const uint8_t *in)
{
    uint32_t four;
    memcpy(&four, in, sizeof four);
    return (v_u32)vmovl_u16(vget_low_u16(vmovl_u8((uint8x8_t)vdup_n_u32(four))));
}

INLINE v_u32 widen_u16_32(const uint16_t *in)
{
    return (v_u32)vmovl_u16(vld1_u16(in));
}

#endif
