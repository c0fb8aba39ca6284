/* certified: 8-bit pixels under masks whose exact sums need 64 bits, such as decimals with
 * many places. As banded, with weights rounded to 16 bits; a bound of what that can
 * change says which samples are certain. The others are summed again, exactly.
 *
 *   quotient   |------#|-------|--      #: from here on the rounding may have hidden the
 *              q       q+1     q+2         next whole number
 *
 * Doubtful samples, some in a thousand, are put on a list by their warp, 32 of them
 * summed at a time, a lane each, in 64-bit integers from the staged tile. Where all
 * are doubtful (a flat picture whose quotients are halves) all are on the list once.
 *
 * Shared memory   as banded, and 512 bytes
 * Bytes moved     as banded
 * Measured        see kernels/README.md */
#include "banded_products.cuh"
#include "banded_stage.cuh"
#include "banded_tensors.cuh"
#include "certified_test.h"

#define PLANES 2 /* of weights: 16 bits */
#define WARPS  (BANDED_THREADS / 32)
#define LISTED 64 /* samples on a warp's list: no more than 31, and one of each lane */

/* Blocks of threads that a multiprocessor is to hold. */
constexpr int resident(int mask)
{
    return mask == ANY_MASK ? 4 : 5;
}

#if __CUDA_ARCH__ >= 900

/* Sums to samples, as banded's. Bit 4n + k is set where the one of sum k of group n is in doubt. */
template <int GROUPS>
__device__ inline uint32_t certify(const struct certified_test &test, int (*sum)[GROUPS][4],
                                   uint32_t *piece)
{
    uint32_t doubt = 0;
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
        int q[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int s = (int)((uint32_t)sum[0][n][k] + 256 * (uint32_t)sum[1][n][k]);
            int64_t p = (int64_t)s * test.multiplier + test.from;
            q[k] = (int)(p >> 32);
            if ((uint32_t)p > test.limit)
                doubt |= 1u << (4 * n + k);
        }
        piece[n] = pack_bytes(q[2], q[0], pack_bytes(q[3], q[1], 0));
    }
    return doubt;
}

/* Byte b (of a warp's 128) of row r of the tile is number 128 * r + b. */
__device__ inline int sample_number(int row, int bit)
{
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    return 128 * (row + 2 * t + bit % 2) + 16 * (bit / 4) + 2 * g + bit / 2 % 2;
}

/* A doubtful sample: is it the one that stands in the output's tile, or the next? In that tile
 * pieces are swizzled, see store_piece. */
__device__ inline void settle(const struct banded_args &args, const struct certified_head *head,
                              const uint8_t *window, uint8_t *tile, int number)
{
    const struct image_job &job = args.job;
    const int row = number / 128, byte = number % 128, pixel = args.shape.pixel_bytes;
    const int64_t *weight = (const int64_t *)(head + 1);
    const uint8_t *cell = window + row * args.shape.pitch + args.shape.pad + byte;
    uint8_t *sample = tile + 128 * row + ((byte / 16) ^ row % 8) * 16 + byte % 16;
    int64_t rest = head->start;

    for (int i = 0; i < job.mask_height; i++, cell += args.shape.pitch)
#pragma unroll 4
        for (int j = 0; j < job.mask_width; j++)
            rest += __ldg(weight++) * cell[j * pixel];
    rest -= *sample * head->divisor;
    if (rest >= head->divisor && *sample < job.max)
        ++*sample;
}

/* PNM pictures of fewer values. */
__device__ inline void clamp_samples(uint32_t *piece, uint32_t max)
{
#pragma unroll
    for (int i = 0; i < 8; i++)
        piece[i] = __vminu4(piece[i], max * 0x01010101);
}

template <int MASK, int PIECES> struct kept {
    fragments<PIECES, PLANES> four[FOURS(MASK) + 1], two[TWOS(MASK) + 1], one;
};

template <int MASK, int PIECES>
__device__ inline void load_kept(const struct banded_args &args, kept<MASK, PIECES> &f)
{
    constexpr int FRAGMENTS = PIECES * PLANES * 32;
    const int lane = threadIdx.x % 32;
    const uint4 *A = (const uint4 *)args.job.fragments;
    const uint32_t *places = (const uint32_t *)(A + banded_fragments(&args.shape) * 32) + lane;

    A += lane;
#pragma unroll
    for (int i = 0; i < FOURS(MASK); i++, A += FRAGMENTS, places += FRAGMENTS)
        load_fragments<FOUR>(f.four[i], A, places);
#pragma unroll
    for (int i = 0; i < TWOS(MASK); i++, A += FRAGMENTS)
        load_fragments<TWO>(f.two[i], A, places);
    if (ONES(MASK))
        load_fragments<ONE>(f.one, A, places);
}

#endif

template <int MASK, bool SPARSE, int PIECES>
__global__ void __launch_bounds__(BANDED_THREADS, resident(MASK))
    certified(const __grid_constant__ banded_args args)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) uint8_t shared[];
    __shared__ uint64_t arrived;
    __shared__ uint16_t lists[WARPS][LISTED];
    const struct banded_shape &shape = args.shape;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint8_t *N_ds = shared + BANDED_OUT_BYTES, *tile = shared + warp * 128 * BANDED_TILE_ROWS;
    uint4 *A_ds = (uint4 *)(N_ds + banded_stage_bytes(&shape));
    const struct certified_head *head =
        (const struct certified_head *)((const uint8_t *)args.job.fragments +
                                        banded_fragment_bytes(&shape));
    const struct certified_test test = head->test;
    const struct banded_tile at = own_tile(args);
    const int x = at.x * BANDED_TILE_BYTES + warp * 128;
    const int y = at.y * BANDED_TILE_ROWS, rows = min(BANDED_TILE_ROWS, args.job.out_rows - y);
    const uint32_t window = shared_address(N_ds) + warp * 128, P_ds = shared_address(tile);
    int listed = 0;
    kept<MASK, PIECES> f;

    if (threadIdx.x == 0)
        fetch(args, N_ds, at, A_ds, MASK == ANY_MASK ? banded_fragment_bytes(&shape) : 0, &arrived);
    if (MASK != ANY_MASK)
        load_kept(args, f);
    __syncthreads();
    barrier_wait_once(&arrived);
    if (at_edge(args, at)) {
        fill_ghosts(args, N_ds, at);
        __syncthreads();
    }
#pragma unroll 1
    for (int row = 0; row < rows; row += 8) {
        constexpr int GROUPS = GROUPS_OF(MASK, PLANES, 1), PARTS = 8 / GROUPS;
        uint32_t piece[8], doubt = 0, doubtful;
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const uint32_t from = window + row * shape.pitch + part * GROUPS * BANDED_PIECE;
            int sum[PLANES][GROUPS][4];
            if constexpr (MASK == ANY_MASK)
                add_mask<SPARSE, PIECES, PLANES, 1>(args, from, A_ds, sum);
            else
                add_kept<MASK, PIECES, PLANES, 1>(sum, f.four, f.two, f.one, from, shape.pitch);
            doubt |= certify(test, sum, piece + part * GROUPS) << part * GROUPS * 4;
        }
        if (args.job.max != 255)
            clamp_samples(piece, args.job.max);
        store_piece(P_ds + row * 128, piece);
        do { /* a sample of each lane at a time; what is left on the list comes last */
            doubtful = __ballot_sync(0xffffffff, doubt != 0);
            if (doubt) {
                lists[warp][listed + __popc(doubtful & ((1u << lane) - 1))] =
                    (uint16_t)sample_number(row, __ffs((int)doubt) - 1);
                doubt &= doubt - 1;
            }
            listed += __popc(doubtful);
            if (listed >= 32 || (listed && !doubtful && row + 8 >= rows)) {
                const int batch = min(listed, 32);
                __syncwarp();
                listed -= batch;
                if (lane < batch)
                    settle(args, head, N_ds + warp * 128, tile, lists[warp][listed + lane]);
                __syncwarp();
            }
        } while (doubtful);
    }
    send_pieces(args, P_ds, x, y);
#endif
}

/* ---- launching ---- */

size_t certified_shared_bytes(const struct banded_shape *shape)
{
    return banded_shared_bytes(shape) + WARPS * LISTED * sizeof(uint16_t);
}

template <int MASK, bool SPARSE, int PIECES>
static cudaError_t launch(struct banded_args *args, cudaStream_t stream)
{
    return banded_run(
        certified<MASK, SPARSE, PIECES>, args, BANDED_THREADS,
        MASK == ANY_MASK ? banded_shared_bytes(&args->shape) : stage_bytes(&args->shape), stream);
}

static cudaError_t launch_gray(struct banded_args *args, cudaStream_t stream)
{
    switch (mask_of(&args->shape)) {
    case MASK_OF(0, 1, 1):
        return launch<MASK_OF(0, 1, 1), false, 2>(args, stream);
    case MASK_OF(0, 2, 1):
        return launch<MASK_OF(0, 2, 1), false, 2>(args, stream);
    default:
        return launch<ANY_MASK, false, 2>(args, stream);
    }
}

static cudaError_t launch_pixels(struct banded_args *args, cudaStream_t stream)
{
    const int mask = mask_of(&args->shape);
    switch (args->shape.pieces) {
    case 2:
        if (mask == MASK_OF(1, 0, 0))
            return launch<MASK_OF(1, 0, 0), true, 2>(args, stream);
        if (mask == MASK_OF(1, 0, 1))
            return launch<MASK_OF(1, 0, 1), true, 2>(args, stream);
        return launch<ANY_MASK, true, 2>(args, stream);
    case 3:
        return launch<ANY_MASK, true, 3>(args, stream);
    default:
        return launch<ANY_MASK, true, 4>(args, stream);
    }
}

extern "C" cudaError_t certified_launch(const struct image_job *job, int weight_planes,
                                        cudaStream_t stream)
{
    struct banded_args args = {};
    struct image_job own = *job;
    int shift, pad = banded_pad((uintptr_t)job->in, (uintptr_t)job->out,
                                job->anchor_x * job->channels, &shift);
    struct banded_shape shape =
        banded_shape_of(job->mask_width, job->mask_height, job->channels, 1, weight_planes, pad);
    cudaError_t status;

    own.divisor = 1; /* those of the job have 32 bits */
    own.start = 0;
    status = banded_prepare(&args, &own, &shape, BANDED_TILE_ROWS);
    if (status != cudaSuccess)
        return status;
    return shape.fours == 0 ? launch_gray(&args, stream) : launch_pixels(&args, stream);
}
