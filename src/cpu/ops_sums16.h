/* The inner loops of the method `bytes`: sums of 16 bits of bytes times int8 weights, and their
 * division to bytes. A part of cpu/ops_template.h, included once per instruction set. The order of
 * the sums: cpu/ops_vector.h. */
#ifndef STENCIL_CPU_OPS_SUMS16_H
#define STENCIL_CPU_OPS_SUMS16_H

#include "cpu/ops.h"
#include "cpu/ops_vector.h"

#define BYTE_VECTORS (CPU_BLOCK / VECTOR_BYTES)

/* Here and below, COUNT is a constant if the caller passes one: then loops are unrolled, and
 * pointers and weights stay in registers. */
INLINE void byte_sums_body(const struct cpu_byte_pairs *pairs, int count, const uint8_t *const *at,
                           uint16_t start, uint16_t *sum, int n, const uint8_t *next)
{
    const uint32_t *weights = pairs->weight;

    next = next ? next : (const uint8_t *)sum; /* fetching an invalid address is slow */
    for (int x = 0; x < n; x += CPU_BLOCK) {
        v_u16 acc[2 * BYTE_VECTORS];
        UNROLL
        for (int k = 0; k < 2 * BYTE_VECTORS; k++)
            acc[k] = start - (v_u16){0};
        __builtin_prefetch(next + x, 0, 2);
        for (int p = 0; p < count; p++) {
            const uint8_t *first = at[2 * p] + x, *second = at[2 * p + 1] + x;
            uint32_t weight = weights[p];
            UNROLL
            for (int k = 0; k < BYTE_VECTORS; k++)
                add_byte_pair(acc + 2 * k,
                              load_byte_pair(first + VECTOR_BYTES * k, second + VECTOR_BYTES * k),
                              weight);
        }
        UNROLL
        for (int k = 0; k < 2 * BYTE_VECTORS; k++)
            store(sum + x + WORDS * k, (v_u32)acc[k]);
    }
}

static void byte_sums(const struct cpu_byte_pairs *pairs, const uint8_t *const *at, uint16_t start,
                      uint16_t *sum, int n, const uint8_t *next)
{
    if (pairs->count == 2)
        byte_sums_body(pairs, 2, at, start, sum, n, next);
    else if (pairs->count == 3)
        byte_sums_body(pairs, 3, at, start, sum, n, next);
    else
        byte_sums_body(pairs, pairs->count, at, start, sum, n, next);
}

/* ---- to bytes ---- */

/* PLAIN: unsigned sums. Shifts are by 1 or more, SIGNED_SHIFT by 0 or more. */
enum divide_16_way {
    PLAIN_SHIFT,
    SIGNED_SHIFT,
    PLAIN_MULTIPLICATION,
    SIGNED_MULTIPLICATION,
    PLAIN_SUM,
};

static inline enum divide_16_way divide_16_way(const struct cpu_divide16 *divide)
{
    if (divide->factor != 0)
        return divide->is_signed ? SIGNED_MULTIPLICATION : PLAIN_MULTIPLICATION;
    if (divide->is_signed)
        return SIGNED_SHIFT;
    return divide->shift > 0 ? PLAIN_SHIFT : PLAIN_SUM;
}

/* Quotients that narrow_16 can take. */
INLINE v_u16 divide_16(const struct cpu_divide16 *divide, enum divide_16_way way, v_u16 v)
{
    if (way == SIGNED_SHIFT)
        return (v_u16)((v_s16)v >> divide->shift);
    if (way == PLAIN_SUM)
        return min_u16(v, UINT8_MAX - (v_u16){0});
    if (way == SIGNED_MULTIPLICATION)
        v &= (v_u16)((v_s16)v > 0);
    if (way != PLAIN_SHIFT)
        v = multiply_high_16(v, divide->factor);
    return v >> divide->shift;
}

/* Makes bytes from two vectors of sums. Sums have slack up to CPU_BLOCK, samples have none. */
INLINE void finish_bytes(const struct cpu_divide16 *divide, enum divide_16_way way, v_u16 a,
                         v_u16 b, uint8_t *out, int left)
{
    v_u8 bytes = narrow_16(divide_16(divide, way, a), divide_16(divide, way, b));
    store_first(out, min_u8(bytes, (uint8_t)divide->max - (v_u8){0}), left, divide->streams);
}

/* DIVIDE is passed by value: a store of bytes may alias any memory, so that a struct in memory
 * would be read again after every store. */
INLINE void divide_16_body(const struct cpu_divide16 divide, enum divide_16_way way,
                           const uint16_t *sum, uint8_t *out, int n)
{
    for (int x = 0; x < n; x += VECTOR_BYTES)
        finish_bytes(&divide, way, load_16(sum + x), load_16(sum + x + WORDS), out + x, n - x);
}

static void divide_16_u8(const struct cpu_divide16 *divide, const uint16_t *sum, uint8_t *out,
                         int n)
{
    enum divide_16_way way = divide_16_way(divide);
    if (way == PLAIN_SHIFT)
        divide_16_body(*divide, PLAIN_SHIFT, sum, out, n);
    else if (way == SIGNED_SHIFT)
        divide_16_body(*divide, SIGNED_SHIFT, sum, out, n);
    else if (way == PLAIN_MULTIPLICATION)
        divide_16_body(*divide, PLAIN_MULTIPLICATION, sum, out, n);
    else if (way == SIGNED_MULTIPLICATION)
        divide_16_body(*divide, SIGNED_MULTIPLICATION, sum, out, n);
    else
        divide_16_body(*divide, PLAIN_SUM, sum, out, n);
}

/* H = floor((gx^2 + gy^2 + add) / 4^shift) for the pair (gx, gy) of each lane. */
INLINE v_u32 squares(v_u32 pairs, uint32_t add, int shift)
{
    pair_sum sum = {0};
    add_pairs(&sum, pairs, pairs);
    return shift == 0 ? pair_total(&sum) : (pair_total(&sum) + add) >> (2 * shift);
}

/* The rounded roots of H; if a root is 256 or more, any number from 255 to 32767. The estimate of a
 * root below 256 is off by less than 2^-11 of itself, so by less than 1/8. Let n be the estimate
 * without its fraction: the rounded root is n or n + 1, and n + 1 if and only if n * (n + 1) < H.
 */
INLINE v_u16 rounded_lengths(v_u16 x, v_u16 y, uint32_t add, int shift)
{
    v_s32 h[2], root[2];
    v_u16 n;

    for (int k = 0; k < 2; k++) {
        h[k] = (v_s32)squares(pairs_16(x, y, k), add, shift);
        root[k] = __builtin_convertvector(near_root(__builtin_convertvector(h[k], v_f32)), v_s32);
    }
    n = narrow_32(root[0], root[1], true);
    return n - (v_u16)(n * (n + 1) < narrow_32(h[0], h[1], true));
}

/* GRADIENT is passed by value: see divide_16_body. */
INLINE void gradient_body(const struct cpu_gradient gradient, const uint8_t *const *at,
                          uint32_t add, int shift, uint8_t *out, int n, const uint8_t *next)
{
    const struct cpu_divide16 length = {
        .is_signed = true, .max = gradient.max, .streams = gradient.streams};
    const uint8_t *line[2 * CPU_GRADIENT_PAIRS];

    next = next ? next : at[0];
    UNROLL
    for (int k = 0; k < 2 * CPU_GRADIENT_PAIRS; k++)
        line[k] = at[k];
    for (int x = 0; x < n; x += VECTOR_BYTES) {
        v_u16 gx[2] = {{0}}, gy[2] = {{0}};
        __builtin_prefetch(next + x, 0, 2);
        UNROLL
        for (int p = 0; p < CPU_GRADIENT_PAIRS; p++) {
            const byte_pair pair = load_byte_pair(line[2 * p] + x, line[2 * p + 1] + x);
            if (p != 3)
                add_byte_pair(gx, pair, gradient.weight[0][p]);
            if (p != 2)
                add_byte_pair(gy, pair, gradient.weight[1][p]);
        }
        finish_bytes(&length, SIGNED_SHIFT, rounded_lengths(gx[0], gy[0], add, shift),
                     rounded_lengths(gx[1], gy[1], add, shift), out + x, n - x);
    }
}

/* sqrt(G) / d rounds to n or less if and only if G < ((n + 1/2) * d)^2 = d^2 * n * (n + 1) + d^2/4.
 * For H = G, floor((G + 3) / 4) or floor((G + 12) / 16), if d is 1, 2 or 4, this is H <= n * (n +
 * 1), or: sqrt(H) rounds to n or less. */
static void gradient_u8(const struct cpu_gradient *gradient, const uint8_t *const *at, uint8_t *out,
                        int n, const uint8_t *next)
{
    const int d = gradient->divisor;
    if (d == 1)
        gradient_body(*gradient, at, 0, 0, out, n, next);
    else
        gradient_body(*gradient, at, d == 2 ? 3 : 12, d / 2, out, n, next);
}

/* ---- columns ---- */

/* One vector of sums for each of ROWS rows of output (a constant). Each row reads one row below the
 * row before. OUTER_ONE: the first and the last weight are 1. */
INLINE void column_sums(const struct cpu_taps *taps, int count, int twins, bool outer_one, int rows,
                        uint16_t start, const uint16_t *const *row, int x, v_u16 *sum)
{
    UNROLL
    for (int r = 0; r < rows; r++)
        sum[r] = start - (v_u16){0};
    for (int i = 0; i < twins; i++) { /* equal weights: one multiplication */
        uint16_t weight = (uint16_t)taps->weight[i];
        UNROLL
        for (int r = 0; r < rows; r++) {
            v_u16 v = load_16(row[i + r] + x) + load_16(row[count - 1 - i + r] + x);
            sum[r] += outer_one && i == 0 ? v : v * weight;
        }
    }
    for (int i = twins; i < count - twins; i++) {
        uint16_t weight = (uint16_t)taps->weight[i];
        UNROLL
        for (int r = 0; r < rows; r++)
            sum[r] += load_16(row[i + r] + x) * weight;
    }
}

INLINE void column_body(const struct cpu_taps *taps, int count, int twins, bool outer_one, int rows,
                        enum divide_16_way way, const uint16_t *const *row, uint16_t start,
                        const struct cpu_divide16 divide, uint8_t *const *out, int n)
{
    for (int x = 0; x < n; x += VECTOR_BYTES) {
        v_u16 a[CPU_COLUMN_ROWS], b[CPU_COLUMN_ROWS];
        column_sums(taps, count, twins, outer_one, rows, start, row, x, a);
        column_sums(taps, count, twins, outer_one, rows, start, row, x + WORDS, b);
        UNROLL
        for (int r = 0; r < rows; r++)
            finish_bytes(&divide, way, a[r], b[r], out[r] + x, n - x);
    }
}

INLINE void column_rows(const struct cpu_taps *taps, int rows, const uint16_t *const *row,
                        uint16_t start, const struct cpu_divide16 *divide, uint8_t *const *out,
                        int n)
{
    enum divide_16_way way = divide_16_way(divide);
    int count = taps->count, twins = taps->twins;
    if (count == 5 && twins == 2 && taps->weight[0] == 1 && way == PLAIN_SHIFT)
        column_body(taps, 5, 2, true, rows, PLAIN_SHIFT, row, start, *divide, out, n);
    else if (count == 3 && twins == 1 && taps->weight[0] == 1 && way == PLAIN_SHIFT)
        column_body(taps, 3, 1, true, rows, PLAIN_SHIFT, row, start, *divide, out, n);
    else if (count == 3 && twins == 1 && way == PLAIN_MULTIPLICATION)
        column_body(taps, 3, 1, false, rows, PLAIN_MULTIPLICATION, row, start, *divide, out, n);
    else if (count == 5 && twins == 2 && way == PLAIN_MULTIPLICATION)
        column_body(taps, 5, 2, false, rows, PLAIN_MULTIPLICATION, row, start, *divide, out, n);
    else if (way == PLAIN_SHIFT)
        column_body(taps, count, twins, false, rows, PLAIN_SHIFT, row, start, *divide, out, n);
    else if (way == PLAIN_MULTIPLICATION)
        column_body(taps, count, twins, false, rows, PLAIN_MULTIPLICATION, row, start, *divide, out,
                    n);
    else
        column_body(taps, count, twins, false, rows, way, row, start, *divide, out, n);
}

static void column_16_u8(const struct cpu_taps *taps, const uint16_t *const *row, uint16_t start,
                         const struct cpu_divide16 *divide, uint8_t *const *out, int rows, int n)
{
    for (; rows >= 4; rows -= 4, row += 4, out += 4)
        column_rows(taps, 4, row, start, divide, out, n);
    for (; rows >= 2; rows -= 2, row += 2, out += 2)
        column_rows(taps, 2, row, start, divide, out, n);
    if (rows > 0)
        column_rows(taps, 1, row, start, divide, out, n);
}

#endif
