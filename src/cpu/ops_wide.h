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

#ifndef OPS_DIVIDE_64
#define OPS_DIVIDE_64   divide_64
#define OPS_WEIGHTED    weighted_plain
#define OPS_GRADIENT_32 gradient_32

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

static void weighted_plain(const struct cpu_weighted *w, const uint32_t *plain,
                           const uint32_t *product, int32_t *quotient, int n)
{
    int alpha = w->channels - 1;
    for (int x = 0; x < n; x += w->channels) {
        int64_t b = plain[x + alpha];
        for (int c = 0; c < alpha; c++)
            quotient[x + c] = b == 0 ? -1
                                     : weighted_quotient(w->gain * product[x + c] + w->offset * b,
                                                         w->divisor * b, w->max);
        quotient[x + alpha] = weighted_quotient(b, w->weight_sum, w->max);
    }
}

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
