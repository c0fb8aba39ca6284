/* Counts the data reuse of tiled convolution: how often the textbook's kernels load input cells
 * without and with tiling, for one tile and for a whole grid of tiles, and how often each cell of a
 * tile is used. `stencilcli reuse` prints the counts as tables, JSON or CSV; the bench shows them
 * beside measured times. Closed formulas over integers: this code runs no kernel and ignores
 * caches.
 *
 *      ghost cells       input tile = output tile + halo cells
 *     . . |_________________________|       output x uses input x-a .. x-a+k-1:
 *     g g | T outputs  | T outputs  | ...   a cells of halo on the left (and above),
 *     boundary tile     internal tile       k-1-a on the right (and below)
 *
 * All counts are products of one count per axis, even when they are summed over the tiles of a
 * grid. 1D is 2D with a mask and a tile one cell high. */
#ifndef STENCIL_BENCH_REUSE_H
#define STENCIL_BENCH_REUSE_H

#include <stdio.h>

#include "base/error.h"

/* Cells in the textbook are floats. */
#define REUSE_CELL_BYTES 4
/* The most threads of a block on any CUDA device. */
#define REUSE_BLOCK_THREADS 1024
/* 65536^2 * 255^2 is far inside 64 bits, so a tile's counts need no range checks. */
#define REUSE_MAX_TILE 65536

struct reuse_shape {
    int dims;                    /* 1 or 2 */
    int mask_width, mask_height; /* 1 to 255; the height is 1 in 1D */
    int anchor_x, anchor_y;      /* inside the mask */
    int tile; /* width of the output tile, 1 to REUSE_MAX_TILE; in 2D its height too */
};

/* A tile's place along an axis that is long enough to have all three. */
enum reuse_place { REUSE_INSIDE, REUSE_FIRST, REUSE_LAST };

/* Sums over one or more tiles. */
#define REUSE_COUNTS 7
struct reuse_counts {
    union {
        struct {
            long long tiles;
            long long outputs;         /* cells of the output tiles */
            long long cells;           /* of the input tiles: internal, halo and ghost cells */
            long long multiplications; /* outputs times mask cells, including ghost cells */
            long long basic; /* loads of the basic kernel; multiplications without ghost cells */
            long long tiled; /* loads of the tiled kernel: cells without ghost cells */
            long long
                shared_uses; /* loads of basic that find their cell in the same output tile:
                                the cached kernel has it in shared memory; L2 has the others */
        };
        long long all[REUSE_COUNTS];
    };
};

/* The counts of one whole tile at a given place; in 1D place_y is REUSE_INSIDE. */
struct reuse_counts reuse_tile_count(const struct reuse_shape *shape, enum reuse_place place_x,
                                     enum reuse_place place_y);

/* A place that a tile can have. */
struct reuse_position {
    const char *name; /* "internal", "left", ..., "bottom right" */
    enum reuse_place x, y;
};

/* The internal tile first, then edges, then corners; 3 in 1D, 9 in 2D. */
const struct reuse_position *reuse_positions(int dims, int *count);
#define REUSE_POSITIONS 9

/* The whole grid of tiles over an array (height 1) or picture, for all channels. */
struct reuse_grid {
    long long blocks_x, blocks_y;
    /* An internal tile is whole and needs no ghost cell; all other tiles are boundary tiles. */
    struct reuse_counts total, internal, boundary;
    long long ghost_cells;                 /* around the array, counted once for each channel */
    long long shared_tiled, shared_cached; /* bytes of shared memory, summed over all blocks */
};

/* WIDTH and HEIGHT are 1 to INT32_MAX, CHANNELS at least 1. EXIT_USAGE if a count exceeds 64
 * bits. */
bool reuse_grid_count(const struct reuse_shape *shape, long long width, long long height,
                      int channels, struct reuse_grid *grid, struct error *err);

/* A thread block as in the textbook. tiled: Fig. 7.11 in 1D, a thread for each output; Figs.
 * 7.19-7.21 in 2D, a thread for each cell of the input tile. cached: Fig. 7.13, a thread for each
 * output and only the internal cells in shared memory. */
struct reuse_block {
    long long threads, shared_bytes;
};
struct reuse_block reuse_block_tiled(const struct reuse_shape *shape);
struct reuse_block reuse_block_cached(const struct reuse_shape *shape);

/* How many of TILE outputs use cell INDEX of their input tile (0 to tile + mask - 2), along one
 * axis; in 2D a cell's uses are the product of both axes' uses. */
int reuse_uses(int mask, int tile, int index);

/* ---- exact ratios ---- */

struct reuse_fraction {
    long long numerator, denominator; /* reduced */
};

/* NUMERATOR >= 0, DENOMINATOR >= 1. */
struct reuse_fraction reuse_fraction_make(long long numerator, long long denominator);

/* Loads of basic for one load of tiled; COUNTS covers at least one tile. */
struct reuse_fraction reuse_reduction(const struct reuse_counts *counts);

/* The fraction with DECIMALS digits (0 to 9) after the point, rounded half up: "4.8". */
#define REUSE_TEXT_CHARS 40
void reuse_fraction_text(char text[REUSE_TEXT_CHARS], struct reuse_fraction fraction, int decimals);

/* ---- notes: cases in which the sources print another number ---- */

/* A note about SHAPE, an internal tile with a square mask: the source, its ratio of loads, and the
 * exact ratio. NULL if the sources agree or say nothing. */
struct reuse_note {
    int dims, mask, tile;
    const char *source;
    const char *prints; /* the source's ratio of loads, with the source's digits */
    int decimals;
    const char *why;
};
const struct reuse_note *reuse_note_find(const struct reuse_shape *shape);

/* The note as sentences, with the exact ratio computed. */
#define REUSE_NOTE_CHARS 512
void reuse_note_text(char text[REUSE_NOTE_CHARS], const struct reuse_note *note,
                     const struct reuse_shape *shape);

/* ---- printing (bench/reuse_print.c) ---- */

/* The most masks, and the most tiles, in one command. */
#define REUSE_LIST_MAX 16

/* One mask with its tiles: the shapes differ only in the tile. */
struct reuse_table {
    struct reuse_shape shape[REUSE_LIST_MAX];
    struct reuse_grid grid[REUSE_LIST_MAX]; /* for each shape, if the report has a size */
    int tiles;
};

struct reuse_report {
    struct reuse_table table[2 * REUSE_LIST_MAX]; /* first those of 1D */
    int tables;
    /* The real array or picture; its height matters only in 2D. */
    bool has_size;
    const char *input; /* the picture's name, or NULL */
    long long width, height;
    int channels;
};

void reuse_print_text(FILE *out, const struct reuse_report *report);
void reuse_print_json(FILE *out, const struct reuse_report *report); /* one object per tile */
void reuse_print_csv(FILE *out, const struct reuse_report *report);

#endif
