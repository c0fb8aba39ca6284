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

/* Of sums of floats at a time. */
#define FLOATS_WIDE 2

/* V is in a register, and not loaded again where it is used. */
#define KEEP(v) __asm__("" : "+x"(v))

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

/* Half as many bytes as the vector has, widened to 16 bits. */
static inline vector words_of_bytes(const uint8_t *at)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)at));
}

/* The odd lanes of the second one, the even ones of the first. */
static inline vector odd_lanes(vector even, vector odd)
{
    return _mm256_blend_epi32(even, odd, 0xAA);
}

/* The same of 16 bits. */
static inline vector odd_words(vector even, vector odd)
{
    return _mm256_blend_epi16(even, odd, 0xAA);
}

/* Each lane / 2^shift, down. */
static inline vector shifted(vector v, int shift)
{
    return _mm256_srai_epi32(v, shift);
}

static inline vector and_bits(vector a, vector b)
{
    return _mm256_and_si256(a, b);
}

/* Four vectors of 32 bits to bytes, saturated to 0..255. */
static inline vector pack_bytes(const vector v[4])
{
    const vector order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    vector low = _mm256_packs_epi32(v[0], v[1]), high = _mm256_packs_epi32(v[2], v[3]);
    return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
}

/* A bit of each lane: is it below 0? */
static inline void store_signs(char *at, vector v)
{
    *at = (char)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

/* Two vectors of 32 bits to 16, saturated to 0..65535. */
static inline vector pack_words(vector a, vector b)
{
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), _MM_SHUFFLE(3, 1, 2, 0));
}

#endif
