/* Vectors of 64 bytes for the loops that AVX2 and AVX-512 share (cpu/x86); a part of
 * cpu/x86/avx512.c, and what cpu/x86/vector_avx2.h is to AVX2. CPU_EMULATED: see cpu/x86/avx512.c.
 */
#ifndef STENCIL_CPU_X86_VECTOR_AVX512_H
#define STENCIL_CPU_X86_VECTOR_AVX512_H

#ifdef CPU_EMULATED
#include "tests/cpu/emulated_avx512.h"
#else
#include <immintrin.h>
#endif
#include <stdint.h>
#include <string.h>

#define VECTOR_BYTES 64
#define LANES        16 /* of 32 bits */
#define V(operation) _mm512_##operation

typedef __m512i vector;
typedef __m512 floats;

/* 2 * WIDE sums in registers hide vpdpwssd's latency while loads, most of which touch two cache
 * lines, take as long. */
#define WIDE 4

/* V is in a register, and not loaded again where it is used. */
#ifdef CPU_EMULATED
#define KEEP(v) (void)(v)
#else
#define KEEP(v) __asm__("" : "+v"(v))
#endif

/* Of the method `real`: 4 rows in 16 registers. */
#define OPS_REAL_ROWS    4
#define OPS_REAL_VECTORS 4
#define OPS_REAL_KEEP(v) KEEP(v)
#define OPS_REAL_ADD_float(sum, v, w)                                                              \
    (real_wide_float) _mm512_fmadd_ps((__m512)(v), (__m512)(w), (__m512)(sum))
#define OPS_REAL_ADD_double(sum, v, w)                                                             \
    (real_wide_double) _mm512_fmadd_pd((__m512d)(v), (__m512d)(w), (__m512d)(sum))

static inline vector load_any(const void *at)
{
    return _mm512_loadu_si512(at);
}

static inline void store_any(void *at, vector v)
{
    _mm512_storeu_si512(at, v);
}

/* The first BYTES of v, all of them if there are as many. */
static inline void store_first(void *at, vector v, int bytes)
{
    if (bytes >= VECTOR_BYTES)
        store_any(at, v);
    else
        _mm512_mask_storeu_epi8(at, ((__mmask64)1 << bytes) - 1, v);
}

/* Broadcast from memory: from a register it takes a port of the multiplications, and the compiler
 * does that where it has the weight in one. */
static inline vector broadcast(const uint32_t *weight)
{
#ifdef CPU_EMULATED
    return _mm512_set1_epi32((int)*weight);
#else
    vector v;
    __asm__("vpbroadcastd %1, %0" : "=v"(v) : "m"(*weight));
    return v;
#endif
}

static inline vector set1_64(int64_t v)
{
    return _mm512_set1_epi64(v);
}

/* Two exact products of 16 bits a lane and their sum, added modulo 2^32. Of the intrinsic gcc 12
 * makes a copy of the sum before each and one after it, and has no registers left for the sums. */
static inline vector add_pairs(vector sum, vector samples, vector weights)
{
#ifdef CPU_EMULATED
    return _mm512_dpwssd_epi32(sum, samples, weights);
#else
    __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(samples), "v"(weights));
    return sum;
#endif
}

/* The odd lanes of the second one, the even ones of the first. */
static inline vector odd_lanes(vector even, vector odd)
{
    return _mm512_mask_blend_epi32(0xAAAA, even, odd);
}

/* Four vectors of 32 bits to bytes, saturated to 0..255. */
static inline vector pack_bytes(const vector v[4])
{
    const vector order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    vector low = _mm512_packs_epi32(v[0], v[1]), high = _mm512_packs_epi32(v[2], v[3]);
    return _mm512_permutexvar_epi32(order, _mm512_packus_epi16(low, high));
}

/* Two vectors of 32 bits to 16, saturated to 0..65535. */
static inline vector pack_words(vector a, vector b)
{
    const vector order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    return _mm512_permutexvar_epi64(order, _mm512_packus_epi32(a, b));
}

#endif
