/* banded: exact convolution of 8 and 16-bit pixels on the int8 matrix units. Pixels
 * stay as they lie in memory: a row of interleaved pixels is one signal, and a mask
 * row is a banded matrix over it. Output byte j takes input bytes j, j + 3, j + 6, ...
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
 * of four mask rows, and one all pieces of a row that is left over. Gray rows use
 * dense products; small gray masks have a layout of their own (banded_gray.cuh).
 * Weights past int8 become two matrices, w = 256 * high + low. Samples of 16 bits are
 * treated as pairs of bytes, whose sums are joined at the end, 256 * high + low. Both
 * are exact.
 *
 * A block makes one tile and ends. Blocks start in the order in which tiles lie in
 * memory; on a multiprocessor four to nine blocks load, sum and store in turn.
 * Weights of small masks stay in registers.
 *
 * Shared memory   pitch * (48 + k - 1) + 8192, and the packed weights of large masks;
 *                 pitch = 512 + 16 * (pieces of a window - 1)
 * Bytes moved     3 in, 3 out a pixel (RGB), the halo from L2, by the tensor copy
 * Measured        see docs/lab/banded.md */
#include "banded.cuh"
#include "banded_gray.cuh"
#include "banded_products.cuh"
#include "banded_stage.cuh"
#include "banded_tensors.cuh"

/* Rows that leave at a time: a tile has a multiple of them. */
BOTH_SIDES constexpr int sent_rows(bool light)
{
    return light ? 8 : 16;
}

/* Blocks of threads that a multiprocessor is to hold: there is no code before 9.0, and 7.5 holds
 * 1024 threads. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define RESIDENT_BLOCKS(blocks) 1
#else
#define RESIDENT_BLOCKS(blocks) (blocks)
#endif

#if __CUDA_ARCH__ >= 900

/* Sums to samples, in the register that stmatrix stores transposed: lane (g, t) holds pair of bytes
 * (or sample of 16 bits) g of 8, for rows 2t and 2t + 1. */
template <int SAMPLE, int DIVIDE>
__device__ inline uint32_t finish(const struct sample_divide &d, const int *sum)
{
    if (SAMPLE == 1)
        return divided_word<DIVIDE>(d, sum[0], sum[2], sum[1], sum[3]);
    const uint32_t low[2] = {(uint32_t)sum[0], (uint32_t)sum[1]};
    return pack_shorts(divided_sum<DIVIDE>(d, (int)(low[1] + 256 * (uint32_t)sum[3])),
                       divided_sum<DIVIDE>(d, (int)(low[0] + 256 * (uint32_t)sum[2])));
}

#endif

/* Whole pixels, masks that are products of so many rows: see banded_products.cuh. */
template <int MASK, bool SPARSE, int PIECES, int PLANES, int sample> struct pixels {
    enum : int {
        SAMPLE = sample,
        WEIGHT_PLANES = PLANES,
        LIGHT =
            PLANES == 1 && PIECES == 2 && (MASK == MASK_OF(1, 0, 0) || MASK == MASK_OF(1, 0, 1)),
        STAGED_WEIGHTS = MASK == ANY_MASK,
        /* Blocks of threads that a multiprocessor is to hold: those with few instructions mostly
         * wait, the others need their registers. */
        RESIDENT = LIGHT                      ? (MASK == MASK_OF(1, 0, 1) ? 9 : 8)
                   : STAGED_WEIGHTS           ? 4
                   : PLANES == 1              ? (PIECES == 4 ? 4 : 5)
                   : PIECES > 2               ? 4
                   : MASK == MASK_OF(1, 0, 0) ? 6
                                              : 5,
    };
#if __CUDA_ARCH__ >= 900
    kept<MASK, PIECES, PLANES> f;

    __device__ inline void load(const struct banded_args &args)
    {
        if constexpr (MASK != ANY_MASK)
            load_kept(args, f);
    }

    /* A warp's samples of 128 bytes x 8 rows, in the registers that store() takes. */
    template <int DIVIDE>
    __device__ inline void filter(const struct banded_args &args, const uint8_t *window,
                                  const uint4 *A, const int *start, uint32_t *piece) const
    {
        sum_all<MASK, SPARSE>(
            args, shared_address(window), A, f, start,
            [&](int n, const int *sum) { piece[n] = finish<SAMPLE, DIVIDE>(args.divide, sum); });
    }

    __device__ static inline void store(uint8_t *P_ds, const uint32_t *piece)
    {
        store_piece(shared_address(P_ds), piece);
    }
#endif
};

#if __CUDA_ARCH__ >= 900

/* The values from which sums start. With one plane of weights the products start from them, in four
 * registers. With two planes they are added to the sums of the first plane, and one register is
 * enough. */
template <typename FORM> __device__ inline void start_from(int bias, const int *begin, int *start)
{
    if (FORM::WEIGHT_PLANES == 1)
        read_four(begin, start);
    else
        for (int i = 0; i < 4; i++)
            start[i] = bias;
    if (FORM::SAMPLE == 2) /* sums of the high bytes start from 0 */
        start[2] = start[3] = 0;
}

#endif

/* A block a tile: all of its window comes in one copy, and other blocks' sums hide the wait. */
template <typename FORM, int DIVIDE>
__global__ void __launch_bounds__(BANDED_THREADS, RESIDENT_BLOCKS(FORM::RESIDENT))
    banded(const __grid_constant__ banded_args args)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) uint8_t shared[];
    __shared__ uint64_t arrived;
    __shared__ int begin[4];
    const struct banded_shape &shape = args.shape;
    const int warp = threadIdx.x / 32;
    constexpr int SENT = sent_rows(FORM::LIGHT);
    uint8_t *N_ds = shared + SENT * BANDED_TILE_BYTES, *P_ds = shared + warp * 128 * SENT;
    uint4 *A_ds = (uint4 *)(N_ds + banded_stage_bytes(&shape));
    const struct banded_tile at = own_tile(args);
    const int x = at.x * BANDED_TILE_BYTES + warp * 128, y = at.y * shape.tile_rows;
    const int rows = min(shape.tile_rows, args.job.out_rows - y);
    const uint8_t *window = N_ds + warp * 128;
    FORM form;
    int start[4] = {};

    write_four(begin, args.divide.bias);
    if (threadIdx.x == 0)
        fetch(args, N_ds, at, A_ds, FORM::STAGED_WEIGHTS ? banded_fragment_bytes(&shape) : 0,
              &arrived);
    form.load(args);
    __syncthreads();
    if (DIVIDE == DIVIDE_DOUBLE || DIVIDE == DIVIDE_FLOAT)
        start_from<FORM>(args.divide.bias, begin, start);
    barrier_wait_once(&arrived);
    if (at_edge(args, at)) {
        fill_ghosts(args, N_ds, first_staged_row(args, at), rows_needed(args, at), at.x);
        __syncthreads();
    }
#pragma unroll 1
    for (int row = 0; row < rows; row += SENT) {
#pragma unroll
        for (int r = 0; r < SENT; r += 8) {
            uint32_t piece[8];
            form.template filter<DIVIDE>(args, window + (row + r) * shape.pitch, A_ds, start,
                                         piece);
            if (r == 0 && row > 0)
                wait_sent();
            FORM::store(P_ds + r * 128, piece);
        }
        send_pieces(args, shared_address(P_ds), x, y + row);
    }
    wait_sent();
#endif
}

/* ---- launching ---- */

/* Shared memory but for the weights. A warp loads up to four pieces beyond the last ones it takes.
 */
static size_t stage_bytes(const struct banded_shape *shape)
{
    const int sent = sent_rows(banded_is_light(shape));
    return (size_t)(sent * BANDED_TILE_BYTES + banded_stage_bytes(shape) + 4 * BANDED_PIECE);
}

size_t banded_shared_bytes(const struct banded_shape *shape)
{
    return stage_bytes(shape) + (size_t)banded_fragment_bytes(shape);
}

template <typename FORM, int DIVIDE>
static cudaError_t launch(struct banded_args *args, cudaStream_t stream)
{
    return banded_run(banded<FORM, DIVIDE>, args, BANDED_THREADS,
                      FORM::STAGED_WEIGHTS ? banded_shared_bytes(&args->shape)
                                           : stage_bytes(&args->shape),
                      stream);
}

template <typename FORM>
static cudaError_t launch_form(struct banded_args *args, cudaStream_t stream)
{
    if constexpr (FORM::SAMPLE == 1)
        if (args->divide.how == DIVIDE_FLOAT)
            return launch<FORM, DIVIDE_FLOAT>(args, stream);
    switch (args->divide.how) {
    case DIVIDE_DOUBLE:
        return launch<FORM, DIVIDE_DOUBLE>(args, stream);
    case DIVIDE_ANY:
        return launch<FORM, DIVIDE_ANY>(args, stream);
    default: /* shifts by 0, too */
        return launch<FORM, DIVIDE_SHIFT>(args, stream);
    }
}

template <int PLANES> static cudaError_t launch_gray(struct banded_args *args, cudaStream_t stream)
{
    const struct banded_shape *s = &args->shape;
    if (s->words[0] == 1)
        return launch_form<gray<1, 2, 3, PLANES>>(args, stream);
    if (s->words[0] == 2)
        return launch_form<gray<2, 2, 3, PLANES>>(args, stream);
    if (s->words[0] == 3)
        return launch_form<gray<3, 3, 4, PLANES>>(args, stream);
    return launch_form<pixels<ANY_MASK, false, 2, PLANES, 1>>(args, stream);
}

/* Masks whose weights stay in registers, and others. */
#define KEEP(fours, twos, ones, pieces)                                                            \
    if (mask == MASK_OF(fours, twos, ones))                                                        \
    return launch_form<pixels<MASK_OF(fours, twos, ones), true, pieces, PLANES, SAMPLE>>(args,     \
                                                                                         stream)
#define ANY(pieces) return launch_form<pixels<ANY_MASK, true, pieces, PLANES, SAMPLE>>(args, stream)

template <int PLANES, int SAMPLE>
static cudaError_t launch_pixels(struct banded_args *args, cudaStream_t stream)
{
    const int mask = mask_of(&args->shape);
    switch (args->shape.pieces) {
    case 2:
        KEEP(1, 0, 0, 2);
        KEEP(1, 0, 1, 2);
        ANY(2);
    case 3:
        if constexpr (SAMPLE == 2)
            KEEP(1, 0, 1, 3);
        KEEP(2, 0, 0, 3);
        KEEP(2, 0, 1, 3);
        ANY(3);
    default:
        if constexpr (SAMPLE == 2) {
            KEEP(2, 0, 0, 4);
            KEEP(2, 0, 1, 4);
        }
        ANY(4);
    }
}

#undef KEEP
#undef ANY

extern "C" cudaError_t banded_launch(const struct image_job *job, int weight_planes,
                                     cudaStream_t stream)
{
    struct banded_args args = {};
    int shift, pad = banded_pad((uintptr_t)job->in, (uintptr_t)job->out,
                                job->anchor_x * job->channels * job->sample_bytes, &shift);
    struct banded_shape shape = banded_image_shape(job->mask_width, job->mask_height, job->channels,
                                                   job->sample_bytes, weight_planes, pad);
    cudaError_t status = banded_prepare(&args, job, &shape, sent_rows(banded_is_light(&shape)));

    if (status != cudaSuccess)
        return status;
    if (!sample_divide_float(&args.divide, job))
        sample_divide_double(&args.divide, job);
    if (shape.fours == 0)
        return shape.planes == 1 ? launch_gray<1>(&args, stream) : launch_gray<2>(&args, stream);
    if (job->sample_bytes == 2)
        return launch_pixels<1, 2>(&args, stream);
    return shape.planes == 1 ? launch_pixels<1, 1>(&args, stream)
                             : launch_pixels<2, 1>(&args, stream);
}
