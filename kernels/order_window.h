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

/* Rows of samples are filtered in groups, whose samples of one column share a word. */
#define EXTREMES_GROUPS 4

/* The words of output that a block makes side by side, one a thread: fewer for high windows, since
 * the block keeps as many rows of them as the window has. */
static ORDER_HOST_DEVICE inline int extremes_words(int mask_height)
{
    return mask_height <= 64 ? 192 : mask_height <= 128 ? 96 : 64;
}

/* Columns (samples) of a row of the tile and of its outputs; the words from a group of rows to the
 * next, for both; and the block's shared memory. */
struct extremes_shape {
    int words, columns, out_columns, pitch, out_pitch;
    size_t shared_bytes;
};

/* Groups begin 8 banks of shared memory apart, for threads that read one column of four groups. */
static ORDER_HOST_DEVICE inline int extremes_pitch(int columns)
{
    return (columns + 23) / 32 * 32 + 8;
}

static ORDER_HOST_DEVICE inline struct extremes_shape extremes_shape_of(
    int mask_width, int mask_height, int anchor_x, int pixel_bytes, int sample_bytes)
{
    const int words = extremes_words(mask_height);
    const struct order_span span = order_span_of(mask_width, anchor_x, pixel_bytes, 4 * words);
    const int columns = span.bytes / sample_bytes, out_columns = 4 * words / sample_bytes;
    const int pitch = extremes_pitch(columns), out_pitch = extremes_pitch(out_columns);
    const struct extremes_shape shape = {
        words,
        columns,
        out_columns,
        pitch,
        out_pitch,
        4 * ((size_t)EXTREMES_GROUPS * (size_t)(pitch + 2 * out_pitch) +
             (size_t)mask_height * (size_t)words)};
    return shape;
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
