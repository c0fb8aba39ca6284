/* The staged tile of the banded and separable kernels: its copy, the ghost cells that the
 * copy leaves to be filled, and the way out. */
#ifndef STENCIL_BANDED_STAGE_CUH
#define STENCIL_BANDED_STAGE_CUH

#include "banded.cuh"

#if __CUDA_ARCH__ >= 900

__device__ inline struct banded_tile own_tile(const struct banded_args &args)
{
    return {(int)blockIdx.x % args.across, (int)blockIdx.x / args.across};
}

/* One thread starts the copy of a tile's window, and of `weight_bytes` of packed weights. */
__device__ inline void fetch(const struct banded_args &args, uint8_t *staged, struct banded_tile at,
                             void *weights, int weight_bytes, uint64_t *barrier)
{
    int row = args.job.out_first_row + at.y * args.shape.tile_rows - args.job.anchor_y -
              args.job.in_first_row;
    const int bytes = args.shape.pitch * args.shape.copied_rows + weight_bytes;

    barrier_init(barrier);
    copies_fence();
    barrier_expect(barrier, bytes);
    copy_box_in(&args.in, staged, (at.x * args.shape.tile_bytes + args.first_byte) / 4, row,
                barrier);
    if (weight_bytes)
        copy_in(weights, args.job.fragments, weight_bytes, barrier);
}

/* Rows of a tile's window: the last tile of a strip needs fewer. */
__device__ inline int rows_needed(const struct banded_args &args, struct banded_tile at)
{
    return min(args.shape.tile_rows, args.job.out_rows - at.y * args.shape.tile_rows) +
           args.job.mask_height - 1;
}

__device__ inline bool at_edge(const struct banded_args &args, struct banded_tile at)
{
    return at.x < args.inner_from.x || at.x >= args.inner_to.x || at.y < args.inner_from.y ||
           at.y >= args.inner_to.y;
}

/* Ghost cells left and right of a staged tile's pixels, and rows of them above and below. */
__device__ __noinline__ void fill_ghosts(const struct banded_args &args, uint8_t *staged,
                                         struct banded_tile at)
{
    const struct image_job &job = args.job;
    const int pitch = args.shape.pitch, rows = rows_needed(args, at);
    const int first_row = job.out_first_row + at.y * args.shape.tile_rows - job.anchor_y;
    /* from here on bytes count from the first pixel */
    const int first_byte = at.x * args.shape.tile_bytes + args.first_byte - args.in_pad;
    const int left = min(max(-first_byte, 0), pitch);
    const int right = max(min(job.width * args.shape.pixel_bytes - first_byte, pitch), left);
    const int beside = left + pitch - right;

    for (int i = threadIdx.x; i < rows * beside; i += blockDim.x) {
        int y = i / beside, x = i % beside;
        x += x < left ? 0 : right - left;
        staged[y * pitch + x] = image_byte_at(job, image_row_at(job, first_row + y), first_byte + x,
                                              args.shape.pixel_bytes);
    }
    for (int y = 0; y < rows; y++) {
        int r = first_row + y;
        if (r >= job.in_first_row && r < job.in_first_row + job.in_rows)
            continue;
        const uint8_t *row = image_row_at(job, r);
        for (int x = left + threadIdx.x; x < right; x += blockDim.x)
            staged[y * pitch + x] = image_byte_at(job, row, first_byte + x, args.shape.pixel_bytes);
    }
}

/* A warp's 128 bytes x 8 rows to shared memory, the pieces of a row swizzled as the copy to the
 * output wants them. */
__device__ inline void store_piece(uint32_t P_ds, const uint32_t *piece)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int q = 0; q < 2; q++)
        store_matrices(P_ds + lane % 8 * 128 + ((4 * q + lane / 8) ^ lane % 8) * 16, piece + 4 * q);
}

/* A warp's 128 bytes of all rows of the tile leave for byte x of row y of the output. */
__device__ inline void send_pieces(const struct banded_args &args, uint32_t P_ds, int x, int y)
{
    copies_fence();
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        copy_box_out(&args.out, P_ds, x / 4, y);
        copies_wait_sent();
    }
}

#endif
#endif
