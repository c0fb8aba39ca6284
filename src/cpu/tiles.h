/* The frame of the CPU kernels: a picture cut into pieces and tiles, for all threads.
 *
 *        tile 0      tile 1
 *      +-----------+-----------+
 *      |           |           |   piece 0 (one thread)
 *      +-----------+-----------+
 *      |           |           |   piece 1 (perhaps another one)
 *      +-----------+-----------+
 *
 * A piece is a range of rows of the output, the same for all methods. A thread takes one piece
 * after the other and walks over its tiles from left to right. A tile is a range of columns so
 * narrow that a method's data (mostly a ring of lines) stays in a cache; each method says how
 * narrow. Widths are in pixels; rows are numbered as in the whole picture.
 *
 * A worker is the data that a thread keeps from tile to tile. The method gives its size and memory;
 * this file makes and frees it. Data that threads share belongs to the method. */
#ifndef STENCIL_CPU_TILES_H
#define STENCIL_CPU_TILES_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

#define CPU_TILE_MIN 64 /* pixels, if the picture has as many */
#define CPU_PART_SAMPLES                                                                           \
    768 /* sums that stay in the L1 cache until they are divided: whole vectors */
#define CPU_STREAM_ALIGN 64 /* bytes: of the longest vector, and a cache line */

/* How a job is cut. */
struct cpu_tiles {
    const struct kernel_job *job;
    int tile_pixels; /* of every tile but the last one, which may have fewer */
    int piece_rows, pieces;
    /* The output is so large that a store past the caches is faster: no line of it is read first.
     * Each tile's rows begin at multiples of CPU_STREAM_ALIGN, so `pixels` of cpu_tiles_cut must be
     * a multiple of CPU_TILE_MIN. Streamed bytes need a fence: see cpu_tiles_run. */
    bool streams;
};

/* Cuts tiles of PIXELS, but at least CPU_TILE_MIN and at most the whole width. */
struct cpu_tiles cpu_tiles_cut(const struct kernel_job *job, int pixels);

/* The elements from one line of a ring to the next: a tile, MORE pixels, and SLACK. 16 elements are
 * a cache line or two; an odd multiple of 16 keeps the lines apart in the L1 cache. */
static inline size_t cpu_tiles_stride(const struct cpu_tiles *tiles, int more, size_t slack)
{
    size_t pixels = (size_t)tiles->tile_pixels + (size_t)more;
    size_t elements = pixels * (size_t)tiles->job->plan->channels + slack;
    return (elements + 31) / 32 * 32 + 16;
}

/* The elements of a tile's sums, which are made in whole blocks. */
static inline size_t cpu_tiles_sums(const struct cpu_tiles *tiles)
{
    return (size_t)tiles->tile_pixels * (size_t)tiles->job->plan->channels + CPU_BLOCK;
}

/* One tile of one piece. */
struct cpu_tile {
    int first_pixel, pixels; /* columns of the output */
    int first, end;          /* rows of the output */
    int top, bottom;         /* the input rows under mask 0, ghost rows included */
};

struct cpu_memory; /* of one worker */

/* Makes a block for the worker, aligned to a cache line and cleared: loops in whole blocks read the
 * slack at a line's end without using it. NULL: no memory; cpu_workers_run reports this. */
void *cpu_memory_take(struct cpu_memory *memory, size_t bytes);

/* A row of ghost cells of constant value, one pixel wider than the picture, so that it is read at
 * the same place as any other row; of other borders one cell, which nobody reads. NULL: no
 * memory. */
void *cpu_memory_ghosts(struct cpu_memory *memory, const struct kernel_job *job);

struct cpu_tile_hooks {
    size_t worker_bytes;
    /* Fills a worker, which is all zeros. Its blocks may be NULL. */
    void (*make)(const void *pass, void *worker, struct cpu_memory *memory);
    void (*run)(const void *pass, void *worker, const struct cpu_tile *tile);
};

/* Runs pieces 0 .. PIECES - 1 on up to WORKERS threads. Each thread fills its worker with MAKE;
 * PASS is for MAKE and RUN. False: no memory for a worker; then some pieces were not run. */
bool cpu_workers_run(int workers, int pieces, size_t worker_bytes,
                     void (*make)(const void *pass, void *worker, struct cpu_memory *memory),
                     void (*run)(const void *pass, void *worker, int piece), const void *pass,
                     struct error *err);

/* Runs every tile of every piece; PASS is for the method. False: no memory for the workers. */
bool cpu_tiles_run(const struct cpu_tiles *tiles, const struct cpu_tile_hooks *hooks,
                   const void *pass, struct error *err);

/* Row v of the picture, or the row that v folds to; GHOSTS if there is none. No weight reads rows
 * below the tile's last row, and the job may lack them: the last row stands in for them. */
static inline const void *cpu_tile_row(const struct kernel_job *job, const struct cpu_tile *tile,
                                       int v, const void *ghosts)
{
    int below = v < tile->bottom ? v : tile->bottom;
    int y = border_fold(job->plan->border, below, job->picture_height);
    return y == BORDER_OUTSIDE ? ghosts : image_row(job->in, y - job->in_first_row);
}

/* The tile's part of the row below row v, for loops that fetch it into L2 while they work on row v;
 * NULL: there is none. */
static inline const void *cpu_tile_next(const struct kernel_job *job, const struct cpu_tile *tile,
                                        int v)
{
    const char *row = cpu_tile_row(job, tile, v + 1, NULL);
    const size_t pixel = (size_t)job->plan->channels * (size_t)job->plan->type;
    return row ? row + (size_t)tile->first_pixel * pixel : NULL;
}

/* Fetches the tile's part of a row a few rows below row v, before it is read, at once: for parts of
 * rows. The processor does not foresee it, as it lies far behind the part above it. */
void cpu_tile_fetch(const struct kernel_job *job, const struct cpu_tile *tile, int v);

/* Where the tile begins in row y of the output. */
static inline void *cpu_tile_out(const struct kernel_job *job, const struct cpu_tile *tile, int y)
{
    const struct plan *plan = job->plan;
    unsigned char *row = image_row(job->out, y - job->out_first_row);
    return row + (size_t)tile->first_pixel * (size_t)plan->channels * (size_t)plan->type;
}

/* A part of a line: adjacent pixels of the picture, or one ghost cell. */
struct cpu_span {
    int cell; /* the first pixel, or the cell that the ghost cell folds to, or BORDER_OUTSIDE */
    int pixels;
};

/* The part that begins at pixel X of a line that ends before TO. Every line is filled by this loop:
 *
 *   for (int x = from; x < to; x += span.pixels) { span = cpu_span_at(job, x, to); ... } */
static inline struct cpu_span cpu_span_at(const struct kernel_job *job, int x, int to)
{
    int width = job->in->width;
    if (x >= 0 && x < width)
        return (struct cpu_span){x, (to < width ? to : width) - x};
    return (struct cpu_span){border_fold(job->plan->border, x, width), 1};
}

/* Puts N pixels of ghost cells of the borders zero and constant. */
void cpu_tiles_put_ghosts(const struct plan *plan, void *out, size_t n);

/* Copies pixels [from, to) of a row, ghost cells included. ROW NULL: all are ghost cells. */
void cpu_tiles_copy(const struct kernel_job *job, const void *row, int from, int to, void *out);

#endif
