/* The inner loops for sums of 64 bits and for colour weighted by alpha in portable C; a
 * part of cpu/ops_template.h, included once per instruction set, which may bring its own.
 *
 * Quotients by doubles: v and D are exact, r = 1/D and (v + 1/2) * r are each rounded, so
 * that the result is off by less than q * 2^-51, where q = v/D; (v + 1/2) / D lies at
 * least 1/(2D) from the next integer; and q * D < 2^50. */
#ifndef STENCIL_CPU_OPS_WIDE_H
#define STENCIL_CPU_OPS_WIDE_H

#include <math.h>

#include "cpu/ops.h"

#ifndef OPS_ROW_64
#define OPS_ROW_64      row_64
#define OPS_DIVIDE_64   divide_64
#define OPS_WEIGHTED_32 weighted_32
#define OPS_WEIGHTED_64 weighted_64
#define OPS_GRADIENT_32 gradient_32

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

static void divide_64(const struct cpu_divide *divide, const int64_t *sum, int32_t *quotient, int n)
{
    double inverse = 1.0 / (double)divide->divisor, max = divide->max;
    for (int x = 0; x < n; x++) {
        int64_t v = sum[x] + divide->divisor / 2;
        double q = ((double)(v < 0 ? 0 : v) + 0.5) * inverse;
        quotient[x] = (int32_t)(q > max ? max : q);
    }
}

static int32_t weighted_quotient(int64_t n, int64_t d, int64_t max)
{
    double v = (double)(n + d / 2), q = v < 0 ? 0 : (v + 0.5) * (1.0 / (double)d);
    return (int32_t)(q > (double)max ? (double)max : q);
}

#define WEIGHTED(name, type)                                                                       \
    static void name(const struct cpu_weighted *w, const type *plain, const type *product,         \
                     int32_t *quotient, int n)                                                     \
    {                                                                                              \
        int alpha = w->channels - 1;                                                               \
        for (int x = 0; x < n; x += w->channels) {                                                 \
            int64_t b = plain[x + alpha] - w->plain_offset;                                        \
            for (int c = 0; c < alpha; c++)                                                        \
                quotient[x + c] =                                                                  \
                    b == 0 ? -1                                                                    \
                           : weighted_quotient(w->gain * product[x + c] + w->offset * b,           \
                                               w->divisor * b, w->max);                            \
            quotient[x + alpha] = weighted_quotient(b, w->weight_sum, w->max);                     \
        }                                                                                          \
    }
WEIGHTED(weighted_32, int32_t)
WEIGHTED(weighted_64, int64_t)

/* G = gx^2 + gy^2 is exact where sqrt(G) < 2^16, and lies at least 1/4 from any (k - 1/2)^2:
 * sqrt(G) is at least 2^-19 from k - 1/2, doubles there are 2^-37 apart. Larger ones are clamped.
 */
static void gradient_32(const int32_t *gx, const int32_t *gy, int32_t max, int32_t *size, int n)
{
    for (int x = 0; x < n; x++) {
        double root = sqrt((double)gx[x] * gx[x] + (double)gy[x] * gy[x]);
        size[x] = (int32_t)((root > max ? max : root) + 0.5);
    }
}
#endif

#endif
