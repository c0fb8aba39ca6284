/* How the separable kernel lays the two factors of a mask over a tile: the sizes on which its
 * packer (kernels/separable_pack.c) and the kernel must agree. C17 and CUDA C. */
#ifndef STENCIL_SEPARABLE_WINDOW_H
#define STENCIL_SEPARABLE_WINDOW_H

#include "banded_window.h"

#define SEPARABLE_TILE_BYTES 256

/* Light masks have up to so many rows, and their tiles, BANDED_TILE_BYTES wide and so many rows
 * high, come and leave at once. */
#define SEPARABLE_LIGHT_MASK 7
#define SEPARABLE_LIGHT_ROWS 48

/* The forms in which the numbers are taken. The first ones say how many bytes the row factor, its
 * sums and the column factor have: the last byte of each is signed, the others are not; only sums
 * of two bytes are all unsigned. The next ones take sums as two halves (numbers of half precision),
 * and the column factor as one half; their names say the bytes of the row factor and the bits of
 * the lower half. The upper half has 10 bits. A row factor of one byte is signed with 8 bits and
 * where its name says so. UPPER is like HALVES with 10 bits, for masks whose samples are the upper
 * byte of a sum: factors without negative weights that add up to powers of two, such as those of
 * --sigma. WHOLE is like HALVES_1_8, for masks for which one float holds every sum. */
enum separable_form {
    SEPARABLE_1_2_1,
    SEPARABLE_1_3_1,
    SEPARABLE_2_3_2,
    SEPARABLE_HALVES_1_8,
    SEPARABLE_HALVES_1_10,
    SEPARABLE_HALVES_SIGNED_10,
    SEPARABLE_HALVES_2_10,
    SEPARABLE_WHOLE,
    SEPARABLE_UPPER_1,
    SEPARABLE_UPPER_2,
    SEPARABLE_NONE, /* they take more */
};

/* Behind the packed factors, where sums go on as halves. Each value stands there four times,
 * because products start from four sums: if a compiler knew that the four registers are equal, it
 * would keep one and copy it before each product. */
struct separable_halves {
    /* The values from which the products of the lower and of the upper halves start. WHOLE: `low`
     * is the value from which both start; `high` holds the factor and the addend of a sum. */
    float low[4], high[4];
    /* Added to sums (8 bits) or 64 sums (10 bits), the upper half is among the bits. */
    uint32_t sums[4];
    uint32_t exponents[4]; /* of two lower halves of 10 bits */
};

/* A half holds a whole number up to this, also in units of 2^-24. */
#define HALF_MOST 2048

/* A weight of up to 2048 times 2^scale as a half. */
static inline BOTH_SIDES uint32_t separable_half(int weight, int scale)
{
    uint32_t v = (uint32_t)(weight < 0 ? -weight : weight);
    int exponent = 25 + scale;
    if (v == 0)
        return 0;
    for (; v >= HALF_MOST; v /= 2)
        exponent++;
    for (; v < 1024 && exponent > 1; v *= 2)
        exponent--;
    /* below 1024: not normalised, in units of 2^-24 */
    return (weight < 0 ? 1u << 15 : 0) | (v < 1024 ? v : (uint32_t)exponent << 10 | (v & 1023));
}

struct separable_shape {
    struct banded_shape stage; /* the tile as it is staged; one row of the mask, in pieces */
    /* Products that a row of the mask takes, and whether they are sparse ones over 4 pieces or
     * dense ones over 2. 0: the mask is too wide or too high. */
    int products, sparse;
    int blocks; /* of 8 rows: a column of the mask over 8 output rows */
    int row_bytes, sum_bytes, column_bytes;
    int lower_bits; /* of sums as halves; 0: they are bytes */
    int upper, whole;
    int light; /* the tile comes at once, not in two halves: see SEPARABLE_LIGHT_MASK */
};

/* Do rows of sums go on 16 at a time, so that a product takes one byte of four rows in place of two
 * bytes of two? It takes more permutations, and pays where there are more than two blocks. */
static inline BOTH_SIDES CONSTANT int separable_is_paired(int sum_bytes, int blocks)
{
    return sum_bytes == 2 && blocks > 2;
}

/* Output rows of a tile, in two halves. Where sums take the time, more: they are made again for the
 * rows between tiles. (Of 10 bits and one byte, 128 rows spill registers.) */
static inline BOTH_SIDES CONSTANT int separable_tile_rows(int row_bytes, int sum_bytes,
                                                          int lower_bits, int blocks, int whole)
{
    const int most = lower_bits == 10 && row_bytes == 1 ? 112 : 128;
    const int halves = blocks == 5 ? most : blocks == 3 ? 112 : whole ? 80 : 96;
    return lower_bits ? halves : separable_is_paired(sum_bytes, blocks) ? 96 : 64;
}

/* Sums that take less time than their tile, where the row pass is one dense product. */
static inline BOTH_SIDES CONSTANT int separable_is_light(int sum_bytes, int whole)
{
    return sum_bytes == 2 || whole;
}

/* Which sums as halves are also divided where DOUBLE may not do, see sample_divide_fine(): divisors
 * past 2^22 take factors that add up to more than 2048. */
static inline BOTH_SIDES CONSTANT int separable_has_fine(int lower_bits, int row_bytes, int blocks)
{
    return lower_bits == 10 && row_bytes == 1 && blocks == 5;
}

static inline struct separable_shape separable_shape_of(int width, int height, int channels,
                                                        enum separable_form form, int pad)
{
    static const struct {
        int products, sparse, blocks;
    } sizes[] = {{1, 0, 2}, {1, 0, 3}, {1, 1, 2}, {1, 1, 3}, {2, 0, 5}, {2, 1, 5}};
    struct separable_shape s;
    int pieces = (pad + 16 + channels * (width - 1) + BANDED_PIECE - 1) / BANDED_PIECE;
    int blocks = (height + 7 + 7) / 8, i = 0;

    /* a gray row has no zeros between the weights */
    while (i < 6 && (sizes[i].products * (sizes[i].sparse ? 4 : 2) < pieces ||
                     sizes[i].blocks < blocks || (sizes[i].sparse && channels == 1)))
        i++;
    s.products = i < 6 ? sizes[i].products : 0;
    s.sparse = i < 6 && sizes[i].sparse;
    s.blocks = i < 6 ? sizes[i].blocks : 0;
    s.upper = form == SEPARABLE_UPPER_1 || form == SEPARABLE_UPPER_2;
    s.whole = form == SEPARABLE_WHOLE;
    s.lower_bits = form == SEPARABLE_HALVES_1_8 || s.whole ? 8
                   : form >= SEPARABLE_HALVES_1_10         ? 10
                                                           : 0;
    s.row_bytes =
        form == SEPARABLE_2_3_2 || form == SEPARABLE_HALVES_2_10 || form == SEPARABLE_UPPER_2 ? 2
                                                                                              : 1;
    s.column_bytes = form == SEPARABLE_2_3_2 ? 2 : 1;
    s.sum_bytes = form == SEPARABLE_1_2_1 ? 2 : 3;
    s.stage = banded_shape_of(width, 1, channels, 1, 1, pad);
    s.stage.pieces = s.products * (s.sparse ? 4 : 2);
    s.light = s.products == 1 && !s.sparse && s.blocks == 2 && height <= SEPARABLE_LIGHT_MASK &&
              separable_is_light(s.sum_bytes, s.whole);
    s.stage.tile_bytes = s.light ? BANDED_TILE_BYTES : SEPARABLE_TILE_BYTES;
    s.stage.pitch = banded_pitch(s.stage.tile_bytes, s.stage.pieces);
    if (s.light) {
        s.stage.tile_rows = SEPARABLE_LIGHT_ROWS;
        s.stage.copied_rows = s.stage.needed_rows = SEPARABLE_LIGHT_ROWS + height - 1;
        s.stage.more_rows = 0;
        s.stage.rows = SEPARABLE_LIGHT_ROWS + 8;
        return s;
    }
    /* The first half with all rows that its products take, the second what outputs need of the
     * others: rows that are not copied are multiplied by 0. */
    s.stage.tile_rows =
        separable_tile_rows(s.row_bytes, s.sum_bytes, s.lower_bits, s.blocks, s.whole);
    s.stage.copied_rows = s.stage.tile_rows / 2 + 8 * (s.blocks - 1);
    s.stage.needed_rows = s.stage.tile_rows + height - 1;
    s.stage.more_rows = s.stage.needed_rows > s.stage.copied_rows
                            ? s.stage.needed_rows - s.stage.copied_rows
                            : 1; /* no tensor has boxes of none */
    s.stage.rows = s.stage.tile_rows + 8 * (s.blocks - 1);
    return s;
}

/* Packed weights: for each product and byte of the row factor 16 bytes a lane; where the sparse
 * ones' values stand, 4 bytes a lane; for each block and byte of the column factor 16 bytes a lane;
 * or for each two blocks 16; or 8, twice for WHOLE, and behind them a struct separable_halves.
 * Words: */
static inline BOTH_SIDES int separable_place_words(const struct separable_shape *s)
{
    return s->products * s->row_bytes * 128;
}

static inline BOTH_SIDES int separable_column_words(const struct separable_shape *s)
{
    return s->products * s->row_bytes * (s->sparse ? 160 : 128);
}

static inline BOTH_SIDES int separable_fragment_bytes(const struct separable_shape *s)
{
    int words = s->lower_bits
                    ? s->blocks * (s->whole ? 128 : 64) + (int)sizeof(struct separable_halves) / 4
                : separable_is_paired(s->sum_bytes, s->blocks) ? (s->blocks + 1) / 2 * 128
                                                               : s->blocks * s->column_bytes * 128;
    return (separable_column_words(s) + words) * 4;
}

#endif
