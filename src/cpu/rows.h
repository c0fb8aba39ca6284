/* Prepared rows for the CPU kernels: a ring of lines in which ghost cells already
 * stand, in the form the sums want. One tile (a range of pixel columns) of one
 * picture at a time; the ring holds the rows that one output row needs. */
#ifndef STENCIL_CPU_ROWS_H
#define STENCIL_CPU_ROWS_H

#include "cpu/tiles.h"

enum cpu_form {
    CPU_PAIRS, /* int16 pairs of two rows, 32-bit sums */
    CPU_32,    /* 32-bit samples and sums */
    CPU_64,    /* 32-bit samples, 64-bit sums */
    CPU_RUNS,  /* running sums of samples, 32-bit sums */
};

struct cpu_rows {
    const struct kernel_job *job;
    const struct cpu_ops *ops;
    int mask_width, mask_height, anchor_x, anchor_y;
    size_t stride;  /* elements of a line */
    int max_pixels; /* the widest tile */
    enum cpu_form form;
    uint32_t bias;  /* pairs hold sample - bias, so that they fit int16 */
    int slots;      /* lines kept; row v lies in slot v mod slots */
    uint32_t *line; /* slots lines of `stride` elements */
    uint32_t *pair; /* CPU_PAIRS: as many pair lines; pair v = rows v and v+1 */
    struct cpu_tile tile;
    int next_row; /* of the tile, to be prepared */
};

/* Allocates for tiles of at most rows->max_pixels (set by the caller, as are the fields above it,
 * form and bias). */
void cpu_rows_alloc(struct cpu_rows *rows, struct cpu_memory *memory);

void cpu_rows_begin(struct cpu_rows *rows, const struct cpu_tile *tile);

/* Picture row v (or the row it folds to) of the tile with its halo, to out; needs no ring. */
void cpu_rows_fill(const struct cpu_rows *rows, int v, uint32_t *out);

/* Prepares what output row y needs; rows must come in ascending order. */
void cpu_rows_advance(struct cpu_rows *rows, int y);

/* Points at[] at what the sums for output row y read: mask_height lines, or half as many pairs. */
void cpu_rows_pointers(const struct cpu_rows *rows, int y, const uint32_t **at);

#endif
