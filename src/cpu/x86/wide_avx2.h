/* The loops for sums of 64 bits and for colour weighted by alpha with AVX2; a part of
 * cpu/x86/avx2.c. Why the quotients are right: cpu/ops_wide.h; those of floats below 2^24
 * because v/D, rounded once, reaches no integer that it does not reach exactly. */
#ifndef STENCIL_CPU_X86_WIDE_AVX2_H
#define STENCIL_CPU_X86_WIDE_AVX2_H

#include <immintrin.h>

#include "cpu/ops.h"

#define OPS_ROW_64      row_64_avx2
#define OPS_DIVIDE_64   divide_64_avx2
#define OPS_WEIGHTED_32 weighted_32_avx2
#define OPS_WEIGHTED_64 weighted_64_avx2
#define OPS_GRADIENT_32 gradient_32_avx2

/* v * w of 4 int64 where v fits int32 and w is any: modulo 2^64, w = high * 2^32 + low. */
static inline __m256i multiply_64(__m256i v, __m256i low, __m256i high)
{
    __m256i sign = _mm256_and_si256(_mm256_cmpgt_epi32(_mm256_setzero_si256(), v), low);
    __m256i middle = _mm256_sub_epi64(_mm256_mul_epi32(v, high), sign);
    return _mm256_add_epi64(_mm256_mul_epu32(v, low), _mm256_slli_epi64(middle, 32));
}

/* Even and odd elements apart: vpmuldq takes every second one. */
static inline __attribute__((always_inline)) void row_64_body(const struct cpu_taps64 *taps,
                                                              bool int32, const uint32_t *column,
                                                              int64_t start, int64_t *sum, int n)
{
    for (int x = 0; x < n; x += 32) {
        __m256i even[4], odd[4];
        for (int k = 0; k < 4; k++)
            even[k] = odd[k] = _mm256_set1_epi64x(start);
        for (int j = 0; j < taps->count; j++) {
            const uint32_t *in = column + x + j * taps->step;
            __m256i w = _mm256_set1_epi64x(taps->weight[j]), high = _mm256_srli_epi64(w, 32);
            for (int k = 0; k < 4; k++) {
                __m256i v = _mm256_loadu_si256((const __m256i *)(in + 8 * k));
                __m256i u = _mm256_srli_epi64(v, 32);
                even[k] = _mm256_add_epi64(even[k], int32 ? _mm256_mul_epi32(v, w)
                                                          : multiply_64(v, w, high));
                odd[k] = _mm256_add_epi64(odd[k],
                                          int32 ? _mm256_mul_epi32(u, w) : multiply_64(u, w, high));
            }
        }
        for (int k = 0; k < 4; k++) {
            __m256i low = _mm256_unpacklo_epi64(even[k], odd[k]);
            __m256i up = _mm256_unpackhi_epi64(even[k], odd[k]);
            __m256i *to = (__m256i *)(sum + x + 8 * k);
            _mm256_storeu_si256(to, _mm256_permute2x128_si256(low, up, 0x20));
            _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(low, up, 0x31));
        }
    }
}

static void row_64_avx2(const struct cpu_taps64 *taps, const uint32_t *column, int64_t start,
                        int64_t *sum, int n)
{
    if (taps->int32)
        row_64_body(taps, true, column, start, sum, n);
    else
        row_64_body(taps, false, column, start, sum, n);
}

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

/* Eight places at a time: two pixels with four channels, four with two. */
static void weighted_32_avx2(const struct cpu_weighted *w, const int32_t *plain,
                             const int32_t *product, int32_t *quotient, int n)
{
    const __m256i spread = w->channels == 4 ? _mm256_setr_epi32(3, 3, 3, 3, 7, 7, 7, 7)
                                            : _mm256_setr_epi32(1, 1, 3, 3, 5, 5, 7, 7);
    const __m256i place = w->channels == 4 ? _mm256_setr_epi32(0, 0, 0, -1, 0, 0, 0, -1)
                                           : _mm256_setr_epi32(0, -1, 0, -1, 0, -1, 0, -1);
    const __m256 is_alpha = _mm256_castsi256_ps(place), max = _mm256_set1_ps((float)w->max);
    const __m256 gain = _mm256_set1_ps((float)w->gain), d = _mm256_set1_ps((float)w->divisor);
    const __m256 all = _mm256_set1_ps((float)w->weight_sum), half = _mm256_set1_ps(0.5f);
    const __m256i offset = _mm256_set1_epi32((int)w->plain_offset);
    for (int x = 0; x < n; x += 8) {
        __m256i p = _mm256_loadu_si256((const __m256i *)(plain + x));
        __m256i b = _mm256_sub_epi32(_mm256_permutevar8x32_epi32(p, spread), offset);
        __m256i none = _mm256_cmpeq_epi32(b, _mm256_setzero_si256());
        __m256 bf = _mm256_cvtepi32_ps(b);
        __m256 a = _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)(product + x)));
        __m256 up = _mm256_blendv_ps(_mm256_mul_ps(gain, a), bf, is_alpha);
        __m256 down = _mm256_blendv_ps(_mm256_mul_ps(d, bf), all, is_alpha);
        up = _mm256_add_ps(up, _mm256_floor_ps(_mm256_mul_ps(down, half)));
        __m256i q = _mm256_cvttps_epi32(_mm256_min_ps(_mm256_div_ps(up, down), max));
        q = _mm256_blendv_epi8(q, _mm256_or_si256(none, q), _mm256_andnot_si256(place, none));
        _mm256_storeu_si256((__m256i *)(quotient + x), q);
    }
}

/* Four places: one pixel or two. */
static void weighted_64_avx2(const struct cpu_weighted *w, const int64_t *plain,
                             const int64_t *product, int32_t *quotient, int n)
{
    const __m256i place =
        w->channels == 4 ? _mm256_setr_epi64x(0, 0, 0, -1) : _mm256_setr_epi64x(0, -1, 0, -1);
    const __m256d is_alpha = _mm256_castsi256_pd(place), max = _mm256_set1_pd((double)w->max);
    const __m256d gain = _mm256_set1_pd((double)w->gain), half = _mm256_set1_pd(0.5);
    const __m256d d = _mm256_set1_pd((double)w->divisor);
    const __m256d o = _mm256_set1_pd((double)w->offset);
    const __m256d all = _mm256_set1_pd((double)w->weight_sum), zero = _mm256_setzero_pd();
    const __m256i offset = _mm256_set1_epi64x(w->plain_offset);
    for (int x = 0; x < n; x += 4) {
        __m256i p = _mm256_loadu_si256((const __m256i *)(plain + x));
        p = w->channels == 4 ? _mm256_permute4x64_epi64(p, 0xff)
                             : _mm256_permute4x64_epi64(p, 0xf5);
        __m256d b = to_double(_mm256_sub_epi64(p, offset));
        __m256d a = to_double(_mm256_loadu_si256((const __m256i *)(product + x)));
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
