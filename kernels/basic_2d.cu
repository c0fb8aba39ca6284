/* basic: one thread an output cell; mask and input both lie in global memory.
 * Fig. 7.6 of the textbook (Kirk and Hwu, Programming Massively Parallel Processors,
 * 3rd edition) taken to two dimensions (exercise 8), with any border and a true
 * pitch, and with the test that the figure leaves out: a thread beyond the picture
 * stores nothing.
 *
 *      grid of blocks, tile x tile threads           row = blockIdx.y*blockDim.y + threadIdx.y
 *      .--------.--------.-----                      col = blockIdx.x*blockDim.x + threadIdx.x
 *      | block  | block  |           N[row-ay+i][col-ax+j] * M[i][j], i and j over the mask;
 *      | (0,0)  | (1,0)  |           indices outside are ghost cells (ghost.cuh)
 *      '--------'--------'-----
 *
 * Shared memory   none
 * Loads an output k^2 cells of N and k^2 of M: one multiply-add for two loads, ratio about 1.0
 * Measured        k = 5: 4.662 ms for 8192 x 8192 RGB, tile 8 (NVIDIA H200, 2026-11-21)
 *
 * The next kernel (readonly) promises that nobody writes to M, so that M may be read
 * through a cache for read-only data. */
#include "direct_2d.cuh"

template <typename T> __global__ void basic_2d(const __grid_constant__ plane_job job)
{
    const T *M = (const T *)job.device_weight;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < job.width && row < job.out_rows)
        *direct_output<T>(job, row, col) =
            direct_sum<T>(job, M, 0, job.mask_height, job.out_first_row + row, col);
}

extern "C" cudaError_t plane_basic(const struct plane_job *job, cudaStream_t stream)
{
    dim3 grid = direct_grid(job), block = direct_block(job);
    switch (job->type) {
    case PLANE_F32:
        basic_2d<float><<<grid, block, 0, stream>>>(*job);
        break;
    case PLANE_I32:
        basic_2d<int32_t><<<grid, block, 0, stream>>>(*job);
        break;
    case PLANE_I64:
        basic_2d<int64_t><<<grid, block, 0, stream>>>(*job);
        break;
    }
    return cudaGetLastError();
}
