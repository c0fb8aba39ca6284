/* zlib streams (RFC 1950) through ISA-L or libdeflate, whichever the build found,
 * and the CRC of PNG chunks. Making such streams is codec/zlib/join.h's. */
#ifndef STENCIL_CODEC_ZLIB_STREAM_H
#define STENCIL_CODEC_ZLIB_STREAM_H

#include <stdint.h>

#include "base/error.h"

/* Inflates a complete zlib stream into OUT. True only if the stream ends properly, its Adler-32
 * agrees and it holds at most CAPACITY bytes; *written says how many. *why is a half-sentence
 * ("the compressed data is damaged", "the Adler-32 checksum does not match", ...). Where it
 * fails, *written is how many bytes came out before if the library tells (ISA-L), else 0; for
 * that alone OUT may be NULL: bytes are then counted and not kept (libdeflate: refused). */
bool zlib_stream_inflate(const uint8_t *in, size_t bytes, uint8_t *out, size_t capacity,
                         size_t *written, const char **why);

/* A stream read piece by piece; only with ISA-L. MORE gives the next piece of compressed data,
 * NULL behind the last; pieces stay valid until the next is asked for. */
struct zlib_reader;
struct zlib_reader *zlib_reader_new(const uint8_t *(*more)(void *context, size_t *bytes),
                                    void *context); /* NULL: no memory */
void zlib_reader_free(struct zlib_reader *reader);  /* NULL is harmless */

/* Up to WANT bytes; *got is less only where the stream ended properly. *why as above. */
bool zlib_reader_read(struct zlib_reader *reader, uint8_t *out, size_t want, size_t *got,
                      const char **why);

/* Whether the stream ends here, with the right checksum. */
bool zlib_reader_end(struct zlib_reader *reader, const char **why);

/* CRC-32 as PNG uses it; start with 0. */
uint32_t zlib_stream_crc32(uint32_t crc, const uint8_t *data, size_t bytes);

#endif
