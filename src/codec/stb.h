/* The interface to stb_image, which only codec/stb.c includes. It decodes whole pictures in memory.
 * The caller handles files and error messages, and checks the data and STB_MAX_BYTES beforehand. */
#ifndef STENCIL_CODEC_STB_H
#define STENCIL_CODEC_STB_H

#include "base/image.h"

/* stb counts bytes in int, so no picture, file or row buffer may be larger. */
#define STB_MAX_BYTES INT32_MAX

/* stb_image refuses a PNG with more samples than this (palettes count as four). */
#define STB_MAX_PNG_SAMPLES (1 << 30)

/* Larger sides are refused. */
#define STB_MAX_SIDE (1 << 24)

/* Turns unfiltered PNG rows into an image. SKELETON is a PNG with everything but its rows
 * (make_skeleton in codec/png/decoder.c). ROWS, allocated by malloc, are the decompressed rows; stb
 * frees them. IMAGE is freed with image_free. False with a half-sentence in *why. */
bool stb_load_png(const uint8_t *skeleton, size_t bytes, uint8_t *rows, size_t rows_bytes,
                  struct image *image, const char **why);

#endif
