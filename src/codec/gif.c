/* GIF, read: the first picture of a file. Further ones, the frames of an animation, are noted as
 * dropped. GIF is not written.
 *
 *   "GIF87a" or "GIF89a", then a canvas: width, height, flags, two unused bytes, perhaps a palette
 *   blocks: 0x21 extension: a kind, then pieces; the graphic control names the transparent index
 *           0x2c picture: place on the canvas, width, height, flags, perhaps a palette of its own,
 *                the least bits of a code, then pieces of compressed indices
 *           0x3b end
 *   pieces: a byte with the length, and so many bytes; the last one has length 0
 *
 * Indices are compressed by LZW: a code is one index, a string of earlier ones, or a command to
 * begin again or to end. Each code adds a string to the table: the last string and one index.
 * Pixels beside the picture are transparent. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/format.h"

#define HEADER_BYTES 13
#define CODES        4096 /* a code has at most 12 bits */

enum flags { GIF_PALETTE = 128, GIF_INTERLACED = 64 };

/* source->state. Its pointers point into the input's bytes. */
struct gif {
    const char *name;
    const uint8_t *start, *at, *end;
    int width, height;            /* of the canvas */
    int left, top, columns, rows; /* of the picture on it */
    bool interlaced;
    int transparent; /* index; -1: none */
    const uint8_t *palette;
    int entries;
    int least_bits;
    size_t data_bytes; /* with the pieces' lengths */
    unsigned dropped;
    uint8_t *indices; /* of the picture, in the order of the file */
};

static int get16(const uint8_t *p)
{
    return p[0] | p[1] << 8;
}

static bool recognise(const uint8_t *head, size_t bytes)
{
    return bytes >= 4 && memcmp(head, "GIF8", 4) == 0;
}

static bool damaged(const struct gif *gif, const char *what, struct error *err)
{
    return error_file(err, gif->name, "damaged GIF: %s", what);
}

static bool cut(const struct gif *gif, struct error *err)
{
    return error_file(err, gif->name, "truncated GIF: the file ends before its picture");
}

/* ---- blocks ---- */

/* The next BYTES bytes; NULL if the file ends before. */
static const uint8_t *take(struct gif *gif, size_t bytes)
{
    const uint8_t *at = gif->at;

    if ((size_t)(gif->end - at) < bytes)
        return NULL;
    gif->at += bytes;
    return at;
}

/* The next piece; *bytes is 0 at the last one and where the file ends. */
static const uint8_t *take_piece(struct gif *gif, size_t *bytes)
{
    const uint8_t *length = take(gif, 1), *piece = length ? take(gif, *length) : NULL;

    *bytes = piece ? *length : 0;
    return piece;
}

/* False if the file ends before the last piece. */
static bool skip_pieces(struct gif *gif)
{
    const uint8_t *piece;
    size_t bytes;

    do
        piece = take_piece(gif, &bytes);
    while (bytes > 0);
    return piece != NULL;
}

static bool take_palette(struct gif *gif, int flags)
{
    if (!(flags & GIF_PALETTE))
        return true;
    gif->entries = 2 << (flags & 7);
    gif->palette = take(gif, 3 * (size_t)gif->entries);
    return gif->palette != NULL;
}

static bool take_extension(struct gif *gif)
{
    const uint8_t *kind = take(gif, 1), *piece;
    size_t bytes;

    if (!kind)
        return false;
    piece = take_piece(gif, &bytes);
    if (*kind == 0xf9 && bytes >= 4)
        gif->transparent = piece[0] & 1 ? piece[3] : -1;
    if (*kind == 0xff && bytes >= 11 && memcmp(piece, "ICCRGBG1012", 11) == 0)
        gif->dropped |= DROPPED_ICC;
    if (*kind == 0xff && bytes >= 11 && memcmp(piece, "XMP DataXMP", 11) == 0)
        gif->dropped |= DROPPED_XMP;
    return bytes > 0 ? skip_pieces(gif) : piece != NULL;
}

/* Goes behind the byte that begins the next picture. *there is false at the end of all blocks. */
static bool find_picture(struct gif *gif, bool *there, struct error *err)
{
    const uint8_t *block;

    while ((block = take(gif, 1)) && *block == 0x21)
        if (!take_extension(gif))
            return cut(gif, err);
    *there = block && *block == 0x2c;
    if (block && !*there && *block != 0x3b)
        return error_file(err, gif->name, "damaged GIF: there is no block at byte %zu",
                          (size_t)(block - gif->start));
    return block || cut(gif, err);
}

static bool take_picture(struct gif *gif, struct error *err)
{
    const uint8_t *head = take(gif, 9), *least;

    if (!head)
        return cut(gif, err);
    gif->left = get16(head);
    gif->top = get16(head + 2);
    gif->columns = get16(head + 4);
    gif->rows = get16(head + 6);
    gif->interlaced = head[8] & GIF_INTERLACED;
    if (gif->columns == 0 || gif->rows == 0)
        return error_file(err, gif->name, "damaged GIF: %d x %d pixels are no picture",
                          gif->columns, gif->rows);
    if (gif->left + gif->columns > gif->width || gif->top + gif->rows > gif->height)
        return damaged(gif, "its picture leaves the canvas", err);
    if (!take_palette(gif, head[8]) || !(least = take(gif, 1)))
        return cut(gif, err);
    if (!gif->palette)
        return damaged(gif, "it has no palette", err);
    gif->least_bits = *least;
    if (gif->least_bits < 1 || gif->least_bits > 8)
        return damaged(gif, "an impossible size of codes", err);
    return true;
}

/* ---- LZW ---- */

/* Strings end with `last`; the rest is the string `before`. */
struct table {
    int known, bits; /* codes below `known` are known; a code has so many bits */
    uint16_t before[CODES], length[CODES];
    uint8_t first[CODES], last[CODES];
};

static void table_begin(struct table *table, int least_bits)
{
    table->bits = least_bits + 1;
    table->known = (1 << least_bits) + 2;
    for (int i = 0; i < 1 << least_bits; i++) {
        table->length[i] = 1;
        table->first[i] = table->last[i] = (uint8_t)i;
    }
}

/* Adds the string BEFORE with one index behind it. */
static void table_add(struct table *table, int before, uint8_t last)
{
    int code = table->known;

    if (code == CODES)
        return;
    table->before[code] = (uint16_t)before;
    table->length[code] = (uint16_t)(table->length[before] + 1);
    table->first[code] = table->first[before];
    table->last[code] = last;
    table->known++;
    if (table->known == 1 << table->bits && table->bits < 12)
        table->bits++;
}

/* Writes the string of CODE to TO, as far as there is ROOM; returns its length. */
static size_t table_put(const struct table *table, int code, uint8_t *to, size_t room)
{
    size_t length = table->length[code];

    for (size_t i = length; i-- > 0; code = table->before[code])
        if (i < room)
            to[i] = table->last[code];
    return length < room ? length : room;
}

/* The next code, from the low bits of bytes to the high ones; -1 where the pieces end. */
struct bits {
    struct gif *gif;
    const uint8_t *piece;
    size_t bytes;
    uint32_t held;
    int count;
};

static int next_code(struct bits *bits, int want)
{
    int code;

    while (bits->count < want) {
        if (bits->bytes == 0 &&
            (!(bits->piece = take_piece(bits->gif, &bits->bytes)) || bits->bytes == 0))
            return -1;
        bits->held |= (uint32_t)*bits->piece++ << bits->count;
        bits->bytes--;
        bits->count += 8;
    }
    code = (int)(bits->held & ((1U << want) - 1));
    bits->held >>= want;
    bits->count -= want;
    return code;
}

/* Expands the indices of the picture. Data behind the last one is passed over. */
static bool expand(struct gif *gif, struct table *table, struct error *err)
{
    const size_t most = (size_t)gif->columns * (size_t)gif->rows;
    const int clear = 1 << gif->least_bits;
    struct bits bits = {.gif = gif};
    int before = -1;
    size_t done = 0;

    table_begin(table, gif->least_bits);
    while (done < most) {
        int code = next_code(&bits, table->bits);
        if (code < 0 || code == clear + 1)
            return error_file(err, gif->name, "truncated GIF: %zu of %d rows",
                              done / (size_t)gif->columns, gif->rows);
        if (code == clear) {
            table_begin(table, gif->least_bits);
            before = -1;
            continue;
        }
        /* A code may name the string that it adds: the last one with its own first index. */
        if (code > table->known || (code == table->known && (before < 0 || code == CODES)))
            return damaged(gif, "its compressed pixels make no sense", err);
        if (before >= 0)
            table_add(table, before, table->first[code < table->known ? code : before]);
        done += table_put(table, code, gif->indices + done, most - done);
        before = code;
    }
    return true;
}

/* ---- indices ---- */

/* Where row Y of the picture is in the file. Interlaced rows come in four parts: the rows 0, 8, 16,
 * ...; 4, 12, ...; 2, 6, 10, ...; and all odd ones. */
static int stored_row(const struct gif *gif, int y)
{
    const int n = gif->rows;

    if (!gif->interlaced)
        return y;
    return y % 8 == 0   ? y / 8
           : y % 8 == 4 ? (n + 7) / 8 + y / 8
           : y % 4 == 2 ? (n + 3) / 4 + y / 4
                        : (n + 1) / 2 + y / 2;
}

/* Row Y of the picture. */
static const uint8_t *row_at(const struct gif *gif, int y)
{
    return gif->indices + (size_t)stored_row(gif, y) * (size_t)gif->columns;
}

static bool check_indices(const struct gif *gif, struct error *err)
{
    for (int y = 0; y < gif->rows; y++)
        for (int x = 0; x < gif->columns; x++) {
            int index = row_at(gif, y)[x];
            if (index >= gif->entries && index != gif->transparent)
                return error_file(err, gif->name,
                                  "damaged GIF: row %d has a colour that its palette lacks: %d", y,
                                  index);
        }
    return true;
}

static bool read_picture(struct gif *gif, struct error *err)
{
    const uint8_t *data = gif->at;
    size_t most = (size_t)gif->columns * (size_t)gif->rows, bytes;
    struct table *table;
    bool ok;

    skip_pieces(gif);
    bytes = (size_t)(gif->at - data);
    gif->at = data;
    if (most / CODES > bytes) /* a code of at least a byte gives less than 4096 indices */
        return error_file(err, gif->name,
                          "damaged GIF: %d x %d pixels cannot come out of its %zu bytes of data",
                          gif->columns, gif->rows, bytes);
    table = malloc(sizeof *table);
    gif->indices = large_alloc_checked(most);
    ok = (table && gif->indices) ||
         error_file(err, gif->name, "no memory for %d x %d pixels", gif->columns, gif->rows);
    ok = ok && expand(gif, table, err) && check_indices(gif, err);
    free(table);
    gif->at = data;
    skip_pieces(gif);
    return ok;
}

/* ---- the decoder ---- */

static bool decoder_open(struct source *source, struct error *err)
{
    struct gif *gif = source->state, rest;
    struct error ignored;
    const uint8_t *head;
    bool there, covers;
    size_t bytes;

    gif->name = input_name(source->input);
    gif->transparent = -1;
    if (!input_read_all(source->input, &gif->start, &bytes, err))
        return false;
    gif->at = gif->start;
    gif->end = gif->start + bytes;
    head = take(gif, HEADER_BYTES);
    if (!head)
        return cut(gif, err);
    gif->width = get16(head + 6);
    gif->height = get16(head + 8);
    if (!take_palette(gif, head[10]))
        return cut(gif, err);
    if (!find_picture(gif, &there, err))
        return false;
    if (!there)
        return damaged(gif, "it holds no picture", err);
    if (!take_picture(gif, err) || !read_picture(gif, err))
        return false;
    covers = gif->columns == gif->width && gif->rows == gif->height;
    source_describe(source, gif->width, gif->height, gif->transparent < 0 && covers ? 3 : 4, 255,
                    FORMAT_GIF);
    rest = *gif; /* blocks behind the picture do not change it */
    if (find_picture(&rest, &there, &ignored) && there)
        rest.dropped |= DROPPED_FRAMES;
    source->dropped = rest.dropped;
    return true;
}

static bool decoder_read(struct source *source, struct image *rows, struct error *err)
{
    const struct gif *gif = source->state;
    const size_t channels = (size_t)rows->channels;

    (void)err; /* all was checked when it was opened */
    for (int i = 0; i < rows->height; i++) {
        int y = source->next_row + i - gif->top;
        uint8_t *to = memset(image_row(rows, i), 0, image_row_bytes(rows));
        if (y < 0 || y >= gif->rows)
            continue;
        const uint8_t *from = row_at(gif, y);
        to += (size_t)gif->left * channels;
        for (int x = 0; x < gif->columns; x++, to += channels) {
            if (from[x] < gif->entries)
                memcpy(to, gif->palette + 3 * (size_t)from[x], 3);
            if (channels == 4)
                to[3] = from[x] == gif->transparent ? 0 : 255;
        }
    }
    return true;
}

static void decoder_close(struct source *source)
{
    const struct gif *gif = source->state;

    free(gif->indices);
}

const struct decoder decoder_gif = {
    .name = "GIF",
    .recognise = recognise,
    .open = decoder_open,
    .read = decoder_read,
    .state_bytes = sizeof(struct gif),
    .close = decoder_close,
};

const struct encoder encoder_gif; /* empty: it is not written */
