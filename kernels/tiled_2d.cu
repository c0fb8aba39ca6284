/* tiled: stage the input tile, halo cells included, in shared memory once; every
 * thread then reads its mask's cells from there. After Figs. 7.19-7.21 of the
 * textbook (Kirk and Hwu, Programming Massively Parallel Processors, 3rd edition), for
 * any mask, any border and a true pitch.
 *
 *                 input tile: tile + mask_width - 1 cells wide
 *            .---------------------------------------.
 *            |  halo   halo   halo   halo   halo     |   row_i = row_o - anchor_y
 *            |       .-----------------------.       |   col_i = col_o - anchor_x
 *            |  halo |  output tile          | halo  |
 *            |       |  tile x tile cells    |       |   N_ds[ty + i][tx + j] is the cell under
 *            |       |                       |       |   mask cell (i, j) of output (ty, tx)
 *            |       '-----------------------'       |
 *            |  halo   halo   halo   halo   halo     |   a halo cell outside the picture is a
 *            '---------------------------------------'   ghost cell: folded or a value
 *
 * Block: as large as the input tile while that has at most 1024 cells, one load a
 * thread, the surplus threads idle while the outputs are summed (the chapter's
 * shape). Past that at most 1024 threads, each loading several cells. Where the
 * input tile exceeds shared memory, the mask is walked in groups of rows, and
 * tile + group - 1 rows are staged for each group.
 * The mask lies in constant memory: every thread of a warp reads the same weight
 * at the same time. It holds 64 KB; larger masks go in several launches that add up.
 *
 * Shared memory   (tile + mask_width - 1) * (tile + group_rows - 1) * cell bytes
 * Loads an output ((tile + k - 1) / tile)^2 instead of k^2: k = 5, tile = 16: 1.56 for 25
 * Measured        k = 5: 3.201 ms for 8192 x 8192 RGB, tile 64 (NVIDIA H200, 2026-11-21)
 *
 * Slips of the figures that are not here: the store in Fig. 7.21 counts rows in
 * `width` where the pitch is meant; the tile of Fig. 7.20 has its two dimensions
 * swapped; a fixed MAX_MASK_WIDTH.
 *
 * The textbook's ladder ends here. The fast kernels (dp4a.cu is the first) use registers
 * instead of shared memory for most of the reuse, and integer pixels instead of planes. */
#include "constant_mask.cuh"

#define MAX_THREADS 1024

/* Stages rows [first_row, ...) of the input tile; each thread takes every blockDim-th cell. */
template <typename T>
__device__ void stage_tile(const struct plane_job &job, T *N_ds, int tile_width, int tile_height,
                           int first_row, int first_column)
{
    for (int ty = threadIdx.y; ty < tile_height; ty += blockDim.y) {
        int row_i = ghost_row(job, first_row + ty);
        for (int tx = threadIdx.x; tx < tile_width; tx += blockDim.x) {
            int col_i = ghost_fold(job.border, first_column + tx, job.width);
            N_ds[ty * tile_width + tx] = plane_cell<T>(job, row_i, col_i);
        }
    }
}

/* OUTPUTS: output rows a thread sums, tile / blockDim.y rounded up. */
template <typename T, int OUTPUTS>
__global__ void __launch_bounds__(MAX_THREADS) tiled_2d(const __grid_constant__ constant_args args)
{
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *N_ds = (T *)shared_bytes;
    const T *M = (const T *)M_bytes;
    const struct plane_job &job = args.job;
    int tile_width = job.tile + job.mask_width - 1;
    int col_o = blockIdx.x * job.tile + threadIdx.x;
    int row_o = blockIdx.y * job.tile; /* of the tile, counted from out's first row */
    T output[OUTPUTS] = {};

    for (int g = 0; g < args.mask_rows; g += args.group_rows) {
        int rows = min(args.group_rows, args.mask_rows - g);
        stage_tile<T>(job, N_ds, tile_width, job.tile + rows - 1,
                      job.out_first_row + row_o + args.first_mask_row + g - job.anchor_y,
                      (int)(blockIdx.x * job.tile) - job.anchor_x);
        __syncthreads();
#pragma unroll
        for (int n = 0; n < OUTPUTS; n++) {
            int ty = threadIdx.y + n * blockDim.y;
            if (ty < job.tile && threadIdx.x < job.tile)
                for (int i = 0; i < rows; i++)
                    for (int j = 0; j < job.mask_width; j++)
                        output[n] += M[(g + i) * job.mask_width + j] *
                                     N_ds[(ty + i) * tile_width + threadIdx.x + j];
        }
        __syncthreads(); /* the next group overwrites the tile */
    }
#pragma unroll
    for (int n = 0; n < OUTPUTS; n++) {
        int ty = threadIdx.y + n * blockDim.y;
        if (ty < job.tile && threadIdx.x < job.tile && row_o + ty < job.out_rows &&
            col_o < job.width) {
            T *P = (T *)((char *)job.out + (size_t)(row_o + ty) * job.out_pitch);
            P[col_o] = args.add ? P[col_o] + output[n] : output[n];
        }
    }
}

extern "C" struct plane_shape plane_tiled_shape(const struct plane_job *job)
{
    struct plane_shape shape = {};
    size_t cell = plane_cell_bytes(job->type);
    int width, height;

    shape.tile = job->tile;
    /* A row of the widest mask over the widest tile (318 cells) must fit: no tile is halved below
     * 8, whose rows for one mask row take 8 * 262 * 8 bytes = 16.4 KB. */
    do {
        width = shape.tile + job->mask_width - 1;
        shape.group_rows = (int)(job->shared_limit / (cell * (size_t)width)) - shape.tile + 1;
    } while (shape.group_rows < 1 && (shape.tile /= 2) >= 8);
    if (shape.group_rows > job->mask_height)
        shape.group_rows = job->mask_height;
    shape.constant_rows = constant_rows_of(job);
    if (shape.group_rows > shape.constant_rows)
        shape.group_rows = shape.constant_rows;
    height = shape.tile + shape.group_rows - 1;
    shape.shared_bytes = cell * (size_t)width * (size_t)height;
    if (width * height <= MAX_THREADS) {
        shape.block_x = width;
        shape.block_y = height;
    } else {
        shape.block_x = shape.tile;
        shape.block_y = shape.tile <= 32 ? shape.tile : MAX_THREADS / shape.tile;
    }
    shape.cells_per_thread = ((width + shape.block_x - 1) / shape.block_x) *
                             ((height + shape.block_y - 1) / shape.block_y);
    return shape;
}

template <typename T, int OUTPUTS>
static cudaError_t launch(const struct plane_job *job, const struct plane_shape &shape,
                          cudaStream_t stream)
{
    struct constant_args args = {};
    dim3 grid((job->width + shape.tile - 1) / shape.tile,
              (job->out_rows + shape.tile - 1) / shape.tile);
    cudaError_t status = cudaFuncSetAttribute(
        tiled_2d<T, OUTPUTS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)job->shared_limit);
    if (status != cudaSuccess)
        return status;
    args.job = *job;
    args.job.tile = shape.tile;
    args.group_rows = shape.group_rows;
    return constant_launch(tiled_2d<T, OUTPUTS>, args, grid, dim3(shape.block_x, shape.block_y),
                           shape.shared_bytes, stream);
}

template <typename T>
static cudaError_t launch_type(const struct plane_job *job, const struct plane_shape &shape,
                               cudaStream_t stream)
{
    /* Only tiles of 64 have fewer thread rows than output rows: 64 / 16. */
    return shape.block_y >= shape.tile ? launch<T, 1>(job, shape, stream)
                                       : launch<T, 4>(job, shape, stream);
}

extern "C" cudaError_t plane_tiled(const struct plane_job *job, cudaStream_t stream)
{
    struct plane_shape shape = plane_tiled_shape(job);
    if (shape.tile < 8)
        return cudaErrorInvalidConfiguration;
    switch (job->type) {
    case PLANE_F32:
        return launch_type<float>(job, shape, stream);
    case PLANE_I32:
        return launch_type<int32_t>(job, shape, stream);
    default:
        return launch_type<int64_t>(job, shape, stream);
    }
}
