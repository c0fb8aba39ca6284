/* The loops for sums of 64 bits and for colour weighted by alpha with AVX-512, which
 * converts 64 bits itself; a part of cpu/x86/avx512.c. Why the quotients are right:
 * cpu/ops_wide.h. */
#ifndef STENCIL_CPU_X86_WIDE_AVX512_H
#define STENCIL_CPU_X86_WIDE_AVX512_H

#include "cpu/x86/vector_avx512.h"
#include "cpu/ops.h"

#define OPS_DIVIDE_64   divide_64_avx512
#define OPS_WEIGHTED    weighted_avx512
#define OPS_GRADIENT_32 gradient_32_avx512

static inline void store_i32(int32_t *at, __m512d v)
{
    _mm256_storeu_si256((__m256i *)at, _mm512_cvttpd_epi32(v));
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

/* Eight places: two pixels or four. */
static void weighted_avx512(const struct cpu_weighted *w, const uint32_t *plain,
                            const uint32_t *product, int32_t *quotient, int n)
{
    const vector spread = w->channels == 4 ? _mm512_setr_epi64(3, 3, 3, 3, 7, 7, 7, 7)
                                           : _mm512_setr_epi64(1, 1, 3, 3, 5, 5, 7, 7);
    const __mmask8 is_alpha = w->channels == 4 ? 0x88 : 0xAA;
    const __m512d max = _mm512_set1_pd((double)w->max), half = _mm512_set1_pd(0.5);
    const __m512d gain = _mm512_set1_pd((double)w->gain), zero = {0};
    const __m512d d = _mm512_set1_pd((double)w->divisor);
    const __m512d o = _mm512_set1_pd((double)w->offset);
    const __m512d all = _mm512_set1_pd((double)w->weight_sum);
    for (int x = 0; x < n; x += 8) {
        __m512d p = _mm512_cvtepu32_pd(_mm256_loadu_si256((const __m256i *)(plain + x)));
        __m512d b = _mm512_permutexvar_pd(spread, p);
        __m512d a = _mm512_cvtepu32_pd(_mm256_loadu_si256((const __m256i *)(product + x)));
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
