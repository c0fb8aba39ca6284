/* PNG filters put on rows, the inverse of codec/png/unfilter.h: what they leave is what the
 * row's neighbours do not foretell, and that compresses better. */
#ifndef STENCIL_CODEC_PNG_FILTER_H
#define STENCIL_CODEC_PNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

/* FILTER 0 (none), 1 (sub), 2 (up) or 4 (Paeth); average is not used. ROW and the row above it,
 * UP (zeros above the first), have BYTES bytes, a multiple of PIXEL; OUT gets as many. */
typedef void png_filter_function(int filter, const uint8_t *row, const uint8_t *up, size_t bytes,
                                 size_t pixel, uint8_t *out);

/* The definition, and the same bytes sooner. A test holds them against each other. */
png_filter_function png_filter_plain, png_filter;

#endif
