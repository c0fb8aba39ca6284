/* From sums to samples: the exact division by any divisor, made as a multiplication. For the
 * kernels on whole pixels. */
#ifndef STENCIL_SAMPLE_DIVIDE_CUH
#define STENCIL_SAMPLE_DIVIDE_CUH

#include <math.h>
#include <stdint.h>

#include "image_job.h"
#include "ptx.cuh"

/* ---- the division ---- */

/* floor(v / d), clamped to what a sample holds. */
enum { DIVIDE_HIGH, DIVIDE_SHIFT, DIVIDE_ANY, DIVIDE_DOUBLE, DIVIDE_FLOAT, DIVIDE_FINE };

struct sample_divide {
    int how;
    uint32_t multiplier;
    int shift;
    uint32_t max;
    int32_t start;         /* what is added to a sum before */
    int64_t start_product; /* times the multiplier */
    /* DOUBLE, FINE, FLOAT: bias is in the sums, in place of start */
    int32_t bias;
    double double_scale, double_addend;
    float float_scale, float_addend;
};

/* Proved: HIGH, SHIFT and ANY give floor(v / d) for all v that are not clamped.
 *
 * HIGH: q = mulhi(v, m), m = ceil(2^32 / d). m is too large by e / 2^32, e = m*d - 2^32 < d, so
 * q = floor(v / d) as long as v*e < 2^32. Only v < (top + 1) * d counts: larger v are clamped;
 * a negative v gives a negative q, which is clamped too.
 * SHIFT: the same with q = mulhi(v, m) >> s, m = ceil(2^(32+s) / d), for the largest s that leaves
 * m below 2^31.
 * ANY: unsigned, with one bit more: m = ceil(2^(31+l) / d), 2^(l-1) < d <= 2^l, for v < 2^31. */
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

/* Doubles at least half as fast as floats, as on GPUs for science. */
static inline bool has_fast_doubles(void)
{
    int device = 0, ratio = 0;
    return cudaGetDevice(&device) == cudaSuccess &&
           cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, device) ==
               cudaSuccess &&
           ratio <= 2;
}

/* DOUBLE: how many quotients are added to a sum, so that none is negative. */
static inline int64_t quotients_below(const struct image_job *job)
{
    int64_t negative = job->start < 0 ? -job->start : 0;
    for (int i = 0; i < job->mask_width * job->mask_height; i++)
        if (job->weight[i] < 0)
            negative -= job->weight[i] * (int64_t)job->max;
    return (negative + job->divisor - 1) / job->divisor;
}

/* Proved: one multiply-add of doubles gives floor(v / d).
 *
 * DOUBLE: u = v + n*d is from 0 to 2^32 - 1, and q = floor(u*m - n) one multiply-add that rounds
 * down: x = 2^52 + u has u as its lower word, and x*m + c has q; c = 2^52 - 2^52*m - n, m =
 * ceil(2^52 / d) / 2^52, all of them exact. m is too large by e / (2^52*d), e = 2^52*m*d - 2^52,
 * which never reaches the next quotient as long as u*e < 2^52. Below 2^52 the lower word counts
 * halves, but is still negative: n < 2^30. False, and nothing changes, for sums that pass these
 * bounds. */
static inline bool sample_divide_double(struct sample_divide *divide, const struct image_job *job)
{
    const int64_t one = (int64_t)1 << 52, d = job->divisor, m = (one + d - 1) / d, e = m * d - one;
    const int64_t n = quotients_below(job), largest = job->bound + n * d;

    if (job->max != (job->sample_bytes == 2 ? 65535 : 255) || n >= 1 << 30 ||
        largest > UINT32_MAX || (e > 0 && largest >= one / e) || !has_fast_doubles())
        return false;
    divide->how = DIVIDE_DOUBLE;
    divide->bias = (int32_t)(uint32_t)(job->start + n * d);
    divide->double_scale = (double)m / (double)one;
    divide->double_addend = (double)(one - m - n);
    return true;
}

/* Proved: the same where the result counts 256ths of a quotient.
 *
 * FINE, for 8 bits: 256 times the quotient in place of the quotient, from 2^44 on, with
 * m = ceil(2^60 / d) / 2^60: u*e < 2^60 holds for all u and d up to 2^28, on any device. */
static inline bool sample_divide_fine(struct sample_divide *divide, const struct image_job *job)
{
    const int64_t one = (int64_t)1 << 60, d = job->divisor, m = (one + d - 1) / d;
    const int64_t n = quotients_below(job), largest = job->bound + n * d;

    if (job->sample_bytes != 1 || job->max != 255 || n >= 1 << 22 || d < 1 << 8 || d > 1 << 28 ||
        largest > UINT32_MAX || largest / d >= 1 << 22)
        return false;
    divide->how = DIVIDE_FINE;
    divide->bias = (int32_t)(uint32_t)(job->start + n * d);
    divide->double_scale = (double)m / (double)one;
    divide->double_addend = (double)(((int64_t)1 << 44) - n) - (double)m / 256;
    return true;
}

/* Proved: one multiply-add of floats gives 256 times the quotient, with floor(v / d) as its whole
 * part.
 *
 * FLOAT, for 8 bits: the bits of x = 2^23 + b + v, times 2^-46, count v, and 256 times the quotient
 * is one multiply-add: x*m + c rounded down, in units of 2^-149, is a float so small that its bits
 * are the number of these units. m is (1 + s) / d of a quotient, rounded, so that |s| <= 2^-24. b
 * is the least number for which 2^23 + b is a multiple j*d, and 1 more if s < 0; c = -j. Then v =
 * k*d gives k or more, and v = k*d - 1 gives less than k, as long as (j + k)*d*|s| < 1: for x up to
 * 2^24. Below 0 and past 2^23 the bits do not count v by ones, but stay on their side. */
#define FLOAT_BIAS 0x34000000

static inline bool sample_divide_float(struct sample_divide *divide, const struct image_job *job)
{
    const int64_t d = job->divisor, j = ((1 << 23) + d - 1) / d;
    const float m = (float)(ldexp(1, 46 + 8 - 149) / (double)d);
    const double s = ldexp((double)m, 149 - 8 - 46) * (double)d - 1;
    const int64_t begin = j * d + (s < 0), last = begin + 255 * d;

    if (job->sample_bytes != 1 || job->max != 255 || job->bound >= FLOAT_BIAS || last > 1 << 24)
        return false;
    divide->how = DIVIDE_FLOAT;
    divide->bias = FLOAT_BIAS + (int32_t)(begin - (1 << 23) + job->start);
    divide->float_scale = m;
    divide->float_addend = -(float)ldexp((double)j, 8 - 149);
    return true;
}

/* A float of which 2^-149 is the lowest bit has the whole number of those as its bits; one below 0
 * is a large negative number, so that clamping is packing. */
__device__ inline int float_quotients(float sum, float scale, float addend)
{
    return __float_as_int(__fmaf_rd(sum, scale, addend));
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

/* The same of start + sum, in one multiplication; of DOUBLE, FINE and FLOAT, of bias + sum. The
 * word is still to be clamped; of FINE and FLOAT it is 256 quotients. */
template <int HOW> __device__ inline int divided_sum(const struct sample_divide &d, int sum)
{
    if (HOW == DIVIDE_DOUBLE || HOW == DIVIDE_FINE)
        return __double2loint(
            __fma_rd(__hiloint2double(0x43300000, sum), d.double_scale, d.double_addend));
    if (HOW == DIVIDE_FLOAT)
        return float_quotients(__int_as_float(sum), d.float_scale, d.float_addend);
    if (HOW == DIVIDE_ANY)
        return divided<HOW>(d, sum + d.start);
    int high = (int)(((int64_t)sum * (int)d.multiplier + d.start_product) >> 32);
    return HOW == DIVIDE_HIGH ? high : high >> d.shift;
}

/* Four numbers of 256 quotients, clamped, as the bytes of a word. */
__device__ inline uint32_t pack_fine(int s0, int s1, int s2, int s3)
{
    return __byte_perm(pack_shorts(s1, s0), pack_shorts(s3, s2), 0x7531);
}

/* Four sums, from start or bias on as those of divided_sum(), as the bytes of a word. */
template <int HOW>
__device__ inline uint32_t divided_word(const struct sample_divide &d, int s0, int s1, int s2,
                                        int s3)
{
    if (HOW == DIVIDE_FLOAT || HOW == DIVIDE_FINE)
        return pack_fine(divided_sum<HOW>(d, s0), divided_sum<HOW>(d, s1), divided_sum<HOW>(d, s2),
                         divided_sum<HOW>(d, s3));
    return pack_bytes(divided_sum<HOW>(d, s1), divided_sum<HOW>(d, s0),
                      pack_bytes(divided_sum<HOW>(d, s3), divided_sum<HOW>(d, s2), 0));
}

#endif
