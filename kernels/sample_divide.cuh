/* From sums to samples: the exact division by any divisor as a multiplication, and
 * packing with a clamp. For the kernels on whole pixels. */
#ifndef STENCIL_SAMPLE_DIVIDE_CUH
#define STENCIL_SAMPLE_DIVIDE_CUH

#include "image_job.h"

/* ---- the division ---- */

/* floor(v / d), clamped to what a sample holds. */
enum { DIVIDE_NONE, DIVIDE_HIGH, DIVIDE_ANY };

struct sample_divide {
    int how;
    uint32_t multiplier;
    int shift;
    uint32_t max;
};

/* HIGH: q = mulhi(v, m), m = ceil(2^32 / d). m is too large by e / 2^32, e = m*d - 2^32 < d, so
 * that q = floor(v / d) as long as v*e < 2^32. v < (top + 1) * d is all that counts: larger ones
 * are clamped, and negative ones give something negative, which is clamped too. ANY: unsigned, with
 * one bit more: m = ceil(2^(31+l) / d), 2^(l-1) < d <= 2^l, for v < 2^31. */
static struct sample_divide sample_divide_of(const struct image_job *job)
{
    const uint64_t d = (uint64_t)job->divisor, m = (((uint64_t)1 << 32) + d - 1) / d;
    const uint32_t top = job->sample_bytes == 2 ? 65535 : 255;
    struct sample_divide divide = {DIVIDE_ANY, 0, 0, job->max};
    int l = 0;

    if (d == 1 && job->max == top) {
        divide.how = DIVIDE_NONE;
        divide.shift = -1;
    } else if (d > 2 && job->max == top &&
               (m * d - ((uint64_t)1 << 32)) * (top + 1) * d < (uint64_t)1 << 32) {
        divide.how = DIVIDE_HIGH;
        divide.multiplier = (uint32_t)m;
    } else { /* d = 1 has no such multiplier: shift is -1 */
        while (((uint64_t)1 << l) < d)
            l++;
        divide.shift = l - 1;
        divide.multiplier = l ? (uint32_t)((((uint64_t)1 << (31 + l)) + d - 1) / d) : 0;
    }
    return divide;
}

template <int HOW> __device__ inline int divided(const struct sample_divide &d, int v)
{
    if (HOW == DIVIDE_NONE)
        return v;
    if (HOW == DIVIDE_HIGH)
        return __mulhi(v, (int)d.multiplier);
    uint32_t u = (uint32_t)max(v, 0);
    u = d.shift < 0 ? u : __umulhi(u, d.multiplier) >> d.shift;
    return (int)min(u, d.max);
}

/* ---- packing, clamped ---- */

/* above << 16 | high << 8 | low, as bytes */
__device__ inline uint32_t pack_bytes(int high, int low, uint32_t above)
{
    uint32_t pair;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(pair) : "r"(high), "r"(low), "r"(above));
    return pair;
}

__device__ inline uint32_t pack_shorts(int high, int low)
{
    uint32_t pair;
    asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(pair) : "r"(high), "r"(low));
    return pair;
}

#endif
