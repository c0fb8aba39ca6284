/* The loops over bytes with AVX2; a part of cpu_avx2.c. Bytes of two lines are put side
 * by side by unpacking, whose two results hold the bytes 0-7, 16-23 and 8-15, 24-31:
 * sums stay in that order, and packing them restores the bytes' own. */
#ifndef STENCIL_CPU_AVX2_BYTES_H
#define STENCIL_CPU_AVX2_BYTES_H

#include <immintrin.h>
#include <string.h>

#include "cpu_ops.h"

#define OPS_BYTE_SUMS   byte_sums_avx2
#define OPS_DIVIDE_16   divide_16_u8_avx2
#define OPS_GRADIENT_16 gradient_16_u8_avx2
#define OPS_COLUMN_16   column_16_u8_avx2

static inline __m256i load_any(const void *at)
{
    return _mm256_loadu_si256((const __m256i *)at);
}

/* 32 bytes of each line into two accumulators. */
static inline void add_pair(__m256i sum[2], const uint8_t *first, const uint8_t *second,
                            __m256i weight)
{
    __m256i a = load_any(first), b = load_any(second);
    __m256i low = _mm256_maddubs_epi16(_mm256_unpacklo_epi8(a, b), weight);
    __m256i high = _mm256_maddubs_epi16(_mm256_unpackhi_epi8(a, b), weight);
    sum[0] = _mm256_add_epi16(sum[0], low);
    sum[1] = _mm256_add_epi16(sum[1], high);
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
    const char *read = (const char *)(ahead.read ? ahead.read : at[0]);
    const char *write = ahead.write ? (const char *)ahead.write : (const char *)sum;
    const __m256i from = _mm256_set1_epi16((short)start);
    const uint32_t *weights = pairs->weight;
    for (int x = 0; x < n; x += 64) {
        __m256i acc[4] = {from, from, from, from};
        _mm_prefetch(read + x, _MM_HINT_T0);
        _mm_prefetch(write + x, _MM_HINT_T0);
        for (int p = 0; p < count; p++) {
            const uint8_t *first = at[2 * p] + x, *second = at[2 * p + 1] + x;
            __m256i weight = _mm256_set1_epi32((int)weights[p]);
            add_pair(acc, first, second, weight);
            add_pair(acc + 2, first + 32, second + 32, weight);
        }
        for (int k = 0; k < 4; k++)
            _mm256_storeu_si256((__m256i *)(sum + x + 16 * k), acc[k]);
    }
}

static void byte_sums_avx2(const struct cpu_byte_pairs *pairs, const uint8_t *const *at,
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
    __m256i floor, factor, max;
    __m128i shift;
};

static inline struct divide_16 divide_16_load(const struct cpu_divide16 *divide)
{
    struct divide_16 d;
    d.floor = _mm256_set1_epi16(divide->is_signed ? 0 : INT16_MIN);
    d.factor = _mm256_set1_epi16((short)divide->factor);
    d.max = _mm256_set1_epi8((char)divide->max);
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

static inline __attribute__((always_inline)) __m256i divide_16(const struct divide_16 *d,
                                                               enum divide_kind kind, __m256i v)
{
    if (kind != DIVIDE_SHIFT) /* as int16_t, unsigned sums are all above the floor */
        v = _mm256_max_epi16(v, d->floor);
    if (kind == DIVIDE_FACTOR)
        v = _mm256_mulhi_epu16(v, d->factor);
    v = _mm256_srl_epi16(v, d->shift);
    if (kind == DIVIDE_POWER) /* packing would take what is above INT16_MAX for negative */
        v = _mm256_min_epu16(v, _mm256_set1_epi16(UINT8_MAX));
    return v;
}

/* 32 sums to bytes; sums have slack up to CPU_BLOCK, samples have none. */
static inline __attribute__((always_inline)) void finish_32(const struct divide_16 *d,
                                                            enum divide_kind kind, __m256i a,
                                                            __m256i b, uint8_t *out, int left)
{
    __m256i bytes = _mm256_packus_epi16(divide_16(d, kind, a), divide_16(d, kind, b));
    bytes = _mm256_min_epu8(bytes, d->max);
    if (left >= 32) {
        _mm256_storeu_si256((__m256i *)out, bytes);
    } else {
        uint8_t last[32];
        _mm256_storeu_si256((__m256i *)last, bytes);
        memcpy(out, last, (size_t)left);
    }
}

static void divide_16_u8_avx2(const struct cpu_divide16 *divide, const uint16_t *sum, uint8_t *out,
                              int n)
{
    const struct divide_16 d = divide_16_load(divide);
    enum divide_kind kind = divide_16_kind(divide);
    if (kind == DIVIDE_SHIFT)
        for (int x = 0; x < n; x += 32)
            finish_32(&d, DIVIDE_SHIFT, load_any(sum + x), load_any(sum + x + 16), out + x, n - x);
    else if (kind == DIVIDE_POWER)
        for (int x = 0; x < n; x += 32)
            finish_32(&d, DIVIDE_POWER, load_any(sum + x), load_any(sum + x + 16), out + x, n - x);
    else
        for (int x = 0; x < n; x += 32)
            finish_32(&d, DIVIDE_FACTOR, load_any(sum + x), load_any(sum + x + 16), out + x, n - x);
}

/* round(sqrt(gx^2 + gy^2)) of 16 samples, as in cpu_ops_bytes.h. */
static inline __m256i gradient_16(const int16_t *gx, const int16_t *gy)
{
    __m256i a = load_any(gx), b = load_any(gy), low, high;
    low = _mm256_unpacklo_epi16(a, b);
    high = _mm256_unpackhi_epi16(a, b);
    low = _mm256_madd_epi16(low, low);
    high = _mm256_madd_epi16(high, high);
    low = _mm256_cvtps_epi32(_mm256_sqrt_ps(_mm256_cvtepi32_ps(low)));
    high = _mm256_cvtps_epi32(_mm256_sqrt_ps(_mm256_cvtepi32_ps(high)));
    return _mm256_packs_epi32(low, high);
}

static void gradient_16_u8_avx2(const int16_t *gx, const int16_t *gy, uint32_t max, uint8_t *out,
                                int n)
{
    /* the quotients are there: saturate, clamp, store */
    const struct cpu_divide16 one = {.is_signed = true, .max = (uint16_t)max};
    const struct divide_16 d = divide_16_load(&one);
    for (int x = 0; x < n; x += 32)
        finish_32(&d, DIVIDE_POWER, gradient_16(gx + x, gy + x),
                  gradient_16(gx + x + 16, gy + x + 16), out + x, n - x);
}

/* One vector of sums of ROWS rows of output, a constant: those of one lie one row of the picture
 * below those of the other. OUTER_ONE: the first and the last weight are 1. */
static inline __attribute__((always_inline)) void column_sums(const struct cpu_taps *taps,
                                                              int count, int twins, bool outer_one,
                                                              int rows, __m256i from,
                                                              const uint16_t *const *row, int x,
                                                              __m256i *sum)
{
    for (int r = 0; r < rows; r++)
        sum[r] = from;
    for (int i = 0; i < twins; i++) { /* of the same weight: one multiplication */
        __m256i weight = _mm256_set1_epi16((short)taps->weight[i]);
        for (int r = 0; r < rows; r++) {
            __m256i v =
                _mm256_add_epi16(load_any(row[i + r] + x), load_any(row[count - 1 - i + r] + x));
            if (!outer_one || i > 0)
                v = _mm256_mullo_epi16(v, weight);
            sum[r] = _mm256_add_epi16(sum[r], v);
        }
    }
    for (int i = twins; i < count - twins; i++) {
        __m256i weight = _mm256_set1_epi16((short)taps->weight[i]);
        for (int r = 0; r < rows; r++)
            sum[r] = _mm256_add_epi16(sum[r], _mm256_mullo_epi16(load_any(row[i + r] + x), weight));
    }
}

static inline __attribute__((always_inline)) void column_body(
    const struct cpu_taps *taps, int count, int twins, bool outer_one, int rows,
    enum divide_kind kind, const uint16_t *const *row, uint16_t start,
    const struct cpu_divide16 *divide, uint8_t *const *out, int n)
{
    const struct divide_16 d = divide_16_load(divide);
    const __m256i from = _mm256_set1_epi16((short)start);
    for (int x = 0; x < n; x += 32) {
        __m256i a[CPU_COLUMN_ROWS], b[CPU_COLUMN_ROWS];
        column_sums(taps, count, twins, outer_one, rows, from, row, x, a);
        column_sums(taps, count, twins, outer_one, rows, from, row, x + 16, b);
        for (int r = 0; r < rows; r++)
            finish_32(&d, kind, a[r], b[r], out[r] + x, n - x);
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

static void column_16_u8_avx2(const struct cpu_taps *taps, const uint16_t *const *row,
                              uint16_t start, const struct cpu_divide16 *divide,
                              uint8_t *const *out, int rows, int n)
{
    if (rows == CPU_COLUMN_ROWS)
        column_rows(taps, CPU_COLUMN_ROWS, row, start, divide, out, n);
    else
        for (int r = 0; r < rows; r++)
            column_rows(taps, 1, row + r, start, divide, out + r, n);
}

#endif
