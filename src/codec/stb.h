/* The door to stb_image and stb_image_write, which only codec/stb.c includes. Whole
 * pictures from memory to memory; files, sentences and checks of what comes in are
 * the codecs' business, and so is not calling this with shapes past STB_MAX_BYTES. */
#ifndef STENCIL_CODEC_STB_H
#define STENCIL_CODEC_STB_H

#include "base/image.h"

/* stb counts bytes in int, so no picture, file or row buffer of its may be larger. */
#define STB_MAX_BYTES INT32_MAX

/* stb_image refuses a PNG with more samples than this (palettes count as four). */
#define STB_MAX_PNG_SAMPLES (1 << 30)

/* Larger sides are refused by all loaders. */
#define STB_MAX_SIDE (1 << 24)

/* Turns unfiltered PNG rows into an image. SKELETON is a PNG that says everything but its
 * rows (png_chunks_skeleton); ROWS, from malloc's family, are what its compressed data would
 * have held, and belong to stb from here on. IMAGE is freed with image_free. False with
 * *why a half-sentence. */
bool stb_load_png(const uint8_t *skeleton, size_t bytes, uint8_t *rows, size_t rows_bytes,
                  struct image *image, const char **why);

/* Decodes a whole JPEG file into 8-bit samples. */
bool stb_load_file(const uint8_t *bytes, size_t size, struct image *image, const char **why);

/* A whole file of 8-bit samples, malloc'ed; NULL when memory runs out. Wants packed rows (pitch =
 * bytes of a row) and no alpha; a gray picture makes a file of one component. */
uint8_t *stb_make_jpeg(const struct image *image, int quality, size_t *bytes);

#endif
