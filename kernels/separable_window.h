/* How the separable kernel lays the two factors of a mask over a tile: what its
 * packer (src/separable_pack.c) and the kernel itself must agree on. C17 and CUDA C. */
#ifndef STENCIL_SEPARABLE_WINDOW_H
#define STENCIL_SEPARABLE_WINDOW_H

#include "banded_window.h"

#define SEPARABLE_TILE_BYTES 256
#define SEPARABLE_TILE_ROWS  64 /* in two halves */

/* How many bytes the numbers take: of the row factor, of its sums, of the column factor. The last
 * byte of each is signed, the others are not; but sums of two bytes are all unsigned. */
enum separable_form {
    SEPARABLE_1_2_1,
    SEPARABLE_1_3_1,
    SEPARABLE_2_3_2,
    SEPARABLE_NONE, /* they take more */
};

struct separable_shape {
    struct banded_shape stage; /* the tile as it is staged; one row of the mask, in pieces */
    /* Products that a row of the mask takes, and whether they are sparse ones over 4 pieces or
     * dense ones over 2. 0: the mask is too wide or too high. */
    int products, sparse;
    int blocks; /* of 8 rows: a column of the mask over 8 output rows */
    int row_bytes, sum_bytes, column_bytes;
};

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
    s.stage = banded_shape_of(width, 1, channels, 1, 1, pad);
    s.stage.pieces = s.products * (s.sparse ? 4 : 2);
    s.stage.tile_bytes = SEPARABLE_TILE_BYTES;
    s.stage.tile_rows = SEPARABLE_TILE_ROWS;
    s.stage.pitch = banded_pitch(SEPARABLE_TILE_BYTES, s.stage.pieces);
    /* the first half with all rows that its outputs need, the second what is left of the others */
    s.stage.copied_rows = SEPARABLE_TILE_ROWS / 2 + 8 * (s.blocks - 1);
    s.stage.more_rows = SEPARABLE_TILE_ROWS / 2;
    s.stage.rows = s.stage.copied_rows + s.stage.more_rows;
    s.stage.needed_rows = s.stage.tile_rows + height - 1;
    s.row_bytes = form == SEPARABLE_2_3_2 ? 2 : 1;
    s.column_bytes = s.row_bytes;
    s.sum_bytes = form == SEPARABLE_1_2_1 ? 2 : 3;
    return s;
}

/* Packed weights: for each product and byte of the row factor 16 bytes a lane; where the sparse
 * ones' values stand, 4 bytes a lane; for each block and byte of the column factor 16 bytes a lane.
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
    return (separable_column_words(s) + s->blocks * s->column_bytes * 128) * 4;
}

#endif
