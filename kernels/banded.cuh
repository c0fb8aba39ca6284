/* What the banded kernel is made of: matrices from and to shared memory, matrix
 * products, tensor copies, ghost cells. Hopper and later; elsewhere
 * only the host's half is there. */
#ifndef STENCIL_BANDED_CUH
#define STENCIL_BANDED_CUH

#include <cuda.h>

#include "banded_window.h"
#include "image_rows.cuh"
#include "sample_divide.cuh"

#define BANDED_THREADS   (BANDED_TILE_BYTES / 128 * 32) /* a warp takes 128 bytes of all rows */
#define BANDED_OUT_BYTES (BANDED_TILE_BYTES * BANDED_TILE_ROWS)

/* ---- a launch ---- */

/* A tile: its column and row among the tiles. */
struct banded_tile {
    int x, y;
};

struct banded_args {
    CUtensorMap in, out;
    struct image_job job;
    struct banded_shape shape;
    struct sample_divide divide;
    int in_pad, out_pad;                     /* bytes of the first row's 16 before the picture */
    int first_byte;                          /* of the window of the tensor's byte 0 */
    int across, down;                        /* tiles side by side, one below the other */
    struct banded_tile inner_from, inner_to; /* tiles in [from, to) have no ghost cells */
};

static BOTH_SIDES inline int banded_stage_bytes(const struct banded_shape *s)
{
    return (s->pitch * s->rows + 127) / 128 * 128; /* where tensor copies may begin */
}

#if __CUDA_ARCH__ >= 900

/* ---- matrices ---- */

__device__ inline uint32_t shared_address(const void *shared)
{
    return (uint32_t)__cvta_generic_to_shared(shared);
}

/* Four matrices of 8 rows of 16 bytes; lane 8i + r points at row r of matrix i. */
__device__ inline void load_matrices(uint32_t *m, uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                 : "r"(address)
                 : "memory");
}

__device__ inline void store_matrices(uint32_t address, const uint32_t *m)
{
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(address),
        "r"(m[0]), "r"(m[1]), "r"(m[2]), "r"(m[3])
        : "memory");
}

/* sum = c + A * B with 32 window bytes, for signed or unsigned weights. */
template <bool SIGNED>
__device__ inline void product_dense(int *sum, const uint4 &a, uint32_t b0, uint32_t b1,
                                     const int *c)
{
#define PRODUCT(type)                                                                              \
    asm("mma.sync.aligned.m16n8k32.row.col.s32." type                                              \
        ".u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"                        \
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])                                   \
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]),          \
          "r"(c[2]), "r"(c[3]))
    if (SIGNED)
        PRODUCT("s8");
    else
        PRODUCT("u8");
#undef PRODUCT
}

/* The same with 16 window bytes. */
template <bool SIGNED>
__device__ inline void product_half(int *sum, const uint4 &a, uint32_t b0, const int *c)
{
#define PRODUCT(type)                                                                              \
    asm("mma.sync.aligned.m16n8k16.row.col.s32." type                                              \
        ".u8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                                    \
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])                                   \
        : "r"(a.x), "r"(a.y), "r"(b0), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))
    if (SIGNED)
        PRODUCT("s8");
    else
        PRODUCT("u8");
#undef PRODUCT
}

/* The same with 64 window bytes, of each four of which two count; `at` says which. */
template <bool SIGNED>
__device__ inline void product_sparse(int *sum, const uint4 &a, uint32_t at, uint32_t b0,
                                      uint32_t b1, uint32_t b2, uint32_t b3, const int *c)
{
#define PRODUCT(type)                                                                              \
    asm("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32." type                         \
        ".u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, 0x0;"      \
        : "=r"(sum[0]), "=r"(sum[1]), "=r"(sum[2]), "=r"(sum[3])                                   \
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1), "r"(b2), "r"(b3), "r"(c[0]),   \
          "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(at))
    if (SIGNED)
        PRODUCT("s8");
    else
        PRODUCT("u8");
#undef PRODUCT
}

/* ---- tensor copies ---- */

/* What `bytes` of copies will arrive at. */
__device__ inline void arrival_init(uint64_t *barrier, int bytes)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

/* All of it has arrived. */
__device__ inline void arrival_wait(uint64_t *barrier)
{
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(shared_address(barrier))
                 : "memory");
}

/* What this thread sent has been read from shared memory. */
__device__ inline void departure_wait()
{
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

__device__ inline void copy_bytes_in(const void *from, void *shared, int bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(shared)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
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

__device__ inline void copy_box_out(const CUtensorMap *map, uint32_t shared, int x, int y)
{
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(map),
        "r"(shared), "r"(x), "r"(y)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

#endif
#endif
