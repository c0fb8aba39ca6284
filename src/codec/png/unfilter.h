/* One PNG row's filter undone. The filters work on bytes: a is the byte one pixel
 * to the left, b the one above, c the one above a; outside the row they are 0.
 *
 *   1 sub      + a              3 average  + floor((a + b) / 2)
 *   2 up       + b              4 Paeth    + whichever of a, b, c is nearest to a + b - c
 */
#ifndef STENCIL_CODEC_PNG_UNFILTER_H
#define STENCIL_CODEC_PNG_UNFILTER_H

#include <stddef.h>
#include <stdint.h>

/* FILTER 0..4; RAW has BYTES bytes, a multiple of PIXEL (1, 2, 3, 4, 6 or 8), and goes undone to
 * OUT, which may be RAW; UP is the row above, undone (zeros above the first row). Otherwise none
 * overlaps another. */
typedef void png_unfilter_function(int filter, const uint8_t *raw, const uint8_t *up, size_t bytes,
                                   size_t pixel, uint8_t *out);

/* The definition, and the same bytes sooner. A test holds them against each other. */
png_unfilter_function png_unfilter_plain, png_unfilter;

#endif
