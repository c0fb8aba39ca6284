/* Private to src/compare. Draws where two pictures differ and by how much, row by row during the
 * comparison: A in dark gray, and each differing pixel in a colour for its largest difference, on a
 * logarithmic scale, as bright as the pixel of A.
 *
 *     +-------------------+ +-+
 *     |                   | | |   the profiles: on the right the largest difference of
 *     |     picture       | | |   each row, at the bottom that of each column. They make
 *     |                   | | |   a single differing pixel visible
 *     +-------------------+ +-+
 *     +-------------------+
 *     0 1 3 7 15 ...    255       the scale, and a summary in words
 *
 * Small pictures are enlarged, each pixel to a square. */
#ifndef STENCIL_COMPARE_DIFF_H
#define STENCIL_COMPARE_DIFF_H

#include "compare/compare.h"

struct diff;

/* Checks, before any file is opened, that the drawing's extension names a format (else
 * EXIT_USAGE). */
bool diff_check(const struct compare_drawing *drawing, struct error *err);

/* Begins the drawing for pictures like IN. Free it even after a failure. */
bool diff_begin(struct diff **made, const struct compare_drawing *drawing,
                const struct image_info *in, int threads, struct error *err);

/* Draws the next rows of A; DIFFERENCES has each pixel's largest difference (16 bits). */
bool diff_rows(struct diff *diff, const struct image *rows, const struct image *differences,
               struct error *err);

/* Draws the part below the picture and renames the file into place. */
bool diff_finish(struct diff *diff, const struct compare_result *result, struct error *err);

/* Frees the drawing; without diff_finish before, no file is left. NULL is harmless. */
void diff_free(struct diff *diff);

/* The colour of a difference of D in samples up to MAX. */
void diff_color(uint32_t d, uint32_t max, uint8_t rgb[3]);

#endif
