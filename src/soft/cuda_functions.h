/* CUDA's vectors, places and functions for device code, for a C++ compiler: what a kernel's source
 * needs on either software GPU (soft/threads.h). */
#ifndef STENCIL_CUDA_FUNCTIONS_H
#define STENCIL_CUDA_FUNCTIONS_H

#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <cmath>

#include "soft/threads.h"

/* ---- vectors and places ---- */

struct alignas(8) int2 {
    int x, y;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
static inline uint2 make_uint2(unsigned x, unsigned y)
{
    return {x, y};
}
static inline int2 make_int2(int x, int y)
{
    return {x, y};
}
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return {x, y, z, w};
}

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z)
    {
    }
};

#define threadIdx soft_thread_index
#define blockIdx  soft_block_index
#define blockDim  soft_block_size
#define gridDim   soft_grid_size

/* ---- functions ---- */

#define __syncthreads() soft_block_wait_at(__LINE__)
#define __syncwarp()    soft_warp_wait()

template <typename T> static inline T __ldg(const T *p)
{
    return *p;
}

static inline size_t __cvta_generic_to_shared(const void *p)
{
    return soft_shared_address(p);
}

static inline int min(int a, int b)
{
    return a < b ? a : b;
}
static inline int max(int a, int b)
{
    return a > b ? a : b;
}
static inline unsigned min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static inline int __mulhi(int a, int b)
{
    return (int)((int64_t)a * b >> 32);
}
static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}

/* Two 16-bit cells times the two lower or upper bytes. */
static inline unsigned __dp2a_lo(unsigned cells, unsigned bytes, unsigned sum)
{
    return sum + (cells & 65535) * (bytes & 255) + (cells >> 16) * (bytes >> 8 & 255);
}
static inline unsigned __dp2a_hi(unsigned cells, unsigned bytes, unsigned sum)
{
    return __dp2a_lo(cells, bytes >> 16, sum);
}

template <typename TO, typename FROM> static inline TO soft_bits(FROM from)
{
    TO to;
    static_assert(sizeof to == sizeof from);
    memcpy(&to, &from, sizeof to);
    return to;
}
static inline unsigned __float_as_uint(float value)
{
    return soft_bits<unsigned>(value);
}
static inline int __float_as_int(float value)
{
    return soft_bits<int>(value);
}
static inline float __int_as_float(int bits)
{
    return soft_bits<float>(bits);
}
static inline double __hiloint2double(int high, int low)
{
    return soft_bits<double>((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}
static inline int __double2loint(double value)
{
    return (int)(uint32_t)soft_bits<uint64_t>(value);
}
static inline float __saturatef(float value)
{
    return value > 0 ? value < 1 ? value : 1 : 0;
}

/* Multiply-add, rounded down. */
template <typename T> static inline T soft_fma_down(T a, T b, T c)
{
    const int before = fegetround();
    volatile T x = a, result;
    fesetround(FE_DOWNWARD);
    result = std::fma(x, b, c);
    fesetround(before);
    return result;
}
static inline double __fma_rd(double a, double b, double c)
{
    return soft_fma_down(a, b, c);
}
static inline float __fmaf_rd(float a, float b, float c)
{
    return soft_fma_down(a, b, c);
}

/* Selects four of the eight bytes of b:a; a selector's top bit asks for copies of the sign. */
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    const uint64_t both = (uint64_t)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned s = selector >> 4 * i & 15, byte = (unsigned)(both >> 8 * (s & 7)) & 255;
        result |= (s & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * i;
    }
    return result;
}

/* The less and the greater of four bytes, of two halves. */
static inline unsigned __vminu4(unsigned a, unsigned b)
{
    unsigned result = 0;
    for (int i = 0; i < 32; i += 8)
        result |= min(a >> i & 255, b >> i & 255) << i;
    return result;
}
static inline unsigned __vminu2(unsigned a, unsigned b)
{
    return min(a >> 16, b >> 16) << 16 | min(a & 65535, b & 65535);
}
static inline unsigned __vmaxu2(unsigned a, unsigned b)
{
    return a - __vminu2(a, b) + b; /* no half borrows */
}

/* max(min(a + b, c), 0) of two halves with a sign. */
static inline unsigned __viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c)
{
    unsigned result = 0;
    for (int i = 0; i < 32; i += 16) {
        int sum = (int16_t)((a >> i) + (b >> i)), most = (int16_t)(c >> i);
        result |= (unsigned)max(min(sum, most), 0) << i;
    }
    return result;
}

static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}

static inline int __popc(unsigned a)
{
    return __builtin_popcount(a);
}

static inline int __ffs(int a)
{
    return __builtin_ffs(a);
}

static inline unsigned __ballot_sync(unsigned, int is)
{
    uint32_t mine = is != 0;
    soft_words *all = soft_exchange(&mine, 1);
    unsigned lanes = 0;
    for (int i = 0; i < 32; i++)
        lanes |= all[i][0] << i;
    return lanes;
}

static inline int __syncthreads_or(int value)
{
    static int any;
    soft_block_wait();
    any = 0;
    soft_block_wait();
    any |= value != 0;
    soft_block_wait();
    return any;
}

static inline int __reduce_add_sync(unsigned, int value)
{
    uint32_t mine = (uint32_t)value, sum = 0;
    soft_words *all = soft_exchange(&mine, 1);
    for (int i = 0; i < 32; i++)
        sum += all[i][0];
    return (int)sum;
}

#endif
