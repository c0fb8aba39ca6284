/* The inner loops for rank-1 masks in portable C; a part of cpu/ops_template.h,
 * included once per instruction set. Column sums read samples of the picture as they
 * are, row sums read column sums; blocks of CPU_BLOCK keep their sums in registers. */
#ifndef STENCIL_CPU_OPS_SEPARABLE_H
#define STENCIL_CPU_OPS_SEPARABLE_H

#include <string.h>

#include "cpu/ops.h"

/* Vectors of sums. Loads go through pointers because vectors this wide have no calling
 * convention of their own without AVX. */
typedef uint32_t sums_32 __attribute__((vector_size(OPS_VECTOR_BYTES)));

#ifndef OPS_WIDEN
#define OPS_WIDEN
#define WIDEN(name, sample, sums, bytes)                                                           \
    static inline void name(const sample *in, sums *out)                                           \
    {                                                                                              \
        typedef sample samples __attribute__((vector_size(bytes)));                                \
        samples v;                                                                                 \
        memcpy(&v, in, sizeof v);                                                                  \
        *out = __builtin_convertvector(v, sums);                                                   \
    }
WIDEN(widen_u8_32, uint8_t, sums_32, OPS_VECTOR_BYTES / 4)
WIDEN(widen_u16_32, uint16_t, sums_32, OPS_VECTOR_BYTES / 2)
#endif

#define LOAD(in, out) memcpy(out, in, sizeof *(out))
#define ADD_ONE(acc, get, in)                                                                      \
    do {                                                                                           \
        get(in, &v);                                                                               \
        acc += v * w;                                                                              \
    } while (0)
/* Taps i and count-1-i of the same weight: one multiplication. */
#define ADD_TWINS(acc, get, in, twin)                                                              \
    do {                                                                                           \
        get(in, &v);                                                                               \
        get(twin, &t);                                                                             \
        acc += (v + t) * w;                                                                        \
    } while (0)

/* Four vectors a block: enough independent chains, few enough for every register file. The last
 * block moves back to end at n, so that nothing outside the rows is read; shorter rows go one by
 * one. */
#define COLUMN_SUMS(name, sample, sum_type, sums, widen)                                           \
    static void name(const struct cpu_taps *taps, const void *const *row, size_t first,            \
                     sum_type *sum, int n)                                                         \
    {                                                                                              \
        const int lanes = (int)(sizeof(sums) / sizeof(sum_type)), block = 4 * lanes;               \
        for (int x = 0; n >= block && x < n; x += block) {                                         \
            sums a = {0}, b = {0}, c = {0}, d = {0}, v, t;                                         \
            x = x > n - block ? n - block : x;                                                     \
            for (int i = 0; i < taps->count - taps->twins; i++) {                                  \
                const sample *in = (const sample *)row[i] + first + x;                             \
                const sample *twin = (const sample *)row[taps->count - 1 - i] + first + x;         \
                sum_type w = (sum_type)taps->weight[i];                                            \
                if (i < taps->twins) {                                                             \
                    ADD_TWINS(a, widen, in, twin);                                                 \
                    ADD_TWINS(b, widen, in + lanes, twin + lanes);                                 \
                    ADD_TWINS(c, widen, in + 2 * lanes, twin + 2 * lanes);                         \
                    ADD_TWINS(d, widen, in + 3 * lanes, twin + 3 * lanes);                         \
                } else {                                                                           \
                    ADD_ONE(a, widen, in);                                                         \
                    ADD_ONE(b, widen, in + lanes);                                                 \
                    ADD_ONE(c, widen, in + 2 * lanes);                                             \
                    ADD_ONE(d, widen, in + 3 * lanes);                                             \
                }                                                                                  \
            }                                                                                      \
            memcpy(sum + x, &a, sizeof a);                                                         \
            memcpy(sum + x + lanes, &b, sizeof b);                                                 \
            memcpy(sum + x + 2 * lanes, &c, sizeof c);                                             \
            memcpy(sum + x + 3 * lanes, &d, sizeof d);                                             \
        }                                                                                          \
        for (int x = 0; n < block && x < n; x++) {                                                 \
            uint32_t one = 0;                                                                      \
            for (int i = 0; i < taps->count; i++)                                                  \
                one += taps->weight[i] * ((const sample *)row[i])[first + (size_t)x];              \
            sum[x] = (sum_type)one;                                                                \
        }                                                                                          \
    }
COLUMN_SUMS(column_32_u8, uint8_t, uint32_t, sums_32, widen_u8_32)
COLUMN_SUMS(column_32_u16, uint16_t, uint32_t, sums_32, widen_u16_32)

#define ROW_SUMS(name, sum_type, sums)                                                             \
    static void name(const struct cpu_taps *taps, const sum_type *column, sum_type start,          \
                     sum_type *sum, int n)                                                         \
    {                                                                                              \
        const int lanes = (int)(sizeof(sums) / sizeof(sum_type)), block = 4 * lanes;               \
        for (int x = 0; x < n; x += block) {                                                       \
            sums a, b, c, d, v, t;                                                                 \
            a = b = c = d = (sums){0} + start;                                                     \
            for (int j = 0; j < taps->count - taps->twins; j++) {                                  \
                const sum_type *in = column + x + j * taps->step;                                  \
                const sum_type *twin = column + x + (taps->count - 1 - j) * taps->step;            \
                sum_type w = (sum_type)taps->weight[j];                                            \
                if (j < taps->twins) {                                                             \
                    ADD_TWINS(a, LOAD, in, twin);                                                  \
                    ADD_TWINS(b, LOAD, in + lanes, twin + lanes);                                  \
                    ADD_TWINS(c, LOAD, in + 2 * lanes, twin + 2 * lanes);                          \
                    ADD_TWINS(d, LOAD, in + 3 * lanes, twin + 3 * lanes);                          \
                } else {                                                                           \
                    ADD_ONE(a, LOAD, in);                                                          \
                    ADD_ONE(b, LOAD, in + lanes);                                                  \
                    ADD_ONE(c, LOAD, in + 2 * lanes);                                              \
                    ADD_ONE(d, LOAD, in + 3 * lanes);                                              \
                }                                                                                  \
            }                                                                                      \
            memcpy(sum + x, &a, sizeof a);                                                         \
            memcpy(sum + x + lanes, &b, sizeof b);                                                 \
            memcpy(sum + x + 2 * lanes, &c, sizeof c);                                             \
            memcpy(sum + x + 3 * lanes, &d, sizeof d);                                             \
        }                                                                                          \
    }
ROW_SUMS(row_32, uint32_t, sums_32)

static void row_64(const struct cpu_taps64 *taps, const uint32_t *column, int64_t start,
                   int64_t *sum, int n)
{
    for (int x = 0; x < n; x += 16) {
        uint64_t acc[16];
        for (int k = 0; k < 16; k++)
            acc[k] = (uint64_t)start;
        for (int j = 0; j < taps->count; j++) {
            const uint32_t *in = column + x + j * taps->step;
            uint64_t w = (uint64_t)taps->weight[j];
            for (int k = 0; k < 16; k++)
                acc[k] += (uint64_t)(int64_t)(int32_t)in[k] * w;
        }
        memcpy(sum + x, acc, sizeof acc);
    }
}

/* ---- boxes ---- */

#define COLUMN_SLIDE(name, sample)                                                                 \
    static void name(uint32_t weight, const void *enters, const void *leaves, size_t first,        \
                     uint32_t *sum, int n)                                                         \
    {                                                                                              \
        const sample *in = (const sample *)enters + first, *out = (const sample *)leaves + first;  \
        for (int x = 0; x < n; x++)                                                                \
            sum[x] += weight * ((uint32_t)in[x] - out[x]);                                         \
    }
COLUMN_SLIDE(column_slide_u8, uint8_t)
COLUMN_SLIDE(column_slide_u16, uint16_t)

/* STEP is a constant where it is called: the running sums stay in registers. */
#define ROW_SLIDE(name, taps_type, widened, sum_type, start_type)                                  \
    static inline __attribute__((always_inline)) void name##_body(                                 \
        int step, int count, sum_type weight, const uint32_t *column, sum_type start,              \
        start_type *out, int n)                                                                    \
    {                                                                                              \
        sum_type sum[4] = {start, start, start, start};                                            \
        const uint32_t *enters = column + (count - 1) * step;                                      \
        for (int x = 0; x < (count - 1) * step; x++)                                               \
            sum[x % step] += weight * (sum_type)(widened)column[x];                                \
        for (int x = 0; x < n; x += step)                                                          \
            for (int c = 0; c < step; c++) {                                                       \
                sum[c] += weight * (sum_type)(widened)enters[x + c];                               \
                out[x + c] = (start_type)sum[c];                                                   \
                sum[c] -= weight * (sum_type)(widened)column[x + c];                               \
            }                                                                                      \
    }                                                                                              \
    static void name(const taps_type *taps, const uint32_t *column, start_type start,              \
                     start_type *out, int n)                                                       \
    {                                                                                              \
        sum_type from = (sum_type)start, weight = (sum_type)taps->weight[0];                       \
        if (taps->step == 1)                                                                       \
            name##_body(1, taps->count, weight, column, from, out, n);                             \
        else if (taps->step == 2)                                                                  \
            name##_body(2, taps->count, weight, column, from, out, n);                             \
        else if (taps->step == 3)                                                                  \
            name##_body(3, taps->count, weight, column, from, out, n);                             \
        else                                                                                       \
            name##_body(4, taps->count, weight, column, from, out, n);                             \
    }
ROW_SLIDE(row_slide_32, struct cpu_taps, uint32_t, uint32_t, uint32_t)
ROW_SLIDE(row_slide_64, struct cpu_taps64, int32_t, uint64_t, int64_t)

static void split_taps(const uint32_t *restrict column, int step, uint32_t *restrict upper,
                       uint32_t *restrict lower, int n)
{
    const uint32_t *restrict next = column + step;
    for (int x = 0; x < n; x++) {
        upper[x] = column[x] >> 16 | (next[x] & 0xffff0000);
        lower[x] = ((column[x] & 0xffff) | next[x] << 16) ^ 0x80008000;
    }
}

#endif
