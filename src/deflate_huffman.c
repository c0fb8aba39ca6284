/* Literal-only deflate: see deflate_huffman.h.
 *
 * Codes are at most 14 bits long: four of them and the seven bits left over from before
 * fit 64, so bits are flushed once every four bytes. A block is at most 65535 bytes, which
 * is also what a stored block holds: where no code pays, the block is stored. */
#include "deflate_huffman.h"

#include <stdbool.h>
#include <string.h>

#define BLOCK_BYTES   65535
#define LITERAL_LIMIT 14
#define LENGTH_LIMIT  7 /* of the code for code lengths */
#define END_OF_BLOCK  256
#define LITERALS      257
#define DISTANCES     2 /* never used, but some decoders want a complete code */
#define MAX_SYMBOLS   LITERALS

struct writer {
    uint8_t *out;
    uint64_t bits; /* those not yet written, the next one lowest */
    unsigned count;
};

struct code {
    uint32_t entry[MAX_SYMBOLS]; /* the code, first bit lowest, and its length from bit 16 */
    uint8_t length[MAX_SYMBOLS];
};

/* A block's header: code lengths as they are written. */
struct header {
    uint8_t symbol[LITERALS + DISTANCES], extra[LITERALS + DISTANCES];
    int count;
    struct code code;
};

static void store64(uint8_t *to, uint64_t value)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    memcpy(to, &value, 8);
}

static inline void flush(struct writer *w)
{
    store64(w->out, w->bits);
    w->out += w->count >> 3;
    w->bits >>= w->count & ~7U;
    w->count &= 7;
}

static void put(struct writer *w, unsigned value, unsigned bits)
{
    w->bits |= (uint64_t)value << w->count;
    w->count += bits;
    flush(w);
}

/* ---- codes ---- */

/* SYMBOL's used entries in the order of rising frequency (below 2^16), by two passes of
 * counting sort; returns how many are used. */
static int sort_used(const uint32_t *frequency, int symbols, uint16_t *sorted)
{
    uint16_t first[MAX_SYMBOLS];
    int used = 0, i, pass;

    for (i = 0; i < symbols; i++)
        if (frequency[i])
            first[used++] = (uint16_t)i;
    for (pass = 0; pass < 2; pass++) {
        const uint16_t *from = pass ? sorted : first;
        uint16_t *to = pass ? first : sorted;
        int place[257] = {0};
        for (i = 0; i < used; i++)
            place[(frequency[from[i]] >> (8 * pass) & 255) + 1]++;
        for (i = 0; i < 256; i++)
            place[i + 1] += place[i];
        for (i = 0; i < used; i++)
            to[place[frequency[from[i]] >> (8 * pass) & 255]++] = from[i];
    }
    memcpy(sorted, first, (size_t)used * sizeof *sorted);
    return used;
}

/* How many codes there are of each length up to LIMIT, for USED (>= 2) symbols in the order
 * of rising frequency: Huffman's tree from two queues (leaves, and inner nodes, which are
 * made in rising order), then the codes that came out too long are shortened and others
 * lengthened until they fit again. */
static void count_lengths(const uint32_t *frequency, const uint16_t *sorted, int used,
                          unsigned limit, unsigned count[16])
{
    uint32_t weight[2 * MAX_SYMBOLS], total = 0;
    uint16_t parent[2 * MAX_SYMBOLS];
    uint8_t depth[2 * MAX_SYMBOLS] = {0};
    int leaf = 0, inner = used, next, i;
    unsigned length;

    for (i = 0; i < used; i++)
        weight[i] = frequency[sorted[i]];
    for (next = used; next < 2 * used - 1; next++) {
        weight[next] = 0;
        for (i = 0; i < 2; i++) {
            bool take_leaf = leaf < used && (inner == next || weight[leaf] <= weight[inner]);
            int least = take_leaf ? leaf++ : inner++;
            weight[next] += weight[least];
            parent[least] = (uint16_t)next;
        }
    }
    memset(count, 0, 16 * sizeof *count);
    for (i = 2 * used - 3; i >= 0; i--) {
        depth[i] = (uint8_t)(depth[parent[i]] + 1);
        if (i < used)
            count[depth[i] < limit ? depth[i] : limit]++;
    }
    for (length = 1; length <= limit; length++)
        total += count[length] << (limit - length);
    for (; total > 1U << limit; total--) {
        count[limit]--;
        for (length = limit - 1; count[length] == 0; length--)
            ;
        count[length]--;
        count[length + 1] += 2;
    }
}

static unsigned reverse(unsigned code, unsigned length)
{
    unsigned reversed = 0;

    for (; length > 0; length--, code >>= 1)
        reversed = reversed << 1 | (code & 1);
    return reversed;
}

/* The canonical code (RFC 1951, 3.2.2) for FREQUENCY, of which at least two are not 0. */
static void code_build(struct code *code, const uint32_t *frequency, int symbols, unsigned limit)
{
    uint16_t sorted[MAX_SYMBOLS];
    unsigned count[16], next[17] = {0}, length;
    int used = sort_used(frequency, symbols, sorted), i = 0;

    count_lengths(frequency, sorted, used, limit, count);
    memset(code->length, 0, sizeof code->length);
    for (length = limit; length > 0; length--) { /* the rarest get the longest */
        unsigned left = count[length];
        while (left-- > 0)
            code->length[sorted[i++]] = (uint8_t)length;
    }
    for (length = 1; length < 16; length++)
        next[length + 1] = (next[length] + count[length]) << 1;
    for (i = 0; i < symbols; i++) {
        length = code->length[i];
        code->entry[i] = length ? reverse(next[length]++, length) | length << 16 : 0;
    }
}

/* ---- blocks ---- */

static const uint8_t extra_bits[19] = {[16] = 2, [17] = 3, [18] = 7};

static void header_add(struct header *header, int symbol, int extra)
{
    header->symbol[header->count] = (uint8_t)symbol;
    header->extra[header->count++] = (uint8_t)extra;
}

/* Code lengths with runs told as RFC 1951, 3.2.7 has it, and the code for those. */
static void header_build(struct header *header, const struct code *code)
{
    uint8_t length[LITERALS + DISTANCES];
    uint32_t frequency[19] = {0};
    int i = 0, run;

    memcpy(length, code->length, LITERALS);
    length[LITERALS] = length[LITERALS + 1] = 1;
    header->count = 0;
    while (i < LITERALS + DISTANCES) {
        for (run = 1; i + run < LITERALS + DISTANCES && length[i + run] == length[i]; run++)
            ;
        if (length[i] == 0 && run >= 3) {
            run = run > 138 ? 138 : run;
            header_add(header, run > 10 ? 18 : 17, run - (run > 10 ? 11 : 3));
        } else if (run >= 4) { /* the length itself, then repeats of it */
            run = run > 7 ? 7 : run;
            header_add(header, length[i], 0);
            header_add(header, 16, run - 4);
        } else {
            run = 1;
            header_add(header, length[i], 0);
        }
        i += run;
    }
    for (i = 0; i < header->count; i++)
        frequency[header->symbol[i]]++;
    /* Two lengths at least: 257 literals cannot all have the one bit of the distances. */
    code_build(&header->code, frequency, 19, LENGTH_LIMIT);
}

static void write_header(struct writer *w, const struct header *header)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    int lengths = 19, i;

    while (lengths > 4 && header->code.length[order[lengths - 1]] == 0)
        lengths--;
    put(w, 4, 3); /* not the last block; its own code */
    put(w, LITERALS - 257, 5);
    put(w, DISTANCES - 1, 5);
    put(w, (unsigned)lengths - 4, 4);
    for (i = 0; i < lengths; i++)
        put(w, header->code.length[order[i]], 3);
    for (i = 0; i < header->count; i++) {
        uint32_t entry = header->code.entry[header->symbol[i]];
        put(w, entry & 0xffff, entry >> 16);
        put(w, header->extra[i], extra_bits[header->symbol[i]]);
    }
}

static void write_literals(struct writer *w, const struct code *code, const uint8_t *in,
                           size_t bytes)
{
    struct writer local = *w; /* kept in registers: OUT could alias *W */
    size_t i = 0;

    for (; i + 4 <= bytes; i += 4) {
        uint32_t a = code->entry[in[i]], b = code->entry[in[i + 1]];
        uint32_t c = code->entry[in[i + 2]], d = code->entry[in[i + 3]];
        uint64_t low = (a & 0xffff) | (uint64_t)(b & 0xffff) << (a >> 16);
        uint64_t high = (c & 0xffff) | (uint64_t)(d & 0xffff) << (c >> 16);
        unsigned half = (a >> 16) + (b >> 16);
        local.bits |= low << local.count | high << (local.count + half);
        local.count += half + (c >> 16) + (d >> 16);
        flush(&local);
    }
    for (; i < bytes; i++)
        put(&local, code->entry[in[i]] & 0xffff, code->entry[in[i]] >> 16);
    put(&local, code->entry[END_OF_BLOCK] & 0xffff, code->entry[END_OF_BLOCK] >> 16);
    *w = local;
}

static void write_stored(struct writer *w, const uint8_t *in, size_t bytes)
{
    put(w, 0, 3);
    put(w, 0, (8 - w->count) & 7);
    put(w, (unsigned)bytes, 16);
    put(w, (unsigned)bytes ^ 0xffff, 16);
    if (bytes > 0)
        memcpy(w->out, in, bytes);
    w->out += bytes;
}

static void write_block(struct writer *w, const uint8_t *in, size_t bytes)
{
    uint32_t frequency[LITERALS] = {0};
    struct code code;
    struct header header;
    size_t bits = 17 + 19 * 3;
    int i;

    deflate_huffman_count(in, bytes, frequency);
    frequency[END_OF_BLOCK] = 1;
    code_build(&code, frequency, LITERALS, LITERAL_LIMIT);
    header_build(&header, &code);
    for (i = 0; i < LITERALS; i++)
        bits += (size_t)frequency[i] * code.length[i];
    for (i = 0; i < header.count; i++)
        bits += header.code.length[header.symbol[i]] + (size_t)extra_bits[header.symbol[i]];
    if (bits / 8 >= bytes) {
        write_stored(w, in, bytes);
        return;
    }
    write_header(w, &header);
    write_literals(w, &code, in, bytes);
}

size_t deflate_huffman(const uint8_t *in, size_t bytes, uint8_t *out)
{
    struct writer w = {.out = out};

    while (bytes > 0) {
        size_t block = bytes < BLOCK_BYTES ? bytes : BLOCK_BYTES;
        write_block(&w, in, block);
        in += block;
        bytes -= block;
    }
    write_stored(&w, NULL, 0);
    return (size_t)(w.out - out);
}

/* ---- estimates ---- */

void deflate_huffman_count(const uint8_t *in, size_t bytes, uint32_t histogram[256])
{
    uint32_t part[3][256] = {{0}}; /* four in all: equal neighbours do not wait for each other */
    size_t i = 0, v;

    for (; i + 4 <= bytes; i += 4) {
        histogram[in[i]]++;
        part[0][in[i + 1]]++;
        part[1][in[i + 2]]++;
        part[2][in[i + 3]]++;
    }
    for (; i < bytes; i++)
        histogram[in[i]]++;
    for (v = 0; v < 256; v++)
        histogram[v] += part[0][v] + part[1][v] + part[2][v];
}

/* The logarithm to base 2 times 256, the mantissa taken as straight between powers of two
 * (0.09 too little at most); X >= 1. */
static unsigned log2_256(uint32_t x)
{
    unsigned whole = 31U - (unsigned)__builtin_clz(x);

    return whole * 256 + (unsigned)(((uint64_t)x << 8 >> whole) & 255);
}

unsigned deflate_huffman_estimate(const uint32_t histogram[256])
{
    uint64_t total = 0, bits = 0;
    int v;

    for (v = 0; v < 256; v++)
        total += histogram[v];
    if (total == 0)
        return 0;
    for (v = 0; v < 256; v++)
        if (histogram[v])
            bits += (uint64_t)histogram[v] * (log2_256((uint32_t)total) - log2_256(histogram[v]));
    return (unsigned)(bits / total);
}
