/* constant: as basic, with the mask in constant memory. Fig. 7.8 of the textbook
 * (Kirk and Hwu, Programming Massively Parallel Processors, 3rd edition) taken to two
 * dimensions (exercise 9). All threads of a warp read the same M[i][j] at the same
 * time, which the constant cache broadcasts; no DRAM traffic is left for the mask.
 *
 *      N  global memory   k^2 loads an output, through L1 and L2
 *      M  constant memory .----------------------.  one broadcast a warp
 *                         | M[0][0] M[0][1] ...  |  64 KB: larger masks in several launches
 *                         '----------------------'
 *
 * Indices, ghost cells and blocks as in basic.
 * Shared memory   none
 * Loads an output k^2 cells of N: one multiply-add a load, ratio about 2.0
 * Measured        k = 5: 4.392 ms for 8192 x 8192 RGB, tile 8 (NVIDIA H200, 2026-11-21)
 *
 * The next kernels (cached, then tiled) stop loading every cell of N from global
 * memory k^2 times. */
#include "constant_mask.cuh"
#include "direct_2d.cuh"

template <typename T> __global__ void constant_2d(const __grid_constant__ constant_args args)
{
    const struct plane_job &job = args.job;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < job.width && row < job.out_rows) {
        T *P = direct_output<T>(job, row, col);
        T sum = direct_sum<T>(job, (const T *)M_bytes, args.first_mask_row, args.mask_rows,
                              job.out_first_row + row, col);
        *P = args.add ? *P + sum : sum;
    }
}

extern "C" cudaError_t plane_constant(const struct plane_job *job, cudaStream_t stream)
{
    struct constant_args args = {};
    args.job = *job;
    return constant_launch(job->type == PLANE_F32   ? constant_2d<float>
                           : job->type == PLANE_I32 ? constant_2d<int32_t>
                                                    : constant_2d<int64_t>,
                           args, direct_grid(job), direct_block(job), 0, stream);
}
