/* Private to codec/jpeg/: the check of a file before it is decoded (markers.c), and the orientation
 * of the picture (decoder.c). */
#ifndef STENCIL_CODEC_JPEG_JPEG_H
#define STENCIL_CODEC_JPEG_JPEG_H

#include "codec/format.h"

struct jpeg_file {
    int width, height; /* as stored */
    int components;    /* 1 gray, 3 colour */
    int orientation;
    unsigned dropped; /* enum dropped */
};

bool jpeg_recognise(const uint8_t *head, size_t bytes);

/* Checks what can be known without decoding. A JPEG carries no checksum, and stb_image takes what
 * it gets: so it must be of a kind that stb_image knows, every table must be well-formed and stand
 * before its use, all components must be coded, the data must be long enough to hold so many
 * blocks, and the end must be there. Damage inside the coded data may pass. */
bool jpeg_check(struct jpeg_file *jpeg, const char *name, const uint8_t *bytes, size_t size,
                struct error *err);

/* 1..8 from the TIFF structure of EXIF data; 1 (upright) where it says nothing or nonsense. Cameras
 * store what the sensor saw and say how they were held; in the upright picture the first stored
 * row and column are
 *
 *           1     2     3       4       5     6      7       8
 *   row     top   top   bottom  bottom  left  right  right   left
 *   column  left  right right   left    top   top    bottom  bottom
 *
 * so 5 to 8 exchange width and height. */
int jpeg_orientation(const uint8_t *tiff, size_t bytes);

#endif
