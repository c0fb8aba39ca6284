/* zlib streams through ISA-L (HAVE_ISAL) or libdeflate (HAVE_LIBDEFLATE): see codec/zlib/stream.h.
 * This file reads the two bytes of zlib's header; the library does the rest (raw deflate and the
 * Adler-32 after it). */
#include "codec/zlib/stream.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ISAL
#include <isa-l.h>
#define CRC32   crc32_gzip_refl
#define ADLER32 isal_adler32
#else
#include <libdeflate.h>
#define CRC32   libdeflate_crc32
#define ADLER32 libdeflate_adler32
#endif

#define ZLIB_HEADER_BYTES  2
#define ZLIB_TRAILER_BYTES 4

static const char damaged[] = "the compressed data is damaged";
static const char ends_early[] = "the compressed data ends early";
static const char too_long[] = "there is more compressed data than the picture needs";
static const char wrong_checksum[] = "the Adler-32 checksum does not match";
static const char other_method[] = "it is not compressed as zlib does it";
static const char no_memory[] = "there is no memory to decompress it";

static bool fail(const char **why, const char *reason)
{
    *why = reason;
    return false;
}

/* Checks RFC 1950's header: method 8 with a window up to 32 KiB, no preset dictionary, and the two
 * bytes a multiple of 31. The window size itself is ignored: some encoders write a smaller size
 * than they use. */
static bool check_header(const uint8_t *in, const char **why)
{
    return ((in[0] & 15) == 8 && (in[0] >> 4) <= 7 && (in[1] & 32) == 0 &&
            (in[0] * 256 + in[1]) % 31 == 0) ||
           fail(why, other_method);
}

#ifdef HAVE_ISAL

/* ---- ISA-L: piece by piece ---- */

/* ISA-L counts in 32 bits: larger buffers go through in pieces of this size. */
#define PIECE_BYTES ((size_t)1 << 30)

static uint32_t piece_of(size_t bytes)
{
    return (uint32_t)(bytes < PIECE_BYTES ? bytes : PIECE_BYTES);
}

struct zlib_reader {
    struct inflate_state state;                           /* about 100 KiB, too much for a stack */
    const uint8_t *(*more)(void *context, size_t *bytes); /* NULL: there is only one piece */
    void *context;
    const uint8_t *in; /* the rest of the piece */
    size_t bytes;
    int header_bytes; /* read so far */
    uint8_t header[ZLIB_HEADER_BYTES];
    uint8_t spare[64 * 1024]; /* for discarded bytes */
};

struct zlib_reader *zlib_reader_new(const uint8_t *(*more)(void *context, size_t *bytes),
                                    void *context)
{
    struct zlib_reader *reader = malloc(sizeof *reader);

    if (!reader)
        return NULL;
    isal_inflate_init(&reader->state);
    reader->state.crc_flag = ISAL_ZLIB_NO_HDR_VER;
    reader->more = more;
    reader->context = context;
    reader->in = NULL;
    reader->bytes = 0;
    reader->header_bytes = 0;
    return reader;
}

void zlib_reader_free(struct zlib_reader *reader)
{
    free(reader);
}

/* Advances to the next piece that is not empty; false if there is none. */
static bool refill(struct zlib_reader *reader)
{
    while (reader->bytes == 0) {
        reader->in = reader->more ? reader->more(reader->context, &reader->bytes) : NULL;
        if (!reader->in) {
            reader->bytes = 0;
            return false;
        }
    }
    return true;
}

static bool read_header(struct zlib_reader *reader, const char **why)
{
    while (reader->header_bytes < ZLIB_HEADER_BYTES) {
        if (!refill(reader))
            return fail(why, ends_early);
        reader->header[reader->header_bytes++] = *reader->in++;
        reader->bytes--;
    }
    return check_header(reader->header, why);
}

bool zlib_reader_read(struct zlib_reader *reader, uint8_t *out, size_t want, size_t *got,
                      const char **why)
{
    struct inflate_state *state = &reader->state;

    *got = 0;
    if (reader->header_bytes < ZLIB_HEADER_BYTES && !read_header(reader, why))
        return false;
    while (*got < want && state->block_state != ISAL_BLOCK_FINISH) {
        bool more = refill(reader);
        uint32_t give = piece_of(reader->bytes), room = piece_of(want - *got);
        int result;

        state->next_in = (uint8_t *)(uintptr_t)reader->in; /* only read, despite the type */
        state->avail_in = give;
        state->next_out = out + *got;
        state->avail_out = room;
        result = isal_inflate(state);
        if (more)
            reader->in += give - state->avail_in;
        reader->bytes -= give - state->avail_in;
        *got += room - state->avail_out;
        if (result < 0 || result == ISAL_NEED_DICT)
            return fail(why, result == ISAL_INCORRECT_CHECKSUM ? wrong_checksum : damaged);
        /* No progress although there is room: input is missing. */
        if (!more && state->avail_out == room && state->block_state != ISAL_BLOCK_FINISH)
            return fail(why, ends_early);
    }
    return true;
}

/* Whether nothing follows the stream. ISA-L may have taken up to three bytes behind the Adler-32
 * into its buffer of bits. */
static bool is_at_end(struct zlib_reader *reader)
{
    return reader->state.read_in_length < 8 && !refill(reader);
}

bool zlib_reader_end(struct zlib_reader *reader, const char **why)
{
    size_t got;

    return zlib_reader_read(reader, reader->spare, sizeof reader->spare, &got, why) &&
           ((got == 0 && is_at_end(reader)) || fail(why, too_long));
}

/* ---- ISA-L: a stream in memory ---- */

bool zlib_stream_inflate(const uint8_t *in, size_t bytes, uint8_t *out, size_t capacity,
                         size_t *written, const char **why)
{
    struct zlib_reader *reader = zlib_reader_new(NULL, NULL);
    size_t want, got;
    bool ok;

    *written = 0;
    if (!reader)
        return fail(why, no_memory);
    reader->in = in;
    reader->bytes = bytes;
    do { /* repeats only if bytes are not kept */
        want = capacity - *written;
        if (!out && want > sizeof reader->spare)
            want = sizeof reader->spare;
        ok = zlib_reader_read(reader, out ? out : reader->spare, want, &got, why);
        *written += got;
    } while (ok && got == want && *written < capacity);
    if (ok) { /* check whether the stream goes on after filling OUT exactly */
        ok = zlib_reader_read(reader, reader->spare, sizeof reader->spare, &got, why);
        if (got > 0 || (ok && !is_at_end(reader)))
            ok = fail(why, too_long);
    }
    zlib_reader_free(reader);
    return ok;
}

#else /* HAVE_LIBDEFLATE */

/* libdeflate does not report its progress when it fails, and cannot count without storing: *written
 * stays 0. The Adler-32 is checked here, since libdeflate's zlib call reports all errors alike. */
bool zlib_stream_inflate(const uint8_t *in, size_t bytes, uint8_t *out, size_t capacity,
                         size_t *written, const char **why)
{
    struct libdeflate_decompressor *decompressor;
    enum libdeflate_result result;
    size_t taken = 0, got = 0;
    uint32_t adler = 0;

    *written = 0;
    if (bytes < ZLIB_HEADER_BYTES)
        return fail(why, ends_early);
    if (!check_header(in, why))
        return false;
    if (!out)
        return fail(why, damaged);
    decompressor = libdeflate_alloc_decompressor();
    if (!decompressor)
        return fail(why, no_memory);
    in += ZLIB_HEADER_BYTES;
    bytes -= ZLIB_HEADER_BYTES;
    result = libdeflate_deflate_decompress_ex(decompressor, in, bytes, out, capacity, &taken, &got);
    libdeflate_free_decompressor(decompressor);
    if (result != LIBDEFLATE_SUCCESS)
        return fail(why, result == LIBDEFLATE_INSUFFICIENT_SPACE ? too_long : damaged);
    *written = got;
    if (bytes - taken < ZLIB_TRAILER_BYTES)
        return fail(why, ends_early);
    for (int i = 0; i < ZLIB_TRAILER_BYTES; i++)
        adler = adler << 8 | in[taken + (size_t)i];
    if (adler != ADLER32(1, out, got))
        return fail(why, wrong_checksum);
    return bytes - taken == ZLIB_TRAILER_BYTES || fail(why, too_long);
}

#endif

/* ---- writing ---- */

size_t zlib_stream_begin(uint8_t *out)
{
    out[0] = 0x78; /* deflate, a window of 32 KiB */
    out[1] = 0x01; /* the fastest level; 0x7801 is a multiple of 31 */
    return ZLIB_BEGIN_BYTES;
}

size_t zlib_stream_end(uint8_t *out, uint32_t adler)
{
    out[0] = 3; /* the last block, with the fixed code and nothing in it */
    out[1] = 0;
    for (int i = 0; i < 4; i++)
        out[2 + i] = (uint8_t)(adler >> (24 - 8 * i));
    return ZLIB_END_BYTES;
}

/* ---- checksums ---- */

uint32_t zlib_crc32(uint32_t crc, const uint8_t *data, size_t bytes)
{
    return CRC32(crc, data, bytes);
}

uint32_t zlib_adler32(uint32_t adler, const uint8_t *data, size_t bytes)
{
    return ADLER32(adler, data, bytes);
}

/* With A = 1 + sum of bytes and B = sum of the running As: every A of the second piece starts from
 * A1 instead of 1, and there are LENGTH of them. */
uint32_t zlib_adler32_combine(uint32_t first, uint32_t second, uint64_t length)
{
    const uint64_t base = 65521;
    uint64_t a1 = first & 0xffff, b1 = first >> 16;
    uint64_t a2 = second & 0xffff, b2 = second >> 16;
    uint64_t a = (a1 + a2 + base - 1) % base;
    uint64_t b = (b1 + b2 + (length % base) * ((a1 + base - 1) % base)) % base;

    return (uint32_t)(b << 16 | a);
}
