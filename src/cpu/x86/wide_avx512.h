/* The loops for sums of 64 bits and for colour weighted by alpha with AVX-512, which
 * multiplies and converts 64 bits itself; a part of cpu/x86/avx512.c. Why the quotients are
 * right: cpu/ops_wide.h and cpu/x86/wide_avx2.h. */
#ifndef STENCIL_CPU_X86_WIDE_AVX512_H
#define STENCIL_CPU_X86_WIDE_AVX512_H

#include "cpu/x86/vector_avx512.h"
#include "cpu/ops.h"

#define OPS_ROW_64      row_64_avx512
#define OPS_DIVIDE_64   divide_64_avx512
#define OPS_WEIGHTED_32 weighted_32_avx512
#define OPS_WEIGHTED_64 weighted_64_avx512
#define OPS_GRADIENT_32 gradient_32_avx512

static inline vector widen_i32_64(const void *at)
{
    return _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)at));
}

static inline void store_i32(int32_t *at, __m512d v)
{
    _mm256_storeu_si256((__m256i *)at, _mm512_cvttpd_epi32(v));
}

static inline __attribute__((always_inline)) void row_64_body(const struct cpu_taps64 *taps,
                                                              bool int32, const uint32_t *column,
                                                              int64_t start, int64_t *sum, int n)
{
    for (int x = 0; x < n; x += CPU_BLOCK) {
        vector acc[8];
        for (int k = 0; k < 8; k++)
            acc[k] = _mm512_set1_epi64(start);
        for (int j = 0; j < taps->count; j++) {
            const uint32_t *in = column + x + j * taps->step;
            vector w = _mm512_set1_epi64(taps->weight[j]);
            for (int k = 0; k < 8; k++) {
                vector v = widen_i32_64(in + 8 * k);
                v = int32 ? _mm512_mul_epi32(v, w) : _mm512_mullo_epi64(v, w);
                acc[k] = _mm512_add_epi64(acc[k], v);
            }
        }
        for (int k = 0; k < 8; k++)
            store_any(sum + x + 8 * k, acc[k]);
    }
}

static void row_64_avx512(const struct cpu_taps64 *taps, const uint32_t *column, int64_t start,
                          int64_t *sum, int n)
{
    if (taps->int32)
        row_64_body(taps, true, column, start, sum, n);
    else
        row_64_body(taps, false, column, start, sum, n);
}

static void divide_64_avx512(const struct cpu_divide *divide, const int64_t *sum, int32_t *quotient,
                             int n)
{
    const vector half = _mm512_set1_epi64(divide->divisor / 2), zero = {0};
    const __m512d inverse = _mm512_set1_pd(1.0 / (double)divide->divisor);
    const __m512d max = _mm512_set1_pd(divide->max), rest = _mm512_set1_pd(0.5);
    for (int x = 0; x < n; x += 8) {
        vector v = _mm512_max_epi64(_mm512_add_epi64(load_any(sum + x), half), zero);
        __m512d q = _mm512_mul_pd(_mm512_add_pd(_mm512_cvtepi64_pd(v), rest), inverse);
        store_i32(quotient + x, _mm512_min_pd(q, max));
    }
}

/* Sixteen places at a time: four pixels with four channels, eight with two. */
static void weighted_32_avx512(const struct cpu_weighted *w, const int32_t *plain,
                               const int32_t *product, int32_t *quotient, int n)
{
    const vector spread =
        w->channels == 4 ? _mm512_setr_epi32(3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15)
                         : _mm512_setr_epi32(1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15);
    const __mmask16 is_alpha = w->channels == 4 ? 0x8888 : 0xAAAA;
    const floats max = _mm512_set1_ps((float)w->max), half = _mm512_set1_ps(0.5f);
    const floats gain = _mm512_set1_ps((float)w->gain), d = _mm512_set1_ps((float)w->divisor);
    const floats all = _mm512_set1_ps((float)w->weight_sum);
    const vector offset = _mm512_set1_epi32((int)w->plain_offset), zero = {0};
    for (int x = 0; x < n; x += 16) {
        vector b = _mm512_permutexvar_epi32(spread, load_any(plain + x));
        b = _mm512_sub_epi32(b, offset);
        floats bf = _mm512_cvtepi32_ps(b);
        floats a = _mm512_cvtepi32_ps(load_any(product + x));
        floats up = _mm512_mask_blend_ps(is_alpha, _mm512_mul_ps(gain, a), bf);
        floats down = _mm512_mask_blend_ps(is_alpha, _mm512_mul_ps(d, bf), all);
        up = _mm512_add_ps(up, _mm512_floor_ps(_mm512_mul_ps(down, half)));
        vector q = _mm512_cvttps_epi32(_mm512_min_ps(_mm512_div_ps(up, down), max));
        __mmask16 none = _mm512_cmpeq_epi32_mask(b, zero) & (__mmask16)~is_alpha;
        store_any(quotient + x, _mm512_mask_blend_epi32(none, q, _mm512_set1_epi32(-1)));
    }
}

/* Eight places: two pixels or four. */
static void weighted_64_avx512(const struct cpu_weighted *w, const int64_t *plain,
                               const int64_t *product, int32_t *quotient, int n)
{
    const vector spread = w->channels == 4 ? _mm512_setr_epi64(3, 3, 3, 3, 7, 7, 7, 7)
                                           : _mm512_setr_epi64(1, 1, 3, 3, 5, 5, 7, 7);
    const __mmask8 is_alpha = w->channels == 4 ? 0x88 : 0xAA;
    const __m512d max = _mm512_set1_pd((double)w->max), half = _mm512_set1_pd(0.5);
    const __m512d gain = _mm512_set1_pd((double)w->gain), zero = {0};
    const __m512d d = _mm512_set1_pd((double)w->divisor);
    const __m512d o = _mm512_set1_pd((double)w->offset);
    const __m512d all = _mm512_set1_pd((double)w->weight_sum);
    const vector offset = _mm512_set1_epi64(w->plain_offset);
    for (int x = 0; x < n; x += 8) {
        vector p = _mm512_permutexvar_epi64(spread, load_any(plain + x));
        __m512d b = _mm512_cvtepi64_pd(_mm512_sub_epi64(p, offset));
        __m512d a = _mm512_cvtepi64_pd(load_any(product + x));
        __m512d up = _mm512_add_pd(_mm512_mul_pd(gain, a), _mm512_mul_pd(o, b));
        __m512d down = _mm512_mask_blend_pd(is_alpha, _mm512_mul_pd(d, b), all);
        up = _mm512_mask_blend_pd(is_alpha, up, b);
        up = _mm512_add_pd(up, _mm512_floor_pd(_mm512_mul_pd(down, half)));
        __m512d q = _mm512_div_pd(_mm512_add_pd(up, half), down);
        q = _mm512_min_pd(_mm512_max_pd(q, zero), max);
        __mmask8 none = _mm512_cmp_pd_mask(b, zero, _CMP_EQ_OQ) & (__mmask8)~is_alpha;
        store_i32(quotient + x, _mm512_mask_blend_pd(none, q, _mm512_set1_pd(-1.0)));
    }
}

static void gradient_32_avx512(const int32_t *gx, const int32_t *gy, int32_t max, int32_t *size,
                               int n)
{
    const __m512d most = _mm512_set1_pd(max), half = _mm512_set1_pd(0.5);
    for (int x = 0; x < n; x += 8) {
        __m512d a = _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)(gx + x)));
        __m512d b = _mm512_cvtepi32_pd(_mm256_loadu_si256((const __m256i *)(gy + x)));
        __m512d g = _mm512_add_pd(_mm512_mul_pd(a, a), _mm512_mul_pd(b, b));
        store_i32(size + x, _mm512_add_pd(_mm512_min_pd(_mm512_sqrt_pd(g), most), half));
    }
}

#endif
