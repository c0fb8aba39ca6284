/* The loops of certified sums for 16-bit samples with AVX2; a part of cpu_avx2.c. What they
 * mean: cpu_certify16.c. Sums have slack up to CPU_BLOCK, samples and pairs have none. */
#ifndef STENCIL_CPU_AVX2_CERTIFY_H
#define STENCIL_CPU_AVX2_CERTIFY_H

#include <immintrin.h>
#include <string.h>

#include "cpu_ops.h"

#define OPS_PAIRS_U16   pairs_u16_avx2
#define OPS_CERTIFY_U16 certify_u16_avx2

static void pairs_u16_avx2(const uint16_t *upper, const uint16_t *lower, uint32_t *pair, int n)
{
    const __m256i centre = _mm256_set1_epi16(INT16_MIN);
    int x = 0;
    for (; x + 16 <= n; x += 16) {
        __m256i u = _mm256_loadu_si256((const __m256i *)(upper + x));
        __m256i l = _mm256_loadu_si256((const __m256i *)(lower + x));
        __m256i low, high, *to = (__m256i *)(pair + x);
        u = _mm256_xor_si256(u, centre);
        l = _mm256_xor_si256(l, centre);
        low = _mm256_unpacklo_epi16(u, l);
        high = _mm256_unpackhi_epi16(u, l);
        _mm256_storeu_si256(to, _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(low, high, 0x31));
    }
    for (; x < n; x++)
        pair[x] = (upper[x] | (uint32_t)lower[x] << 16) ^ 0x80008000;
}

/* The lower bounds of eight samples, before the point is taken off. */
static inline __m256i lower_bounds_at(const struct cpu_bounds *b, const uint32_t *high,
                                      const uint32_t *low)
{
    __m256i h = _mm256_loadu_si256((const __m256i *)high);
    __m256i l = _mm256_loadu_si256((const __m256i *)low);
    h = _mm256_sra_epi32(h, _mm_cvtsi32_si128(b->high_shift));
    l = _mm256_sra_epi32(l, _mm_cvtsi32_si128(b->low_shift));
    return _mm256_add_epi32(_mm256_add_epi32(h, l), _mm256_set1_epi32(b->start));
}

/* Sixteen floors, clamped. */
static inline __m256i clamped(__m256i first, __m256i second, __m128i bits, __m256i max)
{
    __m256i v = _mm256_packus_epi32(_mm256_sra_epi32(first, bits), _mm256_sra_epi32(second, bits));
    return _mm256_min_epu16(_mm256_permute4x64_epi64(v, _MM_SHUFFLE(3, 1, 2, 0)), max);
}

static void certify_u16_avx2(const struct cpu_bounds *bounds, const uint32_t *high,
                             const uint32_t *low, uint16_t *out, uint64_t *doubtful, int n)
{
    const struct cpu_bounds b = *bounds;
    const __m128i bits = _mm_cvtsi32_si128(b.bits);
    const __m256i width = _mm256_set1_epi32(b.width), max = _mm256_set1_epi16((short)b.max);
    for (int x = 0; x < n; x += 16) {
        __m256i first = lower_bounds_at(&b, high + x, low + x);
        __m256i second = lower_bounds_at(&b, high + x + 8, low + x + 8);
        __m256i below = clamped(first, second, bits, max), same;
        uint16_t last[16], differ;
        first = _mm256_add_epi32(first, width);
        second = _mm256_add_epi32(second, width);
        same = _mm256_cmpeq_epi16(below, clamped(first, second, bits, max));
        differ = (uint16_t)~_mm_movemask_epi8(
            _mm_packs_epi16(_mm256_castsi256_si128(same), _mm256_extracti128_si256(same, 1)));
        memcpy((char *)doubtful + x / 8, &differ, sizeof differ);
        _mm256_storeu_si256((__m256i *)(n - x < 16 ? last : out + x), below);
        if (n - x < 16)
            memcpy(out + x, last, (size_t)(n - x) * sizeof *out);
    }
}

#endif
