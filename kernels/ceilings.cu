/* The device's limits, which `stencilcli bench` measures in the same run as the kernels.
 * The roof of its roofline is drawn from these measurements, not from a data sheet.
 *
 *   fma    a thread makes chains, x_i = x_i * a + b. A chain waits 4 cycles for itself, and the
 *          other chains fill them:    x_0  x_1  x_2 ... x_15  x_0  x_1 ...
 *   int8   the same on the matrix units: a warp's product of 16 x 32 and 32 x 8 bytes
 *   copy   16 bytes a load, four loads under way before the first store
 *
 * Shared memory   none
 * `stencilcli bench` prints the measured limits above its table. */
#include "ceilings.h"

#define THREADS         256
#define BLOCKS_EACH     8 /* on every multiprocessor: 2048 threads fill it */
#define CHAINS          16
#define ROUNDS          4096
#define MATRIX_CHAINS   8
#define MATRIX_ROUNDS   2048
#define COPY_LOADS      4
#define MATRIX_PRODUCTS (16 * 8 * 32)

/* ---- multiply and add ---- */

/* A and B come from outside, so that nothing can be worked out beforehand. */
__global__ void __launch_bounds__(THREADS) fma_chains(float a, float b, float *sink)
{
    float x[CHAINS], sum = 0;
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        x[i] = (float)(threadIdx.x + i);
#pragma unroll 8
    for (int r = 0; r < ROUNDS; r++)
#pragma unroll
        for (int i = 0; i < CHAINS; i++)
            x[i] = fmaf(x[i], a, b);
#pragma unroll
    for (int i = 0; i < CHAINS; i++)
        sum += x[i];
    if (sum == 0.125f) /* never, but the compiler cannot know */
        *sink = sum;
}

extern "C" cudaError_t ceiling_fma(int multiprocessors, void *sink, double *operations,
                                   cudaStream_t stream)
{
    int blocks = multiprocessors * BLOCKS_EACH;
    *operations = 2.0 * CHAINS * ROUNDS * THREADS * blocks;
    fma_chains<<<blocks, THREADS, 0, stream>>>(0.5f, 1.0f, (float *)sink);
    return cudaGetLastError();
}

/* sm_75 has no such product: never launched there. */
__global__ void __launch_bounds__(THREADS) int8_chains(unsigned a, unsigned b, int *sink)
{
#if __CUDA_ARCH__ >= 800
    int x[MATRIX_CHAINS][4] = {}, sum = 0;
#pragma unroll 4
    for (int r = 0; r < MATRIX_ROUNDS; r++)
#pragma unroll
        for (int i = 0; i < MATRIX_CHAINS; i++)
            asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, "
                         "{%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};"
                         : "+r"(x[i][0]), "+r"(x[i][1]), "+r"(x[i][2]), "+r"(x[i][3])
                         : "r"(a), "r"(b));
#pragma unroll
    for (int i = 0; i < MATRIX_CHAINS; i++)
        sum += x[i][0] + x[i][1] + x[i][2] + x[i][3];
    if (sum == 0x12345678) /* as above */
        *sink = sum;
#endif
}

extern "C" cudaError_t ceiling_int8(int multiprocessors, void *sink, double *operations,
                                    cudaStream_t stream)
{
    int blocks = multiprocessors * BLOCKS_EACH;
    *operations = 2.0 * MATRIX_PRODUCTS * MATRIX_CHAINS * MATRIX_ROUNDS * (THREADS / 32) * blocks;
    int8_chains<<<blocks, THREADS, 0, stream>>>(0x01020304u, 0x05060708u, (int *)sink);
    return cudaGetLastError();
}

/* ---- copy ---- */

__global__ void __launch_bounds__(THREADS) copy_cells(const uint4 *from, uint4 *to, size_t cells)
{
    size_t first = (size_t)blockIdx.x * THREADS * COPY_LOADS + threadIdx.x;
    uint4 cell[COPY_LOADS];
#pragma unroll
    for (int i = 0; i < COPY_LOADS; i++)
        if (first + i * THREADS < cells)
            cell[i] = from[first + i * THREADS];
#pragma unroll
    for (int i = 0; i < COPY_LOADS; i++)
        if (first + i * THREADS < cells)
            to[first + i * THREADS] = cell[i];
}

extern "C" cudaError_t ceiling_copy(const void *from, void *to, size_t bytes, cudaStream_t stream)
{
    size_t cells = bytes / sizeof(uint4), each = (size_t)THREADS * COPY_LOADS;
    copy_cells<<<(unsigned)((cells + each - 1) / each), THREADS, 0, stream>>>((const uint4 *)from,
                                                                              (uint4 *)to, cells);
    return cudaGetLastError();
}

/* ---- delay ---- */

__device__ static unsigned long long now_ns()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

__global__ void delay(unsigned long long ns)
{
    unsigned long long start = now_ns();
    while (now_ns() - start < ns)
        __nanosleep(500);
}

extern "C" cudaError_t ceiling_delay(double microseconds, cudaStream_t stream)
{
    delay<<<1, 1, 0, stream>>>((unsigned long long)(microseconds * 1e3));
    return cudaGetLastError();
}
