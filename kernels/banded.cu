/* banded: exact convolution of 8 and 16-bit pixels on the int8 matrix units, as
 * they lie in memory. A row of interleaved pixels is one signal, and a mask row a
 * banded matrix over it: output byte j takes input bytes j, j + 3, j + 6, ...
 *
 *    window, pieces of 16 bytes of an input row        B   the pieces of 8 rows
 *    . . r g b r g b r g b r g b r g b . .             A   16 outputs x window bytes:
 *      j:    w . . w . . w                                 the mask row, shifted
 *      j+1:    w . . w . . w                           A*B 16 bytes of 8 output rows
 *
 * Mask row after mask row the sums stay in registers. No pixel is taken apart: B
 * comes from the staged tile as 8 x 16 byte matrices (ldmatrix), each loaded once
 * for all windows that it is a piece of, and the sums go back the same way,
 * transposed (stmatrix). Taps stand 2 or more bytes apart, so that of 4 window
 * bytes no more than 2 count: one sparse product (mma.sp.m16n8k64) takes a piece
 * of four mask rows. Gray rows, and rows that are left over, use dense products.
 * Weights past int8 are two matrices, w = 256 * high + low; samples of 16 bits are
 * two matrices over their low and high bytes: still exact.
 *
 * A block takes one tile and ends: blocks start in the order in which tiles lie in
 * memory, and six of them on a multiprocessor load, sum and store in turn. Weights
 * of small masks stay in registers.
 *
 * Shared memory   pitch * (32 + k - 1) + 16384, and the packed weights of large masks;
 *                 pitch = 512 + 16 * (pieces of a window - 1)
 * Bytes moved     3 in, 3 out a pixel (RGB), the halo from L2, by the tensor copy
 * Measured        see kernels/README.md */
#include "banded.cuh"
#include "banded_products.cuh"
#include "banded_stage.cuh"
#include "banded_tensors.cuh"

#if __CUDA_ARCH__ >= 900

/* Sums to samples, in the registers that stmatrix stores transposed: lane (g, t) holds two of 8
 * pairs of bytes (or samples of 16 bits) g, for rows 2t and 2t + 1. */
template <int PLANES, int SAMPLE, int DIVIDE, int GROUPS>
__device__ inline void finish(const struct sample_divide &d, int (*sum)[GROUPS][4], uint32_t *piece)
{
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
        int q[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int s = PLANES == 1 ? sum[0][n][k] : sum[0][n][k] + 256 * sum[PLANES - 1][n][k];
            q[k] = divided_sum<DIVIDE>(d, s);
        }
        if (SAMPLE == 1) {
            piece[n] = pack_bytes(q[2], q[0], pack_bytes(q[3], q[1], 0));
        } else {
            piece[2 * n] = pack_shorts(q[1], q[0]);
            piece[2 * n + 1] = pack_shorts(q[3], q[2]);
        }
    }
}

#endif

/* A block a tile: all of its window comes in one copy, and other blocks' sums hide the wait. */
template <int MASK, bool SPARSE, int PIECES, int PLANES, int SAMPLE, int DIVIDE>
__global__ void __launch_bounds__(BANDED_THREADS, resident(MASK, PIECES, PLANES, SAMPLE))
    banded(const __grid_constant__ banded_args args)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) uint8_t shared[];
    __shared__ uint64_t arrived;
    constexpr int FRAGMENTS = PIECES * PLANES * 32;
    const struct banded_shape &shape = args.shape;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint8_t *N_ds = shared + BANDED_OUT_BYTES;
    uint4 *A_ds = (uint4 *)(N_ds + banded_stage_bytes(&shape));
    const struct banded_tile at = own_tile(args);
    const int x = at.x * BANDED_TILE_BYTES + warp * 128;
    const int y = at.y * BANDED_TILE_ROWS, rows = min(BANDED_TILE_ROWS, args.job.out_rows - y);
    uint32_t window = shared_address(N_ds) + warp * 128;
    const uint32_t P_ds = shared_address(shared) + warp * 128 * BANDED_TILE_ROWS;
    fragments<PIECES, PLANES> four[FOURS(MASK) + 1], two[TWOS(MASK) + 1], one;

    if (threadIdx.x == 0)
        fetch(args, N_ds, at, A_ds, MASK == ANY_MASK ? banded_fragment_bytes(&shape) : 0, &arrived);
    if (MASK != ANY_MASK) {
        const uint4 *A = (const uint4 *)args.job.fragments + lane;
        const uint32_t *places =
            (const uint32_t *)(A - lane + banded_fragments(&shape) * 32) + lane;
#pragma unroll
        for (int i = 0; i < FOURS(MASK); i++, A += FRAGMENTS, places += FRAGMENTS)
            load_fragments<FOUR>(four[i], A, places);
#pragma unroll
        for (int i = 0; i < TWOS(MASK); i++, A += FRAGMENTS)
            load_fragments<TWO>(two[i], A, places);
        if (ONES(MASK))
            load_fragments<ONE>(one, A, places);
    }
    __syncthreads();
    barrier_wait_once(&arrived);
    if (at_edge(args, at)) {
        fill_ghosts(args, N_ds, first_staged_row(args, at), rows_needed(args, at), at.x);
        __syncthreads();
    }
#pragma unroll 1
    for (int row = 0; row < rows; row += 8) {
        constexpr int GROUPS = GROUPS_OF(MASK, PLANES, SAMPLE), PARTS = WHOLE(SAMPLE) / GROUPS;
        uint32_t piece[8];
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const uint32_t from = window + part * GROUPS * BANDED_PIECE;
            int sum[PLANES][GROUPS][4];
            if constexpr (MASK == ANY_MASK)
                add_mask<SPARSE, PIECES, PLANES, SAMPLE>(args, from, A_ds, sum);
            else
                add_kept<MASK, PIECES, PLANES, SAMPLE>(sum, four, two, one, from, shape.pitch);
            finish<PLANES, SAMPLE, DIVIDE>(args.divide, sum, piece + part * 8 / PARTS);
        }
        store_piece(P_ds + row * 128, piece);
        window += 8 * shape.pitch;
    }
    send_pieces(args, P_ds, x, y);
#endif
}

/* ---- launching ---- */

/* Shared memory but for the weights. A warp loads up to four pieces beyond the last ones it takes.
 */
static size_t stage_bytes(const struct banded_shape *shape)
{
    return BANDED_OUT_BYTES + (size_t)banded_stage_bytes(shape) + 4 * BANDED_PIECE;
}

size_t banded_shared_bytes(const struct banded_shape *shape)
{
    return stage_bytes(shape) + (size_t)banded_fragment_bytes(shape);
}

template <int MASK, bool SPARSE, int PIECES, int PLANES, int SAMPLE, int DIVIDE>
static cudaError_t launch(struct banded_args *args, cudaStream_t stream)
{
    return banded_run(
        banded<MASK, SPARSE, PIECES, PLANES, SAMPLE, DIVIDE>, args, BANDED_THREADS,
        MASK == ANY_MASK ? banded_shared_bytes(&args->shape) : stage_bytes(&args->shape), stream);
}

template <int MASK, bool SPARSE, int PIECES, int PLANES, int SAMPLE>
static cudaError_t launch_divide(struct banded_args *args, cudaStream_t stream)
{
    switch (args->divide.how) {
    case DIVIDE_HIGH:
        return launch<MASK, SPARSE, PIECES, PLANES, SAMPLE, DIVIDE_HIGH>(args, stream);
    case DIVIDE_SHIFT:
        return launch<MASK, SPARSE, PIECES, PLANES, SAMPLE, DIVIDE_SHIFT>(args, stream);
    default:
        return launch<MASK, SPARSE, PIECES, PLANES, SAMPLE, DIVIDE_ANY>(args, stream);
    }
}

template <int PLANES> static cudaError_t launch_gray(struct banded_args *args, cudaStream_t stream)
{
    switch (mask_of(&args->shape)) {
    case MASK_OF(0, 1, 1):
        return launch_divide<MASK_OF(0, 1, 1), false, 2, PLANES, 1>(args, stream);
    case MASK_OF(0, 2, 1):
        return launch_divide<MASK_OF(0, 2, 1), false, 2, PLANES, 1>(args, stream);
    default:
        return launch_divide<ANY_MASK, false, 2, PLANES, 1>(args, stream);
    }
}

template <int PLANES> static cudaError_t launch_u8(struct banded_args *args, cudaStream_t stream)
{
    const int mask = mask_of(&args->shape);
    switch (args->shape.pieces) {
    case 2:
        if (mask == MASK_OF(1, 0, 0))
            return launch_divide<MASK_OF(1, 0, 0), true, 2, PLANES, 1>(args, stream);
        if (mask == MASK_OF(1, 0, 1))
            return launch_divide<MASK_OF(1, 0, 1), true, 2, PLANES, 1>(args, stream);
        return launch_divide<ANY_MASK, true, 2, PLANES, 1>(args, stream);
    case 3:
        if (PLANES == 1 && mask == MASK_OF(2, 0, 0))
            return launch_divide<MASK_OF(2, 0, 0), true, 3, 1, 1>(args, stream);
        if (PLANES == 1 && mask == MASK_OF(2, 0, 1))
            return launch_divide<MASK_OF(2, 0, 1), true, 3, 1, 1>(args, stream);
        return launch_divide<ANY_MASK, true, 3, PLANES, 1>(args, stream);
    default:
        return launch_divide<ANY_MASK, true, 4, PLANES, 1>(args, stream);
    }
}

static cudaError_t launch_u16(struct banded_args *args, cudaStream_t stream)
{
    const int mask = mask_of(&args->shape);
    switch (args->shape.pieces) {
    case 3:
        if (mask == MASK_OF(1, 0, 0))
            return launch_divide<MASK_OF(1, 0, 0), true, 3, 2, 2>(args, stream);
        return launch_divide<ANY_MASK, true, 3, 2, 2>(args, stream);
    case 4:
        if (mask == MASK_OF(1, 0, 1))
            return launch_divide<MASK_OF(1, 0, 1), true, 4, 2, 2>(args, stream);
        return launch_divide<ANY_MASK, true, 4, 2, 2>(args, stream);
    default:
        return launch_divide<ANY_MASK, true, 5, 2, 2>(args, stream);
    }
}

extern "C" cudaError_t banded_launch(const struct image_job *job, int weight_planes,
                                     cudaStream_t stream)
{
    struct banded_args args = {};
    int shift, pad = banded_pad((uintptr_t)job->in, (uintptr_t)job->out,
                                job->anchor_x * job->channels * job->sample_bytes, &shift);
    struct banded_shape shape = banded_shape_of(job->mask_width, job->mask_height, job->channels,
                                                job->sample_bytes, weight_planes, pad);
    cudaError_t status = banded_prepare(&args, job, &shape, BANDED_TILE_ROWS);

    if (status != cudaSuccess)
        return status;
    if (job->sample_bytes == 2)
        return launch_u16(&args, stream);
    if (shape.fours == 0)
        return shape.planes == 1 ? launch_gray<1>(&args, stream) : launch_gray<2>(&args, stream);
    return shape.planes == 1 ? launch_u8<1>(&args, stream) : launch_u8<2>(&args, stream);
}
