/* The inner loops for AVX2, compiled with -mavx2 -mfma: those in portable C on vectors of 32 bytes,
 * with vpmaddwd (two exact products of 16 bits and their sum a lane) and vpmaddubsw (the same of
 * bytes). Nothing here may run before the processor was asked (cpu/processor.c). */
#include <immintrin.h>

#define VECTOR_BYTES 32
#define V(operation) _mm256_##operation
typedef __m256i vector;
#include "cpu/x86/vector.h"

/* Sums of two rows of output take 12 of the 16 registers. */
#define PAIRS_WIDE_ONE 8
#define PAIRS_WIDE_TWO 6
/* 3 rows in 12 registers; 2 in 8 took 1.1 times as long. */
#define REAL_ROWS    3
#define REAL_VECTORS 4

#define KEEP(v) __asm__("" : "+x"(v))

#define REAL_ADD_float(sum, v, w)                                                                  \
    (real_wide_float) _mm256_fmadd_ps((__m256)(v), (__m256)(w), (__m256)(sum))
#define REAL_ADD_double(sum, v, w)                                                                 \
    (real_wide_double) _mm256_fmadd_pd((__m256d)(v), (__m256d)(w), (__m256d)(sum))

/* From memory: from a register it takes the multiplications' ports. */
INLINE v_u32 broadcast(const uint32_t *weight)
{
    return (v_u32)_mm256_broadcast_ss((const float *)weight);
}

typedef v_u32 pair_sum;

INLINE void add_pairs(pair_sum *sum, v_u32 samples, v_u32 weights)
{
    *sum += (v_u32)_mm256_madd_epi16((vector)samples, (vector)weights);
}

INLINE v_u32 pair_total(const pair_sum *sum)
{
    return *sum;
}

INLINE v_u16 narrow_32(v_s32 a, v_s32 b)
{
    vector packed = _mm256_packus_epi32((vector)a, (vector)b);
    return (v_u16)_mm256_permute4x64_epi64(packed, _MM_SHUFFLE(3, 1, 2, 0));
}

INLINE v_u8 narrow_32_u8(const v_s32 v[4])
{
    const vector order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    vector low = _mm256_packs_epi32((vector)v[0], (vector)v[1]);
    vector high = _mm256_packs_epi32((vector)v[2], (vector)v[3]);
    return (v_u8)_mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
}

/* The compiler widens vectors by halves; the processor does it in one load. */
INLINE v_u32 widen_u8_32(const uint8_t *in)
{
    return (v_u32)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)in));
}

INLINE v_u32 widen_u16_32(const uint16_t *in)
{
    return (v_u32)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)in));
}

#define OPS_VECTORS
#define OPS_SUFFIX avx2
#include "cpu/ops_template.h"
