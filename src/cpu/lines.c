/* Rows of output from a ring of lines: filling a line, ghost cells included, and the walk over a
 * tile's rows. */
#include "cpu/lines.h"

#include <stdlib.h>

#include "cpu/finish.h"

#define RING_BYTES (256 * 1024) /* a part of the L2 cache */
#define HALO_PARTS 4            /* a tile has at least this many mask widths: lines have a halo */
#define SLACK      CPU_REAL_SLACK

struct lines_worker {
    char *ring;
    const void **at; /* the lines of one group of rows */
    const void *ghosts;
};

/* The method's worker follows struct lines_worker. */
#define WORKER_BYTES ((sizeof(struct lines_worker) + 63) / 64 * 64)

struct lines_pass {
    const struct cpu_lines *lines;
    const struct cpu_lines_hooks *hooks;
    const void *pass;
};

static void cut(struct cpu_lines *lines, const struct kernel_job *job)
{
    int width = job->plan->mask[0].width, channels = job->plan->channels;
    int samples = RING_BYTES / ((int)lines->bytes * lines->span), pixels;

    if (lines->most > 0 && samples > lines->most)
        samples = lines->most;
    pixels = samples / channels - width;
    pixels = pixels > HALO_PARTS * width ? pixels : HALO_PARTS * width;
    lines->tiles = cpu_tiles_cut(job, pixels / CPU_TILE_MIN * CPU_TILE_MIN);
    lines->stride = cpu_tiles_stride(&lines->tiles, width + lines->left, SLACK);
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct lines_pass *p = context;
    const struct cpu_lines *lines = p->lines;
    struct lines_worker *w = worker;
    size_t span = (size_t)lines->span;

    w->ring = cpu_memory_take(memory, span * lines->stride * lines->bytes);
    w->at = cpu_memory_take(memory, span * sizeof *w->at);
    w->ghosts = cpu_memory_ghosts(memory, lines->tiles.job);
    if (p->hooks->make)
        p->hooks->make(p->pass, (char *)worker + WORKER_BYTES, memory);
}

static char *line_at(const struct cpu_lines *lines, const struct lines_worker *w, int k)
{
    return w->ring + (size_t)(k % lines->span) * lines->stride * lines->bytes;
}

static void fill_line(const struct lines_pass *p, const struct lines_worker *w,
                      const struct cpu_tile *tile, int k)
{
    const struct cpu_lines *lines = p->lines;
    const struct kernel_job *job = lines->tiles.job;
    const struct plan_mask *m = &job->plan->mask[0];
    const void *row[CPU_LINE_ROWS], *ghosts[CPU_LINE_ROWS];
    int channels = job->plan->channels, from = tile->first_pixel - m->anchor_x - lines->left;
    int to = tile->first_pixel - m->anchor_x + tile->pixels + m->width - 1;
    struct cpu_span span;

    for (int i = 0; i < lines->line_rows; i++) {
        row[i] = cpu_tile_row(job, tile, tile->top + k * lines->step + i, w->ghosts);
        ghosts[i] = w->ghosts;
    }
    for (int x = from; x < to; x += span.pixels) {
        size_t at = (size_t)((x - from) * channels);
        span = cpu_span_at(job, x, to);
        if (span.cell == BORDER_OUTSIDE)
            p->hooks->put(p->pass, ghosts, 0, line_at(lines, w, k), at, channels);
        else
            p->hooks->put(p->pass, row, (size_t)(span.cell * channels), line_at(lines, w, k), at,
                          span.pixels * channels);
    }
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct lines_pass *p = context;
    const struct cpu_lines *lines = p->lines;
    struct lines_worker *w = worker;
    int filled = 0;

    for (int y = tile->first; y < tile->end; y += lines->rows) {
        int top = (y - tile->first) / lines->step;
        int rows = tile->end - y < lines->rows ? tile->end - y : lines->rows;
        for (; filled < top + lines->span; filled++)
            fill_line(p, w, tile, filled);
        for (int i = 0; i < lines->span; i++)
            w->at[i] = line_at(lines, w, top + i);
        p->hooks->filter(p->pass, (char *)worker + WORKER_BYTES, tile, w->at, y, rows);
        for (int r = 0; r < rows; r++)
            cpu_finish_unfiltered(lines->tiles.job, y + r, tile->first_pixel, tile->pixels,
                                  cpu_tile_out(lines->tiles.job, tile, y + r));
    }
}

bool cpu_lines_run(struct cpu_lines *lines, const struct kernel_job *job,
                   const struct cpu_lines_hooks *hooks, const void *pass, struct error *err)
{
    struct lines_pass p = {lines, hooks, pass};
    struct cpu_tile_hooks tile_hooks = {WORKER_BYTES + hooks->worker_bytes, worker_make, run_tile};

    cut(lines, job);
    return cpu_tiles_run(&lines->tiles, &tile_hooks, &p, err);
}
