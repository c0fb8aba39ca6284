/* What a PNG's samples must look like once it is read, from the specification, and all the
 * kinds of PNG there are. For encoders and decoders of the tests; nothing here is the
 * program's own. */
#ifndef STENCIL_TESTS_CODEC_PNG_PIXELS_H
#define STENCIL_TESTS_CODEC_PNG_PIXELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/image.h"
#include "tests/codec/png_maker.h"

/* True if IMAGE is MAKER's picture as the program reads it: palette and tRNS applied, few bits made
 * eight. WHERE (160 places) says what differs. */
bool png_pixels_agree(const struct maker *maker, const struct image *image, char *where);

/* Calls CHECK with pictures of every colour type and depth in odd sizes, all filters, interlaced or
 * not, in one chunk or several, with a tRNS or (for all colour types) without. */
void png_pixels_each(bool with_trns, void (*check)(const struct maker *maker));

/* A picture for an encoder: like a photograph, or flat with few colours. */
void png_pixels_fill(struct image *image, bool flat);

uint32_t png_pixels_random(uint32_t below);

#endif
