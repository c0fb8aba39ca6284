/* The instructions that CUDA C has no words for, one function each: matrix loads, matrix stores
 * and matrix products, copies that run beside the threads, packed conversions. A function exists
 * only where the GPU has its instruction; callers ask __CUDA_ARCH__. src/soft/ptx.cuh has
 * the same functions in C++. */
#ifndef STENCIL_PTX_CUH
#define STENCIL_PTX_CUH

#include <cuda.h>
#include <stdint.h>

__device__ inline uint32_t shared_address(const void *shared)
{
    return (uint32_t)__cvta_generic_to_shared(shared);
}

/* ---- matrices in shared memory ---- */

#if __CUDA_ARCH__ >= 900

/* Four matrices of 8 rows of 16 bytes; lane 8i + r points at row r of matrix i. */
__device__ inline void load_matrices(uint32_t *m, uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                 : "r"(address)
                 : "memory");
}

/* The same way back, each matrix transposed as one of 16-bit cells. */
__device__ inline void store_matrices(uint32_t address, const uint32_t *m)
{
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(address),
        "r"(m[0]), "r"(m[1]), "r"(m[2]), "r"(m[3])
        : "memory");
}

#endif

/* ---- products: sum = c + A * B, 16 x 8 sums of a warp, for signed or unsigned bytes ---- */

#if __CUDA_ARCH__ >= 800

#define PTX_PRODUCT(asigned, bsigned, PRODUCT)                                                     \
    do {                                                                                           \
        if constexpr (asigned && bsigned)                                                          \
            PRODUCT("s8", "s8");                                                                   \
        else if constexpr (asigned)                                                                \
            PRODUCT("s8", "u8");                                                                   \
        else if constexpr (bsigned)                                                                \
            PRODUCT("u8", "s8");                                                                   \
        else                                                                                       \
            PRODUCT("u8", "u8");                                                                   \
    } while (0)

/* Over 32 of the inner index. */
template <bool A_SIGNED, bool B_SIGNED>
__device__ inline void product_32(int *sum, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                                  uint32_t b0, uint32_t b1, const int *c)
{
#define PRODUCT(atype, btype)                                                                      \
    asm("mma.sync.aligned.m16n8k32.row.col.s32." atype "." btype                                   \
        ".s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                           \
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])                                   \
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]), "r"(c[2]),   \
          "r"(c[3]))
    PTX_PRODUCT(A_SIGNED, B_SIGNED, PRODUCT);
#undef PRODUCT
}

/* Over 16. */
template <bool A_SIGNED, bool B_SIGNED>
__device__ inline void product_16(int *sum, uint32_t a0, uint32_t a1, uint32_t b0, const int *c)
{
#define PRODUCT(atype, btype)                                                                      \
    asm("mma.sync.aligned.m16n8k16.row.col.s32." atype "." btype                                   \
        ".s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                                       \
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])                                   \
        : "r"(a0), "r"(a1), "r"(b0), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
    PTX_PRODUCT(A_SIGNED, B_SIGNED, PRODUCT);
#undef PRODUCT
}

#endif
#if __CUDA_ARCH__ >= 900

/* Over 64, of each four of which two of A count; `at` says which. B is unsigned. */
template <bool A_SIGNED>
__device__ inline void product_sparse_64(int *sum, const uint4 &a, uint32_t at, uint32_t b0,
                                         uint32_t b1, uint32_t b2, uint32_t b3, const int *c)
{
#define PRODUCT(atype, btype)                                                                      \
    asm("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32." atype "." btype              \
        ".s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, 0x0;"         \
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])                                   \
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1), "r"(b2), "r"(b3), "r"(c[0]),   \
          "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(at))
    PTX_PRODUCT(A_SIGNED, false, PRODUCT);
#undef PRODUCT
}

#endif

#if __CUDA_ARCH__ >= 800

/* sum = c + A * B over 16 or 8 of the inner index, of halves, two in a word: whole numbers stay
 * exact up to 2^24. */
__device__ inline void product_halves_16(float *sum, uint32_t a0, uint32_t a1, uint32_t a2,
                                         uint32_t a3, uint32_t b0, uint32_t b1, const float *c)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(c[0]), "f"(c[1]), "f"(c[2]),
          "f"(c[3]));
}

__device__ inline void product_halves_8(float *sum, uint32_t a0, uint32_t a1, uint32_t b0,
                                        const float *c)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%7,%8,%9,%10};"
        : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
        : "r"(a0), "r"(a1), "r"(b0), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}

#endif

/* sum + four cells times four weights. */
template <bool SIGNED>
__device__ inline int product_bytes(uint32_t cells, uint32_t weights, int sum)
{
    int d;
    if (SIGNED)
        asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(cells), "r"(weights), "r"(sum));
    else
        asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(cells), "r"(weights), "r"(sum));
    return d;
}

/* 1 / x within 2^-23 of itself; of 0 infinity. */
__device__ inline float reciprocal(float x)
{
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

/* ---- copies that run beside the threads ---- */

#if __CUDA_ARCH__ >= 900

/* A barrier for one arrival, and for the bytes that are then expected. */
__device__ inline void barrier_init(uint64_t *barrier)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}

__device__ inline void barrier_expect(uint64_t *barrier, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

/* All of phase 0, 1, 0, ... has arrived. */
#define PTX_BARRIER_WAIT(phase)                                                                    \
    "{\n"                                                                                          \
    ".reg .pred done;\n"                                                                           \
    "again: mbarrier.try_wait.parity.shared.b64 done, [%0], " phase ";\n"                          \
    "@!done bra again;\n"                                                                          \
    "}"
__device__ inline void barrier_wait(uint64_t *barrier, int phase)
{
    asm volatile(PTX_BARRIER_WAIT("%1")::"r"(shared_address(barrier)), "r"(phase) : "memory");
}

/* The same for a barrier of a single phase. */
__device__ inline void barrier_wait_once(uint64_t *barrier)
{
    asm volatile(PTX_BARRIER_WAIT("0")::"r"(shared_address(barrier)) : "memory");
}

/* Ordinary writes to shared memory (and barriers made) come before what copies see. */
__device__ inline void copies_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Bytes, source and destination are multiples of 16. */
__device__ inline void copy_in(void *shared, const void *global, int bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

__device__ inline void copy_out(void *global, const void *shared, int bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global),
                 "r"(shared_address(shared)), "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* A box of 32-bit words that begins at word x of row y; what lies outside the tensor comes as 0. */
__device__ inline void copy_box_in(const CUtensorMap *map, uint8_t *shared, int x, int y,
                                   uint64_t *barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(shared)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(barrier))
                 : "memory");
}

/* The same box to the L2 cache, for whoever copies it later. */
__device__ inline void prefetch_box(const CUtensorMap *map, int x, int y)
{
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map),
                 "r"(x), "r"(y));
}

__device__ inline void copy_box_out(const CUtensorMap *map, uint32_t shared, int x, int y)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
        "r"(shared), "r"(x), "r"(y)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/* What this thread sent has been read from shared memory. */
__device__ inline void copies_wait_sent()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

#endif
#if __CUDA_ARCH__ >= 800

/* 16 bytes to shared memory; a thread waits for its own. */
__device__ inline void copy_16(void *shared, const void *global)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)),
                 "l"(global)
                 : "memory");
}

__device__ inline void copies_16_wait()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

#endif

/* ---- packing, clamped ---- */

/* above << 16 | high << 8 | low, as bytes */
__device__ inline uint32_t pack_bytes(int high, int low, uint32_t above)
{
    uint32_t pair;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(pair) : "r"(high), "r"(low), "r"(above));
    return pair;
}

__device__ inline uint32_t pack_shorts(int high, int low)
{
    uint32_t pair;
    asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(pair) : "r"(high), "r"(low));
    return pair;
}

#endif
