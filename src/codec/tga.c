/* TGA, read and written. The decoder reads palettes, gray and colour of all common depths, with and
 * without run-length compression. The encoder writes 8 to 32 bits a pixel, row by row.
 *
 *   0 bytes of the text behind the header     8  place on the screen
 *   1 1: there is a palette                  12  width, height
 *   2 1 palette, 2 colour, 3 gray;           16  bits a pixel
 *     8 more: compressed                     17  bits of alpha; 16: columns from the right;
 *   3 first palette entry, entries,              32: rows from the top, else from the bottom
 *     7 bits of an entry                     18  text, palette, pixels
 *
 * Pixels of 15 and 16 bits hold 5 bits of red, green and blue; of 16 bits of gray, gray and alpha.
 * Run-length compression is packets: a byte, whose low 7 bits are a count less one, and the pixels;
 * one pixel, which is repeated, where the byte is 128 or more. A TGA has no magic number, so only a
 * file named .tga is read as one (decoder->extension). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/format.h"

#define HEADER_BYTES 18

enum kind { TGA_PALETTE = 1, TGA_COLOUR = 2, TGA_GRAY = 3, TGA_COMPRESSED = 8 };
enum flags { TGA_FROM_RIGHT = 16, TGA_FROM_TOP = 32 };

/* source->state. Its pointers point into the input's bytes, or into `expanded`. */
struct tga {
    const char *name;
    const uint8_t *header, *palette, *pixels;
    int kind; /* without TGA_COMPRESSED */
    int width, height;
    int first, entries; /* of the palette */
    int bits; /* of a pixel's colour: 8, 15, 16, 24 or 32; with a palette, of its entries */
    size_t entry_bytes, pixel_bytes;
    uint8_t *expanded; /* the pixels of a compressed picture */
};

static int get16(const uint8_t *p)
{
    return p[0] | p[1] << 8;
}

static bool is_colour_depth(int bits)
{
    return bits == 15 || bits == 16 || bits == 24 || bits == 32;
}

/* True if the header makes sense. */
static bool recognise(const uint8_t *head, size_t bytes)
{
    int kind, bits;

    if (bytes < HEADER_BYTES || head[1] > 1 || (head[17] & 0xc0) != 0 || (head[17] & 15) > 8 ||
        get16(head + 12) == 0 || get16(head + 14) == 0 || (head[1] == 0 && head[7] != 0))
        return false;
    kind = head[2] & ~TGA_COMPRESSED;
    bits = head[16];
    if (kind == TGA_PALETTE)
        return head[1] == 1 && (bits == 8 || bits == 16) && is_colour_depth(head[7]) &&
               get16(head + 5) > 0;
    return (kind == TGA_COLOUR && is_colour_depth(bits)) ||
           (kind == TGA_GRAY && (bits == 8 || bits == 16));
}

/* ---- opening ---- */

static bool truncated(const struct tga *tga, uint64_t rows, struct error *err)
{
    return error_file(err, tga->name, "truncated TGA: %llu of %d rows", (unsigned long long)rows,
                      tga->height);
}

static void read_header(struct tga *tga)
{
    const uint8_t *head = tga->header;

    tga->kind = head[2] & ~TGA_COMPRESSED;
    tga->first = get16(head + 3);
    tga->entries = head[1] ? get16(head + 5) : 0;
    tga->width = get16(head + 12);
    tga->height = get16(head + 14);
    tga->bits = tga->kind == TGA_PALETTE ? head[7] : head[16];
    tga->entry_bytes = (head[7] + 7U) / 8;
    tga->pixel_bytes = (head[16] + 7U) / 8;
}

/* Expands the packets of BYTES bytes. */
static bool expand(struct tga *tga, size_t bytes, struct error *err)
{
    const uint8_t *at = tga->pixels, *end = at + bytes;
    size_t pixel = tga->pixel_bytes, most = (size_t)tga->width * (size_t)tga->height, done = 0;
    uint8_t *to;

    if (most / 128 > bytes / (1 + pixel))
        return error_file(err, tga->name,
                          "truncated TGA: %d x %d pixels cannot come out of its %zu bytes",
                          tga->width, tga->height, bytes);
    to = tga->expanded = large_alloc_checked(most * pixel);
    if (!to)
        return error_file(err, tga->name, "no memory for %d x %d pixels", tga->width, tga->height);
    while (done < most) {
        size_t count = at < end ? (*at & 127) + 1U : 0;
        bool run = at < end && *at >= 128;
        if (count == 0 || (size_t)(end - at) < 1 + pixel * (run ? 1 : count))
            return truncated(tga, done / (size_t)tga->width, err);
        if (count > most - done)
            return error_file(err, tga->name,
                              "damaged TGA: its compressed pixels leave the picture");
        at++;
        for (size_t i = 0; i < count; i++, to += pixel)
            memcpy(to, at + (run ? 0 : i * pixel), pixel);
        at += pixel * (run ? 1 : count);
        done += count;
    }
    tga->pixels = tga->expanded;
    return true;
}

/* Finds palette and pixels in the file's BYTES bytes. */
static bool locate(struct tga *tga, size_t bytes, struct error *err)
{
    size_t start = HEADER_BYTES + (size_t)tga->header[0], row;
    size_t palette_bytes = (size_t)tga->entries * tga->entry_bytes;

    if (bytes < start + palette_bytes)
        return error_file(err, tga->name, "truncated TGA: the file ends before its pixels");
    tga->palette = tga->header + start;
    tga->pixels = tga->palette + palette_bytes;
    bytes -= start + palette_bytes;
    if (tga->header[2] & TGA_COMPRESSED)
        return expand(tga, bytes, err);
    row = (size_t)tga->width * tga->pixel_bytes;
    return bytes / row >= (size_t)tga->height || truncated(tga, bytes / row, err);
}

/* ---- pixels ---- */

/* The stored pixel for column X of row Y. */
static const uint8_t *pixel_at(const struct tga *tga, int x, int y)
{
    const int flags = tga->header[17];

    x = flags & TGA_FROM_RIGHT ? tga->width - 1 - x : x;
    y = flags & TGA_FROM_TOP ? y : tga->height - 1 - y;
    return tga->pixels + ((size_t)y * (size_t)tga->width + (size_t)x) * tga->pixel_bytes;
}

/* The palette entry of a pixel, counted from the first one in the file. */
static int index_of(const struct tga *tga, const uint8_t *pixel)
{
    return (tga->pixel_bytes == 1 ? pixel[0] : get16(pixel)) - tga->first;
}

/* Checks that the palette has all indices. */
static bool check_indices(const struct tga *tga, struct error *err)
{
    for (int y = 0; y < tga->height && tga->kind == TGA_PALETTE; y++)
        for (int x = 0; x < tga->width; x++) {
            int index = index_of(tga, pixel_at(tga, x, y));
            if (index < 0 || index >= tga->entries)
                return error_file(err, tga->name,
                                  "damaged TGA: row %d has a colour that its palette lacks: %d", y,
                                  index + tga->first);
        }
    return true;
}

/* Whether colours of 32 bits have alpha. If the header names no bits of alpha, many programs store
 * it all the same; if it is 0 everywhere, the picture is opaque. */
static bool has_alpha(const struct tga *tga)
{
    const uint8_t *colours = tga->kind == TGA_PALETTE ? tga->palette : tga->pixels;
    size_t count =
        tga->kind == TGA_PALETTE ? (size_t)tga->entries : (size_t)tga->width * (size_t)tga->height;
    bool alpha = (tga->header[17] & 15) > 0;

    for (size_t i = 0; i < count && tga->bits == 32 && !alpha; i++)
        alpha = colours[4 * i + 3] != 0;
    return tga->bits == 32 && alpha;
}

static void convert(const struct tga *tga, const uint8_t *pixel, uint8_t *to, int channels)
{
    if (channels <= 2) {
        memcpy(to, pixel, (size_t)channels);
        return;
    }
    if (tga->kind == TGA_PALETTE)
        pixel = tga->palette + (size_t)index_of(tga, pixel) * tga->entry_bytes;
    if (tga->bits < 24) { /* to the nearest level */
        int value = get16(pixel);
        for (int c = 0; c < 3; c++)
            to[c] = (uint8_t)(((value >> (10 - 5 * c) & 31) * 510 + 31) / 62);
    } else {
        to[0] = pixel[2];
        to[1] = pixel[1];
        to[2] = pixel[0];
    }
    if (channels == 4)
        to[3] = pixel[3];
}

/* ---- the decoder ---- */

static bool decoder_open(struct source *source, struct error *err)
{
    struct tga *tga = source->state;
    size_t bytes;

    tga->name = input_name(source->input);
    if (!input_read_all(source->input, &tga->header, &bytes, err))
        return false;
    if (!recognise(tga->header, bytes))
        return error_file(err, tga->name, "was changed while it was read");
    read_header(tga);
    if (!locate(tga, bytes, err) || !check_indices(tga, err))
        return false;
    source_describe(source, tga->width, tga->height,
                    tga->kind == TGA_GRAY ? (int)tga->pixel_bytes : 3 + has_alpha(tga), 255,
                    FORMAT_TGA);
    return true;
}

static bool decoder_read(struct source *source, struct image *rows, struct error *err)
{
    const struct tga *tga = source->state;

    (void)err; /* all was checked when it was opened */
    for (int i = 0; i < rows->height; i++) {
        uint8_t *to = image_row(rows, i);
        for (int x = 0; x < rows->width; x++, to += rows->channels)
            convert(tga, pixel_at(tga, x, source->next_row + i), to, rows->channels);
    }
    return true;
}

static void decoder_close(struct source *source)
{
    const struct tga *tga = source->state;

    free(tga->expanded);
}

const struct decoder decoder_tga = {
    .name = "TGA",
    .extension = "tga",
    .recognise = recognise,
    .open = decoder_open,
    .read = decoder_read,
    .state_bytes = sizeof(struct tga),
    .close = decoder_close,
};

/* ---- the encoder ---- */

/* sink->state */
struct tga_writer {
    uint8_t *row;
};

static bool encoder_open(struct sink *sink, struct error *err)
{
    const struct image_info *info = &sink->info;
    struct tga_writer *writer = sink->state;
    const bool alpha = image_has_alpha(info->channels);
    const uint8_t head[HEADER_BYTES] = {
        [2] = info->channels <= 2 ? TGA_GRAY : TGA_COLOUR,
        [12] = (uint8_t)info->width,
        [13] = (uint8_t)(info->width >> 8),
        [14] = (uint8_t)info->height,
        [15] = (uint8_t)(info->height >> 8),
        [16] = (uint8_t)(8 * info->channels),
        [17] = TGA_FROM_TOP | (alpha ? 8 : 0),
    };

    writer->row = malloc((size_t)info->width * (size_t)info->channels);
    if (!writer->row)
        return sink_no_memory(sink, err);
    return output_write(sink->output, head, sizeof head, err);
}

static bool encoder_write(struct sink *sink, const struct image *rows, struct error *err)
{
    const struct tga_writer *writer = sink->state;
    const size_t bytes = image_row_bytes(rows), pixel = (size_t)rows->channels;

    for (int y = 0; y < rows->height; y++) {
        const uint8_t *from = image_row(rows, y);
        uint8_t *row = memcpy(writer->row, from, bytes);
        for (size_t i = 0; i < bytes && pixel >= 3; i += pixel) {
            row[i] = from[i + 2];
            row[i + 2] = from[i];
        }
        if (!output_write(sink->output, row, bytes, err))
            return false;
    }
    return true;
}

static void encoder_close(struct sink *sink)
{
    const struct tga_writer *writer = sink->state;

    free(writer->row);
}

const struct encoder encoder_tga = {
    .open = encoder_open,
    .write = encoder_write,
    .state_bytes = sizeof(struct tga_writer),
    .close = encoder_close,
};
