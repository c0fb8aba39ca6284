/* The interface to stb_image and stb_image_write, which only codec/stb.c includes. It handles whole
 * pictures in memory. The codecs handle files and error messages, check the data beforehand, and
 * must not call these functions with sizes past STB_MAX_BYTES. */
#ifndef STENCIL_CODEC_STB_H
#define STENCIL_CODEC_STB_H

#include "base/image.h"

/* stb counts bytes in int, so no picture, file or row buffer may be larger. */
#define STB_MAX_BYTES INT32_MAX

/* stb_image refuses a PNG with more samples than this (palettes count as four). */
#define STB_MAX_PNG_SAMPLES (1 << 30)

/* All loaders refuse larger sides. */
#define STB_MAX_SIDE (1 << 24)

/* Turns unfiltered PNG rows into an image. SKELETON is a PNG with everything but its rows
 * (make_skeleton in codec/png/decoder.c). ROWS, allocated by malloc, are the decompressed rows; stb
 * frees them. IMAGE is freed with image_free. False with a half-sentence in *why. */
bool stb_load_png(const uint8_t *skeleton, size_t bytes, uint8_t *rows, size_t rows_bytes,
                  struct image *image, const char **why);

/* Decodes a whole JPEG file into 8-bit samples. */
bool stb_load_file(const uint8_t *bytes, size_t size, struct image *image, const char **why);

/* Encodes 8-bit samples; returns a whole file, malloc'ed, or NULL when memory runs out. Needs
 * packed rows (pitch = bytes of a row) and no alpha; a gray picture becomes a file of one
 * component. */
uint8_t *stb_make_jpeg(const struct image *image, int quality, size_t *bytes);

#endif
