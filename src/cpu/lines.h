/* The walk that most methods share: every tile row by row, over a ring of lines. A line holds rows
 * of the picture in the form that the method's sums need, ghost cells included. ROWS rows of output
 * are made at a time from SPAN lines:
 *
 *   line k of a tile   rows  top + k * step  and the next ones, element (x + j) * channels + c of
 *                      which is tap j of output pixel x
 *   rows of output     y .. y + rows - 1 read lines (y - first) / step and the next ones
 *
 * The hook `put` turns samples into parts of a line, the hook `filter` lines into output. */
#ifndef STENCIL_CPU_LINES_H
#define STENCIL_CPU_LINES_H

#include "cpu/tiles.h"

#define CPU_LINE_ROWS 4 /* of the picture in a line, at most */

struct cpu_lines {
    int line_rows; /* of the picture in a line */
    int step;      /* rows from one line to the next */
    int rows;      /* of output that are made at a time: a multiple of step */
    int span;      /* lines that these rows read */
    int left;      /* pixels of a line before the mask's first one */
    size_t bytes;  /* of an element */
    int most;      /* samples of a tile; 0: as many as fit the cache */
    /* cpu_lines_run sets these for one job: */
    struct cpu_tiles tiles;
    size_t stride; /* elements from one line to the next: a tile, the halo, and slack */
};

struct cpu_lines_hooks {
    size_t worker_bytes;
    /* As in struct cpu_tile_hooks; NULL: there is nothing to make. */
    void (*make)(const void *pass, void *worker, struct cpu_memory *memory);
    /* Puts N samples of each row, from sample FIRST on, into LINE from element AT on. Parts come
     * from left to right; elements after the part may be overwritten, too. */
    void (*put)(const void *pass, const void *const *row, size_t first, void *line, size_t at,
                int n);
    /* Makes ROWS rows of output from row y on, every channel. */
    void (*filter)(const void *pass, void *worker, const struct cpu_tile *tile,
                   const void *const *lines, int y, int rows);
};

/* Cuts tiles so that a ring fits the L2 cache, unless the halo would be most of a line, and runs
 * them; PASS is for the hooks. False: no memory. */
bool cpu_lines_run(struct cpu_lines *lines, const struct kernel_job *job,
                   const struct cpu_lines_hooks *hooks, const void *pass, struct error *err);

#endif
