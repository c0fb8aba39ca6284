/* A tile of the separable kernels (8 and 16-bit samples): how it comes and leaves in two halves,
 * and which part of it belongs to a lane. */
#ifndef STENCIL_SEPARABLE_TILE_CUH
#define STENCIL_SEPARABLE_TILE_CUH

#include "banded_stage.cuh"
#include "banded_tensors.cuh"

#define THREADS 128

/* One half on its way out. */
static BOTH_SIDES inline int separable_out_bytes(const struct banded_shape *stage)
{
    return SEPARABLE_TILE_BYTES * stage->tile_rows / 2;
}

#if __CUDA_ARCH__ >= 900

/* Output rows from the tile's first one on. */
__device__ inline int rows_in(const struct banded_args &args, struct banded_tile at)
{
    return args.job.out_rows - at.y * args.shape.tile_rows;
}

/* One thread starts both copies. A half has HALF rows. */
template <int HALF>
__device__ inline void fetch_halves(const struct banded_args &args, struct banded_tile at,
                                    uint8_t *N_ds, uint64_t *arrived)
{
    const int first = args.shape.copied_rows, row = first_staged_row(args, at);
    if (threadIdx.x != 0)
        return;
    barrier_init(&arrived[0]);
    barrier_init(&arrived[1]);
    copies_fence();
    fetch_box(args, args.in, N_ds, at.x, row, first, &arrived[0], 0);
    if (rows_in(args, at) > HALF)
        fetch_box(args, args.in_more, N_ds + first * args.shape.pitch, at.x, row + first,
                  args.shape.more_rows, &arrived[1], 0);
}

/* Tells the L2 cache of the tile of a block that is to start later. Only where sums take the time:
 * a kernel that waits for memory is slower for it. */
__device__ inline void prefetch_later(const struct banded_args &args)
{
    const int block = (int)blockIdx.x + args.ahead;
    if (threadIdx.x != 32 || block >= (int)gridDim.x)
        return;
    const struct banded_tile at = tile_of(args, block);
    const int x = (at.x * args.shape.tile_bytes + args.first_byte) / 4;
    const int row = first_staged_row(args, at) - args.job.in_first_row;
    prefetch_box(&args.in, x, row);
    if (args.shape.more_rows)
        prefetch_box(&args.in_more, x, row + args.shape.copied_rows);
}

/* Until the first half is there; of a tile with ghost cells both. */
template <int HALF>
__device__ inline void wait_for_half(const struct banded_args &args, struct banded_tile at,
                                     uint8_t *N_ds, uint64_t *arrived)
{
    barrier_wait_once(&arrived[0]);
    if (!at_edge(args, at))
        return;
    if (rows_in(args, at) > HALF)
        barrier_wait_once(&arrived[1]);
    fill_ghosts<true>(args, N_ds, first_staged_row(args, at), rows_needed(args, at), at.x);
    __syncthreads();
}

/* Where a lane points for ldmatrix, in column `column` of 64 bytes of the window. */
__device__ inline uint32_t window_of_lane(const struct banded_args &args, const uint8_t *N_ds,
                                          int column)
{
    const int lane = threadIdx.x % 32;
    return shared_address(N_ds) + column * 64 + lane % 8 * args.shape.pitch +
           lane / 8 * BANDED_PIECE;
}

/* And for stmatrix, in its half of 128 bytes x ROWS, as the copy wants them. */
template <int ROWS> __device__ inline uint32_t pieces_of_lane(const uint8_t *shared, int column)
{
    const int lane = threadIdx.x % 32;
    return shared_address(shared) + column / 2 * 128 * ROWS + lane % 8 * 128 +
           ((4 * (column % 2) + lane / 8) ^ lane % 8) * 16;
}

/* All warps have made a half: one thread sends it. */
template <int HALF>
__device__ inline void send_half(const struct banded_args &args, uint8_t *P_ds,
                                 struct banded_tile at, int half)
{
    copies_fence();
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < SEPARABLE_TILE_BYTES / 128; i++)
            copy_box_out(&args.out, shared_address(P_ds) + i * 128 * HALF,
                         (at.x * SEPARABLE_TILE_BYTES + i * 128) / 4, (2 * at.y + half) * HALF);
}

#endif
#endif
