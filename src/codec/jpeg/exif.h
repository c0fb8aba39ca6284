/* The one thing that is read out of EXIF data: which way up the picture is, and what
 * to do about it. Cameras store what the sensor saw and say how they were held; in the
 * upright picture the first stored row and column are
 *
 *           1     2     3       4       5     6      7       8
 *   row     top   top   bottom  bottom  left  right  right   left
 *   column  left  right right   left    top   top    bottom  bottom
 *
 * so 5 to 8 exchange width and height. */
#ifndef STENCIL_CODEC_JPEG_EXIF_H
#define STENCIL_CODEC_JPEG_EXIF_H

#include "base/image.h"

/* 1..8 from the TIFF structure of EXIF data; 1 (upright) where it says nothing or nonsense. */
int exif_orientation(const uint8_t *tiff, size_t bytes);

/* Turns the picture upright, into new memory unless it is; NAME is for the sentence. */
bool exif_turn_upright(struct image *image, int orientation, const char *name, struct error *err);

#endif
