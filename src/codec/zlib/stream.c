/* zlib streams through ISA-L (HAVE_ISAL) or zlib: see codec/zlib/stream.h. This file reads the two
 * bytes of zlib's header; the library does the rest (deflate data and the Adler-32 after it). */
#include "codec/zlib/stream.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ISAL
#include <isa-l.h>
#define CRC32   crc32_gzip_refl
#define ADLER32 isal_adler32
typedef struct inflate_state library_state; /* about 100 KiB, too much for a stack */
#else
#include <zlib.h>
#define CRC32   crc32_z
#define ADLER32 adler32_z
typedef z_stream library_state;
#endif

#define ZLIB_HEADER_BYTES 2

static const char damaged[] = "the compressed data is damaged";
static const char ends_early[] = "the compressed data ends early";
static const char too_long[] = "there is more compressed data than the picture needs";
static const char wrong_checksum[] = "the Adler-32 checksum does not match";
static const char other_method[] = "it is not compressed as zlib does it";

static bool fail(const char **why, const char *reason)
{
    *why = reason;
    return false;
}

/* The libraries count in 32 bits: larger buffers go through in pieces of this size. */
#define PIECE_BYTES ((size_t)1 << 30)

static uint32_t piece_of(size_t bytes)
{
    return (uint32_t)(bytes < PIECE_BYTES ? bytes : PIECE_BYTES);
}

struct zlib_reader {
    library_state state; /* both libraries call its first members next_in, avail_in and so on */
    const uint8_t *(*more)(void *context, size_t *bytes);
    void *context;
    const uint8_t *in; /* the rest of the piece */
    size_t bytes;
    int header_bytes; /* read so far */
    uint8_t header[ZLIB_HEADER_BYTES];
    bool ended;               /* the stream, with the right checksum */
    uint8_t spare[64 * 1024]; /* for discarded bytes */
};

/* ---- one of the libraries ---- */

#ifdef HAVE_ISAL

static bool library_begin(library_state *state)
{
    isal_inflate_init(state);
    state->crc_flag = ISAL_ZLIB_NO_HDR_VER;
    return true;
}

static void library_end(library_state *state)
{
    (void)state;
}

/* Inflates as far as input and room allow. */
static bool library_inflate(library_state *state, bool *ended, const char **why)
{
    int result = isal_inflate(state);

    *ended = state->block_state == ISAL_BLOCK_FINISH;
    return (result >= 0 && result != ISAL_NEED_DICT) ||
           fail(why, result == ISAL_INCORRECT_CHECKSUM ? wrong_checksum : damaged);
}

/* ISA-L may have taken up to three bytes behind the Adler-32 into its buffer of bits. */
static bool library_took_more(const library_state *state)
{
    return state->read_in_length >= 8;
}

#else

/* zlib reads a header: it gets one that says nothing. */
static bool library_begin(library_state *state)
{
    uint8_t header[ZLIB_HEADER_BYTES] = {0x78, 0x01};

    memset(state, 0, sizeof *state);
    if (inflateInit(state) != Z_OK)
        return false;
    state->next_in = header;
    state->avail_in = sizeof header;
    state->next_out = header; /* no room, but zlib refuses NULL */
    return inflate(state, Z_NO_FLUSH) == Z_OK;
}

static void library_end(library_state *state)
{
    inflateEnd(state);
}

/* Inflates as far as input and room allow. */
static bool library_inflate(library_state *state, bool *ended, const char **why)
{
    int result = inflate(state, Z_NO_FLUSH);

    *ended = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR)
        return true;
    if (result == Z_MEM_ERROR)
        return fail(why, "there is no memory to decompress it");
    return fail(why, state->msg && strcmp(state->msg, "incorrect data check") == 0 ? wrong_checksum
                                                                                   : damaged);
}

static bool library_took_more(const library_state *state)
{
    (void)state;
    return false;
}

#endif

/* ---- reading ---- */

struct zlib_reader *zlib_reader_new(const uint8_t *(*more)(void *context, size_t *bytes),
                                    void *context)
{
    struct zlib_reader *reader = malloc(sizeof *reader);

    if (!reader || !library_begin(&reader->state)) {
        free(reader);
        return NULL;
    }
    reader->more = more;
    reader->context = context;
    reader->in = NULL;
    reader->bytes = 0;
    reader->header_bytes = 0;
    reader->ended = false;
    return reader;
}

void zlib_reader_free(struct zlib_reader *reader)
{
    if (reader)
        library_end(&reader->state);
    free(reader);
}

/* Advances to the next piece that is not empty; false if there is none. */
static bool refill(struct zlib_reader *reader)
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

/* Checks RFC 1950's header: method 8 with a window up to 32 KiB, no preset dictionary, and the two
 * bytes a multiple of 31. The window size itself is ignored: some encoders write a smaller size
 * than they use. */
static bool read_header(struct zlib_reader *reader, const char **why)
{
    const uint8_t *header = reader->header;

    while (reader->header_bytes < ZLIB_HEADER_BYTES) {
        if (!refill(reader))
            return fail(why, ends_early);
        reader->header[reader->header_bytes++] = *reader->in++;
        reader->bytes--;
    }
    return ((header[0] & 15) == 8 && (header[0] >> 4) <= 7 && (header[1] & 32) == 0 &&
            (header[0] * 256 + header[1]) % 31 == 0) ||
           fail(why, other_method);
}

bool zlib_reader_read(struct zlib_reader *reader, uint8_t *out, size_t want, size_t *got,
                      const char **why)
{
    library_state *state = &reader->state;

    *got = 0;
    if (reader->header_bytes < ZLIB_HEADER_BYTES && !read_header(reader, why))
        return false;
    while (*got < want && !reader->ended) {
        bool more = refill(reader), ok;
        uint32_t give = piece_of(reader->bytes), room = piece_of(want - *got);

        state->next_in = (uint8_t *)(uintptr_t)reader->in; /* only read, despite the type */
        state->avail_in = give;
        state->next_out = out + *got;
        state->avail_out = room;
        ok = library_inflate(state, &reader->ended, why);
        if (more)
            reader->in += give - state->avail_in;
        reader->bytes -= give - state->avail_in;
        *got += room - state->avail_out;
        if (!ok)
            return false;
        /* No progress although there is room: input is missing. */
        if (!more && state->avail_out == room && !reader->ended)
            return fail(why, ends_early);
    }
    return true;
}

bool zlib_reader_skip(struct zlib_reader *reader, uint64_t most, uint64_t *got, const char **why)
{
    size_t some = 1;
    bool ok = true;

    for (*got = 0; ok && some > 0 && *got < most; *got += some) {
        uint64_t want = most - *got;
        want = want < sizeof reader->spare ? want : sizeof reader->spare;
        ok = zlib_reader_read(reader, reader->spare, (size_t)want, &some, why);
    }
    return ok;
}

bool zlib_reader_end(struct zlib_reader *reader, const char **why)
{
    size_t got;

    return zlib_reader_read(reader, reader->spare, sizeof reader->spare, &got, why) &&
           ((got == 0 && !library_took_more(&reader->state) && !refill(reader)) ||
            fail(why, too_long));
}

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
