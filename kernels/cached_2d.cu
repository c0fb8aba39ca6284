/* cached: only the tile's own (internal) cells go to shared memory; halo cells are
 * read from global memory, where the neighbouring block has most likely just
 * brought them into the L2 cache. Figs. 7.13-7.14 of the textbook (Kirk and Hwu,
 * Programming Massively Parallel Processors, 3rd edition) taken to two dimensions.
 *
 *                  N                                     N_ds (shared)
 *      . . . h h h h h h h . . .                      .-----------.
 *      . . . h .---------. h . .   internal cells --> | tile x    |
 *      . . . h | tile    | h . .                      | tile      |
 *      . . . h '---------' h . .   h: halo cells,     '-----------'
 *      . . . h h h h h h h . . .   from L2 (ghost cells folded or a value)
 *
 *      inside the tile  N_ds[row_i - tile_row][col_i - tile_col]
 *      else             N[row_i][col_i]
 *
 * No block is larger than its output tile and no thread is idle while summing, at
 * the price of two comparisons a cell.
 * Shared memory   tile * tile * cell bytes, whatever the mask
 * Loads an output 1 from DRAM for the tile; the halo's share of k^2 from L2
 * Measured        k = 5: 6.192 ms for 8192 x 8192 RGB, tile 64 (NVIDIA H200, 2026-11-21)
 *
 * On Volta and newer GPUs it is slower than basic, which finds nine of ten cells in L1:
 * shared memory is no faster than L1, and the comparisons come on top
 * (docs/lab/ladder.md).
 *
 * What the next kernel (tiled) improves: halo cells lie in shared memory too, so the
 * sum needs no comparison. */
#include "constant_mask.cuh"
#include "direct_2d.cuh"

/* OUTPUTS: output rows a thread sums. */
template <typename T, int OUTPUTS>
__global__ void __launch_bounds__(1024) cached_2d(const __grid_constant__ constant_args args)
{
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *N_ds = (T *)shared_bytes;
    const T *M = (const T *)M_bytes;
    const struct plane_job &job = args.job;
    int tile_col = blockIdx.x * job.tile;
    int tile_row = blockIdx.y * job.tile; /* counted from P's first row */
    int col = tile_col + threadIdx.x;

    for (int ty = threadIdx.y; ty < job.tile; ty += blockDim.y) {
        int row_i = job.out_first_row + tile_row + ty - job.in_first_row;
        if (col < job.width && tile_row + ty < job.out_rows)
            N_ds[ty * job.tile + threadIdx.x] = plane_cell<T>(job, row_i, col);
    }
    __syncthreads();

    for (int n = 0; n < OUTPUTS; n++) {
        int ty = threadIdx.y + n * blockDim.y, row = tile_row + ty;
        T *P = direct_output<T>(job, row, col), Pvalue = 0;
        if (col >= job.width || row >= job.out_rows)
            continue;
        for (int i = 0; i < args.mask_rows; i++) {
            int y = row - job.anchor_y + args.first_mask_row + i;
            int row_i = ghost_row(job, job.out_first_row + y);
            bool inside_y = y >= tile_row && y < tile_row + job.tile && y < job.out_rows;
            for (int j = 0; j < job.mask_width; j++) {
                int x = col - job.anchor_x + j;
                T cell;
                if (inside_y && x >= tile_col && x < tile_col + job.tile && x < job.width)
                    cell = N_ds[(y - tile_row) * job.tile + x - tile_col];
                else
                    cell = plane_cell<T>(job, row_i, ghost_fold(job.border, x, job.width));
                Pvalue += M[i * job.mask_width + j] * cell;
            }
        }
        *P = args.add ? *P + Pvalue : Pvalue;
    }
}

template <typename T> static cudaError_t launch(const struct plane_job *job, cudaStream_t stream)
{
    struct constant_args args = {};
    dim3 block = direct_block(job);
    dim3 grid((job->width + job->tile - 1) / job->tile,
              (job->out_rows + job->tile - 1) / job->tile);
    size_t shared = sizeof(T) * (size_t)job->tile * (size_t)job->tile; /* at most 32 KB */
    args.job = *job;
    return constant_launch((int)block.y == job->tile ? cached_2d<T, 1> : cached_2d<T, 4>, args,
                           grid, block, shared, stream);
}

extern "C" cudaError_t plane_cached(const struct plane_job *job, cudaStream_t stream)
{
    switch (job->type) {
    case PLANE_F32:
        return launch<float>(job, stream);
    case PLANE_I32:
        return launch<int32_t>(job, stream);
    default:
        return launch<int64_t>(job, stream);
    }
}
