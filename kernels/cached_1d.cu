/* cached: only the tile's own (internal) cells go to shared memory, a cell a thread;
 * halo cells are read from global memory, where the neighbouring block has most
 * likely just brought them into the L2 cache. Figs. 7.13-7.14 of the textbook (Kirk
 * and Hwu, Programming Massively Parallel Processors, 3rd edition).
 *
 *            This_tile_start_point = blockIdx.x*blockDim.x
 *            |                                    Next_tile_start_point = This + blockDim.x
 *            v                                    v
 *      N   . h h [ internal cells, one a thread ] h h .      h: halo cells, through L2
 *                |                              |            .: ghost cells, folded or a value
 *      N_ds      [ 0 ............... blockDim.x-1 ]
 *
 *      N_index = N_start_point + j,  N_start_point = i - anchor
 *      This_tile <= N_index < Next_tile    N_ds[N_index - This_tile_start_point]
 *      else                                N[N_index], or a ghost cell
 *
 * The figure loads N[i] and stores P[i] without asking whether i < Width; here
 * neither happens beyond the last output.
 * Shared memory   tile * cell bytes, whatever the mask
 * Loads an output 1 from DRAM; the outputs at the tile's edges read up to k - 1 halo cells from L2
 * Measured        float, k = 5: 0.1176 +- 0.0012 ms, 1141 GB/s
 *                 (16777216 samples, NVIDIA H200, 2026-11-21)
 *
 * What the next kernel (tiled) improves: halo cells lie in shared memory too, so the
 * sum needs no comparison. */
#include "constant_1d.cuh"

template <typename T> __global__ void cached_1d(const __grid_constant__ signal_group group)
{
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    const struct signal_1d_job &job = group.job;
    const T *M = (const T *)M_bytes;
    T *N_ds = (T *)shared_bytes;
    int i = blockIdx.x * blockDim.x + threadIdx.x; /* counted from P's first element */
    int This_tile_start_point = job.out_first + blockIdx.x * blockDim.x;
    int Next_tile_start_point = /* of the last tile: where its outputs end */
        min(This_tile_start_point + (int)blockDim.x, job.out_first + job.out_count);
    int N_start_point = job.out_first + i - job.anchor + group.first;
    T Pvalue = 0;

    if (i < job.out_count)
        N_ds[threadIdx.x] = signal_cell<T>(job, job.out_first + i);
    __syncthreads();

    if (i >= job.out_count)
        return;
    for (int j = 0; j < group.weights; j++) {
        int N_index = N_start_point + j;
        if (N_index >= This_tile_start_point && N_index < Next_tile_start_point)
            Pvalue += N_ds[N_index - This_tile_start_point] * M[j];
        else
            Pvalue += signal_cell<T>(job, N_index) * M[j];
    }
    signal_store<T>(group, i, Pvalue);
}

extern "C" struct signal_1d_shape signal_cached_shape(const struct signal_1d_job *job)
{
    struct signal_1d_shape shape = {};
    shape.group = constant_group(job);
    shape.shared_bytes = plane_cell_bytes(job->type) * (size_t)job->tile; /* at most 8 KB */
    return shape;
}

extern "C" cudaError_t signal_cached(const struct signal_1d_job *job, cudaStream_t stream)
{
    struct signal_1d_shape shape = signal_cached_shape(job);
    return constant_launch(job->type == PLANE_F32 ? cached_1d<float> : cached_1d<int64_t>, job,
                           shape.group, shape.shared_bytes, stream);
}
