/* Deflate blocks of single bytes (literals), and the estimate of what they take: see
 * codec/zlib/deflate.h.
 *
 * Codes are at most 13 bits long: four of them and the seven bits left over from before
 * fit 64, so bits are flushed once every four bytes, and two of them with the sum of their
 * lengths fit 32. Filtered photographs use few bytes: there the codes of all pairs are put
 * together first, and two bytes take one look at a table (0.6 ns a byte against 1.1). A
 * block is at most 65535 bytes, which is also what a stored block holds: where no code
 * pays, the block is stored. */
#include "codec/zlib/deflate.h"
#include "codec/zlib/huffman_code.h"

#define BLOCK_BYTES   65535
#define LITERAL_LIMIT 13
#define LITERALS      (DEFLATE_END + 1)
#define DISTANCES     2 /* never used, but some decoders want a complete code */

static void write_literals(struct deflate_writer *w, const struct deflate_code *code,
                           const uint8_t *in, size_t bytes)
{
    struct deflate_writer local = *w; /* kept in registers: OUT could alias *W */
    size_t i = 0;

    for (; i + 4 <= bytes; i += 4) {
        uint32_t a = code->entry[in[i]], b = code->entry[in[i + 1]];
        uint32_t c = code->entry[in[i + 2]], d = code->entry[in[i + 3]];
        uint64_t low = (a & 0xffff) | (uint64_t)(b & 0xffff) << (a >> 16);
        uint64_t high = (c & 0xffff) | (uint64_t)(d & 0xffff) << (c >> 16);
        unsigned half = (a >> 16) + (b >> 16);
        deflate_add(&local, low | high << half, half + (c >> 16) + (d >> 16));
        deflate_flush(&local);
    }
    for (; i < bytes; i++)
        deflate_put(&local, code->entry[in[i]] & 0xffff, code->entry[in[i]] >> 16);
    deflate_put(&local, code->entry[DEFLATE_END] & 0xffff, code->entry[DEFLATE_END] >> 16);
    *w = local;
}

/* Two bytes' codes, the first lowest, from bit 5; below it their length. */
#define PAIR_BITS(entry) ((entry)&31)
#define PAIR_CODE(entry) ((entry) >> 5)

/* For all pairs of bytes that have a code, at first + 256 * second. */
static void pairs_make(uint32_t *pair, const struct deflate_code *code, const uint8_t *used,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t second = code->entry[used[i]];
        uint32_t *row = pair + (size_t)used[i] * 256;
        for (size_t j = 0; j < count; j++) {
            uint32_t first = code->entry[used[j]], bits = first >> 16;
            uint32_t both = (first & 0xffff) | (second & 0xffff) << bits;
            row[used[j]] = both << 5 | (bits + (second >> 16));
        }
    }
}

/* Writes whole fours of bytes; returns how many bytes. */
static size_t write_pairs(struct deflate_writer *w, const uint32_t *pair, const uint8_t *in,
                          size_t bytes)
{
    struct deflate_writer local = *w;
    size_t i;

    for (i = 0; i + 4 <= bytes; i += 4) {
        uint32_t a = pair[in[i] | in[i + 1] << 8], b = pair[in[i + 2] | in[i + 3] << 8];
        deflate_add(&local, PAIR_CODE(a) | (uint64_t)PAIR_CODE(b) << PAIR_BITS(a),
                    PAIR_BITS(a) + PAIR_BITS(b));
        deflate_flush(&local);
    }
    *w = local;
    return i;
}

static void write_content(struct deflate_writer *w, const struct deflate_code *code,
                          const uint8_t *in, size_t bytes)
{
    uint32_t pair[256 * 256]; /* little of it is touched */
    uint8_t used[256];
    size_t count = 0, done = 0;

    for (int v = 0; v < 256; v++)
        if (code->length[v])
            used[count++] = (uint8_t)v;
    if (count * count <= bytes / 4) {
        pairs_make(pair, code, used, count);
        done = write_pairs(w, pair, in, bytes);
    }
    write_literals(w, code, in + done, bytes - done);
}

static void write_block(struct deflate_writer *w, const uint8_t *in, size_t bytes)
{
    static const struct deflate_code no_distances = {.length = {1, 1}};
    uint32_t frequency[LITERALS] = {0};
    struct deflate_code code;
    struct deflate_header header;
    size_t bits;

    deflate_count(in, bytes, frequency);
    frequency[DEFLATE_END] = 1;
    deflate_code_build(&code, frequency, LITERALS, LITERAL_LIMIT);
    deflate_header_build(&header, &code, LITERALS, &no_distances, DISTANCES);
    bits = deflate_header_bits(&header);
    for (int i = 0; i < LITERALS; i++)
        bits += (size_t)frequency[i] * code.length[i];
    if (bits / 8 >= bytes) {
        deflate_stored(w, in, bytes);
        return;
    }
    deflate_header_write(w, &header);
    write_content(w, &code, in, bytes);
}

size_t deflate_literals(const uint8_t *in, size_t bytes, uint8_t *out)
{
    struct deflate_writer w = {.out = out};

    while (bytes > 0) {
        size_t block = bytes < BLOCK_BYTES ? bytes : BLOCK_BYTES;
        write_block(&w, in, block);
        in += block;
        bytes -= block;
    }
    deflate_stored(&w, NULL, 0);
    return (size_t)(w.out - out);
}

/* ---- estimates ---- */

void deflate_count(const uint8_t *in, size_t bytes, uint32_t histogram[256])
{
    uint32_t part[8][256] = {
        {0}}; /* equal neighbours, which are many, do not wait for each other */
    size_t i = 0;

    for (; i + 8 <= bytes; i += 8) {
        uint64_t eight;
        memcpy(&eight, in + i, 8);
        for (int p = 0; p < 8; p++)
            part[p][eight >> (8 * p) & 255]++;
    }
    for (; i < bytes; i++)
        histogram[in[i]]++;
    for (int p = 0; p < 8; p++)
        for (size_t v = 0; v < 256; v++)
            histogram[v] += part[p][v];
}

/* The logarithm to base 2 times 256, the mantissa taken as straight between powers of two
 * (0.09 too little at most); X >= 1. */
static unsigned log2_256(uint32_t x)
{
    unsigned whole = 31U - (unsigned)__builtin_clz(x);

    return whole * 256 + (unsigned)(((uint64_t)x << 8 >> whole) & 255);
}

unsigned deflate_literals_estimate(const uint32_t histogram[256])
{
    uint64_t total = 0, bits = 0;

    for (int v = 0; v < 256; v++)
        total += histogram[v];
    if (total == 0)
        return 0;
    for (int v = 0; v < 256; v++)
        if (histogram[v])
            bits += (uint64_t)histogram[v] * (log2_256((uint32_t)total) - log2_256(histogram[v]));
    return (unsigned)(bits / total);
}
