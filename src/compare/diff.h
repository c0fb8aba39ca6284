/* Private to src/compare. Draws where two pictures differ and how much, row by row while they are
 * compared: A in dark gray, and each pixel that differs in a colour for its largest difference, on
 * a logarithmic scale.
 *
 *     +-------------------+ +-+
 *     |                   | | |   the profiles: on the right the largest difference of
 *     |     picture       | | |   each row, below that of each column. They show where
 *     |                   | | |   a single pixel differs
 *     +-------------------+ +-+
 *     +-------------------+
 *     0 1 3 7 15 ...    255       the scale, and a summary in words
 *
 * Small pictures are drawn larger, each pixel as a square. */
#ifndef STENCIL_COMPARE_DIFF_H
#define STENCIL_COMPARE_DIFF_H

#include "compare/compare.h"

struct diff;

/* Before anything is opened: the format is that of the extension (EXIT_USAGE where there is none).
 */
bool diff_check(const struct compare_drawing *drawing, struct error *err);

/* Begins the drawing for pictures like IN. Free it also when this fails. */
bool diff_begin(struct diff **made, const struct compare_drawing *drawing,
                const struct image_info *in, int threads, struct error *err);

/* The next rows of A, and for each pixel the largest difference of its channels (16 bits). */
bool diff_rows(struct diff *diff, const struct image *rows, const struct image *differences,
               struct error *err);

/* Draws the part below the picture and gives the file its name. */
bool diff_finish(struct diff *diff, const struct compare_result *result, struct error *err);

/* Without diff_finish no file is left. NULL is harmless. */
void diff_free(struct diff *diff);

/* The colour of a difference of D in samples up to MAX. */
void diff_color(uint32_t d, uint32_t max, uint8_t rgb[3]);

#endif
