/* The banded kernel's products for small gray masks. A window of 16 neighbouring gray outputs
 * has few useful cells in its second piece of 16 bytes; so one product makes two columns of 8
 * rows instead.
 *
 *    A   2 columns x 8 rows of outputs  x  some words (4 cells) of 8, 12 or 16 rows
 *    B   those words  x  8 pieces of 16 bytes, side by side: a warp's 128 bytes
 *    A*B bytes 0, 1 of each piece; the same words with other weights make bytes 2, 3; and so on
 *
 * Lane (g, t) holds the words of piece g in rows t, 4 + t, ... of B: it loads whole pieces, and
 * the first words of the next one. It receives both columns of row g for the pieces 2t and
 * 2t + 1: after eight products (or sets of products) these are two whole pieces. */
#ifndef STENCIL_BANDED_GRAY_CUH
#define STENCIL_BANDED_GRAY_CUH

#include "banded.cuh"

/* Words for the first and for the last two columns of each four; 4 * DOWN rows for 8. */
template <int FIRST, int LAST, int DOWN, int PLANES> struct gray {
    enum : int {
        SAMPLE = 1,
        WEIGHT_PLANES = PLANES,
        LIGHT = PLANES == 1 && DOWN == 3,
        STAGED_WEIGHTS = false,
        RESIDENT = LIGHT                      ? 8
                   : DOWN == 3 || PLANES == 1 ? 4
                                              : 3,
    };
#if __CUDA_ARCH__ >= 900
    uint4 first[banded_gray_products(FIRST, DOWN)][PLANES];
    uint4 last[banded_gray_products(LAST, DOWN)][PLANES];

    __device__ inline void load(const struct banded_args &args)
    {
        constexpr int N = banded_gray_products(FIRST, DOWN) * PLANES;
        const uint4 *A = (const uint4 *)args.job.fragments + threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < N; i++)
            first[i / PLANES][i % PLANES] = A[i * 32];
#pragma unroll
        for (int i = 0; i < banded_gray_products(LAST, DOWN) * PLANES; i++)
            last[i / PLANES][i % PLANES] = A[(N + i) * 32];
    }

    /* sum = c + one plane's products, with the words from j on. */
    template <int WORDS, int PLANE>
    __device__ static inline void add(int *sum, const uint4 (*a)[PLANES],
                                      const uint32_t (*word)[3 + LAST], int j, const int *c)
    {
        constexpr bool SIGNED = PLANE == PLANES - 1;
#pragma unroll
        for (int i = 0; i < WORDS * DOWN; i += 2, c = sum) {
            const uint4 &v = a[i / 2][PLANE];
            const uint32_t b =
                word[banded_gray_down(WORDS, DOWN, i)][j + banded_gray_word(WORDS, DOWN, i)];
            if (i + 1 < WORDS * DOWN)
                product_32<SIGNED, false>(sum, v.x, v.y, v.z, v.w, b,
                                          word[banded_gray_down(WORDS, DOWN, i + 1)]
                                              [j + banded_gray_word(WORDS, DOWN, i + 1)],
                                          c);
            else
                product_16<SIGNED, false>(sum, v.x, v.y, b, c);
        }
    }

    template <int WORDS>
    __device__ static inline void sums(int *sum, const uint4 (*a)[PLANES],
                                       const uint32_t (*word)[3 + LAST], int j, const int *start)
    {
        if constexpr (PLANES == 1) {
            add<WORDS, 0>(sum, a, word, j, start);
        } else {
            int from[4] = {};
            add<WORDS, 1>(from, a, word, j, from);
#pragma unroll
            for (int k = 0; k < 4; k++)
                from[k] = (int)(256 * (uint32_t)from[k] + (uint32_t)start[k]);
            add<WORDS, 0>(sum, a, word, j, from);
        }
    }

    /* A warp's samples of 128 bytes x 8 rows: of row g piece 2t, then piece 2t + 1. */
    template <int DIVIDE>
    __device__ inline void filter(const struct banded_args &args, const uint8_t *window,
                                  const uint4 *, const int *start, uint32_t *piece) const
    {
        const int lane = threadIdx.x % 32;
        uint32_t word[DOWN][3 + LAST];

        window += lane % 4 * args.shape.pitch + lane / 4 * BANDED_PIECE;
#pragma unroll
        for (int i = 0; i < DOWN; i++) {
            const uint8_t *row = window + 4 * i * args.shape.pitch;
            const uint4 own = *(const uint4 *)row;
            word[i][0] = own.x;
            word[i][1] = own.y;
            word[i][2] = own.z;
            word[i][3] = own.w;
            if (LAST == 2) {
                word[i][4] = *(const uint32_t *)(row + BANDED_PIECE);
            } else {
                const uint2 next = *(const uint2 *)(row + BANDED_PIECE);
                word[i][4] = next.x;
                word[i][2 + LAST] = next.y;
            }
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int one[4], two[4];
            sums<FIRST>(one, first, word, j, start);
            sums<LAST>(two, last, word, j, start);
#pragma unroll
            for (int h = 0; h < 2; h++)
                piece[4 * h + j] =
                    divided_word<DIVIDE>(args.divide, one[h], one[h + 2], two[h], two[h + 2]);
        }
    }

    /* Pieces lie in a row as the copy to the output wants them. */
    __device__ static inline void store(uint8_t *P_ds, const uint32_t *piece)
    {
        const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
        for (int h = 0; h < 2; h++)
            *(uint4 *)(P_ds + g * 128 + ((2 * t + h) ^ g) * 16) =
                make_uint4(piece[4 * h], piece[4 * h + 1], piece[4 * h + 2], piece[4 * h + 3]);
    }
#endif
};

#endif
