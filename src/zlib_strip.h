/* zlib streams (RFC 1950) made of strips that are compressed on their own, by any
 * number of threads: header, strips in order, end, and the Adler-32 of all of it.
 *
 * libdeflate cannot stop at a byte boundary and go on: with it the whole is one strip. */
#ifndef STENCIL_ZLIB_STRIP_H
#define STENCIL_ZLIB_STRIP_H

#include <stddef.h>
#include <stdint.h>

/* What a compressor needs besides the data; one for each thread. NULL: no memory. */
struct zlib_strip;
struct zlib_strip *zlib_strip_new(void);
void zlib_strip_free(struct zlib_strip *strip);

/* Whether more than one strip is possible. */
#ifdef HAVE_ISAL
#define ZLIB_STRIPS_JOIN 1
#else
#define ZLIB_STRIPS_JOIN 0
#endif

/* How a strip is compressed: by repeats, or by single bytes where there are hardly any. */
enum zlib_method { ZLIB_REPEATS, ZLIB_LITERALS };

/* Compresses BYTES (1 .. 2^31) bytes; OUT holds zlib_strip_bound(BYTES). Returns how many bytes
 * it wrote; 0: no memory. */
size_t zlib_strip_bound(size_t bytes);
size_t zlib_strip_deflate(struct zlib_strip *strip, enum zlib_method method, const uint8_t *in,
                          size_t bytes, uint8_t *out);

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
