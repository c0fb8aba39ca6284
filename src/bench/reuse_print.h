/* What `stencilcli reuse` prints: tables for people (bench/reuse_print.c; the
 * cells of a tile and the whole grid in bench/reuse_print_cells.c and bench/reuse_print_grid.c),
 * JSON and CSV for programs (bench/reuse_data.c). */
#ifndef STENCIL_BENCH_REUSE_PRINT_H
#define STENCIL_BENCH_REUSE_PRINT_H

#include <stdio.h>

#include "bench/reuse.h"

/* How many masks and how many tiles one command looks at. */
#define REUSE_LIST_MAX 16

/* One mask with its tiles. */
struct reuse_table {
    struct reuse_shape shape; /* without the tile */
    int tile[REUSE_LIST_MAX];
    int tiles;
};

struct reuse_report {
    struct reuse_table table[2 * REUSE_LIST_MAX]; /* those of 1D first */
    int tables;
    /* The real array or picture; its height counts in 2D only. */
    bool has_size;
    const char *input; /* the picture's name, or NULL */
    int64_t width, height;
    int channels;
};

/* The INDEX-th shape of a table, tile included. */
struct reuse_shape reuse_table_shape(const struct reuse_table *table, int index);

/* The grid for a shape of the report. Fails when a count passes 64 bits. */
bool reuse_report_grid(const struct reuse_report *report, const struct reuse_shape *shape,
                       struct reuse_grid *grid, struct error *err);

/* These ask that reuse_report_grid succeeds for every shape, if there is a size. */
void reuse_print_text(FILE *out, const struct reuse_report *report);
void reuse_print_json(FILE *out, const struct reuse_report *report); /* one object per tile */
void reuse_print_csv(FILE *out, const struct reuse_report *report);

/* Parts of reuse_print_text, about one table: the uses of the cells of its input tiles, and the
 * whole array or picture. */
void reuse_print_uses(FILE *out, const struct reuse_table *table);
void reuse_print_grids(FILE *out, const struct reuse_report *report,
                       const struct reuse_table *table);

#endif
