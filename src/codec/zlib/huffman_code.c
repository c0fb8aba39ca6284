/* Huffman codes and the headers of blocks: see codec/zlib/huffman_code.h. */
#include "codec/zlib/huffman_code.h"

#include <stdbool.h>

#define LENGTH_LIMIT 7 /* of the code for code lengths */

/* ---- codes ---- */

/* The used entries in the order of rising frequency (below 2^16), by two passes of
 * counting sort; returns how many are used. */
static int sort_used(const uint32_t *frequency, int symbols, uint16_t *sorted)
{
    uint16_t first[DEFLATE_LITERALS];
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

/* How many codes there are of each length up to LIMIT, for USED (>= 2) symbols in the order
 * of rising frequency: Huffman's tree from two queues (leaves, and inner nodes, which are
 * made in rising order), then the codes that came out too long are shortened and others
 * lengthened until they fit again. */
static void count_lengths(const uint32_t *frequency, const uint16_t *sorted, int used,
                          unsigned limit, unsigned count[16])
{
    uint32_t weight[2 * DEFLATE_LITERALS], total = 0;
    uint16_t parent[2 * DEFLATE_LITERALS];
    uint8_t depth[2 * DEFLATE_LITERALS] = {0};
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

void deflate_code_build(struct deflate_code *code, const uint32_t *frequency, int symbols,
                        unsigned limit)
{
    uint16_t sorted[DEFLATE_LITERALS];
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

/* ---- headers ---- */

static const uint8_t extra_bits[19] = {[16] = 2, [17] = 3, [18] = 7};

static void header_add(struct deflate_header *header, int symbol, int extra)
{
    header->symbol[header->count] = (uint8_t)symbol;
    header->extra[header->count++] = (uint8_t)extra;
}

/* The lengths of both codes, with runs as RFC 1951, 3.2.7 has them, and the code for the lengths.
 */
void deflate_header_build(struct deflate_header *header, const struct deflate_code *literal,
                          int literals, const struct deflate_code *distance, int distances)
{
    uint8_t length[DEFLATE_LITERALS + DEFLATE_DISTANCES];
    uint32_t frequency[19] = {0};
    int i = 0, run, all = literals + distances;

    memcpy(length, literal->length, (size_t)literals);
    memcpy(length + literals, distance->length, (size_t)distances);
    header->literals = literals;
    header->distances = distances;
    header->count = 0;
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
        frequency[header->symbol[i]]++;
    /* Two lengths at least: no complete code gives 257 symbols or more one length. */
    deflate_code_build(&header->code, frequency, 19, LENGTH_LIMIT);
}

size_t deflate_header_bits(const struct deflate_header *header)
{
    size_t bits = 17 + 19 * 3;

    for (int i = 0; i < header->count; i++)
        bits += header->code.length[header->symbol[i]] + (size_t)extra_bits[header->symbol[i]];
    return bits;
}

void deflate_header_write(struct deflate_writer *w, const struct deflate_header *header)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    int lengths = 19;

    while (lengths > 4 && header->code.length[order[lengths - 1]] == 0)
        lengths--;
    deflate_put(w, 4, 3); /* not the last block; its own code */
    deflate_put(w, (unsigned)header->literals - 257, 5);
    deflate_put(w, (unsigned)header->distances - 1, 5);
    deflate_put(w, (unsigned)lengths - 4, 4);
    for (int i = 0; i < lengths; i++)
        deflate_put(w, header->code.length[order[i]], 3);
    for (int i = 0; i < header->count; i++) {
        uint32_t entry = header->code.entry[header->symbol[i]];
        deflate_put(w, entry & 0xffff, entry >> 16);
        deflate_put(w, header->extra[i], extra_bits[header->symbol[i]]);
    }
}

void deflate_stored(struct deflate_writer *w, const uint8_t *in, size_t bytes)
{
    do {
        size_t block = bytes < 65535 ? bytes : 65535;
        deflate_put(w, 0, 3);
        deflate_put(w, 0, (8 - w->count) & 7);
        deflate_put(w, (unsigned)block, 16);
        deflate_put(w, (unsigned)block ^ 0xffff, 16);
        if (block > 0) { /* IN may be NULL where there is nothing */
            memcpy(w->out, in, block);
            in += block;
        }
        w->out += block;
        bytes -= block;
    } while (bytes > 0);
}
