/* Sums of pairs of int16 with the vectors of cpu/x86/vector_avx2.h or cpu/x86/vector_avx512.h; a
 * part of cpu/x86/avx2.c and cpu/x86/avx512.c. */
#ifndef STENCIL_CPU_X86_SUMS_H
#define STENCIL_CPU_X86_SUMS_H

#include "cpu/ops.h"

#define OPS_SUM_PAIRS          sum_pairs_x86
#define OPS_SUM_TWO_ROWS       sum_two_rows_x86
#define OPS_JOIN_PLANES        join_planes_x86
#define OPS_CERTIFY_TWO_PLANES certify_two_planes_x86
#define OPS_WINDOW_SUMS        window_sums_x86
#define OPS_EXACT_SUM          exact_sum_x86

#define CHAINS (CPU_BLOCK / LANES)

/* A block of accumulators: with AVX2 enough independent chains to hide vpmaddwd's latency. */
static void sum_pairs_x86(const struct cpu_mask *mask, const uint32_t *const *rows, uint32_t start,
                          int32_t *sum, int n)
{
    int pairs = (mask->height + 1) / 2;
    for (int x = 0; x < n; x += CPU_BLOCK) {
        vector acc[CHAINS];
        for (int k = 0; k < CHAINS; k++)
            acc[k] = V(set1_epi32)((int)start);
        for (int p = 0; p < pairs; p++) {
            const uint32_t *weight = mask->pair + p * mask->width;
            const uint32_t *row = rows[p] + x;
            for (int j = 0; j < mask->width; j++, row += mask->step) {
                vector w = V(set1_epi32)((int)weight[j]);
                for (int k = 0; k < CHAINS; k++)
                    acc[k] = add_pairs(acc[k], load_any(row + LANES * k), w);
            }
        }
        for (int k = 0; k < CHAINS; k++)
            store_any(sum + x + LANES * k, acc[k]);
    }
}

/* The two sums of a vector of samples to pairs. */
static inline vector joined(const struct cpu_join *join, vector high, vector low)
{
    const vector half = V(set1_epi32)(1 << (join->bits - 1));
    const vector mask = V(set1_epi32)((1 << join->bits) - 1);
    vector sum = V(sra_epi32)(high, _mm_cvtsi32_si128(join->high_shift));
    sum = V(add_epi32)(sum, V(sra_epi32)(low, _mm_cvtsi32_si128(join->low_shift)));
    sum = V(add_epi32)(sum, half);
    low = V(sub_epi32)(and_bits(sum, mask), half);
    high = V(sll_epi32)(sum, _mm_cvtsi32_si128(16 - join->bits));
    return odd_words(low, high);
}

/* Adds the products of TAPS taps to two sums. 2 * WIDE accumulators, the two weights, and what was
 * loaded are in registers. */
static inline __attribute__((always_inline)) void add_taps(const uint32_t *row, int step,
                                                           const uint32_t *upper_weight,
                                                           const uint32_t *lower_weight, int taps,
                                                           vector a[WIDE], vector b[WIDE])
{
    for (int j = 0; j < taps; j++, row += step) {
        vector u, v;
        if ((upper_weight[j] | lower_weight[j]) == 0)
            continue;
        u = broadcast(upper_weight + j);
        v = broadcast(lower_weight + j);
        for (int k = 0; k < WIDE; k++) {
            vector samples = load_any(row + LANES * k);
            /* Or the compiler loads it twice, and loads are what runs out first. */
            KEEP(samples);
            a[k] = add_pairs(a[k], samples, u);
            b[k] = add_pairs(b[k], samples, v);
        }
    }
}

/* GROUP: as certify_two_planes has it. */
static inline __attribute__((always_inline)) void sum_two(const struct cpu_two_masks *masks,
                                                          int group, const uint32_t *const *rows,
                                                          int x, uint32_t start, vector a[WIDE],
                                                          vector b[WIDE])
{
    int width = masks->width;

    for (int k = 0; k < WIDE; k++)
        a[k] = b[k] = V(set1_epi32)((int)start);
    for (int p = 0; p < masks->pairs; p++) {
        const uint32_t *upper = masks->weight[0] + p * width;
        const uint32_t *lower = masks->weight[1] + p * width;
        const uint32_t *row = rows[p] + x;
        if (group == 0)
            add_taps(row, masks->step, upper, lower, width, a, b);
        for (int j = 0; group > 0 && j < width; j += group) {
            vector part[WIDE];
            for (int k = 0; k < WIDE; k++)
                part[k] = V(set1_epi32)(0);
            add_taps(row + j * masks->step, masks->step, upper + j, lower + j,
                     width - j < group ? width - j : group, a, part);
            for (int k = 0; k < WIDE; k++)
                b[k] = V(add_epi32)(b[k], shifted(part[k], CPU_PART_SHIFT));
        }
    }
}

static void sum_two_rows_x86(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                             uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    for (int x = 0; x < n; x += LANES * WIDE) {
        vector a[WIDE], b[WIDE];
        sum_two(masks, 0, rows, x, start, a, b);
        for (int k = 0; k < WIDE; k++) {
            store_any(upper + x + LANES * k, a[k]);
            store_any(lower + x + LANES * k, b[k]);
        }
    }
}

static void join_planes_x86(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                            const struct cpu_join *join, uint32_t *pair, int n)
{
    for (int x = 0; x < n; x += LANES * WIDE) {
        vector a[WIDE], b[WIDE];
        sum_two(masks, 0, rows, x, 0, a, b);
        for (int k = 0; k < WIDE; k++)
            store_any(pair + x + LANES * k, joined(join, a[k], b[k]));
    }
}

/* The lower bounds of a vector of samples, before the point is taken off. */
static inline vector lower_bounds(const struct cpu_bounds *b, vector high, vector low)
{
    vector sum = V(sra_epi32)(high, _mm_cvtsi32_si128(b->high_shift));
    sum = V(add_epi32)(sum, V(sra_epi32)(low, _mm_cvtsi32_si128(b->low_shift)));
    return V(add_epi32)(sum, V(set1_epi32)(b->start));
}

/* Their floors, and whether the bounds' differ. */
static inline __attribute__((always_inline)) void certify_words(const struct cpu_bounds *b,
                                                                vector first, vector second,
                                                                uint16_t *out, char *doubtful,
                                                                int left)
{
    const vector mask = V(set1_epi32)((1 << b->bits) - 1);
    const vector sure = V(set1_epi32)((1 << b->bits) - 1 - b->width);
    const __m128i bits = _mm_cvtsi32_si128(b->bits);
    vector words = pack_words(V(sra_epi32)(first, bits), V(sra_epi32)(second, bits));

    if (left > 0)
        store_first(out, V(min_epu16)(words, V(set1_epi16)((short)b->max)), 2 * left);
    store_signs(doubtful, V(sub_epi32)(sure, and_bits(first, mask)));
    store_signs(doubtful + LANES / 8, V(sub_epi32)(sure, and_bits(second, mask)));
}

static inline __attribute__((always_inline)) void certify_two_planes_body(
    const struct cpu_two_masks *masks, int group, const uint32_t *const *rows,
    const struct cpu_bounds *bounds, uint16_t *out, uint64_t *doubtful, int n)
{
    const struct cpu_bounds b = *bounds;
    for (int x = 0; x < n; x += LANES * WIDE) {
        vector high[WIDE], low[WIDE];
        sum_two(masks, group, rows, x, 0, high, low);
        for (int k = 0; k < WIDE; k += 2) {
            int at = x + LANES * k;
            certify_words(&b, lower_bounds(&b, high[k], low[k]),
                          lower_bounds(&b, high[k + 1], low[k + 1]), out + at,
                          (char *)doubtful + at / 8, n - at);
        }
    }
}

static void certify_two_planes_x86(const struct cpu_two_masks *masks, int group,
                                   const uint32_t *const *rows, const struct cpu_bounds *bounds,
                                   uint16_t *out, uint64_t *doubtful, int n)
{
    if (group == 0)
        certify_two_planes_body(masks, 0, rows, bounds, out, doubtful, n);
    else
        certify_two_planes_body(masks, group, rows, bounds, out, doubtful, n);
}

/* A tap's digits side by side, each with both of its samples. */
static int64_t exact_sum_x86(const struct cpu_exact *exact, const uint32_t *const *rows, int x)
{
    __m128i low = _mm_setzero_si128(), high = low;
    int64_t sum[CPU_DIGITS];
    uint64_t all = 0;

    for (int p = 0; p < exact->pairs; p++) {
        const uint32_t *digits = exact->digits + p * exact->width * CPU_DIGITS;
        const uint32_t *row = rows[p] + x;
        for (int j = 0, end; j < exact->width; j = end) {
            __m128i part = _mm_setzero_si128();
            end = j + 15 < exact->width ? j + 15 : exact->width;
            for (int k = j; k < end; k++) {
                __m128i samples = _mm_set1_epi32((int)row[k * exact->step]);
                __m128i weights = _mm_loadu_si128((const __m128i *)(digits + k * CPU_DIGITS));
                part = _mm_add_epi32(part, _mm_madd_epi16(samples, weights));
            }
            low = _mm_add_epi64(low, _mm_cvtepi32_epi64(part));
            high = _mm_add_epi64(high, _mm_cvtepi32_epi64(_mm_unpackhi_epi64(part, part)));
        }
    }
    _mm_storeu_si128((__m128i *)sum, low);
    _mm_storeu_si128((__m128i *)(sum + 2), high);
    for (int k = 0; k < CPU_DIGITS; k++)
        all += (uint64_t)sum[k] << k * CPU_DIGIT_BITS;
    return (int64_t)all;
}

/* The sum of all lanes of four vectors, modulo 2^32. */
static inline int32_t sum_lanes(const vector v[4])
{
    int32_t lane[LANES], sum = 0;
    store_any(lane, V(add_epi32)(V(add_epi32)(v[0], v[1]), V(add_epi32)(v[2], v[3])));
    for (int k = 0; k < LANES; k++)
        sum = (int32_t)((uint32_t)sum + (uint32_t)lane[k]);
    return sum;
}

/* Four rows at a time are chains enough to hide the additions' latency. */
static void window_sums_x86(const struct cpu_window *window, const uint8_t *const *row, int first,
                            int32_t sum[2])
{
    const int16_t *weight = window->weight;
    vector a[CPU_WINDOW_ROWS], b[CPU_WINDOW_ROWS];

    for (int k = 0; k < CPU_WINDOW_ROWS; k++)
        a[k] = b[k] = V(set1_epi32)(0);
    for (int i = 0; i < window->height; i += CPU_WINDOW_ROWS)
        for (int x = first; x < first + window->length; x += CPU_WINDOW_BYTES)
            for (int k = 0; k < CPU_WINDOW_ROWS; k++, weight += 2 * CPU_WINDOW_BYTES)
                for (int half = 0; half < CPU_WINDOW_BYTES; half += 2 * LANES) {
                    vector samples = words_of_bytes(row[i + k] + x + half);
                    const int16_t *second = weight + CPU_WINDOW_BYTES + half;
                    a[k] = add_pairs(a[k], samples, load_any(weight + half));
                    b[k] = add_pairs(b[k], samples, load_any(second));
                }
    sum[0] = sum_lanes(a);
    sum[1] = sum_lanes(b);
}

#endif
