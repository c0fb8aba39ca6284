/* The words of CUDA C for a student's file, which translate.c has prepared. The file is compiled as
 * C++ with probes at every access to memory; the functions here are in the program that loads it.
 */
#ifndef STENCIL_TRY_WORDS_H
#define STENCIL_TRY_WORDS_H

#include <stddef.h>
#include <stdint.h>

#define __host__
#define __device__
#define __global__
#define __constant__
#define __shared__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__    __attribute__((noinline))
#define __align__(n)    alignas(n)
#define __CUDACC__
#define __CUDA_ARCH__  900
#define CUDART_VERSION 13000
#define main           try_main_of_the_file

#include "soft/cuda_functions.h"

#include "try/cuda/try_arguments.h"

/* ---- arrays ---- */

enum { TRY_SHARED, TRY_CONSTANT };
extern "C" void *try_array(int kind, const char *name, size_t bytes, size_t element);
extern "C" void *try_shared_dynamic(const char *name, size_t element);

template <typename T> struct try_element {
    enum { bytes = sizeof(T) };
};
template <typename T, size_t N> struct try_element<T[N]> {
    enum { bytes = try_element<T>::bytes };
};

/* `float (&a)[4] = try_shared<1>{"a"}` makes the array once. */
template <int KIND, int ID> struct try_new_array {
    const char *name;
    template <typename T> operator T &() const
    {
        static T *at = (T *)try_array(KIND, name, sizeof(T), try_element<T>::bytes);
        return *at;
    }
};
template <int ID> using try_shared = try_new_array<TRY_SHARED, ID>;
template <int ID> using try_constant = try_new_array<TRY_CONSTANT, ID>;
template <typename T> static inline T *try_dynamic(const char *name)
{
    return (T *)try_shared_dynamic(name, sizeof(T));
}

/* ---- further vectors ---- */

struct alignas(8) float2 {
    float x, y;
};
struct float3 {
    float x, y, z;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
struct uchar3 {
    unsigned char x, y, z;
};
struct alignas(4) uchar4 {
    unsigned char x, y, z, w;
};
static inline float2 make_float2(float x, float y)
{
    return {x, y};
}
static inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}
static inline int4 make_int4(int x, int y, int z, int w)
{
    return {x, y, z, w};
}

/* ---- further functions ---- */

static inline float min(float a, float b)
{
    return a < b ? a : b;
}
static inline float max(float a, float b)
{
    return a > b ? a : b;
}
static inline double min(double a, double b)
{
    return a < b ? a : b;
}
static inline double max(double a, double b)
{
    return a > b ? a : b;
}
static inline long long min(long long a, long long b)
{
    return a < b ? a : b;
}
static inline long long max(long long a, long long b)
{
    return a > b ? a : b;
}
static inline float __fmaf_rn(float a, float b, float c)
{
    return std::fma(a, b, c);
}
static inline int __mul24(int a, int b)
{
    return a * b;
}
static inline float __int2float_rn(int a)
{
    return (float)a;
}
static inline int __float2int_rn(float a)
{
    return (int)lrintf(a);
}
static inline void __threadfence()
{
}
static inline void __threadfence_block()
{
}
static inline unsigned __activemask()
{
    return ~0u;
}
static inline int __syncthreads_count(int value)
{
    static int sum;
    soft_block_wait();
    sum = 0;
    soft_block_wait();
    sum += value != 0;
    soft_block_wait();
    return sum;
}
static inline int __syncthreads_and(int value)
{
    return !__syncthreads_or(!value);
}
#undef __syncwarp
#define __syncwarp(...) try_warp_wait()
extern "C" void try_warp_wait(void);

template <typename T> static inline T try_shuffle(T value, int lane, bool valid)
{
    uint32_t words[SOFT_WORDS] = {};
    static_assert(sizeof value <= sizeof words);
    memcpy(words, &value, sizeof value);
    soft_words *all = soft_exchange(words, (sizeof value + 3) / 4);
    if (valid)
        memcpy(&value, all[lane], sizeof value);
    return value;
}
static inline int try_lane()
{
    return (int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32);
}
template <typename T> static inline T __shfl_sync(unsigned, T value, int lane, int width = 32)
{
    const int first = try_lane() / width * width;
    return try_shuffle(value, first + lane % width, true);
}
template <typename T>
static inline T __shfl_up_sync(unsigned, T value, unsigned delta, int width = 32)
{
    const int lane = try_lane();
    return try_shuffle(value, lane - (int)delta, lane % width >= (int)delta);
}
template <typename T>
static inline T __shfl_down_sync(unsigned, T value, unsigned delta, int width = 32)
{
    const int lane = try_lane();
    return try_shuffle(value, lane + (int)delta, lane % width + (int)delta < width);
}
template <typename T> static inline T __shfl_xor_sync(unsigned, T value, int mask, int = 32)
{
    return try_shuffle(value, try_lane() ^ mask, true);
}

/* Fibers take turns only where they wait, so nothing comes between an atomic's load and store. */
extern "C" void try_atomic(void *at, size_t bytes);
template <typename T, typename F>
__attribute__((no_sanitize("thread"))) static T try_change(T *at, F change)
{
    try_atomic(at, sizeof(T));
    T before = *at;
    *at = change(before);
    return before;
}
#define TRY_ATOMIC(name, next)                                                                     \
    template <typename T, typename U> static inline T name(T *at, U value)                         \
    {                                                                                              \
        return try_change(at, [=](T old) { return (T)(next); });                                   \
    }
TRY_ATOMIC(atomicAdd, old + (T)value)
TRY_ATOMIC(atomicSub, old - (T)value)
TRY_ATOMIC(atomicMax, old > (T)value ? old : (T)value)
TRY_ATOMIC(atomicMin, old < (T)value ? old : (T)value)
TRY_ATOMIC(atomicExch, (T)value)
TRY_ATOMIC(atomicOr, old | (T)value)
TRY_ATOMIC(atomicAnd, old &(T)value)
template <typename T> static inline T atomicCAS(T *at, T expected, T value)
{
    return try_change(at, [=](T old) { return old == expected ? value : old; });
}

/* ---- launching ---- */

extern "C" void try_run_grid(const unsigned *grid, const unsigned *block, size_t shared,
                             void (*thread)(const void *), const void *arguments);

template <typename... P> struct try_launcher {
    void (*kernel)(P...);
    dim3 grid, block;
    size_t shared;

    template <typename BODY> static void call(const void *body)
    {
        (*(const BODY *)body)();
    }
    void operator()(P... arguments)
    {
        const unsigned blocks[3] = {grid.x, grid.y, grid.z};
        const unsigned threads[3] = {block.x, block.y, block.z};
        void (*run)(P...) = kernel;
        auto body = [&] { run(arguments...); };
        try_run_grid(blocks, threads, shared, call<decltype(body)>, &body);
    }
};
template <typename... P>
static inline try_launcher<P...> try_launch(void (*kernel)(P...), dim3 grid, dim3 block,
                                            size_t shared = 0, cudaStream_t = nullptr)
{
    return {kernel, grid, block, shared};
}

/* ---- the runtime: every call is done when it returns ---- */

#define cudaMemcpyHostToHost cudaMemcpyDeviceToDevice
#define cudaMemcpyDefault    cudaMemcpyDeviceToDevice
enum {
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    cudaFuncAttributePreferredSharedMemoryCarveout
};

template <typename T> static inline cudaError_t cudaMalloc(T **memory, size_t bytes)
{
    return cudaMalloc((void **)memory, bytes);
}
template <typename T>
static inline cudaError_t cudaMallocPitch(T **memory, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + 255) / 256 * 256;
    return cudaMalloc((void **)memory, *pitch * height);
}
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    memset(memory, value, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                                       size_t from_pitch, size_t width, size_t height,
                                       cudaMemcpyKind)
{
    for (size_t y = 0; y < height; y++)
        memcpy((char *)to + y * to_pitch, (const char *)from + y * from_pitch, width);
    return cudaSuccess;
}
template <typename T>
static inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes,
                                             size_t offset = 0,
                                             cudaMemcpyKind = cudaMemcpyHostToDevice)
{
    memcpy((char *)&symbol + offset, from, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}
static inline cudaError_t cudaPeekAtLastError()
{
    return cudaSuccess;
}
template <typename F> static inline cudaError_t cudaFuncSetAttribute(F *, int, int)
{
    return cudaSuccess;
}

#endif
