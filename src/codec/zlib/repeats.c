/* Deflate blocks with repeats: finding them, writing them, and the estimate of what they save (see
 * codec/zlib/deflate.h).
 *
 * A table remembers, by a hash of four bytes, the latest places where they stood. Repeats
 * and single bytes become tokens (a byte, or a length and a distance), and a block is written
 * when enough of them are there. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "codec/zlib/deflate.h"
#include "codec/zlib/huffman_code.h"

#define INLINE __attribute__((always_inline)) static inline

#define MIN_LENGTH   4
#define MAX_LENGTH   258
#define MAX_DISTANCE 32768
#define CODE_LIMIT   15
#define BLOCK_TOKENS 16384
#define HASH_BITS    14
#define MAX_WAYS     8

/* Repeats up to this length are entered into the table byte by byte, and given up for a longer
 * one that begins a byte later. */
#define SHORT_LENGTH 16

struct deflate_finder {
    uint32_t table[(size_t)MAX_WAYS << HASH_BITS]; /* places counted from 1; the latest first */
    uint32_t token[BLOCK_TOKENS + 1];              /* length << 16 | distance - 1; or a byte */
    uint32_t literal[DEFLATE_LITERALS], distance[DEFLATE_DISTANCES]; /* how often */
    int tokens;
    size_t extra_bits;
};

struct deflate_finder *deflate_finder_new(void)
{
    return malloc(sizeof(struct deflate_finder));
}

static uint32_t load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    return v;
}

static unsigned hash(uint32_t four)
{
    return four * 0x9e3779b1U >> (32 - HASH_BITS);
}

/* ---- tokens ---- */

/* The symbols of RFC 1951, 3.2.5: powers of two in quarters, and in halves. */
static unsigned length_symbol(unsigned length, unsigned *extra)
{
    unsigned n = length - 3;

    *extra = n < 8 || length == MAX_LENGTH ? 0 : 29U - (unsigned)__builtin_clz(n);
    if (length == MAX_LENGTH)
        return DEFLATE_LITERALS - 1;
    return 257 + 4 * *extra + (n >> *extra);
}

static unsigned distance_symbol(unsigned before, unsigned *extra) /* distance - 1 */
{
    *extra = before < 4 ? 0 : 30U - (unsigned)__builtin_clz(before);
    return 2 * *extra + (before >> *extra);
}

static void add_literal(struct deflate_finder *finder, uint8_t byte)
{
    finder->token[finder->tokens++] = byte;
    finder->literal[byte]++;
}

static void add_repeat(struct deflate_finder *finder, unsigned length, unsigned distance)
{
    unsigned extra;

    finder->token[finder->tokens++] = length << 16 | (distance - 1);
    finder->literal[length_symbol(length, &extra)]++;
    finder->extra_bits += extra;
    finder->distance[distance_symbol(distance - 1, &extra)]++;
    finder->extra_bits += extra;
}

static void write_tokens(struct deflate_writer *w, const struct deflate_finder *finder,
                         const struct deflate_code *literal, const struct deflate_code *distance)
{
    struct deflate_writer local = *w;
    uint32_t entry;

    for (int i = 0; i < finder->tokens; i++) {
        uint32_t token = finder->token[i];
        unsigned extra, length = token >> 16, before = token & 0xffff;
        if (length == 0) {
            entry = literal->entry[token];
            deflate_add(&local, entry & 0xffff, entry >> 16);
        } else { /* 15 + 5 + 15 + 13 bits at most */
            entry = literal->entry[length_symbol(length, &extra)];
            deflate_add(&local, entry & 0xffff, entry >> 16);
            deflate_add(&local, (length - 3) & ((1U << extra) - 1), extra);
            entry = distance->entry[distance_symbol(before, &extra)];
            deflate_add(&local, entry & 0xffff, entry >> 16);
            deflate_add(&local, before & ((1U << extra) - 1), extra);
        }
        deflate_flush(&local);
    }
    entry = literal->entry[DEFLATE_END];
    deflate_put(&local, entry & 0xffff, entry >> 16);
    *w = local;
}

static void begin_block(struct deflate_finder *finder)
{
    finder->tokens = 0;
    finder->extra_bits = 0;
    memset(finder->literal, 0, sizeof finder->literal);
    memset(finder->distance, 0, sizeof finder->distance);
}

static int last_used(const uint32_t *frequency, int symbols)
{
    while (frequency[symbols - 1] == 0)
        symbols--;
    return symbols;
}

/* The tokens, which stand for BYTES bytes at IN. */
static void write_block(struct deflate_writer *w, struct deflate_finder *finder, const uint8_t *in,
                        size_t bytes)
{
    struct deflate_code literal, distance;
    struct deflate_header header;
    size_t bits = finder->extra_bits;
    int i, two = (finder->distance[0] == 0) + (finder->distance[1] == 0);

    finder->literal[DEFLATE_END] = 1;
    for (i = 0; i < 2 && two > 0; i++) /* a code has two at least; that these are seldom is fine */
        finder->distance[i] += finder->distance[i] == 0;
    deflate_code_build(&literal, finder->literal, DEFLATE_LITERALS, CODE_LIMIT);
    deflate_code_build(&distance, finder->distance, DEFLATE_DISTANCES, CODE_LIMIT);
    deflate_header_build(&header, &literal, last_used(finder->literal, DEFLATE_LITERALS), &distance,
                         last_used(finder->distance, DEFLATE_DISTANCES));
    bits += deflate_header_bits(&header);
    for (i = 0; i < DEFLATE_LITERALS; i++)
        bits += (size_t)finder->literal[i] * literal.length[i];
    for (i = 0; i < DEFLATE_DISTANCES; i++)
        bits += (size_t)finder->distance[i] * distance.length[i];
    if (bits / 8 >= bytes) {
        deflate_stored(w, in, bytes);
    } else {
        deflate_header_write(w, &header);
        write_tokens(w, finder, &literal, &distance);
    }
    begin_block(finder);
}

/* ---- the search ---- */

/* How many bytes at P, up to MAX_LENGTH and before END, are those at Q. */
static unsigned count_equal(const uint8_t *p, const uint8_t *q, const uint8_t *end)
{
    unsigned most = end - p < MAX_LENGTH ? (unsigned)(end - p) : MAX_LENGTH, n = 0;

    while (n + 8 <= most) {
        uint64_t a, b;
        memcpy(&a, p + n, 8);
        memcpy(&b, q + n, 8);
        if (a != b)
            break;
        n += 8;
    }
    while (n < most && p[n] == q[n])
        n++;
    return n;
}

INLINE void enter(struct deflate_finder *finder, const uint8_t *in, const uint8_t *p, unsigned ways)
{
    uint32_t *place = finder->table + ways * hash(load32(p));

    for (unsigned i = ways - 1; i > 0; i--)
        place[i] = place[i - 1];
    place[0] = (uint32_t)(p - in) + 1;
}

/* The longest repeat at P, 0 where there is none. */
INLINE unsigned find(const struct deflate_finder *finder, const uint8_t *in, const uint8_t *p,
                     const uint8_t *end, unsigned ways, unsigned *distance)
{
    const uint32_t *place = finder->table + ways * hash(load32(p));
    uint32_t here = (uint32_t)(p - in) + 1, four = load32(p);
    unsigned longest = 0;

    for (unsigned i = 0; i < ways && place[i] && here - place[i] <= MAX_DISTANCE; i++) {
        const uint8_t *q = in + place[i] - 1;
        unsigned length;
        if (load32(q) != four)
            continue;
        length = count_equal(p, q, end);
        if (length > longest) {
            longest = length;
            *distance = here - place[i];
        }
    }
    return longest;
}

INLINE size_t search(struct deflate_finder *finder, const uint8_t *in, size_t bytes, uint8_t *out,
                     unsigned ways, unsigned patience)
{
    struct deflate_writer w = {.out = out};
    const uint8_t *p = in, *end = in + bytes, *begin = in;
    const uint8_t *last = bytes > MIN_LENGTH ? end - MIN_LENGTH - 1 : in; /* to look at */

    memset(finder->table, 0, ((size_t)ways << HASH_BITS) * sizeof *finder->table);
    begin_block(finder);
    while (p < end) {
        unsigned distance = 0, length = 0, other = 0, later;
        if (p < last) {
            length = find(finder, in, p, end, ways, &distance);
            enter(finder, in, p, ways);
        }
        if (length > 0 && length < patience && p + 1 < last &&
            (later = find(finder, in, p + 1, end, ways, &other)) > length) {
            add_literal(finder, *p++);
            enter(finder, in, p, ways);
            length = later;
            distance = other;
        }
        if (length == 0) {
            add_literal(finder, *p++);
        } else {
            const uint8_t *next = p + length;
            add_repeat(finder, length, distance);
            /* Of long repeats only the ends. */
            for (p = length <= patience || length <= SHORT_LENGTH ? p + 1 : next - 2; p < next; p++)
                if (p < last)
                    enter(finder, in, p, ways);
        }
        if (finder->tokens >= BLOCK_TOKENS - 1) {
            write_block(&w, finder, begin, (size_t)(p - begin));
            begin = p;
        }
    }
    if (finder->tokens > 0)
        write_block(&w, finder, begin, (size_t)(p - begin));
    deflate_stored(&w, NULL, 0);
    return (size_t)(w.out - out);
}

size_t deflate_repeats(struct deflate_finder *finder, enum deflate_effort effort, const uint8_t *in,
                       size_t bytes, uint8_t *out)
{
    if (effort == DEFLATE_FAST)
        return search(finder, in, bytes, out, 1, 0);
    if (effort == DEFLATE_SMALL)
        return search(finder, in, bytes, out, MAX_WAYS, MAX_LENGTH);
    return search(finder, in, bytes, out, 2, SHORT_LENGTH);
}

/* ---- the estimate ---- */

#define SAMPLE_BITS 11

/* A repeat costs about 20 bits here. One that single bytes would say in fewer is none: in smooth
 * photographs four bytes are often found again by chance. */
#define REPEAT_COST (20 * 256)

static uint64_t load64(const uint8_t *p)
{
    return load32(p) | (uint64_t)load32(p + 4) << 32;
}

unsigned deflate_repeats_estimate(const uint8_t *in, size_t bytes, unsigned literal_bits)
{
    uint16_t table[1 << SAMPLE_BITS] = {0};
    const uint8_t *end = in + bytes;
    /* Shorter ones do not pay; both ends of one are compared before its length is counted. */
    unsigned shortest = literal_bits ? REPEAT_COST / literal_bits + 1 : MAX_LENGTH;
    size_t i = 0, ends = shortest < 8 ? 0 : (shortest < MAX_LENGTH ? shortest : MAX_LENGTH) - 8U;
    uint64_t mask = shortest < 8 ? UINT32_MAX : UINT64_MAX, took = 0;

    while (i + ends + 8 <= bytes) {
        uint64_t eight = load64(in + i) & mask;
        uint16_t *place = &table[eight * 0x9e3779b97f4a7c15U >> (64 - SAMPLE_BITS)];
        const uint8_t *q = in + (*place ? *place - 1 : 0);
        unsigned length = 0;
        if (*place &&
            (((eight ^ load64(q)) | (load64(in + i + ends) ^ load64(q + ends))) & mask) == 0)
            length = count_equal(in + i, q, end);
        *place = (uint16_t)(i + 1);
        if ((uint64_t)length * literal_bits > REPEAT_COST) {
            took += REPEAT_COST;
            i += length;
        } else {
            took += literal_bits;
            i++;
        }
        if (i == bytes / 4 && took >= i * literal_bits / 64 * 63)
            return literal_bits; /* the rest will not be worth it: a photograph */
    }
    took += (bytes - i) * literal_bits;
    return (unsigned)(took / (bytes ? bytes : 1));
}
