/* Shared by the row passes of both separable kernels (8 and 16-bit samples): the operands that
 * they load from the staged tile, and their matrix products. */
#ifndef STENCIL_SEPARABLE_PRODUCTS_CUH
#define STENCIL_SEPARABLE_PRODUCTS_CUH

#include "banded.cuh"

#define GROUPS 4 /* of 16 bytes of a row, that are a warp's */

#if __CUDA_ARCH__ >= 900

/* The pieces of 8 staged rows that a warp's products take. Loaded once for each place at which a
 * product may begin, so that it finds its pieces in neighbouring registers: a dense one begins at 0
 * or 2, for groups 0, 2 and 1, 3. */
template <typename S> struct row_window {
    enum : int { STEP = S::SPARSE ? 1 : 2 };
    uint32_t b[GROUPS / STEP][S::PRODUCTS][4];
};

template <typename S> __device__ inline void load_window(uint32_t address, row_window<S> &window)
{
#pragma unroll
    for (int n = 0; n < GROUPS / row_window<S>::STEP; n++)
#pragma unroll
        for (int p = 0; p < S::PRODUCTS; p++)
            load_matrices(window.b[n][p], address + (n + p * S::WINDOW) * BANDED_PIECE);
}

/* Those of product p of group n. */
template <typename S>
__device__ inline const uint32_t *pieces_of(const row_window<S> &window, int n, int p)
{
    constexpr int PLACES = GROUPS / row_window<S>::STEP;
    return window.b[n % PLACES][p] + n / PLACES * 2;
}

/* `at`: where a sparse product's values stand. */
template <bool SPARSE, bool SIGNED>
__device__ inline void row_product(int *sum, const uint4 &a, uint32_t at, const uint32_t *b,
                                   const int *c)
{
    if (SPARSE)
        product_sparse_64<SIGNED>(sum, a, at, b[0], b[1], b[2], b[3], c);
    else
        product_32<SIGNED, false>(sum, a.x, a.y, a.z, a.w, b[0], b[1], c);
}

#endif
#endif
