/* zlib streams (RFC 1950) made of strips that are compressed on their own, by any
 * number of threads (codec/zlib/literals.h, codec/zlib/repeats.h): header, strips in order, end,
 * and the Adler-32 of all of it. */
#ifndef STENCIL_CODEC_ZLIB_JOIN_H
#define STENCIL_CODEC_ZLIB_JOIN_H

#include <stddef.h>
#include <stdint.h>

/* What stands before the first strip, and what behind the last where the Adler-32 of all
 * strips' data is ADLER; both return how many bytes they wrote. */
#define ZLIB_BEGIN_BYTES   2
#define ZLIB_MAX_END_BYTES 6
size_t zlib_strip_begin(uint8_t *out);
size_t zlib_strip_end(uint8_t *out, uint32_t adler);

/* Adler-32; start with 1. */
uint32_t zlib_strip_adler32(uint32_t adler, const uint8_t *data, size_t bytes);

/* The Adler-32 of two pieces of data one after the other, from the pieces' own; the second is
 * LENGTH bytes long. */
uint32_t zlib_strip_adler32_combine(uint32_t first, uint32_t second, uint64_t length);

#endif
