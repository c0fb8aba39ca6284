/* The loops for sums of 64 bits and for colour weighted by alpha with AVX2; a part of
 * cpu/x86/avx2.c. Why the quotients are right: cpu/ops_wide.h. */
#ifndef STENCIL_CPU_X86_WIDE_AVX2_H
#define STENCIL_CPU_X86_WIDE_AVX2_H

#include <immintrin.h>

#include "cpu/ops.h"

#define OPS_DIVIDE_64   divide_64_avx2
#define OPS_WEIGHTED    weighted_avx2
#define OPS_GRADIENT_32 gradient_32_avx2

/* Four int64 of 0..2^52-1: as the low bits of a double from 2^52 on. */
static inline __m256d to_double(__m256i v)
{
    const __m256i bits = _mm256_set1_epi64x(0x4330000000000000);
    return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(v, bits)), _mm256_castsi256_pd(bits));
}

static void divide_64_avx2(const struct cpu_divide *divide, const int64_t *sum, int32_t *quotient,
                           int n)
{
    const __m256i half = _mm256_set1_epi64x(divide->divisor / 2), zero = _mm256_setzero_si256();
    const __m256d inverse = _mm256_set1_pd(1.0 / (double)divide->divisor);
    const __m256d max = _mm256_set1_pd(divide->max), rest = _mm256_set1_pd(0.5);
    for (int x = 0; x < n; x += 4) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(sum + x));
        __m256d q;
        v = _mm256_add_epi64(v, half);
        v = _mm256_andnot_si256(_mm256_cmpgt_epi64(zero, v), v);
        q = _mm256_mul_pd(_mm256_add_pd(to_double(v), rest), inverse);
        _mm_storeu_si128((__m128i *)(quotient + x), _mm256_cvttpd_epi32(_mm256_min_pd(q, max)));
    }
}

static inline __m256i widen_u32(const uint32_t *at)
{
    return _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)at));
}

/* Four places: one pixel or two. */
static void weighted_avx2(const struct cpu_weighted *w, const uint32_t *plain,
                          const uint32_t *product, int32_t *quotient, int n)
{
    const __m256i place =
        w->channels == 4 ? _mm256_setr_epi64x(0, 0, 0, -1) : _mm256_setr_epi64x(0, -1, 0, -1);
    const __m256d is_alpha = _mm256_castsi256_pd(place), max = _mm256_set1_pd((double)w->max);
    const __m256d gain = _mm256_set1_pd((double)w->gain), half = _mm256_set1_pd(0.5);
    const __m256d d = _mm256_set1_pd((double)w->divisor);
    const __m256d o = _mm256_set1_pd((double)w->offset);
    const __m256d all = _mm256_set1_pd((double)w->weight_sum), zero = _mm256_setzero_pd();
    for (int x = 0; x < n; x += 4) {
        __m256i p = widen_u32(plain + x);
        p = w->channels == 4 ? _mm256_permute4x64_epi64(p, 0xff)
                             : _mm256_permute4x64_epi64(p, 0xf5);
        __m256d b = to_double(p);
        __m256d a = to_double(widen_u32(product + x));
        __m256d up = _mm256_add_pd(_mm256_mul_pd(gain, a), _mm256_mul_pd(o, b));
        __m256d down = _mm256_blendv_pd(_mm256_mul_pd(d, b), all, is_alpha);
        up = _mm256_blendv_pd(up, b, is_alpha);
        up = _mm256_add_pd(up, _mm256_floor_pd(_mm256_mul_pd(down, half)));
        __m256d q = _mm256_div_pd(_mm256_add_pd(up, half), down);
        q = _mm256_min_pd(_mm256_max_pd(q, zero), max);
        __m256d none = _mm256_andnot_pd(is_alpha, _mm256_cmp_pd(b, zero, _CMP_EQ_OQ));
        q = _mm256_blendv_pd(q, _mm256_set1_pd(-1.0), none);
        _mm_storeu_si128((__m128i *)(quotient + x), _mm256_cvttpd_epi32(q));
    }
}

static void gradient_32_avx2(const int32_t *gx, const int32_t *gy, int32_t max, int32_t *size,
                             int n)
{
    const __m256d most = _mm256_set1_pd(max);
    for (int x = 0; x < n; x += 4) {
        __m256d a = _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(gx + x)));
        __m256d b = _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(gy + x)));
        __m256d g = _mm256_add_pd(_mm256_mul_pd(a, a), _mm256_mul_pd(b, b));
        __m256d root = _mm256_min_pd(_mm256_sqrt_pd(g), most);
        __m128i r = _mm256_cvttpd_epi32(_mm256_add_pd(root, _mm256_set1_pd(0.5)));
        _mm_storeu_si128((__m128i *)(size + x), r);
    }
}

#endif
