/* A BMP file's headers, of all kinds that were ever common (12 to 124 bytes), read
 * into one struct and checked against the file's length. */
#ifndef STENCIL_CODEC_BMP_HEADER_H
#define STENCIL_CODEC_BMP_HEADER_H

#include <stdint.h>

#include "base/error.h"

struct bmp_file {
    int width, height;
    bool top_down;
    int bits;               /* per pixel: 1, 4, 8, 16, 24 or 32 */
    uint32_t mask[4];       /* red, green, blue, alpha where bits is 16 or 32; alpha 0: none */
    bool alpha_is_a_guess;  /* 32 bits without masks: the fourth byte is alpha if any is not 0 */
    const uint8_t *palette; /* blue, green, red and, where an entry has four bytes, nothing */
    int palette_entries, palette_entry_bytes;
    const uint8_t *pixels; /* rows as they are stored */
    size_t row_bytes;      /* with the padding to a multiple of four */
    size_t row_used;       /* without it */
    unsigned dropped;      /* enum dropped */
};

bool bmp_recognise(const uint8_t *head, size_t bytes);

/* The pointers in BMP lie in BYTES. The last row may lack its padding. */
bool bmp_header_read(struct bmp_file *bmp, const char *name, const uint8_t *bytes, size_t size,
                     struct error *err);

#endif
