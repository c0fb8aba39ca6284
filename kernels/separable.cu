/* separable: masks of rank 1 on the int8 matrix units, row pass and column pass in
 * one kernel. The row factor is a band over the pixels as they lie in memory (see
 * banded.cu); its sums never leave the registers: where the first product leaves
 * them is where the second one takes them from.
 *
 *    row pass       T = H * B      H  16 bytes of outputs x window bytes (a band)
 *                                  B  window bytes x 8 input rows (ldmatrix)
 *    column pass    P = T * V      T  16 bytes x the rows of 2, 3 or 5 blocks of 8
 *                                  V  those rows x 8 output rows (a band)
 *
 * A lane of H * B holds two bytes' sums for rows 2t and 2t + 1; the second product
 * wants from it four of its inner index: the low and the next byte of the two sums,
 * one byte permutation. Which byte counts is said by V, which is 0 for the other.
 * So a warp walks down its 64 bytes of the tile, block of rows by block, and makes
 * each sum once. The sums stay in their registers, and it is V that turns. A tile
 * comes in two halves: while the first is summed, the second is on its way. Numbers
 * past a byte are taken apart by bytes, the last one signed, and the products of
 * equal weight are summed together: exact.
 *
 * Shared memory   pitch * (64 + 8 * (blocks - 1)) + 256 * 32, 64 rows a tile;
 *                 pitch = 256 + 16 * (pieces of a window - 1)
 * Bytes moved     3 in, 3 out a pixel (RGB), the halo from L2, by the tensor copy
 * Measured        see kernels/README.md */
#include "banded.cuh"
#include "banded_stage.cuh"
#include "banded_tensors.cuh"

#define THREADS 128
#define GROUPS  4 /* of 16 bytes of a row, that are a warp's */

#define HALF_ROWS  (SEPARABLE_TILE_ROWS / 2)
#define HALF_STEPS (HALF_ROWS / 8)
#define OUT_BYTES  (SEPARABLE_TILE_BYTES * HALF_ROWS) /* one half on its way out */

/* What a kernel is compiled for: see struct separable_shape. */
template <int products, bool sparse, int blocks, int row_bytes, int sum_bytes, int column_bytes>
struct sizes {
    enum : int {
        PRODUCTS = products,
        SPARSE = sparse,
        BLOCKS = blocks,
        ROW_BYTES = row_bytes,
        SUM_BYTES = sum_bytes,
        COLUMN_BYTES = column_bytes,
        WINDOW = sparse ? 4 : 2, /* pieces of a product */
        HIGH = sum_bytes == 3,   /* sums of more than two bytes */
        /* What a thread keeps in registers, and how many blocks of threads then fit a
         * multiprocessor. */
        REGISTERS = (HIGH ? 46 : 34) + blocks * GROUPS * 2 * (HIGH ? 2 : 1) +
                    products * row_bytes * 5 + blocks * column_bytes * 4 + products * 8,
        RESIDENT = REGISTERS <= 66   ? 8
                   : REGISTERS <= 80 ? 6
                   : REGISTERS <= 96 ? 5
                                     : 4,
    };
};

#if __CUDA_ARCH__ >= 900

/* The row factor: the matrices of its products, by byte, and where the sparse ones' values stand.
 */
template <typename S> struct row_factor {
    uint4 a[S::PRODUCTS][S::ROW_BYTES];
    uint32_t at[S::PRODUCTS][S::ROW_BYTES];
};

/* Sums of a row pass over 8 rows: bytes 0 and 1 of those for rows 2t and 2t + 1, of output bytes 2g
 * and 2g + 1 of each group; and bytes 2 and 3. */
template <typename S> struct row_sums {
    uint32_t low[GROUPS][2], high[S::HIGH ? GROUPS : 1][2];
};

template <typename S, bool SIGNED>
__device__ inline void row_product(int *sum, const row_factor<S> &H, int p, int byte,
                                   const uint32_t *b, const int *c)
{
    const uint4 &a = H.a[p][byte];
    if (S::SPARSE)
        product_sparse_64<SIGNED>(sum, a, H.at[p][byte], b[0], b[1], b[2], b[3], c);
    else
        product_32<SIGNED, false>(sum, a.x, a.y, a.z, a.w, b[0], b[1], c);
}

/* The row pass over 8 staged rows. */
template <typename S>
__device__ inline void pass_rows(uint32_t address, const row_factor<S> &H, row_sums<S> &sums)
{
    const int zero[4] = {};
    /* Loaded once for each place at which a product may begin, so that it finds its pieces in
     * neighbouring registers: a dense one begins at 0 or 2, for n = 0, 2 and 1, 3. */
    constexpr int STEP = S::SPARSE ? 1 : 2;
    uint32_t window[S::SPARSE ? GROUPS : 2][S::PRODUCTS][4];

#pragma unroll
    for (int n = 0; n < GROUPS / STEP; n++)
#pragma unroll
        for (int p = 0; p < S::PRODUCTS; p++)
            load_matrices(window[n][p], address + (n + p * S::WINDOW) * BANDED_PIECE);
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
        int sum[S::ROW_BYTES][4];
#pragma unroll
        for (int p = 0; p < S::PRODUCTS; p++) {
            const uint32_t *b = window[n % (GROUPS / STEP)][p] + n / (GROUPS / STEP) * 2;
            if (S::ROW_BYTES == 2)
                row_product<S, false>(sum[0], H, p, 0, b, p == 0 ? zero : sum[0]);
            row_product<S, true>(sum[S::ROW_BYTES - 1], H, p, S::ROW_BYTES - 1, b,
                                 p == 0 ? zero : sum[S::ROW_BYTES - 1]);
        }
#pragma unroll
        for (int m = 0; m < 2; m++) {
            int first = sum[0][2 * m], second = sum[0][2 * m + 1];
            if (S::ROW_BYTES == 2) {
                first += 256 * sum[S::ROW_BYTES - 1][2 * m];
                second += 256 * sum[S::ROW_BYTES - 1][2 * m + 1];
            }
            sums.low[n][m] = __byte_perm(first, second, 0x5140);
            if (S::HIGH)
                sums.high[n][m] = __byte_perm(first, second, 0x7362);
        }
    }
}

/* The column factor: byte by byte the weights of each block of 8 rows with those of the next one,
 * for the lower two of four bytes and for the upper two. */
template <typename S> struct column_factor {
    uint4 pairs[S::COLUMN_BYTES][S::BLOCKS];
};

/* Adds byte BYTE of the sums of group n times a byte of the column factor. The sums stay where they
 * are: the newest block of 8 rows is ring[newest], the oldest the one after it. */
template <typename S, int BYTE, bool A_SIGNED, bool B_SIGNED>
__device__ inline void pass_column(int *sum, const row_sums<S> *ring, int newest, int n,
                                   const uint4 *V, const int *c)
{
#pragma unroll
    for (int b = 0; b < S::BLOCKS; b += 2) {
        const uint32_t *one = BYTE < 2 ? ring[b].low[n] : ring[b].high[n];
        const uint4 &v = V[(b + S::BLOCKS - newest - 1) % S::BLOCKS];
        const uint32_t v0 = BYTE % 2 ? v.z : v.x, v1 = BYTE % 2 ? v.w : v.y;
        if (b + 1 < S::BLOCKS) {
            const uint32_t *two = BYTE < 2 ? ring[b + 1].low[n] : ring[b + 1].high[n];
            product_32<A_SIGNED, B_SIGNED>(sum, one[0], one[1], two[0], two[1], v0, v1,
                                           b == 0 ? c : sum);
        } else {
            product_16<A_SIGNED, B_SIGNED>(sum, one[0], one[1], v0, b == 0 ? c : sum);
        }
    }
}

/* Sums of one group: P[e] times 256^e. */
template <typename S, int COLUMN_BYTE>
__device__ inline void pass_columns(int (*P)[4], const row_sums<S> *ring, int newest, int n,
                                    const column_factor<S> &V)
{
    constexpr int E = COLUMN_BYTE;
    constexpr bool TOP = E == S::COLUMN_BYTES - 1;
    const int zero[4] = {};
    const uint4 *v = V.pairs[E];

    pass_column<S, 0, false, TOP>(P[E], ring, newest, n, v, E == 0 ? zero : P[E]);
    pass_column<S, 1, false, TOP>(P[E + 1], ring, newest, n, v, E == 0 ? zero : P[E + 1]);
    if constexpr (S::HIGH)
        pass_column<S, 2, true, TOP>(P[E + 2], ring, newest, n, v, zero);
    if constexpr (!TOP)
        pass_columns<S, COLUMN_BYTE + 1>(P, ring, newest, n, V);
}

/* Four groups' samples for 8 rows, in the registers that stmatrix stores transposed. */
template <typename S, int DIVIDE>
__device__ inline void finish(const struct banded_args &args, const row_sums<S> *ring, int newest,
                              const column_factor<S> &V, uint32_t *piece)
{
    constexpr int TOP = S::SUM_BYTES + S::COLUMN_BYTES - 2;
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
        int P[TOP + 1][4], q[4];
        pass_columns<S, 0>(P, ring, newest, n, V);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int s = P[TOP][k];
#pragma unroll
            for (int e = TOP - 1; e >= 0; e--)
                s = P[e][k] + 256 * s;
            q[k] = divided_sum<DIVIDE>(args.divide, s);
        }
        piece[n] = pack_bytes(q[2], q[0], pack_bytes(q[3], q[1], 0));
    }
}

/* A warp's 64 bytes of one half of the tile, from the staged window to half of each 128 bytes in
 * P_ds. The first half goes through more rows of the window: the second finds their sums in the
 * ring. */
template <typename S, int DIVIDE, bool FIRST>
__device__ inline void filter_half(const struct banded_args &args, uint32_t window,
                                   const row_factor<S> &H, const column_factor<S> &V,
                                   row_sums<S> *ring, uint32_t P_ds)
{
    constexpr int BEFORE = FIRST ? 0 : HALF_STEPS + S::BLOCKS - 1;
    constexpr int STEPS = FIRST ? HALF_STEPS + S::BLOCKS - 1 : HALF_STEPS;
#pragma unroll
    for (int i = 0; i < STEPS; i++) {
        const int step = BEFORE + i, done = FIRST ? i - (S::BLOCKS - 1) : i;
        uint32_t piece[GROUPS];

        pass_rows<S>(window + step * 8 * args.shape.pitch, H, ring[step % S::BLOCKS]);
        if (done < 0)
            continue;
        finish<S, DIVIDE>(args, ring, step % S::BLOCKS, V, piece);
        store_matrices(P_ds + done * 1024, piece);
    }
}

/* All warps have made a half: one thread sends it. */
__device__ inline void send_half(const struct banded_args &args, uint8_t *P_ds,
                                 struct banded_tile at, int half)
{
    copies_fence();
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < SEPARABLE_TILE_BYTES / 128; i++)
            copy_box_out(&args.out, shared_address(P_ds) + i * 128 * HALF_ROWS,
                         (at.x * SEPARABLE_TILE_BYTES + i * 128) / 4,
                         at.y * SEPARABLE_TILE_ROWS + half * HALF_ROWS);
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
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint4 *matrices = (const uint4 *)args.job.fragments + lane;
    const uint32_t *words = (const uint32_t *)args.job.fragments + lane;
    const uint32_t *places = words + S::PRODUCTS * S::ROW_BYTES * 128;
    const uint4 *column =
        matrices + S::PRODUCTS * S::ROW_BYTES * (S::SPARSE ? 40 : 32); /* behind both */
    uint8_t *N_ds = shared + OUT_BYTES;
    const struct banded_tile at = own_tile(args);
    const int rows = args.job.out_rows - at.y * SEPARABLE_TILE_ROWS;
    row_factor<S> H;
    column_factor<S> V;
    row_sums<S> ring[S::BLOCKS];

    if (threadIdx.x == 0) {
        const int first = args.shape.copied_rows, row = first_staged_row(args, at);
        barrier_init(&arrived[0]);
        barrier_init(&arrived[1]);
        copies_fence();
        fetch_box(args, args.in, N_ds, at.x, row, first, &arrived[0], 0);
        if (rows > HALF_ROWS)
            fetch_box(args, args.in_more, N_ds + first * args.shape.pitch, at.x, row + first,
                      args.shape.more_rows, &arrived[1], 0);
    }
#pragma unroll
    for (int i = 0; i < S::PRODUCTS * S::ROW_BYTES; i++) {
        H.a[i / S::ROW_BYTES][i % S::ROW_BYTES] = __ldg(matrices + i * 32);
        H.at[i / S::ROW_BYTES][i % S::ROW_BYTES] = S::SPARSE ? __ldg(places + i * 32) : 0;
    }
#pragma unroll
    for (int i = 0; i < S::BLOCKS * S::COLUMN_BYTES; i++)
        V.pairs[i % S::COLUMN_BYTES][i / S::COLUMN_BYTES] = __ldg(column + i * 32);
    __syncthreads();
    barrier_wait_once(&arrived[0]);
    if (at_edge(args, at)) {
        if (rows > HALF_ROWS)
            barrier_wait_once(&arrived[1]);
        fill_ghosts(args, N_ds, first_staged_row(args, at), rows_needed(args, at), at.x);
        __syncthreads();
    }
    const uint32_t window =
        shared_address(N_ds) + warp * 64 + lane % 8 * args.shape.pitch + lane / 8 * BANDED_PIECE;
    const uint32_t P_ds =
        shared_address(shared) + warp / 2 * 128 * HALF_ROWS + lane % 8 * 128 +
        ((4 * (warp % 2) + lane / 8) ^ lane % 8) * 16; /* as the copy wants them */
    filter_half<S, DIVIDE, true>(args, window, H, V, ring, P_ds);
    send_half(args, shared, at, 0);
    if (rows > HALF_ROWS) {
        barrier_wait_once(&arrived[1]);
        if (threadIdx.x == 0)
            copies_wait_sent();
        __syncthreads();
        filter_half<S, DIVIDE, false>(args, window, H, V, ring, P_ds);
        send_half(args, shared, at, 1);
    }
    if (threadIdx.x == 0)
        copies_wait_sent();
#endif
}

/* ---- launching ---- */

size_t separable_shared_bytes(const struct separable_shape *shape)
{
    return OUT_BYTES + (size_t)banded_stage_bytes(&shape->stage);
}

template <typename S>
static cudaError_t launch(struct banded_args *args, size_t shared, cudaStream_t stream)
{
    switch (args->divide.how) {
    case DIVIDE_HIGH:
        return banded_run(separable<S, DIVIDE_HIGH>, args, THREADS, shared, stream);
    case DIVIDE_SHIFT:
        return banded_run(separable<S, DIVIDE_SHIFT>, args, THREADS, shared, stream);
    default:
        return banded_run(separable<S, DIVIDE_ANY>, args, THREADS, shared, stream);
    }
}

template <int ROW_BYTES, int SUM_BYTES, int COLUMN_BYTES>
static cudaError_t launch_size(const struct separable_shape *s, struct banded_args *args,
                               cudaStream_t stream)
{
    const size_t shared = separable_shared_bytes(s);
#define LAUNCH(products, sparse, blocks)                                                           \
    return launch<sizes<products, sparse, blocks, ROW_BYTES, SUM_BYTES, COLUMN_BYTES>>(            \
        args, shared, stream)
    if (s->products == 1 && !s->sparse && s->blocks == 2)
        LAUNCH(1, false, 2);
    if (s->products == 1 && !s->sparse)
        LAUNCH(1, false, 3);
    if (s->products == 1 && s->blocks == 2)
        LAUNCH(1, true, 2);
    if (s->products == 1)
        LAUNCH(1, true, 3);
    if (!s->sparse)
        LAUNCH(2, false, 5);
    LAUNCH(2, true, 5);
#undef LAUNCH
}

extern "C" cudaError_t separable_launch(const struct image_job *job, int form, cudaStream_t stream)
{
    struct banded_args args = {};
    int shift, pad = banded_pad((uintptr_t)job->in, (uintptr_t)job->out,
                                job->anchor_x * job->channels, &shift);
    struct separable_shape shape = separable_shape_of(
        job->mask_width, job->mask_height, job->channels, (enum separable_form)form, pad);
    cudaError_t status = banded_prepare(&args, job, &shape.stage, HALF_ROWS);

    if (status != cudaSuccess)
        return status;
    switch (form) {
    case SEPARABLE_1_2_1:
        return launch_size<1, 2, 1>(&shape, &args, stream);
    case SEPARABLE_1_3_1:
        return launch_size<1, 3, 1>(&shape, &args, stream);
    default:
        return launch_size<2, 3, 2>(&shape, &args, stream);
    }
}
