/* The inner loops over bytes with 16-bit sums in portable C; a part of
 * cpu/ops_template.h, included once per instruction set, which may bring its own
 * (all of them or none: they share the order of the sums), with column_rows() for
 * column_16_u8, whose number of rows is a constant. */
#ifndef STENCIL_CPU_OPS_BYTES_H
#define STENCIL_CPU_OPS_BYTES_H

#include "cpu/ops.h"

#ifndef OPS_BYTE_SUMS
#include <math.h>
#include <string.h>

#define OPS_BYTE_SUMS   byte_sums
#define OPS_DIVIDE_16   divide_16_u8
#define OPS_GRADIENT_16 gradient_16_u8
#define OPS_COLUMN_16   column_16_u8

static void byte_sums(const struct cpu_byte_pairs *pairs, const uint8_t *const *at, uint16_t start,
                      uint16_t *sum, int n, struct cpu_ahead ahead)
{
    (void)ahead;
    for (int x = 0; x < n; x += CPU_BLOCK) {
        uint16_t acc[CPU_BLOCK];
        for (int k = 0; k < CPU_BLOCK; k++)
            acc[k] = start;
        for (int p = 0; p < pairs->count; p++) {
            const uint8_t *first = at[2 * p] + x, *second = at[2 * p + 1] + x;
            uint16_t a = (uint16_t)(int8_t)(pairs->weight[p] & 0xff);
            uint16_t b = (uint16_t)(int8_t)(pairs->weight[p] >> 8 & 0xff);
            for (int k = 0; k < CPU_BLOCK; k++)
                acc[k] = (uint16_t)(acc[k] + (uint16_t)((uint32_t)a * first[k]) +
                                    (uint16_t)((uint32_t)b * second[k]));
        }
        memcpy(sum + x, acc, sizeof acc);
    }
}

static void divide_16_u8(const struct cpu_divide16 *divide, const uint16_t *sum, uint8_t *out,
                         int n)
{
    uint16_t floor = divide->is_signed ? INT16_MAX : UINT16_MAX; /* above it: negative */
    uint16_t factor = divide->factor, max = divide->max;
    int shift = divide->shift;
    if (factor == 0)
        for (int x = 0; x < n; x++) {
            uint16_t v = sum[x] > floor ? 0 : sum[x];
            uint16_t q = (uint16_t)(v >> shift);
            out[x] = (uint8_t)(q > max ? max : q);
        }
    else
        for (int x = 0; x < n; x++) {
            uint16_t v = sum[x] > floor ? 0 : sum[x];
            uint16_t q = (uint16_t)((uint16_t)((uint32_t)v * factor >> 16) >> shift);
            out[x] = (uint8_t)(q > max ? max : q);
        }
}

/* G = gx^2 + gy^2 < 2^31. Where sqrt(G) < 256.5, G < 2^17 is exact as a float and lies at least 1/4
 * from any (k - 1/2)^2, so that sqrt(G) is at least 2^-12 from k - 1/2, sixteen times what the root
 * and the sum can be wrong by. Larger G are clamped, however they are rounded. */
static void gradient_16_u8(const int16_t *gx, const int16_t *gy, uint32_t max, uint8_t *out, int n)
{
    for (int x = 0; x < n; x++) {
        int32_t g = gx[x] * gx[x] + gy[x] * gy[x];
        uint32_t r = (uint32_t)(sqrtf((float)g) + 0.5f);
        out[x] = (uint8_t)(r > max ? max : r);
    }
}

static void column_16_u8(const struct cpu_taps *taps, const uint16_t *const *row, uint16_t start,
                         const struct cpu_divide16 *divide, uint8_t *const *out, int rows, int n)
{
    for (int r = 0; r < rows; r++)
        for (int x = 0; x < n; x += CPU_BLOCK) {
            uint16_t acc[CPU_BLOCK];
            for (int k = 0; k < CPU_BLOCK; k++)
                acc[k] = start;
            for (int i = 0; i < taps->count; i++) {
                uint16_t w = (uint16_t)taps->weight[i];
                for (int k = 0; k < CPU_BLOCK; k++)
                    acc[k] = (uint16_t)(acc[k] + (uint32_t)w * row[r + i][x + k]);
            }
            divide_16_u8(divide, acc, out[r] + x, n - x < CPU_BLOCK ? n - x : CPU_BLOCK);
        }
}
#else
#define OPS_COLUMN_16 column_16_u8

static void column_16_u8(const struct cpu_taps *taps, const uint16_t *const *row, uint16_t start,
                         const struct cpu_divide16 *divide, uint8_t *const *out, int rows, int n)
{
    if (rows == CPU_COLUMN_ROWS)
        column_rows(taps, CPU_COLUMN_ROWS, row, start, divide, out, n);
    else
        for (int r = 0; r < rows; r++)
            column_rows(taps, 1, row + r, start, divide, out + r, n);
}
#endif

#endif
