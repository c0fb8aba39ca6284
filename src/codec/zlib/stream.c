/* zlib streams through ISA-L (HAVE_ISAL) or libdeflate (HAVE_LIBDEFLATE): see
 * codec/zlib/stream.h.
 *
 * The two bytes of zlib's header are read here, the rest is the library's: raw
 * deflate and the Adler-32 behind it. Making streams is codec/zlib/join.c's.
 *
 * Streams in memory as a whole, or (ISA-L) piece by piece. */
#include "codec/zlib/stream.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ISAL
#include <isa-l.h>
#else
#include <libdeflate.h>
#endif

#define ZLIB_HEADER_BYTES  2
#define ZLIB_TRAILER_BYTES 4

static const char why_damaged[] = "the compressed data is damaged";
static const char why_early[] = "the compressed data ends early";
static const char why_long[] = "there is more compressed data than the picture needs";
static const char why_checksum[] = "the Adler-32 checksum does not match";
static const char why_method[] = "it is not compressed as zlib does it";
static const char why_memory[] = "there is no memory to decompress it";

/* RFC 1950: method 8 with a window up to 32 KiB, no preset dictionary, and the two
 * bytes a multiple of 31. The window size itself is not looked at: encoders exist that
 * write a smaller one than they use. */
static bool header_is_valid(const uint8_t *in)
{
    return (in[0] & 15) == 8 && (in[0] >> 4) <= 7 && (in[1] & 32) == 0 &&
           (in[0] * 256 + in[1]) % 31 == 0;
}

#ifdef HAVE_ISAL

/* ISA-L counts in 32 bits: larger buffers go through in pieces of this size. */
#define PIECE_BYTES ((size_t)1 << 30)

static uint32_t piece_of(size_t bytes)
{
    return (uint32_t)(bytes < PIECE_BYTES ? bytes : PIECE_BYTES);
}

/* What does not go to the caller's memory lands in SPARE: the bytes past CAPACITY, which
 * are too many (without them a stream that exactly fills the output could not be told from
 * one that goes on), and all of them where they are only counted. */
struct inflater {
    struct inflate_state state; /* some 100 KiB, too much for a stack */
    uint8_t spare[64 * 1024];
};

/* Runs the decoder over IN until the stream ends, breaks or outgrows CAPACITY. */
static bool inflate_all(struct inflater *inflater, const uint8_t *in, size_t bytes, uint8_t *out,
                        size_t capacity, size_t *written, const char **why)
{
    struct inflate_state *state = &inflater->state;
    size_t taken = 0;

    while (state->block_state != ISAL_BLOCK_FINISH) {
        uint32_t give = piece_of(bytes - taken);
        bool spare = !out || *written == capacity;
        uint32_t room = spare ? (uint32_t)sizeof inflater->spare : piece_of(capacity - *written);
        int result;

        state->next_in = (uint8_t *)(uintptr_t)(in + taken); /* read only, whatever its type says */
        state->avail_in = give;
        state->next_out = spare ? inflater->spare : out + *written;
        state->avail_out = room;
        result = isal_inflate(state);
        taken += give - state->avail_in;
        if (room - state->avail_out > capacity - *written) {
            *why = why_long;
            return false;
        }
        *written += room - state->avail_out;
        if (result < 0 || result == ISAL_NEED_DICT) {
            *why = result == ISAL_INCORRECT_CHECKSUM ? why_checksum : why_damaged;
            return false;
        }
        /* No progress: there is room, so it is input that is missing. */
        if (state->avail_in == give && state->avail_out == room &&
            state->block_state != ISAL_BLOCK_FINISH) {
            *why = why_early;
            return false;
        }
    }
    if (taken < bytes)
        *why = why_long;
    return taken == bytes;
}

static bool inflate_body(const uint8_t *in, size_t bytes, uint8_t *out, size_t capacity,
                         size_t *written, const char **why)
{
    struct inflater *inflater = malloc(sizeof *inflater);
    bool ok;

    if (!inflater) {
        *why = why_memory;
        return false;
    }
    isal_inflate_init(&inflater->state);
    inflater->state.crc_flag = ISAL_ZLIB_NO_HDR_VER;
    ok = inflate_all(inflater, in, bytes, out, capacity, written, why);
    free(inflater);
    return ok;
}

/* ---- piece by piece ---- */

struct zlib_reader {
    struct inflater inflater;
    const uint8_t *(*more)(void *context, size_t *bytes);
    void *context;
    const uint8_t *in; /* what is left of the piece */
    size_t bytes;
    int header_bytes; /* read so far */
    uint8_t header[ZLIB_HEADER_BYTES];
};

struct zlib_reader *zlib_reader_new(const uint8_t *(*more)(void *context, size_t *bytes),
                                    void *context)
{
    struct zlib_reader *reader = malloc(sizeof *reader);

    if (!reader)
        return NULL;
    isal_inflate_init(&reader->inflater.state);
    reader->inflater.state.crc_flag = ISAL_ZLIB_NO_HDR_VER;
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

/* Goes on to the next piece that is not empty; false where there is none. */
static bool reader_refill(struct zlib_reader *reader)
{
    while (reader->bytes == 0) {
        reader->in = reader->more(reader->context, &reader->bytes);
        if (!reader->in) {
            reader->bytes = 0;
            return false;
        }
    }
    return true;
}

static bool reader_header(struct zlib_reader *reader, const char **why)
{
    while (reader->header_bytes < ZLIB_HEADER_BYTES) {
        if (!reader_refill(reader)) {
            *why = why_early;
            return false;
        }
        reader->header[reader->header_bytes++] = *reader->in++;
        reader->bytes--;
    }
    if (!header_is_valid(reader->header))
        *why = why_method;
    return header_is_valid(reader->header);
}

bool zlib_reader_read(struct zlib_reader *reader, uint8_t *out, size_t want, size_t *got,
                      const char **why)
{
    struct inflate_state *state = &reader->inflater.state;

    *got = 0;
    if (reader->header_bytes < ZLIB_HEADER_BYTES && !reader_header(reader, why))
        return false;
    while (*got < want && state->block_state != ISAL_BLOCK_FINISH) {
        bool more = reader_refill(reader);
        uint32_t give = piece_of(reader->bytes), room = piece_of(want - *got);
        int result;

        state->next_in = (uint8_t *)(uintptr_t)reader->in; /* read only, whatever its type says */
        state->avail_in = give;
        state->next_out = out + *got;
        state->avail_out = room;
        result = isal_inflate(state);
        if (more)
            reader->in += give - state->avail_in;
        reader->bytes -= give - state->avail_in;
        *got += room - state->avail_out;
        if (result < 0 || result == ISAL_NEED_DICT) {
            *why = result == ISAL_INCORRECT_CHECKSUM ? why_checksum : why_damaged;
            return false;
        }
        /* No progress: there is room, so it is input that is missing. */
        if (!more && state->avail_out == room && state->block_state != ISAL_BLOCK_FINISH) {
            *why = why_early;
            return false;
        }
    }
    return true;
}

bool zlib_reader_end(struct zlib_reader *reader, const char **why)
{
    size_t got;

    if (!zlib_reader_read(reader, reader->inflater.spare, sizeof reader->inflater.spare, &got, why))
        return false;
    if (got > 0 || reader_refill(reader)) {
        *why = why_long;
        return false;
    }
    return true;
}

uint32_t zlib_stream_crc32(uint32_t crc, const uint8_t *data, size_t bytes)
{
    return crc32_gzip_refl(crc, data, bytes);
}

#else /* HAVE_LIBDEFLATE */

/* libdeflate says nothing about how far it came when it fails, and cannot count without
 * keeping: *written stays 0. The
 * Adler-32 is checked here and not by its zlib call, which has one answer for
 * everything that is wrong. */
static bool inflate_body(const uint8_t *in, size_t bytes, uint8_t *out, size_t capacity,
                         size_t *written, const char **why)
{
    struct libdeflate_decompressor *decompressor;
    enum libdeflate_result result;
    size_t taken = 0, got = 0;
    uint32_t adler = 0;
    int i;

    if (!out) {
        *why = why_damaged;
        return false;
    }
    decompressor = libdeflate_alloc_decompressor();
    if (!decompressor) {
        *why = why_memory;
        return false;
    }
    result = libdeflate_deflate_decompress_ex(decompressor, in, bytes, out, capacity, &taken, &got);
    libdeflate_free_decompressor(decompressor);
    if (result != LIBDEFLATE_SUCCESS) {
        *why = result == LIBDEFLATE_INSUFFICIENT_SPACE ? why_long : why_damaged;
        return false;
    }
    *written = got;
    if (bytes - taken < ZLIB_TRAILER_BYTES) {
        *why = why_early;
        return false;
    }
    for (i = 0; i < ZLIB_TRAILER_BYTES; i++)
        adler = adler << 8 | in[taken + (size_t)i];
    if (adler != libdeflate_adler32(1, out, got)) {
        *why = why_checksum;
        return false;
    }
    if (bytes - taken > ZLIB_TRAILER_BYTES)
        *why = why_long;
    return bytes - taken == ZLIB_TRAILER_BYTES;
}

uint32_t zlib_stream_crc32(uint32_t crc, const uint8_t *data, size_t bytes)
{
    return libdeflate_crc32(crc, data, bytes);
}

#endif

bool zlib_stream_inflate(const uint8_t *in, size_t bytes, uint8_t *out, size_t capacity,
                         size_t *written, const char **why)
{
    *written = 0;
    if (bytes < ZLIB_HEADER_BYTES) {
        *why = why_early;
        return false;
    }
    if (!header_is_valid(in)) {
        *why = why_method;
        return false;
    }
    return inflate_body(in + ZLIB_HEADER_BYTES, bytes - ZLIB_HEADER_BYTES, out, capacity, written,
                        why);
}
