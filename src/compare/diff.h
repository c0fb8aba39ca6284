/* Draws where two pictures differ and how much, row by row while they are compared: A in dark
 * gray, and each pixel that differs in a colour for its largest difference, on a logarithmic
 * scale.
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

struct compare_diff;

/* A picture at PATH, in the format of its extension (EXIT_USAGE when there is none); BARE: the
 * differences alone, one to one, without profiles and scale. Nothing is opened yet. */
bool compare_diff_new(struct compare_diff **diff, const char *path, bool bare, int threads,
                      struct error *err);

/* For compare_files; valid until the diff is freed. */
const struct compare_watcher *compare_diff_watcher(struct compare_diff *diff);

/* Draws the part below the picture and gives the file its name. Does nothing for pictures that are
 * not comparable, of which nothing was drawn. */
bool compare_diff_finish(struct compare_diff *diff, const struct compare_result *result,
                         struct error *err);

/* Without compare_diff_finish no file is left. NULL is harmless. */
void compare_diff_free(struct compare_diff *diff);

/* The colour of a difference of D in samples up to MAX. */
void compare_diff_color(uint32_t d, uint32_t max, uint8_t rgb[3]);

#endif
