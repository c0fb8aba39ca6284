/* libpng as a judge of the program's PNG code: an encoder and a decoder that share no code with the
 * program. Only in builds that found libpng. */
#ifndef STENCIL_TESTS_CODEC_PNG_PEER_H
#define STENCIL_TESTS_CODEC_PNG_PEER_H

#include <stdbool.h>

#include "tests/codec/png_maker.h"

/* Encodes MAKER's picture with libpng, with chunks that change no sample (text before and after,
 * times, sizes, background, sRGB); malloc'ed. */
uint8_t *peer_encode(const struct maker *maker, size_t *bytes);

struct peer_picture {
    struct maker maker; /* describes the picture found; its pointers point into this struct */
    uint16_t *samples;  /* malloc'ed */
    uint8_t palette[3 * 256], trns[256];
};

/* Reads a whole file. False, with libpng's message in WHY (160 bytes), at its first error or
 * warning. Exceptions:
 *   - chunks that change no sample are not read (but their CRC is checked);
 *   - libpng warns of bits above the depth in a tRNS and ignores them, as the program does. */
bool peer_decode(struct peer_picture *picture, const uint8_t *file, size_t bytes, char *why);
void peer_free(struct peer_picture *picture);

#endif
