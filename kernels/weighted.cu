/* weighted: colour weighted by alpha, 8 bits, in one pass on any GPU from sm_75 on. The
 * textbook's kernels need six planes for that and a division by way of device memory; here a
 * tile's pixels are split in shared memory, into c*a of 16 bits for each colour, and a:
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
 * Alpha is summed first, because the colours' sums begin at A/2 and are divided by A. Where A is
 * 0 the plain quotient floor((sum(w * c) + floor(W/2)) / W) is written. That is the same formula
 * with alpha 1 everywhere, so a tile with such a pixel is staged and summed a second time.
 *
 * Weights past 8 bits become up to three planes, w = 65536 * high + 256 * middle + low: the high
 * ones are summed first and multiplied by 256, then the middle ones are added, and so on. Sums
 * modulo 2^32 are enough: see quotient().
 *
 * Shared memory   (8 * channels - 4) * (16 + k - 1) * (31 + (k + pad + 6) / 4) + 2048 * channels,
 *                 and past 5 x 5 16 * k * ((k + pad + 6) / 4) a plane of packed weights
 * Bytes moved     4 in, 4 out a pixel (RGBA), the halo from L2
 * Measured        see docs/lab/weighted.md */
#include "pixel_tile.cuh"
#include "weighted_sums.cuh"

#define THREADS (WEIGHTED_TILE_Y / ROWS * 32)

/* Blocks that a multiprocessor is to hold: as many as the registers allow without spilling. */
#define BLOCKS(channels, wide) ((wide) ? 3 : (channels) == 4 ? 5 : 6)

/* Words that a thread loads before it waits for the first: where they are known all of them, if the
 * registers allow. */
#define TILE_WORDS(side)  ((WEIGHTED_TILE_Y + (side)-1) * DP4A_PITCH(DP4A_SIDE_GROUPS(side)))
#define KNOWN_WORDS(side) ((TILE_WORDS(side) + THREADS - 1) / THREADS)
#define AT_ONCE(side)     ((side) == 0 || (side) == 9 ? 4 : KNOWN_WORDS(side))

/* ---- pixels to products ---- */

/* Where staged pixels go: N - 1 planes of colour, then that of alpha, which is 1 everywhere if
 * plain. */
template <int N> struct products_put {
    uint2 *N_ds;
    int plane;
    bool plain;
    __device__ void operator()(int word, const uint32_t *pixels) const
    {
        uint32_t cells[4] = {};
        if constexpr (N == 4) {
            transpose_bytes(pixels, cells);
        } else {
            cells[0] = gather<0, 2, 4, 6>(pixels);
            cells[1] = gather<1, 3, 5, 7>(pixels);
        }
        const uint32_t a = plain ? 0x01010101 : cells[N - 1];
#pragma unroll
        for (int c = 0; c < N - 1; c++) { /* times one alpha each, the others 0 */
            const int p0 = product_bytes<false>(cells[c], a & 0xff, 0),
                      p1 = product_bytes<false>(cells[c], a & 0xff00, 0),
                      p2 = product_bytes<false>(cells[c], a & 0xff0000, 0),
                      p3 = product_bytes<false>(cells[c], a & 0xff000000, 0);
            N_ds[c * plane + word] =
                make_uint2(__byte_perm(p0, p1, 0x5410), __byte_perm(p2, p3, 0x5410));
        }
        ((uint32_t *)(N_ds + (N - 1) * plane))[word] = a;
    }
};

/* ---- a tile ---- */

/* Samples of alpha, of which `cover` are the sums. */
__device__ inline void put_alpha(const struct image_job &job, const uint32_t *cover, uint32_t *to)
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
        to[r * 32] = pack_lowest(q);
    }
}

/* Which bytes of a thread's samples (from column x and row y of the output on) belong to pixels of
 * the picture that nothing covers. Mostly none. */
__device__ inline bool find_uncovered(const struct image_job &job, const uint32_t *cover, int x,
                                      int y, uint32_t *uncovered)
{
    uint32_t any = 0, least = cover[0];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        uncovered[r] = 0;
#pragma unroll
    for (int i = 1; i < SUMS; i++)
        least = min(least, cover[i]);
    if (least != 0)
        return false;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (cover[4 * r + j] == 0 && x + j < job.width && y + r < job.out_rows)
                uncovered[r] |= 0xffu << 8 * j;
        any |= uncovered[r];
    }
    return any != 0;
}

/* ---- the kernel ---- */

/* A block a tile:   memory -> N_ds (planes) -> sums -> P_ds (samples, then pixels) -> memory */
template <int N, int SIDE, bool WIDE>
__global__ void __launch_bounds__(THREADS, BLOCKS(N, WIDE))
    weighted_filter(const __grid_constant__ weighted_args args)
{
    extern __shared__ __align__(16) uint8_t shared[];
    const struct image_job &job = args.job;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int across = SIDE ? DP4A_PITCH(DP4A_SIDE_GROUPS(SIDE)) : DP4A_PITCH(args.groups);
    const int height = SIDE ? SIDE : job.mask_height;
    const int weights = IN_SHARED(SIDE) ? args.planes * args.groups * height : 0; /* of 16 bytes */
    const int plane = (WEIGHTED_TILE_Y + height - 1) * across;
    const int x0 = blockIdx.x * DP4A_TILE_X, y0 = blockIdx.y * WEIGHTED_TILE_Y + warp * ROWS;
    const int y = job.out_first_row + (int)blockIdx.y * WEIGHTED_TILE_Y - job.anchor_y;
    /* the last tile of a band needs fewer rows: those after them need not be there */
    const int rows =
        min(WEIGHTED_TILE_Y, job.out_rows - (int)blockIdx.y * WEIGHTED_TILE_Y) + height - 1;
    uint4 *A_ds = (uint4 *)shared;
    uint32_t *P_ds = (uint32_t *)(A_ds + weights) + warp * ROWS * 32 * N; /* of a warp */
    uint2 *N_ds = (uint2 *)(A_ds + weights + THREADS * ROWS * N / 4);
    const int first = warp * ROWS * across + lane; /* of a thread's window */
    uint32_t wanted[ROWS], cover[SUMS];
    float share[SUMS];

    for (int i = threadIdx.x; i < weights; i += THREADS)
        A_ds[i] = __ldg((const uint4 *)job.fragments + i);
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
        if (!plain)
            put_alpha(job, cover, P_ds + (N - 1) * ROWS * 32 + lane);
#pragma unroll
        for (int i = 0; i < SUMS; i++)
            share[i] = share_of(cover[i]);
#pragma unroll 1
        for (int c = 0; c < N - 1; c++) {
            uint32_t sum[SUMS], *to = P_ds + c * ROWS * 32 + lane;
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
                uint32_t q[4];
#pragma unroll
                for (int j = 0; j < 4; j++)
                    q[j] = quotient(sum[4 * r + j], size[4 * r + j], cover[4 * r + j],
                                    share[4 * r + j]);
                to[r * 32] = plain ? (pack_lowest(q) & wanted[r]) | (to[r * 32] & ~wanted[r])
                                   : pack_lowest(q);
            }
        }
        if (plain || !__syncthreads_or(find_uncovered(job, cover, x0 + 4 * lane, y0, wanted)))
            break;
    }

    uint32_t samples[ROWS][N];
#pragma unroll
    for (int i = 0; i < ROWS * N; i++)
        samples[i % ROWS][i / ROWS] = P_ds[i * 32 + lane];
    __syncwarp(); /* all have read theirs */
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
                     (job->out_rows + WEIGHTED_TILE_Y - 1) / WEIGHTED_TILE_Y);
    size_t shared = weighted_shared_bytes(job->mask_width, job->mask_height, job->anchor_x, N,
                                          IN_SHARED(SIDE) ? args.planes : 0);
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
    if (args.planes != 1 || job->mask_height != side || job->anchor_x != side / 2)
        return launch<N, 0, false>(args, stream);
    if (side == 3 || side == 5)
        dp4a_pack(job->weight, side, side, job->anchor_x, 1, args.weight);
    switch (side) {
    case 3:
        return launch<N, 3, false>(args, stream);
    case 5:
        return launch<N, 5, false>(args, stream);
    case 7:
        return launch<N, 7, false>(args, stream);
    case 9:
        return launch<N, 9, false>(args, stream);
    default:
        return launch<N, 0, false>(args, stream);
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
