/* M in constant memory, for the 1D kernels that keep their mask there. Each .cu
 * file that includes this has a bank of its own: 64 KB, which is 16384 floats or
 * 8192 integers. A longer mask goes in several launches, a group of weights each,
 * whose sums add up in P: exact, because every partial sum is inside the bound
 * that the number type was chosen by.
 *
 *      mask     [ M[0] ... M[group-1] | M[group] ... | ... M[mask_width-1] ]
 *      launch         first 0, P =        first group, P +=   ...
 */
#ifndef STENCIL_CONSTANT_1D_CUH
#define STENCIL_CONSTANT_1D_CUH

#include "cell_1d.cuh"

#define CONSTANT_BYTES 65536

__constant__ unsigned char M_bytes[CONSTANT_BYTES];

/* One launch: the job and the weights that M holds. */
struct signal_group {
    struct signal_1d_job job;
    int first;   /* M[0] is weight `first` of the mask */
    int weights; /* how many of them */
    bool add;    /* add to what earlier launches left in P */
};

/* Weights that fit constant memory at a time. */
static inline int constant_group(const struct signal_1d_job *job)
{
    int most = (int)(CONSTANT_BYTES / plane_cell_bytes(job->type));
    return job->mask_width < most ? job->mask_width : most;
}

/* The last act of every kernel here: P's element I, counted from the first output. */
template <typename T>
__device__ inline void signal_store(const struct signal_group &group, int i, T Pvalue)
{
    T *P = (T *)group.job.out;
    P[i] = group.add ? P[i] + Pvalue : Pvalue;
}

/* Fills M with GROUP weights at a time and launches KERNEL, until the whole mask was there. */
static cudaError_t constant_launch(void (*kernel)(const signal_group),
                                   const struct signal_1d_job *job, int group, size_t shared_bytes,
                                   cudaStream_t stream)
{
    size_t cell = plane_cell_bytes(job->type);
    cudaError_t status = cudaSuccess;

    for (int first = 0; status == cudaSuccess && first < job->mask_width; first += group) {
        struct signal_group launch = {*job, first, group, first > 0};
        if (job->mask_width - first < group)
            launch.weights = job->mask_width - first;
        status = cudaMemcpyToSymbolAsync(M_bytes, (const char *)job->weight + (size_t)first * cell,
                                         (size_t)launch.weights * cell, 0, cudaMemcpyHostToDevice,
                                         stream);
        if (status != cudaSuccess)
            break;
        kernel<<<signal_blocks(job), job->tile, shared_bytes, stream>>>(launch);
        status = cudaGetLastError();
    }
    return status;
}

#endif
