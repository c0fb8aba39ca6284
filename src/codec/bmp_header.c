/* BMP headers: see codec/bmp_header.h.
 *
 *   14 bytes  file header: "BM", size, reserved, where the pixels begin
 *   12        OS/2: 16-bit sizes, palette entries of three bytes
 *   16..64    OS/2 2: the long header, cut anywhere
 *   40        Windows 3; with compression 3 or 6, three or four masks follow
 *   52, 56    the same with the masks inside
 *   108, 124  Windows 4 and 5: masks, colour space; 5 may carry an ICC profile */
#include "codec/bmp_header.h"

#include <string.h>

#include "codec/format.h"
#include "codec/stb.h"

#define FILE_HEADER_BYTES 14

enum compression { BMP_RGB = 0, BMP_RLE8 = 1, BMP_RLE4 = 2, BMP_BITFIELDS = 3, BMP_ALPHA = 6 };

struct reader {
    struct bmp_file *bmp;
    const char *name;
    const uint8_t *bytes;
    size_t size;
    size_t header; /* bytes of the second header */
    uint32_t pixels_at;
    uint32_t compression, colours;
    size_t masks_end; /* where header and masks end and a palette may begin */
    struct error *err;
};

static uint32_t get16(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t get32(const uint8_t *p)
{
    return get16(p) | get16(p + 2) << 16;
}

bool bmp_recognise(const uint8_t *head, size_t bytes)
{
    return bytes >= 2 && head[0] == 'B' && head[1] == 'M';
}

static bool damaged(struct reader *reader, const char *what)
{
    return error_set(reader->err, EXIT_INPUT, "%s: damaged BMP: %s", reader->name, what);
}

static bool unreadable(struct reader *reader, const char *what)
{
    return error_set(reader->err, EXIT_INPUT,
                     "%s: a BMP with %s cannot be read: convert it to a plain BMP or a PNG",
                     reader->name, what);
}

static bool read_size(struct reader *reader)
{
    struct bmp_file *bmp = reader->bmp;
    const uint8_t *p = reader->bytes + FILE_HEADER_BYTES;
    int64_t width, height;

    if (reader->header == 12) {
        width = get16(p + 4);
        height = get16(p + 6);
        bmp->bits = (int)get16(p + 10);
    } else {
        width = (int32_t)get32(p + 4);
        height = (int32_t)get32(p + 8);
        bmp->bits = (int)get16(p + 14);
        reader->compression = reader->header >= 20 ? get32(p + 16) : BMP_RGB;
        reader->colours = reader->header >= 36 ? get32(p + 32) : 0;
    }
    bmp->top_down = height < 0;
    height = height < 0 ? -height : height;
    if (width <= 0 || height == 0)
        return error_set(reader->err, EXIT_INPUT,
                         "%s: damaged BMP: %lld x %lld pixels are no picture", reader->name,
                         (long long)width, (long long)height);
    if (width > STB_MAX_SIDE || height > STB_MAX_SIDE || width * height * 4 > STB_MAX_BYTES)
        return error_set(reader->err, EXIT_INPUT,
                         "%s: %lld x %lld pixels: a BMP of more than 2 GiB of samples cannot be "
                         "read",
                         reader->name, (long long)width, (long long)height);
    bmp->width = (int)width;
    bmp->height = (int)height;
    return true;
}

/* stb_image takes masks of up to 8 bits in a row; more would have to be rounded. */
static bool check_masks(struct reader *reader)
{
    const struct bmp_file *bmp = reader->bmp;
    uint32_t seen = 0, allowed = bmp->bits == 16 ? 0xffff : 0xffffffff;
    int c;

    for (c = 0; c < 4; c++) {
        uint32_t mask = bmp->mask[c], lowest = mask & (0U - mask);
        if (mask == 0 && c == 3)
            break;
        if (mask == 0 || (mask & seen) != 0 || (mask & ~allowed) != 0)
            return damaged(reader, "its colour masks make no sense");
        /* Divided by its lowest bit a mask without gaps is 2^n - 1. */
        if (mask / lowest > 255 || ((mask / lowest) & (mask / lowest + 1)) != 0)
            return unreadable(reader, "colours of more than 8 bits or in pieces");
        seen |= mask;
    }
    return true;
}

static bool read_masks(struct reader *reader)
{
    static const uint32_t plain[2][3] = {{31U << 10, 31U << 5, 31}, {0xff0000, 0xff00, 0xff}};
    struct bmp_file *bmp = reader->bmp;
    size_t at = FILE_HEADER_BYTES + 40, count = 3;
    size_t i;

    reader->masks_end = FILE_HEADER_BYTES + reader->header;
    if (reader->compression != BMP_BITFIELDS && reader->compression != BMP_ALPHA) {
        if (bmp->bits != 16 && bmp->bits != 32)
            return true;
        memcpy(bmp->mask, plain[bmp->bits == 32], sizeof plain[0]);
        bmp->alpha_is_a_guess = bmp->bits == 32;
        return true;
    }
    if (reader->compression == BMP_ALPHA || reader->header >= 56)
        count = 4;
    if (reader->header == 40)
        reader->masks_end += 4 * count;
    if (reader->size < reader->masks_end || reader->masks_end < at + 4 * count)
        return damaged(reader, "its colour masks are missing");
    for (i = 0; i < count; i++)
        bmp->mask[i] = get32(reader->bytes + at + 4 * i);
    return check_masks(reader);
}

/* A kind of pixels that stb_image decodes. */
static bool check_kind(struct reader *reader)
{
    int bits = reader->bmp->bits;
    bool os2 = reader->header == 12 ||
               (reader->header >= 16 && reader->header <= 64 && reader->header != 40 &&
                reader->header != 52 && reader->header != 56);
    bool masks = reader->compression == BMP_BITFIELDS || reader->compression == BMP_ALPHA;

    if (get16(reader->bytes + FILE_HEADER_BYTES + (reader->header == 12 ? 8 : 12)) != 1)
        return damaged(reader, "it does not have one plane");
    if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
        return unreadable(reader, "an unusual number of bits a pixel");
    if (reader->compression == BMP_RLE8 || reader->compression == BMP_RLE4)
        return unreadable(reader, "run-length compression");
    if ((masks && os2) || (!masks && reader->compression != BMP_RGB))
        return unreadable(reader, "unusual compression");
    if (masks && bits != 16 && bits != 32)
        return damaged(reader, "it has colour masks but not 16 or 32 bits a pixel");
    return true;
}

/* The palette lies between the headers and the pixels. */
static bool read_palette(struct reader *reader)
{
    struct bmp_file *bmp = reader->bmp;
    size_t full = (size_t)1 << bmp->bits, room;

    if (bmp->bits > 8)
        return true;
    bmp->palette_entry_bytes = reader->header == 12 ? 3 : 4;
    room = (reader->pixels_at - reader->masks_end) / (size_t)bmp->palette_entry_bytes;
    if (reader->colours > 0 && reader->colours < full)
        full = reader->colours;
    if (room == 0)
        return damaged(reader, "it has no palette");
    bmp->palette = reader->bytes + reader->masks_end;
    bmp->palette_entries = (int)(room < full ? room : full);
    return true;
}

static bool locate_pixels(struct reader *reader)
{
    struct bmp_file *bmp = reader->bmp;
    size_t have, rows;

    if (reader->pixels_at < reader->masks_end)
        return damaged(reader, "its pixels begin inside its header");
    bmp->row_used = ((size_t)bmp->width * (size_t)bmp->bits + 7) / 8;
    bmp->row_bytes = (bmp->row_used + 3) / 4 * 4;
    have = reader->pixels_at < reader->size ? reader->size - reader->pixels_at : 0;
    rows = (have + bmp->row_bytes - bmp->row_used) / bmp->row_bytes;
    if (rows < (size_t)bmp->height)
        return error_set(reader->err, EXIT_INPUT, "%s: truncated BMP: %zu of %d rows", reader->name,
                         rows, bmp->height);
    bmp->pixels = reader->bytes + reader->pixels_at;
    return true;
}

bool bmp_header_read(struct bmp_file *bmp, const char *name, const uint8_t *bytes, size_t size,
                     struct error *err)
{
    struct reader reader = {.bmp = bmp, .name = name, .bytes = bytes, .size = size, .err = err};
    uint32_t colour_space;

    memset(bmp, 0, sizeof *bmp);
    if (size < FILE_HEADER_BYTES + 12)
        return error_set(err, EXIT_INPUT, "%s: truncated BMP: the file ends inside its header",
                         name);
    reader.pixels_at = get32(bytes + 10);
    reader.header = get32(bytes + FILE_HEADER_BYTES);
    if (reader.header != 12 && (reader.header < 16 || reader.header > 64) && reader.header != 108 &&
        reader.header != 124)
        return damaged(&reader, "its header has an unknown length");
    if (size < FILE_HEADER_BYTES + reader.header)
        return error_set(err, EXIT_INPUT, "%s: truncated BMP: the file ends inside its header",
                         name);
    if (!read_size(&reader) || !check_kind(&reader) || !read_masks(&reader) ||
        !locate_pixels(&reader) || !read_palette(&reader))
        return false;
    if (reader.header == 124) {
        colour_space = get32(bytes + FILE_HEADER_BYTES + 56);
        if (colour_space == 0x4d424544 || colour_space == 0x4c494e4b) /* 'MBED', 'LINK' */
            bmp->dropped |= DROPPED_ICC;
    }
    return true;
}
