/* Reading zlib streams: see codec/zlib/stream.h.
 *
 * A look into the table takes up to three literals, or a length behind up to two literals. While
 * input and room for output are plenty, run() decodes symbols without asking for either; step()
 * decodes one look near an end of them. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/instructions.h"
#include "codec/zlib/stream.h"

#define INLINE __attribute__((always_inline)) static inline

static const char damaged[] = "the compressed data is damaged";
static const char ends_early[] = "the compressed data ends early";
static const char too_long[] = "there is more compressed data than the picture needs";
static const char wrong_checksum[] = "the Adler-32 checksum does not match";
static const char other_method[] = "it is not compressed as zlib does it";

#define HISTORY 32768 /* the longest distance */

/* Codes of up to ROOT bits are found by one look into a table. A longer code has its end in a
 * subtable. A subtable whose codes go on for d bits has 2^d entries for at least d + 1 codes: 4
 * entries a code are enough for d = 4, and 16 for d = 7. */
#define NEAR_ROOT  11 /* literals and lengths */
#define FAR_ROOT   8  /* distances */
#define NEAR_CODES 288
#define FAR_CODES  32

struct zlib_reader {
    const uint8_t *(*more)(void *context, size_t *bytes);
    void *context;
    const uint8_t *in, *in_end; /* the rest of the piece */
    uint64_t buffer;            /* the next bits; zeros above them */
    unsigned bits;              /* how many */
    enum { START, HEAD, STORED, CODED, END } block;
    bool last;                        /* the block is the last one */
    unsigned left, distance;          /* bytes left of a match, or of a stored block */
    unsigned literals, literal_count; /* decoded, to be written before that */
    uint32_t adler;
    uint8_t *begin, *out, *end; /* of this call: the room, and the place in it */
    size_t kept;                /* bytes at the end of `history` */
    uint64_t near[(1 << NEAR_ROOT) + 4 * NEAR_CODES];
    uint64_t far[(1 << FAR_ROOT) + 16 * FAR_CODES];
    uint8_t history[HISTORY]; /* the output of earlier calls */
    uint8_t spare[64 * 1024]; /* for discarded bytes */
};

/* ---- bits ---- */

/* Fills the buffer with at least 56 bits, or all that are left. */
static void fill(struct zlib_reader *s)
{
    while (s->bits < 56) {
        while (s->in == s->in_end) {
            size_t bytes;
            const uint8_t *piece = s->more(s->context, &bytes);
            if (!piece)
                return;
            s->in = piece;
            s->in_end = piece + bytes;
        }
        s->buffer |= (uint64_t)*s->in++ << s->bits;
        s->bits += 8;
    }
}

static bool drop(struct zlib_reader *s, unsigned count)
{
    if (s->bits < count)
        return false;
    s->buffer >>= count;
    s->bits -= count;
    return true;
}

static bool take(struct zlib_reader *s, unsigned count, unsigned *value)
{
    fill(s);
    *value = (unsigned)(s->buffer & ((1U << count) - 1));
    return drop(s, count);
}

/* ---- tables ----
 *
 * The bits of an entry, from the lowest:
 *
 *    0 ...  7   bits that it takes, extra bits too
 *    8 ... 15   of these, bits of codes; of ENTRY_SUB: the width of the subtable
 *   16 ... 23   number of literals
 *   24 ... 31   kind
 *   32 ... 55   up to three literals; with a base, up to two
 *   48 ... 63   base of a length or distance; of ENTRY_SUB: the place of the subtable */

#define KINDS     ((uint64_t)3 << 24)
#define BASE      ((uint64_t)1 << 24) /* a length or a distance */
#define SPECIAL   ((uint64_t)2 << 24)
#define ENTRY_SUB SPECIAL
#define ENTRY_BAD KINDS                       /* a code that means nothing */
#define ENTRY_END (KINDS | (uint64_t)1 << 32) /* of the block */

static uint64_t near_entry(unsigned symbol)
{
    static const uint16_t base[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                      15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                      67, 83, 99, 115, 131, 163, 195, 227, 258};
    unsigned i = symbol - 257, extra = i < 8 || i == 28 ? 0 : i / 4 - 1;

    if (symbol < 256)
        return (uint64_t)symbol << 32 | 1 << 16;
    if (symbol == 256)
        return ENTRY_END;
    return symbol < 286 ? BASE | (uint64_t)base[i] << 48 | extra : ENTRY_BAD;
}

static uint64_t far_entry(unsigned symbol)
{
    unsigned extra = symbol < 4 ? 0 : symbol / 2 - 1;
    unsigned base = symbol < 4 ? symbol : (2 + symbol % 2) << extra;

    return symbol < 30 ? BASE | (uint64_t)(base + 1) << 48 | extra : ENTRY_BAD;
}

/* The extra bits of an entry, which begins at the lowest of BITS. */
INLINE unsigned extra_of(uint64_t entry, uint64_t bits)
{
    return (unsigned)((bits & (((uint64_t)1 << (entry & 63)) - 1)) >> (entry >> 8 & 63));
}

#define MOST_BITS 15
#define ADD(bits) ((uint64_t)(bits)*0x101) /* bits of a code */

/* Makes the table of a code from the lengths of its symbols' codes. False: no such code exists, or
 * some bits mean nothing. Only a code of one symbol or none MAY_LACK the rest. */
static bool make_table(uint64_t *table, unsigned root, const uint8_t *lengths, unsigned symbols,
                       bool may_lack, uint64_t entry_of(unsigned symbol))
{
    unsigned count[MOST_BITS + 1] = {0}, place[MOST_BITS + 2] = {0}, code = 0, sub = 0, width = 0;
    unsigned end = 1U << root, low = end, n;
    uint16_t sorted[NEAR_CODES + FAR_CODES], *next = sorted;
    int lacks = 1;

    for (unsigned i = 0; i < symbols; i++)
        count[lengths[i]]++;
    for (n = 1; n <= MOST_BITS && lacks >= 0; n++) {
        lacks = 2 * lacks - (int)count[n];
        place[n + 1] = place[n] + count[n];
    }
    if (lacks < 0 || (lacks > 0 && (!may_lack || symbols - count[0] != count[1] || count[1] > 1)))
        return false;
    for (unsigned i = 0; i < symbols; i++)
        if (lengths[i] > 0)
            sorted[place[lengths[i]]++] = (uint16_t)i;
    table[0] = table[1] = ENTRY_BAD; /* if the code lacks the rest */
    /* Codes come in order; the first bit of CODE is its lowest. The table doubles with each bit. */
    for (n = 1; n <= MOST_BITS; n++) {
        for (unsigned k = count[n]; k > 0; k--) {
            uint64_t entry = entry_of(*next++);
            unsigned all = (1U << n) - 1, one;
            if (n <= root) {
                table[code] = entry + ADD(n);
            } else {
                if (low != (code & ((1U << root) - 1))) {
                    unsigned have = k;
                    low = code & ((1U << root) - 1);
                    sub = end;
                    for (width = n - root; have < 1U << width; width++)
                        have = 2 * have + count[root + width + 1];
                    table[low] = ENTRY_SUB | (uint64_t)sub << 48 | width << 8 | root;
                    end += 1U << width;
                }
                for (unsigned i = code >> root; i < 1U << width; i += 1U << (n - root))
                    table[sub + i] = entry + ADD(n - root);
            }
            if (code != all) { /* adds 1, from the highest bit down */
                one = 1U << (31 - __builtin_clz(code ^ all));
                code = (code & (one - 1)) | one;
            }
        }
        if (n < root)
            memcpy(table + (1U << n), table, sizeof *table << n);
    }
    return true;
}

/* Lets entries of a literal take the one or two symbols behind it, too. What these two add depends
 * on the literal's number of bits and on the bits behind them. So it is worked out once for each
 * number of bits, not for each literal. LENGTHS: those of the literals' codes. */
static void join_symbols(uint64_t *table, const uint8_t *lengths)
{
    enum { ALL = 1 << NEAR_ROOT };
    uint64_t behind[ALL]; /* at (ALL + index in the table) >> the literal's number of bits */
    unsigned used = 0;

    for (unsigned i = 0; i < 256; i++)
        used |= 1U << lengths[i];
    behind[1] = 0; /* no bits are left */
    for (unsigned left = 1; left < NEAR_ROOT; left++) {
        for (unsigned i = 0; used >> (NEAR_ROOT - left) & 1 && i < 1U << left; i++) {
            uint64_t b = table[i], c = table[i >> (b >> 8 & 31)];
            unsigned bits = b >> 8 & 31;
            bool one = !(b & SPECIAL) & (bits <= left);
            bool two = !((b & KINDS) | (c & SPECIAL)) & (bits + (c >> 8 & 31) <= left);
            uint64_t take_b = -(uint64_t)one, take_c = take_b & -(uint64_t)two;
            behind[(1U << left) + i] =
                (take_b & ((uint32_t)b | (b >> 32 & 255) << 40 | b >> 48 << 48)) +
                (take_c & ((uint32_t)c + ((c >> 32 & 255) << 48) + (c >> 48 << 48)));
        }
    }
    for (unsigned i = 0; i < ALL; i++)
        table[i] += behind[(ALL + i) >> (table[i] & KINDS ? NEAR_ROOT : table[i] >> 8 & 31)];
}

/* ---- the head of a block ---- */

/* Reads the lengths of a block's codes. */
static const char *read_lengths(struct zlib_reader *s, uint8_t *lengths, unsigned *nears,
                                unsigned *fars)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    static const uint8_t extras[3] = {2, 3, 7};
    uint8_t own[19] = {0};
    unsigned count, value, all, repeat;

    if (!take(s, 5, nears) || !take(s, 5, fars) || !take(s, 4, &count))
        return ends_early;
    *nears += 257;
    *fars += 1;
    all = *nears + *fars;
    if (*nears > 286 || *fars > 30)
        return damaged;
    for (unsigned i = 0; i < count + 4; i++) {
        if (!take(s, 3, &value))
            return ends_early;
        own[order[i]] = (uint8_t)value;
    }
    if (!make_table(s->near, 7, own, 19, false, near_entry))
        return damaged;
    for (unsigned i = 0; i < all; i += repeat) {
        fill(s);
        uint64_t entry = s->near[s->buffer & 127];
        unsigned symbol = entry >> 32 & 255, extra = symbol < 16 ? 0 : extras[symbol - 16];
        if (!drop(s, entry & 63) || !take(s, extra, &repeat))
            return ends_early;
        repeat += symbol == 18 ? 11 : symbol >= 16 ? 3 : 1;
        if (repeat > all - i || (symbol == 16 && i == 0))
            return damaged;
        memset(lengths + i, symbol < 16 ? (int)symbol : symbol == 16 ? lengths[i - 1] : 0, repeat);
    }
    return lengths[256] > 0 ? NULL : damaged; /* without a code for its end */
}

static const char *read_head(struct zlib_reader *s)
{
    uint8_t lengths[NEAR_CODES + FAR_CODES];
    unsigned head, check, nears = NEAR_CODES, fars = FAR_CODES;
    const char *fault = NULL;

    if (!take(s, 3, &head))
        return ends_early;
    s->last = head & 1;
    if (head >> 1 == 0) {
        drop(s, s->bits % 8);
        if (!take(s, 16, &s->left) || !take(s, 16, &check))
            return ends_early;
        s->block = STORED;
        return s->left == (check ^ 0xffff) ? NULL : damaged;
    }
    if (head >> 1 == 2) {
        fault = read_lengths(s, lengths, &nears, &fars);
    } else if (head >> 1 == 1) {
        memset(lengths, 8, 288);
        memset(lengths + 144, 9, 112);
        memset(lengths + 256, 7, 24);
        memset(lengths + 288, 5, 32);
    } else {
        fault = damaged;
    }
    if (fault)
        return fault;
    if (!make_table(s->near, NEAR_ROOT, lengths, nears, true, near_entry) ||
        !make_table(s->far, FAR_ROOT, lengths + nears, fars, true, far_entry))
        return damaged;
    if (head >> 1 == 2) /* blocks in the fixed code are short */
        join_symbols(s->near, lengths);
    s->block = CODED;
    return NULL;
}

/* ---- far from the ends ---- */

/* A pass of run() writes up to five literals and a match, which is copied in steps of 32, or seven
 * literals in stores of 4. It loads 8 bytes up to three times, the first pass four times. */
#define ROOM_OUT (5 + 258 + 31)
#define ROOM_IN  (4 * 8)

/* Copies a match; writes up to 31 bytes behind it. */
INLINE void copy_match(uint8_t *out, size_t distance, size_t length)
{
    static const uint8_t multiple[8] = {0, 8, 8, 9, 8, 10, 12, 14}; /* of a distance below 8 */
    const uint8_t *from = out - distance, *end = out + length;
    uint8_t same[32];

    if (distance >= 32) {
        do {
            memcpy(out, from, 32);
            out += 32;
            from += 32;
        } while (out < end);
        return;
    }
    if (distance == 1) {
        memset(same, *from, sizeof same);
        do {
            memcpy(out, same, 32);
            out += 32;
        } while (out < end);
        return;
    }
    if (distance < 8) {
        for (int i = 0; i < 8; i++)
            out[i] = from[i];
        from += 8 + distance - multiple[distance];
        out += 8;
    }
    for (; out < end; out += 8, from += 8)
        memcpy(out, from, 8);
}

/* Copies a match that may begin before this call's output. */
static void copy_kept(struct zlib_reader *s, size_t distance, size_t length)
{
    size_t done = (size_t)(s->out - s->begin), old = distance > done ? distance - done : 0, i;

    i = old < length ? old : length;
    memcpy(s->out, s->history + HISTORY - old, i);
    for (; i < length; i++)
        s->out[i] = s->out[i - distance];
    s->out += length;
}

/* In run(): copies a match to OUT, behind DONE bytes of this call; returns the place behind it. */
INLINE uint8_t *copy_back(struct zlib_reader *s, uint8_t *out, size_t done, size_t distance,
                          size_t length)
{
    if (distance <= done) {
        copy_match(out, distance, length);
        return out + length;
    }
    s->out = out;
    copy_kept(s, distance, length);
    return s->out;
}

INLINE uint64_t load_64(const uint8_t *p)
{
    uint64_t value;

    memcpy(&value, p, sizeof value);
    return le64toh(value);
}

/* In run(): fills the buffer to 56 bits or more; takes an entry's bits; the entries for the next
 * bits. LOOK takes an entry and writes its literals. What may come next, another symbol or a
 * distance, is loaded at once (the empty instructions make the compiler do so), because half of the
 * branches of a photograph are foretold wrongly. */
#define FILL()      (buffer |= load_64(in) << bits, in += (63 - bits) >> 3, bits |= 56)
#define TAKE(entry) (before = buffer, buffer >>= (entry)&63, bits -= (uint8_t)(entry))
#define NEAR()      (near[buffer & ((1 << NEAR_ROOT) - 1)])
#define FAR()       (far[buffer & ((1 << FAR_ROOT) - 1)])
#define SUB(entry)  ((entry >> 48) + (buffer & ((1U << (entry >> 8 & 63)) - 1)))
#define LOOK()                                                                                     \
    do {                                                                                           \
        TAKE(entry);                                                                               \
        place = FAR();                                                                             \
        symbol = NEAR();                                                                           \
        __asm__("" : "+r"(place), "+r"(symbol));                                                   \
        literals = htole32((uint32_t)(entry >> 32));                                               \
        memcpy(out, &literals, 4);                                                                 \
        out += entry >> 16 & 255;                                                                  \
    } while (0)

/* Ends run(), which has read up to IN: whole bytes of BUFFER go back, if they are of this piece. */
INLINE void put_bits_back(struct zlib_reader *s, const uint8_t *in, uint64_t buffer, unsigned bits)
{
    unsigned back = bits / 8 < (unsigned)(in - s->in) ? bits / 8 : (unsigned)(in - s->in);

    s->in = in - back;
    s->bits = bits - 8 * back;
    s->buffer = buffer & (((uint64_t)1 << s->bits) - 1);
}

/* Decodes until less than ROOM_IN or ROOM_OUT bytes are left. Two looks into `near` and one into
 * `far` take at most 11 + 11 + 5 + 15 + 13 = 55 bits. */
INLINE const char *run_body(struct zlib_reader *s)
{
    const uint8_t *in = s->in, *in_stop = s->in_end - ROOM_IN, *out_stop = s->end - ROOM_OUT;
    const uint8_t *const begin = s->begin;
    const uint64_t *near = s->near, *far = s->far;
    uint64_t buffer = s->buffer, before, entry, symbol, place;
    const char *fault = NULL;
    unsigned bits = s->bits;
    uint8_t *out = s->out;
    uint32_t literals;
    size_t length, distance, done;

    FILL();
    entry = NEAR();
    do {
        LOOK();
        if (!(entry & KINDS)) {
            entry = symbol;
            LOOK();
            if (!(entry & KINDS)) {
                entry = symbol;
                FILL();
                continue;
            }
        }
        if ((entry & KINDS) == ENTRY_SUB) {
            FILL();
            entry = near[SUB(entry)];
            LOOK();
            FILL();
            place = FAR();
            if (!(entry & KINDS)) {
                entry = NEAR();
                continue;
            }
        }
        if (entry & SPECIAL) {
            s->block = HEAD;
            fault = entry >> 32 & 1 ? NULL : damaged;
            break;
        }
        length = (entry >> 48) + extra_of(entry, before);
        if ((place & KINDS) == ENTRY_SUB) {
            TAKE(place);
            place = far[SUB(place)];
        }
        TAKE(place);
        distance = (place >> 48) + extra_of(place, before);
        done = (size_t)(out - begin);
        if ((place & SPECIAL) || distance > done + s->kept) {
            fault = damaged;
            break;
        }
        FILL();
        entry = NEAR();
        out = copy_back(s, out, done, distance, length);
    } while (in < in_stop && out < out_stop);
    s->out = out;
    put_bits_back(s, in, buffer, bits);
    return fault;
}

#ifdef __x86_64__
__attribute__((target("bmi2"))) static const char *run_bmi2(struct zlib_reader *s)
{
    return run_body(s);
}
#endif

static const char *run(struct zlib_reader *s)
{
#ifdef __x86_64__
    if (HAS_INSTRUCTIONS(BMI2, "bmi2")) /* photographs take 0.95 of the time */
        return run_bmi2(s);
#endif
    return run_body(s);
}

/* ---- near the ends ---- */

/* Takes an entry of TABLE, with its subtable, and its base and extra bits. */
static bool look(struct zlib_reader *s, const uint64_t *table, unsigned root, uint64_t *entry,
                 unsigned *value)
{
    fill(s);
    *entry = table[s->buffer & ((1U << root) - 1)];
    if ((*entry & KINDS) == ENTRY_SUB) {
        const uint64_t *sub = table + (*entry >> 48);
        *entry = sub[s->buffer >> root & ((1U << (*entry >> 8 & 63)) - 1)] + ADD(root);
    }
    *value = (unsigned)(*entry >> 48) + extra_of(*entry, s->buffer);
    return drop(s, *entry & 63);
}

/* Decodes the next symbols. */
static const char *step(struct zlib_reader *s)
{
    uint64_t entry, place;
    unsigned length;

    if (!look(s, s->near, NEAR_ROOT, &entry, &length))
        return ends_early;
    if (entry & SPECIAL) {
        s->block = HEAD;
        return entry >> 32 & 1 ? NULL : damaged;
    }
    s->literals = (unsigned)(entry >> 32);
    s->literal_count = entry >> 16 & 255;
    if (!(entry & BASE))
        return NULL;
    if (!look(s, s->far, FAR_ROOT, &place, &s->distance))
        return ends_early;
    if ((place & SPECIAL) || s->distance > (size_t)(s->out - s->begin) + s->literal_count + s->kept)
        return damaged;
    s->left = length;
    return NULL;
}

/* Copies from a stored block: first what is in the buffer. */
static const char *copy_stored(struct zlib_reader *s, size_t most)
{
    size_t some = 1;

    if (s->bits == 0 && s->in == s->in_end)
        fill(s);
    if (s->bits > 0) {
        *s->out = (uint8_t)s->buffer;
        drop(s, 8);
    } else {
        some = (size_t)(s->in_end - s->in);
        some = some < most ? some : most;
        memcpy(s->out, s->in, some);
        s->in += some;
    }
    if (some == 0)
        return ends_early;
    s->out += some;
    s->left -= (unsigned)some;
    return NULL;
}

/* Keeps the end of this call's output for the distances of the next. */
static void keep(struct zlib_reader *s, size_t bytes)
{
    size_t some = bytes < HISTORY ? bytes : HISTORY, room = HISTORY - some;
    size_t rest = s->kept < room ? s->kept : room;

    memmove(s->history + room - rest, s->history + HISTORY - rest, rest);
    memcpy(s->history + room, s->out - some, some);
    s->kept = rest + some;
}

/* Takes COUNT whole bytes, at most 4; the first is the highest of *value. */
static bool take_bytes(struct zlib_reader *s, unsigned count, uint32_t *value)
{
    bool ok = drop(s, s->bits % 8);

    for (*value = 0; ok && count > 0; count--) {
        unsigned byte;
        ok = take(s, 8, &byte);
        *value = *value << 8 | byte;
    }
    return ok;
}

/* ---- the stream ---- */

/* Checks RFC 1950's header: method 8 with a window up to 32 KiB, no preset dictionary, and the two
 * bytes a multiple of 31. The window size itself is ignored: some encoders write a smaller size
 * than they use. */
static const char *read_start(struct zlib_reader *s)
{
    uint32_t header;

    if (!take_bytes(s, 2, &header))
        return ends_early;
    s->block = HEAD;
    return (header >> 8 & 15) == 8 && header >> 12 <= 7 && (header & 32) == 0 && header % 31 == 0
               ? NULL
               : other_method;
}

/* Makes the next step towards the end of this call's room. */
static const char *advance(struct zlib_reader *s)
{
    const size_t room = (size_t)(s->end - s->out), most = s->left < room ? s->left : room;

    if (s->block == START)
        return read_start(s);
    if (most > 0 && s->block == STORED)
        return copy_stored(s, most);
    if (most > 0) {
        copy_kept(s, s->distance, most);
        s->left -= (unsigned)most;
        return NULL;
    }
    if (s->block == CODED)
        return s->in_end - s->in > ROOM_IN && room > ROOM_OUT ? run(s) : step(s);
    if (!s->last)
        return read_head(s);
    s->block = END;
    return NULL;
}

bool zlib_reader_read(struct zlib_reader *s, uint8_t *out, size_t want, size_t *got,
                      const char **why)
{
    const bool ended = s->block == END;
    const char *fault = NULL;
    uint32_t adler;

    s->begin = s->out = out;
    s->end = out + want;
    while (s->out < s->end && (s->literal_count > 0 || (!fault && s->block != END))) {
        if (s->literal_count > 0) {
            *s->out++ = (uint8_t)s->literals;
            s->literals >>= 8;
            s->literal_count--;
        } else {
            fault = advance(s);
        }
    }
    *got = (size_t)(s->out - out);
    keep(s, *got);
    s->adler = zlib_adler32(s->adler, out, *got);
    if (!fault && !ended && s->block == END)
        fault = !take_bytes(s, 4, &adler) ? ends_early : adler != s->adler ? wrong_checksum : NULL;
    if (fault)
        *why = fault;
    return !fault;
}

bool zlib_reader_skip(struct zlib_reader *s, uint64_t most, uint64_t *got, const char **why)
{
    size_t some = 1;
    bool ok = true;

    for (*got = 0; ok && some > 0 && *got < most; *got += some) {
        uint64_t want = most - *got;
        want = want < sizeof s->spare ? want : sizeof s->spare;
        ok = zlib_reader_read(s, s->spare, (size_t)want, &some, why);
    }
    return ok;
}

bool zlib_reader_end(struct zlib_reader *s, const char **why)
{
    size_t got;

    if (!zlib_reader_read(s, s->spare, sizeof s->spare, &got, why))
        return false;
    fill(s);
    *why = too_long;
    return got == 0 && s->bits == 0;
}

struct zlib_reader *zlib_reader_new(const uint8_t *(*more)(void *context, size_t *bytes),
                                    void *context)
{
    struct zlib_reader *s = malloc(sizeof *s);

    if (!s)
        return NULL;
    memset(s, 0, offsetof(struct zlib_reader, near));
    s->more = more;
    s->context = context;
    s->adler = 1;
    return s;
}

void zlib_reader_free(struct zlib_reader *s)
{
    free(s);
}
