/* Deflate data (RFC 1951): two ways of compressing bytes, and estimates of what they save. Both end
 * at a byte boundary (an empty stored block, as zlib's sync flush), so that strips that were
 * compressed on their own can follow each other. Their result depends on the bytes alone.
 *
 * `literals` writes single bytes, each block with the Huffman code that fits it best. A filtered
 * photograph holds few repeats: looking for them costs most of a compressor's time there and gains
 * nothing. `repeats` finds them, for pictures made of flat areas and of things that come again
 * (screenshots, drawings). */
#ifndef STENCIL_CODEC_ZLIB_DEFLATE_H
#define STENCIL_CODEC_ZLIB_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

/* Room for what either writes for BYTES bytes, and for eight bytes more that it may touch. */
static inline size_t deflate_bound(size_t bytes)
{
    return bytes + bytes / 1024 + 64;
}

/* ---- literals ---- */

/* Compresses BYTES bytes (>= 1) to OUT; returns how many bytes it wrote. */
size_t deflate_literals(const uint8_t *in, size_t bytes, uint8_t *out);

/* Bits that a byte takes in the mean, times 256, by the entropy of BYTES bytes, and at least one;
 * integers alone, so that the same choice is made on every machine. */
unsigned deflate_literals_estimate(const uint8_t *in, size_t bytes);

/* ---- repeats ---- */

/* How long it looks: FAST for one earlier place each time, DEFAULT for two and again one byte on,
 * SMALL for eight. */
enum deflate_effort { DEFLATE_FAST, DEFLATE_DEFAULT, DEFLATE_SMALL };

/* Memory that it needs besides the data. NULL: there is none; free() takes it. */
struct deflate_finder;
struct deflate_finder *deflate_finder_new(void);

/* Compresses BYTES bytes (1 .. 2^31) to OUT; it looks at nothing before IN. */
size_t deflate_repeats(struct deflate_finder *finder, enum deflate_effort effort, const uint8_t *in,
                       size_t bytes, uint8_t *out);

/* Bits that a byte takes in the mean with repeats, times 256, where a single byte takes
 * LITERAL_BITS (times 256); judged by BYTES (<= 2^16) bytes. */
unsigned deflate_repeats_estimate(const uint8_t *in, size_t bytes, unsigned literal_bits);

#endif
