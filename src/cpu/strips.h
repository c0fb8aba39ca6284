/* The frame of the CPU kernels: a picture cut into pieces and strips, for all threads.
 *
 *        strip 0      strip 1
 *      +-----------+-----------+
 *      |           |           |   piece 0 (one thread)
 *      +-----------+-----------+
 *      |           |           |   piece 1 (perhaps another one)
 *      +-----------+-----------+
 *
 * A piece is a range of rows of the output, the same for all paths; a thread takes one after the
 * other and walks it in strips, from left to right. A strip is a range of columns so narrow that
 * what a path keeps of it (mostly a ring of lines) stays in a cache: each path says how narrow.
 * Widths are in pixels; rows are the picture's, whatever part of it the job holds.
 *
 * A worker is what a thread keeps from strip to strip. The path says how large it is and what
 * memory it needs; the frame makes and frees it. What the threads share is the path's own. */
#ifndef STENCIL_CPU_STRIPS_H
#define STENCIL_CPU_STRIPS_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

#define CPU_STRIP_MIN 64 /* pixels, where the picture has as many */

/* How a job is cut. */
struct cpu_strips {
    const struct kernel_job *job;
    int strip_pixels; /* of every strip but the last one, which may have fewer */
    int piece_rows, pieces;
    int workers; /* <= job->threads */
};

/* Strips of PIXELS, or the least, or the whole width, whatever comes closest. */
struct cpu_strips cpu_strips_cut(const struct kernel_job *job, int pixels);

/* The elements from one line of a ring to the next: those of a strip and MORE pixels, and SLACK.
 * 16 elements are a cache line or two; an odd number keeps the lines apart in the L1 cache. */
static inline size_t cpu_strips_stride(const struct cpu_strips *strips, int more, size_t slack)
{
    size_t pixels = (size_t)strips->strip_pixels + (size_t)more;
    size_t elements = pixels * (size_t)strips->job->plan->channels + slack;
    return (elements + 31) / 32 * 32 + 16;
}

/* The elements of a strip's sums, which are made in whole blocks. */
static inline size_t cpu_strips_sums(const struct cpu_strips *strips)
{
    return (size_t)strips->strip_pixels * (size_t)strips->job->plan->channels + CPU_BLOCK;
}

/* One strip of one piece. */
struct cpu_strip {
    int first_pixel, pixels; /* columns of the output */
    int first, end;          /* its rows */
    int top, bottom;         /* the rows under mask 0 of these, ghost rows included */
};

struct cpu_memory; /* of one worker */

/* Gives BLOCK, from malloc's family, to the worker, and returns it. NULL: there was no memory,
 * which cpu_strips_run will say. */
void *cpu_memory_keep(struct cpu_memory *memory, void *block);

/* A row of ghost cells that are no cells of the picture, as wide as the picture and a pixel more,
 * so that it is read at the same place as any other row. NULL: as above. */
void *cpu_memory_ghosts(struct cpu_memory *memory, const struct kernel_job *job);

struct cpu_strips_path {
    size_t worker_bytes;
    /* Makes a worker, which is all zeros; no block need be there. */
    void (*make)(const void *pass, void *worker, struct cpu_memory *memory);
    void (*run)(const void *pass, void *worker, const struct cpu_strip *strip);
};

/* Runs every strip of every piece; PASS is for the path. False: no memory for the workers. */
bool cpu_strips_run(const struct cpu_strips *strips, const struct cpu_strips_path *path,
                    const void *pass, struct error *err);

/* Row v of the picture, or what it folds to; GHOSTS where that is no row of it. Rows below the
 * strip's last are read by no weight, and need not be there: they are that last one. */
static inline const void *cpu_strip_row(const struct kernel_job *job, const struct cpu_strip *strip,
                                        int v, const void *ghosts)
{
    int below = v < strip->bottom ? v : strip->bottom;
    int y = border_fold(job->plan->border, below, job->picture_height);
    return y == BORDER_OUTSIDE ? ghosts : image_row(job->in, y - job->in_first_row);
}

/* Where the strip begins in row y of the output. */
static inline void *cpu_strip_out(const struct kernel_job *job, const struct cpu_strip *strip,
                                  int y)
{
    const struct plan *plan = job->plan;
    unsigned char *row = image_row(job->out, y - job->out_first_row);
    return row + (size_t)strip->first_pixel * (size_t)plan->channels * (size_t)plan->type;
}

/* Pixels [from, to) of a row of samples, some of them ghost cells. ROW NULL: all. */
void cpu_strips_copy(const struct kernel_job *job, const void *row, int from, int to, void *out);

#endif
