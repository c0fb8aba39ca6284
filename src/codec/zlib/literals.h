/* Deflate blocks (RFC 1951) of literals alone, each with the Huffman code that fits it
 * best. A filtered photograph holds few repeats: looking for them costs most of a
 * compressor's time there and gains nothing. Where there are repeats (screenshots), this
 * is the wrong tool. */
#ifndef STENCIL_CODEC_ZLIB_LITERALS_H
#define STENCIL_CODEC_ZLIB_LITERALS_H

#include <stddef.h>
#include <stdint.h>

/* What deflate_huffman may write for BYTES bytes, and the eight that it may touch behind. */
static inline size_t deflate_huffman_bound(size_t bytes)
{
    return bytes + bytes / 4096 + 64;
}

/* Compresses BYTES bytes (>= 1) to OUT, ending at a byte boundary (an empty stored block, as
 * zlib's sync flush), so that any deflate data may follow. Returns how many bytes it wrote. */
size_t deflate_huffman(const uint8_t *in, size_t bytes, uint8_t *out);

/* Bits that a byte takes in the mean, times 256, by the histogram's entropy; integers alone,
 * so that the same choice is made on every machine. */
unsigned deflate_huffman_estimate(const uint32_t histogram[256]);

/* Adds BYTES bytes to HISTOGRAM. */
void deflate_huffman_count(const uint8_t *in, size_t bytes, uint32_t histogram[256]);

#endif
