/* The row pass of the separable kernel: a warp's sums over 8 staged rows, and the form in which
 * they go to the column pass. */
#ifndef STENCIL_SEPARABLE_ROWS_CUH
#define STENCIL_SEPARABLE_ROWS_CUH

#include "separable_products.cuh"

/* What a kernel is compiled for: see struct separable_shape. */
template <int products, bool sparse, int blocks, int row_bytes, int sum_bytes, int column_bytes,
          int lower_bits, bool row_signed, bool whole, bool light>
struct sizes {
    enum : int {
        PRODUCTS = products,
        SPARSE = sparse,
        BLOCKS = blocks,
        ROW_BYTES = row_bytes,
        SUM_BYTES = sum_bytes,
        COLUMN_BYTES = column_bytes,
        LOWER_BITS = lower_bits,
        WHOLE = whole,
        SIGNED = row_signed,     /* a row factor of one byte: is it? */
        WINDOW = sparse ? 4 : 2, /* pieces of a product */
        LIGHT = light,           /* the tile comes at once, not in two halves */
        PITCH = banded_pitch(light ? BANDED_TILE_BYTES : SEPARABLE_TILE_BYTES, products *WINDOW),
        HIGH = sum_bytes == 3,                           /* two words of sums, not one */
        PAIRED = separable_is_paired(sum_bytes, blocks), /* rows go on by 16, see row_pairs */
        PAIRS = (blocks + 1) / 2,
        /* rows that leave at a time */
        SENT = light ? SEPARABLE_LIGHT_ROWS
                     : separable_tile_rows(row_bytes, sum_bytes, lower_bits, blocks, whole) / 2,
        /* What a thread keeps in registers, and how many blocks of threads then fit a
         * multiprocessor. */
        SUMS = PAIRED ? PAIRS * 16 : blocks * GROUPS * 2 * (HIGH ? 2 : 1),
        COLUMN = lower_bits ? blocks * 2
                 : PAIRED   ? PAIRS * 4
                            : blocks * column_bytes * 4,
        REGISTERS = (lower_bits       ? 42
                     : HIGH || PAIRED ? 46
                                      : 34) +
                    SUMS + COLUMN + products * row_bytes * 5 + products * 8,
        RESIDENT = light              ? 4
                   : REGISTERS <= 66  ? 8
                   : REGISTERS <= 80  ? 6
                   : REGISTERS <= 96  ? 5
                   : REGISTERS <= 128 ? 4
                                      : 3,
    };
};

#if __CUDA_ARCH__ >= 900

/* The row factor: the matrices of its products, by byte, and where the sparse ones' values stand.
 */
template <typename S> struct row_factor {
    uint4 a[S::PRODUCTS][S::ROW_BYTES];
    uint32_t at[S::PRODUCTS][S::ROW_BYTES];
};

/* What makes halves of sums: see struct separable_halves. A half's bits are a whole number of 2^-24
 * up to 2047: below 1024 it is not normalised. */
struct halves_start {
    int sums[4];
    uint32_t exponents;
};

/* Sums of a row pass over 8 rows, of output bytes 2g and 2g + 1 of each group. In bytes: 0 and 1 of
 * those for rows 2t and 2t + 1; and bytes 2 and 3. In halves: the lower ones of both rows; and the
 * upper ones. */
template <typename S> struct row_sums {
    uint32_t low[GROUPS][2], high[S::HIGH ? GROUPS : 1][2];
};

/* Sums of two bytes over 16 rows: bytes 0 of those for rows 2t, 2t + 1, 2t + 8 and 2t + 9; and
 * bytes 1. */
struct row_pairs {
    uint32_t low[GROUPS][2], high[GROUPS][2];
};

template <typename S> __device__ inline void load_row(const void *fragments, row_factor<S> &H)
{
    const uint4 *matrices = (const uint4 *)fragments + threadIdx.x % 32;
    const uint32_t *places =
        (const uint32_t *)fragments + S::PRODUCTS * S::ROW_BYTES * 128 + threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < S::PRODUCTS * S::ROW_BYTES; i++) {
        H.a[i / S::ROW_BYTES][i % S::ROW_BYTES] = __ldg(matrices + i * 32);
        H.at[i / S::ROW_BYTES][i % S::ROW_BYTES] = S::SPARSE ? __ldg(places + i * 32) : 0;
    }
}

__device__ inline void load_start(const uint32_t *words, halves_start &start)
{
    const struct separable_halves *halves = (const struct separable_halves *)words;
    for (int i = 0; i < 4; i++)
        start.sums[i] = (int)__ldg(&halves->sums[i]);
    start.exponents = halves->exponents[0];
}

template <typename S, bool SIGNED>
__device__ inline void row_product(int *sum, const row_factor<S> &H, int p, int byte,
                                   const uint32_t *b, const int *c)
{
    row_product<S::SPARSE != 0, SIGNED>(sum, H.a[p][byte], H.at[p][byte], b, c);
}

/* Two sums as they go on. */
template <typename S>
__device__ inline void split_sums(int first, int second, const halves_start &start, uint32_t &low,
                                  uint32_t &high)
{
    if (S::LOWER_BITS == 8) { /* byte 3 is 0 */
        low = __byte_perm(first, second, 0x7430);
        high = __byte_perm(first, second, 0x6521);
    } else if (S::LOWER_BITS == 10) {
        low = (__byte_perm(first, second, 0x5410) & 0x03ff03ff) | start.exponents;
        high = __byte_perm(64 * first + start.sums[0], 64 * second + start.sums[0], 0x7632);
    } else {
        low = __byte_perm(first, second, 0x5140);
        if (S::HIGH)
            high = __byte_perm(first, second, 0x7362);
    }
}

/* The row pass over 8 staged rows. */
template <typename S>
__device__ inline void pass_rows(uint32_t address, const row_factor<S> &H,
                                 const halves_start &start, row_sums<S> &sums)
{
    constexpr int TOP = S::ROW_BYTES - 1;
    const int zero[4] = {}, *begin = S::LOWER_BITS == 8 ? start.sums : zero;
    row_window<S> window;

    load_window(address, window);
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
        int sum[S::ROW_BYTES][4];
#pragma unroll
        for (int p = 0; p < S::PRODUCTS; p++) {
            const uint32_t *b = pieces_of(window, n, p);
            if (S::ROW_BYTES == 2)
                row_product<S, false>(sum[0], H, p, 0, b, p == 0 ? zero : sum[0]);
            row_product<S, S::SIGNED || S::ROW_BYTES == 2>(sum[TOP], H, p, TOP, b,
                                                           p == 0 ? begin : sum[TOP]);
        }
#pragma unroll
        for (int m = 0; m < 2; m++) {
            int first = sum[0][2 * m], second = sum[0][2 * m + 1];
            if (S::ROW_BYTES == 2) {
                first += 256 * sum[TOP][2 * m];
                second += 256 * sum[TOP][2 * m + 1];
            }
            split_sums<S>(first, second, start, sums.low[n][m], sums.high[S::HIGH ? n : 0][m]);
        }
    }
}

/* The same over 16 rows. */
template <typename S>
__device__ inline void pass_row_pairs(uint32_t address, const row_factor<S> &H, row_pairs &sums)
{
    const halves_start none = {};
    row_sums<S> first, second;
    pass_rows<S>(address, H, none, first);
    pass_rows<S>(address + 8 * S::PITCH, H, none, second);
#pragma unroll
    for (int i = 0; i < GROUPS * 2; i++) {
        const uint32_t one = first.low[i / 2][i % 2], two = second.low[i / 2][i % 2];
        sums.low[i / 2][i % 2] = __byte_perm(one, two, 0x5410);
        sums.high[i / 2][i % 2] = __byte_perm(one, two, 0x7632);
    }
}

#endif
#endif
