/* zlib streams (RFC 1950) through ISA-L or libdeflate, whichever the build found:
 * the two hooks that stb leaves open, and the CRC of PNG chunks. */
#ifndef STENCIL_ZLIB_STREAM_H
#define STENCIL_ZLIB_STREAM_H

#include <stdint.h>

#include "error.h"

/* Inflates a complete zlib stream into OUT. True only if the stream ends properly, its Adler-32
 * agrees and it holds at most CAPACITY bytes; *written says how many. *why is a half-sentence
 * ("the compressed data is damaged", "the Adler-32 checksum does not match", ...). Where it
 * fails, *written is how many bytes came out before if the library tells (ISA-L), else 0; for
 * that alone OUT may be NULL: bytes are then counted and not kept (libdeflate: refused). */
bool zlib_stream_inflate(const uint8_t *in, size_t bytes, uint8_t *out, size_t capacity,
                         size_t *written, const char **why);

/* Deflates into a malloc'ed buffer holding one zlib stream; THREADS strips are compressed side by
 * side and joined where the library can (sync flush). The bytes are the same for any THREADS.
 * NULL when memory runs out. */
uint8_t *zlib_stream_deflate(const uint8_t *in, size_t bytes, int threads, size_t *out_bytes);

/* CRC-32 as PNG uses it; start with 0. */
uint32_t zlib_stream_crc32(uint32_t crc, const uint8_t *data, size_t bytes);

#endif
