/* zlib streams: deflated data inflates to the same bytes, for all sizes and methods; truncated,
 * changed or too long streams are refused; CRC-32 is PNG's. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/zlib/deflate.h"
#include "codec/zlib/stream.h"
#include "tests/codec/png_maker.h"
#include "tests/test.h"

/* The checksums again, as for a processor without special instructions. */
#include "base/instructions.h"
#undef HAS_INSTRUCTIONS
#define HAS_INSTRUCTIONS(glibc, compiler) false
#define zlib_crc32                        plain_crc32
#define zlib_adler32                      plain_adler32
#define zlib_adler32_combine              plain_adler32_combine
#include "codec/zlib/checksums.c"
#undef zlib_crc32
#undef zlib_adler32
#undef zlib_adler32_combine

/* The length of a strip; sizes around this length are tested. */
#define STRIP 262144

static const size_t sizes[] = {0,     1,         2,     100,       65535,
                               65536, STRIP - 1, STRIP, STRIP + 1, 3 * STRIP + 17};
#define SIZES (sizeof sizes / sizeof *sizes)

enum content { ZEROS, NOISE, TEXT, MAXIMA, CONTENTS };

static void fill(uint8_t *data, size_t bytes, enum content content)
{
    static const char words[] = "a stencil visits every cell and its neighbours ";
    uint32_t state = 7;
    size_t i;

    for (i = 0; i < bytes; i++) {
        state = state * 1664525 + 1013904223;
        data[i] = content == NOISE    ? (uint8_t)(state >> 24)
                  : content == TEXT   ? (uint8_t)words[(i + (state >> 30)) % (sizeof words - 1)]
                  : content == MAXIMA ? 255
                                      : 0;
    }
}

struct piece {
    const uint8_t *data;
    size_t bytes, most; /* MOST are handed out at once */
};

static const uint8_t *next_piece(void *context, size_t *bytes)
{
    struct piece *piece = context;
    const uint8_t *data = piece->data;

    *bytes = piece->bytes < piece->most ? piece->bytes : piece->most;
    piece->data += *bytes;
    piece->bytes -= *bytes;
    return *bytes > 0 ? data : NULL;
}

/* Inflates a whole stream in pieces of MOST bytes. */
static bool inflate_pieces(const uint8_t *in, size_t bytes, size_t most, uint8_t *out,
                           size_t capacity, size_t *written, const char **why)
{
    struct piece piece = {in, bytes, most};
    struct zlib_reader *reader = zlib_reader_new(next_piece, &piece);
    bool ok = reader && zlib_reader_read(reader, out, capacity, written, why) &&
              zlib_reader_end(reader, why);

    zlib_reader_free(reader);
    return ok;
}

static bool inflate_all(const uint8_t *in, size_t bytes, uint8_t *out, size_t capacity,
                        size_t *written, const char **why)
{
    return inflate_pieces(in, bytes, SIZE_MAX, out, capacity, written, why);
}

static void check_round_trip(const uint8_t *data, size_t bytes)
{
    size_t made, written;
    uint8_t *zlib = maker_deflate(data, bytes, STRIP, &made), *back = malloc(bytes + 1);
    const char *why = "";

    CHECKF(inflate_all(zlib, made, back, bytes, &written, &why), "%zu bytes: %s", bytes, why);
    CHECKF(written == bytes && memcmp(back, data, bytes) == 0, "%zu bytes", bytes);
    /* More room than needed makes no difference; too little is reported. */
    CHECK(inflate_all(zlib, made, back, bytes + 1, &written, &why) && written == bytes);
    if (bytes > 0) {
        CHECK(!inflate_all(zlib, made, back, bytes - 1, &written, &why));
        CHECKF(strstr(why, "more compressed data") != NULL, "%zu bytes: %s", bytes, why);
    }
    free(back);
    free(zlib);
}

static void data_comes_back(void)
{
    uint8_t *data = malloc(3 * STRIP + 17);
    int content;
    size_t s;

    for (content = 0; content < CONTENTS; content++)
        for (s = 0; s < SIZES; s++) {
            fill(data, sizes[s], (enum content)content);
            check_round_trip(data, sizes[s]);
        }
    free(data);
}

/* 24 bits of noise. */
static uint32_t noise(size_t i)
{
    uint32_t mixed = (uint32_t)i * 2654435761U;

    return (mixed ^ mixed >> 15) * 2246822519U >> 8;
}

/* The deflate data of MADE bytes at ZLIB + 2 (with room for the rest of a stream) must inflate to
 * DATA. */
static void check_body(uint8_t *zlib, size_t made, const uint8_t *data, size_t bytes, uint8_t *back,
                       unsigned kind)
{
    const char *why = "";
    size_t written = 0;

    zlib_stream_begin(zlib);
    made += 2;
    made += zlib_stream_end(zlib + made, zlib_adler32(1, data, bytes));
    CHECKF(inflate_all(zlib, made, back, bytes, &written, &why), "kind %u: %s", kind, why);
    CHECKF(written == bytes && memcmp(back, data, bytes) == 0, "kind %u", kind);
}

/* Literals alone, with codes from one bit to the longest: byte v occurs about 2^(v / step) times;
 * frequencies that are Fibonacci numbers give the longest possible codes. In the last kinds, each
 * value comes half as often as the one before, and the bytes that a sample leaves out (8 of 67 are
 * counted) are noise: all of them, or some. */
static void literals_come_back(void)
{
    enum { BYTES = 300000 };
    uint8_t *data = malloc(BYTES), *out = malloc(8 + deflate_bound(BYTES));
    uint8_t *back = malloc(BYTES);
    size_t made, i, length;
    uint32_t a, b, v, kind;

    for (kind = 0; kind < 43; kind++) {
        length = kind < 20 ? kind + 1 : kind < 30 ? BYTES - kind : 32768U * (kind - 29U) + kind % 2;
        length = length < BYTES ? length : BYTES;
        for (i = 0, a = b = 1, v = 0; i < length; v++) {
            uint32_t count = kind % 4 == 0 ? a : 1 + (v * kind * 7919 & 1023), next = a + b;
            for (; count > 0 && i < length; count--)
                data[i++] = (uint8_t)(kind % 4 == 3 ? v * v * 31 + count * count : v);
            a = b;
            b = next;
        }
        for (i = 0; kind >= 40 && i < length; i++)
            data[i] = (uint8_t)(i % 67 >= 8 + 28 * (kind - 40)
                                    ? noise(i)
                                    : (unsigned)__builtin_ctz(noise(i) | 1 << 20));
        memset(out + 2, 0xaa, 6 + deflate_bound(BYTES));
        made = deflate_literals(data, length, out + 2);
        CHECK(made <= length + length / 4096 + 64); /* literals take far less than deflate_bound */
        check_body(out, made, data, length, back, kind);
    }
    free(back);
    free(out);
    free(data);
}

/* Noise, and between it runs of 1 to 600 zeros: runs too short for a repeat, and runs that become
 * one or several repeats. Long runs take almost no bytes, and the noise takes no more than alone.
 */
static void runs_come_back(void)
{
    enum { BYTES = 300000 };
    uint8_t *data = malloc(BYTES), *out = malloc(8 + deflate_bound(BYTES));
    uint8_t *back = malloc(BYTES);
    uint32_t kind, length, zeros;

    for (kind = 0; kind < 600; kind++) {
        const uint32_t bytes = kind % 8 == 0 ? BYTES - kind : 3000 + kind, run = 1 + kind;
        size_t noisy = 0, i = 0, made;
        while (i < bytes) {
            for (length = 1 + noise(i) % 200; length > 0 && i < bytes; length--, noisy++, i++)
                data[i] = (uint8_t)(1 + noise(i) % 255);
            for (zeros = run; zeros > 0 && i < bytes; zeros--)
                data[i++] = 0;
        }
        made = deflate_literals(data, bytes, out + 2);
        CHECKF(run < 64 || made < noisy + noisy / 32 + (bytes - noisy) / 16 + 300, "%u: %zu of %u",
               kind, made, bytes);
        check_body(out, made, data, bytes, back, kind);
    }
    free(back);
    free(out);
    free(data);
}

/* Fills DATA with repeats of every length and distance; the bits of KIND select how they are mixed
 * with noise. */
static void fill_repeats(uint8_t *data, size_t bytes, uint32_t kind)
{
    static const uint32_t far[] = {1, 3, 4, 700, 11521, 32767, 32768, 32769};
    uint32_t state = kind * 2654435761U + 1;
    size_t i = 0;

    while (i < bytes) {
        uint32_t length, distance;
        state = state * 1664525 + 1013904223;
        length = (state >> 8) % (kind & 1 ? 12 : 600) + 1;
        distance = kind & 2 ? far[state >> 29] : (state >> 16) % 40000 + 1;
        for (; length > 0 && i < bytes; length--, i++) {
            state = state * 1664525 + 1013904223;
            data[i] = distance <= i && (state >> 24) > (kind & 4 ? 2U : 0U)
                          ? data[i - distance]
                          : (uint8_t)(state >> (kind & 8 ? 30 : 24));
        }
    }
}

static void repeats_come_back(void)
{
    enum { BYTES = 300000 };
    struct deflate_finder *finder = deflate_finder_new();
    uint8_t *data = malloc(BYTES), *back = malloc(BYTES);
    uint8_t *out = malloc(8 + deflate_bound(BYTES));
    unsigned kind;

    for (kind = 0; kind < 64; kind++) {
        size_t bytes = kind < 16 ? kind : BYTES - kind, least = BYTES;
        fill_repeats(data, bytes, kind);
        for (int small = 0; small < 2; small++) {
            size_t made = deflate_repeats(finder, small, data, bytes, out + 2);
            CHECKF(made <= deflate_bound(bytes), "kind %u: %zu of %zu", kind, made, bytes);
            CHECKF(made <= least + least / 50, "kind %u, small %d: %zu", kind, small, made);
            least = made < least ? made : least;
            check_body(out, made, data, bytes, back, kind);
        }
    }
    free(out);
    free(back);
    free(data);
    free(finder);
}

/* Noise is stored, and the estimates distinguish repeats from noise. */
static void estimates_tell_repeats(void)
{
    enum { BYTES = 12288 };
    uint8_t data[BYTES];
    size_t i;

    fill(data, BYTES, NOISE);
    CHECK(deflate_repeats_estimate(data, BYTES, 2048) > 2000);
    for (i = 200; i < BYTES; i++)
        data[i] = data[i - 200];
    CHECK(deflate_repeats_estimate(data, BYTES, 2048) < 1024);
    fill(data, BYTES, ZEROS);
    CHECK(deflate_repeats_estimate(data, BYTES, 0) == 0);
    CHECK(deflate_repeats_estimate(data, 0, 2048) == 0);
}

/* Leaves free memory in which every 16 bits are VALUE, for later allocations; in blocks, so that
 * earlier holes are filled too. */
static void leave_behind(uint16_t value)
{
    enum { BLOCKS = 64, COUNT = 32768 };
    uint16_t *block[BLOCKS];
    int b, i;

    mallopt(M_PERTURB, 0);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    for (b = 0; b < BLOCKS; b++) {
        block[b] = malloc(COUNT * sizeof *block[b]);
        for (i = 0; i < COUNT; i++)
            ((volatile uint16_t *)block[b])[i] = value;
    }
    for (b = 0; b < BLOCKS; b++)
        free(block[b]);
}

/* The stream must not depend on the old content of the compressor's memory, on the address of the
 * data or on the bytes after the data. */
static void memory_decides_nothing(void)
{
    enum { BYTES = 50000, ROOM = BYTES + 200 };
    uint8_t *data = malloc(BYTES), *moved = malloc(ROOM), *first, *again;
    size_t made, remade, i;
    int content, round;

    for (content = 0; content < CONTENTS; content++) {
        fill(data, BYTES, (enum content)content);
        for (i = 9000; i < BYTES; i++) /* repeats from near and far */
            data[i] = i / 100 % 2 ? data[i - i / 1000 * 180] : data[i];
        leave_behind(0);
        first = maker_deflate(data, BYTES, BYTES, &made);
        for (round = 1; round < 40; round++) {
            memset(moved, round * 37, ROOM);
            memcpy(moved + round, data, BYTES);
            leave_behind((uint16_t)round);
            again = maker_deflate(moved + round, BYTES, BYTES, &remade);
            CHECKF(made == remade && memcmp(first, again, made) == 0, "round %d: other bytes",
                   round);
            free(again);
        }
        free(first);
    }
    free(moved);
    free(data);
}

/* The stream must not depend on the compressor's address. */
static void addresses_decide_nothing(void)
{
    enum { BYTES = 84, ROUNDS = 6000 };
    uint8_t data[BYTES] = {0}, *first, *again;
    void *held[ROUNDS];
    size_t made, remade, i;

    for (i = 0; i < BYTES; i += 21)
        data[i] = 1;
    first = maker_deflate(data, BYTES, BYTES, &made);
    for (i = 0; i < ROUNDS; i++) {
        held[i] = malloc(70000);
        again = maker_deflate(data, BYTES, BYTES, &remade);
        CHECKF(made == remade && memcmp(first, again, made) == 0, "round %zu: other bytes", i);
        free(again);
    }
    for (i = 0; i < ROUNDS; i++)
        free(held[i]);
    free(first);
}

static void cut_streams_are_refused(void)
{
    uint8_t data[400], back[400], *zlib, *cut;
    size_t made, written, length;
    const char *why;

    fill(data, sizeof data, TEXT);
    zlib = maker_deflate(data, sizeof data, 300, &made);
    for (length = 0; length < made; length++) {
        cut = malloc(length + 1); /* separate, so that reading past its end is detected */
        memcpy(cut, zlib, length);
        why = NULL;
        CHECKF(!inflate_all(cut, length, back, sizeof back, &written, &why), "%zu of %zu bytes",
               length, made);
        CHECK(why != NULL && written <= sizeof back);
        free(cut);
    }
    free(zlib);
}

static void changed_streams_are_refused(void)
{
    uint8_t data[400], back[400], *zlib;
    size_t made, written, i;
    const char *why;

    fill(data, sizeof data, TEXT);
    zlib = maker_deflate(data, sizeof data, 300, &made);
    for (i = 2; i < made; i++) { /* the window size in byte 0 is ignored */
        zlib[i] ^= 16;
        CHECKF(!inflate_all(zlib, made, back, sizeof back, &written, &why) ||
                   (written == sizeof back && memcmp(data, back, sizeof data) == 0),
               "byte %zu of %zu", i, made);
        zlib[i] ^= 16;
    }
    zlib[made - 1] ^= 1;
    CHECK(!inflate_all(zlib, made, back, sizeof back, &written, &why));
    CHECKF(strcmp(why, "the Adler-32 checksum does not match") == 0, "%s", why);
    free(zlib);
}

/* Bytes behind the stream; the library may have taken some of them. */
static void bytes_behind_are_refused(void)
{
    uint8_t data[400], back[400], *zlib, *longer;
    size_t made, written, length, more;
    const char *why;

    for (length = 1; length < sizeof data; length += 7) {
        fill(data, length, length % 2 ? TEXT : ZEROS);
        zlib = maker_deflate(data, length, 300, &made);
        for (more = 1; more <= 9; more++) {
            longer = calloc(1, made + more);
            memcpy(longer, zlib, made);
            why = "";
            CHECK(!inflate_all(longer, made + more, back, length, &written, &why));
            CHECKF(strstr(why, "more compressed data"), "%zu and %zu bytes: %s", made, more, why);
            free(longer);
        }
        free(zlib);
    }
}

/* Small pieces of input, and small reads, change nothing. Skipped bytes are counted, also where the
 * stream is cut. */
static void pieces_change_nothing(void)
{
    enum { BYTES = 100000 };
    uint8_t *data = malloc(BYTES), *back = malloc(BYTES), *zlib;
    const char *why = "";
    size_t made, written, most, got;

    fill(data, BYTES, TEXT);
    zlib = maker_deflate(data, BYTES, STRIP, &made);
    for (most = 1; most < 5000; most = most * 3 + 1) {
        struct piece piece = {zlib, made, most};
        struct zlib_reader *reader = zlib_reader_new(next_piece, &piece);
        uint64_t skipped = 0;
        CHECK(inflate_pieces(zlib, made, most, back, BYTES, &written, &why));
        CHECK(written == BYTES && memcmp(back, data, BYTES) == 0);
        CHECK(zlib_reader_skip(reader, most, &skipped, &why) && skipped == most);
        for (written = most; written < BYTES; written += got) {
            size_t want = BYTES - written < most ? BYTES - written : most;
            CHECK(zlib_reader_read(reader, back + written, want, &got, &why) && got == want);
            if (got != want)
                break;
        }
        CHECK(memcmp(back, data, BYTES) == 0 && zlib_reader_end(reader, &why));
        zlib_reader_free(reader);

        piece = (struct piece){zlib, made / 2, most};
        reader = zlib_reader_new(next_piece, &piece);
        CHECK(!zlib_reader_skip(reader, BYTES, &skipped, &why));
        CHECKF(strcmp(why, "the compressed data ends early") == 0, "%s", why);
        CHECKF(skipped > BYTES / 4 && skipped < BYTES, "%zu", (size_t)skipped);
        zlib_reader_free(reader);
    }
    free(back);
    free(data);
    free(zlib);
}

static void crc_is_that_of_png(void)
{
    const uint8_t *digits = (const uint8_t *)"123456789";

    CHECK(zlib_crc32(0, digits, 9) == 0xcbf43926);
    CHECK(zlib_crc32(zlib_crc32(0, digits, 4), digits + 4, 5) == 0xcbf43926);
    CHECK(zlib_crc32(0, (const uint8_t *)"IEND", 4) == 0xae426082);
    CHECK(zlib_adler32(1, (const uint8_t *)"Wikipedia", 9) == 0x11e60398);
}

static uint32_t crc_by_bits(uint32_t crc, const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < 8 * bytes; i++)
        crc = crc >> 1 ^ (((crc ^ data[i / 8] >> i % 8) & 1) ? 0xedb88320 : 0);
    return crc;
}

static uint32_t adler_by_bytes(uint32_t adler, const uint8_t *data, size_t bytes)
{
    uint32_t a = adler & 0xffff, b = adler >> 16;

    for (size_t i = 0; i < bytes; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* All code for checksums, also that for processors without special instructions, at every length,
 * place and value before. */
static void checksums_are_sums(void)
{
    static uint8_t data[100000];
    uint32_t state = 1;

    for (enum content content = 0; content < CONTENTS; content++) {
        fill(data, sizeof data, content);
        for (size_t length = 0; length <= sizeof data; length += length < 1000 ? 1 : 33000) {
            const uint8_t *from = data + (length < 1000 ? state % 64 : 0);
            state = state * 1664525 + 1013904223;
            uint32_t crc = ~crc_by_bits(~state, from, length);
            CHECKF(zlib_crc32(state, from, length) == crc, "%zu bytes", length);
            CHECKF(plain_crc32(state, from, length) == crc, "%zu bytes", length);
            const size_t cut = state % (length + 1); /* as the sum of two pieces */
            uint32_t first = zlib_crc32(state, from, cut);
            CHECKF(zlib_crc32(first, from + cut, length - cut) == crc, "%zu bytes", length);
            first = plain_crc32(state, from, cut);
            CHECKF(plain_crc32(first, from + cut, length - cut) == crc, "%zu bytes", length);
            uint32_t before = content == MAXIMA ? 0xfff0fff0 : (state >> 17) << 16 | state % 65521;
            uint32_t adler = adler_by_bytes(before, from, length);
            CHECKF(zlib_adler32(before, from, length) == adler, "%zu bytes", length);
            CHECKF(plain_adler32(before, from, length) == adler, "%zu bytes", length);
            first = plain_adler32(before, from, cut);
            CHECKF(plain_adler32(first, from + cut, length - cut) == adler, "%zu bytes", length);
        }
    }
}

int main(void)
{
    TEST(data_comes_back);
    TEST(literals_come_back);
    TEST(runs_come_back);
    TEST(repeats_come_back);
    TEST(estimates_tell_repeats);
    TEST(memory_decides_nothing);
    TEST(addresses_decide_nothing);
    TEST(cut_streams_are_refused);
    TEST(changed_streams_are_refused);
    TEST(bytes_behind_are_refused);
    TEST(pieces_change_nothing);
    TEST(crc_is_that_of_png);
    TEST(checksums_are_sums);
    return test_finish();
}
