/* The arithmetic of weighted.cu's threads: the sums of 4 x 4 outputs under a mask, of alpha and of
 * products with alpha, and their quotients. */
#ifndef STENCIL_WEIGHTED_SUMS_CUH
#define STENCIL_WEIGHTED_SUMS_CUH

#include "dp4a_window.h"
#include "image_job.h"
#include "ptx.cuh"

/* Masks of one plane whose loops are unrolled: squares with the anchor in the middle. The weights
 * of small ones are among the kernel's arguments and go to uniform registers (63 words), those of
 * the others are in shared memory. */
#define ARGUMENT_SIDE   5
#define IN_SHARED(side) ((side) == 0 || (side) > ARGUMENT_SIDE)

#define ROWS 4 /* output rows of a thread */
#define SUMS (4 * ROWS)

/* Does output J of four see one of two cells, the lower or upper HALF of word W? */
#define SEES_HALF(w, half, j, pad, width)                                                          \
    (4 * (w) + 2 * (half) + 1 >= (j) + (pad) && 4 * (w) + 2 * (half) < (j) + (pad) + (width))

struct weighted_args {
    struct image_job job;
    int groups, left; /* of a window: words; cells before the first output's anchor */
    int planes;       /* of weights */
    uint4 weight[ARGUMENT_SIDE * DP4A_SIDE_GROUPS(ARGUMENT_SIDE)];
};

/* ---- sums ---- */

/* Adds to the sum of output J what it sees of a mask row's word W: of alpha, or of products. */
template <int W, int J, int SIDE>
__device__ inline void add_seen(uint32_t cells, uint32_t weights, uint32_t &sum)
{
    if constexpr (SIDE == 0 || DP4A_SEES(W, J, DP4A_SIDE_PAD(SIDE), SIDE))
        sum = (uint32_t)product_bytes<false>(cells, weights, (int)sum);
}

template <int W, int J, int SIDE>
__device__ inline void add_seen(uint2 cells, uint32_t weights, uint32_t &sum)
{
    if constexpr (SIDE == 0 || SEES_HALF(W, 0, J, DP4A_SIDE_PAD(SIDE), SIDE))
        sum = __dp2a_lo(cells.x, weights, sum);
    if constexpr (SIDE == 0 || SEES_HALF(W, 1, J, DP4A_SIDE_PAD(SIDE), SIDE))
        sum = __dp2a_hi(cells.y, weights, sum);
}

/* The same of four outputs side by side. */
template <int W, int SIDE, typename CELLS>
__device__ inline void add_four(CELLS cells, const uint4 &weights, uint32_t *sum)
{
    add_seen<W, 0, SIDE>(cells, weights.x, sum[0]);
    add_seen<W, 1, SIDE>(cells, weights.y, sum[1]);
    add_seen<W, 2, SIDE>(cells, weights.z, sum[2]);
    add_seen<W, 3, SIDE>(cells, weights.w, sum[3]);
}

/* Sums over a column of words, sum[4 * row + j]. Which one it is, W, is only known of unrolled
 * masks. */
template <int W, int SIDE, typename CELLS>
__device__ inline void add_column(const CELLS *next, int pitch, int height, const uint4 *weight,
                                  uint32_t *sum)
{
    CELLS cells[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS - 1; r++, next += pitch)
        cells[r] = *next;
#pragma unroll(SIDE ? SIDE : 4)
    for (int i = 0; i < height; i++, next += pitch) {
        uint4 weights = *weight++;
        cells[ROWS - 1] = *next;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            add_four<W, SIDE>(cells[r], weights, sum + 4 * r);
#pragma unroll
        for (int r = 0; r < ROWS - 1; r++)
            cells[r] = cells[r + 1];
    }
}

/* Sums of an unrolled mask, its weights in shared memory or among the arguments. */
template <int SIDE, int W, typename CELLS>
__device__ inline void add_unrolled(const CELLS *window, const uint4 *weight, uint32_t *sum)
{
    add_column<W, SIDE>(window + W, DP4A_PITCH(DP4A_SIDE_GROUPS(SIDE)), SIDE, weight + W * SIDE,
                        sum);
    if constexpr (W < DP4A_SIDE_GROUPS(SIDE) - 1)
        add_unrolled<SIDE, W + 1>(window, weight, sum);
}

/* Adds the whole mask to sums, modulo 2^32. */
template <int SIDE, typename CELLS>
__device__ inline void add_mask(const struct weighted_args &args, const CELLS *window, int pitch,
                                const uint4 *weight, uint32_t *sum)
{
    if constexpr (SIDE != 0) {
        add_unrolled<SIDE, 0>(window, IN_SHARED(SIDE) ? weight : args.weight, sum);
    } else {
        const int height = args.job.mask_height;
        uint32_t start[SUMS];
#pragma unroll
        for (int i = 0; i < SUMS; i++) {
            start[i] = sum[i];
            sum[i] = 0;
        }
#pragma unroll 1
        for (int p = 0; p < args.planes; p++) {
#pragma unroll
            for (int i = 0; i < SUMS; i++)
                sum[i] *= 256;
#pragma unroll 1
            for (int w = 0; w < args.groups; w++, weight += height)
                add_column<0, 0>(window + w, pitch, height, weight, sum);
        }
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            sum[i] += start[i];
    }
}

/* The same where sums pass 2^32, together with a float of about their size: the sums of one column
 * of words do not pass 2^32, and no float is rounded more than 2^8 times. */
__device__ inline void add_mask_wide(const struct weighted_args &args, const uint2 *window,
                                     int pitch, const uint4 *weight, uint32_t *sum, float *size)
{
    const int height = args.job.mask_height;
    uint32_t start[SUMS];
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        start[i] = sum[i];
        sum[i] = 0;
        size[i] = 0;
    }
#pragma unroll 1
    for (int p = 0; p < args.planes; p++) {
#pragma unroll
        for (int i = 0; i < SUMS; i++) {
            sum[i] *= 256;
            size[i] *= 256;
        }
#pragma unroll 1
        for (int w = 0; w < args.groups; w++, weight += height) {
            uint32_t part[SUMS] = {};
            add_column<0, 0>(window + w, pitch, height, weight, part);
#pragma unroll
            for (int i = 0; i < SUMS; i++) {
                sum[i] += part[i];
                size[i] += (float)part[i];
            }
        }
    }
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        sum[i] += start[i];
        size[i] += (float)start[i];
    }
}

/* ---- quotients ---- */

/* About 1/d, from (1 - 2^-10)/d to (1 - 2^-12)/d: reciprocal() and the rounding of d and of the
 * product are off by less than 2^-21. */
__device__ inline float share_of(uint32_t d)
{
    return reciprocal((float)d) * (1 - 0x1.8p-12f);
}

/* Proved: this gives q = floor(v / d) in the lowest byte, for v < 256 * d and d < 2^31; sum is v
 * modulo 2^32, size is v within 2^-13 of itself. size * share is at most v/d and at least (1 -
 * 2^-9) * v/d, so it is less than 0.51 too small. Rounded down (from 2^23 on floats have no
 * fractions) it is q or q - 1, and one is added: n. Then v - n*d lies between -d and d - 1, so it
 * is exact modulo 2^32, and n is 1 too large where it is negative. */
__device__ inline uint32_t quotient(uint32_t sum, float size, uint32_t d, float share)
{
    const uint32_t n = __float_as_uint(__fmaf_rd(size, share, 0x1p23f + 1)); /* on 0x4b000000 */
    return n + (uint32_t)((int)(sum + (0x4b000000 - n) * d) >> 31);
}

/* Four bytes, each the lowest of a word, as one word. */
__device__ inline uint32_t pack_lowest(const uint32_t *q)
{
    return __byte_perm(__byte_perm(q[0], q[1], 0x0040), __byte_perm(q[2], q[3], 0x0040), 0x5410);
}

#endif
