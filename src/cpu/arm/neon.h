/* NEON's intrinsics, and what the parts of the kernels for NEON share. CPU_EMULATED: compiled for
 * tests on any processor (tests/cpu/emulated_neon.h). */
#ifndef STENCIL_CPU_ARM_NEON_H
#define STENCIL_CPU_ARM_NEON_H

#ifdef CPU_EMULATED
#include "tests/cpu/emulated_neon.h"
#else
#include <arm_neon.h>
#endif
#include <stdint.h>
#include <string.h>

/* Before a loop over vectors: clang left some as loops, and so the vectors in memory. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL
#endif

/* Bytes b as int8 stand for b - BYTE_BIAS. */
#define BYTE_BIAS 0x80

/* Of entries of COUNT int8 each: what sums of biased bytes lack is BYTE_BIAS times this. */
static inline uint32_t weights_sum(const uint32_t *weight, int entries, int count)
{
    uint32_t sum = 0;
    for (int t = 0; t < entries; t++)
        for (int i = 0; i < count; i++)
            sum += (uint32_t)(int8_t)(weight[t] >> 8 * i & 0xff);
    return sum;
}

/* The weights of one tap, as often as a vector takes them. */
static inline int8x16_t load_weights(const uint32_t *at)
{
    return vreinterpretq_s8_u32(vld1q_dup_u32(at));
}

/* Sixteen numbers, saturated to 0..255. */
static inline uint8x16_t pack_16(uint16x8_t low, uint16x8_t high)
{
    return vcombine_u8(vqmovn_u16(low), vqmovn_u16(high));
}

/* Samples have no slack, and a call inside a loop would cost registers: a last block that is not
 * whole goes to LAST first, and copy_last() brings it to its place. */
#define BLOCK_MOST 32
static inline uint8_t *block_at(uint8_t *out, int x, int n, int block, uint8_t last[BLOCK_MOST])
{
    return n - x < block ? last : out + x;
}

static inline void copy_last(uint8_t *out, int n, int block, const uint8_t last[BLOCK_MOST])
{
    memcpy(out + n / block * block, last, (size_t)(n % block));
}

#endif
