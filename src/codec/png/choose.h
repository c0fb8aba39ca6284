/* How a strip of a PNG is best filtered and compressed, judged by a sample of it. */
#ifndef STENCIL_CODEC_PNG_CHOOSE_H
#define STENCIL_CODEC_PNG_CHOOSE_H

#include "codec/codec.h"

struct png_choice {
    int filter;   /* see codec/png/filter.h */
    bool repeats; /* codec/zlib/repeats.h, else codec/zlib/literals.h */
};

#define PNG_CHOOSE_SCRATCH ((size_t)4 * 12288)

/* For PNG_LEVEL_SMALL repeats are not chosen: whoever wants it small tries them all.
 * COUNT rows of BYTES bytes lie one after the other at ROWS, the row above them before the first;
 * a pixel has PIXEL bytes. SCRATCH holds PNG_CHOOSE_SCRATCH bytes. */
void png_choose(struct png_choice *choice, enum png_level level, const uint8_t *rows, int count,
                size_t bytes, size_t pixel, uint8_t *scratch);

#endif
