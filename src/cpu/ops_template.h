/* The inner loops in portable C, included once per instruction set (parameters:
 * OPS_SUFFIX, OPS_VECTOR_BYTES, and OPS_SUM_PAIRS and so on when the file brings its
 * own). Vectors are the compiler's (vector_size), written 32 bytes wide unless
 * OPS_VECTOR_BYTES says so: with AVX2 one register, without it two of SSE2 or NEON.
 * Accumulators stay in registers over all taps of a block; that, not the instruction
 * set, is most of the speed. */
#include <string.h>

#ifndef OPS_VECTOR_BYTES
#define OPS_VECTOR_BYTES 32
#endif

#include "cpu/ops.h"
#include "cpu/ops_bytes.h"
#include "cpu/ops_divide.h"
#include "cpu/ops_fft.h"
#include "cpu/ops_separable.h"
#include "cpu/ops_runs.h"

#ifndef OPS_REAL_ROWS
#define OPS_REAL_ROWS    2
#define OPS_REAL_VECTORS 4
#endif
#ifndef OPS_REAL_BYTES
#define OPS_REAL_BYTES OPS_VECTOR_BYTES
#endif
#ifndef OPS_REAL_ADD_float
#define OPS_REAL_KEEP(v)               (void)0
#define OPS_REAL_ADD_float(sum, v, w)  ((sum) + (v) * (w))
#define OPS_REAL_ADD_double(sum, v, w) ((sum) + (v) * (w))
#endif
#define REAL          float
#define REAL_BITS     int32_t
#define REAL_LANES    8
#define REAL_SPREAD_4 3, 3, 3, 3, 7, 7, 7, 7
#define REAL_SPREAD_2 1, 1, 3, 3, 5, 5, 7, 7
#include "cpu/ops_real.h"
#define REAL          double
#define REAL_BITS     int64_t
#define REAL_LANES    4
#define REAL_SPREAD_4 3, 3, 3, 3
#define REAL_SPREAD_2 1, 1, 3, 3
#include "cpu/ops_real.h"

#define LANES_32 (OPS_VECTOR_BYTES / 4)
#define LANES_64 (OPS_VECTOR_BYTES / 8)

/* Multiply-add of the samples at any address. Results go through a pointer because vectors this
 * wide have no calling convention of their own without AVX. */
static inline void add_32(sums_32 *sum, const uint32_t *samples, uint32_t weight)
{
    sums_32 v;
    memcpy(&v, samples, sizeof v);
    *sum += v * weight;
}

#ifndef OPS_SUM_PAIRS
#define OPS_SUM_PAIRS sum_pairs_plain
/* One lane: the two int16 products of a pair. Samples are within -32768..65535-32768, weights
 * within int16, so each product fits int32; their sum may wrap, exactly. */
static inline uint32_t pair_product(uint32_t sample, uint32_t weight)
{
    int32_t low = (int16_t)(uint16_t)sample * (int16_t)(uint16_t)weight;
    int32_t high = (int16_t)(uint16_t)(sample >> 16) * (int16_t)(uint16_t)(weight >> 16);
    return (uint32_t)low + (uint32_t)high;
}

static void sum_pairs_plain(const struct cpu_mask *mask, const uint32_t *const *rows,
                            uint32_t start, int32_t *sum, int n)
{
    int pairs = (mask->height + 1) / 2;
    for (int x = 0; x < n; x += CPU_BLOCK) {
        uint32_t acc[CPU_BLOCK];
        for (int k = 0; k < CPU_BLOCK; k++)
            acc[k] = start;
        for (int p = 0; p < pairs; p++)
            for (int j = 0; j < mask->width; j++) {
                const uint32_t *row = rows[p] + x + j * mask->step;
                uint32_t w = mask->pair[p * mask->width + j];
                if (w != 0)
                    for (int k = 0; k < CPU_BLOCK; k++)
                        acc[k] += pair_product(row[k], w);
            }
        memcpy(sum + x, acc, sizeof acc);
    }
}

static void sum_two_rows_plain(const struct cpu_two_masks *masks, const uint32_t *const *rows,
                               uint32_t start, uint32_t *upper, uint32_t *lower, int n)
{
    uint32_t *sum[2] = {upper, lower};
    for (int k = 0; k < 2; k++) {
        struct cpu_mask mask = {.width = masks->width,
                                .height = 2 * masks->pairs,
                                .step = masks->step,
                                .pair = masks->weight[k]};
        sum_pairs_plain(&mask, rows, start, (int32_t *)sum[k], n);
    }
}
#define OPS_SUM_TWO_ROWS sum_two_rows_plain
#endif

static void pairs_u16(const uint16_t *restrict upper, const uint16_t *restrict lower,
                      uint32_t *restrict pair, int n)
{
    for (int x = 0; x < n; x++)
        pair[x] = (upper[x] | (uint32_t)lower[x] << 16) ^ 0x80008000;
}

static void sum_32(const struct cpu_mask *mask, const uint32_t *const *rows, uint32_t start,
                   int32_t *sum, int n)
{
    for (int x = 0; x < n; x += 4 * LANES_32) {
        sums_32 a, b, c, d;
        a = b = c = d = (sums_32){0} + start;
        for (int i = 0; i < mask->height; i++)
            for (int j = 0; j < mask->width; j++) {
                const uint32_t *row = rows[i] + x + j * mask->step;
                uint32_t w = mask->weight32[i * mask->width + j];
                if (w == 0)
                    continue;
                add_32(&a, row, w);
                add_32(&b, row + LANES_32, w);
                add_32(&c, row + 2 * LANES_32, w);
                add_32(&d, row + 3 * LANES_32, w);
            }
        memcpy(sum + x, &a, sizeof a);
        memcpy(sum + x + LANES_32, &b, sizeof b);
        memcpy(sum + x + 2 * LANES_32, &c, sizeof c);
        memcpy(sum + x + 3 * LANES_32, &d, sizeof d);
    }
}

typedef uint64_t sums_64 __attribute__((vector_size(OPS_VECTOR_BYTES)));

static inline void add_64(sums_64 *sum, const uint32_t *samples, uint64_t weight)
{
    typedef uint32_t halves __attribute__((vector_size(OPS_VECTOR_BYTES / 2)));
    halves v;
    memcpy(&v, samples, sizeof v);
    *sum += __builtin_convertvector(v, sums_64) * weight;
}

static void sum_64(const struct cpu_mask *mask, const uint32_t *const *rows, uint64_t start,
                   int64_t *sum, int n)
{
    for (int x = 0; x < n; x += 4 * LANES_64) {
        sums_64 a, b, c, d;
        a = b = c = d = (sums_64){0} + start;
        for (int i = 0; i < mask->height; i++)
            for (int j = 0; j < mask->width; j++) {
                const uint32_t *row = rows[i] + x + j * mask->step;
                uint64_t w = mask->weight64[i * mask->width + j];
                if (w == 0)
                    continue;
                add_64(&a, row, w);
                add_64(&b, row + LANES_64, w);
                add_64(&c, row + 2 * LANES_64, w);
                add_64(&d, row + 3 * LANES_64, w);
            }
        memcpy(sum + x, &a, sizeof a);
        memcpy(sum + x + LANES_64, &b, sizeof b);
        memcpy(sum + x + 2 * LANES_64, &c, sizeof c);
        memcpy(sum + x + 3 * LANES_64, &d, sizeof d);
    }
}

static void make_pairs(const uint32_t *first, const uint32_t *second, uint32_t bias, uint32_t *pair,
                       int n)
{
    for (int x = 0; x < n; x++)
        pair[x] = ((first[x] - bias) & 0xffff) | (second[x] - bias) << 16;
}

static void pairs_u8(const uint8_t *restrict upper, const uint8_t *restrict lower,
                     uint32_t *restrict pair, int n)
{
    for (int x = 0; x < n; x++)
        pair[x] = upper[x] | (uint32_t)lower[x] << 16;
}

#define OPS_PASTE2(a, b) a##b
#define OPS_PASTE(a, b)  OPS_PASTE2(a, b)
#define OPS_STRING2(a)   #a
#define OPS_STRING(a)    OPS_STRING2(a)

const struct cpu_ops OPS_PASTE(cpu_ops_, OPS_SUFFIX) = {
    .name = OPS_STRING(OPS_SUFFIX),
    .available = available,
    .sum_pairs = OPS_SUM_PAIRS,
    .sum_32 = sum_32,
    .sum_64 = sum_64,
    .make_pairs = make_pairs,
    .column_32_u8 = column_32_u8,
    .column_32_u16 = column_32_u16,
    .row_32 = row_32,
    .column_slide_u8 = column_slide_u8,
    .column_slide_u16 = column_slide_u16,
    .row_slide_32 = row_slide_32,
    .row_slide_64 = row_slide_64,
    .split_taps = split_taps,
    .divide_halves = divide_halves,
    .row_64 = row_64,
    .divide_64 = divide_64,
    .weighted_64 = weighted_64,
    .byte_sums = OPS_BYTE_SUMS,
    .divide_16_u8 = OPS_DIVIDE_16,
    .gradient_16_u8 = OPS_GRADIENT_16,
    .column_16_u8 = OPS_COLUMN_16,
    .divide_32_u8 = divide_32_u8,
    .pairs_u8 = pairs_u8,
    .sum_two_rows = OPS_SUM_TWO_ROWS,
#ifdef OPS_QUAD_TWO_ROWS
    .byte_quads = OPS_BYTE_QUADS,
    .quad_two_rows = OPS_QUAD_TWO_ROWS,
#endif
    .certify_u8 = certify_u8,
    .pairs_u16 = pairs_u16,
    .divide_32_u16 = divide_32_u16,
    .gradient_32 = gradient_32,
    .sum_runs = sum_runs,
    .fft_forward = fft_forward,
    .fft_back = fft_back,
    .fft_multiply = fft_multiply,
    .fft_turn = fft_turn,
    .fft_round = fft_round,
    .real = {{OPS_REAL_ROWS, real_prepare_float, real_products_float, real_sums_float,
              real_certify_float},
             {OPS_REAL_ROWS, real_prepare_double, real_products_double, real_sums_double,
              real_certify_double}},
};
