/* A picture of where two pictures differ and how much, drawn row by row while they are
 * compared: A in dark gray, and over it each pixel that differs in a colour for its largest
 * difference, on a logarithmic scale.
 *
 *     +-------------------+ +-+
 *     |                   | | |   right of it the largest difference of each row,
 *     |     picture       | | |   below it that of each column: a single pixel that
 *     |                   | | |   nobody would find has its row and its column
 *     +-------------------+ +-+
 *     +-------------------+
 *     0 1 3 7 15 ...    255       the scale, and what was found in words
 *
 * Small pictures are drawn larger, each pixel as a square. */
#ifndef STENCIL_COMPARE_DIFF_H
#define STENCIL_COMPARE_DIFF_H

#include "compare/compare.h"

struct compare_diff;

/* A picture at PATH, in the format of its extension (EXIT_USAGE when there is none); BARE: the
 * differences alone, one to one, without strips and scale. Nothing is opened yet. */
bool compare_diff_new(struct compare_diff **diff, const char *path, bool bare, int threads,
                      struct error *err);

/* To be handed to compare_files; valid until the diff is freed. */
const struct compare_watcher *compare_diff_watcher(struct compare_diff *diff);

/* Draws what is below the picture and puts the file in its place; nothing when nothing was drawn
 * because the pictures are not comparable. */
bool compare_diff_finish(struct compare_diff *diff, const struct compare_result *result,
                         struct error *err);

void compare_diff_free(
    struct compare_diff *diff); /* unfinished: nothing is left; NULL is harmless */

/* The colour of a difference of D in samples up to MAX. */
void compare_diff_color(uint32_t d, uint32_t max, uint8_t rgb[3]);

#endif
