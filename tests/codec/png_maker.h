/* A small PNG encoder for tests: any colour type, depth, filter, interlacing and division into
 * chunks. It is written from the specification and shares no code with the program's own PNG code
 * (not even CRC and Adler-32). It is simple and slow, since its pictures are small. */
#ifndef STENCIL_TESTS_CODEC_PNG_MAKER_H
#define STENCIL_TESTS_CODEC_PNG_MAKER_H

#include <stddef.h>
#include <stdint.h>

#define MAKER_CYCLE 5 /* as filter: row y has filter y % 5 */

struct maker {
    int width, height, depth, colour, interlaced;
    int filter;              /* 0..4, or MAKER_CYCLE */
    const uint16_t *samples; /* width*height*samples per pixel, each below 2^depth */
    const uint8_t *palette;  /* PLTE's content */
    size_t palette_bytes;    /* 0: none */
    const uint8_t *trns;     /* tRNS's content */
    size_t trns_bytes;       /* 0: none */
    const char *extra_type;  /* type of one more chunk before the picture, or NULL */
    const void *extra;
    size_t extra_bytes;
    size_t piece;   /* bytes of each IDAT chunk; 0: all in one */
    int compressed; /* 0: stored blocks; else maker_deflate compresses */
};

/* Samples of a pixel for a PNG colour type. */
int maker_samples(int colour);

/* Compresses DATA to one zlib stream, in strips of STRIP bytes; every other strip has only
 * literals. Malloc'ed. */
uint8_t *maker_deflate(const uint8_t *data, size_t bytes, size_t strip, size_t *made);

/* The file, malloc'ed. */
uint8_t *maker_make(const struct maker *maker, size_t *bytes);

#endif
