/* NEON's intrinsics, and what the parts of the kernels for NEON share. CPU_EMULATED: compiled for
 * tests on any processor (tests/emulated_neon.h). */
#ifndef STENCIL_CPU_NEON_H
#define STENCIL_CPU_NEON_H

#ifdef CPU_EMULATED
#include "emulated_neon.h"
#else
#include <arm_neon.h>
#endif
#include <string.h>

/* Before a loop over vectors: clang left some as loops, and so the vectors in memory. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL
#endif

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
