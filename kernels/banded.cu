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
#include "banded_stage.cuh"
#include "banded_tensors.cuh"

/* Masks whose weights stay in registers, of one sweep: by how many products take four of its rows,
 * two and one. */
#define MASK_OF(fours, twos, ones) (100 * (fours) + 10 * (twos) + (ones))
#define ANY_MASK                   0
#define FOURS(mask)                ((mask) / 100)
#define TWOS(mask)                 ((mask) / 10 % 10)
#define ONES(mask)                 ((mask) % 10)

/* A warp's work: 128 bytes of 8 output rows, and again further down: so many groups of 16 outputs.
 * Those of small masks with two planes of sums are summed in two halves: more warps fit. */
#define WHOLE(sample) (8 / (sample))
#define GROUPS_OF(mask, planes, sample)                                                            \
    ((mask) != ANY_MASK && (planes) > (sample) ? WHOLE(sample) / 2 : WHOLE(sample))

/* Blocks of threads that a multiprocessor is to hold, by what a thread keeps in registers. */
constexpr int resident(int mask, int pieces, int planes, int sample)
{
    const int weights = 5 * FOURS(mask) + 4 * TWOS(mask) + 2 * ONES(mask);
    const int registers =
        32 + planes * GROUPS_OF(mask, planes, sample) * 4 + weights * pieces * planes;
    if (mask == ANY_MASK)
        return planes == 2 ? 4 : 5;
    return registers <= 84 ? 6 : registers <= 100 ? 5 : 4;
}

#if __CUDA_ARCH__ >= 900

/* ---- the products ---- */

/* How many mask rows a product takes. */
enum { ONE = 1, TWO = 2, FOUR = 4 };

template <int ROWS, bool SIGNED>
__device__ inline void product(int *sum, const uint4 &a, uint32_t at, const uint32_t *b,
                               const int *c)
{
    if constexpr (ROWS == ONE)
        product_16<SIGNED, false>(sum, a.x, a.y, b[0], c);
    else if constexpr (ROWS == TWO)
        product_32<SIGNED, false>(sum, a.x, a.y, a.z, a.w, b[0], b[1], c);
    else
        product_sparse_64<SIGNED>(sum, a, at, b[0], b[1], b[2], b[3], c);
}

/* Where in a staged tile a lane points so that ldmatrix loads, at four matrices a time, the same
 * piece of 4 rows, of 2 rows with its right neighbour, or four neighbours of one row. */
template <int ROWS> __device__ inline uint32_t lane_place(int pitch)
{
    const int lane = threadIdx.x % 32, matrix = lane / 8;
    return (lane % 8 + matrix % ROWS) * pitch + matrix / ROWS * BANDED_PIECE;
}

/* A product's weights: the pieces of a window, and where the sparse ones' values stand. */
template <int PIECES, int PLANES> struct fragments {
    uint4 a[PIECES][PLANES];
    uint32_t at[PIECES][PLANES];
};

template <int ROWS, int PIECES, int PLANES>
__device__ inline void load_fragments(fragments<PIECES, PLANES> &f, const uint4 *A,
                                      const uint32_t *places)
{
#pragma unroll
    for (int i = 0; i < PIECES * PLANES; i++) {
        f.a[i / PLANES][i % PLANES] = A[i * 32];
        f.at[i / PLANES][i % PLANES] = ROWS == FOUR ? places[i * 32] : 0;
    }
}

/* sum += A * B for ROWS mask rows. FIRST: sum = A * B. Piece m of the staged rows is loaded
 * once and serves each group whose window it is in: it is piece p of group m - p (16 bits: groups
 * stand two pieces apart). */
template <int ROWS, int PIECES, int PLANES, int SAMPLE, bool FIRST, int GROUPS>
__device__ inline void add_rows(int (*sum)[GROUPS][4], const fragments<PIECES, PLANES> &f,
                                uint32_t address)
{
    constexpr bool SIGNED = PLANES == 1 || SAMPLE == 2; /* the first plane; the second always is */
    constexpr int LAST = (GROUPS - 1) * SAMPLE + PIECES - 1, AT_ONCE = 4 / ROWS;
    const int zero[4] = {};

#pragma unroll
    for (int m = 0; m <= LAST; m += AT_ONCE) {
        uint32_t piece[4];
        load_matrices(piece, address + m * BANDED_PIECE);
#pragma unroll
        for (int i = 0; i < AT_ONCE * PIECES; i++) {
            const int p = i % PIECES, apart = m + i / PIECES - p, n = apart / SAMPLE;
            if (apart < 0 || apart % SAMPLE != 0 || n >= GROUPS)
                continue;
            const uint32_t *b = piece + i / PIECES * ROWS;
            const bool begins = FIRST && p == 0;
            product<ROWS, SIGNED>(sum[0][n], f.a[p][0], f.at[p][0], b, begins ? zero : sum[0][n]);
            if (PLANES == 2)
                product<ROWS, true>(sum[PLANES - 1][n], f.a[p][PLANES - 1], f.at[p][PLANES - 1], b,
                                    begins ? zero : sum[PLANES - 1][n]);
        }
    }
}

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

/* The sums of one warp's 128 bytes x 8 rows, from the staged window, for masks of any size. */
template <bool SPARSE, int PIECES, int PLANES, int SAMPLE, int GROUPS>
__device__ inline void add_mask(const struct banded_args &args, uint32_t window, const uint4 *A,
                                int (*sum)[GROUPS][4])
{
    constexpr int FRAGMENTS = PIECES * PLANES * 32, ROWS = SPARSE ? FOUR : TWO;
    const struct banded_shape &shape = args.shape;
    const uint32_t *places = (const uint32_t *)(A + banded_fragments(&shape) * 32);
    const uint32_t many = lane_place<ROWS>(shape.pitch), one = lane_place<ONE>(shape.pitch);
    const int lane = threadIdx.x % 32;
    fragments<PIECES, PLANES> f;

    A += lane;
    places += lane;
    load_fragments<ROWS>(f, A, places);
    add_rows<ROWS, PIECES, PLANES, SAMPLE, true>(sum, f, window + many);
    for (int sweep = 0; sweep < shape.sweeps; sweep++) {
        const int blocks = SPARSE ? shape.fours : shape.twos;
        const uint32_t rest = window + blocks * ROWS * shape.pitch;
        for (int i = sweep == 0; i < blocks; i++) {
            load_fragments<ROWS>(f, A += FRAGMENTS, places += FRAGMENTS);
            add_rows<ROWS, PIECES, PLANES, SAMPLE, false>(sum, f,
                                                          window + many + i * ROWS * shape.pitch);
        }
        if (SPARSE && shape.twos) {
            load_fragments<TWO>(f, A += FRAGMENTS, places += FRAGMENTS);
            add_rows<TWO, PIECES, PLANES, SAMPLE, false>(sum, f,
                                                         rest + lane_place<TWO>(shape.pitch));
        }
        if (shape.ones) {
            load_fragments<ONE>(f, A += FRAGMENTS, places += FRAGMENTS);
            add_rows<ONE, PIECES, PLANES, SAMPLE, false>(sum, f, rest + one);
        }
        window += PIECES * BANDED_PIECE;
    }
}

/* The same for masks whose weights stay in registers. */
template <int MASK, int PIECES, int PLANES, int SAMPLE, int GROUPS>
__device__ inline void add_kept(int (*sum)[GROUPS][4], const fragments<PIECES, PLANES> *four,
                                const fragments<PIECES, PLANES> *two,
                                const fragments<PIECES, PLANES> &one, uint32_t window, int pitch)
{
    if constexpr (FOURS(MASK) > 0)
        add_rows<FOUR, PIECES, PLANES, SAMPLE, true>(sum, four[0],
                                                     window + lane_place<FOUR>(pitch));
    if constexpr (FOURS(MASK) > 1)
        add_rows<FOUR, PIECES, PLANES, SAMPLE, false>(
            sum, four[1], window + lane_place<FOUR>(pitch) + FOUR * pitch);
    window += FOURS(MASK) * FOUR * pitch;
    if constexpr (TWOS(MASK) > 0)
        add_rows<TWO, PIECES, PLANES, SAMPLE, FOURS(MASK) == 0>(sum, two[0],
                                                                window + lane_place<TWO>(pitch));
    if constexpr (TWOS(MASK) > 1)
        add_rows<TWO, PIECES, PLANES, SAMPLE, false>(sum, two[1],
                                                     window + lane_place<TWO>(pitch) + TWO * pitch);
    window += TWOS(MASK) * TWO * pitch;
    if constexpr (ONES(MASK) > 0)
        add_rows<ONE, PIECES, PLANES, SAMPLE, false>(sum, one, window + lane_place<ONE>(pitch));
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

/* Which of the masks whose weights stay in registers this one is; ANY_MASK also for others. */
static int mask_of(const struct banded_shape *s)
{
    return s->sweeps == 1 && s->fours < 10 && s->twos < 10 ? MASK_OF(s->fours, s->twos, s->ones)
                                                           : ANY_MASK;
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
