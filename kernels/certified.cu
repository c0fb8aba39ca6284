/* certified: 8-bit pixels under masks whose exact sums need 64 bits, such as decimals with
 * many places. It works as banded does, with weights rounded to 16 bits. A proven bound on
 * the effect of that rounding says which samples are certain; the others are recomputed
 * exactly.
 *
 *   quotient   |------#|-------|--      #: so close to the next whole number that
 *              q       q+1     q+2         the rounding may matter
 *
 * A warp puts its doubtful samples (a few in a thousand) on a list. They are summed 32 at
 * a time, one a lane, in 64-bit integers from the staged tile. If all samples are doubtful
 * (a flat picture whose quotients are halves), all of them are on the list once.
 *
 * Shared memory   as banded, and 384 bytes
 * Bytes moved     as banded
 * Measured        see docs/lab/certified.md */
#include "banded_products.cuh"
#include "banded_stage.cuh"
#include "banded_tensors.cuh"
#include "certified_test.h"

#define PLANES    2 /* of weights: 16 bits */
#define WARPS     (BANDED_THREADS / 32)
#define TILE_ROWS 32
#define OUT_BYTES (BANDED_TILE_BYTES * TILE_ROWS)
/* Groups of four samples on a warp's list: at most 15 left over, and one of each lane. */
#define LISTED 48

/* Blocks of threads that a multiprocessor is to hold. */
constexpr int blocks(int mask, int pieces)
{
    return mask == ANY_MASK || pieces > 2 ? 4 : TWOS(mask) > 1 ? 5 : 6;
}

#if __CUDA_ARCH__ >= 900

/* Sums to samples, as in banded.cu. Bit n of `doubt` is set if any of the four samples of group n
 * (neighbours in two rows) is in doubt. */
__device__ inline uint32_t certify(const struct certified_test &test, const int *sum, int n,
                                   uint32_t *doubt)
{
    int q[4];
    bool over = false;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int64_t p = (int64_t)sum[k] * test.multiplier + test.from;
        q[k] = (int)(p >> 32);
        over |= (uint32_t)p > test.limit;
    }
    *doubt |= over ? 1u << n : 0;
    return pack_bytes(q[2], q[0], pack_bytes(q[3], q[1], 0));
}

/* Where a bit of `doubt` points: the number of the first of its four samples. Byte b of a warp's
 * 128 bytes in row r of the tile has the number 128 * r + b. Each 8 rows have 8 bits, the last of
 * `rows` the lowest ones. */
__device__ inline int number_of(int rows, int bit)
{
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    return 128 * (rows - 8 - bit / 8 * 8 + 2 * t) + 16 * (bit % 8) + 2 * g;
}

/* For a sample and the one below: is the exact value the one in the output's tile, or the next? The
 * pieces of that tile are swizzled, see store_piece. */
__device__ inline void settle(const struct banded_args &args, const struct certified_head *head,
                              const uint8_t *window, uint8_t *tile, int number)
{
    const struct image_job &job = args.job;
    const int row = number / 128, byte = number % 128;
    const int pitch = args.shape.pitch, pixel = args.shape.pixel_bytes;
    const int64_t *weight = (const int64_t *)(head + 1);
    const uint8_t *cells = window + row * pitch + args.shape.pad + byte;
    int64_t sum[2] = {head->start, head->start};

    for (int i = 0; i < job.mask_height; i++, cells += pitch) {
        const uint8_t *cell = cells;
#pragma unroll 4
        for (int j = 0; j < job.mask_width; j++, cell += pixel) {
            const int64_t w = __ldg(weight++);
            sum[0] += w * cell[0];
            sum[1] += w * cell[pitch];
        }
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        uint8_t *sample = tile + 128 * (row + r) + ((byte / 16) ^ (row + r) % 8) * 16 + byte % 16;
        if (sum[r] - *sample * head->divisor >= head->divisor && *sample < job.max)
            ++*sample;
    }
}

/* Groups of four with a sample in doubt go to the warp's list, one at a time from each lane. From
 * there 16 groups at once are summed exactly, two samples a lane; at the end all that are left. */
__device__ inline void settle_all(const struct banded_args &args, const struct certified_head *head,
                                  const uint8_t *window, uint8_t *tile, uint16_t *list,
                                  uint32_t doubt, int rows)
{
    const int lane = threadIdx.x % 32;
    uint32_t doubtful;
    int listed = 0;

    do {
        doubtful = __ballot_sync(0xffffffff, doubt != 0);
        if (doubt) {
            list[listed + __popc(doubtful & ((1u << lane) - 1))] =
                (uint16_t)number_of(rows, __ffs((int)doubt) - 1);
            doubt &= doubt - 1;
        }
        listed += __popc(doubtful);
        __syncwarp();
        while (listed >= 16 || (listed && !doubtful)) {
            const int fours = min(listed, 16);
            listed -= fours;
            if (lane < 2 * fours)
                settle(args, head, window, tile, list[listed + lane / 2] + lane % 2);
        }
        __syncwarp();
    } while (doubtful);
}

/* A warp's samples of 128 bytes x 8 rows; returns which groups are in doubt. */
template <int MASK, bool SPARSE, int PIECES>
__device__ inline uint32_t filter(const struct banded_args &args, const struct certified_test &test,
                                  uint32_t from, const uint4 *A,
                                  const kept<MASK, PIECES, PLANES> &f, uint32_t *piece)
{
    const int zero[4] = {};
    uint32_t doubt = 0;
    sum_all<MASK, SPARSE>(args, from, A, f, zero,
                          [&](int n, const int *sum) { piece[n] = certify(test, sum, n, &doubt); });
    return doubt;
}

/* A call: with the ghost cells in line, the compiler keeps the numbers of `certify` in registers
 * that a warp shares, and its 64-bit multiply-add becomes three instructions. */
__device__ __noinline__ void call_fill_ghosts(const struct banded_args &args, uint8_t *staged,
                                              struct banded_tile at)
{
    fill_ghosts(args, staged, first_staged_row(args, at), rows_needed(args, at), at.x);
}

/* PNM pictures of fewer values. */
__device__ inline void clamp_samples(uint32_t *piece, uint32_t max)
{
#pragma unroll
    for (int i = 0; i < 8; i++)
        piece[i] = __vminu4(piece[i], max * 0x01010101);
}

#endif

template <int MASK, bool SPARSE, int PIECES>
__global__ void __launch_bounds__(BANDED_THREADS, blocks(MASK, PIECES))
    certified(const __grid_constant__ banded_args args)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) uint8_t shared[];
    __shared__ uint64_t arrived;
    __shared__ uint16_t lists[WARPS][LISTED];
    const struct banded_shape &shape = args.shape;
    const int warp = threadIdx.x / 32;
    uint8_t *N_ds = shared + OUT_BYTES, *tile = shared + warp * 128 * TILE_ROWS;
    uint4 *A_ds = (uint4 *)(N_ds + banded_stage_bytes(&shape));
    const struct certified_head *head =
        (const struct certified_head *)((const uint8_t *)args.job.fragments +
                                        banded_fragment_bytes(&shape));
    const struct certified_test test = head->test;
    const struct banded_tile at = own_tile(args);
    const int x = at.x * BANDED_TILE_BYTES + warp * 128;
    const int y = at.y * TILE_ROWS, rows = min(TILE_ROWS, args.job.out_rows - y);
    const uint32_t window = shared_address(N_ds) + warp * 128, P_ds = shared_address(tile);
    uint32_t doubt = 0;
    kept<MASK, PIECES, PLANES> f;

    if (threadIdx.x == 0)
        fetch(args, N_ds, at, A_ds, MASK == ANY_MASK ? banded_fragment_bytes(&shape) : 0, &arrived);
    if constexpr (MASK != ANY_MASK)
        load_kept(args, f);
    __syncthreads();
    barrier_wait_once(&arrived);
    if (at_edge(args, at)) {
        call_fill_ghosts(args, N_ds, at);
        __syncthreads();
    }
#pragma unroll 1
    for (int row = 0; row < rows; row += 8) {
        uint32_t piece[8], doubtful;
        doubtful =
            filter<MASK, SPARSE, PIECES>(args, test, window + row * shape.pitch, A_ds, f, piece);
        if (args.job.max != 255)
            clamp_samples(piece, args.job.max);
        store_piece(P_ds + row * 128, piece);
        doubt = doubt << 8 | doubtful;
    }
    settle_all(args, head, N_ds + warp * 128, tile, lists[warp], doubt, (rows + 7) / 8 * 8);
    send_pieces(args, P_ds, x, y);
    wait_sent();
#endif
}

/* ---- launching ---- */

/* Shared memory but for the weights, and up to four pieces that a warp loads beyond the last ones
 * it takes. */
static size_t tile_bytes(const struct banded_shape *shape)
{
    return OUT_BYTES + (size_t)banded_stage_bytes(shape) + 4 * BANDED_PIECE;
}

size_t certified_shared_bytes(const struct banded_shape *shape)
{
    return tile_bytes(shape) + (size_t)banded_fragment_bytes(shape) +
           WARPS * LISTED * sizeof(uint16_t);
}

template <int MASK, bool SPARSE, int PIECES>
static cudaError_t launch(struct banded_args *args, cudaStream_t stream)
{
    const size_t weights = MASK == ANY_MASK ? (size_t)banded_fragment_bytes(&args->shape) : 0;
    return banded_run(certified<MASK, SPARSE, PIECES>, args, BANDED_THREADS,
                      tile_bytes(&args->shape) + weights, stream);
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
        if (mask == MASK_OF(2, 0, 0))
            return launch<MASK_OF(2, 0, 0), true, 3>(args, stream);
        if (mask == MASK_OF(2, 0, 1))
            return launch<MASK_OF(2, 0, 1), true, 3>(args, stream);
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
    banded_set_tile(&shape, job->mask_height, TILE_ROWS);
    status = banded_prepare(&args, &own, &shape, TILE_ROWS);
    if (status != cudaSuccess)
        return status;
    return shape.fours == 0 ? launch_gray(&args, stream) : launch_pixels(&args, stream);
}
