/* dp4a: exact 8-bit convolution without matrix units, on any GPU from sm_75 on. The
 * tile's pixels are split into one plane a channel, four cells a word. One instruction
 * multiplies the four cells by four weights and adds the products to a 32-bit sum.
 *
 *    a thread: 4 outputs side by side, 8 of them one below the other, k = 5, pad 2
 *
 *    window words    [. . a b] [c d e f] [g h . .]     the mask's row, shifted by j bytes.
 *      output j = 0   . . w w   w w w .   . . . .      No pixel is shifted, and words of
 *             j = 1   . . . w   w w w w   . . . .      zeros are left out: k + 3 products
 *             j = 2   . . . .   w w w w   w . . .      for 4 outputs and a mask row
 *             j = 3   . . . .   . w w w   w w . .
 *
 * A thread goes down a column of words and loads each word once for all outputs whose
 * window holds it. Weights past int8 become two planes, w = 256 * high + low: the high
 * ones are summed first and multiplied by 256, then the low ones are added.
 *
 * Gradients of two 3 x 3 masks are made in the same pass: each thread sums both masks' products,
 * and the output is the length of the two sums.
 *
 * Shared memory   4 * channels * (32 + k - 1) * (31 + (k + pad + 6) / 4), and for masks of no
 *                 unrolled size 16 * k * ((k + pad + 6) / 4) a plane of packed weights
 * Bytes moved     3 in, 3 out a pixel (RGB), the halo from L2
 * Measured        see docs/lab/dp4a.md */
#include "dp4a_window.h"
#include "gather.cuh"
#include "pixel_tile.cuh"
#include "ptx.cuh"
#include "sample_divide.cuh"

/* Masks of one plane whose loops are unrolled, their weights among the kernel's arguments, where
 * an instruction takes them from without loading them: squares with the anchor in the middle. */
#define MAX_SIDE 7

#define ROWS    8 /* output rows of a thread */
#define THREADS (DP4A_TILE_Y / ROWS * 32)

/* Blocks that a multiprocessor is to hold: as many as the registers allow without spilling. While
 * some wait for their pixels, others multiply. */
#define BLOCKS(channels, side, how)                                                                \
    (IS_LENGTH(how) ? 4 : (channels) == 4 || (side) == 7 ? 6 : (side) ? 8 : 7)

/* Words that a thread loads before it waits for the first: where they are known, all of them. */
#define TILE_WORDS(side) ((DP4A_TILE_Y + (side)-1) * DP4A_PITCH(DP4A_SIDE_GROUPS(side)))
#define AT_ONCE(side)    ((side) ? (TILE_WORDS(side) + THREADS - 1) / THREADS : 8)

struct dp4a_args {
    struct image_job job;
    struct sample_divide divide;
    int groups, left; /* of a window: words; cells before the first output's anchor */
    int planes;       /* of weights */
    uint32_t weight[MAX_SIDE * DP4A_SIDE_GROUPS(MAX_SIDE) * 4]; /* of an unrolled mask */
    uint32_t weight_y[DP4A_GRADIENT_SIDE * DP4A_SIDE_GROUPS(DP4A_GRADIENT_SIDE) * 4];
};

/* How a sum becomes a sample: as in sample_divide.cuh, or the length of two sums, whose divisor is
 * 1 or any. */
enum { LENGTH_WHOLE = 100, LENGTH_ANY };
#define IS_LENGTH(how) ((how) >= LENGTH_WHOLE)

/* ---- pixels to planes ---- */

template <int N, int C>
__device__ inline void split_pixels(const uint32_t *pixels, uint32_t *N_ds, int plane)
{
    N_ds[C * plane] = gather<C, N + C, 2 * N + C, 3 * N + C>(pixels);
    if constexpr (C < N - 1)
        split_pixels<N, C + 1>(pixels, N_ds, plane);
}

/* Where staged pixels go. */
template <int N> struct planes_put {
    uint32_t *N_ds;
    int plane;
    __device__ void operator()(int word, const uint32_t *pixels) const
    {
        split_pixels<N, 0>(pixels, N_ds + word, plane);
    }
};

/* ---- sums ---- */

/* Sums of an unrolled mask: sum[4 * row + j]. */
template <int SIDE>
__device__ inline void add_unrolled(const uint32_t *window, const uint32_t *weight, int *sum)
{
#pragma unroll
    for (int y = 0; y < ROWS + SIDE - 1; y++)
#pragma unroll
        for (int w = 0; w < DP4A_SIDE_GROUPS(SIDE); w++) {
            uint32_t cells = window[y * DP4A_PITCH(DP4A_SIDE_GROUPS(SIDE)) + w];
#pragma unroll
            for (int i = 0; i < ROWS * 4; i++) {
                const int row = y - i / 4, j = i % 4; /* of the mask */
                if (row >= 0 && row < SIDE && DP4A_SEES(w, j, DP4A_SIDE_PAD(SIDE), SIDE))
                    sum[i] = product_bytes<true>(cells, weight[(w * SIDE + row) * 4 + j], sum[i]);
            }
        }
}

/* Sums of one plane of any mask's weights, a column of words after the other. */
template <bool SIGNED>
__device__ inline void add_column(const uint32_t *window, int pitch, int groups, int height,
                                  const uint4 *weight, int *sum)
{
#pragma unroll 1
    for (int w = 0; w < groups; w++) {
        const uint32_t *next = window + w;
        uint32_t cells[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS - 1; r++, next += pitch)
            cells[r] = *next;
#pragma unroll 4
        for (int i = 0; i < height; i++, next += pitch) {
            uint4 a = *weight++;
            cells[ROWS - 1] = *next;
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                sum[4 * r] = product_bytes<SIGNED>(cells[r], a.x, sum[4 * r]);
                sum[4 * r + 1] = product_bytes<SIGNED>(cells[r], a.y, sum[4 * r + 1]);
                sum[4 * r + 2] = product_bytes<SIGNED>(cells[r], a.z, sum[4 * r + 2]);
                sum[4 * r + 3] = product_bytes<SIGNED>(cells[r], a.w, sum[4 * r + 3]);
            }
#pragma unroll
            for (int r = 0; r < ROWS - 1; r++)
                cells[r] = cells[r + 1];
        }
    }
}

template <int SIDE>
__device__ inline void add_mask(const struct dp4a_args &args, const uint32_t *window, int pitch,
                                const uint4 *weight, int *sum)
{
    const int sums = 4 * ROWS, height = args.job.mask_height;

#pragma unroll
    for (int i = 0; i < sums; i++)
        sum[i] = SIDE || args.planes == 1 ? args.job.start : 0;
    if constexpr (SIDE != 0) {
        add_unrolled<SIDE>(window, args.weight, sum);
    } else {
        add_column<true>(window, pitch, args.groups, height, weight, sum);
        if (args.planes == 1)
            return;
#pragma unroll
        for (int i = 0; i < sums; i++)
            sum[i] = (int)((uint32_t)sum[i] * 256 + (uint32_t)args.job.start);
        add_column<false>(window, pitch, args.groups, height, weight + args.groups * height, sum);
    }
}

/* The largest n <= max with (2n-1)^2 * d^2 <= 4 * (gx^2 + gy^2), whose right side is below 2^33.
 *
 * WHOLE: d = 1, and gx^2 + gy^2 is below 2^24, so that a float holds it. n is the rounded root. No
 * root is closer to a half than 1 / (8n), and a float's root below 256 is off by less than 2^-16.
 * ANY: the rounded quotient is off by 1 at most. */
template <int HOW> __device__ inline int length(const struct dp4a_args &args, int gx, int gy)
{
    const uint32_t square = (uint32_t)(gx * gx + gy * gy);
    const int max = (int)args.divide.max;
    const float root = sqrtf((float)square);
    int n;

    if (HOW == LENGTH_WHOLE)
        return min((int)(root + 0.5f), max);
    n = (int)fminf(root * args.divide.float_scale + 0.5f, (float)max);
    const int64_t four = 4 * (int64_t)square;
    const int64_t below = (2 * n - 1) * args.job.divisor, above = (2 * n + 1) * args.job.divisor;
    if (n > 0 && below * below > four)
        n--;
    else if (n < max && above * above <= four)
        n++;
    return n;
}

/* Samples of the sums of the channel at `window`. */
template <int SIDE, int HOW>
__device__ inline void make_samples(const struct dp4a_args &args, const uint32_t *window, int pitch,
                                    const uint4 *weight, int *sum)
{
    add_mask<SIDE>(args, window, pitch, weight, sum);
    if constexpr (IS_LENGTH(HOW)) {
        int gy[4 * ROWS] = {};
        add_unrolled<SIDE>(window, args.weight_y, gy);
#pragma unroll
        for (int i = 0; i < 4 * ROWS; i++)
            sum[i] = length<HOW>(args, sum[i], gy[i]);
    } else {
#pragma unroll
        for (int i = 0; i < 4 * ROWS; i++)
            sum[i] = divided<HOW>(args.divide, sum[i]);
    }
}

/* ---- the kernel ---- */

/* A block a tile:   memory -> N_ds (planes) -> sums -> P_ds (pixels, in N_ds's place) -> memory */
template <int N, int SIDE, int HOW>
__global__ void __launch_bounds__(THREADS, BLOCKS(N, SIDE, HOW))
    dp4a_filter(const __grid_constant__ dp4a_args args)
{
    extern __shared__ __align__(16) uint8_t shared[];
    const struct image_job &job = args.job;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int across = SIDE ? DP4A_PITCH(DP4A_SIDE_GROUPS(SIDE)) : DP4A_PITCH(args.groups);
    const int height = SIDE ? SIDE : job.mask_height;
    const int weights = SIDE ? 0 : args.planes * args.groups * height; /* of 16 bytes */
    const int plane = (DP4A_TILE_Y + height - 1) * across;
    const int x0 = blockIdx.x * DP4A_TILE_X, y0 = blockIdx.y * DP4A_TILE_Y;
    const int x = x0 - args.left, y = job.out_first_row + y0 - job.anchor_y;
    /* the last tile of a band needs fewer rows: those after them need not be there */
    const int rows = min(DP4A_TILE_Y, job.out_rows - y0) + height - 1;
    uint4 *A_ds = (uint4 *)shared;
    uint32_t *N_ds = (uint32_t *)(A_ds + weights);
    uint32_t samples[ROWS][N] = {};

    for (int i = threadIdx.x; i < weights; i += THREADS)
        A_ds[i] = __ldg((const uint4 *)job.fragments + i);
    stage_tile<N, THREADS, AT_ONCE(SIDE)>(job, planes_put<N>{N_ds, plane}, rows, across, x, y);
    __syncthreads();

    const uint32_t *window = N_ds + warp * ROWS * across + lane;
#pragma unroll 1
    for (int c = 0; c < N; c++, window += plane) {
        int q[4 * ROWS];
        make_samples<SIDE, HOW>(args, window, across, A_ds, q);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
#pragma unroll
            for (int k = 0; k < N - 1; k++) /* the last channel's place is the last */
                samples[r][k] = samples[r][k + 1];
            samples[r][N - 1] =
                pack_bytes(q[4 * r + 1], q[4 * r], pack_bytes(q[4 * r + 3], q[4 * r + 2], 0));
        }
    }
    __syncthreads(); /* all have read N_ds */

    uint32_t *P_ds = N_ds + warp * ROWS * 32 * N;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        put_pixels<N>(samples[r], P_ds + (r * 32 + lane) * N);
    __syncwarp();
    store_rows<N, ROWS>(job, (const uint4 *)P_ds, x0, y0 + warp * ROWS);
}

/* ---- launching ---- */

template <int N, int SIDE, int HOW>
static cudaError_t launch(const struct dp4a_args &args, cudaStream_t stream)
{
    const struct image_job *job = &args.job;
    const dim3 tiles((job->width + DP4A_TILE_X - 1) / DP4A_TILE_X,
                     (job->out_rows + DP4A_TILE_Y - 1) / DP4A_TILE_Y);
    size_t shared = dp4a_shared_bytes(job->mask_width, job->mask_height, job->anchor_x, N,
                                      SIDE ? 0 : args.planes);
    void (*kernel)(const dp4a_args) = dp4a_filter<N, SIDE, HOW>;
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);

    if (status != cudaSuccess)
        return status;
    kernel<<<tiles, THREADS, shared, stream>>>(args);
    return cudaGetLastError();
}

template <int N, int SIDE>
static cudaError_t launch_divide(const struct dp4a_args &args, cudaStream_t stream)
{
    switch (args.divide.how) {
    case DIVIDE_HIGH:
        return launch<N, SIDE, DIVIDE_HIGH>(args, stream);
    case DIVIDE_SHIFT:
        return launch<N, SIDE, DIVIDE_SHIFT>(args, stream);
    default:
        return launch<N, SIDE, DIVIDE_ANY>(args, stream);
    }
}

/* A gradient: two masks of DP4A_GRADIENT_SIDE cells a side. */
template <int N> static cudaError_t launch_gradient(struct dp4a_args &args, cudaStream_t stream)
{
    const int side = DP4A_GRADIENT_SIDE;

    args.job.start = 0;
    args.divide.float_scale = 1 / (float)args.job.divisor;
    dp4a_pack(args.job.weight, side, side, side / 2, 1, args.weight);
    dp4a_pack(args.job.weight_y, side, side, side / 2, 1, args.weight_y);
    return args.job.divisor == 1 && args.job.bound <= DP4A_WHOLE_BOUND
               ? launch<N, DP4A_GRADIENT_SIDE, LENGTH_WHOLE>(args, stream)
               : launch<N, DP4A_GRADIENT_SIDE, LENGTH_ANY>(args, stream);
}

template <int N> static cudaError_t launch_side(struct dp4a_args &args, cudaStream_t stream)
{
    const struct image_job *job = &args.job;
    const int side = job->mask_width;
    if (job->weight_y)
        return launch_gradient<N>(args, stream);
    if (args.planes != 1 || side > MAX_SIDE || job->mask_height != side ||
        job->anchor_x != side / 2)
        return launch_divide<N, 0>(args, stream);
    if (side == 3 || side == 5 || side == 7)
        dp4a_pack(job->weight, side, side, job->anchor_x, 1, args.weight);
    switch (side) {
    case 3:
        return launch_divide<N, 3>(args, stream);
    case 5:
        return launch_divide<N, 5>(args, stream);
    case 7:
        return launch_divide<N, 7>(args, stream);
    default:
        return launch_divide<N, 0>(args, stream);
    }
}

extern "C" cudaError_t dp4a_launch(const struct image_job *job, int weight_planes,
                                   cudaStream_t stream)
{
    struct int8_window window = int8_window_of(job->mask_width, job->mask_height, job->anchor_x);
    struct dp4a_args args = {};
    args.job = *job;
    args.divide = sample_divide_of(job);
    args.groups = window.groups;
    args.left = job->anchor_x + window.pad;
    args.planes = weight_planes;
    switch (job->channels) {
    case 1:
        return launch_side<1>(args, stream);
    case 2:
        return launch_side<2>(args, stream);
    case 3:
        return launch_side<3>(args, stream);
    default:
        return launch_side<4>(args, stream);
    }
}
