/* The bytes of a PNG file by their place in it: a regular file is read through a window
 * (from chunk to chunk to check it, then its picture), so that memory does not
 * grow with it; what comes through a pipe is held in memory. */
#ifndef STENCIL_CODEC_PNG_BYTES_H
#define STENCIL_CODEC_PNG_BYTES_H

#include "codec/input.h"

/* Half of a small L2. */
#define PNG_BYTES_WINDOW ((size_t)128 * 1024)
#define PNG_BYTES_HOP    ((size_t)1024)

struct png_bytes {
    struct input *input;
    const uint8_t *memory; /* all of it, owned by the input; else NULL */
    uint8_t *window;       /* else what stands at start, `held` bytes */
    size_t start, held;
    size_t size;
    bool hopping; /* little is wanted of each place: PNG_BYTES_HOP is read at a time */
};

/* Nothing may have been read from INPUT. It must outlive BYTES. */
bool png_bytes_open(struct png_bytes *bytes, struct input *input, struct error *err);
void png_bytes_close(struct png_bytes *bytes); /* harmless where all is 0 */

/* What stands at PLACE: WANT (<= PNG_BYTES_HOP) bytes or more, less only at the end of the file;
 * *have says how many. Valid until the next call. NULL: the file cannot be read. */
const uint8_t *png_bytes_at(struct png_bytes *bytes, size_t place, size_t want, size_t *have,
                            struct error *err);

static inline uint32_t png_get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

#endif
