/* The inner loops for columns and rows of masks of rank 1, and for every cell of other masks, in
 * portable C; a part of cpu/ops_template.h, included once per instruction set. Column sums read
 * samples of the picture as they are, row sums read column sums. */
#ifndef STENCIL_CPU_OPS_SEPARABLE_H
#define STENCIL_CPU_OPS_SEPARABLE_H

#include "cpu/ops.h"
#include "cpu/ops_vector.h"

/* ---- 32 bits ---- */

/* Vectors per block: enough independent chains, few enough for every register file. */
#define TAP_VECTORS 4
#define TAP_BLOCK   (TAP_VECTORS * LANES)

/* Loads samples of BYTES bytes; BYTES is a constant. */
INLINE v_u32 load_samples(const void *at, int index, int bytes)
{
    return bytes == 1   ? widen_u8_32((const uint8_t *)at + index)
           : bytes == 2 ? widen_u16_32((const uint16_t *)at + index)
                        : load_32((const uint32_t *)at + index);
}

/* Adds a block of samples times a weight. */
INLINE void add_tap(v_u32 sum[TAP_VECTORS], const void *in, int bytes, uint32_t weight)
{
    UNROLL
    for (int k = 0; k < TAP_VECTORS; k++)
        sum[k] += load_samples(in, k * LANES, bytes) * weight;
}

/* Adds two taps of equal weight, with one multiplication. */
INLINE void add_twins(v_u32 sum[TAP_VECTORS], const void *in, const void *twin, int bytes,
                      uint32_t weight)
{
    UNROLL
    for (int k = 0; k < TAP_VECTORS; k++)
        sum[k] +=
            (load_samples(in, k * LANES, bytes) + load_samples(twin, k * LANES, bytes)) * weight;
}

/* The last block moves back to end at n, so that nothing outside the rows is read; shorter rows are
 * summed one by one. */
INLINE void column_32(const struct cpu_taps *taps, const void *const *row, size_t first, int bytes,
                      uint32_t *sum, int n)
{
    for (int x = 0; n >= TAP_BLOCK && x < n; x += TAP_BLOCK) {
        v_u32 acc[TAP_VECTORS];
        size_t at;
        fill_32(acc, TAP_VECTORS, 0);
        x = x > n - TAP_BLOCK ? n - TAP_BLOCK : x;
        at = (first + (size_t)x) * (size_t)bytes;
        for (int i = 0; i < taps->count - taps->twins; i++) {
            const char *in = (const char *)row[i] + at;
            if (i < taps->twins)
                add_twins(acc, in, (const char *)row[taps->count - 1 - i] + at, bytes,
                          taps->weight[i]);
            else
                add_tap(acc, in, bytes, taps->weight[i]);
        }
        store_32(sum + x, acc, TAP_VECTORS);
    }
    for (int x = 0; n < TAP_BLOCK && x < n; x++) {
        size_t at = first + (size_t)x;
        sum[x] = 0;
        for (int i = 0; i < taps->count; i++)
            sum[x] += taps->weight[i] *
                      (bytes == 1 ? ((const uint8_t *)row[i])[at] : ((const uint16_t *)row[i])[at]);
    }
}

static void column_32_u8(const struct cpu_taps *taps, const void *const *row, size_t first,
                         uint32_t *sum, int n)
{
    column_32(taps, row, first, 1, sum, n);
}

static void column_32_u16(const struct cpu_taps *taps, const void *const *row, size_t first,
                          uint32_t *sum, int n)
{
    column_32(taps, row, first, 2, sum, n);
}

static void row_32(const struct cpu_taps *taps, const uint32_t *column, uint32_t start,
                   uint32_t *sum, int n)
{
    for (int x = 0; x < n; x += TAP_BLOCK) {
        v_u32 acc[TAP_VECTORS];
        fill_32(acc, TAP_VECTORS, start);
        for (int j = 0; j < taps->count - taps->twins; j++) {
            const uint32_t *in = column + x + j * taps->step;
            if (j < taps->twins)
                add_twins(acc, in, column + x + (taps->count - 1 - j) * taps->step, 4,
                          taps->weight[j]);
            else
                add_tap(acc, in, 4, taps->weight[j]);
        }
        store_32(sum + x, acc, TAP_VECTORS);
    }
}

/* Splits columns c[x] and c[x + step] into halves of 16 bits, for sums in two halves. */
static void split_taps(const uint32_t *restrict column, int step, uint32_t *restrict upper,
                       uint32_t *restrict lower, int n)
{
    const uint32_t *restrict next = column + step;
    for (int x = 0; x < n; x++) {
        upper[x] = column[x] >> 16 | (next[x] & 0xffff0000);
        lower[x] = ((column[x] & 0xffff) | next[x] << 16) ^ 0x80008000;
    }
}

/* ---- 64 bits ---- */

#define WIDE_BLOCK 16

INLINE void add_tap_64(uint64_t sum[WIDE_BLOCK], const uint32_t *restrict in, uint64_t weight)
{
    for (int k = 0; k < WIDE_BLOCK; k++)
        sum[k] += in[k] * weight;
}

static void sum_64(const struct cpu_mask *mask, const uint32_t *const *rows, uint64_t start,
                   int64_t *sum, int n)
{
    for (int x = 0; x < n; x += WIDE_BLOCK) {
        uint64_t acc[WIDE_BLOCK];
        for (int k = 0; k < WIDE_BLOCK; k++)
            acc[k] = start;
        for (int i = 0; i < mask->height; i++)
            for (int j = 0; j < mask->width; j++)
                add_tap_64(acc, rows[i] + x + j * mask->step, mask->weight64[i * mask->width + j]);
        memcpy(sum + x, acc, sizeof acc);
    }
}

#endif
