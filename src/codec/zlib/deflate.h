/* Deflate data (RFC 1951): two ways to compress bytes, and estimates of what they save. The output
 * of both ends at a byte boundary (an empty stored block, like zlib's sync flush), so that strips
 * compressed separately can be joined. The output depends on the bytes alone.
 *
 * `literals` writes single bytes, each block with the Huffman code that fits it best, and of
 * repeats only runs of zeros, which flat areas leave. A filtered photograph holds few other
 * repeats: searching for them takes most of a compressor's time and gains almost nothing. `repeats`
 * searches for them, for pictures made of flat areas and recurring shapes (screenshots, drawings).
 */
#ifndef STENCIL_CODEC_ZLIB_DEFLATE_H
#define STENCIL_CODEC_ZLIB_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The room that both need for BYTES bytes. Their output is seldom larger than BYTES; literals may
 * take 15 bits each until they are found to be too large. */
static inline size_t deflate_bound(size_t bytes)
{
    return bytes + bytes / 8 * 7 + bytes / 1024 + 512;
}

/* ---- literals ---- */

/* Compresses BYTES bytes (>= 1) to OUT; returns the number of bytes written. */
size_t deflate_literals(const uint8_t *in, size_t bytes, uint8_t *out);

/* Mean bits of a byte, times 256, by the entropy of BYTES bytes; at least one bit. Uses integers
 * only, so that every machine makes the same choice. */
#define DEFLATE_LEAST_BITS 256
unsigned deflate_literals_estimate(const uint8_t *in, size_t bytes);

/* ---- repeats ---- */

/* Working memory besides the data; freed by free(). NULL: out of memory. */
struct deflate_finder;
struct deflate_finder *deflate_finder_new(void);

/* Compresses BYTES bytes (1 .. 2^31) to OUT; uses no data before IN. SMALL: tries eight earlier
 * places and also the next byte's, instead of one. */
size_t deflate_repeats(struct deflate_finder *finder, bool small, const uint8_t *in, size_t bytes,
                       uint8_t *out);

/* Mean bits of a byte with repeats, times 256, if a single byte takes LITERAL_BITS (times 256);
 * estimated from BYTES (<= 2^16) bytes. */
unsigned deflate_repeats_estimate(const uint8_t *in, size_t bytes, unsigned literal_bits);

#endif
