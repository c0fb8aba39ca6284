/* Are sums of products of halves exact on this GPU? The column pass of the kernel separable rests
 * on it: its sums are whole numbers of units up to 2^24, and a float holds each of them, but no
 * manual says that matrix units add them up without loss. This kernel makes such products and
 * compares the sums with those of integers. The operands are as different as the packer allows
 * (kernels/separable_pack.c: halves_shift() and its kin), because an adder with too few bits drops
 * the small ones beside the large ones.
 *
 * A block is one warp, with one kind of operands: sums over 16, 16 and 8 of the inner index, as
 * with a column factor of five blocks. Each thread counts the wrong ones of its four sums.
 *
 *      sum (16 rows x 8 columns) = start + A (16 rows x 40) * B (40 x 8 columns) */
#include "image_job.h"
#include "ptx.cuh"

#define DEPTH 40 /* of the inner index */

/* Units of a sum: of A's halves times B's weights. HALVES: 2^-24 * 1. WHOLE: 2^-24 * 2^-24, and
 * with weights times 256. UPPER: 1 * 1. */
enum kind {
    TOP,       /* HALVES: ones, just below 2^24 */
    BOTTOM,    /* HALVES: minus ones, just above 2^23 */
    APART,     /* HALVES: two products that cancel out, beside ones */
    WIDE,      /* HALVES: anything with 11 bits in A */
    NARROW,    /* HALVES: anything with 8 bits in A */
    WHOLE,     /* anything */
    WHOLE_ONE, /* times 256: a product of nearly 2^24, beside a start of some units */
    UPPER,     /* A from 1024 to 2047 */
    KINDS,
};

struct probe {
    int kind, turn, negative;
};

#if __CUDA_ARCH__ >= 800

/* Any number below N. */
__device__ inline int pick(const struct probe &p, int i, int j, int n)
{
    uint32_t x = (uint32_t)(p.turn * 7919 + p.kind * 104729 + i * 1299709 + j * 15485863);
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    x = (x ^ x >> 12) * 0x297a2d39u;
    return (int)((x ^ x >> 15) % (uint32_t)n);
}

__device__ inline int cell(const struct probe &p, int row, int k)
{
    const int large = pick(p, 0, 0, DEPTH), against = (large + 1 + pick(p, 0, 1, 9)) % DEPTH;
    switch (p.kind) {
    case APART:
        return k == large || k == against ? 2047 : 1;
    case WIDE:
    case WHOLE:
        return pick(p, row, k, 2048);
    case NARROW:
        return pick(p, row, k, 256);
    case WHOLE_ONE:
        return k == large ? 511 : pick(p, row, k, 2);
    case UPPER:
        return 1024 + pick(p, row, k, 1024);
    }
    return 1;
}

__device__ inline int weight(const struct probe &p, int k, int column)
{
    const int large = pick(p, 0, 0, DEPTH), against = (large + 1 + pick(p, 0, 1, 9)) % DEPTH;
    const int any = pick(p, 100 + column, k, 4096), sign = any % 2 ? 1 : -1;
    switch (p.kind) {
    case BOTTOM:
        return -1;
    case APART:
        return k == large ? 1900 + any % 64 : k == against ? -1900 - any % 64 : sign;
    case WIDE:
        return sign * (any % 48);
    case NARROW:
        return sign * (any % 400);
    case WHOLE:
        return sign * (any % 128);
    case WHOLE_ONE:
        return k == large ? 127 : any % 16 ? 0 : 1;
    case UPPER:
        return any % 52;
    }
    return 1;
}

__device__ inline int start_of(const struct probe &p, int row, int column)
{
    const int any = pick(p, 200 + row, column, 1024);
    switch (p.kind) {
    case TOP:
        return (1 << 24) - DEPTH - any % 4;
    case BOTTOM:
        return (1 << 23) + DEPTH + any % 4;
    case WHOLE:
        return any * 1021 - 1000000;
    case WHOLE_ONE:
        return any % 7 - 3;
    case UPPER:
        return 0;
    }
    return 12582912 + any - 512;
}

/* Two neighbours of the inner index in a word. */
__device__ inline uint32_t cells(const struct probe &p, int row, int k)
{
    const uint32_t exponent = p.kind == UPPER ? 24u << 10 : 0; /* 1024 + n, for n below 1024 */
    return ((uint32_t)cell(p, row, k) + exponent) | ((uint32_t)cell(p, row, k + 1) + exponent)
                                                        << 16;
}

__device__ inline int scale_of(const struct probe &p)
{
    return p.kind == WHOLE ? -24 : p.kind == WHOLE_ONE ? -16 : 0;
}

__device__ inline uint32_t weights(const struct probe &p, int k, int column)
{
    const int sign = p.negative ? -1 : 1;
    return separable_half(sign * weight(p, k, column), scale_of(p)) |
           separable_half(sign * weight(p, k + 1, column), scale_of(p)) << 16;
}

/* What a sum has to be, in units. */
__device__ inline int expected(const struct probe &p, int row, int column)
{
    const int times = p.kind == WHOLE_ONE ? 256 : 1;
    int sum = start_of(p, row, column);
    for (int k = 0; k < DEPTH; k++)
        sum += times * cell(p, row, k) * weight(p, k, column);
    return p.negative ? -sum : sum;
}

__global__ void halves_probe_kernel(int *wrong)
{
    const int turns = HALVES_PROBE_BLOCKS / KINDS / 2, block = (int)blockIdx.x;
    const struct probe p = {block % KINDS, block / KINDS % turns, block / KINDS / turns};
    const int g = (int)threadIdx.x / 4, t = (int)threadIdx.x % 4;
    const float unit = p.kind == WHOLE || p.kind == WHOLE_ONE ? 0x1p-48f
                       : p.kind == UPPER                      ? 1
                                                              : 0x1p-24f;
    float sum[4];
    int count = 0;

    for (int i = 0; i < 4; i++) {
        const int start = start_of(p, g + i / 2 * 8, 2 * t + i % 2);
        sum[i] = (float)(p.negative ? -start : start) * unit;
    }
    for (int k = 0; k < 32; k += 16)
        product_halves_16(sum, cells(p, g, k + 2 * t), cells(p, g + 8, k + 2 * t),
                          cells(p, g, k + 2 * t + 8), cells(p, g + 8, k + 2 * t + 8),
                          weights(p, k + 2 * t, g), weights(p, k + 2 * t + 8, g), sum);
    product_halves_8(sum, cells(p, g, 32 + 2 * t), cells(p, g + 8, 32 + 2 * t),
                     weights(p, 32 + 2 * t, g), sum);
    for (int i = 0; i < 4; i++)
        count += sum[i] != (float)expected(p, g + i / 2 * 8, 2 * t + i % 2) * unit;
    wrong[block * 32 + (int)threadIdx.x] = count;
}

#else

/* Callers ask for compute capability 9.0. */
__global__ void halves_probe_kernel(int *)
{
}

#endif

cudaError_t halves_probe_launch(int *wrong, cudaStream_t stream)
{
    halves_probe_kernel<<<HALVES_PROBE_BLOCKS, 32, 0, stream>>>(wrong);
    return cudaGetLastError();
}
