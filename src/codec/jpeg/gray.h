/* Gray JPEG files. stb_image_write always writes three components, and a gray picture
 * must come back gray: this makes a file of one component out of what it writes. */
#ifndef STENCIL_CODEC_JPEG_GRAY_H
#define STENCIL_CODEC_JPEG_GRAY_H

#include "base/image.h"

/* A whole file for an 8-bit gray picture, malloc'ed; NULL when memory runs out. */
uint8_t *jpeg_gray_make(const struct image *image, int quality, size_t *bytes);

#endif
