/* From sums to samples: the exact division by any divisor as a multiplication. For the
 * kernels on whole pixels. */
#ifndef STENCIL_SAMPLE_DIVIDE_CUH
#define STENCIL_SAMPLE_DIVIDE_CUH

#include <stdint.h>

#include "image_job.h"

/* ---- the division ---- */

/* floor(v / d), clamped to what a sample holds. */
enum { DIVIDE_HIGH, DIVIDE_SHIFT, DIVIDE_ANY };

struct sample_divide {
    int how;
    uint32_t multiplier;
    int shift;
    uint32_t max;
    int32_t start;         /* what is added to a sum before */
    int64_t start_product; /* times the multiplier */
};

/* HIGH: q = mulhi(v, m), m = ceil(2^32 / d). m is too large by e / 2^32, e = m*d - 2^32 < d, so
 * that q = floor(v / d) as long as v*e < 2^32. v < (top + 1) * d is all that counts: larger ones
 * are clamped, and negative ones give something negative, which is clamped too. SHIFT: the same
 * with q = mulhi(v, m) >> s, m = ceil(2^(32+s) / d), s as large as leaves m below 2^31. ANY:
 * unsigned, with one bit more: m = ceil(2^(31+l) / d), 2^(l-1) < d <= 2^l, for v < 2^31. */
static bool sample_divide_signed(struct sample_divide *divide, uint64_t d, uint64_t range, int s)
{
    const uint64_t one = (uint64_t)1 << (32 + s), m = (one + d - 1) / d;
    if (range * d > (uint64_t)1 << 31 || m > INT32_MAX || (m * d - one) * range * d >= one)
        return false;
    divide->how = s ? DIVIDE_SHIFT : DIVIDE_HIGH;
    divide->multiplier = (uint32_t)m;
    divide->shift = s;
    divide->start_product = (int64_t)divide->start * (int64_t)m;
    return true;
}

static struct sample_divide sample_divide_of(const struct image_job *job)
{
    const uint64_t d = (uint64_t)job->divisor, range = job->sample_bytes == 2 ? 65536 : 256;
    struct sample_divide divide = {DIVIDE_ANY, 0, 0, job->max, (int32_t)job->start, 0};
    int l = 0;

    while (((uint64_t)1 << l) < d)
        l++;
    if (job->max == range - 1 && (sample_divide_signed(&divide, d, range, 0) ||
                                  (l >= 2 && sample_divide_signed(&divide, d, range, l - 2))))
        return divide;
    /* d = 1 has no such multiplier: shift is -1 */
    divide.shift = l - 1;
    divide.multiplier = l ? (uint32_t)((((uint64_t)1 << (31 + l)) + d - 1) / d) : 0;
    return divide;
}

template <int HOW> __device__ inline int divided(const struct sample_divide &d, int v)
{
    if (HOW == DIVIDE_HIGH)
        return __mulhi(v, (int)d.multiplier);
    if (HOW == DIVIDE_SHIFT)
        return __mulhi(v, (int)d.multiplier) >> d.shift;
    uint32_t u = (uint32_t)max(v, 0);
    u = d.shift < 0 ? u : __umulhi(u, d.multiplier) >> d.shift;
    return (int)min(u, d.max);
}

/* The same of start + sum, in one multiplication. */
template <int HOW> __device__ inline int divided_sum(const struct sample_divide &d, int sum)
{
    if (HOW == DIVIDE_ANY)
        return divided<HOW>(d, sum + d.start);
    int high = (int)(((int64_t)sum * (int)d.multiplier + d.start_product) >> 32);
    return HOW == DIVIDE_HIGH ? high : high >> d.shift;
}

#endif
