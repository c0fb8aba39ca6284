/* The window of an order filter as the kernels extremes, network and bisect load it: for each row
 * its runs of adjacent cells. Also how these kernels lay their tiles. Shared by CUDA C and C17. */
#ifndef STENCIL_ORDER_WINDOW_H
#define STENCIL_ORDER_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define ORDER_HOST_DEVICE __host__ __device__
#else
#define ORDER_HOST_DEVICE
#endif

/* Cells `first` to `first` + `length` - 1 of a row of the window. */
struct order_run {
    int first, length;
};

/* Packed: for each row, and for the row after the last, the index of its first run; then the runs.
 */
static ORDER_HOST_DEVICE inline const struct order_run *order_runs(const int *packed, int height)
{
    return (const struct order_run *)(packed + height + 1);
}

/* ---- how a window lies over a tile ---- */

/* Tiles are loaded in pieces of 16 bytes. A tile begins `lead` bytes before its first output; the
 * window of this output begins at byte `skew` of the tile. A row of a tile for outputs of
 * `out_bytes` has `bytes` bytes, whole pieces. */
struct order_span {
    int lead, skew, bytes;
};

static ORDER_HOST_DEVICE inline struct order_span order_span_of(int mask_width, int anchor_x,
                                                                int pixel_bytes, int out_bytes)
{
    const int left = anchor_x * pixel_bytes, lead = (left + 15) / 16 * 16;
    const struct order_span span = {
        lead, lead - left,
        (lead - left + out_bytes + (mask_width - 1) * pixel_bytes + 15) / 16 * 16};
    return span;
}

/* ---- the kernel extremes: rectangles ---- */

/* Rows of output that a block makes at a time, and at most. */
#define EXTREMES_ROWS      8
#define EXTREMES_MOST_ROWS 1024

/* Rows that a thread takes at a time along a column, fewer than the window has. */
static ORDER_HOST_DEVICE inline int extremes_block(int mask_height)
{
    return mask_height <= 4 ? 1 : mask_height <= 16 ? 4 : EXTREMES_ROWS;
}

/* A block has a thread for each word of a strip; the first `words` make output, which need `halo`
 * words more. The strip begins `lead` bytes before its first output, so that it has the cells from
 * which the ghost cells behind a picture's last pixel are made. The window of this output begins at
 * byte `skew` of the strip. Between the first and the last rows of a window lie `full` blocks of
 * rows and `rest` rows. */
struct extremes_shape {
    int threads, words, halo, lead, skew, full, rest;
    size_t shared_bytes;
};

static ORDER_HOST_DEVICE inline struct extremes_shape extremes_shape_of(int mask_width,
                                                                        int mask_height,
                                                                        int anchor_x,
                                                                        int pixel_bytes)
{
    const int right = mask_width - 1 - anchor_x, side = anchor_x > right ? anchor_x : right;
    const int lead = ((side + 1) * pixel_bytes + 31) / 32 * 32,
              skew = lead - anchor_x * pixel_bytes;
    const int halo = (skew + (mask_width - 1) * pixel_bytes + 3) / 4;
    const int threads = halo <= 32 ? 256 : halo <= 112 ? 384 : halo <= 208 ? 512 : 640;
    const int block = extremes_block(mask_height);
    const int middle = mask_height > block ? mask_height - 1 - block : 0, full = middle / block;
    const int thread_bytes = 4 * (2 * EXTREMES_ROWS + 2 * (full + 1) + 4);
    const struct extremes_shape shape = {
        threads,
        (threads - halo) / 8 * 8,
        halo,
        lead,
        skew,
        full,
        middle % block,
        (size_t)(threads * thread_bytes + 4 * (EXTREMES_MOST_ROWS + EXTREMES_ROWS + mask_height))};
    return shape;
}

/* How many strips lie side by side over rows of so many bytes. */
static ORDER_HOST_DEVICE inline int extremes_strips(struct extremes_shape shape, int row_bytes)
{
    return (row_bytes + 4 * shape.words - 1) / (4 * shape.words);
}

/* ---- tiles of whole rows ---- */

/* Words of output side by side that a block makes, one a thread; and most bytes of its shared
 * memory. */
#define ORDER_TILE_WORDS   128
#define ORDER_SHARED_BYTES (48 * 1024)

/* Bytes behind a tile: a word that begins at any byte is read as two. */
#define ORDER_SPARE 16

/* ---- the kernel bisect ---- */

/* Rows of output that a block makes. */
#define BISECT_ROWS 2

/* Higher windows are walked in groups of rows: how many rows of the window a tile of `bytes` bytes
 * a row holds. */
static ORDER_HOST_DEVICE inline int bisect_group_rows(int mask_height, int bytes)
{
    const int most = (ORDER_SHARED_BYTES - ORDER_SPARE) / bytes - (BISECT_ROWS - 1);
    return mask_height < most ? mask_height : most;
}

#endif
