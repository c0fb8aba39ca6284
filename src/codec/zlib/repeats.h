/* Deflate blocks (RFC 1951) with repeats: for pictures made of flat areas and of things
 * that come again (screenshots, drawings). Photographs hold few: codec/zlib/literals.h. */
#ifndef STENCIL_CODEC_ZLIB_REPEATS_H
#define STENCIL_CODEC_ZLIB_REPEATS_H

#include <stddef.h>
#include <stdint.h>

/* How long it looks: FAST for one earlier place each time, DEFAULT for two and again one byte on,
 * SMALL for eight. */
enum deflate_effort { DEFLATE_FAST, DEFLATE_DEFAULT, DEFLATE_SMALL };

/* What it needs besides the data. NULL: no memory; free() takes it. */
struct deflate_finder;
struct deflate_finder *deflate_finder_new(void);

/* What deflate_repeats may write for BYTES bytes, with the eight that it may touch behind. */
static inline size_t deflate_repeats_bound(size_t bytes)
{
    return bytes + bytes / 1024 + 64;
}

/* Compresses BYTES bytes (1 .. 2^31), ending as deflate_huffman does; it looks at nothing before
 * IN. The result depends on the bytes and EFFORT alone. Returns how many bytes it wrote. */
size_t deflate_repeats(struct deflate_finder *finder, enum deflate_effort effort, const uint8_t *in,
                       size_t bytes, uint8_t *out);

/* What a byte will take in the mean, times 256, where LITERAL_BITS (times 256) are what one takes
 * by itself; judged by BYTES (<= 2^16) bytes. */
unsigned deflate_repeats_estimate(const uint8_t *in, size_t bytes, unsigned literal_bits);

#endif
