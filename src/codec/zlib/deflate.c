/* Deflate blocks (RFC 1951): Huffman codes and the headers of blocks, then two ways to choose the
 * content of a block, and estimates of what they save. See codec/zlib/deflate.h. */
#include "codec/zlib/deflate.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#define INLINE __attribute__((always_inline)) static inline

/* ---- bits ---- */

#define END_OF_BLOCK     256 /* the end of a block, after the 256 literals */
#define LITERAL_SYMBOLS  286 /* includes END_OF_BLOCK and the lengths of repeats */
#define DISTANCE_SYMBOLS 30

INLINE uint64_t load64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, 8);
    return le64toh(v);
}

/* flush_bits may write up to 8 bytes beyond the end of the output. */
struct writer {
    uint8_t *out;
    uint64_t bits; /* pending bits, the next bit lowest */
    unsigned count;
};

INLINE void flush_bits(struct writer *w)
{
    uint64_t value = htole64(w->bits);

    memcpy(w->out, &value, 8);
    w->out += w->count >> 3;
    w->bits >>= w->count & ~7U;
    w->count &= 7;
}

/* Adds bits without writing them: at most 56 bits between two flushes. */
INLINE void add_bits(struct writer *w, uint64_t value, unsigned bits)
{
    w->bits |= value << w->count;
    w->count += bits;
}

INLINE void put_bits(struct writer *w, unsigned value, unsigned bits)
{
    add_bits(w, value, bits);
    flush_bits(w);
}

#define CODE_LIMIT 15 /* bits */

struct code {
    uint32_t frequency[LITERAL_SYMBOLS]; /* how often each symbol comes, below 2^16 */
    uint32_t entry[LITERAL_SYMBOLS]; /* the code, first bit lowest, and its length from bit 16 */
    uint8_t length[LITERAL_SYMBOLS];
};

/* ENTRY is a member of code->entry. */
INLINE void add_code(struct writer *w, uint32_t entry)
{
    add_bits(w, entry & 0xffff, entry >> 16);
}

/* The description of a block's codes in its header. */
struct header {
    uint8_t symbol[LITERAL_SYMBOLS + DISTANCE_SYMBOLS];
    uint8_t extra[LITERAL_SYMBOLS + DISTANCE_SYMBOLS];
    int count, literals, distances;
    struct code code;
};

/* ---- codes ---- */

/* Sorts the used entries by rising frequency (below 2^16) with two passes of counting sort; returns
 * how many are used. */
static int sort_used(const uint32_t *frequency, int symbols, uint16_t *sorted)
{
    uint16_t first[LITERAL_SYMBOLS];
    int used = 0;

    for (int i = 0; i < symbols; i++)
        if (frequency[i])
            first[used++] = (uint16_t)i;
    for (int pass = 0; pass < 2; pass++) {
        const uint16_t *from = pass ? sorted : first;
        uint16_t *to = pass ? first : sorted;
        int place[257] = {0};
        for (int i = 0; i < used; i++)
            place[(frequency[from[i]] >> (8 * pass) & 255) + 1]++;
        for (int i = 0; i < 256; i++)
            place[i + 1] += place[i];
        for (int i = 0; i < used; i++)
            to[place[frequency[from[i]] >> (8 * pass) & 255]++] = from[i];
    }
    memcpy(sorted, first, (size_t)used * sizeof *sorted);
    return used;
}

/* Counts the codes of each length up to LIMIT, for USED (>= 2) symbols sorted by rising frequency.
 * Builds Huffman's tree from two queues (leaves, and inner nodes, which are made in rising order),
 * then shortens codes that are too long and lengthens others until they fit again. */
static void count_lengths(const uint32_t *frequency, const uint16_t *sorted, int used,
                          unsigned limit, unsigned count[16])
{
    uint32_t weight[2 * LITERAL_SYMBOLS], total = 0;
    uint16_t parent[2 * LITERAL_SYMBOLS];
    uint8_t depth[2 * LITERAL_SYMBOLS] = {0};
    int leaf = 0, inner = used;
    unsigned length;

    for (int i = 0; i < used; i++)
        weight[i] = frequency[sorted[i]];
    for (int next = used; next < 2 * used - 1; next++) {
        weight[next] = 0;
        for (int i = 0; i < 2; i++) {
            bool take_leaf = leaf < used && (inner == next || weight[leaf] <= weight[inner]);
            int least = take_leaf ? leaf++ : inner++;
            weight[next] += weight[least];
            parent[least] = (uint16_t)next;
        }
    }
    memset(count, 0, 16 * sizeof *count);
    for (int i = 2 * used - 3; i >= 0; i--) {
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

/* Makes the canonical code (RFC 1951, 3.2.2) of at most LIMIT (<= 15) bits from the frequencies, of
 * which at least two are not 0. */
static void code_build(struct code *code, int symbols, unsigned limit)
{
    uint16_t sorted[LITERAL_SYMBOLS];
    unsigned count[16], next[17] = {0}, length;
    int used = sort_used(code->frequency, symbols, sorted), i = 0;

    count_lengths(code->frequency, sorted, used, limit, count);
    memset(code->length, 0, sizeof code->length);
    for (length = limit; length > 0; length--) { /* the rarest symbols get the longest codes */
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

/* ---- headers ---- */

static const uint8_t extra_bits[19] = {[16] = 2, [17] = 3, [18] = 7};

static void header_add(struct header *header, int symbol, int extra)
{
    header->symbol[header->count] = (uint8_t)symbol;
    header->extra[header->count++] = (uint8_t)extra;
}

/* Describes the first LITERALS (>= 257) and DISTANCES (>= 2) lengths of both codes with the runs of
 * RFC 1951, 3.2.7, and makes the code for these lengths. */
static void header_build(struct header *header, const struct code *literal, int literals,
                         const struct code *distance, int distances)
{
    uint8_t length[LITERAL_SYMBOLS + DISTANCE_SYMBOLS];
    int i = 0, run, all = literals + distances;

    memcpy(length, literal->length, (size_t)literals);
    memcpy(length + literals, distance->length, (size_t)distances);
    header->literals = literals;
    header->distances = distances;
    header->count = 0;
    memset(header->code.frequency, 0, sizeof header->code.frequency);
    while (i < all) {
        for (run = 1; i + run < all && length[i + run] == length[i]; run++)
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
        header->code.frequency[header->symbol[i]]++;
    /* At least two different lengths occur: no complete code gives 257 or more symbols one length.
     * The lengths' own codes have at most 7 bits. */
    code_build(&header->code, 19, 7);
}

static size_t header_bits(const struct header *header)
{
    size_t bits = 17 + 19 * 3;

    for (int i = 0; i < header->count; i++)
        bits += header->code.length[header->symbol[i]] + (size_t)extra_bits[header->symbol[i]];
    return bits;
}

static void header_write(struct writer *w, const struct header *header)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    int lengths = 19;

    while (lengths > 4 && header->code.length[order[lengths - 1]] == 0)
        lengths--;
    put_bits(w, 4, 3); /* not the last block; with its own codes */
    put_bits(w, (unsigned)header->literals - 257, 5);
    put_bits(w, (unsigned)header->distances - 1, 5);
    put_bits(w, (unsigned)lengths - 4, 4);
    for (int i = 0; i < lengths; i++)
        put_bits(w, header->code.length[order[i]], 3);
    for (int i = 0; i < header->count; i++) {
        add_code(w, header->code.entry[header->symbol[i]]);
        put_bits(w, header->extra[i], extra_bits[header->symbol[i]]);
    }
}

/* Writes BYTES bytes in as many stored (uncompressed) blocks as needed; 0 bytes: an empty one. */
static void write_stored(struct writer *w, const uint8_t *in, size_t bytes)
{
    do {
        size_t block = bytes < 65535 ? bytes : 65535;
        put_bits(w, 0, 3);
        put_bits(w, 0, (8 - w->count) & 7);
        put_bits(w, (unsigned)block, 16);
        put_bits(w, (unsigned)block ^ 0xffff, 16);
        if (block > 0) { /* IN may be NULL if the block is empty */
            memcpy(w->out, in, block);
            in += block;
        }
        w->out += block;
        bytes -= block;
    } while (bytes > 0);
}

static int count_used(const struct code *code, int symbols, int least)
{
    while (symbols > least && code->frequency[symbols - 1] == 0)
        symbols--;
    return symbols;
}

/* The bits of all symbols that CODE's frequencies count. */
static size_t code_bits(const struct code *code, int symbols)
{
    size_t bits = 0;

    for (int i = 0; i < symbols; i++)
        bits += (size_t)code->frequency[i] * code->length[i];
    return bits;
}

/* Writes the header of a block for BYTES bytes at IN, whose content takes BITS bits. If codes do
 * not pay, it stores the bytes uncompressed and returns false. */
static bool begin_block(struct writer *w, const struct code *literal, const struct code *distance,
                        size_t bits, const uint8_t *in, size_t bytes)
{
    struct header header;

    header_build(&header, literal, count_used(literal, LITERAL_SYMBOLS, END_OF_BLOCK + 1), distance,
                 count_used(distance, DISTANCE_SYMBOLS, 2));
    bits += header_bits(&header);
    if (bits / 8 < bytes)
        header_write(w, &header);
    else
        write_stored(w, in, bytes);
    return bits / 8 < bytes;
}

/* ---- repeats of bytes ---- */

#define MAX_LENGTH 258

/* RFC 1951, 3.2.5: each power of two has four length symbols. */
static const uint8_t length_extra[LITERAL_SYMBOLS - 257] = {
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

static uint32_t repeat_token(size_t length, uint32_t distance)
{
    unsigned n = (unsigned)length - 3;
    unsigned extra = n < 8 || length == MAX_LENGTH ? 0 : 29U - (unsigned)__builtin_clz(n);
    unsigned symbol = length == MAX_LENGTH ? LITERAL_SYMBOLS - 1 : 257 + 4 * extra + (n >> extra);

    return symbol | (n & ((1U << extra) - 1)) << 9 | (distance - 1) << 14;
}

/* How many bytes at P, up to MOST, equal the bytes at Q. */
static size_t count_equal(const uint8_t *p, const uint8_t *q, size_t most)
{
    size_t n = 0;

    for (; n + 8 <= most; n += 8) {
        uint64_t other = load64(p + n) ^ load64(q + n);
        if (other)
            return n + (size_t)__builtin_ctzll(other) / 8;
    }
    while (n < most && p[n] == q[n])
        n++;
    return n;
}

/* ---- literals ----
 *
 * The codes of all pairs of bytes are joined first: one look into a table then writes two bytes,
 * and the bits of eight bytes are flushed at once. A large block is counted by a sample of its
 * bytes.
 *
 * A filter makes zeros of flat areas. If enough of the sampled eights are all zeros, runs of zeros
 * are written as repeats of a zero. Their bytes do not count as literals, so a flat half of a
 * picture does not lengthen the codes of the other half. */

#define BLOCK_BYTES ((size_t)1 << 18)

/* Blocks of more bytes are counted by a sample of 8 in SAMPLE_STEP bytes, which is at most 2^15.
 * The step is a prime number: rows of a multiple of it are rare. */
#define COUNTED_BYTES ((size_t)1 << 15)
#define SAMPLE_STEP   67

/* Shorter runs of zeros are written byte by byte. */
#define RUN_LEAST 32

/* A block has runs if at least one of RUN_EIGHTS groups of eight bytes holds only zeros. */
#define RUN_EIGHTS 8

INLINE void write_bytes(struct writer *w, const struct code *code, const uint8_t *in, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        add_code(w, code->entry[in[i]]);
        if (i % 3 == 2) /* 7 bits from before and 3 codes */
            flush_bits(w);
    }
    flush_bits(w);
}

/* The codes of two bytes, the first lowest, from bit 6 on; their length in the bits below. A pair
 * with a code of more than 13 bits is not joined. Its length is at least PAIR_LONG + 1, which with
 * three other pairs is more than SUM_MOST. */
#define PAIR_BITS(entry) ((entry)&63)
#define PAIR_CODE(entry) ((uint64_t)((entry) >> 6))
#define PAIR_MOST        13
#define PAIR_LONG        50
#define SUM_MOST         56
#define PAIRS            (256 * 256)

/* Fills the entries of all pairs of bytes that have a code, at 256 * first + second. */
static void pairs_make(uint32_t *pair, const struct code *code)
{
    uint32_t bits[256], length[256];

    for (int v = 0; v < 256; v++) {
        bool joined = code->length[v] <= PAIR_MOST;
        bits[v] = joined ? (code->entry[v] & 0xffff) << 6 : 0;
        length[v] = joined ? code->length[v] : PAIR_LONG;
    }
    for (int first = 0; first < 256; first++, pair += 256)
        for (int v = 0; code->length[first] > 0 && v < 256; v++)
            pair[v] = length[first] == PAIR_LONG
                          ? PAIR_LONG + PAIR_MOST
                          : bits[first] + (bits[v] << length[first]) + length[first] + length[v];
}

/* Writes a run of LENGTH zeros: a zero, repeats of it, and at most two zeros. The code of distance
 * 1 is a bit of 0. */
INLINE void write_run(struct writer *w, const struct code *code, size_t length)
{
    static const uint8_t zeros[2];

    write_bytes(w, code, zeros, 1);
    for (length--; length >= 3;) {
        size_t piece = length < MAX_LENGTH ? length : MAX_LENGTH;
        uint32_t token = repeat_token(piece, 1), symbol = token & 511;
        add_code(w, code->entry[symbol]);
        put_bits(w, token >> 9 & 31, length_extra[symbol - 257] + 1U);
        length -= piece;
    }
    write_bytes(w, code, zeros, length);
}

/* PAIR: room for PAIRS codes; NULL: without pairs. Making them takes as long as 100 bytes for each
 * row that is used. RUNS: of zeros, as repeats; callers pass a constant. */
INLINE void write_content(struct writer *w, const struct code *code, uint32_t *pair, bool runs,
                          const uint8_t *in, size_t bytes)
{
    struct writer local = *w; /* kept in registers: OUT could alias *W */
    size_t i = 0, used = 0, length;

    for (int v = 0; v < 256; v++)
        used += code->length[v] > 0;
    pair = used * 128 <= bytes ? pair : NULL;
    if (pair)
        pairs_make(pair, code);
    for (; (pair || runs) && i + 8 <= bytes; i += 8) {
        uint64_t eight = __builtin_bswap64(load64(in + i));
        if (eight == 0 && runs) {
            length = 1 + count_equal(in + i + 1, in + i, bytes - i - 1);
            if (length >= RUN_LEAST) {
                write_run(&local, code, length);
                i += length - 8;
                continue;
            }
        }
        if (pair) {
            uint32_t a = pair[eight >> 48], b = pair[eight >> 32 & 0xffff];
            uint32_t c = pair[eight >> 16 & 0xffff], d = pair[eight & 0xffff];
            uint64_t four = PAIR_CODE(a) | PAIR_CODE(b) << PAIR_BITS(a);
            uint64_t next = PAIR_CODE(c) | PAIR_CODE(d) << PAIR_BITS(c);
            unsigned bits = PAIR_BITS(a) + PAIR_BITS(b), more = PAIR_BITS(c) + PAIR_BITS(d);
            if (bits + more <= SUM_MOST) {
                add_bits(&local, four | next << bits, bits + more);
                flush_bits(&local);
                continue;
            }
        }
        write_bytes(&local, code, in + i, 8);
    }
    write_bytes(&local, code, in + i, bytes - i);
    add_code(&local, code->entry[END_OF_BLOCK]);
    flush_bits(&local);
    *w = local;
}

/* Adds 8 of every STEP bytes to HISTOGRAM, with STEP = 8 all bytes; returns how many. *zeros: how
 * many eights are all zeros. */
static size_t count_bytes(const uint8_t *in, size_t bytes, size_t step, uint32_t histogram[256],
                          uint32_t *zeros)
{
    uint32_t part[8][256] = {
        {0}}; /* equal neighbours, which are many, do not wait for each other */
    size_t i = 0, count = 0;

    *zeros = 0;
    for (; i + 8 <= bytes; i += step, count += 8) {
        uint64_t eight;
        memcpy(&eight, in + i, 8);
        *zeros += eight == 0;
        for (int p = 0; p < 8; p++)
            part[p][eight >> (8 * p) & 255]++;
    }
    for (; i < bytes; i++, count++)
        histogram[in[i]]++;
    for (int p = 0; p < 8; p++)
        for (size_t v = 0; v < 256; v++)
            histogram[v] += part[p][v];
    return count;
}

/* Counts runs of zeros, of which the sample has ZEROS eights, as repeats, and no longer as
 * literals. */
static void count_runs(struct code *code, uint32_t zeros)
{
    code->frequency[0] -= 8 * zeros - 1;
    for (int i = END_OF_BLOCK + 1; i < LITERAL_SYMBOLS; i++)
        code->frequency[i] = 1; /* any length may come */
    code->frequency[LITERAL_SYMBOLS - 1] += 8 * zeros / MAX_LENGTH;
}

static void write_literal_block(struct writer *w, uint32_t *pair, const uint8_t *in, size_t bytes)
{
    /* Blocks use distance 1 only. The second code is there because some decoders refuse a code that
     * is not complete. */
    static const struct code distance = {.length = {1, 1}};
    const bool sampled = bytes > COUNTED_BYTES;
    const struct writer before = *w;
    struct code code = {.frequency = {[END_OF_BLOCK] = 1}};
    uint32_t zeros;
    size_t count = count_bytes(in, bytes, sampled ? SAMPLE_STEP : 8, code.frequency, &zeros), bits;
    const bool runs = zeros * RUN_EIGHTS * 8 > count;

    for (int v = 0; sampled && v < 256; v++, count++) /* the sample may lack it */
        code.frequency[v]++;
    if (runs)
        count_runs(&code, zeros);
    code_build(&code, runs ? LITERAL_SYMBOLS : END_OF_BLOCK + 1, CODE_LIMIT);
    bits = (size_t)((uint64_t)code_bits(&code, LITERAL_SYMBOLS) * bytes / count);
    if (!begin_block(w, &code, &distance, bits, in, bytes))
        return;
    if (runs)
        write_content(w, &code, pair, true, in, bytes);
    else
        write_content(w, &code, pair, false, in, bytes);
    if ((size_t)(w->out - before.out) > bytes) { /* the sample was unlike the rest */
        *w = before;
        write_stored(w, in, bytes);
    }
}

size_t deflate_literals(const uint8_t *in, size_t bytes, uint8_t *out)
{
    struct writer w = {.out = out};
    uint32_t *pair = malloc(PAIRS * sizeof *pair);

    while (bytes > 0) {
        size_t block = bytes < BLOCK_BYTES ? bytes : BLOCK_BYTES;
        write_literal_block(&w, pair, in, block);
        in += block;
        bytes -= block;
    }
    write_stored(&w, NULL, 0);
    free(pair);
    return (size_t)(w.out - out);
}

/* ---- the estimate for literals ---- */

/* The logarithm of X to base 2, times 256; linear between powers of two (0.09 too little at most);
 * X >= 1. */
static unsigned log2_256(uint32_t x)
{
    unsigned whole = 31U - (unsigned)__builtin_clz(x);

    return whole * 256 + (unsigned)(((uint64_t)x << 8 >> whole) & 255);
}

unsigned deflate_literals_estimate(const uint8_t *in, size_t bytes)
{
    uint32_t histogram[256] = {0};
    uint64_t bits = 0;
    uint32_t zeros;

    count_bytes(in, bytes, 8, histogram, &zeros);
    for (int v = 0; v < 256; v++)
        if (histogram[v])
            bits += (uint64_t)histogram[v] * (log2_256((uint32_t)bytes) - log2_256(histogram[v]));
    /* No code of single bytes takes less than a bit. */
    return bytes == 0 || bits / bytes < DEFLATE_LEAST_BITS ? DEFLATE_LEAST_BITS
                                                           : (unsigned)(bits / bytes);
}

/* ---- repeats ----
 *
 * A table maps the hash of a few bytes to the latest places with these bytes. Repeats and single
 * bytes become tokens. When there are enough tokens, a block is written. */

#define MAX_DISTANCE 32768
#define BLOCK_TOKENS 16384
#define HASH_BITS    14
#define MAX_WAYS     8

/* Flat areas repeat the bytes of one pixel. Such a repeat is compared once, up to RUN_LENGTH bytes,
 * and becomes many tokens. From farther away it would take longer codes. */
#define RUN_DISTANCE 8
#define RUN_TOKENS   128
#define RUN_LENGTH   ((size_t)RUN_TOKENS * MAX_LENGTH)

/* Places are counted so that an empty place, 0, is too far away. */
#define FIRST_PLACE (MAX_DISTANCE + 1)

struct deflate_finder {
    uint32_t table[(size_t)MAX_WAYS << HASH_BITS]; /* the latest place first */
    /* A symbol; and, if it is a length, its extra bits from bit 9 on and distance - 1 from bit 14
     * on. */
    uint32_t token[BLOCK_TOKENS + RUN_TOKENS];
    struct code literal, distance;
};

struct deflate_finder *deflate_finder_new(void)
{
    return malloc(sizeof(struct deflate_finder));
}

/* Each power of two has two distance symbols. */
static unsigned distance_symbol(unsigned before, unsigned *extra) /* before = distance - 1 */
{
    *extra = before < 4 ? 0 : 30U - (unsigned)__builtin_clz(before);
    return 2 * *extra + (before >> *extra);
}

static void write_tokens(struct writer *w, const struct deflate_finder *finder, size_t tokens)
{
    struct writer local = *w;

    for (size_t i = 0; i < tokens; i++) {
        uint32_t token = finder->token[i], symbol = token & 511, before = token >> 14;
        unsigned extra;
        add_code(&local, finder->literal.entry[symbol]);
        if (symbol > END_OF_BLOCK) { /* 15 + 5 + 15 + 13 bits at most */
            add_bits(&local, token >> 9 & 31, length_extra[symbol - 257]);
            add_code(&local, finder->distance.entry[distance_symbol(before, &extra)]);
            add_bits(&local, before & ((1U << extra) - 1), extra);
        }
        flush_bits(&local);
    }
    add_code(&local, finder->literal.entry[END_OF_BLOCK]);
    flush_bits(&local);
    *w = local;
}

/* Counts how often each symbol comes; returns the sum of all extra bits. */
static size_t count_tokens(struct deflate_finder *finder, size_t tokens)
{
    uint32_t part[4][512] = {{0}}; /* equal neighbours do not wait for each other */
    size_t bits = 0;

    memset(finder->distance.frequency, 0, sizeof finder->distance.frequency);
    for (size_t i = 0; i < tokens; i++) {
        uint32_t token = finder->token[i], symbol = token & 511;
        unsigned extra;
        part[i % 4][symbol]++;
        if (symbol > END_OF_BLOCK) {
            finder->distance.frequency[distance_symbol(token >> 14, &extra)]++;
            bits += extra + length_extra[symbol - 257];
        }
    }
    for (int i = 0; i < LITERAL_SYMBOLS; i++)
        finder->literal.frequency[i] = part[0][i] + part[1][i] + part[2][i] + part[3][i];
    return bits;
}

/* Writes the tokens, which stand for BYTES bytes at IN. */
static void write_repeat_block(struct writer *w, struct deflate_finder *finder, size_t tokens,
                               const uint8_t *in, size_t bytes)
{
    size_t bits = count_tokens(finder, tokens);

    finder->literal.frequency[END_OF_BLOCK] = 1;
    for (int i = 0; i < 2; i++) /* a code needs at least two symbols */
        finder->distance.frequency[i] += finder->distance.frequency[i] == 0;
    code_build(&finder->literal, LITERAL_SYMBOLS, CODE_LIMIT);
    code_build(&finder->distance, DISTANCE_SYMBOLS, CODE_LIMIT);
    bits += code_bits(&finder->literal, LITERAL_SYMBOLS) +
            code_bits(&finder->distance, DISTANCE_SYMBOLS);
    if (begin_block(w, &finder->literal, &finder->distance, bits, in, bytes))
        write_tokens(w, finder, tokens);
}

/* How hard to search: how many earlier places are tried; the shortest repeat; and whether a repeat
 * is dropped if a longer one begins one byte later, and all its bytes are entered into the table.
 */
struct effort {
    unsigned ways, shortest;
    bool patient;
};

/* The places with the bytes at P. */
INLINE uint32_t *places(struct deflate_finder *finder, const uint8_t *p, struct effort effort)
{
    uint64_t hash = (load64(p) << (64 - 8 * effort.shortest)) * 0x9e3779b97f4a7c15U;

    return finder->table + effort.ways * (hash >> (64 - HASH_BITS));
}

INLINE void enter(struct deflate_finder *finder, const uint8_t *in, const uint8_t *p,
                  struct effort effort)
{
    uint32_t *place = places(finder, p, effort);

    for (unsigned i = effort.ways - 1; i > 0; i--)
        place[i] = place[i - 1];
    place[0] = (uint32_t)(p - in) + FIRST_PLACE;
}

/* The length of the longest repeat at P; 0 if there is none. */
INLINE size_t find(struct deflate_finder *finder, const uint8_t *in, const uint8_t *p,
                   const uint8_t *end, struct effort effort, uint32_t *distance)
{
    const uint32_t here = (uint32_t)(p - in) + FIRST_PLACE;
    const uint32_t *place = places(finder, p, effort);
    size_t longest = 0, left = (size_t)(end - p);

    for (unsigned i = 0; i < effort.ways && here - place[i] <= MAX_DISTANCE; i++) {
        uint32_t before = here - place[i];
        size_t most = before <= RUN_DISTANCE ? RUN_LENGTH : MAX_LENGTH, length;
        if ((load64(p - before) ^ load64(p)) << (64 - 8 * effort.shortest))
            continue;
        length = count_equal(p, p - before, left < most ? left : most);
        if (length > longest) {
            longest = length;
            *distance = before;
        }
    }
    return longest;
}

INLINE size_t search(struct deflate_finder *finder, const uint8_t *in, size_t bytes, uint8_t *out,
                     struct effort effort)
{
    struct writer w = {.out = out};
    const uint8_t *p = in, *end = in + bytes, *begin = in;
    const uint8_t *last = bytes > 8 ? end - 8 : in; /* to search */
    uint32_t *token = finder->token, distance = 0, other = 0;

    memset(finder->table, 0, ((size_t)effort.ways << HASH_BITS) * sizeof *finder->table);
    while (p < end) {
        size_t length = 0, later, piece;
        if (p < last) {
            length = find(finder, in, p, end, effort, &distance);
            enter(finder, in, p, effort);
        }
        if (effort.patient && length > 0 && length < MAX_LENGTH && p + 1 < last &&
            (later = find(finder, in, p + 1, end, effort, &other)) > length) {
            *token++ = *p++;
            enter(finder, in, p, effort);
            length = later;
            distance = other;
        }
        if (length == 0) {
            *token++ = *p++;
        } else {
            const uint8_t *next;
            if (length % MAX_LENGTH < 3) /* too short for a repeat */
                length -= length % MAX_LENGTH;
            next = p + length;
            for (; length > 0; length -= piece) {
                piece = length < MAX_LENGTH ? length : MAX_LENGTH;
                *token++ = repeat_token(piece, distance);
            }
            for (p = effort.patient && next - p <= MAX_LENGTH ? p + 1 : next - 1; p < next; p++)
                if (p < last)
                    enter(finder, in, p, effort);
        }
        if (token - finder->token >= BLOCK_TOKENS || p == end) {
            write_repeat_block(&w, finder, (size_t)(token - finder->token), begin,
                               (size_t)(p - begin));
            token = finder->token;
            begin = p;
        }
    }
    write_stored(&w, NULL, 0);
    return (size_t)(w.out - out);
}

size_t deflate_repeats(struct deflate_finder *finder, bool small, const uint8_t *in, size_t bytes,
                       uint8_t *out)
{
    if (small)
        return search(finder, in, bytes, out, (struct effort){MAX_WAYS, 6, true});
    return search(finder, in, bytes, out, (struct effort){1, 8, false});
}

/* ---- the estimate for repeats ---- */

#define SAMPLE_BITS 11

/* The cost of a repeat is about 20 bits. A repeat that is cheaper as single bytes does not count:
 * in smooth photographs, four equal bytes are often found by chance. */
#define REPEAT_COST (20 * 256)

unsigned deflate_repeats_estimate(const uint8_t *in, size_t bytes, unsigned literal_bits)
{
    uint16_t table[1 << SAMPLE_BITS] = {0};
    /* Shorter repeats do not pay. Both ends are compared before the length is counted. */
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
            length =
                (unsigned)count_equal(in + i, q, bytes - i < MAX_LENGTH ? bytes - i : MAX_LENGTH);
        *place = (uint16_t)(i + 1);
        if ((uint64_t)length * literal_bits > REPEAT_COST) {
            took += REPEAT_COST;
            i += length;
        } else {
            took += literal_bits;
            i++;
        }
        if (i == bytes / 4 && took >= i * literal_bits / 64 * 63)
            return literal_bits; /* probably a photograph: the rest is unlikely to save anything */
    }
    took += (bytes - i) * literal_bits;
    return (unsigned)(took / (bytes ? bytes : 1));
}
