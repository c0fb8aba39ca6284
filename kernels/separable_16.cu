/* separable for samples of 16 bits. In memory a sample is a pair of bytes, and the row
 * pass treats the picture as one of twice as many channels: rows g and g + 8 of its matrix
 * are the low and the high byte of sample g. So a lane gets the sums over both bytes of a
 * sample and joins them, low + 256 * high: 32 bits, exact.
 *
 *    kept of a group   low   bytes 0, 1 of the sums for rows 2t, 2t + 1
 *                      high  bytes 2, 3
 *    column pass       P = T * V   T  the samples of two groups, 16 x rows
 *                                  V  rows x 8 output rows
 *
 * Two neighbouring bytes of a sum stand in one word. V's lower two bytes are byte j of the
 * weights, its upper two bytes are byte j - 1: so one product adds up everything that
 * counts for one power of 256. A product with the factor's byte alone (j = 0, and j = 1)
 * separates the two bytes of a sum.
 *
 * Sums past 32 bits are joined from the top down to bit 16, and the part below adds its
 * carry. The division is then one of 32 bits again, for divisors with enough factors of 2,
 * as those of --sigma have. Its sums at 16 bits reach 2^48: they are joined as numbers of 32
 * bits without a sign and then halved.
 *
 * Shared memory, bytes moved: see separable.cu
 * Measured        see docs/lab/separable.md */
#include "separable_products.cuh"
#include "separable_tile.cuh"

#define HALF_ROWS (SEPARABLE_16_TILE_ROWS / 2)

/* What a kernel is compiled for: see struct separable_16_shape. */
template <int products, bool sparse, int blocks, int form> struct sizes_16 {
    enum : int {
        PRODUCTS = products,
        SPARSE = sparse,
        BLOCKS = blocks,
        ROW_BYTES = form == SEPARABLE_16_PAIRS ? 2 : 1,
        COLUMN_BYTES = form >= SEPARABLE_16_EXTRA ? 2 : 1,
        SIGNED = form <= SEPARABLE_16_SIGNED, /* weights */
        EXTRA = form == SEPARABLE_16_EXTRA,
        WINDOW = sparse ? 4 : 2, /* pieces of a product */
        PARTS = form == SEPARABLE_16_SHORT ? 3 : 3 + COLUMN_BYTES,
        MATRICES = products * ROW_BYTES + EXTRA,
        COLUMN_AT = MATRICES * (sparse ? 160 : 128), /* words */
        EXTRA_AT = COLUMN_AT + (COLUMN_BYTES + 1) * blocks * 64,
        /* What a thread keeps in registers, and how many blocks of threads then fit a
         * multiprocessor: more than 7 find no room for their tiles. */
        REGISTERS =
            22 + PARTS * 4 + MATRICES * 5 + products * 8 + (GROUPS + COLUMN_BYTES + 1) * 2 * blocks,
        RESIDENT = REGISTERS <= 80    ? 7
                   : REGISTERS <= 105 ? 5
                                      : 4,
    };
};

#if __CUDA_ARCH__ >= 900

/* ---- the row pass ---- */

/* The row factor: its matrices, and where the sparse ones' values stand. EXTRA: the last one is for
 * a window of its own. */
template <typename S> struct deep_row {
    uint4 a[S::MATRICES];
    uint32_t at[S::MATRICES];
    uint32_t extra; /* bytes further on */
};

template <typename S> __device__ inline void load_row(const uint32_t *fragments, deep_row<S> &H)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < S::MATRICES; i++) {
        H.a[i] = __ldg((const uint4 *)fragments + i * 32 + lane);
        H.at[i] = S::SPARSE ? __ldg(fragments + (S::MATRICES * 4 + i) * 32 + lane) : 0;
    }
    H.extra = S::EXTRA ? __ldg(fragments + S::EXTRA_AT) : 0;
}

/* Bytes 0 and 1 of the sums for rows 2t and 2t + 1, of sample g of each group; and bytes 2, 3. */
template <typename S> struct deep_sums {
    uint32_t low[GROUPS], high[GROUPS];
};

/* Of what the products leave for a group, by the bytes of the row factor. */
template <typename S>
__device__ inline void keep_sums(deep_sums<S> &sums, int n, const int (*sum)[4])
{
    int whole[2];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int high = sum[0][2 + r];
        if (S::ROW_BYTES == 2)
            high += sum[S::ROW_BYTES - 1][r] + 256 * sum[S::ROW_BYTES - 1][2 + r];
        whole[r] = (int)((uint32_t)sum[0][r] + 256 * (uint32_t)high);
    }
    sums.low[n] = __byte_perm(whole[0], whole[1], 0x5140);
    sums.high[n] = __byte_perm(whole[0], whole[1], 0x7362);
}

/* The row pass over 8 staged rows. */
template <typename S>
__device__ inline void pass_rows(uint32_t address, const deep_row<S> &H, deep_sums<S> &sums)
{
    const int zero[4] = {};
    row_window<S> window;

    load_window(address, window);
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
        int sum[S::ROW_BYTES][4];
#pragma unroll
        for (int i = 0; i < S::PRODUCTS * S::ROW_BYTES; i++) {
            const int p = i / S::ROW_BYTES, byte = i % S::ROW_BYTES;
            row_product<S::SPARSE != 0, S::SIGNED != 0>(
                sum[byte], H.a[i], H.at[i], pieces_of(window, n, p), p == 0 ? zero : sum[byte]);
        }
        if (S::EXTRA) {
            uint32_t b[4];
            load_matrices(b, address + H.extra + n * BANDED_PIECE);
            row_product<S::SPARSE != 0, false>(sum[0], H.a[S::PRODUCTS], H.at[S::PRODUCTS], b,
                                               sum[0]);
        }
        keep_sums<S>(sums, n, sum);
    }
}

/* ---- the column pass ---- */

/* The column factor: for byte j of it, the weights of each block of 8 rows with those of the next
 * one, and beside them those of byte j - 1. */
template <typename S> struct deep_column {
    uint2 pairs[S::COLUMN_BYTES + 1][S::BLOCKS];
};

template <typename S>
__device__ inline void load_column(const uint32_t *fragments, deep_column<S> &V)
{
    const uint2 *pairs = (const uint2 *)(fragments + S::COLUMN_AT) + threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < (S::COLUMN_BYTES + 1) * S::BLOCKS; i++)
        V.pairs[i / S::BLOCKS][i % S::BLOCKS] = __ldg(pairs + i * 32);
}

/* Adds what the lower or the upper two bytes of the sums of groups n and n + 1 make with V. The
 * sums stay where they are: the newest block of 8 rows is ring[newest], the oldest the one after
 * it. */
template <typename S, bool HIGH, bool A_SIGNED>
__device__ inline void pass_column(int *sum, const deep_sums<S> *ring, int newest, int n,
                                   const uint2 *V, const int *c)
{
#pragma unroll
    for (int b = 0; b < S::BLOCKS; b += 2) {
        const uint32_t *one = (HIGH ? ring[b].high : ring[b].low) + n;
        const uint2 &v = V[(b + S::BLOCKS - newest - 1) % S::BLOCKS];
        if (b + 1 < S::BLOCKS) {
            const uint32_t *two = (HIGH ? ring[b + 1].high : ring[b + 1].low) + n;
            product_32<A_SIGNED, S::SIGNED != 0>(sum, one[0], one[1], two[0], two[1], v.x, v.y,
                                                 b == 0 ? c : sum);
        } else {
            product_16<A_SIGNED, S::SIGNED != 0>(sum, one[0], one[1], v.x, b == 0 ? c : sum);
        }
    }
}

/* Sums of groups n and n + 1: P[e] times 256^e. */
template <typename S>
__device__ inline void pass_columns(const struct banded_args &args, int (*P)[4],
                                    const deep_sums<S> *ring, int newest, int n,
                                    const deep_column<S> &V)
{
    constexpr int BYTES = S::COLUMN_BYTES;
    const int zero[4] = {}, first = args.low_start;
    const int start[4] = {first, first, first, first};
#pragma unroll
    for (int j = 0; j <= BYTES; j++)
        pass_column<S, false, false>(P[j], ring, newest, n, V.pairs[j], j == 0 ? start : zero);
#pragma unroll
    for (int j = 0; j < S::PARTS - 2; j++) {
        const int *c = j + 2 <= BYTES ? P[j + 2] : zero;
        if (S::SIGNED && j == 1) /* times the last byte of the sums alone */
            pass_column<S, true, true>(P[j + 2], ring, newest, n, V.pairs[j], c);
        else
            pass_column<S, true, false>(P[j + 2], ring, newest, n, V.pairs[j], c);
    }
}

/* The whole sum from bit low_bits on, or the half of it. */
template <typename S>
__device__ inline int joined_sum(const struct banded_args &args, const int (*P)[4], int k)
{
    const int low = P[0][k] + 256 * P[1][k];
    uint32_t s = P[S::PARTS - 1][k];
#pragma unroll
    for (int e = S::PARTS - 2; e >= 2; e--)
        s = P[e][k] + 256 * s;
    s = s * args.low_scale + (uint32_t)(low >> args.low_bits);
    return (int)(S::SIGNED ? s : s >> args.low_halved);
}

/* Four groups' samples for 8 rows, in the registers that stmatrix stores transposed. */
template <typename S, int DIVIDE>
__device__ inline void finish(const struct banded_args &args, const deep_sums<S> *ring, int newest,
                              const deep_column<S> &V, uint32_t *piece)
{
#pragma unroll
    for (int n = 0; n < GROUPS; n += 2) {
        int P[S::PARTS][4], q[4];
        pass_columns<S>(args, P, ring, newest, n, V);
#pragma unroll
        for (int k = 0; k < 4; k++)
            q[k] = divided_sum<DIVIDE>(args.divide, joined_sum<S>(args, P, k));
        piece[n] = pack_shorts(q[1], q[0]);
        piece[n + 1] = pack_shorts(q[3], q[2]);
    }
}

/* A warp's 64 bytes of one half of the tile, see separable.cu. */
template <typename S, int DIVIDE, bool FIRST>
__device__ inline void filter_half(const struct banded_args &args, uint32_t window,
                                   const deep_row<S> &H, const deep_column<S> &V,
                                   deep_sums<S> *ring, uint32_t P_ds)
{
    constexpr int BEFORE = FIRST ? 0 : HALF_ROWS / 8 + S::BLOCKS - 1;
    constexpr int STEPS = FIRST ? HALF_ROWS / 8 + S::BLOCKS - 1 : HALF_ROWS / 8;
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

#endif

/* A block a tile: while it sums the first half, the second is on its way. */
template <typename S, int DIVIDE>
__global__ void __launch_bounds__(THREADS, S::RESIDENT)
    separable_16(const __grid_constant__ banded_args args)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) uint8_t shared[];
    __shared__ uint64_t arrived[2];
    const uint32_t *fragments = (const uint32_t *)args.job.fragments;
    uint8_t *N_ds = shared + SEPARABLE_TILE_BYTES * HALF_ROWS;
    const struct banded_tile at = own_tile(args);
    deep_row<S> H;
    deep_column<S> V;
    deep_sums<S> ring[S::BLOCKS];

    fetch_halves<HALF_ROWS>(args, at, N_ds, arrived);
    load_row<S>(fragments, H);
    load_column<S>(fragments, V);
    __syncthreads();
    wait_for_half<HALF_ROWS>(args, at, N_ds, arrived);
    const uint32_t window = window_of_lane(args, N_ds, threadIdx.x / 32);
    const uint32_t P_ds = pieces_of_lane<HALF_ROWS>(shared, threadIdx.x / 32);
    filter_half<S, DIVIDE, true>(args, window, H, V, ring, P_ds);
    send_half<HALF_ROWS>(args, shared, at, 0);
    if (rows_in(args, at) > HALF_ROWS) {
        barrier_wait_once(&arrived[1]);
        if (threadIdx.x == 0)
            copies_wait_sent();
        __syncthreads();
        filter_half<S, DIVIDE, false>(args, window, H, V, ring, P_ds);
        send_half<HALF_ROWS>(args, shared, at, 1);
    }
    if (threadIdx.x == 0)
        copies_wait_sent();
#endif
}

/* ---- launching ---- */

size_t separable_16_shared_bytes(const struct separable_16_shape *shape)
{
    return (size_t)(separable_out_bytes(&shape->stage) + banded_stage_bytes(&shape->stage));
}

template <typename S>
static cudaError_t launch_size(struct banded_args *args, size_t shared, cudaStream_t stream)
{
    if (args->divide.how == DIVIDE_ANY)
        return banded_run(separable_16<S, DIVIDE_ANY>, args, THREADS, shared, stream);
    return banded_run(separable_16<S, DIVIDE_SHIFT>, args, THREADS, shared,
                      stream); /* by 0 for HIGH */
}

template <int FORM>
static cudaError_t launch_form(const struct separable_16_shape *s, struct banded_args *args,
                               cudaStream_t stream)
{
    const size_t shared = separable_16_shared_bytes(s);
#define LAUNCH(products_, sparse_, blocks_)                                                        \
    if (s->products == products_ && s->sparse == sparse_ && s->blocks == blocks_)                  \
    return launch_size<sizes_16<products_, sparse_, blocks_, FORM>>(args, shared, stream)
    if constexpr (FORM != SEPARABLE_16_EXTRA)
        LAUNCH(1, false, 2);
    LAUNCH(1, true, 2);
    LAUNCH(1, true, 3);
    LAUNCH(2, true, 2);
    LAUNCH(2, true, 3);
    LAUNCH(2, true, 4);
    LAUNCH(3, true, 4);
    LAUNCH(4, true, 5);
#undef LAUNCH
    return cudaErrorInvalidValue;
}

extern "C" cudaError_t separable_16_launch(const struct image_job *job, int form,
                                           cudaStream_t stream)
{
    struct banded_args args = {};
    struct image_job shifted = *job;
    int shift, pad = banded_pad((uintptr_t)job->in, (uintptr_t)job->out,
                                job->anchor_x * job->channels * 2, &shift);
    struct separable_16_shape shape = separable_16_shape_of(
        job->mask_width, job->mask_height, job->channels, (enum separable_16_form)form, pad);
    cudaError_t status = banded_prepare(&args, job, &shape.stage, shape.stage.tile_rows / 2);

    if (status != cudaSuccess)
        return status;
    args.low_bits = separable_16_low_bits(job->divisor);
    args.low_scale = 1 << (16 - args.low_bits);
    args.low_halved = separable_16_is_halved(job->bound, args.low_bits);
    args.low_start = (int)(job->start & ((0x10000 << args.low_halved) - 1));
    shifted.divisor >>= args.low_bits + args.low_halved;
    shifted.start = (job->start >> (16 + args.low_halved)) * args.low_scale;
    args.divide = sample_divide_of(&shifted);
    switch (form) {
    case SEPARABLE_16_SHORT:
        return launch_form<SEPARABLE_16_SHORT>(&shape, &args, stream);
    case SEPARABLE_16_SIGNED:
        return launch_form<SEPARABLE_16_SIGNED>(&shape, &args, stream);
    case SEPARABLE_16_BYTES:
        return launch_form<SEPARABLE_16_BYTES>(&shape, &args, stream);
    case SEPARABLE_16_EXTRA:
        return launch_form<SEPARABLE_16_EXTRA>(&shape, &args, stream);
    default:
        return launch_form<SEPARABLE_16_PAIRS>(&shape, &args, stream);
    }
}
