/* The inner loops for columns and rows of masks of rank 1 in portable C; a part of
 * cpu/ops_template.h, included once per instruction set. Column sums read samples of the picture as
 * they are, row sums read column sums. */
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

/* Adds a block of samples times a weight; TWIN, if it is not NULL, is a tap of equal weight. A
 * multiplication takes as long as several additions, and the first weight is often 1. */
INLINE void add_tap(v_u32 sum[TAP_VECTORS], const void *in, const void *twin, int bytes,
                    uint32_t weight)
{
    UNROLL
    for (int k = 0; k < TAP_VECTORS; k++) {
        v_u32 v = load_samples(in, k * LANES, bytes);
        if (twin)
            v += load_samples(twin, k * LANES, bytes);
        sum[k] += weight == 1 ? v : v * weight;
    }
}

/* The last block moves back to end at n, so that nothing outside the rows is read; n is a block or
 * more. BYTES is a constant. */
INLINE void column_32_body(const struct cpu_taps *taps, const void *const *row, size_t first,
                           int bytes, uint32_t *sum, int n)
{
    for (int x = 0; x < n; x += TAP_BLOCK) {
        v_u32 acc[TAP_VECTORS];
        size_t at;
        fill_32(acc, TAP_VECTORS, 0);
        x = x > n - TAP_BLOCK ? n - TAP_BLOCK : x;
        at = (first + (size_t)x) * (size_t)bytes;
        for (int i = 0; i < taps->count - taps->twins; i++) {
            const char *in = (const char *)row[i] + at;
            if (i < taps->twins)
                add_tap(acc, in, (const char *)row[taps->count - 1 - i] + at, bytes,
                        taps->weight[i]);
            else
                add_tap(acc, in, NULL, bytes, taps->weight[i]);
        }
        store_32(sum + x, acc, TAP_VECTORS);
    }
}

static void column_32(const struct cpu_taps *taps, const void *const *row, size_t first, int bytes,
                      uint32_t *sum, int n)
{
    const struct cpu_taps five = {5, 0, 2, taps->weight}; /* constants unroll the loops */
    for (int x = 0; n < TAP_BLOCK && x < n; x++) {        /* one by one */
        size_t at = first + (size_t)x;
        sum[x] = 0;
        for (int i = 0; i < taps->count; i++)
            sum[x] += taps->weight[i] *
                      (bytes == 1 ? ((const uint8_t *)row[i])[at] : ((const uint16_t *)row[i])[at]);
    }
    if (n < TAP_BLOCK)
        return;
    if (bytes == 1)
        column_32_body(taps, row, first, 1, sum, n);
    else if (VECTOR_BYTES > 16 && taps->count == 5 && taps->twins == 2)
        column_32_body(&five, row, first, 2, sum, n);
    else
        column_32_body(taps, row, first, 2, sum, n);
}

INLINE void row_32_body(const struct cpu_taps *taps, const uint32_t *column, uint32_t start,
                        uint32_t *sum, int n)
{
    for (int x = 0; x < n; x += TAP_BLOCK) {
        v_u32 acc[TAP_VECTORS];
        fill_32(acc, TAP_VECTORS, start);
        for (int j = 0; j < taps->count - taps->twins; j++) {
            const uint32_t *in = column + x + j * taps->step;
            if (j < taps->twins)
                add_tap(acc, in, column + x + (taps->count - 1 - j) * taps->step, 4,
                        taps->weight[j]);
            else
                add_tap(acc, in, NULL, 4, taps->weight[j]);
        }
        store_32(sum + x, acc, TAP_VECTORS);
    }
}

static void row_32(const struct cpu_taps *taps, const uint32_t *column, uint32_t start,
                   uint32_t *sum, int n)
{
    const struct cpu_taps five = {5, taps->step, 2, taps->weight};
    if (VECTOR_BYTES > 16 && taps->count == 5 && taps->twins == 2)
        row_32_body(&five, column, start, sum, n);
    else
        row_32_body(taps, column, start, sum, n);
}

/* Splits sums of two rows into halves of 16 bits, for column sums in two halves. */
static void split_halves(const uint32_t *restrict first, const uint32_t *restrict second,
                         uint32_t *restrict upper, uint32_t *restrict lower, int n)
{
    for (int x = 0; x < n; x++) {
        upper[x] = first[x] >> 16 | (second[x] & 0xffff0000);
        lower[x] = ((first[x] & 0xffff) | second[x] << 16) ^ 0x80008000;
    }
}

#endif
