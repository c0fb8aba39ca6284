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
    int row, first, length;
};

/* Packed: for each row, and for the row after the last, the index of its first run; then the runs.
 * Or only the index after the last run is of use: then the longest runs come first. */
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

/* Rows of output that a block makes at a time; outputs of a row that a thread makes at
 * a time, an odd number; cells of the longest window that is taken in registers. */
#define STRIP_ROWS       8
#define EXTREMES_SEGMENT 9
#define EXTREMES_SHORT   11

/* Threads of most blocks whose windows are longer in both directions. */
#define EXTREMES_LONG_THREADS 384

/* A block loads a strip, a word of each row a thread (strip.cuh); the first `words` threads store
 * output. The strip begins `lead` bytes before its first output, so that it has the cells of which
 * the ghost cells behind a picture's last pixel are copies; the output's window begins at byte
 * `skew` of the strip and ends `right` bytes behind its pixel. Along the rows the first
 * `out_segments` of the segments make output; one more lies before them. Between the first and the
 * last rows of a window lie `full` blocks of rows and `rest` rows. */
struct extremes_shape {
    int threads, words, lead, skew, right, segments, out_segments, full, rest;
    size_t shared_bytes;
    bool fits; /* false: the window reaches too far to one side for a strip */
};

static ORDER_HOST_DEVICE inline struct extremes_shape extremes_shape_of(int mask_width,
                                                                        int mask_height,
                                                                        int anchor_x, int channels,
                                                                        int sample_bytes)
{
    const int pixel_bytes = channels * sample_bytes, right = mask_width - 1 - anchor_x;
    const int side = anchor_x > right ? anchor_x : right;
    const int lead = ((side + 1) * pixel_bytes + 31) / 32 * 32;
    const int skew = lead - anchor_x * pixel_bytes;
    const int halo = (skew + (mask_width - 1) * pixel_bytes + 3) / 4;
    const int threads = halo <= 20    ? 256
                        : halo <= 112 ? EXTREMES_LONG_THREADS
                        : halo <= 208 ? 512
                                      : 640;
    const int pixels = (4 * threads - skew) / pixel_bytes;
    const int out_segments = (pixels - (mask_width - 1)) / EXTREMES_SEGMENT;
    const int out_words = out_segments * EXTREMES_SEGMENT * pixel_bytes / 4;
    const int middle = mask_height > EXTREMES_SHORT ? mask_height - 1 - STRIP_ROWS : 0;
    const int full = middle / STRIP_ROWS;
    const int thread_words = 2 * STRIP_ROWS + 2 + 2 * (full + 1) + 4;
    const struct extremes_shape shape = {threads,
                                         out_words / 8 * 8,
                                         lead,
                                         skew,
                                         right * pixel_bytes,
                                         pixels / EXTREMES_SEGMENT + 1,
                                         out_segments,
                                         full,
                                         middle % STRIP_ROWS,
                                         (size_t)4 * threads * thread_words,
                                         out_segments > 0 && out_words >= 8 &&
                                             4 * threads >= lead + (anchor_x + 1) * pixel_bytes};
    return shape;
}

/* ---- tiles of whole rows ---- */

/* Words of output side by side that a block makes, one a thread; and most bytes of its shared
 * memory. */
#define ORDER_TILE_WORDS   128
#define ORDER_SHARED_BYTES (48 * 1024)

/* Bytes behind a tile: a word that begins at any byte is read as two. */
#define ORDER_SPARE 16

/* Shared memory of a block of the kernel extremes for windows that are not rectangles. */
#define EXTREMES_RUNS_BYTES (64 * 1024)

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
