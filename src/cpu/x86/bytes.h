/* The loops over bytes with the vectors of cpu/x86/vector_avx2.h or cpu/x86/vector_avx512.h; a part
 * of cpu/x86/avx2.c and cpu/x86/avx512.c. Bytes of two lines are put side by side by unpacking,
 * whose two results hold the bytes 0-7, 16-23, ... and 8-15, 24-31, ...: sums stay in that order,
 * and packing them restores the bytes' own. */
#ifndef STENCIL_CPU_X86_BYTES_H
#define STENCIL_CPU_X86_BYTES_H

#include "cpu/ops.h"

#define OPS_BYTE_SUMS   byte_sums_x86
#define OPS_DIVIDE_16   divide_16_u8_x86
#define OPS_GRADIENT_16 gradient_16_u8_x86

#define BYTE_VECTORS (CPU_BLOCK / VECTOR_BYTES)
#define WORDS        (VECTOR_BYTES / 2)

/* A vector of each line into two accumulators. */
static inline void add_pair(vector sum[2], const uint8_t *first, const uint8_t *second,
                            vector weight)
{
    vector a = load_any(first), b = load_any(second);
    vector low = V(maddubs_epi16)(V(unpacklo_epi8)(a, b), weight);
    vector high = V(maddubs_epi16)(V(unpackhi_epi8)(a, b), weight);
    sum[0] = V(add_epi16)(sum[0], low);
    sum[1] = V(add_epi16)(sum[1], high);
}

/* COUNT is a constant where the caller has one, here and below: then loops are unrolled and
 * pointers and weights stay in registers. */
static inline __attribute__((always_inline)) void byte_sums_body(const struct cpu_byte_pairs *pairs,
                                                                 int count,
                                                                 const uint8_t *const *at,
                                                                 uint16_t start, uint16_t *sum,
                                                                 int n, struct cpu_ahead ahead)
{
    /* Where nothing is wanted, what is there: an address that is none takes long to look up. */
    const char *read = ahead.read ? (const char *)ahead.read : (const char *)sum;
    const char *write = ahead.write ? (const char *)ahead.write : (const char *)sum;
    const vector from = V(set1_epi16)((short)start);
    const uint32_t *weights = pairs->weight;
    for (int x = 0; x < n; x += CPU_BLOCK) {
        vector acc[2 * BYTE_VECTORS];
        for (int k = 0; k < 2 * BYTE_VECTORS; k++)
            acc[k] = from;
        _mm_prefetch(read + x, _MM_HINT_T0);
        _mm_prefetch(write + x, _MM_HINT_T0);
        for (int p = 0; p < count; p++) {
            const uint8_t *first = at[2 * p] + x, *second = at[2 * p + 1] + x;
            vector weight = V(set1_epi32)((int)weights[p]);
            for (int k = 0; k < BYTE_VECTORS; k++)
                add_pair(acc + 2 * k, first + VECTOR_BYTES * k, second + VECTOR_BYTES * k, weight);
        }
        for (int k = 0; k < 2 * BYTE_VECTORS; k++)
            store_any(sum + x + WORDS * k, acc[k]);
    }
}

static void byte_sums_x86(const struct cpu_byte_pairs *pairs, const uint8_t *const *at,
                          uint16_t start, uint16_t *sum, int n, struct cpu_ahead ahead)
{
    if (pairs->count == 2)
        byte_sums_body(pairs, 2, at, start, sum, n, ahead);
    else if (pairs->count == 3)
        byte_sums_body(pairs, 3, at, start, sum, n, ahead);
    else
        byte_sums_body(pairs, pairs->count, at, start, sum, n, ahead);
}

/* A division in registers. (Read from memory it would be read again after every store: bytes may
 * lie anywhere.) */
struct divide_16 {
    vector floor, factor, max;
    __m128i shift;
};

static inline struct divide_16 divide_16_load(const struct cpu_divide16 *divide)
{
    struct divide_16 d;
    d.floor = V(set1_epi16)(divide->is_signed ? 0 : INT16_MIN);
    d.factor = V(set1_epi16)((short)divide->factor);
    d.max = V(set1_epi8)((char)divide->max);
    d.shift = _mm_cvtsi32_si128(divide->shift);
    return d;
}

/* SHIFT: unsigned sums over a power of two above 1, the most frequent case by far. */
enum divide_kind { DIVIDE_SHIFT, DIVIDE_POWER, DIVIDE_FACTOR };

static inline enum divide_kind divide_16_kind(const struct cpu_divide16 *divide)
{
    if (divide->factor != 0)
        return DIVIDE_FACTOR;
    return divide->is_signed || divide->shift == 0 ? DIVIDE_POWER : DIVIDE_SHIFT;
}

static inline __attribute__((always_inline)) vector divide_16(const struct divide_16 *d,
                                                              enum divide_kind kind, vector v)
{
    if (kind != DIVIDE_SHIFT) /* as int16_t, unsigned sums are all above the floor */
        v = V(max_epi16)(v, d->floor);
    if (kind == DIVIDE_FACTOR)
        v = V(mulhi_epu16)(v, d->factor);
    v = V(srl_epi16)(v, d->shift);
    if (kind == DIVIDE_POWER) /* packing would take what is above INT16_MAX for negative */
        v = V(min_epu16)(v, V(set1_epi16)(UINT8_MAX));
    return v;
}

/* Two vectors of sums to bytes; sums have slack up to CPU_BLOCK, samples have none. */
static inline __attribute__((always_inline)) void finish_bytes(const struct divide_16 *d,
                                                               enum divide_kind kind, vector a,
                                                               vector b, uint8_t *out, int left)
{
    vector bytes = V(packus_epi16)(divide_16(d, kind, a), divide_16(d, kind, b));
    store_first(out, V(min_epu8)(bytes, d->max), left);
}

static void divide_16_u8_x86(const struct cpu_divide16 *divide, const uint16_t *sum, uint8_t *out,
                             int n)
{
    const struct divide_16 d = divide_16_load(divide);
    enum divide_kind kind = divide_16_kind(divide);
    if (kind == DIVIDE_SHIFT)
        for (int x = 0; x < n; x += VECTOR_BYTES)
            finish_bytes(&d, DIVIDE_SHIFT, load_any(sum + x), load_any(sum + x + WORDS), out + x,
                         n - x);
    else if (kind == DIVIDE_POWER)
        for (int x = 0; x < n; x += VECTOR_BYTES)
            finish_bytes(&d, DIVIDE_POWER, load_any(sum + x), load_any(sum + x + WORDS), out + x,
                         n - x);
    else
        for (int x = 0; x < n; x += VECTOR_BYTES)
            finish_bytes(&d, DIVIDE_FACTOR, load_any(sum + x), load_any(sum + x + WORDS), out + x,
                         n - x);
}

/* round(sqrt(gx^2 + gy^2)) of a vector of samples, as in cpu/ops_bytes.h. */
static inline vector gradient_16(const int16_t *gx, const int16_t *gy)
{
    vector a = load_any(gx), b = load_any(gy), low, high;
    low = V(unpacklo_epi16)(a, b);
    high = V(unpackhi_epi16)(a, b);
    low = V(madd_epi16)(low, low);
    high = V(madd_epi16)(high, high);
    low = V(cvtps_epi32)(V(sqrt_ps)(V(cvtepi32_ps)(low)));
    high = V(cvtps_epi32)(V(sqrt_ps)(V(cvtepi32_ps)(high)));
    return V(packs_epi32)(low, high);
}

static void gradient_16_u8_x86(const int16_t *gx, const int16_t *gy, uint32_t max, uint8_t *out,
                               int n)
{
    /* the quotients are there: saturate, clamp, store */
    const struct cpu_divide16 one = {.is_signed = true, .max = (uint16_t)max};
    const struct divide_16 d = divide_16_load(&one);
    for (int x = 0; x < n; x += VECTOR_BYTES)
        finish_bytes(&d, DIVIDE_POWER, gradient_16(gx + x, gy + x),
                     gradient_16(gx + x + WORDS, gy + x + WORDS), out + x, n - x);
}

/* One vector of sums of ROWS rows of output, a constant: those of one lie one row of the picture
 * below those of the other. OUTER_ONE: the first and the last weight are 1. */
static inline __attribute__((always_inline)) void column_sums(const struct cpu_taps *taps,
                                                              int count, int twins, bool outer_one,
                                                              int rows, vector from,
                                                              const uint16_t *const *row, int x,
                                                              vector *sum)
{
    for (int r = 0; r < rows; r++)
        sum[r] = from;
    for (int i = 0; i < twins; i++) { /* of the same weight: one multiplication */
        vector weight = V(set1_epi16)((short)taps->weight[i]);
        for (int r = 0; r < rows; r++) {
            vector v = V(add_epi16)(load_any(row[i + r] + x), load_any(row[count - 1 - i + r] + x));
            if (!outer_one || i > 0)
                v = V(mullo_epi16)(v, weight);
            sum[r] = V(add_epi16)(sum[r], v);
        }
    }
    for (int i = twins; i < count - twins; i++) {
        vector weight = V(set1_epi16)((short)taps->weight[i]);
        for (int r = 0; r < rows; r++)
            sum[r] = V(add_epi16)(sum[r], V(mullo_epi16)(load_any(row[i + r] + x), weight));
    }
}

static inline __attribute__((always_inline)) void column_body(
    const struct cpu_taps *taps, int count, int twins, bool outer_one, int rows,
    enum divide_kind kind, const uint16_t *const *row, uint16_t start,
    const struct cpu_divide16 *divide, uint8_t *const *out, int n)
{
    const struct divide_16 d = divide_16_load(divide);
    const vector from = V(set1_epi16)((short)start);
    for (int x = 0; x < n; x += VECTOR_BYTES) {
        vector a[CPU_COLUMN_ROWS], b[CPU_COLUMN_ROWS];
        column_sums(taps, count, twins, outer_one, rows, from, row, x, a);
        column_sums(taps, count, twins, outer_one, rows, from, row, x + WORDS, b);
        for (int r = 0; r < rows; r++)
            finish_bytes(&d, kind, a[r], b[r], out[r] + x, n - x);
    }
}

static inline __attribute__((always_inline)) void column_rows(const struct cpu_taps *taps, int rows,
                                                              const uint16_t *const *row,
                                                              uint16_t start,
                                                              const struct cpu_divide16 *divide,
                                                              uint8_t *const *out, int n)
{
    enum divide_kind kind = divide_16_kind(divide);
    if (taps->count == 5 && taps->twins == 2 && taps->weight[0] == 1 && kind == DIVIDE_SHIFT)
        column_body(taps, 5, 2, true, rows, DIVIDE_SHIFT, row, start, divide, out, n);
    else if (taps->count == 3 && taps->twins == 1 && kind == DIVIDE_FACTOR)
        column_body(taps, 3, 1, false, rows, DIVIDE_FACTOR, row, start, divide, out, n);
    else if (kind == DIVIDE_SHIFT)
        column_body(taps, taps->count, taps->twins, false, rows, DIVIDE_SHIFT, row, start, divide,
                    out, n);
    else if (kind == DIVIDE_POWER)
        column_body(taps, taps->count, taps->twins, false, rows, DIVIDE_POWER, row, start, divide,
                    out, n);
    else
        column_body(taps, taps->count, taps->twins, false, rows, DIVIDE_FACTOR, row, start, divide,
                    out, n);
}

#endif
