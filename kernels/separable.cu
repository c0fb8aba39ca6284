/* separable: masks of rank 1 on the int8 matrix units, row pass and column pass in one
 * kernel. The row factor is a banded matrix over the pixels as they lie in memory (see
 * banded.cu). Its sums never leave the registers: the first product leaves them in the
 * lanes in which the second product takes its operand.
 *
 *    row pass       T = H * B      H  16 bytes of outputs x window bytes (a band)
 *                                  B  window bytes x 8 input rows (ldmatrix)
 *    column pass    P = T * V      T  16 bytes x the rows of 2, 3 or 5 blocks of 8
 *                                  V  those rows x 8 output rows (a band)
 *
 * After H * B a lane holds two bytes' sums for rows 2t and 2t + 1. The second product
 * wants four values of its inner index from that lane: the low and the next byte of the
 * two sums, which one byte permutation makes. V is 0 for the byte that does not count.
 * A warp walks down its 64 bytes of the tile, one block of rows after the other, and
 * makes each sum once; the sums stay in their registers, and V turns. A tile comes in
 * two halves: while the first is summed, the second is on its way. For masks whose sums
 * take less time than the copy (up to 7 rows and one dense product) the tile is twice as
 * wide and comes at once, and a warp walks down it twice. Sums of several bytes are split
 * into bytes, the last one signed, and the products of equal weight are added: exact.
 *
 * Sums past 16 bits go on as two numbers of half precision each ("halves"). Below 2048 the
 * bits of a half are a whole number of 2^-24, not normalised below 1024, so permutations
 * alone make halves of sums. Two sums' halves share a word, as two values of the inner
 * index. The products' sums lie between two powers of two, so their bits are whole numbers
 * too. If one float holds every sum of the mask, both halves' products go to that float,
 * and one multiply-add leaves the quotient in its bits. Nothing is converted, and only
 * that quotient is rounded, down.
 *
 * Shared memory   pitch * (rows + 8 * (blocks - 1)) + 128 * rows, 64 to 128 rows a tile;
 *                 pitch = 256 + 16 * (pieces of a window - 1);
 *                 light masks 528 * 56 + 512 * 48
 * Bytes moved     3 in, 3 out a pixel (RGB), the halo from L2, by the tensor copy
 * Measured        see docs/lab/separable.md */
#include "separable_columns.cuh"
#include "separable_tile.cuh"

#if __CUDA_ARCH__ >= 900

/* Four sums as the bytes of a word. Those of halves have the bias of DOUBLE already. */
template <typename S, int DIVIDE>
__device__ inline uint32_t divided_samples(const struct sample_divide &d, int *s)
{
    if constexpr (DIVIDE == DIVIDE_UPPER) {
        return __byte_perm(__byte_perm(s[0], s[2], 0x73), __byte_perm(s[1], s[3], 0x73), 0x5410);
    } else {
        if (DIVIDE == DIVIDE_DOUBLE && S::LOWER_BITS == 0)
#pragma unroll
            for (int k = 0; k < 4; k++)
                s[k] = (int)((uint32_t)s[k] + (uint32_t)d.bias);
        return divided_word<DIVIDE>(d, s[0], s[2], s[1], s[3]);
    }
}

/* A lane's part of the mask: its factors, and the values from which products start. */
template <typename S> struct factors {
    row_factor<S> H;
    column_factor<S> V;
    halves_start start;
    int from[4];
};

/* Waits for all threads of the block. */
template <typename S, int DIVIDE>
__device__ inline void load_factors(const struct banded_args &args, int *begin, factors<S> &mask)
{
    constexpr int ROW_WORDS = S::PRODUCTS * S::ROW_BYTES * (S::SPARSE ? 160 : 128);
    const uint32_t *column = (const uint32_t *)args.job.fragments + ROW_WORDS;

    load_row<S>(args.job.fragments, mask.H);
    load_column<S>(column, mask.V,
                   DIVIDE == DIVIDE_DOUBLE || DIVIDE == DIVIDE_FINE ? (uint32_t)args.divide.bias
                                                                    : 0);
    write_four(begin, args.divide.bias);
    if constexpr (S::LOWER_BITS != 0)
        load_start(column + S::BLOCKS * (S::WHOLE ? 128 : 64), mask.start);
    __syncthreads();
    if (DIVIDE == DIVIDE_FLOAT)
        read_four(begin, mask.from);
}

/* Four groups' samples for 8 rows, in the registers that stmatrix stores transposed. */
template <typename S, int DIVIDE, typename RING, typename COLUMN>
__device__ inline void finish(const struct banded_args &args, const RING *ring, int newest,
                              const COLUMN &V, const int *start, uint32_t *piece)
{
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
        if constexpr (DIVIDE == DIVIDE_WHOLE) {
            piece[n] = whole_samples<S>(ring, newest, n, V);
        } else {
            int s[4];
            mask_sums<S, DIVIDE>(s, ring, newest, n, V, start);
            piece[n] = divided_samples<S, DIVIDE>(args.divide, s);
        }
    }
}

/* A warp's 64 bytes of the tile or of one half of it, from the staged window to half of each 128
 * bytes in P_ds. The first half goes through more rows of the window: the second finds their sums
 * in the ring. */
template <typename S, int DIVIDE, bool FIRST>
__device__ inline void filter_rows(const struct banded_args &args, uint32_t window,
                                   const factors<S> &mask, ring_sums<S> *ring, uint32_t P_ds)
{
    constexpr int ROWS = S::PAIRED ? 2 : 1, SLOTS = S::PAIRED ? S::PAIRS : S::BLOCKS;
    constexpr int BEFORE = FIRST ? 0 : S::SENT / 8 / ROWS + SLOTS - 1;
    constexpr int STEPS = FIRST ? S::SENT / 8 / ROWS + SLOTS - 1 : S::SENT / 8 / ROWS;
#pragma unroll
    for (int i = 0; i < STEPS; i++) {
        const int step = BEFORE + i, done = FIRST ? i - (SLOTS - 1) : i, newest = step % SLOTS;
        const uint32_t rows = window + step * ROWS * 8 * S::PITCH;
        uint32_t piece[GROUPS];

        if constexpr (S::PAIRED)
            pass_row_pairs<S>(rows, mask.H, ring[newest]);
        else
            pass_rows<S>(rows, mask.H, mask.start, ring[newest]);
        if (done < 0)
            continue;
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            if constexpr (S::PAIRED)
                finish<S, DIVIDE>(args, ring, newest, mask.V.pairs[k], mask.from, piece);
            else
                finish<S, DIVIDE>(args, ring, newest, mask.V, mask.from, piece);
            store_matrices(P_ds + (done * ROWS + k) * 1024, piece);
        }
    }
}

#endif

/* A block a tile: while it sums the first half, the second is on its way. */
template <typename S, int DIVIDE>
__global__ void __launch_bounds__(THREADS, S::RESIDENT)
    separable(const __grid_constant__ banded_args args)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) uint8_t shared[];
    __shared__ uint64_t arrived[2];
    __shared__ int begin[4];
    uint8_t *N_ds = shared + SEPARABLE_TILE_BYTES * S::SENT;
    const struct banded_tile at = own_tile(args);
    const int warp = threadIdx.x / 32;
    factors<S> mask = {};
    ring_sums<S> ring[S::PAIRED ? S::PAIRS : S::BLOCKS];

    fetch_halves<S::SENT>(args, at, N_ds, arrived);
    if (S::BLOCKS == 5)
        prefetch_later(args);
    load_factors<S, DIVIDE>(args, begin, mask);
    wait_for_half<S::SENT>(args, at, N_ds, arrived);
    const uint32_t window = window_of_lane(args, N_ds, warp);
    const uint32_t P_ds = pieces_of_lane<S::SENT>(shared, warp);
    filter_rows<S, DIVIDE, true>(args, window, mask, ring, P_ds);
    send_half<S::SENT>(args, shared, at, 0);
    if (rows_in(args, at) > S::SENT) {
        barrier_wait_once(&arrived[1]);
        if (threadIdx.x == 0)
            copies_wait_sent();
        __syncthreads();
        filter_rows<S, DIVIDE, false>(args, window, mask, ring, P_ds);
        send_half<S::SENT>(args, shared, at, 1);
    }
    if (threadIdx.x == 0)
        copies_wait_sent();
#endif
}

/* The same for light masks: all of a tile comes at once, and a warp sends its 128 bytes of it when
 * they are made. */
template <typename S, int DIVIDE>
__global__ void __launch_bounds__(THREADS, S::RESIDENT)
    separable_light(const __grid_constant__ banded_args args)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) uint8_t shared[];
    __shared__ uint64_t arrived;
    __shared__ int begin[4];
    uint8_t *N_ds = shared + BANDED_TILE_BYTES * S::SENT;
    const struct banded_tile at = own_tile(args);
    const int warp = threadIdx.x / 32;
    factors<S> mask = {};

    if (threadIdx.x == 0)
        fetch(args, N_ds, at, nullptr, 0, &arrived);
    load_factors<S, DIVIDE>(args, begin, mask);
    barrier_wait_once(&arrived);
    if (at_edge(args, at)) {
        fill_ghosts<true>(args, N_ds, first_staged_row(args, at), rows_needed(args, at), at.x);
        __syncthreads();
    }
#pragma unroll 1
    for (int column = 2 * warp; column < 2 * warp + 2; column++) {
        ring_sums<S> ring[S::BLOCKS];
        filter_rows<S, DIVIDE, true>(args, window_of_lane(args, N_ds, column), mask, ring,
                                     pieces_of_lane<S::SENT>(shared, column));
    }
    send_pieces(args, shared_address(shared) + warp * 128 * S::SENT,
                at.x * BANDED_TILE_BYTES + warp * 128, at.y * S::SENT);
    wait_sent();
#endif
}

/* ---- launching ---- */

size_t separable_shared_bytes(const struct separable_shape *shape)
{
    const int out = shape->light ? BANDED_TILE_BYTES * SEPARABLE_LIGHT_ROWS
                                 : separable_out_bytes(&shape->stage);
    return (size_t)(out + banded_stage_bytes(&shape->stage));
}

template <typename S, int DIVIDE>
static cudaError_t run(struct banded_args *args, size_t shared, cudaStream_t stream)
{
    if constexpr (S::LIGHT)
        return banded_run(separable_light<S, DIVIDE>, args, THREADS, shared, stream);
    else
        return banded_run(separable<S, DIVIDE>, args, THREADS, shared, stream);
}

/* DIVIDE_ANY: as the job's divisor is best divided by. */
template <typename S, int DIVIDE>
static cudaError_t launch(struct banded_args *args, size_t shared, cudaStream_t stream)
{
    const int how = args->divide.how;
    if constexpr (DIVIDE != DIVIDE_ANY) {
        return run<S, DIVIDE>(args, shared, stream);
    } else {
        if constexpr (S::LOWER_BITS == 0 && S::COLUMN_BYTES == 1)
            if (how == DIVIDE_FLOAT)
                return run<S, DIVIDE_FLOAT>(args, shared, stream);
        if constexpr (separable_has_fine(S::LOWER_BITS, S::ROW_BYTES, S::BLOCKS))
            if (how == DIVIDE_FINE)
                return run<S, DIVIDE_FINE>(args, shared, stream);
        if (how == DIVIDE_DOUBLE)
            return run<S, DIVIDE_DOUBLE>(args, shared, stream);
        if (how != DIVIDE_ANY) /* shifts by 0, too */
            return run<S, DIVIDE_SHIFT>(args, shared, stream);
        return run<S, DIVIDE_ANY>(args, shared, stream);
    }
}

template <int ROW_BYTES, int SUM_BYTES, int COLUMN_BYTES, int LOWER_BITS, bool SIGNED,
          int DIVIDE = DIVIDE_ANY>
static cudaError_t launch_size(const struct separable_shape *s, struct banded_args *args,
                               cudaStream_t stream)
{
    const size_t shared = separable_shared_bytes(s);
#define LAUNCH(products, sparse, blocks, light)                                                    \
    return launch<sizes<products, sparse, blocks, ROW_BYTES, SUM_BYTES, COLUMN_BYTES, LOWER_BITS,  \
                        SIGNED, DIVIDE == DIVIDE_WHOLE, light>,                                    \
                  DIVIDE>(args, shared, stream)
    if constexpr (separable_is_light(SUM_BYTES, DIVIDE == DIVIDE_WHOLE))
        if (s->light)
            LAUNCH(1, false, 2, true);
    if (s->products == 1 && !s->sparse && s->blocks == 2)
        LAUNCH(1, false, 2, false);
    if (s->products == 1 && !s->sparse)
        LAUNCH(1, false, 3, false);
    if (s->products == 1 && s->blocks == 2)
        LAUNCH(1, true, 2, false);
    if (s->products == 1)
        LAUNCH(1, true, 3, false);
    if (!s->sparse)
        LAUNCH(2, false, 5, false);
    LAUNCH(2, true, 5, false);
#undef LAUNCH
}

/* How many blocks later a prefetched tile is taken: a third of those that the GPU holds at a time.
 */
static cudaError_t blocks_ahead(int *blocks)
{
    int device;
    cudaError_t status = cudaGetDevice(&device);
    return status == cudaSuccess
               ? cudaDeviceGetAttribute(blocks, cudaDevAttrMultiProcessorCount, device)
               : status;
}

extern "C" cudaError_t separable_launch(const struct image_job *job, int form, cudaStream_t stream)
{
    if (job->sample_bytes == 2)
        return separable_16_launch(job, form, stream);

    struct banded_args args = {};
    int shift, pad = banded_pad((uintptr_t)job->in, (uintptr_t)job->out,
                                job->anchor_x * job->channels, &shift);
    struct separable_shape shape = separable_shape_of(
        job->mask_width, job->mask_height, job->channels, (enum separable_form)form, pad);
    cudaError_t status =
        banded_prepare(&args, job, &shape.stage, shape.stage.tile_rows / (shape.light ? 1 : 2));

    if (status == cudaSuccess)
        status = blocks_ahead(&args.ahead);
    if (status != cudaSuccess)
        return status;
    if ((form != SEPARABLE_1_2_1 && form != SEPARABLE_1_3_1) ||
        !sample_divide_float(&args.divide, job))
        sample_divide_double(&args.divide, job);
    if (separable_has_fine(shape.lower_bits, shape.row_bytes, shape.blocks) && !shape.upper &&
        args.divide.how != DIVIDE_DOUBLE && (job->bound > INT32_MAX || has_fast_doubles()))
        sample_divide_fine(&args.divide, job);
    if (shape.lower_bits && (uint32_t)args.divide.bias >> 29)
        args.divide = sample_divide_of(job); /* more than sums of halves may start from */
    if (job->bound > INT32_MAX && args.divide.how != DIVIDE_DOUBLE &&
        args.divide.how != DIVIDE_FINE)
        return cudaErrorNotSupported; /* separable_takes() has refused it */
    switch (form) {
    case SEPARABLE_1_2_1:
        return launch_size<1, 2, 1, 0, true>(&shape, &args, stream);
    case SEPARABLE_1_3_1:
        return launch_size<1, 3, 1, 0, true>(&shape, &args, stream);
    case SEPARABLE_HALVES_1_8:
        return launch_size<1, 3, 1, 8, true>(&shape, &args, stream);
    case SEPARABLE_HALVES_1_10:
        return launch_size<1, 3, 1, 10, false>(&shape, &args, stream);
    case SEPARABLE_HALVES_SIGNED_10:
        return launch_size<1, 3, 1, 10, true>(&shape, &args, stream);
    case SEPARABLE_HALVES_2_10:
        return launch_size<2, 3, 1, 10, true>(&shape, &args, stream);
    case SEPARABLE_WHOLE:
        return launch_size<1, 3, 1, 8, true, DIVIDE_WHOLE>(&shape, &args, stream);
    case SEPARABLE_UPPER_1:
        return launch_size<1, 3, 1, 10, false, DIVIDE_UPPER>(&shape, &args, stream);
    case SEPARABLE_UPPER_2:
        return launch_size<2, 3, 1, 10, true, DIVIDE_UPPER>(&shape, &args, stream);
    default:
        return launch_size<2, 3, 2, 0, true>(&shape, &args, stream);
    }
}
