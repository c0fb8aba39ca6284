#include "rules.h"

#include "ptx.cuh"

enum { THREADS = 64 };

/* Reverses the numbers of each block through shared memory. */
template <bool BARRIER> static void reverse(float *to, const float *from, int count)
{
    float *tile = (float *)soft_shared();
    const int first = blockIdx.x * THREADS, i = threadIdx.x;
    if (first + i < count)
        tile[i] = from[first + i];
    if (BARRIER)
        __syncthreads();
    if (first + i < count)
        to[first + i] = tile[(count - first < THREADS ? count - first : THREADS) - 1 - i];
}

static void shared_end(float *to, const float *, int)
{
    float *tile = (float *)soft_shared();
    tile[threadIdx.x + 1] = 1;
    to[0] = tile[0];
}

static void global_end(float *to, const float *, int count)
{
    to[count + THREADS + threadIdx.x] = 1; /* allocations are multiples of 256 bytes */
}

static void endless(float *to, const float *, int)
{
    uint64_t *barrier = (uint64_t *)soft_shared();
    if (threadIdx.x == 0) {
        soft_barrier_init(barrier);
        soft_barrier_wait(barrier, 0);
    }
    __syncthreads();
    to[0] = 1;
}

static void no_wait(float *, const float *from, int)
{
    if (threadIdx.x == 0)
        soft_copy_16(soft_shared(), from);
}

static cudaError_t launch(void (*kernel)(float *, const float *, int), size_t shared, float *to,
                          const float *from, int count, cudaStream_t stream)
{
    const int blocks = (count + THREADS - 1) / THREADS;
    soft_launch(kernel, dim3(blocks), dim3(THREADS), shared, stream)(to, from, count);
    return cudaGetLastError();
}

cudaError_t rules_reverse(float *to, const float *from, int count, cudaStream_t stream)
{
    return launch(reverse<true>, THREADS * sizeof(float), to, from, count, stream);
}

cudaError_t rules_no_barrier(float *to, const float *from, int count, cudaStream_t stream)
{
    return launch(reverse<false>, THREADS * sizeof(float), to, from, count, stream);
}

cudaError_t rules_shared_end(float *to, const float *from, int count, cudaStream_t stream)
{
    return launch(shared_end, THREADS * sizeof(float), to, from, count, stream);
}

cudaError_t rules_global_end(float *to, const float *from, int count, cudaStream_t stream)
{
    return launch(global_end, 0, to, from, count, stream);
}

cudaError_t rules_endless(float *to, const float *from, int count, cudaStream_t stream)
{
    return launch(endless, 8, to, from, count, stream);
}

cudaError_t rules_much_shared(float *to, const float *from, int count, cudaStream_t stream)
{
    return launch(reverse<true>, 50000, to, from, count, stream);
}

cudaError_t rules_no_wait(float *to, const float *from, int count, cudaStream_t stream)
{
    return launch(no_wait, 64, to, from, count, stream);
}
