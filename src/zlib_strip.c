/* Compressing strips: see zlib_strip.h. ISA-L finds repeats and ends at a byte
 * boundary (full flush); literals are deflate_huffman.c's, which ends there too. The
 * bytes depend on the data alone. */
#include "zlib_strip.h"

#include <stdbool.h>
#include <stdlib.h>

#include "deflate_huffman.h"

#ifdef HAVE_ISAL
#include <isa-l.h>

struct zlib_strip {
    struct isal_zstream stream;
    uint8_t level_buffer[ISAL_DEF_LVL1_DEFAULT];
};

struct zlib_strip *zlib_strip_new(void)
{
    return malloc(sizeof(struct zlib_strip));
}

void zlib_strip_free(struct zlib_strip *strip)
{
    free(strip);
}

/* Where compressing does not pay ISA-L stores: 5 bytes per block of at most 65535, and the
 * flushes; rounded up amply. */
size_t zlib_strip_bound(size_t bytes)
{
    return bytes + bytes / 64 + 128;
}

/* ISA-L 2.30's first hash at level 1 is one of the compressor's address, so that it finds other
 * repeats every time, unless it begins with a piece too short for its main loop: that is given to
 * it and flushed first (about ten bytes more). */
#define FIRST_PIECE 4

static bool feed(struct isal_zstream *stream, size_t bytes, uint16_t flush)
{
    stream->avail_in = (uint32_t)bytes;
    stream->flush = flush;
    return isal_deflate(stream) == COMP_OK && stream->avail_in == 0;
}

size_t zlib_strip_deflate(struct zlib_strip *strip, enum zlib_method method, const uint8_t *in,
                          size_t bytes, uint8_t *out)
{
    struct isal_zstream *stream = &strip->stream;
    uint32_t room = (uint32_t)zlib_strip_bound(bytes);
    size_t first = bytes > FIRST_PIECE ? FIRST_PIECE : 0;

    if (method == ZLIB_LITERALS)
        return deflate_huffman(in, bytes, out);
    isal_deflate_init(stream);
    stream->hist_bits = 0; /* its stateless twin forgets this one */
    stream->level = 1;
    stream->level_buf = strip->level_buffer;
    stream->level_buf_size = sizeof strip->level_buffer;
    stream->next_in = (uint8_t *)(uintptr_t)in; /* read only, whatever its type says */
    stream->next_out = out;
    stream->avail_out = room;
    if (first > 0 && !feed(stream, first, SYNC_FLUSH))
        return 0;
    if (!feed(stream, bytes - first, FULL_FLUSH))
        return 0;
    return room - stream->avail_out;
}

uint32_t zlib_strip_adler32(uint32_t adler, const uint8_t *data, size_t bytes)
{
    return isal_adler32(adler, data, bytes);
}

#else /* HAVE_LIBDEFLATE */
#include <libdeflate.h>

struct zlib_strip *zlib_strip_new(void)
{
    return (struct zlib_strip *)libdeflate_alloc_compressor(1);
}

void zlib_strip_free(struct zlib_strip *strip)
{
    libdeflate_free_compressor((struct libdeflate_compressor *)strip);
}

size_t zlib_strip_bound(size_t bytes)
{
    return libdeflate_deflate_compress_bound(NULL, bytes);
}

/* libdeflate ends the stream, which deflate_huffman does not: METHOD is not looked at. */
size_t zlib_strip_deflate(struct zlib_strip *strip, enum zlib_method method, const uint8_t *in,
                          size_t bytes, uint8_t *out)
{
    (void)method;
    return libdeflate_deflate_compress((struct libdeflate_compressor *)strip, in, bytes, out,
                                       zlib_strip_bound(bytes));
}

uint32_t zlib_strip_adler32(uint32_t adler, const uint8_t *data, size_t bytes)
{
    return libdeflate_adler32(adler, data, bytes);
}

#endif

size_t zlib_strip_begin(uint8_t *out)
{
    out[0] = 0x78; /* deflate, a window of 32 KiB */
    out[1] = 0x01; /* the fastest level; 0x7801 is a multiple of 31 */
    return ZLIB_BEGIN_BYTES;
}

size_t zlib_strip_end(uint8_t *out, uint32_t adler)
{
    uint8_t *to = out;
    int i;

    if (ZLIB_STRIPS_JOIN) { /* the last block, with the fixed code and nothing in it */
        *to++ = 3;
        *to++ = 0;
    }
    for (i = 0; i < 4; i++)
        *to++ = (uint8_t)(adler >> (24 - 8 * i));
    return (size_t)(to - out);
}

/* With A = 1 + sum of bytes and B = sum of the running As: the second piece's As all start
 * from A1 instead of 1, and it has LENGTH of them. */
uint32_t zlib_strip_adler32_combine(uint32_t first, uint32_t second, uint64_t length)
{
    const uint64_t base = 65521;
    uint64_t a1 = first & 0xffff, b1 = first >> 16;
    uint64_t a2 = second & 0xffff, b2 = second >> 16;
    uint64_t a = (a1 + a2 + base - 1) % base;
    uint64_t b = (b1 + b2 + (length % base) * ((a1 + base - 1) % base)) % base;

    return (uint32_t)(b << 16 | a);
}
