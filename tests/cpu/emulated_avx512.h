/* AVX-512 intrinsics on any processor, for tests: with -DCPU_EMULATED, src/cpu/x86/avx512.c
 * includes this file instead of the compiler's header. SIMDe provides nearly all of them in
 * portable C; this file adds what SIMDe 0.7.4 lacks, written from the instructions' definitions. */
#ifndef STENCIL_TESTS_CPU_EMULATED_AVX512_H
#define STENCIL_TESTS_CPU_EMULATED_AVX512_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <math.h>
#include <simde/x86/avx512.h>
#include <stdint.h>
#include <string.h>

/* SIMDe has a macro of this name with two arguments too many. */
#undef _mm512_madd_epi16
#define _mm512_madd_epi16(a, b) simde_mm512_madd_epi16(a, b)

typedef uint8_t __mmask8;
typedef uint16_t __mmask16;
typedef uint64_t __mmask64;

/* An operation element by element: N elements of OUT from the elements of the argument. */
#define EMULATE_EACH(name, out_vector, out_type, in_vector, in_type, n, expression)                \
    static inline out_vector name(in_vector vector_in)                                             \
    {                                                                                              \
        in_type in[n];                                                                             \
        out_type out[n];                                                                           \
        out_vector result;                                                                         \
        memcpy(in, &vector_in, sizeof in);                                                         \
        for (int i = 0; i < (n); i++) {                                                            \
            in_type v = in[i];                                                                     \
            out[i] = (out_type)(expression);                                                       \
        }                                                                                          \
        memcpy(&result, out, sizeof result);                                                       \
        return result;                                                                             \
    }

/* Zero and sign extension. */
EMULATE_EACH(_mm512_cvtepu8_epi32, __m512i, uint32_t, __m128i, uint8_t, 16, v)
EMULATE_EACH(_mm512_cvtepu8_epi16, __m512i, uint16_t, __m256i, uint8_t, 32, v)
EMULATE_EACH(_mm512_cvtepu16_epi32, __m512i, uint32_t, __m256i, uint16_t, 16, v)
EMULATE_EACH(_mm512_cvtepu32_pd, __m512d, double, __m256i, uint32_t, 8, v)

/* Conversions between integers and floats; values out of range become the smallest integer. */
#define FITS_32(v) ((v) >= -2147483648.0 && (v) < 2147483648.0)
EMULATE_EACH(_mm512_cvtepi32_ps, __m512, float, __m512i, int32_t, 16, v)
EMULATE_EACH(_mm512_cvtepi32_pd, __m512d, double, __m256i, int32_t, 8, v)
EMULATE_EACH(_mm512_cvtepi64_pd, __m512d, double, __m512i, int64_t, 8, v)
EMULATE_EACH(_mm512_cvttps_epi32, __m512i, int32_t, __m512, float, 16,
             FITS_32((double)v) ? (int32_t)v : INT32_MIN)
EMULATE_EACH(_mm512_cvtps_epi32, __m512i, int32_t, __m512, float, 16,
             FITS_32(rint((double)v)) ? (int32_t)rint((double)v) : INT32_MIN)
EMULATE_EACH(_mm512_cvttpd_epi32, __m256i, int32_t, __m512d, double, 8,
             FITS_32(trunc(v)) ? (int32_t)v : INT32_MIN)

/* Any value that is off by at most 2^-14 of itself will do: here those that are off most. */
static inline float near_inverse_root(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (float)((bits & 0x10000 ? 1 + 0x1p-14 : 1 - 0x1p-14) / sqrt((double)v));
}
EMULATE_EACH(_mm512_rsqrt14_ps, __m512, float, __m512, float, 16, near_inverse_root(v))

static inline __m512i _mm512_sra_epi32(__m512i v, __m128i count)
{
    int32_t lane[16];
    uint64_t by;
    memcpy(lane, &v, sizeof lane);
    memcpy(&by, &count, sizeof by);
    for (int i = 0; i < 16; i++)
        lane[i] >>= by > 31 ? 31 : by;
    memcpy(&v, lane, sizeof v);
    return v;
}

static inline __m512i _mm512_mulhi_epu16(__m512i a, __m512i b)
{
    uint16_t left[32], right[32];
    memcpy(left, &a, sizeof left);
    memcpy(right, &b, sizeof right);
    for (int i = 0; i < 32; i++)
        left[i] = (uint16_t)((uint32_t)left[i] * right[i] >> 16);
    memcpy(&a, left, sizeof a);
    return a;
}

static inline void _mm512_mask_storeu_epi8(void *at, __mmask64 mask, __m512i v)
{
    uint8_t byte[64];
    memcpy(byte, &v, sizeof byte);
    for (int i = 0; i < 64; i++)
        if (mask >> i & 1)
            ((uint8_t *)at)[i] = byte[i];
}

#endif
