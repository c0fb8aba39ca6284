/* Two rows of output from lines of pairs of bytes with AVX2; a part of cpu/x86/avx2.c. One
 * vpmaddubsw is two taps of 16 samples, and nothing is unpacked for it: the pairs stand
 * side by side in memory. Its sum of two products saturates, so that the weights of a pair
 * are at most 128 together (the caller's business). */
#ifndef STENCIL_CPU_X86_DIRECT8_AVX2_H
#define STENCIL_CPU_X86_DIRECT8_AVX2_H

#include "cpu/x86/vector_avx2.h"
#include "cpu/ops.h"

#define OPS_BYTE_PAIRS       byte_pairs_avx2
#define OPS_BYTE_TWO_ROWS    byte_two_rows_avx2
#define OPS_BYTE_TWO_ROWS_16 byte_two_rows_16_avx2

static void byte_pairs_avx2(const uint8_t *upper, const uint8_t *lower, uint16_t *pair, int n)
{
    int x = 0;
    for (; x + 32 <= n; x += 32) {
        __m256i u = load_any(upper + x), l = load_any(lower + x);
        __m256i low = _mm256_unpacklo_epi8(u, l), high = _mm256_unpackhi_epi8(u, l);
        _mm256_storeu_si256((__m256i *)(pair + x), _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256((__m256i *)(pair + x + 16), _mm256_permute2x128_si256(low, high, 0x31));
    }
    for (; x < n; x++)
        pair[x] = (uint16_t)(upper[x] | lower[x] << 8);
}

/* The products of COUNT vectors of pairs with the weights of both rows. */
static inline __attribute__((always_inline)) void add_products(const uint16_t *row, int count,
                                                               __m256i u, __m256i v, __m256i *a,
                                                               __m256i *b)
{
    for (int k = 0; k < count; k++) {
        __m256i samples = load_any(row + 16 * k);
        /* Or the compiler loads it twice, and loads are what runs out first. */
        KEEP(samples);
        a[k] = _mm256_add_epi16(a[k], _mm256_maddubs_epi16(samples, u));
        b[k] = _mm256_add_epi16(b[k], _mm256_maddubs_epi16(samples, v));
    }
}

static void byte_two_rows_16_avx2(const struct cpu_two_byte_masks *masks,
                                  const uint16_t *const *rows, uint16_t start, uint16_t *upper,
                                  uint16_t *lower, int n)
{
    const __m256i from = _mm256_set1_epi16((short)start);
    for (int x = 0; x < n; x += 64) {
        __m256i a[4] = {from, from, from, from}, b[4] = {from, from, from, from};
        int tap = 0;
        for (int p = 0; p < masks->pairs; p++) {
            const uint16_t *row = rows[p] + x;
            for (int j = 0; j < masks->width; j++, tap++, row += masks->step)
                add_products(row, 4, broadcast(masks->weight[0] + tap),
                             broadcast(masks->weight[1] + tap), a, b);
        }
        for (int k = 0; k < 4; k++) { /* to the order that unpacking leaves */
            int both = k & 2;
            __m256i u = k & 1 ? _mm256_permute2x128_si256(a[both], a[both + 1], 0x31)
                              : _mm256_permute2x128_si256(a[both], a[both + 1], 0x20);
            __m256i l = k & 1 ? _mm256_permute2x128_si256(b[both], b[both + 1], 0x31)
                              : _mm256_permute2x128_si256(b[both], b[both + 1], 0x20);
            _mm256_storeu_si256((__m256i *)(upper + x + 16 * k), u);
            _mm256_storeu_si256((__m256i *)(lower + x + 16 * k), l);
        }
    }
}

/* Sums of 32 bits of 64 samples, even and odd ones of each vector apart. */
struct wide_sums {
    __m256i even[4], odd[4];
};

/* Sums of 16 bits are added to them. */
static inline __attribute__((always_inline)) void widen_sums(bool is_signed, __m256i sum[4],
                                                             struct wide_sums *wide)
{
    for (int k = 0; k < 4; k++) {
        __m256i even, odd;
        if (is_signed) {
            even = _mm256_srai_epi32(_mm256_slli_epi32(sum[k], 16), 16);
            odd = _mm256_srai_epi32(sum[k], 16);
        } else {
            even = _mm256_blend_epi16(sum[k], _mm256_setzero_si256(), 0xAA);
            odd = _mm256_srli_epi32(sum[k], 16);
        }
        wide->even[k] = _mm256_add_epi32(wide->even[k], even);
        wide->odd[k] = _mm256_add_epi32(wide->odd[k], odd);
        sum[k] = _mm256_setzero_si256();
    }
}

static inline void store_sums(uint32_t *out, const struct wide_sums *wide)
{
    for (int k = 0; k < 4; k++) {
        __m256i low = _mm256_unpacklo_epi32(wide->even[k], wide->odd[k]);
        __m256i high = _mm256_unpackhi_epi32(wide->even[k], wide->odd[k]);
        _mm256_storeu_si256((__m256i *)(out + 16 * k), _mm256_permute2x128_si256(low, high, 0x20));
        _mm256_storeu_si256((__m256i *)(out + 16 * k + 8),
                            _mm256_permute2x128_si256(low, high, 0x31));
    }
}

/* The sums of 16 bits fill half of the registers; those of 32 stay in memory, which costs little as
 * long as many taps lie between two additions. */
static inline __attribute__((always_inline)) void two_rows_body(
    const struct cpu_two_byte_masks *masks, bool is_signed, const uint16_t *const *rows,
    uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    const __m256i zero = _mm256_setzero_si256(), from = _mm256_set1_epi32((int)start);
    for (int x = 0; x < n; x += 64) {
        __m256i a[4] = {zero, zero, zero, zero}, b[4] = {zero, zero, zero, zero};
        struct wide_sums wide[2];
        int tap = 0;
        for (int k = 0; k < 4; k++)
            wide[0].even[k] = wide[0].odd[k] = wide[1].even[k] = wide[1].odd[k] = from;
        for (int p = 0; p < masks->pairs; p++) {
            const uint16_t *row = rows[p] + x;
            for (int j = 0; j < masks->width; j++, tap++, row += masks->step) {
                add_products(row, 4, broadcast(masks->weight[0] + tap),
                             broadcast(masks->weight[1] + tap), a, b);
                if (masks->full[tap]) {
                    widen_sums(is_signed, a, &wide[0]);
                    widen_sums(is_signed, b, &wide[1]);
                }
            }
        }
        store_sums(upper + x, &wide[0]);
        store_sums(lower + x, &wide[1]);
    }
}

static void byte_two_rows_avx2(const struct cpu_two_byte_masks *masks, const uint16_t *const *rows,
                               uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    if (masks->is_signed)
        two_rows_body(masks, true, rows, start, upper, lower, n);
    else
        two_rows_body(masks, false, rows, start, upper, lower, n);
}

#endif
