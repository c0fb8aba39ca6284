/* Vectors of 32 bytes for the loops that AVX2 and AVX-512 share (cpu/x86); a part of
 * cpu/x86/avx2.c. cpu/x86/vector_avx512.h has the same names for 64 bytes. */
#ifndef STENCIL_CPU_X86_VECTOR_AVX2_H
#define STENCIL_CPU_X86_VECTOR_AVX2_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define VECTOR_BYTES 32
#define LANES        8 /* of 32 bits */
#define V(operation) _mm256_##operation

typedef __m256i vector;
typedef __m256 floats;

/* Rows of two rows of output take 2 * WIDE of the 16 registers for their sums. */
#define WIDE 6

/* V is in a register, and not loaded again where it is used. */
#define KEEP(v) __asm__("" : "+x"(v))

/* Of the method `real`: 3 rows in 12 registers; 2 in 8 took 1.1 times as long. */
#define OPS_REAL_ROWS    3
#define OPS_REAL_VECTORS 4
#define OPS_REAL_KEEP(v) KEEP(v)
#define OPS_REAL_ADD_float(sum, v, w)                                                              \
    (real_wide_float) _mm256_fmadd_ps((__m256)(v), (__m256)(w), (__m256)(sum))
#define OPS_REAL_ADD_double(sum, v, w)                                                             \
    (real_wide_double) _mm256_fmadd_pd((__m256d)(v), (__m256d)(w), (__m256d)(sum))

static inline vector load_any(const void *at)
{
    return _mm256_loadu_si256((const __m256i *)at);
}

static inline void store_any(void *at, vector v)
{
    _mm256_storeu_si256((__m256i *)at, v);
}

/* The first BYTES of v, all of them if there are as many. */
static inline void store_first(void *at, vector v, int bytes)
{
    if (bytes >= VECTOR_BYTES) {
        store_any(at, v);
    } else {
        uint8_t last[VECTOR_BYTES];
        store_any(last, v);
        memcpy(at, last, (size_t)bytes);
    }
}

/* Broadcast from memory: from a register it takes the multiplications' ports. */
static inline vector broadcast(const uint32_t *weight)
{
    return _mm256_castps_si256(_mm256_broadcast_ss((const float *)weight));
}

static inline vector set1_64(int64_t v)
{
    return _mm256_set1_epi64x(v);
}

/* Two exact products of 16 bits a lane and their sum, added. */
static inline vector add_pairs(vector sum, vector samples, vector weights)
{
    return _mm256_add_epi32(sum, _mm256_madd_epi16(samples, weights));
}

/* The odd lanes of the second one, the even ones of the first. */
static inline vector odd_lanes(vector even, vector odd)
{
    return _mm256_blend_epi32(even, odd, 0xAA);
}

/* Four vectors of 32 bits to bytes, saturated to 0..255. */
static inline vector pack_bytes(const vector v[4])
{
    const vector order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    vector low = _mm256_packs_epi32(v[0], v[1]), high = _mm256_packs_epi32(v[2], v[3]);
    return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
}

/* Two vectors of 32 bits to 16, saturated to 0..65535. */
static inline vector pack_words(vector a, vector b)
{
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), _MM_SHUFFLE(3, 1, 2, 0));
}

#endif
