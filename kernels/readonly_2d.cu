/* readonly: as basic, with the mask promised to be read-only: const T *__restrict__,
 * so that the compiler loads it through the read-only data cache (LDG). After module
 * 8.3 of the teaching kit for the textbook (Kirk and Hwu, Programming Massively
 * Parallel Processors, 3rd edition), where the __restrict__ stands on the wrong side
 * of the star and so promises nothing about the pointer.
 *
 *      N  global memory             k^2 loads an output, through L1 and L2
 *      M  global memory, read-only  k^2 loads an output, all hits in L1 after the first warp
 *
 * Indices, ghost cells and blocks as in basic.
 * Shared memory   none
 * Loads an output k^2 cells of N and k^2 of M, the latter cached; M may be of any size
 * Measured        k = 5: 4.663 ms for 8192 x 8192 RGB, tile 8 (NVIDIA H200, 2026-11-21)
 *
 * On Volta and newer GPUs it is no faster than basic: L1 and the cache for read-only
 * data are one cache there, in which both kernels find M (docs/lab/ladder.md).
 *
 * What the next kernel (constant) improves: M is read through the constant cache,
 * once for a whole warp, which halves the loads. */
#include "direct_2d.cuh"

template <typename T>
__global__ void readonly_2d(const __grid_constant__ plane_job job, const T *__restrict__ M)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < job.width && row < job.out_rows)
        *direct_output<T>(job, row, col) =
            direct_sum<T>(job, M, 0, job.mask_height, job.out_first_row + row, col);
}

extern "C" cudaError_t plane_readonly(const struct plane_job *job, cudaStream_t stream)
{
    dim3 grid = direct_grid(job), block = direct_block(job);
    switch (job->type) {
    case PLANE_F32:
        readonly_2d<float><<<grid, block, 0, stream>>>(*job, (const float *)job->device_weight);
        break;
    case PLANE_I32:
        readonly_2d<int32_t><<<grid, block, 0, stream>>>(*job, (const int32_t *)job->device_weight);
        break;
    case PLANE_I64:
        readonly_2d<int64_t><<<grid, block, 0, stream>>>(*job, (const int64_t *)job->device_weight);
        break;
    }
    return cudaGetLastError();
}
