/* The samples that a PNG must give when it is read, by the specification, and pictures of all kinds
 * of PNG. For encoders and decoders in tests; shares no code with the program. */
#ifndef STENCIL_TESTS_CODEC_PNG_PIXELS_H
#define STENCIL_TESTS_CODEC_PNG_PIXELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/image.h"
#include "tests/codec/png_maker.h"

/* True if IMAGE is MAKER's picture as the program reads it: palette and tRNS applied, samples of
 * few bits expanded to eight. WHERE (160 bytes) describes a difference. */
bool png_pixels_agree(const struct maker *maker, const struct image *image, char *where);

/* Calls CHECK with pictures of every colour type and depth in odd sizes, with all filters,
 * interlaced or not, in one chunk or several, with or without a tRNS. */
void png_pixels_each(bool with_trns, void (*check)(const struct maker *maker));

/* Calls CHECK with pictures of one kind and size, with all filters, interlaced or not. */
void png_pixels_kind(int colour, int depth, int width, int height, bool with_trns,
                     void (*check)(const struct maker *maker));

/* Fills a picture for an encoder: like a photograph, or flat with few colours. */
void png_pixels_fill(struct image *image, bool flat);

uint32_t png_pixels_random(uint32_t below);

#endif
