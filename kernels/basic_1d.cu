/* basic: one thread an output element; mask and input both lie in global memory.
 * The thread walks the mask and reads every cell of N under it. Fig. 7.6 of the
 * textbook (Kirk and Hwu, Programming Massively Parallel Processors, 3rd edition),
 * with every border instead of zeros only, any anchor and mask width, and the test
 * that the figure leaves out: a thread beyond the end stores nothing.
 *
 *      N     . . . [ N_start_point ............ + mask_width - 1 ] . . .
 *      M           [ M[0]  M[1]  ...  M[anchor]  ...  M[mask_width-1] ]
 *                                        |
 *      P     . . . . . . . . . . . . . P[i] . . .        i = blockIdx.x*blockDim.x + threadIdx.x
 *                                                        N_start_point = i - anchor
 *      | block 0: blockDim.x outputs | block 1 | ...
 *
 * The chapter's anchor is Mask_Width/2. Cells left of 0 and right of Width-1 are
 * ghost cells (cell_1d.cuh); element 0 is a cell like any other.
 * Shared memory   none
 * Loads an output k cells of N and k of M: one multiply-add for two loads, ratio about 1.0
 * Measured        float, k = 5: 0.1070 +- 0.0012 ms, 1255 GB/s
 *                 (16777216 samples, NVIDIA H200, 2026-11-21)
 *
 * What the next kernel (constant) improves: M is read through the constant cache,
 * once for a whole warp, which halves the loads. */
#include "cell_1d.cuh"

template <typename T> __global__ void basic_1d(const __grid_constant__ signal_1d_job job)
{
    const T *M = (const T *)job.device_weight;
    int i = blockIdx.x * blockDim.x + threadIdx.x; /* counted from P's first element */
    int N_start_point = job.out_first + i - job.anchor;
    T Pvalue = 0;

    if (i >= job.out_count)
        return;
    for (int j = 0; j < job.mask_width; j++)
        Pvalue += signal_cell<T>(job, N_start_point + j) * M[j];
    ((T *)job.out)[i] = Pvalue;
}

extern "C" cudaError_t signal_basic(const struct signal_1d_job *job, cudaStream_t stream)
{
    if (job->type == PLANE_F32)
        basic_1d<float><<<signal_blocks(job), job->tile, 0, stream>>>(*job);
    else
        basic_1d<int64_t><<<signal_blocks(job), job->tile, 0, stream>>>(*job);
    return cudaGetLastError();
}
