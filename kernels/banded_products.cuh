/* The matrix products of the banded and certified kernels: a warp's sums of all mask rows, from the
 * staged tile. */
#ifndef STENCIL_BANDED_PRODUCTS_CUH
#define STENCIL_BANDED_PRODUCTS_CUH

#include "banded.cuh"

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

/* ---- launching ---- */

/* Which of the masks whose weights stay in registers this one is; ANY_MASK also for others. */
static int mask_of(const struct banded_shape *s)
{
    return s->sweeps == 1 && s->fours < 10 && s->twos < 10 ? MASK_OF(s->fours, s->twos, s->ones)
                                                           : ANY_MASK;
}

#endif
