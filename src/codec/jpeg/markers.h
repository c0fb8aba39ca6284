/* The outside of a JPEG file: its markers and segments. A JPEG carries no checksum, and
 * stb_image takes what it gets; so what can be known without decoding is checked here:
 * that it is a kind of JPEG that stb_image knows, that every table is well-formed and
 * there before it is used, that all components were coded, that the data could possibly
 * hold that many blocks, and that the end is there. Damage inside the coded data may
 * pass. */
#ifndef STENCIL_CODEC_JPEG_MARKERS_H
#define STENCIL_CODEC_JPEG_MARKERS_H

#include <stdint.h>

#include "base/error.h"

struct jpeg_file {
    int width, height; /* as stored */
    int components;    /* 1 gray, 3 colour */
    int orientation;   /* codec/jpeg/exif.h */
    unsigned dropped;  /* enum dropped */
};

bool jpeg_recognise(const uint8_t *head, size_t bytes);
bool jpeg_markers_walk(struct jpeg_file *jpeg, const char *name, const uint8_t *bytes, size_t size,
                       struct error *err);

#endif
