/* The matrix products of the banded and the certified kernel: a warp's sums over all mask rows,
 * read from the staged tile. */
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

/* A warp's work: 128 bytes of 8 output rows, then of the next rows further down. So many groups of
 * 16 bytes. */
#define GROUPS   8
#define TOGETHER 2 /* groups whose products take turns, so that none waits for the one before */

#if __CUDA_ARCH__ >= 900

/* ---- the products ---- */

/* How many mask rows a product takes: of two or four a piece each, of one all pieces. */
enum { ONE = 1, TWO = 2, FOUR = 4 };

template <int ROWS, bool SIGNED>
__device__ inline void product(int *sum, const uint4 &a, uint32_t at, const uint32_t *b,
                               const int *c)
{
    if constexpr (ROWS == TWO)
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

/* The weights of a single row: a dense product of two pieces, or a sparse one of four. */
template <int PIECES, int PLANES> struct line {
    uint4 a[PLANES];
    uint32_t at;
};

template <int PIECES, int PLANES>
__device__ inline void load_line(line<PIECES, PLANES> &f, const uint4 *A, const uint32_t *places)
{
#pragma unroll
    for (int i = 0; i < PLANES; i++)
        f.a[i] = A[i * 32];
    f.at = PIECES > 2 ? places[0] : 0;
}

template <int PIECES, bool SIGNED>
__device__ inline void line_product(int *sum, const uint4 &a, uint32_t at, const uint32_t *b,
                                    const int *c)
{
    if constexpr (PIECES > 2)
        product_sparse_64<SIGNED>(sum, a, at, b[0], b[1], b[2], b[3], c);
    else
        product_32<SIGNED, false>(sum, a.x, a.y, a.z, a.w, b[0], b[1], c);
}

/* Four neighbouring pieces of a row lie in neighbouring registers, as products want them: those
 * from n on, and where two do also those from n + 2 on. */
template <int PIECES> __device__ constexpr bool loads_line(int n)
{
    return PIECES > 2 || n % 4 < 2;
}

template <int PIECES> __device__ inline const uint32_t *line_of(const uint32_t (*loaded)[4], int n)
{
    return PIECES > 2 ? loaded[n] : loaded[n % 4 < 2 ? n : n - 2] + n % 4 / 2 * 2;
}

/* ---- masks of any size ---- */

/* sum += A * B for ROWS mask rows. FIRST: sum = start + A * B, in the first plane. Piece m of the
 * staged rows is loaded once and serves each group whose window it is in: it is piece p of group m
 * - p. */
template <int ROWS, int PIECES, int PLANES, bool FIRST>
__device__ inline void add_rows(int (*sum)[GROUPS][4], const fragments<PIECES, PLANES> &f,
                                const uint32_t *at, uint32_t address, const int *start)
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
            product<ROWS, PLANES == 1>(sum[0][n], f.a[p][0], at[p], b, begins ? start : sum[0][n]);
            if (PLANES == 2)
                product<ROWS, true>(sum[PLANES - 1][n], f.a[p][PLANES - 1], at[p], b,
                                    begins ? zero : sum[PLANES - 1][n]);
        }
    }
}

template <int PIECES, int PLANES>
__device__ inline void add_line(int (*sum)[GROUPS][4], const line<PIECES, PLANES> &f,
                                uint32_t address)
{
    uint32_t loaded[GROUPS][4];
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
        if (loads_line<PIECES>(n))
            load_matrices(loaded[n], address + n * BANDED_PIECE);
        const uint32_t *b = line_of<PIECES>(loaded, n);
        line_product<PIECES, PLANES == 1>(sum[0][n], f.a[0], f.at, b, sum[0][n]);
        if (PLANES == 2)
            line_product<PIECES, true>(sum[PLANES - 1][n], f.a[PLANES - 1], f.at, b,
                                       sum[PLANES - 1][n]);
    }
}

/* The sums of one warp's 128 bytes x 8 rows, from the staged window, for masks of any size. */
template <bool SPARSE, int PIECES, int PLANES>
__device__ inline void add_mask(const struct banded_args &args, uint32_t window, const uint4 *A,
                                const int *start, int (*sum)[GROUPS][4])
{
    constexpr int FRAGMENTS = PIECES * PLANES * 32, ROWS = SPARSE ? FOUR : TWO;
    const struct banded_shape &shape = args.shape;
    const uint32_t *places = (const uint32_t *)(A + banded_fragments(&shape) * 32);
    const uint32_t many = lane_place<ROWS>(shape.pitch);
    const int blocks = SPARSE ? shape.fours : shape.twos;
    int next = threadIdx.x % 32;
    fragments<PIECES, PLANES> f;
    uint32_t at[PIECES];

    load_fragments(f, A + next);
    load_places<PIECES, PLANES>(at, places + next);
    next += FRAGMENTS;
    add_rows<ROWS, PIECES, PLANES, true>(sum, f, at, window + many, start);
    for (int sweep = 0; sweep < shape.sweeps; sweep++) {
        const uint32_t rest = window + blocks * ROWS * shape.pitch;
        if (sweep > 0)
            load_places<PIECES, PLANES>(at, places + next);
        for (int i = sweep == 0; i < blocks; i++, next += FRAGMENTS) {
            load_fragments(f, A + next);
            add_rows<ROWS, PIECES, PLANES, false>(sum, f, at,
                                                  window + many + i * ROWS * shape.pitch, start);
        }
        if (SPARSE && shape.twos) {
            load_fragments(f, A + next);
            next += FRAGMENTS;
            add_rows<TWO, PIECES, PLANES, false>(sum, f, at, rest + lane_place<TWO>(shape.pitch),
                                                 start);
        }
        if (shape.ones) {
            line<PIECES, PLANES> l;
            load_line(l, A + next, places + next);
            next += PLANES * 32;
            add_line(sum, l, rest + lane_place<ONE>(shape.pitch));
        }
        window += PIECES * BANDED_PIECE;
    }
    if (PLANES == 2)
#pragma unroll
        for (int i = 0; i < GROUPS * 4; i++)
            sum[0][i / 4][i % 4] = (int)((uint32_t)sum[0][i / 4][i % 4] +
                                         256 * (uint32_t)sum[PLANES - 1][i / 4][i % 4]);
}

/* ---- masks whose weights stay in registers ---- */

template <int MASK, int PIECES, int PLANES> struct kept {
    fragments<PIECES, PLANES> four[FOURS(MASK) + 1], two[TWOS(MASK) + 1];
    line<PIECES, PLANES> one;
    uint32_t at[PIECES];
};

template <int MASK, int PIECES, int PLANES>
__device__ inline void load_kept(const struct banded_args &args, kept<MASK, PIECES, PLANES> &f)
{
    constexpr int FRAGMENTS = PIECES * PLANES * 32;
    const uint4 *A = (const uint4 *)args.job.fragments;
    const uint32_t *places = (const uint32_t *)(A + banded_fragments(&args.shape) * 32);
    int next = threadIdx.x % 32;

    if (FOURS(MASK))
        load_places<PIECES, PLANES>(f.at, places + next);
#pragma unroll
    for (int i = 0; i < FOURS(MASK); i++, next += FRAGMENTS)
        load_fragments(f.four[i], A + next);
#pragma unroll
    for (int i = 0; i < TWOS(MASK); i++, next += FRAGMENTS)
        load_fragments(f.two[i], A + next);
    if (ONES(MASK))
        load_line(f.one, A + next, places + next);
}

/* The pieces of a group's window, of all mask rows: those of earlier groups are still there. */
template <int MASK, int PIECES> struct window {
    uint32_t four[FOURS(MASK) + 1][GROUPS + PIECES - 1][4];
    uint32_t two[TWOS(MASK) + 1][(GROUPS + PIECES) / 2][4]; /* two pieces at once */
    uint32_t one[GROUPS][4];
};

template <int MASK, int PIECES>
__device__ inline void load_line_at(window<MASK, PIECES> &w, int n, uint32_t address, int pitch)
{
    address += (FOURS(MASK) * FOUR + TWOS(MASK) * TWO) * pitch;
    if (ONES(MASK) && loads_line<PIECES>(n))
        load_matrices(w.one[n], address + lane_place<ONE>(pitch) + n * BANDED_PIECE);
}

template <int MASK, int PIECES>
__device__ inline void load_piece(window<MASK, PIECES> &w, int m, uint32_t address, int pitch)
{
#pragma unroll
    for (int i = 0; i < FOURS(MASK); i++)
        load_matrices(w.four[i][m],
                      address + lane_place<FOUR>(pitch) + i * FOUR * pitch + m * BANDED_PIECE);
    address += FOURS(MASK) * FOUR * pitch;
#pragma unroll
    for (int i = 0; i < TWOS(MASK); i++)
        if (m % 2 == 0)
            load_matrices(w.two[i][m / 2],
                          address + lane_place<TWO>(pitch) + i * TWO * pitch + m * BANDED_PIECE);
}

/* sum = c + one plane's products for groups n, n + 1, ... */
template <int MASK, int PIECES, int PLANES, int PLANE>
__device__ inline void add_groups(int (*sum)[4], const kept<MASK, PIECES, PLANES> &f,
                                  const window<MASK, PIECES> &w, int n, const int (*c)[4])
{
    constexpr bool SIGNED = PLANE == PLANES - 1;
#pragma unroll
    for (int p = 0; p < PIECES; p++) {
#pragma unroll
        for (int i = 0; i < FOURS(MASK); i++, c = sum)
#pragma unroll
            for (int g = 0; g < TOGETHER; g++)
                product<FOUR, SIGNED>(sum[g], f.four[i].a[p][PLANE], f.at[p], w.four[i][n + g + p],
                                      c[g]);
#pragma unroll
        for (int i = 0; i < TWOS(MASK); i++, c = sum)
#pragma unroll
            for (int g = 0; g < TOGETHER; g++) {
                const int m = n + g + p;
                product<TWO, SIGNED>(sum[g], f.two[i].a[p][PLANE], 0, w.two[i][m / 2] + m % 2 * 2,
                                     c[g]);
            }
    }
    if (ONES(MASK))
#pragma unroll
        for (int g = 0; g < TOGETHER; g++)
            line_product<PIECES, SIGNED>(sum[g], f.one.a[PLANE], f.one.at,
                                         line_of<PIECES>(w.one, n + g), c[g]);
}

/* The sums, from start on, of groups n, n + 1, ... of 128 bytes x 8 rows, of all groups in turn. */
template <int MASK, int PIECES, int PLANES>
__device__ inline void sum_groups(int (*sum)[4], const kept<MASK, PIECES, PLANES> &f,
                                  window<MASK, PIECES> &w, int n, uint32_t address, int pitch,
                                  const int *start)
{
    int from[TOGETHER][4] = {};
#pragma unroll
    for (int m = n == 0 ? 0 : n + PIECES - 1; m < n + TOGETHER + PIECES - 1; m++)
        load_piece(w, m, address, pitch);
#pragma unroll
    for (int g = 0; g < TOGETHER; g++)
        load_line_at(w, n + g, address, pitch);
    if constexpr (PLANES == 2)
        add_groups<MASK, PIECES, PLANES, 1>(from, f, w, n, from);
#pragma unroll
    for (int g = 0; g < TOGETHER; g++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            from[g][k] = (int)((PLANES == 2 ? 256 * (uint32_t)from[g][k] : 0) + (uint32_t)start[k]);
    add_groups<MASK, PIECES, PLANES, 0>(sum, f, w, n, from);
}

/* Hands each(n, sum) the sums, from start on, of every group of a warp's 128 bytes x 8 rows. */
template <int MASK, bool SPARSE, int PIECES, int PLANES, typename EACH>
__device__ inline void sum_all(const struct banded_args &args, uint32_t from, const uint4 *A,
                               const kept<MASK, PIECES, PLANES> &f, const int *start, EACH each)
{
    if constexpr (MASK == ANY_MASK) {
        int sum[PLANES][GROUPS][4];
        add_mask<SPARSE, PIECES, PLANES>(args, from, A, start, sum);
#pragma unroll
        for (int n = 0; n < GROUPS; n++)
            each(n, sum[0][n]);
    } else {
        window<MASK, PIECES> w;
#pragma unroll
        for (int n = 0; n < GROUPS; n += TOGETHER) {
            int sum[TOGETHER][4];
            sum_groups(sum, f, w, n, from, args.shape.pitch, start);
#pragma unroll
            for (int g = 0; g < TOGETHER; g++)
                each(n + g, sum[g]);
        }
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
