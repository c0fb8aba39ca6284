/* int8: exact 8-bit convolution on the int8 matrix units, for any mask up to about
 * 33 cells wide. A tile's pixels are split into one plane a channel in shared memory.
 * The mask becomes a matrix, and one matrix product makes 16 outputs of 8 blocks.
 *
 *   block of 4 x 4 outputs (the 16 rows of A)      its window: 4 + k - 1 cells a side,
 *                                                  in groups of 4 cells (the columns of A)
 *        . . . . . . . .
 *        . [o o o o] . .      A[output][window cell] = w[cell - output] or 0: the mask,
 *        . [o o o o] . .                               shifted to each of the 16 places
 *        . [o o o o] . .      B[window cell][block]  = the pixels, straight from shared
 *        . [o o o o] . .                               memory, 4 bytes a load; 8 blocks side
 *        . . . . . . . .                               by side are the 8 columns of B
 *
 * mma.sync m16n8k32 (s8 or u8 weights, u8 pixels, s32 sums) then gives 128 exact sums. A window of
 * G groups and 4 + k - 1 rows takes ceil(G * (k + 3) / 8) of them: k = 3, 5, 7, 9, 15: 3, 3, 4, 5,
 * 12. (One mask row at a time would take k, on interleaved pixels more: most of the band is zeros.)
 * Weights beyond int8 are two matrices, w = 256 * high + low, low unsigned: still exact.
 *
 * Shared memory   planes * (32 + k - 1) * (160 + 176) + 32 * (128 * planes + 16) + packed weights
 * Bytes moved     3 in, 3 out a pixel, the halo from L2
 * Measured        see docs/lab/int8.md */
#include "int8_pixels.cuh"

#define GROUPS 4 /* columns of 8 blocks that share one load of the weights: the tile's width */

/* ---- the products ---- */

/* sm_75 has no such product: never launched there. */
template <bool SIGNED>
__device__ inline void mma(int *sum, const uint4 &a, uint32_t b0, uint32_t b1, const int *c)
{
#if __CUDA_ARCH__ >= 800
    product_32<SIGNED, false>(sum, a.x, a.y, a.z, a.w, b0, b1, c);
#endif
}

/* Proved: the division by d is exact as a multiplication and a shift.
 *
 * FAST plans (bound < 2^30, 4 <= d, max 255) divide signed numbers:
 * q = mulhi(v, multiplier) >> shift with multiplier = ceil(2^(30+l) / d) < 2^31, 2^(l-1) < d <=
 * 2^l, shift = l - 2. The multiplier is too large by less than d / d <= 1 part in 2^(30+l), so v <
 * 2^30 gives floor(v / d); a negative v gives something negative, and the saturating pack makes it
 * 0. Others: unsigned with one bit more, multiplier = ceil(2^(31+l) / d), shift = l - 1, for v <
 * 2^31; d = 1 has no such multiplier: shift is -1. */
struct divide {
    uint32_t multiplier;
    int shift;
    uint32_t max;
    bool fast;
};

static struct divide divide_of(const struct image_job *job)
{
    struct divide d;
    int l = 0;
    while (((int64_t)1 << l) < job->divisor)
        l++;
    d.max = job->max;
    d.fast = job->bound < 1 << 30 && l >= 2 && job->max == 255;
    d.shift = d.fast ? l - 2 : l - 1;
    d.multiplier = l ? (uint32_t)((((uint64_t)1 << ((d.fast ? 30 : 31) + l)) + job->divisor - 1) /
                                  job->divisor)
                     : 0;
    return d;
}

/* Two quotients as two bytes. */
template <bool FAST> __device__ inline uint32_t divided(const struct divide &d, int low, int high)
{
    if (FAST) {
        low = __mulhi(low, (int)d.multiplier) >> d.shift;
        high = __mulhi(high, (int)d.multiplier) >> d.shift;
        return pack_bytes(high, low, 0);
    }
    uint32_t u = max(low, 0), v = max(high, 0);
    u = d.shift < 0 ? u : __umulhi(u, d.multiplier) >> d.shift;
    v = d.shift < 0 ? v : __umulhi(v, d.multiplier) >> d.shift;
    return min(u, d.max) | min(v, d.max) << 8;
}

/* Two neighbouring samples of one channel into interleaved pixels. */
template <int N> __device__ inline void put_pair(uint8_t *P, uint32_t pair)
{
    if (N == 1) {
        *(uint16_t *)P = (uint16_t)pair;
    } else {
        P[0] = (uint8_t)pair;
        P[N] = (uint8_t)(pair >> 8);
    }
}

/* Four rows of the tile in one plane: GROUPS times 8 blocks, by one warp. STEPS: the products a
 * block takes, with their weights kept in registers (A, at); 0: any number, from shared memory. */
template <int N, int PLANES, int STEPS, bool FAST>
__device__ inline void filter_rows(const uint8_t *window, const uint4 *A, const int2 *at, int steps,
                                   int start, const struct divide &d, uint8_t *P)
{
    int lane = threadIdx.x % 32;
    int sum[PLANES][GROUPS][4];
    const int first[4] = {start, start, start, start}, zero[4] = {};

    if (STEPS == 0) {
#pragma unroll
        for (int i = 0; i < 4 * GROUPS; i++) {
            sum[0][i / 4][i % 4] = start;
            if (PLANES == 2)
                sum[PLANES - 1][i / 4][i % 4] = 0;
        }
    }
#pragma unroll
    for (int step = 0; step < (STEPS ? STEPS : steps); step++) {
        bool begins = STEPS && step == 0; /* known at compile time: no registers are set first */
        uint4 low = STEPS ? A[step] : A[step * 32 + lane], high;
        int2 from = STEPS ? at[step] : at[step * 4 + lane % 4];
        if (PLANES == 2)
            high = STEPS ? A[STEPS + step] : A[(steps + step) * 32 + lane];
#pragma unroll
        for (int i = 0; i < GROUPS; i++) {
            uint32_t b0 = *(const uint32_t *)(window + from.x + 32 * i);
            uint32_t b1 = *(const uint32_t *)(window + from.y + 32 * i);
            mma<PLANES == 1>(sum[0][i], low, b0, b1, begins ? first : sum[0][i]);
            if (PLANES == 2)
                mma<true>(sum[PLANES - 1][i], high, b0, b1, begins ? zero : sum[PLANES - 1][i]);
        }
    }
#pragma unroll
    for (int i = 0; i < GROUPS; i++) {
        int s[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
            s[k] = PLANES == 1 ? sum[0][i][k] : sum[0][i][k] + 256 * sum[PLANES - 1][i][k];
        put_pair<N>(P + 32 * i * N, divided<FAST>(d, s[0], s[2]));
        put_pair<N>(P + (32 * i + 4) * N, divided<FAST>(d, s[1], s[3]));
    }
}

/* ---- the kernel ---- */

struct int8_args {
    struct image_job job;
    struct divide divide;
    struct int8_window window;
    int across;         /* tiles side by side */
    int step_x, step_y; /* from a block's tile to its next, in tiles */
};

/* The planes of one tile: each warp takes rows of four, plane after plane. */
template <int N, int PLANES, int STEPS, bool FAST>
__device__ void filter_tile(const struct int8_args &args, const uint8_t *N_ds, int rows,
                            const uint4 *A, const int2 *at, uint8_t *P_ds)
{
    int lane = threadIdx.x % 32, t = lane % 4, g = lane / 4; /* g: block of the first eight */
    const uint8_t *window = N_ds + HALO_X - args.job.anchor_x - args.window.pad + 4 * g;
    uint8_t *P = P_ds + g / 2 * INT8_OUT_PITCH(N) + (8 * t + g % 2 * 2) * N;

    for (int unit = threadIdx.x / 32; unit < N * (TILE_Y / 4); unit += THREADS / 32) {
        int c = unit / (TILE_Y / 4), y = unit % (TILE_Y / 4) * 4;
        filter_rows<N, PLANES, STEPS, FAST>(window + (c * rows + y) * IN_PITCH, A, at,
                                            args.window.steps, args.job.start, args.divide,
                                            P + y * INT8_OUT_PITCH(N) + c);
    }
}

/* Input rows of the tile that begins at output row y0: the last tile of a band has fewer, and the
 * rows after them need not be there. */
__device__ inline int rows_needed(const struct image_job &job, int y0)
{
    return min(TILE_Y, job.out_rows - y0) + job.mask_height - 1;
}

/* Blocks stay and walk the tiles, so that the next tile is on its way while this one is summed:
 *   raw (fetched) -> N_ds (planes) -> P_ds (finished pixels) -> memory */
template <int N, int PLANES, int STEPS, bool FAST>
__global__ void __launch_bounds__(THREADS, 4) int8_mma(const __grid_constant__ int8_args args)
{
    extern __shared__ __align__(16) uint8_t shared[];
    __shared__ uint64_t barrier;
    const struct image_job &job = args.job;
    int rows = TILE_Y + job.mask_height - 1, steps = args.window.steps;
    int weight_words = PLANES * steps * 32 + steps * 2; /* of 16 bytes */
    uint4 *A_ds = (uint4 *)shared;
    const int2 *at_ds = (const int2 *)(A_ds + PLANES * steps * 32);
    uint8_t *raw = shared + weight_words * 16, *N_ds = raw + rows * INT8_RAW_PITCH * N;
    uint8_t *P_ds = N_ds + N * rows * IN_PITCH;
    int first_row = job.out_first_row - job.anchor_y;
    int x0 = blockIdx.x % args.across * TILE_X, y0 = (int)blockIdx.x / args.across * TILE_Y;
    uint4 A[STEPS ? PLANES * STEPS : 1];
    int2 at[STEPS ? STEPS : 1];
    int phase = 0;

    arrivals_init(&barrier);
    for (int i = threadIdx.x; i < weight_words; i += THREADS)
        A_ds[i] = __ldg((const uint4 *)job.fragments + i);
    __syncthreads();
    fetch<N>(job, raw, rows_needed(job, y0), x0, first_row + y0, &barrier);
    __syncthreads(); /* its ghost cells are there */
#pragma unroll
    for (int i = 0; i < PLANES * STEPS; i++)
        A[i] = A_ds[i * 32 + threadIdx.x % 32];
#pragma unroll
    for (int i = 0; i < STEPS; i++)
        at[i] = at_ds[i * 4 + threadIdx.x % 4];

    while (y0 < job.out_rows) {
        int next_x0 = x0 + args.step_x * TILE_X, next_y0 = y0 + args.step_y * TILE_Y;
        if (next_x0 >= args.across * TILE_X) {
            next_x0 -= args.across * TILE_X;
            next_y0 += TILE_Y;
        }
        arrivals_wait(&barrier, phase);
        phase ^= 1;
        split<N>(raw, N_ds, rows);
        departures_wait();
        __syncthreads(); /* N_ds is there, raw is free, and the last tile's pixels have left P_ds */
        if (next_y0 < job.out_rows)
            fetch<N>(job, raw, rows_needed(job, next_y0), next_x0, first_row + next_y0, &barrier);
        filter_tile<N, PLANES, STEPS, FAST>(args, N_ds, rows, STEPS ? A : A_ds, STEPS ? at : at_ds,
                                            P_ds);
        departures_fence();
        __syncthreads(); /* P_ds is there, and N_ds is free */
        store<N>(job, P_ds, x0, y0);
        x0 = next_x0;
        y0 = next_y0;
    }
    departures_wait(); /* the block's shared memory ends with it */
}

/* ---- launching ---- */

template <int N, int PLANES, int STEPS, bool FAST>
static cudaError_t launch(struct int8_args args, cudaStream_t stream)
{
    int blocks = 0, device = 0, processors = 0;
    int across = (args.job.width + TILE_X - 1) / TILE_X;
    int tiles = across * ((args.job.out_rows + TILE_Y - 1) / TILE_Y);
    size_t shared = int8_mma_shared_bytes(args.job.mask_width, args.job.mask_height,
                                          args.job.anchor_x, N, PLANES);
    void (*kernel)(const int8_args) = int8_mma<N, PLANES, STEPS, FAST>;
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);

    if (status == cudaSuccess)
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, THREADS, shared);
    if (status == cudaSuccess)
        status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (status != cudaSuccess)
        return status;
    if (blocks < 1)
        return cudaErrorInvalidConfiguration;
    blocks = blocks * processors < tiles ? blocks * processors : tiles;
    /* A step that shares no factor with the row of tiles, so that the dearer tiles at the edges
     * fall to all blocks alike. */
    while (blocks > 1 && blocks < tiles && has_common_factor(blocks, across))
        blocks--;
    args.across = across;
    args.step_x = blocks % across;
    args.step_y = blocks / across;
    kernel<<<blocks, THREADS, shared, stream>>>(args);
    return cudaGetLastError();
}

template <int N, int PLANES>
static cudaError_t launch_steps(const struct image_job *job, cudaStream_t stream)
{
    struct int8_args args;
    args.job = *job;
    args.window = int8_window_of(job->mask_width, job->mask_height, job->anchor_x);
    args.divide = divide_of(job);
    if (!args.divide.fast)
        return launch<N, PLANES, 0, false>(args, stream);
    if constexpr (PLANES == 1 && N % 2) { /* two planes' weights do not fit the registers */
        switch (args.window.steps) {      /* square masks of 3 and 5, and 7 */
        case 3:
            return launch<N, PLANES, 3, true>(args, stream);
        case 4:
            return launch<N, PLANES, 4, true>(args, stream);
        }
    }
    return launch<N, PLANES, 0, true>(args, stream);
}

template <int N>
static cudaError_t launch_planes(const struct image_job *job, int planes, cudaStream_t stream)
{
    return planes == 1 ? launch_steps<N, 1>(job, stream) : launch_steps<N, 2>(job, stream);
}

extern "C" cudaError_t int8_mma_launch(const struct image_job *job, int weight_planes,
                                       cudaStream_t stream)
{
    switch (job->channels) {
    case 1:
        return launch_planes<1>(job, weight_planes, stream);
    case 2:
        return launch_planes<2>(job, weight_planes, stream);
    case 3:
        return launch_planes<3>(job, weight_planes, stream);
    default:
        return launch_planes<4>(job, weight_planes, stream);
    }
}
