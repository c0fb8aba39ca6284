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
 * So a warp walks down its 128 bytes of the tile, block of rows by block, and makes
 * each sum once. Numbers past a byte are taken apart by bytes, the last one signed,
 * and the products of equal weight are summed together: exact.
 *
 * Shared memory   2 * pitch * (32 + 8 * (blocks - 1)) + 16384
 * Bytes moved     3 in, 3 out a pixel (RGB), the halo from L2, by the tensor copy
 * Measured        see kernels/README.md */
#include "banded.cuh"
#include "banded_stage.cuh"
#include "banded_tensors.cuh"

#define THREADS   128
#define BLOCKS    4 /* of threads, a multiprocessor */
#define STAGES    2
#define OUT_BYTES (THREADS / 32 * 128 * SEPARABLE_TILE_ROWS)

#if __CUDA_ARCH__ >= 900

/* sum = c + A * B, over 16 or 32 of the inner index, for signed or unsigned bytes. */
template <bool A_SIGNED, bool B_SIGNED, bool HALF>
__device__ inline void product(int *sum, const uint32_t *a, uint32_t b0, uint32_t b1, const int *c)
{
#define PRODUCT(atype, btype)                                                                      \
    if constexpr (HALF)                                                                            \
        asm("mma.sync.aligned.m16n8k16.row.col.s32." atype "." btype                               \
            ".s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                                   \
            : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])                               \
            : "r"(a[0]), "r"(a[1]), "r"(b0), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));          \
    else                                                                                           \
        asm("mma.sync.aligned.m16n8k32.row.col.s32." atype "." btype                               \
            ".s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                       \
            : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])                               \
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]),  \
              "r"(c[2]), "r"(c[3]))
    if constexpr (A_SIGNED && B_SIGNED) {
        PRODUCT("s8", "s8");
    } else if constexpr (A_SIGNED) {
        PRODUCT("s8", "u8");
    } else if constexpr (B_SIGNED) {
        PRODUCT("u8", "s8");
    } else {
        PRODUCT("u8", "u8");
    }
#undef PRODUCT
}

/* The row pass over 8 staged rows: sums' bytes 0 and 1, and 2 and 3, for rows 2t and 2t + 1, of
 * output bytes 2g and 2g + 1. */
template <int GROUPS, int PIECES, int ROW_BYTES, int SUM_BYTES>
__device__ inline void pass_rows(uint32_t address, const uint32_t (*H)[ROW_BYTES][2],
                                 uint32_t (*low)[2], uint32_t (*high)[2])
{
    constexpr int LOADS = (GROUPS + PIECES - 1 + 3) / 4;
    const int zero[4] = {};
    uint32_t piece[4 * LOADS];

#pragma unroll
    for (int i = 0; i < LOADS; i++)
        load_matrices(piece + 4 * i, address + i * 4 * BANDED_PIECE);
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
        int sum[ROW_BYTES][4];
#pragma unroll
        for (int p = 0; p < PIECES; p++)
#pragma unroll
            for (int b = 0; b < ROW_BYTES; b++) {
                const int *c = p == 0 ? zero : sum[b];
                if (b == ROW_BYTES - 1)
                    product<true, false, true>(sum[b], H[p][b], piece[n + p], 0, c);
                else
                    product<false, false, true>(sum[b], H[p][b], piece[n + p], 0, c);
            }
#pragma unroll
        for (int m = 0; m < 2; m++) {
            int first = sum[0][2 * m], second = sum[0][2 * m + 1];
            if (ROW_BYTES == 2) {
                first += 256 * sum[ROW_BYTES - 1][2 * m];
                second += 256 * sum[ROW_BYTES - 1][2 * m + 1];
            }
            low[n][m] = __byte_perm(first, second, 0x5140);
            if (SUM_BYTES == 3)
                high[n][m] = __byte_perm(first, second, 0x7362);
        }
    }
}

/* Adds byte BYTE of the sums of blocks of 8 rows, of which block b is ring[(first + b) % BLOCKS],
 * times byte COLUMN_BYTE of the column factor. */
template <int GROUPS, int ROWS8, bool A_SIGNED, bool B_SIGNED>
__device__ inline void pass_column(int *sum, const uint32_t (*ring)[GROUPS][2], int first, int n,
                                   const uint32_t *V, int shift, const int *c)
{
#pragma unroll
    for (int b = 0; b < ROWS8; b += 2) {
        const uint32_t *one = ring[(first + b) % ROWS8][n], *two = ring[(first + b + 1) % ROWS8][n];
        const uint32_t a[4] = {one[0], one[1], two[0], two[1]};
        if (b + 1 < ROWS8)
            product<A_SIGNED, B_SIGNED, false>(sum, a, V[b] << shift, V[b + 1] << shift,
                                               b == 0 ? c : sum);
        else
            product<A_SIGNED, B_SIGNED, true>(sum, a, V[b] << shift, 0, b == 0 ? c : sum);
    }
}

/* Sums of one group: P[e] times 256^e. */
template <int GROUPS, int ROWS8, int SUM_BYTES, int COLUMN_BYTES>
__device__ inline void pass_columns(int (*P)[4], const uint32_t (*low)[GROUPS][2],
                                    const uint32_t (*high)[GROUPS][2], int first, int n,
                                    const uint32_t (*V)[ROWS8], int start)
{
    const int starts[4] = {start, start, start, start}, zero[4] = {};
#pragma unroll
    for (int v = 0; v < COLUMN_BYTES; v++)
#pragma unroll
        for (int s = 0; s < SUM_BYTES; s++) {
            const bool begins = v == 0 || s == SUM_BYTES - 1; /* of P[s + v] */
            const int *c = s + v == 0 ? starts : begins ? zero : P[s + v];
            const uint32_t(*ring)[GROUPS][2] = s < 2 ? low : high;
            if (s == SUM_BYTES - 1 && v == COLUMN_BYTES - 1)
                pass_column<GROUPS, ROWS8, true, true>(P[s + v], ring, first, n, V[v], s % 2 * 16,
                                                       c);
            else if (s == SUM_BYTES - 1)
                pass_column<GROUPS, ROWS8, true, false>(P[s + v], ring, first, n, V[v], s % 2 * 16,
                                                        c);
            else if (v == COLUMN_BYTES - 1)
                pass_column<GROUPS, ROWS8, false, true>(P[s + v], ring, first, n, V[v], s % 2 * 16,
                                                        c);
            else
                pass_column<GROUPS, ROWS8, false, false>(P[s + v], ring, first, n, V[v], s % 2 * 16,
                                                         c);
        }
}

/* GROUPS groups of 16 bytes of all rows of the tile, from the staged window to P_ds, where eight
 * make a row. LAST: with them the rows are whole and leave. */
template <int GROUPS, int PIECES, int ROWS8, int ROW_BYTES, int SUM_BYTES, int COLUMN_BYTES,
          int DIVIDE, bool LAST>
__device__ inline void filter_strip(const struct banded_args &args, uint32_t window,
                                    const uint32_t (*H)[ROW_BYTES][2], const uint32_t (*V)[ROWS8],
                                    uint32_t P_ds, int x, int y)
{
    const int lane = threadIdx.x % 32;
    uint32_t low[ROWS8][GROUPS][2], high[SUM_BYTES == 3 ? ROWS8 : 1][GROUPS][2];

    window += lane % 8 * args.shape.pitch + lane / 8 * BANDED_PIECE;
#pragma unroll
    for (int block = 0; block < SEPARABLE_TILE_ROWS / 8 + ROWS8 - 1; block++) {
        const int at = block % ROWS8, done = block - (ROWS8 - 1);
        uint32_t piece[GROUPS];

        pass_rows<GROUPS, PIECES, ROW_BYTES, SUM_BYTES>(window + block * 8 * args.shape.pitch, H,
                                                        low[at], high[SUM_BYTES == 3 ? at : 0]);
        if (done < 0)
            continue;
        if (y + 8 * done >= args.job.out_rows)
            break;
#pragma unroll
        for (int n = 0; n < GROUPS; n++) {
            int P[SUM_BYTES + COLUMN_BYTES - 1][4], q[4];
            pass_columns<GROUPS, ROWS8, SUM_BYTES, COLUMN_BYTES>(P, low, high, block + 1, n, V,
                                                                 args.job.start);
#pragma unroll
            for (int k = 0; k < 4; k++) {
                int s = P[SUM_BYTES + COLUMN_BYTES - 2][k];
#pragma unroll
                for (int e = SUM_BYTES + COLUMN_BYTES - 3; e >= 0; e--)
                    s = P[e][k] + 256 * s;
                q[k] = divided<DIVIDE>(args.divide, s);
            }
            piece[n] = pack_bytes(q[2], q[0], pack_bytes(q[3], q[1], 0));
        }
#pragma unroll
        for (int i = 0; i < GROUPS;
             i += 4) { /* the pieces of a row swizzled as the copy wants them */
            int place = i + (LAST && GROUPS == 4 ? 4 : 0) + lane / 8;
            store_matrices(P_ds + done * 1024 + lane % 8 * 128 + (place ^ lane % 8) * 16,
                           piece + i);
        }
        if (LAST) {
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncwarp();
            if (lane == 0)
                copy_box_out(&args.out, P_ds + done * 1024, x / 4, y + 8 * done);
        }
    }
}

#endif

/* Blocks stay and walk the tiles: while one is summed, the next is on its way. */
template <int PIECES, int ROWS8, int ROW_BYTES, int SUM_BYTES, int COLUMN_BYTES, int DIVIDE>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    separable(const __grid_constant__ banded_args args)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(1024) uint8_t shared[];
    __shared__ uint64_t arrived[STAGES];
    const int stage_bytes = banded_stage_bytes(&args.shape), warp = threadIdx.x / 32;
    const uint32_t *fragments = (const uint32_t *)args.job.fragments + threadIdx.x % 32;
    uint8_t *N_ds = shared + OUT_BYTES;
    const uint32_t window = shared_address(N_ds) + warp * 128;
    const uint32_t P_ds = shared_address(shared) + warp * 128 * SEPARABLE_TILE_ROWS;
    struct banded_walk at = {(int)blockIdx.x % args.across, (int)blockIdx.x / args.across};
    struct banded_walk next = at;
    uint32_t H[PIECES][ROW_BYTES][2], V[COLUMN_BYTES][ROWS8];
    int stage = 0, phase = 0;

    if (threadIdx.x == 0)
        arrivals_init(arrived, STAGES);
#pragma unroll
    for (int i = 0; i < PIECES * ROW_BYTES * 2; i++)
        H[i / 2 / ROW_BYTES][i / 2 % ROW_BYTES][i % 2] =
            __ldg(fragments + threadIdx.x % 32 + i / 2 * 64 + i % 2);
#pragma unroll
    for (int i = 0; i < ROWS8 * COLUMN_BYTES; i++)
        V[i % COLUMN_BYTES][i / COLUMN_BYTES] = __ldg(fragments + PIECES * ROW_BYTES * 64 + i * 32);
    __syncthreads();
    for (int i = 0; i < STAGES; i++, next = banded_next(args, next))
        if (threadIdx.x == 0 && next.y < args.down)
            fetch(args, N_ds + i * stage_bytes, next, &arrived[i]);

    while (at.y < args.down) {
        uint8_t *staged = N_ds + stage * stage_bytes;

        arrivals_wait(&arrived[stage], phase);
        if (at_edge(args, at)) {
            fill_ghosts(args, staged, at);
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
        }
        departures_wait<0>(); /* the last tile's pixels have left P_ds */
        __syncwarp();
        const int x = at.x * SEPARABLE_TILE_BYTES + warp * 128, y = at.y * SEPARABLE_TILE_ROWS;
        const uint32_t from = window + stage * stage_bytes;
        if constexpr (ROWS8 * (SUM_BYTES - 1) < 3) {
            filter_strip<8, PIECES, ROWS8, ROW_BYTES, SUM_BYTES, COLUMN_BYTES, DIVIDE, true>(
                args, from, H, V, P_ds, x, y);
        } else { /* eight would not fit the registers */
            filter_strip<4, PIECES, ROWS8, ROW_BYTES, SUM_BYTES, COLUMN_BYTES, DIVIDE, false>(
                args, from, H, V, P_ds, x, y);
            filter_strip<4, PIECES, ROWS8, ROW_BYTES, SUM_BYTES, COLUMN_BYTES, DIVIDE, true>(
                args, from + 64, H, V, P_ds, x, y);
        }
        at = banded_next(args, at);
        __syncthreads(); /* all have read this stage */
        if (threadIdx.x == 0 && next.y < args.down)
            fetch(args, staged, next, &arrived[stage]);
        next = banded_next(args, next);
        if (++stage == STAGES) {
            stage = 0;
            phase ^= 1;
        }
    }
    departures_wait<0>();
#endif
}

/* ---- launching ---- */

size_t separable_shared_bytes(const struct separable_shape *shape)
{
    /* a warp loads four pieces at a time, beyond the last ones it takes */
    return OUT_BYTES + STAGES * (size_t)banded_stage_bytes(&shape->stage) + 4 * BANDED_PIECE;
}

template <int PIECES, int ROWS8, int ROW_BYTES, int SUM_BYTES, int COLUMN_BYTES>
static cudaError_t launch(struct banded_args *args, size_t shared, cudaStream_t stream)
{
    if (args->divide.how == DIVIDE_HIGH)
        return banded_run(separable<PIECES, ROWS8, ROW_BYTES, SUM_BYTES, COLUMN_BYTES, DIVIDE_HIGH>,
                          args, THREADS, shared, stream);
    return banded_run(separable<PIECES, ROWS8, ROW_BYTES, SUM_BYTES, COLUMN_BYTES, DIVIDE_ANY>,
                      args, THREADS, shared, stream);
}

template <int ROW_BYTES, int SUM_BYTES, int COLUMN_BYTES>
static cudaError_t launch_size(struct banded_args *args, size_t shared, cudaStream_t stream)
{
    switch (args->shape.pieces) {
    case 2:
        return launch<2, 2, ROW_BYTES, SUM_BYTES, COLUMN_BYTES>(args, shared, stream);
    case 3:
        return launch<3, 2, ROW_BYTES, SUM_BYTES, COLUMN_BYTES>(args, shared, stream);
    case 4:
        return launch<4, 3, ROW_BYTES, SUM_BYTES, COLUMN_BYTES>(args, shared, stream);
    default:
        return launch<7, 5, ROW_BYTES, SUM_BYTES, COLUMN_BYTES>(args, shared, stream);
    }
}

extern "C" cudaError_t separable_launch(const struct image_job *job, int form, cudaStream_t stream)
{
    struct banded_args args = {};
    int shift, pad = banded_pad((uintptr_t)job->in, (uintptr_t)job->out,
                                job->anchor_x * job->channels, &shift);
    struct separable_shape shape = separable_shape_of(
        job->mask_width, job->mask_height, job->channels, (enum separable_form)form, pad);
    size_t shared = separable_shared_bytes(&shape);
    cudaError_t status = banded_prepare(&args, job, &shape.stage);

    if (status != cudaSuccess)
        return status;
    switch (form) {
    case SEPARABLE_1_2_1:
        return launch_size<1, 2, 1>(&args, shared, stream);
    case SEPARABLE_1_3_1:
        return launch_size<1, 3, 1>(&args, shared, stream);
    default:
        return launch_size<2, 3, 2>(&args, shared, stream);
    }
}
