/* zlib streams through ISA-L (HAVE_ISAL) or libdeflate (HAVE_LIBDEFLATE): see
 * zlib_stream.h.
 *
 * The two bytes of zlib's header are read here, the rest is the library's: raw
 * deflate and the Adler-32 behind it. Deflating cuts the data into strips of a fixed
 * size, which any number of threads may take in any order, and joins them at byte
 * boundaries (full flush), so the bytes depend on the data alone. libdeflate cannot
 * flush; there one thread makes one stream.
 *
 * Only whole streams in memory: nothing here reads or writes piece by piece. */
#include "zlib_stream.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ISAL
#include <isa-l.h>

#include "parallel.h"
#else
#include <libdeflate.h>
#endif

#define ZLIB_HEADER_BYTES  2
#define ZLIB_TRAILER_BYTES 4

static const char why_damaged[] = "the compressed data is damaged";
static const char why_early[] = "the compressed data ends early";
static const char why_long[] = "there is more compressed data than the picture needs";
static const char why_checksum[] = "the Adler-32 checksum does not match";
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
    return true;
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

/* 256 KiB stays in a core's L2 cache, gives two threads something to share from
 * 300 x 300 RGB pixels on, and costs about 100 bytes of block header per strip:
 * a 4K photograph came out within 0.1 % of the size that strips of 4 MiB gave. */
#define STRIP_BYTES ((size_t)1 << 18)

/* Bytes that a strip may grow to. Where compressing does not pay ISA-L stores: 5 bytes
 * per block of at most 65535, and the flush; rounded up amply. */
#define STRIP_BOUND (STRIP_BYTES + STRIP_BYTES / 64 + 64)

struct strip {
    size_t bytes; /* compressed; 0: it failed */
    uint32_t adler;
};

struct strips {
    const uint8_t *in;
    size_t bytes;
    int count;
    uint8_t *out; /* strip i is written at i * STRIP_BOUND */
    struct strip *strip;
};

static size_t strip_length(const struct strips *strips, int i)
{
    size_t first = (size_t)i * STRIP_BYTES;
    size_t left = strips->bytes - first;
    return left < STRIP_BYTES ? left : STRIP_BYTES;
}

static void strip_deflate(void *context, int i, int worker)
{
    struct strips *strips = context;
    const uint8_t *in = strips->in + (size_t)i * STRIP_BYTES;
    size_t length = strip_length(strips, i);
    struct isal_zstream *stream = malloc(sizeof *stream);
    uint8_t *level_buffer = malloc(ISAL_DEF_LVL1_DEFAULT);

    (void)worker;
    if (stream && level_buffer) {
        isal_deflate_stateless_init(stream);
        /* ISA-L 2.30 leaves this one as it finds it, and the compressed bytes depend on it. */
        stream->hist_bits = 0;
        stream->level = 1;
        stream->level_buf = level_buffer;
        stream->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
        stream->flush = FULL_FLUSH;
        stream->end_of_stream = i == strips->count - 1;
        stream->next_in = (uint8_t *)(uintptr_t)in;
        stream->avail_in = (uint32_t)length;
        stream->next_out = strips->out + (size_t)i * STRIP_BOUND;
        stream->avail_out = STRIP_BOUND;
        if (isal_deflate_stateless(stream) == COMP_OK && stream->avail_in == 0)
            strips->strip[i].bytes = STRIP_BOUND - stream->avail_out;
        strips->strip[i].adler = isal_adler32(1, in, length);
    }
    free(level_buffer);
    free(stream);
}

/* The Adler-32 of two pieces of data one after the other, from the pieces' own. With
 * A = 1 + sum of bytes and B = sum of the running As: the second piece's As all start
 * from A1 instead of 1, and it has LENGTH of them. */
static uint32_t adler32_combine(uint32_t first, uint32_t second, uint64_t length)
{
    const uint64_t base = 65521;
    uint64_t a1 = first & 0xffff, b1 = first >> 16;
    uint64_t a2 = second & 0xffff, b2 = second >> 16;
    uint64_t a = (a1 + a2 + base - 1) % base;
    uint64_t b = (b1 + b2 + (length % base) * ((a1 + base - 1) % base)) % base;

    return (uint32_t)(b << 16 | a);
}

/* Moves the strips together behind the header, in place: no strip moves past its start
 * but the first, and that one lies where it belongs. */
static uint8_t *strips_join(const struct strips *strips, uint8_t *buffer, size_t *out_bytes)
{
    uint8_t *end = buffer + ZLIB_HEADER_BYTES;
    uint32_t adler = 1;
    int i;

    buffer[0] = 0x78; /* deflate, a window of 32 KiB */
    buffer[1] = 0x01; /* the fastest level; 0x7801 is a multiple of 31 */
    for (i = 0; i < strips->count; i++) {
        if (strips->strip[i].bytes == 0) {
            free(buffer);
            return NULL;
        }
        memmove(end, strips->out + (size_t)i * STRIP_BOUND, strips->strip[i].bytes);
        end += strips->strip[i].bytes;
        adler = adler32_combine(adler, strips->strip[i].adler, strip_length(strips, i));
    }
    for (i = 0; i < ZLIB_TRAILER_BYTES; i++)
        *end++ = (uint8_t)(adler >> (24 - 8 * i));
    *out_bytes = (size_t)(end - buffer);
    return buffer;
}

uint8_t *zlib_stream_deflate(const uint8_t *in, size_t bytes, int threads, size_t *out_bytes)
{
    struct strips strips = {.in = in, .bytes = bytes};
    size_t count = bytes ? (bytes + STRIP_BYTES - 1) / STRIP_BYTES : 1;
    uint8_t *buffer;

    if (count > INT32_MAX)
        return NULL;
    strips.count = (int)count;
    strips.strip = calloc(count, sizeof *strips.strip);
    buffer = malloc(ZLIB_HEADER_BYTES + count * STRIP_BOUND + ZLIB_TRAILER_BYTES);
    if (strips.strip && buffer) {
        strips.out = buffer + ZLIB_HEADER_BYTES;
        parallel_for(threads, strips.count, strip_deflate, &strips);
        buffer = strips_join(&strips, buffer, out_bytes);
    } else {
        free(buffer);
        buffer = NULL;
    }
    free(strips.strip);
    return buffer;
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
    return true;
}

uint8_t *zlib_stream_deflate(const uint8_t *in, size_t bytes, int threads, size_t *out_bytes)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(1);
    size_t bound;
    uint8_t *out = NULL;

    (void)threads;
    if (!compressor)
        return NULL;
    bound = libdeflate_zlib_compress_bound(compressor, bytes);
    out = malloc(bound);
    *out_bytes = out ? libdeflate_zlib_compress(compressor, in, bytes, out, bound) : 0;
    libdeflate_free_compressor(compressor);
    if (*out_bytes == 0) {
        free(out);
        out = NULL;
    }
    return out;
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
        *why = "it is not compressed as zlib does it";
        return false;
    }
    return inflate_body(in + ZLIB_HEADER_BYTES, bytes - ZLIB_HEADER_BYTES, out, capacity, written,
                        why);
}
