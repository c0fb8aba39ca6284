/* The loops of certified sums by row and column with the vectors of cpu/x86/vector_avx2.h or
 * cpu/x86/vector_avx512.h; a part of cpu/x86/avx2.c and cpu/x86/avx512.c. What they mean:
 * cpu/near8_make.c. */
#ifndef STENCIL_CPU_X86_NEAR_H
#define STENCIL_CPU_X86_NEAR_H

#include "cpu/ops.h"

#define OPS_ROW_PAIRS        row_pairs_x86
#define OPS_CERTIFY_TWO_ROWS certify_two_rows_x86

/* Vectors of one row that are worked on at a time; the two rows come one after the other, or there
 * would not be registers enough. */
#define FOUR 4

/* COUNT is a constant where the caller has one: of lines, each with one weight. */
static inline __attribute__((always_inline)) void sum_four(vector sum[FOUR], vector start,
                                                           const uint32_t *weight, int count,
                                                           const uint32_t *const *lines,
                                                           const uint32_t *line, int step)
{
    for (int k = 0; k < FOUR; k++)
        sum[k] = start;
    for (int i = 0; i < count; i++) {
        const uint32_t *samples = lines ? lines[i] + step : line + i * step;
        vector w = broadcast(weight + i);
        for (int k = 0; k < FOUR; k++)
            sum[k] = add_pairs(sum[k], load_any(samples + LANES * k), w);
    }
}

static inline __attribute__((always_inline)) void row_pairs_body(const struct cpu_row_pairs *row,
                                                                 int taps, const uint32_t *upper,
                                                                 const uint32_t *lower,
                                                                 uint32_t *pair, int n,
                                                                 const struct cpu_ahead ahead[2])
{
    const __m128i down = _mm_cvtsi32_si128(row->shift), up = _mm_cvtsi32_si128(16 - row->shift);
    const vector start = V(set1_epi32)(row->start);
    const uint32_t *weight = row->weight;
    int step = row->step;
    const char *read[2], *write[2];

    for (int i = 0; i < 2; i++) { /* as in byte_sums: an address that is none takes long */
        read[i] = (const char *)(ahead[i].read ? ahead[i].read : (const uint8_t *)upper);
        write[i] = (const char *)(ahead[i].write ? ahead[i].write : (const uint8_t *)pair);
    }
    for (int x = 0; x < n; x += FOUR * LANES) {
        vector a[FOUR], b[FOUR];
        for (int i = 0; i < 2; i++) {
            _mm_prefetch(read[i] + x, _MM_HINT_T0);
            _mm_prefetch(write[i] + x, _MM_HINT_T0);
        }
        sum_four(a, start, weight, taps, NULL, upper + x, step);
        for (int k = 0; k < FOUR; k++)
            a[k] = V(srl_epi32)(a[k], down);
        sum_four(b, start, weight, taps, NULL, lower + x, step);
        for (int k = 0; k < FOUR; k++)
            store_any(pair + x + LANES * k, odd_words(a[k], V(sll_epi32)(b[k], up)));
    }
}

static void row_pairs_x86(const struct cpu_row_pairs *row, const uint32_t *upper,
                          const uint32_t *lower, uint32_t *pair, int n,
                          const struct cpu_ahead ahead[2])
{
    if (row->taps == 2)
        row_pairs_body(row, 2, upper, lower, pair, n, ahead);
    else if (row->taps == 3)
        row_pairs_body(row, 3, upper, lower, pair, n, ahead);
    else
        row_pairs_body(row, row->taps, upper, lower, pair, n, ahead);
}

struct bounds8 {
    vector start, mask, sure, base, max;
    __m128i bits;
};

/* Four vectors of sums to bytes, and which are doubtful. */
static inline __attribute__((always_inline)) void certify_bytes(const struct bounds8 *b,
                                                                const vector *sum, uint8_t *out,
                                                                char *doubtful, int left)
{
    vector value[FOUR];
    for (int k = 0; k < FOUR; k++) {
        value[k] = V(add_epi32)(V(srl_epi32)(sum[k], b->bits), b->base);
        store_signs(doubtful + LANES / 8 * k, V(sub_epi32)(b->sure, and_bits(sum[k], b->mask)));
    }
    store_first(out, V(min_epu8)(pack_bytes(value), b->max), left);
}

static inline __attribute__((always_inline)) void certify_two_body(
    const struct cpu_two_masks *masks, int pairs, const uint32_t *const *rows,
    const struct cpu_bounds8 *bounds, uint8_t *const out[2], uint64_t *const doubtful[2], int n)
{
    struct bounds8 c;
    c.start = V(set1_epi32)((int)bounds->start);
    c.mask = V(set1_epi32)((1 << bounds->bits) - 1);
    c.sure = V(set1_epi32)((1 << bounds->bits) - bounds->width - 1);
    c.base = V(set1_epi32)(bounds->base);
    c.max = V(set1_epi8)((char)bounds->max);
    c.bits = _mm_cvtsi32_si128(bounds->bits);

    for (int x = 0; x < n; x += FOUR * LANES)
        for (int i = 0; i < 2; i++) {
            vector sum[FOUR];
            sum_four(sum, c.start, masks->weight[i], pairs, rows, NULL, x);
            certify_bytes(&c, sum, out[i] + x, (char *)doubtful[i] + x / 8, n - x);
        }
}

static void certify_two_rows_x86(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                                 const struct cpu_bounds8 *bounds, uint8_t *const out[2],
                                 uint64_t *const doubtful[2], int n)
{
    if (masks->pairs == 2)
        certify_two_body(masks, 2, rows, bounds, out, doubtful, n);
    else if (masks->pairs == 3)
        certify_two_body(masks, 3, rows, bounds, out, doubtful, n);
    else
        certify_two_body(masks, masks->pairs, rows, bounds, out, doubtful, n);
}

#endif
