/* tiled: the threads of a block load the block's input tile, halo cells included,
 * into shared memory once; every thread then reads its mask's cells from there.
 * Figs. 7.10-7.11 of the textbook (Kirk and Hwu, Programming Massively Parallel
 * Processors, 3rd edition), for any mask, anchor and border.
 *
 *      block b:  This_tile_start_point = b*blockDim.x,  input tile begins anchor cells before it
 *
 *              left halo cells      internal cells          right halo cells
 *      N    . [ N[start-anchor] .. | N[start] ............. | .. ] .   . ghost cells at the ends
 *                     |  k = threadIdx.x, + blockDim.x, + 2*blockDim.x, ...     of the signal
 *      N_ds   [ 0 .......... anchor ........................ tile+mask_width-2 ]
 *                     \______ mask ______/
 *      P[i]                N_ds[threadIdx.x + j] * M[j],  j = 0 ... mask_width-1
 *
 * The figure loads left halo, internal cells and right halo by one statement each,
 * with a thread for every halo cell, which breaks for more halo cells than
 * threads; it loads and stores internal cells without asking whether they exist.
 * Here one loop in steps of blockDim.x loads the three parts, as many cells as the
 * tile's outputs need and no more.
 * Shared memory   (tile + mask_width - 1) * cell bytes; masks past 48 KB in groups of weights
 * Loads an output (tile + k - 1) / tile instead of k: k = 5, tile = 256: 1.02 for 5
 * Measured        float, k = 5: 0.1062 +- 0.0012 ms, 1264 GB/s
 *                 (16777216 samples, NVIDIA H200, 2026-11-21)
 *
 * The 1D ladder ends here; the 2D kernels follow (basic_2d.cu). */
#include "constant_1d.cuh"

/* What every block may have without asking for more. */
#define SHARED_BYTES 49152

template <typename T> __global__ void tiled_1d(const __grid_constant__ signal_group group)
{
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    const struct signal_1d_job &job = group.job;
    const T *M = (const T *)M_bytes;
    T *N_ds = (T *)shared_bytes;
    int This_tile_start_point = blockIdx.x * blockDim.x; /* counted from P's first element */
    int outputs = min((int)blockDim.x, job.out_count - This_tile_start_point);
    int N_start_point = job.out_first + This_tile_start_point - job.anchor + group.first;
    T Pvalue = 0;

    for (int k = threadIdx.x; k < outputs + group.weights - 1; k += blockDim.x)
        N_ds[k] = signal_cell<T>(job, N_start_point + k);
    __syncthreads();

    if (threadIdx.x >= outputs)
        return;
    for (int j = 0; j < group.weights; j++)
        Pvalue += N_ds[threadIdx.x + j] * M[j];
    signal_store<T>(group, This_tile_start_point + threadIdx.x, Pvalue);
}

extern "C" struct signal_1d_shape signal_tiled_shape(const struct signal_1d_job *job)
{
    size_t cell = plane_cell_bytes(job->type);
    int most = (int)(SHARED_BYTES / cell) - job->tile + 1; /* at least 5121 */
    struct signal_1d_shape shape = {};

    shape.group = constant_group(job);
    if (shape.group > most)
        shape.group = most;
    shape.shared_bytes = cell * (size_t)(job->tile + shape.group - 1);
    return shape;
}

extern "C" cudaError_t signal_tiled(const struct signal_1d_job *job, cudaStream_t stream)
{
    struct signal_1d_shape shape = signal_tiled_shape(job);
    return constant_launch(job->type == PLANE_F32 ? tiled_1d<float> : tiled_1d<int64_t>, job,
                           shape.group, shape.shared_bytes, stream);
}
