/* How the separable kernel for samples of 16 bits lays the two factors of a mask over a tile: the
 * sizes on which its packer (kernels/separable_16_pack.c) and the kernel must agree. C17 and
 * CUDA C. */
#ifndef STENCIL_SEPARABLE_16_WINDOW_H
#define STENCIL_SEPARABLE_16_WINDOW_H

#include "separable_window.h"

#define SEPARABLE_16_TILE_ROWS 64 /* in two halves */

/* Factors of one byte, signed, with sums of a row of three unsigned bytes, else of four; and those
 * without negative weights: of one byte, of one byte (but for a few larger weights of the row) and
 * of two, of two bytes. */
enum separable_16_form {
    SEPARABLE_16_SHORT,
    SEPARABLE_16_SIGNED,
    SEPARABLE_16_BYTES,
    SEPARABLE_16_EXTRA,
    SEPARABLE_16_PAIRS,
    SEPARABLE_16_NONE, /* none of these */
};

struct separable_16_shape {
    struct banded_shape stage; /* the tile as it is staged; one row of the mask, in pieces */
    /* Products that a row of the mask takes, and whether they are sparse ones over 4 pieces or
     * a dense one over 2. 0: the mask is too wide or too high. */
    int products, sparse;
    int blocks; /* of 8 rows: a column of the mask over 8 output rows */
    int row_bytes, column_bytes;
    int extra; /* 1 for a product beside those of row_bytes, else 0 */
};

static inline struct separable_16_shape separable_16_shape_of(int width, int height, int channels,
                                                              enum separable_16_form form, int pad)
{
    static const struct {
        int products, sparse, blocks;
    } sizes[] = {{1, 0, 2}, {1, 1, 2}, {1, 1, 3}, {2, 1, 2},
                 {2, 1, 3}, {2, 1, 4}, {3, 1, 4}, {4, 1, 5}};
    const int pixel = 2 * channels; /* for a row they are so many channels of 8 bits */
    struct separable_16_shape s;
    int pieces = (pad + 16 + pixel * (width - 1) + BANDED_PIECE - 1) / BANDED_PIECE;
    int blocks = (height + 7 + 7) / 8, i = 0;

    while (i < 8 &&
           (sizes[i].products * (sizes[i].sparse ? 4 : 2) < pieces || sizes[i].blocks < blocks))
        i++;
    s.products = i < 8 ? sizes[i].products : 0;
    s.sparse = i < 8 && sizes[i].sparse;
    s.blocks = i < 8 ? sizes[i].blocks : 0;
    s.row_bytes = form == SEPARABLE_16_PAIRS ? 2 : 1;
    s.column_bytes = form >= SEPARABLE_16_EXTRA ? 2 : 1;
    s.extra = form == SEPARABLE_16_EXTRA;
    s.stage = banded_shape_of(width, 1, pixel, 1, 1, pad);
    s.stage.pieces = s.products * (s.sparse ? 4 : 2);
    s.stage.tile_bytes = SEPARABLE_TILE_BYTES;
    s.stage.tile_rows = SEPARABLE_16_TILE_ROWS;
    s.stage.pitch = banded_pitch(SEPARABLE_TILE_BYTES, s.stage.pieces);
    /* the first half with all rows that its outputs need, the second what is left of the others */
    s.stage.copied_rows = SEPARABLE_16_TILE_ROWS / 2 + 8 * (s.blocks - 1);
    s.stage.more_rows = SEPARABLE_16_TILE_ROWS / 2;
    s.stage.rows = s.stage.copied_rows + s.stage.more_rows;
    s.stage.needed_rows = s.stage.tile_rows + height - 1;
    return s;
}

/* Packed weights: for each product and byte of the row factor, and the extra one, 16 bytes a lane;
 * where the sparse ones' values stand, 4 bytes a lane; for one more byte than the column factor has
 * and each block, 8 bytes a lane; where the extra product's window begins, in bytes. Words: */
static inline BOTH_SIDES int separable_16_matrices(const struct separable_16_shape *s)
{
    return s->products * s->row_bytes + s->extra;
}

static inline BOTH_SIDES int separable_16_column_words(const struct separable_16_shape *s)
{
    return separable_16_matrices(s) * (s->sparse ? 160 : 128);
}

static inline BOTH_SIDES int separable_16_extra_word(const struct separable_16_shape *s)
{
    return separable_16_column_words(s) + (s->column_bytes + 1) * s->blocks * 64;
}

static inline BOTH_SIDES int separable_16_fragment_bytes(const struct separable_16_shape *s)
{
    return (separable_16_extra_word(s) + 4) * 4;
}

/* Sums past 32 bits are brought within them before the division by d = odd * 2^n: by so many of
 * the last bits, which then are none of the divisor's. */
static inline int separable_16_low_bits(int64_t divisor)
{
    int bits = 0;
    while (bits < 16 && divisor % ((int64_t)2 << bits) == 0)
        bits++;
    return bits;
}

/* Are sums still past 31 bits then, so that they are halved? */
static inline int separable_16_is_halved(int64_t bound, int low_bits)
{
    return bound >> low_bits >= INT32_MAX;
}

#endif
