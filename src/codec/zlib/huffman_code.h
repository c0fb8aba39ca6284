/* The parts of deflate blocks (RFC 1951): a writer of bits, Huffman codes, and the headers of
 * blocks. Private to codec/zlib/: literals.c and repeats.c decide what blocks hold. */
#ifndef STENCIL_CODEC_ZLIB_HUFFMAN_CODE_H
#define STENCIL_CODEC_ZLIB_HUFFMAN_CODE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DEFLATE_END       256 /* the end of a block, after the 256 literals */
#define DEFLATE_LITERALS  286 /* with the end and the lengths of repeats */
#define DEFLATE_DISTANCES 30

/* Writes up to 8 bytes behind what it has written. */
struct deflate_writer {
    uint8_t *out;
    uint64_t bits; /* those not yet written, the next one lowest */
    unsigned count;
};

static inline void deflate_flush(struct deflate_writer *w)
{
    uint64_t value = w->bits;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(w->out, &value, 8);
    w->out += w->count >> 3;
    w->bits >>= w->count & ~7U;
    w->count &= 7;
}

/* Without writing them: at most 57 bits between two flushes. */
static inline void deflate_add(struct deflate_writer *w, uint64_t value, unsigned bits)
{
    w->bits |= value << w->count;
    w->count += bits;
}

static inline void deflate_put(struct deflate_writer *w, unsigned value, unsigned bits)
{
    deflate_add(w, value, bits);
    deflate_flush(w);
}

struct deflate_code {
    uint32_t entry[DEFLATE_LITERALS]; /* the code, first bit lowest, and its length from bit 16 */
    uint8_t length[DEFLATE_LITERALS];
};

/* The canonical code (RFC 1951, 3.2.2) of at most LIMIT (<= 15) bits for FREQUENCY (each below
 * 2^16), of which at least two are not 0. */
void deflate_code_build(struct deflate_code *code, const uint32_t *frequency, int symbols,
                        unsigned limit);

/* How a block tells its codes. */
struct deflate_header {
    uint8_t symbol[DEFLATE_LITERALS + DEFLATE_DISTANCES];
    uint8_t extra[DEFLATE_LITERALS + DEFLATE_DISTANCES];
    int count, literals, distances;
    struct deflate_code code;
};

/* The first LITERALS (>= 257) and DISTANCES (>= 2) lengths of the two codes. */
void deflate_header_build(struct deflate_header *header, const struct deflate_code *literal,
                          int literals, const struct deflate_code *distance, int distances);
size_t deflate_header_bits(const struct deflate_header *header);
void deflate_header_write(struct deflate_writer *w, const struct deflate_header *header);

/* BYTES bytes as they are, in as many stored blocks as they need; none is one empty block. */
void deflate_stored(struct deflate_writer *w, const uint8_t *in, size_t bytes);

#endif
