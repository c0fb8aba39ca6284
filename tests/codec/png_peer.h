/* libpng as a judge of the program's PNG code: an encoder and a decoder that share nothing
 * with it. Only in builds that found libpng. */
#ifndef STENCIL_TESTS_CODEC_PNG_PEER_H
#define STENCIL_TESTS_CODEC_PNG_PEER_H

#include <stdbool.h>

#include "tests/codec/png_maker.h"

/* MAKER's picture as libpng writes it, with chunks around it that change no sample (text before and
 * behind, times, sizes, background, sRGB); malloc'ed. */
uint8_t *peer_encode(const struct maker *maker, size_t *bytes);

struct peer_picture {
    struct maker maker; /* what was found; its pointers lie here */
    uint16_t *samples;  /* malloc'ed */
    uint8_t palette[3 * 256], trns[256];
};

/* Reads a whole file. False, with libpng's word on it (WHY, 160 places), at its first error or
 * warning, except that:
 *   - chunks that change no sample are not looked into (but their CRC is checked);
 *   - it warns of bits above the depth in a tRNS, and then does not count them, as we do. */
bool peer_decode(struct peer_picture *picture, const uint8_t *file, size_t bytes, char *why);
void peer_free(struct peer_picture *picture);

#endif
