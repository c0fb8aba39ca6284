/* PNG's filters. Before a row is compressed, a value that is foretold from a byte's neighbours is
 * taken off every byte: the differences compress better. When the row is read, the value is added
 * again. a is the byte one pixel to the left, b the one above, c the one above a; outside the row
 * they are 0. The filters foretell
 *
 *   0 none   0    3 average  floor((a + b) / 2)
 *   1 sub    a    4 Paeth    the one of a, b, c that is nearest to a + b - c
 *   2 up     b */
#ifndef STENCIL_CODEC_PNG_FILTER_H
#define STENCIL_CODEC_PNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

/* ROW has BYTES bytes, a multiple of PIXEL (1, 2, 3, 4, 6 or 8), UP is the row above without its
 * filter (zeros above the first), and OUT gets as many bytes. None overlaps another, but for
 * unfiltering OUT may be ROW. Average is only undone: png_filter is not asked for it. */
typedef void png_filter_function(int filter, const uint8_t *row, const uint8_t *up, size_t bytes,
                                 size_t pixel, uint8_t *out);

/* The definitions, and the same bytes sooner. A test holds them against each other. */
png_filter_function png_filter_plain, png_filter;
png_filter_function png_unfilter_plain, png_unfilter;

#endif
