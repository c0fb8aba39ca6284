/* How the separable kernel lays the two factors of a mask over a tile: what its
 * packer (src/separable_pack.c) and the kernel itself must agree on. C17 and CUDA C. */
#ifndef STENCIL_SEPARABLE_WINDOW_H
#define STENCIL_SEPARABLE_WINDOW_H

#include "banded_window.h"

#define SEPARABLE_TILE_BYTES 512
#define SEPARABLE_TILE_ROWS  32

/* How many bytes the numbers take: of the row factor, of its sums, of the column factor. The last
 * byte is signed, the others are not. */
enum separable_form {
    SEPARABLE_1_2_1,
    SEPARABLE_1_3_1,
    SEPARABLE_2_3_2,
    SEPARABLE_NONE, /* they take more */
};

struct separable_shape {
    struct banded_shape stage; /* the tile as it is staged; one row of the mask, in pieces */
    int blocks;                /* of 8 rows: a column of the mask over 8 output rows */
    int row_bytes, sum_bytes, column_bytes;
};

static inline struct separable_shape separable_shape_of(int width, int height, int channels,
                                                        enum separable_form form, int pad)
{
    static const struct {
        int pieces, blocks;
    } sizes[] = {{2, 2}, {3, 2}, {4, 3}, {7, 5}};
    struct separable_shape s;
    int i = 0;
    int pieces = (pad + 16 + channels * (width - 1) + BANDED_PIECE - 1) / BANDED_PIECE;
    int blocks = (height + 7 + 7) / 8;

    while (i < 3 && (sizes[i].pieces < pieces || sizes[i].blocks < blocks))
        i++;
    s.stage = banded_shape_of(width, 1, channels, 1, 1, pad);
    s.stage.pieces = sizes[i].pieces < pieces ? 0 : sizes[i].pieces; /* 0: too wide or too high */
    s.blocks = sizes[i].blocks < blocks ? 0 : sizes[i].blocks;
    s.stage.tile_bytes = SEPARABLE_TILE_BYTES;
    s.stage.tile_rows = SEPARABLE_TILE_ROWS;
    s.stage.pitch = banded_pitch(SEPARABLE_TILE_BYTES, sizes[i].pieces);
    s.stage.rows = SEPARABLE_TILE_ROWS + 8 * (sizes[i].blocks - 1);
    s.row_bytes = form == SEPARABLE_2_3_2 ? 2 : 1;
    s.column_bytes = s.row_bytes;
    s.sum_bytes = form == SEPARABLE_1_2_1 ? 2 : 3;
    return s;
}

/* Packed weights: for each piece and byte of the row factor 8 bytes a lane; then for each block and
 * byte of the column factor 4 bytes a lane. */
static inline BOTH_SIDES int separable_row_words(const struct separable_shape *s)
{
    return s->stage.pieces * s->row_bytes * 64;
}

static inline BOTH_SIDES int separable_fragment_bytes(const struct separable_shape *s)
{
    return (separable_row_words(s) + s->blocks * s->column_bytes * 32) * 4;
}

#endif
