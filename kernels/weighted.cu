/* weighted: colour weighted by alpha, 8 bits, in one pass on any GPU from sm_75 on. Where the
 * textbook's kernels sum six planes and divide by way of device memory, a tile's pixels are
 * taken apart here in shared memory, into c*a of 16 bits for each colour, and a:
 *
 *    A = sum(w * a)       out_a = floor((A + floor(W/2)) / W)
 *    N = sum(w * c*a)     out_c = floor((N + floor(A/2)) / A)      W = d = sum(w), no offset
 *
 *    a thread: 4 outputs side by side, 4 of them one below the other, k = 5, pad 2
 *
 *    window, c*a     [. .][a b] [c d][e f] [g h][. .]  the weights of dp4a.cu, shifted by j bytes;
 *      output j = 0   . .  w w   w w  w .   . .  . .   one instruction takes two cells, and a word
 *             j = 1   . .  . w   w w  w w   . .  . .   of four of them brings four weights: its
 *             j = 2   . .  . .   w w  w w   w .  . .   lower half for two cells, the upper one for
 *             j = 3   . .  . .   . w  w w   w w  . .   the next two; halves of zeros are left out
 *
 * Alpha comes first: A is where the sums of the colours divide, and A/2 where they begin. Where A
 * is 0 the plain quotient stands, floor((sum(w * c) + floor(W/2)) / W): that is the formula with
 * alpha 1 everywhere, and a tile that has such a pixel is staged and summed so once more.
 *
 * Weights past 8 bits are up to three planes, w = 65536 * high + 256 * middle + low: the sum of
 * the high ones first, times 256, and so on. Modulo 2^32 that is as good as whole sums: see
 * quotient().
 *
 * Shared memory   (8 * channels - 4) * (32 + k - 1) * (31 + (k + pad + 6) / 4), and for masks of no
 *                 unrolled size 16 * k * ((k + pad + 6) / 4) a plane of packed weights
 * Bytes moved     4 in, 4 out a pixel (RGBA), the halo from L2
 * Measured        see kernels/README.md */
#include "dp4a_window.h"
#include "pixel_tile.cuh"
#include "ptx.cuh"

/* Masks of one plane whose loops are unrolled, their weights among the kernel's arguments: squares
 * with the anchor in the middle. */
#define MAX_SIDE       9
#define SIDE_PAD(side) ((4 - (side) / 2 % 4) % 4)
#define GROUPS(side)   (((side) + 3 + SIDE_PAD(side) + 3) / 4)

#define ROWS    4 /* output rows of a thread */
#define SUMS    (4 * ROWS)
#define THREADS (DP4A_TILE_Y / ROWS * 32)

/* Blocks that a multiprocessor is to hold: as many as the registers allow without spilling. */
#define BLOCKS(channels, side, wide) ((wide) ? 2 : 3)

/* Words that a thread loads before it waits for the first: where they are known, all of them. */
#define TILE_WORDS(side) ((DP4A_TILE_Y + (side)-1) * DP4A_PITCH(GROUPS(side)))
#define AT_ONCE(side)    ((side) ? (TILE_WORDS(side) + THREADS - 1) / THREADS : 4)

/* Does output J of four see one of two cells, the lower or upper HALF of word W? */
#define SEES_HALF(w, half, j, pad, width)                                                          \
    (4 * (w) + 2 * (half) + 1 >= (j) + (pad) && 4 * (w) + 2 * (half) < (j) + (pad) + (width))

struct weighted_args {
    struct image_job job;
    int groups, left; /* of a window: words; cells before the first output's anchor */
    int planes;       /* of weights */
    uint32_t weight[MAX_SIDE * GROUPS(MAX_SIDE) * 4]; /* of an unrolled mask */
};

/* ---- pixels to products ---- */

/* Four cells times four alphas, one in each of `alpha`: 16 bits each. */
template <int N, int C>
__device__ inline void put_products(const uint32_t *pixels, const uint32_t *alpha, uint2 *N_ds,
                                    int plane)
{
    uint32_t cells = gather<C, N + C, 2 * N + C, 3 * N + C>(pixels), product[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        product[i] = (uint32_t)product_bytes<false>(cells, alpha[i], 0);
    N_ds[C * plane] = make_uint2(__byte_perm(product[0], product[1], 0x5410),
                                 __byte_perm(product[2], product[3], 0x5410));
    if constexpr (C < N - 2)
        put_products<N, C + 1>(pixels, alpha, N_ds, plane);
}

/* Where staged pixels go: N - 1 planes of colour, then that of alpha, which is 1 everywhere if
 * plain. */
template <int N> struct products_put {
    uint2 *N_ds;
    int plane;
    bool plain;
    __device__ void operator()(int word, const uint32_t *pixels) const
    {
        uint32_t a = gather<N - 1, 2 * N - 1, 3 * N - 1, 4 * N - 1>(pixels);
        a = plain ? 0x01010101 : a;
        const uint32_t alpha[4] = {a & 0xff, a & 0xff00, a & 0xff0000, a & 0xff000000};
        put_products<N, 0>(pixels, alpha, N_ds + word, plane);
        ((uint32_t *)(N_ds + (N - 1) * plane))[word] = a;
    }
};

/* ---- sums ---- */

__device__ inline uint32_t add_cells(const uint32_t &cells, uint32_t weights, uint32_t sum)
{
    return (uint32_t)product_bytes<false>(cells, weights, (int)sum);
}

__device__ inline uint32_t add_cells(const uint2 &cells, uint32_t weights, uint32_t sum)
{
    return __dp2a_hi(cells.y, weights, __dp2a_lo(cells.x, weights, sum));
}

/* Sums of an unrolled mask, sum[4 * row + j]: of alpha, */
template <int SIDE>
__device__ inline void add_unrolled(const uint32_t *window, const uint32_t *weight, uint32_t *sum)
{
#pragma unroll
    for (int y = 0; y < ROWS + SIDE - 1; y++)
#pragma unroll
        for (int w = 0; w < GROUPS(SIDE); w++) {
            uint32_t cells = window[y * DP4A_PITCH(GROUPS(SIDE)) + w];
#pragma unroll
            for (int i = 0; i < SUMS; i++) {
                const int row = y - i / 4, j = i % 4; /* of the mask */
                if (row >= 0 && row < SIDE && DP4A_SEES(w, j, SIDE_PAD(SIDE), SIDE))
                    sum[i] = add_cells(cells, weight[(w * SIDE + row) * 4 + j], sum[i]);
            }
        }
}

/* and of products. */
template <int SIDE>
__device__ inline void add_unrolled(const uint2 *window, const uint32_t *weight, uint32_t *sum)
{
#pragma unroll
    for (int y = 0; y < ROWS + SIDE - 1; y++)
#pragma unroll
        for (int w = 0; w < GROUPS(SIDE); w++) {
            uint2 cells = window[y * DP4A_PITCH(GROUPS(SIDE)) + w];
#pragma unroll
            for (int i = 0; i < SUMS; i++) {
                const int row = y - i / 4, j = i % 4;
                if (row < 0 || row >= SIDE)
                    continue;
                const uint32_t weights = weight[(w * SIDE + row) * 4 + j];
                if (SEES_HALF(w, 0, j, SIDE_PAD(SIDE), SIDE))
                    sum[i] = __dp2a_lo(cells.x, weights, sum[i]);
                if (SEES_HALF(w, 1, j, SIDE_PAD(SIDE), SIDE))
                    sum[i] = __dp2a_hi(cells.y, weights, sum[i]);
            }
        }
}

/* Sums of one plane of any mask's weights over a column of words. */
template <typename CELLS>
__device__ inline void add_column(const CELLS *next, int pitch, int height, const uint4 *weight,
                                  uint32_t *sum)
{
    CELLS cells[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS - 1; r++, next += pitch)
        cells[r] = *next;
#pragma unroll 4
    for (int i = 0; i < height; i++, next += pitch) {
        uint4 a = *weight++;
        cells[ROWS - 1] = *next;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            sum[4 * r] = add_cells(cells[r], a.x, sum[4 * r]);
            sum[4 * r + 1] = add_cells(cells[r], a.y, sum[4 * r + 1]);
            sum[4 * r + 2] = add_cells(cells[r], a.z, sum[4 * r + 2]);
            sum[4 * r + 3] = add_cells(cells[r], a.w, sum[4 * r + 3]);
        }
#pragma unroll
        for (int r = 0; r < ROWS - 1; r++)
            cells[r] = cells[r + 1];
    }
}

/* Adds the whole mask to sums modulo 2^32 that are below 2^32 at the beginning. */
template <int SIDE, typename CELLS>
__device__ inline void add_mask(const struct weighted_args &args, const CELLS *window, int pitch,
                                const uint4 *weight, uint32_t *sum)
{
    if constexpr (SIDE != 0) {
        add_unrolled<SIDE>(window, args.weight, sum);
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
                add_column(window + w, pitch, height, weight, sum);
        }
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            sum[i] += start[i];
    }
}

/* The same where sums pass 2^32, and how large they are, about: those of a column of words do not
 * pass it, and no float is rounded more than 2^8 times. */
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
            add_column(window + w, pitch, height, weight, part);
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

/* floor(v / d) in the lowest byte, for v < 256 * d + d/2 and d < 2^31; sum is v modulo 2^32, size v
 * within 2^-11 of itself. So size * share is at most v/d and at least (1 - 2^-9) * v/d, which is
 * less than 0.51 away. Rounded down (2^23 and more have no fractions) it is q0 = q or q - 1, r = v
 * - q0*d is from 0 to 2d - 1 < 2^32 and as such exact modulo 2^32, and says which. */
__device__ inline uint32_t quotient(uint32_t sum, float size, uint32_t d, float share)
{
    uint32_t q = __float_as_uint(__fmaf_rd(size, share, 0x1p23f)) - 0x4b000000;
    return q + (sum - q * d >= d);
}

/* Four bytes, each the lowest of a word, as one word. */
__device__ inline uint32_t pack_lowest(const uint32_t *q)
{
    return __byte_perm(__byte_perm(q[0], q[1], 0x0040), __byte_perm(q[2], q[3], 0x0040), 0x5410);
}

/* ---- a tile ---- */

/* Samples of alpha, sums of which are `cover`. */
__device__ inline void divide_alpha(const struct image_job &job, const uint32_t *cover,
                                    uint32_t *samples)
{
    const uint32_t d = (uint32_t)job.divisor;
    const float share = share_of(d);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        uint32_t q[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            uint32_t sum = cover[4 * r + j] + d / 2;
            q[j] = quotient(sum, (float)sum, d, share);
        }
        samples[r] = pack_lowest(q);
    }
}

/* Which bytes of a thread's samples, from column x and row y of the output on, are of pixels of the
 * picture that nothing covers. */
__device__ inline bool find_uncovered(const struct image_job &job, const uint32_t *cover, int x,
                                      int y, uint32_t *uncovered)
{
    uint32_t any = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        uncovered[r] = 0;
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (cover[4 * r + j] == 0 && x + j < job.width && y + r < job.out_rows)
                uncovered[r] |= 0xffu << 8 * j;
        any |= uncovered[r];
    }
    return any != 0;
}

/* ---- the kernel ---- */

/* A block a tile:   memory -> N_ds (planes) -> sums -> P_ds (pixels, in N_ds's place) -> memory */
template <int N, int SIDE, bool WIDE>
__global__ void __launch_bounds__(THREADS, BLOCKS(N, SIDE, WIDE))
    weighted_filter(const __grid_constant__ weighted_args args)
{
    extern __shared__ __align__(16) uint8_t shared[];
    const struct image_job &job = args.job;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int across = SIDE ? DP4A_PITCH(GROUPS(SIDE)) : DP4A_PITCH(args.groups);
    const int height = SIDE ? SIDE : job.mask_height;
    const int weights = SIDE ? 0 : args.planes * args.groups * height; /* of 16 bytes */
    const int plane = (DP4A_TILE_Y + height - 1) * across;
    const int x0 = blockIdx.x * DP4A_TILE_X, y0 = blockIdx.y * DP4A_TILE_Y + warp * ROWS;
    const int y = job.out_first_row + (int)blockIdx.y * DP4A_TILE_Y - job.anchor_y;
    /* the last tile of a strip needs fewer rows: those after them need not be there */
    const int rows = min(DP4A_TILE_Y, job.out_rows - (int)blockIdx.y * DP4A_TILE_Y) + height - 1;
    uint4 *A_ds = (uint4 *)shared;
    uint2 *N_ds = (uint2 *)(A_ds + weights);
    const int first = warp * ROWS * across + lane; /* of a thread's window */
    uint32_t samples[ROWS][N] = {}, wanted[ROWS], cover[SUMS];
    float share[SUMS];

    for (int i = threadIdx.x; i < weights; i += THREADS)
        A_ds[i] = __ldg((const uint4 *)job.fragments + i);
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        wanted[r] = ~0u;
#pragma unroll 1
    for (bool plain = false;; plain = true) {
        stage_tile<N, THREADS, AT_ONCE(SIDE)>(job, products_put<N>{N_ds, plane, plain}, rows,
                                              across, x0 - args.left, y);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            cover[i] = 0;
        add_mask<SIDE>(args, (const uint32_t *)(N_ds + (N - 1) * plane) + first, across, A_ds,
                       cover);
        if (!plain) {
            uint32_t alpha[ROWS];
            divide_alpha(job, cover, alpha);
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                samples[r][N - 1] = alpha[r];
        }
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            share[i] = share_of(cover[i]);
#pragma unroll 1
        for (int c = 0; c < N - 1; c++) {
            uint32_t sum[SUMS];
            float size[SUMS];
#pragma unroll
            for (int i = 0; i < SUMS; i++)
                sum[i] = cover[i] / 2;
            if constexpr (WIDE) {
                add_mask_wide(args, N_ds + c * plane + first, across, A_ds, sum, size);
            } else {
                add_mask<SIDE>(args, N_ds + c * plane + first, across, A_ds, sum);
#pragma unroll
                for (int i = 0; i < SUMS; i++)
                    size[i] = (float)sum[i];
            }
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                uint32_t q[4], before = samples[r][0];
#pragma unroll
                for (int j = 0; j < 4; j++)
                    q[j] = quotient(sum[4 * r + j], size[4 * r + j], cover[4 * r + j],
                                    share[4 * r + j]);
#pragma unroll
                for (int k = 0; k < N - 2; k++) /* each colour's turn is the first place's */
                    samples[r][k] = samples[r][k + 1];
                samples[r][N - 2] = (pack_lowest(q) & wanted[r]) | (before & ~wanted[r]);
            }
        }
        if (plain)
            break;
        if (!__syncthreads_or(find_uncovered(job, cover, x0 + 4 * lane, y0, wanted)))
            break;
    }
    __syncthreads(); /* all have read N_ds */

    uint32_t *P_ds = (uint32_t *)N_ds + warp * ROWS * 32 * N;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        put_pixels<N>(samples[r], P_ds + (r * 32 + lane) * N);
    __syncwarp();
    store_rows<N, ROWS>(job, (const uint4 *)P_ds, x0, y0);
}

/* ---- launching ---- */

template <int N, int SIDE, bool WIDE>
static cudaError_t launch(const struct weighted_args &args, cudaStream_t stream)
{
    const struct image_job *job = &args.job;
    const dim3 tiles((job->width + DP4A_TILE_X - 1) / DP4A_TILE_X,
                     (job->out_rows + DP4A_TILE_Y - 1) / DP4A_TILE_Y);
    size_t shared = weighted_shared_bytes(job->mask_width, job->mask_height, job->anchor_x, N,
                                          SIDE ? 0 : args.planes);
    void (*kernel)(const weighted_args) = weighted_filter<N, SIDE, WIDE>;
    cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared);

    if (status != cudaSuccess)
        return status;
    kernel<<<tiles, THREADS, shared, stream>>>(args);
    return cudaGetLastError();
}

template <int N> static cudaError_t launch_side(struct weighted_args &args, cudaStream_t stream)
{
    const struct image_job *job = &args.job;
    const int side = job->mask_width;
    if (weighted_is_wide(job->max, job->divisor))
        return launch<N, 0, true>(args, stream);
    if (args.planes != 1 || side < 3 || side > MAX_SIDE || side % 2 == 0 ||
        job->mask_height != side || job->anchor_x != side / 2)
        return launch<N, 0, false>(args, stream);
    dp4a_pack(job->weight, side, side, job->anchor_x, 1, args.weight);
    switch (side) {
    case 3:
        return launch<N, 3, false>(args, stream);
    case 5:
        return launch<N, 5, false>(args, stream);
    case 7:
        return launch<N, 7, false>(args, stream);
    default:
        return launch<N, 9, false>(args, stream);
    }
}

extern "C" cudaError_t weighted_launch(const struct image_job *job, int weight_planes,
                                       cudaStream_t stream)
{
    struct int8_window window = int8_window_of(job->mask_width, job->mask_height, job->anchor_x);
    struct weighted_args args = {};
    args.job = *job;
    args.groups = window.groups;
    args.left = job->anchor_x + window.pad;
    args.planes = weight_planes;
    return job->channels == 2 ? launch_side<2>(args, stream) : launch_side<4>(args, stream);
}
