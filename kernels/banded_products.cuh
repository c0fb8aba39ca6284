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

/* A warp's work: 128 bytes of 8 output rows, and again further down: so many groups of 16 bytes. */
#define GROUPS 8

#ifndef EXTRA
#define EXTRA 36
#endif
#ifndef SIX_UP
#define SIX_UP 84
#endif

/* Blocks of threads that a multiprocessor is to hold, by what a thread keeps in registers: weights,
 * and of sums those of some groups. */
constexpr int resident(int mask, int pieces, int planes)
{
    const int weights = 4 * FOURS(mask) + 4 * TWOS(mask) + 2 * ONES(mask);
    const int loaded = 4 * FOURS(mask) + 4 * TWOS(mask) + 4 * ONES(mask);
    const int registers = EXTRA + weights * pieces * planes + pieces + loaded * pieces;
#ifdef RESIDENT
    return RESIDENT;
#endif
    if (mask == ANY_MASK)
        return planes == 2 ? 4 : 5;
    return registers <= 72 ? 7 : registers <= SIX_UP ? 6 : registers <= 100 ? 5 : 4;
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

/* A product's weights, for the pieces of a window. */
template <int PIECES, int PLANES> struct fragments {
    uint4 a[PIECES][PLANES];
};

template <int PIECES, int PLANES>
__device__ inline void load_fragments(fragments<PIECES, PLANES> &f, const uint4 *A)
{
#pragma unroll
    for (int i = 0; i < PIECES * PLANES; i++)
        f.a[i / PLANES][i % PLANES] = A[i * 32];
}

/* Where the sparse ones' values stand: the same for all rows and planes. */
template <int PIECES, int PLANES>
__device__ inline void load_places(uint32_t *at, const uint32_t *places)
{
#pragma unroll
    for (int p = 0; p < PIECES; p++)
        at[p] = places[p * PLANES * 32];
}

/* ---- masks of any size ---- */

/* sum += A * B for ROWS mask rows. FIRST: sum = A * B. Piece m of the staged rows is loaded
 * once and serves each group whose window it is in: it is piece p of group m - p. */
template <int ROWS, int PIECES, int PLANES, bool FIRST>
__device__ inline void add_rows(int (*sum)[GROUPS][4], const fragments<PIECES, PLANES> &f,
                                const uint32_t *at, uint32_t address)
{
    constexpr int LAST = GROUPS - 1 + PIECES - 1, AT_ONCE = 4 / ROWS;
    const int zero[4] = {};

#pragma unroll
    for (int m = 0; m <= LAST; m += AT_ONCE) {
        uint32_t piece[4];
        load_matrices(piece, address + m * BANDED_PIECE);
#pragma unroll
        for (int i = 0; i < AT_ONCE * PIECES; i++) {
            const int p = i % PIECES, n = m + i / PIECES - p;
            if (n < 0 || n >= GROUPS)
                continue;
            const uint32_t *b = piece + i / PIECES * ROWS;
            const bool begins = FIRST && p == 0;
            product<ROWS, PLANES == 1>(sum[0][n], f.a[p][0], at[p], b, begins ? zero : sum[0][n]);
            if (PLANES == 2)
                product<ROWS, true>(sum[PLANES - 1][n], f.a[p][PLANES - 1], at[p], b,
                                    begins ? zero : sum[PLANES - 1][n]);
        }
    }
}

/* The sums of one warp's 128 bytes x 8 rows, from the staged window, for masks of any size. */
template <bool SPARSE, int PIECES, int PLANES>
__device__ inline void add_mask(const struct banded_args &args, uint32_t window, const uint4 *A,
                                int (*sum)[GROUPS][4])
{
    constexpr int FRAGMENTS = PIECES * PLANES * 32, ROWS = SPARSE ? FOUR : TWO;
    const struct banded_shape &shape = args.shape;
    const uint32_t *places = (const uint32_t *)(A + banded_fragments(&shape) * 32);
    const uint32_t many = lane_place<ROWS>(shape.pitch), one = lane_place<ONE>(shape.pitch);
    const int lane = threadIdx.x % 32, blocks = SPARSE ? shape.fours : shape.twos;
    const int a_sweep = (blocks + (SPARSE ? shape.twos : 0) + shape.ones) * FRAGMENTS;
    fragments<PIECES, PLANES> f;
    uint32_t at[PIECES];

    A += lane;
    places += lane;
    load_fragments(f, A);
    load_places<PIECES, PLANES>(at, places);
    add_rows<ROWS, PIECES, PLANES, true>(sum, f, at, window + many);
    for (int sweep = 0; sweep < shape.sweeps; sweep++) {
        const uint32_t rest = window + blocks * ROWS * shape.pitch;
        for (int i = sweep == 0; i < blocks; i++) {
            load_fragments(f, A += FRAGMENTS);
            add_rows<ROWS, PIECES, PLANES, false>(sum, f, at,
                                                  window + many + i * ROWS * shape.pitch);
        }
        if (SPARSE && shape.twos) {
            load_fragments(f, A += FRAGMENTS);
            add_rows<TWO, PIECES, PLANES, false>(sum, f, at, rest + lane_place<TWO>(shape.pitch));
        }
        if (shape.ones) {
            load_fragments(f, A += FRAGMENTS);
            add_rows<ONE, PIECES, PLANES, false>(sum, f, at, rest + one);
        }
        window += PIECES * BANDED_PIECE;
        if (sweep + 1 < shape.sweeps)
            load_places<PIECES, PLANES>(at, places += a_sweep);
    }
}

/* ---- masks whose weights stay in registers ---- */

template <int MASK, int PIECES, int PLANES> struct kept {
    fragments<PIECES, PLANES> four[FOURS(MASK) + 1], two[TWOS(MASK) + 1], one;
    uint32_t at[PIECES];
};

template <int MASK, int PIECES, int PLANES>
__device__ inline void load_kept(const struct banded_args &args, kept<MASK, PIECES, PLANES> &f)
{
    constexpr int FRAGMENTS = PIECES * PLANES * 32;
    const int lane = threadIdx.x % 32;
    const uint4 *A = (const uint4 *)args.job.fragments;

    if (FOURS(MASK))
        load_places<PIECES, PLANES>(
            f.at, (const uint32_t *)(A + banded_fragments(&args.shape) * 32) + lane);
    A += lane;
#pragma unroll
    for (int i = 0; i < FOURS(MASK); i++, A += FRAGMENTS)
        load_fragments(f.four[i], A);
#pragma unroll
    for (int i = 0; i < TWOS(MASK); i++, A += FRAGMENTS)
        load_fragments(f.two[i], A);
    if (ONES(MASK))
        load_fragments(f.one, A);
}

/* The pieces of a group's window, of all mask rows: those of earlier groups are still there. */
template <int MASK, int PIECES> struct window {
    uint32_t four[FOURS(MASK) + 1][GROUPS + PIECES - 1][4];
    uint32_t two[TWOS(MASK) + 1][(GROUPS + PIECES) / 2][4]; /* two pieces at once */
    uint32_t one[(GROUPS + PIECES + 2) / 4][4];             /* four */
};

template <int MASK, int PIECES>
__device__ inline void load_piece(window<MASK, PIECES> &w, int m, uint32_t address, int pitch)
{
#pragma unroll
    for (int i = 0; i < FOURS(MASK); i++)
        load_matrices(w.four[i][m], address + lane_place<FOUR>(pitch) + i * FOUR * pitch +
                                        m * BANDED_PIECE);
    address += FOURS(MASK) * FOUR * pitch;
#pragma unroll
    for (int i = 0; i < TWOS(MASK); i++)
        if (m % 2 == 0)
            load_matrices(w.two[i][m / 2],
                          address + lane_place<TWO>(pitch) + i * TWO * pitch + m * BANDED_PIECE);
    address += TWOS(MASK) * TWO * pitch;
    if (ONES(MASK) && m % 4 == 0)
        load_matrices(w.one[m / 4], address + lane_place<ONE>(pitch) + m * BANDED_PIECE);
}

/* sum = c + one plane's products for group n. */
template <int MASK, int PIECES, int PLANES, int PLANE>
__device__ inline void add_group(int *sum, const kept<MASK, PIECES, PLANES> &f,
                                 const window<MASK, PIECES> &w, int n, const int *c)
{
    constexpr bool SIGNED = PLANE == PLANES - 1;
#pragma unroll
    for (int p = 0; p < PIECES; p++) {
        const int m = n + p;
#pragma unroll
        for (int i = 0; i < FOURS(MASK); i++, c = sum)
            product<FOUR, SIGNED>(sum, f.four[i].a[p][PLANE], f.at[p], w.four[i][m], c);
#pragma unroll
        for (int i = 0; i < TWOS(MASK); i++, c = sum)
            product<TWO, SIGNED>(sum, f.two[i].a[p][PLANE], 0, w.two[i][m / 2] + m % 2 * 2, c);
        if (ONES(MASK)) {
            product<ONE, SIGNED>(sum, f.one.a[p][PLANE], 0, w.one[m / 4] + m % 4, c);
            c = sum;
        }
    }
}

/* The sums of group n of 128 bytes x 8 rows, of groups 0, 1, 2, ... one after the other. */
template <int MASK, int PIECES, int PLANES>
__device__ inline void sum_group(int *sum, const kept<MASK, PIECES, PLANES> &f,
                                 window<MASK, PIECES> &w, int n, uint32_t address, int pitch)
{
    const int zero[4] = {};
#pragma unroll
    for (int m = n == 0 ? 0 : n + PIECES - 1; m < n + PIECES; m++)
        load_piece<MASK, PIECES>(w, m, address, pitch);
    if constexpr (PLANES == 1) {
        add_group<MASK, PIECES, 1, 0>(sum, f, w, n, zero);
    } else {
        int high[4];
        add_group<MASK, PIECES, PLANES, 1>(high, f, w, n, zero);
#pragma unroll
        for (int k = 0; k < 4; k++)
            high[k] = (int)((uint32_t)high[k] << 8);
        add_group<MASK, PIECES, PLANES, 0>(sum, f, w, n, high);
    }
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
