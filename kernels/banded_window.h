/* How the banded kernel lays a mask over a tile: the sizes on which its packer
 * (kernels/banded_pack.c) and the kernel must agree. C17 and CUDA C. */
#ifndef STENCIL_BANDED_WINDOW_H
#define STENCIL_BANDED_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define BOTH_SIDES __host__ __device__
#define CONSTANT   constexpr
#else
#define BOTH_SIDES
#define CONSTANT
#endif

#define BANDED_TILE_BYTES 512 /* of an output row */
#define BANDED_PIECE      16  /* bytes of a row that are one row of an 8 x 16 byte matrix */
#define BANDED_PIECES     4   /* at most, of a window, in one sweep over the mask's rows */
#define BANDED_LIGHT_ROWS 24  /* of a tile whose sums take less time than its copy */

struct banded_shape {
    int planes;       /* of weights, S = first + 256 * second */
    int sample_bytes; /* 1 or 2: there low and high bytes are summed side by side */
    int pixel_bytes;
    int pad;    /* bytes of the window before the mask's first cell, < 16 */
    int pieces; /* of a window in one sweep */
    int sweeps; /* over the mask's rows, each with the next pieces */
    /* A sweep takes the mask's rows four at a time (sparse products), then two at a time, then
     * singly. The last four may reach past the mask, with weights of 0. */
    int fours, twos, ones;
    int tile_bytes, tile_rows;
    int pitch; /* of a staged row, bytes: an odd number of pieces, so that eight rows of a matrix
                  lie in different banks */
    int rows;  /* staged for a tile; those past the mask's last row count for nothing */
    int needed_rows;            /* of those */
    int copied_rows, more_rows; /* at a time: first, and then, if more are to come */
    /* Small gray masks, see banded_gray.cuh; words[0] = 0: others. How many words of a row the
     * first two columns of each four take, and the last two; and how many times four rows 8 rows
     * take. */
    int words[2], down;
};

static inline BOTH_SIDES CONSTANT int banded_pitch(int tile_bytes, int pieces)
{
    return BANDED_PIECE * ((tile_bytes / BANDED_PIECE + pieces - 1) | 1);
}

/* Tiles of so many rows, under a mask of `height` rows; all of a window is copied at once. */
static inline void banded_set_tile(struct banded_shape *s, int height, int tile_rows)
{
    s->tile_rows = tile_rows;
    s->rows = s->words[0] ? tile_rows - 8 + 4 * s->down
                          : tile_rows + 4 * s->fours + 2 * s->twos + s->ones - 1;
    s->needed_rows = s->copied_rows = tile_rows + height - 1;
    s->more_rows = 0;
}

/* `weight_planes`: 1 when the weights fit int8, else 2. */
static inline struct banded_shape banded_shape_of(int width, int height, int channels,
                                                  int sample_bytes, int weight_planes, int pad)
{
    struct banded_shape s;
    int pixel = channels * sample_bytes;
    int pieces = (pad + 16 + pixel * (width - 1) + BANDED_PIECE - 1) / BANDED_PIECE;

    s.words[0] = s.words[1] = s.down = 0;
    s.sample_bytes = sample_bytes;
    s.pixel_bytes = pixel;
    s.planes = weight_planes;
    s.pad = pad;
    if (pixel == 1) { /* a gray row has no zeros between the weights */
        s.fours = 0;
        s.twos = height > 1 ? height / 2 : 1;
        s.ones = height > 1 ? height % 2 : 0;
        s.pieces = 2;
        s.sweeps = (pieces + 1) / 2;
    } else { /* all sweeps take as many pieces */
        pieces = pieces < 2 ? 2 : pieces;
        s.sweeps = (pieces + BANDED_PIECES - 1) / BANDED_PIECES;
        s.fours = height < 4 || height % 4 == 3 ? height / 4 + 1 : height / 4;
        s.twos = height > 4 && height % 4 == 2;
        s.ones = height > 4 && height % 4 == 1;
        s.pieces = (pieces + s.sweeps - 1) / s.sweeps;
    }
    s.tile_bytes = BANDED_TILE_BYTES;
    s.pitch = banded_pitch(s.tile_bytes, s.sweeps * s.pieces);
    banded_set_tile(&s, height, height <= 9 ? 48 : 32);
    return s;
}

/* ---- small gray masks ---- */

/* The words that the two columns' products take, in their order: neighbours of a row by twos, then
 * the last of an odd number. Word i is that many words on, of rows 4 * banded_gray_down() and on.
 */
static inline BOTH_SIDES CONSTANT int banded_gray_word(int words, int down, int i)
{
    const int even = words / 2 * 2;
    return i < even * down ? i % even : words - 1;
}

static inline BOTH_SIDES CONSTANT int banded_gray_down(int words, int down, int i)
{
    const int even = words / 2 * 2;
    return i < even * down ? i / even : i - even * down;
}

/* Products of two words each. */
static inline BOTH_SIDES CONSTANT int banded_gray_products(int words, int down)
{
    return (words * down + 1) / 2;
}

/* Masks whose sums take less time than their tiles: those are small, and more at a time. */
static inline bool banded_is_light(const struct banded_shape *s)
{
    if (s->planes == 2)
        return false;
    return s->words[0] ? s->down == 3
                       : s->sweeps == 1 && s->pieces == 2 && s->fours == 1 && s->twos == 0;
}

/* That of the banded kernel: banded_shape_of(), or the products of a small gray mask. */
static inline struct banded_shape banded_image_shape(int width, int height, int channels,
                                                     int sample_bytes, int weight_planes, int pad)
{
    struct banded_shape s =
        banded_shape_of(width, height, channels, sample_bytes, weight_planes, pad);
    const bool small = width <= 5 && height <= 5;

    if (s.pixel_bytes == 1 && pad == 0 && width <= 9 && height <= 9) {
        s.words[0] = small ? (width + 1 + 3) / 4 : 3;
        s.words[1] = small ? 2 : 3;
        s.down = small ? 3 : 4;
        /* eight lanes load two neighbouring pieces of four rows: from different banks */
        s.pitch = s.tile_bytes + 2 * BANDED_PIECE;
        banded_set_tile(&s, height, s.tile_rows);
    }
    if (banded_is_light(&s))
        banded_set_tile(&s, height, BANDED_LIGHT_ROWS);
    return s;
}

/* ---- packed weights ---- */

/* Fragments: one for each piece and plane of each of a sweep's products of several rows, and one
 * for each plane of a single row; of small gray masks one for each product and plane. */
static inline BOTH_SIDES int banded_fragments(const struct banded_shape *s)
{
    if (s->words[0])
        return (banded_gray_products(s->words[0], s->down) +
                banded_gray_products(s->words[1], s->down)) *
               s->planes;
    return s->sweeps * ((s->fours + s->twos) * s->pieces + s->ones) * s->planes;
}

/* Where the window of the output's aligned 16 bytes begins among the input's: *shift bytes on, a
 * multiple of 16, and from there the bytes before the mask's first cell are returned. in and out
 * are the addresses of the first pixels, `anchor` the bytes from the mask's first cell to its
 * anchor. */
static inline int banded_pad(uintptr_t in, uintptr_t out, int anchor, int *shift)
{
    int apart = (int)(in % 16) - (int)(out % 16) - anchor;
    int pad = (apart % 16 + 16) % 16;
    *shift = apart - pad;
    return pad;
}

/* Packed weights: fragments of 16 bytes a lane; behind them, where the sparse ones' values stand, 4
 * bytes a lane. */
static inline BOTH_SIDES int banded_fragment_bytes(const struct banded_shape *s)
{
    return banded_fragments(s) * 640;
}

#endif
