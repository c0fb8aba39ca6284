/* The column pass of the separable kernel. The sums of the row pass reach it in one of three
 * forms: as bytes, as bytes of 16 rows at a time, or as halves (half precision). */
#ifndef STENCIL_SEPARABLE_COLUMNS_CUH
#define STENCIL_SEPARABLE_COLUMNS_CUH

#include <type_traits>

#include "separable_rows.cuh"

/* Beside the ways of dividing: the sum's upper byte, for halves whose samples need no clamping; the
 * one multiply-add of WHOLE. */
enum { DIVIDE_UPPER = DIVIDE_FINE + 1, DIVIDE_WHOLE };

#if __CUDA_ARCH__ >= 900

/* ---- bytes ---- */

/* The column factor: byte by byte the weights of each block of 8 rows with those of the next one,
 * for the lower two of four bytes and for the upper two. */
template <typename S> struct column_bytes {
    uint4 pairs[S::COLUMN_BYTES][S::BLOCKS];
};

template <typename S>
__device__ inline void load_column(const uint32_t *words, column_bytes<S> &V, uint32_t)
{
    const uint4 *column = (const uint4 *)words + threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < S::BLOCKS * S::COLUMN_BYTES; i++)
        V.pairs[i % S::COLUMN_BYTES][i / S::COLUMN_BYTES] = __ldg(column + i * 32);
}

/* Adds byte BYTE of the sums of group n times a byte of the column factor. The sums stay where they
 * are: the newest block of 8 rows is ring[newest], the oldest the one after it. */
template <typename S, int BYTE, bool A_SIGNED, bool B_SIGNED>
__device__ inline void pass_column(int *sum, const row_sums<S> *ring, int newest, int n,
                                   const uint4 *V, const int *c)
{
#pragma unroll
    for (int b = 0; b < S::BLOCKS; b += 2) {
        const uint32_t *one = BYTE < 2 ? ring[b].low[n] : ring[b].high[n];
        const uint4 &v = V[(b + S::BLOCKS - newest - 1) % S::BLOCKS];
        const uint32_t v0 = BYTE % 2 ? v.z : v.x, v1 = BYTE % 2 ? v.w : v.y;
        if (b + 1 < S::BLOCKS) {
            const uint32_t *two = BYTE < 2 ? ring[b + 1].low[n] : ring[b + 1].high[n];
            product_32<A_SIGNED, B_SIGNED>(sum, one[0], one[1], two[0], two[1], v0, v1,
                                           b == 0 ? c : sum);
        } else {
            product_16<A_SIGNED, B_SIGNED>(sum, one[0], one[1], v0, b == 0 ? c : sum);
        }
    }
}

/* Sums of one group, from start on: P[e] times 256^e. */
template <typename S, int COLUMN_BYTE>
__device__ inline void pass_columns(int (*P)[4], const row_sums<S> *ring, int newest, int n,
                                    const column_bytes<S> &V, const int *start)
{
    constexpr int E = COLUMN_BYTE;
    constexpr bool TOP = E == S::COLUMN_BYTES - 1;
    const int zero[4] = {};
    const uint4 *v = V.pairs[E];

    pass_column<S, 0, false, TOP>(P[E], ring, newest, n, v, E == 0 ? start : P[E]);
    pass_column<S, 1, false, TOP>(P[E + 1], ring, newest, n, v, E == 0 ? zero : P[E + 1]);
    if constexpr (S::HIGH)
        pass_column<S, 2, true, TOP>(P[E + 2], ring, newest, n, v, zero);
    if constexpr (!TOP)
        pass_columns<S, COLUMN_BYTE + 1>(P, ring, newest, n, V, start);
}

/* The mask's sums of one group, from start on. */
template <typename S, int DIVIDE>
__device__ inline void mask_sums(int *s, const row_sums<S> *ring, int newest, int n,
                                 const column_bytes<S> &V, const int *start)
{
    constexpr int TOP = S::SUM_BYTES + S::COLUMN_BYTES - 2;
    int P[TOP + 1][4];
    pass_columns<S, 0>(P, ring, newest, n, V, start);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        s[k] = P[TOP][k];
#pragma unroll
        for (int e = TOP - 1; e >= 0; e--)
            s[k] = P[e][k] + 256 * s[k];
    }
}

/* ---- bytes of 16 rows at a time: no product is by a weight of 0 for the other byte ---- */

/* Of each 16 rows and the next 16: for the 8 output rows that begin with them, and the 8 after. */
template <typename S> struct column_pairs {
    uint2 pairs[2][S::PAIRS];
};

template <typename S>
__device__ inline void load_column(const uint32_t *words, column_pairs<S> &V, uint32_t)
{
    const uint2 *column = (const uint2 *)words + threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 2 * S::PAIRS; i++)
        V.pairs[i / S::PAIRS][i % S::PAIRS] = __ldg(column + i * 32);
}

template <typename S, int BYTE>
__device__ inline void pass_pairs(int *sum, const row_pairs *ring, int newest, int n,
                                  const uint2 *V, const int *start)
{
#pragma unroll
    for (int b = 0; b < S::PAIRS; b += 2) {
        const uint32_t *one = BYTE ? ring[b].high[n] : ring[b].low[n];
        const uint2 &v = V[(b + S::PAIRS - newest - 1) % S::PAIRS];
        if (b + 1 < S::PAIRS) {
            const uint32_t *two = BYTE ? ring[b + 1].high[n] : ring[b + 1].low[n];
            product_32<false, true>(sum, one[0], one[1], two[0], two[1], v.x, v.y,
                                    b == 0 ? start : sum);
        } else {
            product_16<false, true>(sum, one[0], one[1], v.x, b == 0 ? start : sum);
        }
    }
}

/* V is for the first or for the second 8 output rows. */
template <typename S, int DIVIDE>
__device__ inline void mask_sums(int *s, const row_pairs *ring, int newest, int n, const uint2 *V,
                                 const int *start)
{
    const int zero[4] = {};
    int high[4];
    pass_pairs<S, 0>(s, ring, newest, n, V, start);
    pass_pairs<S, 1>(high, ring, newest, n, V, zero);
#pragma unroll
    for (int k = 0; k < 4; k++)
        s[k] += 256 * high[k];
}

/* ---- halves ---- */

#define HALVES_UNIT (1.0f / (1 << 24))

template <typename S> struct column_halves {
    uint2 pairs[S::BLOCKS]; /* of each block of 8 rows and the next one */
    float low[4], high[4];  /* what the products start from */
};

/* `bias`, less than 2^29, is to be added to the mask's sums. */
template <typename S>
__device__ inline void load_column(const uint32_t *words, column_halves<S> &V, uint32_t bias)
{
    const uint2 *column = (const uint2 *)words + threadIdx.x % 32;
    const struct separable_halves *start =
        (const struct separable_halves *)(words + S::BLOCKS * 64);
#pragma unroll
    for (int i = 0; i < S::BLOCKS; i++)
        V.pairs[i] = __ldg(column + i * 32);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        V.low[i] = __ldg(&start->low[i]) + (float)(bias % (1 << S::LOWER_BITS)) * HALVES_UNIT;
        V.high[i] = __ldg(&start->high[i]) + (float)(bias >> S::LOWER_BITS) * HALVES_UNIT;
    }
}

/* The lower or the upper halves of the sums of group n times a column factor. */
template <typename S, bool UPPER>
__device__ inline void pass_halves(float *sum, const row_sums<S> *ring, int newest, int n,
                                   const uint2 *V, const float *start)
{
#pragma unroll
    for (int b = 0; b < S::BLOCKS; b += 2) {
        const uint32_t *one = UPPER ? ring[b].high[n] : ring[b].low[n];
        const uint2 &v = V[(b + S::BLOCKS - newest - 1) % S::BLOCKS];
        if (b + 1 < S::BLOCKS) {
            const uint32_t *two = UPPER ? ring[b + 1].high[n] : ring[b + 1].low[n];
            product_halves_16(sum, one[0], one[1], two[0], two[1], v.x, v.y, b == 0 ? start : sum);
        } else {
            product_halves_8(sum, one[0], one[1], v.x, b == 0 ? start : sum);
        }
    }
}

/* The sums of halves are between two powers of two, so that their bits count them: see
 * halves_start() of kernels/separable_pack.c. */
template <typename S, int DIVIDE>
__device__ inline void mask_sums(int *s, const row_sums<S> *ring, int newest, int n,
                                 const column_halves<S> &V, const int *)
{
    constexpr bool FROM_ZERO = DIVIDE == DIVIDE_UPPER;
    const float zero[4] = {};
    float low[4], high[4];
    pass_halves<S, false>(low, ring, newest, n, V.pairs, FROM_ZERO ? zero : V.low);
    pass_halves<S, true>(high, ring, newest, n, V.pairs, FROM_ZERO ? zero : V.high);
#pragma unroll
    for (int k = 0; k < 4; k++)
        s[k] = (int)(__float_as_uint(low[k]) +
                     __float_as_uint(high[k]) * (S::LOWER_BITS == 8 ? -256u : 1u << S::LOWER_BITS));
}

/* ---- halves, whose mask's sums are one float ---- */

/* The column factor, and 256 times it. */
template <typename S> struct column_whole {
    uint2 low[S::BLOCKS], high[S::BLOCKS];
    float start[4], scale, addend;
};

template <typename S>
__device__ inline void load_column(const uint32_t *words, column_whole<S> &V, uint32_t)
{
    const uint2 *column = (const uint2 *)words + threadIdx.x % 32;
    const struct separable_halves *start =
        (const struct separable_halves *)(words + S::BLOCKS * 128);
#pragma unroll
    for (int i = 0; i < S::BLOCKS; i++) {
        V.low[i] = __ldg(column + i * 32);
        V.high[i] = __ldg(column + (S::BLOCKS + i) * 32);
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        V.start[i] = __ldg(&start->low[i]);
    V.scale = __ldg(&start->high[0]);
    V.addend = __ldg(&start->high[1]);
}

/* Four samples of one group, as mask_sums() has their sums, in the bytes of a word. */
template <typename S>
__device__ inline uint32_t whole_samples(const row_sums<S> *ring, int newest, int n,
                                         const column_whole<S> &V)
{
    float sum[4];
    int q[4];
    pass_halves<S, true>(sum, ring, newest, n, V.high, V.start);
    pass_halves<S, false>(sum, ring, newest, n, V.low, sum);
#pragma unroll
    for (int k = 0; k < 4; k++)
        q[k] = float_quotients(sum[k], V.scale, V.addend);
    return pack_fine(q[0], q[2], q[1], q[3]);
}

/* ---- which of them ---- */

template <typename S>
using column_factor = std::conditional_t<
    S::WHOLE, column_whole<S>,
    std::conditional_t<S::LOWER_BITS != 0, column_halves<S>,
                       std::conditional_t<S::PAIRED, column_pairs<S>, column_bytes<S>>>>;

template <typename S> using ring_sums = std::conditional_t<S::PAIRED, row_pairs, row_sums<S>>;

#endif
#endif
