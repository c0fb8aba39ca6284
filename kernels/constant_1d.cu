/* constant: as basic, with the mask in constant memory. All threads of a warp read
 * the same M[j] at the same time, which the constant cache broadcasts, so no DRAM
 * traffic is left for the mask. Fig. 7.8 of the textbook (Kirk and Hwu, Programming
 * Massively Parallel Processors, 3rd edition).
 *
 *      N  global memory    [ . . . . . . . . . . . . . . ]   k loads an output, through L1 and L2
 *                                \   \   |   /   /
 *      M  constant memory         M[0] M[1] ... M[k-1]       one broadcast a warp and weight
 *                                        |
 *      P                   [ . . . . . P[i] . . . . . . . ]  i as in basic
 *
 * The chapter's array is M[MAX_MASK_WIDTH] with MAX_MASK_WIDTH 10, which no odd
 * mask of 11 fits; here M is all of constant memory, and a longer mask goes in
 * several launches (constant_1d.cuh). Indices and ghost cells as in basic.
 * Shared memory   none
 * Loads an output k cells of N: one multiply-add a load, ratio about 2.0
 * Measured        float, k = 5: 0.1021 +- 0.0030 ms, 1314 GB/s
 *                 (16777216 samples, NVIDIA H200, 2026-11-21)
 *
 * What the next kernels (cached, then tiled) improve: neighbouring threads stop
 * loading the same cells of N from global memory, k times each. */
#include "constant_1d.cuh"

template <typename T> __global__ void constant_1d(const __grid_constant__ signal_group group)
{
    const struct signal_1d_job &job = group.job;
    const T *M = (const T *)M_bytes;
    int i = blockIdx.x * blockDim.x + threadIdx.x; /* counted from P's first element */
    int N_start_point = job.out_first + i - job.anchor + group.first;
    T Pvalue = 0;

    if (i >= job.out_count)
        return;
    for (int j = 0; j < group.weights; j++)
        Pvalue += signal_cell<T>(job, N_start_point + j) * M[j];
    signal_store<T>(group, i, Pvalue);
}

extern "C" cudaError_t signal_constant(const struct signal_1d_job *job, cudaStream_t stream)
{
    return constant_launch(job->type == PLANE_F32 ? constant_1d<float> : constant_1d<int64_t>, job,
                           constant_group(job), 0, stream);
}
