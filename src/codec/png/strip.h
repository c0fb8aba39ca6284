/* One strip of a PNG on its way out: rows become a filtered, compressed IDAT chunk.
 * Strips know nothing of each other, so that threads can share them; codec/png/write.c
 * hands them out and puts them in order. */
#ifndef STENCIL_CODEC_PNG_STRIP_H
#define STENCIL_CODEC_PNG_STRIP_H

#include <stddef.h>
#include <stdint.h>

#include "codec/codec.h"

struct png_strip {
    uint8_t *rows; /* as the file has them (16 bits: big-endian), the row above first */
    int count;     /* without the row above */
    bool first;
    uint8_t *chunk; /* holds png_strip_bound; the whole chunk, from its length to its CRC */
    size_t chunk_bytes;
    size_t data_bytes; /* that were compressed, and their Adler-32 */
    uint32_t adler;
    bool done, failed; /* failed: no memory */
};

struct png_shape {
    size_t row_bytes, pixel; /* without the filter type; of one pixel */
    int rows;                /* of a full strip */
    enum png_level level;
};

/* The memory of one thread. NULL: there is none. */
struct png_worker;
struct png_worker *png_worker_new(const struct png_shape *shape);
void png_worker_free(struct png_worker *worker);

size_t png_strip_bound(const struct png_shape *shape);

/* Fills in chunk, chunk_bytes, data_bytes, adler and failed. */
void png_strip_make(struct png_worker *worker, const struct png_shape *shape,
                    struct png_strip *strip);

/* Writes length, type and CRC around the content of a chunk, BYTES bytes at CHUNK + PNG_CHUNK_HEAD.
 * Returns the length of the whole chunk. */
#define PNG_CHUNK_HEAD     8
#define PNG_CHUNK_OVERHEAD 12
size_t png_chunk_close(uint8_t *chunk, const char *type, size_t bytes);

#endif
