/* zlib streams (RFC 1950): reading them piece by piece, writing the bytes before and behind deflate
 * data (codec/zlib/deflate.h), and checksums. */
#ifndef STENCIL_CODEC_ZLIB_STREAM_H
#define STENCIL_CODEC_ZLIB_STREAM_H

#include <stdint.h>

#include "base/error.h"

/* ---- reading ---- */

/* MORE returns the next piece of compressed data, NULL after the last; a piece stays valid until
 * MORE is called again. */
struct zlib_reader;
struct zlib_reader *zlib_reader_new(const uint8_t *(*more)(void *context, size_t *bytes),
                                    void *context); /* NULL: no memory */
void zlib_reader_free(struct zlib_reader *reader);  /* NULL is harmless */

/* Reads up to WANT bytes; *got is less only if the stream ended properly, or when it fails. *why is
 * then a half-sentence ("the compressed data is damaged", "the Adler-32 checksum does not match"
 * ...). */
bool zlib_reader_read(struct zlib_reader *reader, uint8_t *out, size_t want, size_t *got,
                      const char **why);

/* Reads up to MOST bytes and drops them. */
bool zlib_reader_skip(struct zlib_reader *reader, uint64_t most, uint64_t *got, const char **why);

/* Whether the stream ends here, with the right checksum, and nothing follows it. */
bool zlib_reader_end(struct zlib_reader *reader, const char **why);

/* ---- writing ---- */

/* Write the bytes before the deflate data and the bytes after it; ADLER is the Adler-32 of the
 * uncompressed data. Both return the number of bytes. */
#define ZLIB_BEGIN_BYTES 2
#define ZLIB_END_BYTES   6
size_t zlib_stream_begin(uint8_t *out);
size_t zlib_stream_end(uint8_t *out, uint32_t adler);

/* ---- checksums ---- */

uint32_t zlib_crc32(uint32_t crc, const uint8_t *data, size_t bytes);     /* start with 0 */
uint32_t zlib_adler32(uint32_t adler, const uint8_t *data, size_t bytes); /* start with 1 */

/* Combines the Adler-32 of two adjacent pieces of data; the second is LENGTH bytes long. */
uint32_t zlib_adler32_combine(uint32_t first, uint32_t second, uint64_t length);

#endif
