/* The bytes of a PNG file by their place in it: a regular file is read through a window
 * (from chunk to chunk to check it, then its picture), so that memory does not
 * grow with it; the bytes of a pipe are held in memory. The compressed data of the picture is
 * handed out piece by piece, as the IDAT chunks hold it. */
#ifndef STENCIL_CODEC_PNG_BYTES_H
#define STENCIL_CODEC_PNG_BYTES_H

#include "codec/input.h"

/* Half of a small L2. */
#define PNG_BYTES_WINDOW ((size_t)128 * 1024)
#define PNG_BYTES_HOP    ((size_t)1024)

struct png_bytes {
    struct input *input;
    const uint8_t *memory; /* all of it, owned by the input; else NULL */
    uint8_t *window;       /* else the `held` bytes of the file from `start` on */
    size_t start, held;
    size_t size;
    bool hopping; /* a few bytes here and there are asked for: PNG_BYTES_HOP are read at a time */
};

/* Nothing may have been read from INPUT. It must outlive BYTES. */
bool png_bytes_open(struct png_bytes *bytes, struct input *input, struct error *err);
void png_bytes_close(struct png_bytes *bytes); /* harmless where all is 0 */

/* The bytes at PLACE: WANT (<= PNG_BYTES_HOP) or more, fewer only at the end of the file; *have
 * says how many. Valid until the next call. NULL: the file cannot be read. */
const uint8_t *png_bytes_at(struct png_bytes *bytes, size_t place, size_t want, size_t *have,
                            struct error *err);

/* Copies COUNT bytes from PLACE; an error where the file has become shorter. */
bool png_bytes_copy(struct png_bytes *bytes, size_t place, uint8_t *to, size_t count,
                    struct error *err);

/* The content of IDAT chunks that follow each other, with their CRCs checked on the way. */
struct png_pieces {
    struct png_bytes *bytes;
    size_t place;      /* of the next byte in the file */
    size_t chunk_left; /* in the chunk */
    size_t left;       /* in all chunks */
    bool in_chunk;     /* its CRC is still to be checked: */
    uint32_t crc;      /* of the chunk's bytes that were handed out */
    bool failed;
    struct error err;
};

/* FIRST: the place of the first chunk. SIZE: of the content of all of them. */
void png_pieces_begin(struct png_pieces *pieces, struct png_bytes *bytes, size_t first,
                      size_t size);

/* Fits zlib_reader_new: the next piece of CONTEXT (a struct png_pieces), NULL behind the last and
 * where the file cannot be read or a CRC is wrong (failed). */
const uint8_t *png_pieces_next(void *context, size_t *bytes);

/* All pieces, one behind the other, to INTO. */
bool png_pieces_gather(struct png_pieces *pieces, uint8_t *into, struct error *err);

static inline uint32_t png_get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint8_t *png_put32(uint8_t *to, uint32_t value)
{
    int i;

    for (i = 0; i < 4; i++)
        *to++ = (uint8_t)(value >> (24 - 8 * i));
    return to;
}

#endif
