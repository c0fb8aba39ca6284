/* Sums of pairs of int16 with the vectors of cpu_avx2_vector.h or cpu_avx512_vector.h; a part of
 * cpu_avx2.c and cpu_avx512.c. */
#ifndef STENCIL_CPU_X86_SUMS_H
#define STENCIL_CPU_X86_SUMS_H

#include "cpu_ops.h"

#define OPS_SUM_PAIRS          sum_pairs_x86
#define OPS_SUM_TWO_ROWS       sum_two_rows_x86
#define OPS_SUM_TWO_PLANES     sum_two_planes_x86
#define OPS_JOIN_PLANES        join_planes_x86
#define OPS_CERTIFY_TWO_PLANES certify_two_planes_x86
#define OPS_WINDOW_SUMS        window_sums_x86

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

enum two_sums { TWO_ROWS, TWO_PLANES, JOINED };

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

/* Two sums from each load: 2 * WIDE accumulators, the two weights, and what was loaded are in
 * registers. */
static inline __attribute__((always_inline)) void sum_two(const struct cpu_two_masks *masks,
                                                          const uint32_t *const *rows, int x,
                                                          uint32_t start, enum two_sums what,
                                                          vector a[WIDE], vector b[WIDE])
{
    for (int k = 0; k < WIDE; k++)
        a[k] = b[k] = V(set1_epi32)((int)start);
    for (int p = 0; p < masks->pairs; p++) {
        const uint32_t *upper_weight = masks->weight[0] + p * masks->width;
        const uint32_t *lower_weight = masks->weight[1] + p * masks->width;
        const uint32_t *row = rows[p] + x;
        for (int j = 0; j < masks->width; j++, row += masks->step) {
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
                if (what == TWO_PLANES)
                    b[k] = V(add_epi32)(b[k], shifted(V(madd_epi16)(samples, v), CPU_PART_SHIFT));
                else
                    b[k] = add_pairs(b[k], samples, v);
            }
        }
    }
}

static inline __attribute__((always_inline)) void sum_two_body(
    const struct cpu_two_masks *masks, const uint32_t *const *rows, uint32_t start, uint32_t *upper,
    uint32_t *lower, int n, enum two_sums what, const struct cpu_join *join)
{
    for (int x = 0; x < n; x += LANES * WIDE) {
        vector a[WIDE], b[WIDE];
        sum_two(masks, rows, x, start, what, a, b);
        for (int k = 0; k < WIDE; k++) {
            store_any(upper + x + LANES * k, what == JOINED ? joined(join, a[k], b[k]) : a[k]);
            if (what != JOINED)
                store_any(lower + x + LANES * k, b[k]);
        }
    }
}

static void sum_two_rows_x86(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                             uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    sum_two_body(masks, rows, start, upper, lower, n, TWO_ROWS, NULL);
}

static void sum_two_planes_x86(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                               uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    sum_two_body(masks, rows, start, upper, lower, n, TWO_PLANES, NULL);
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

static void certify_two_planes_x86(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                                   const struct cpu_bounds *bounds, uint16_t *out,
                                   uint64_t *doubtful, int n)
{
    const struct cpu_bounds b = *bounds;
    for (int x = 0; x < n; x += LANES * WIDE) {
        vector high[WIDE], low[WIDE];
        sum_two(masks, rows, x, 0, TWO_ROWS, high, low);
        for (int k = 0; k < WIDE; k += 2) {
            int at = x + LANES * k;
            certify_words(&b, lower_bounds(&b, high[k], low[k]),
                          lower_bounds(&b, high[k + 1], low[k + 1]), out + at,
                          (char *)doubtful + at / 8, n - at);
        }
    }
}

static void join_planes_x86(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                            const struct cpu_join *join, uint32_t *pair, int n)
{
    sum_two_body(masks, rows, 0, pair, NULL, n, JOINED, join);
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
