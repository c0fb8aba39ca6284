/* The words of CUDA C for a C++ compiler. A kernel's source includes this file first;
 * soft/translate has replaced <<<>>> and shared arrays without a size. */
#ifndef STENCIL_CUDA_WORDS_H
#define STENCIL_CUDA_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tuple>
#include <type_traits>

#include "soft/cuda_functions.h"

extern "C" {
#include "soft/parts.h"
}

#define __host__
#define __device__
#define __global__
#define __constant__ static
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__   static
#define __noinline__ __attribute__((noinline)) inline
#define __align__(n) alignas(n)
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif
#define __CUDACC__
#define CUDART_VERSION 13000

/* ---- launching ---- */

enum {
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    cudaEnableDefault,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrSingleToDoublePrecisionPerfRatio
};
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess };

template <typename F> static inline cudaError_t cudaFuncSetAttribute(F *kernel, int, int bytes)
{
    return soft_error(soft_shared_allow((const void *)kernel, bytes));
}

/* Few blocks, so that blocks which walk over tiles have several tiles. */
template <typename F>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F *, int,
                                                                        size_t)
{
    *blocks = 1;
    return cudaSuccess;
}

/* With SOFT_GPU_SLOW_DOUBLES, the values of a GPU for games. */
static inline cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int)
{
    *value = 3;
    if (attribute == cudaDevAttrSingleToDoublePrecisionPerfRatio)
        *value = getenv("SOFT_GPU_SLOW_DOUBLES") ? 64 : 2;
    return cudaSuccess;
}

static inline cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **found, int, int,
                                                           cudaDriverEntryPointQueryResult *result)
{
    *found = (void *)soft_encode_tensor;
    *result = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpyToSymbolAsync(void *symbol, const void *from, size_t bytes,
                                                  size_t offset, int, cudaStream_t stream)
{
    return soft_constant_copy(symbol, offset, from, bytes, stream);
}

template <typename... P> struct soft_launcher {
    struct packet {
        void (*kernel)(P...);
        soft_grid grid;
        std::tuple<P...> arguments;
    } it;
    cudaStream_t stream;

    static void thread(const void *arguments)
    {
        const packet *p = (const packet *)arguments;
        std::apply(p->kernel, p->arguments);
    }
    static void run(const void *arguments, int device)
    {
        alignas(packet) unsigned char place[sizeof(packet)];
        memcpy(place, arguments, sizeof place);
        soft_run(&((const packet *)place)->grid, thread, place, device);
    }
    void operator()(P... arguments)
    {
        it.arguments = std::tuple<P...>(arguments...);
        soft_shared_check((const void *)it.kernel, it.grid.shared);
        soft_error(soft_launch_work(stream, run, &it, sizeof it));
    }
};

template <typename... P>
static inline soft_launcher<P...> soft_launch(void (*kernel)(P...), dim3 grid, dim3 block,
                                              size_t shared, cudaStream_t stream)
{
    soft_launcher<P...> launcher = {};
    launcher.it.kernel = kernel;
    launcher.it.grid = {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared};
    launcher.stream = stream;
    return launcher;
}

#endif
