/* What a picture file says beside its samples and a decoder does not keep: named in
 * one line for people (source_warning). Only what changes how the picture looks or
 * where it came from counts; comments, dates and print sizes go without a word. */
#ifndef STENCIL_CODEC_DROPPED_H
#define STENCIL_CODEC_DROPPED_H

#include <stddef.h>

enum dropped {
    DROPPED_ICC = 1,
    DROPPED_EXIF = 2,
    DROPPED_GAMMA = 4,   /* another than sRGB's */
    DROPPED_COLOURS = 8, /* primaries or a colour space other than sRGB's */
    DROPPED_FRAMES = 16, /* an animation's */
};

/* "in.png: ICC profile and EXIF data are not kept" into TEXT; empty where DROPPED is 0. */
void dropped_describe(unsigned dropped, const char *name, char *text, size_t bytes);

#endif
