/* A band of rows of two pictures of one shape, taken apart into planes, and what is summed
 * over a row. Rows are independent of each other: compare/compare.c gives them to threads. */
#ifndef STENCIL_COMPARE_ROWS_H
#define STENCIL_COMPARE_ROWS_H

#include "compare/compare.h"
#include "compare/ssim.h"

/* Of one row and channel; summed over rows in order by compare/compare.c. */
struct compare_row {
    uint64_t differing, sum, squares; /* 2^31 samples of 2^32: a row fits 64 bits */
    uint32_t max_diff;
    int x; /* of max_diff, the first */
    uint32_t a, b;
    double ssim; /* of the windows whose last row this is */
};

struct compare_row_pixels {
    uint64_t differing, failing;
};

struct compare_band {
    int width, channels;
    enum sample_type type;
    uint32_t max;
    uint64_t max_diff;       /* above it a sample fails */
    int kept, rows;          /* rows of planes from before this band, then those of this one */
    int room;                /* rows of planes that there is room for */
    int side;                /* the window's height */
    int first_row;           /* the picture's row that comes first in this band */
    struct image in[2];      /* interleaved, the band's new rows */
    uint16_t *plane[2];      /* row (kept + y), channel c at ((kept + y) * channels + c) * width */
    bool *same;              /* by row and channel, as plane */
    uint16_t *diff;          /* by new row and x: the largest of its channels */
    struct compare_row *row; /* by new row and channel */
    struct compare_row_pixels *pixels; /* by new row */
};

/* Splits new row Y into its planes and fills row, pixels and diff, but for ssim. */
void compare_row_measure(struct compare_band *band, int y);

/* Fills ssim of new row Y, where a whole window ends there. The rows above it are measured. */
void compare_row_ssim(struct compare_band *band, int y, void *scratch);

#endif
