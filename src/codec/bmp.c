/* BMP, read and written. Reading takes headers of all kinds that were ever common, with palettes
 * and masks; run-length and other compression is refused. Writing makes 24 or 32 bits.
 *
 *   14 bytes  file header: "BM", size, reserved, where the pixels begin
 *   12        OS/2: 16-bit sizes, palette entries of three bytes
 *   16..64    OS/2 2: the long header, cut anywhere
 *   40        Windows 3; with compression 3 or 6, three or four masks follow
 *   52, 56    the same with the masks inside
 *   108, 124  Windows 4 and 5: masks, colour space; 5 may carry an ICC profile
 *
 * Rows stand from the bottom to the top (or, where the height is negative, from the top), each
 * padded to a multiple of four bytes; the last one may lack its padding. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/format.h"

#define FILE_HEADER_BYTES 14
#define MAX_SIDE          (1 << 24)

enum compression { BMP_RGB = 0, BMP_RLE8 = 1, BMP_RLE4 = 2, BMP_BITFIELDS = 3, BMP_ALPHA = 6 };

/* source->state. Pointers lie in the input's bytes. */
struct bmp {
    const char *name;
    struct error *err; /* while the header is read */
    const uint8_t *bytes;
    size_t size;
    size_t header; /* bytes of the second header */
    uint32_t pixels_at, compression, colours;
    size_t masks_end; /* where header and masks end and a palette may begin */
    int width, height;
    bool top_down;
    int bits;               /* per pixel: 1, 4, 8, 16, 24 or 32 */
    uint32_t mask[4];       /* red, green, blue, alpha where bits is 16 or 32; alpha 0: none */
    bool alpha_is_a_guess;  /* 32 bits without masks: the fourth byte is alpha if any is not 0 */
    const uint8_t *palette; /* blue, green, red and, where an entry has four bytes, nothing */
    int palette_entries, palette_entry_bytes;
    const uint8_t *pixels; /* rows as they are stored */
    size_t row_bytes;      /* with the padding to a multiple of four */
    size_t row_used;       /* without it */
    uint8_t level[4][256]; /* the sample for each value of a mask's bits */
};

/* ---- headers ---- */

static uint32_t get16(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t get32(const uint8_t *p)
{
    return get16(p) | get16(p + 2) << 16;
}

static bool recognise(const uint8_t *head, size_t bytes)
{
    return bytes >= 2 && head[0] == 'B' && head[1] == 'M';
}

static bool damaged(struct bmp *bmp, const char *what)
{
    return error_file(bmp->err, bmp->name, "damaged BMP: %s", what);
}

static bool unreadable(struct bmp *bmp, const char *what)
{
    return error_file(bmp->err, bmp->name,
                      "a BMP with %s cannot be read: convert it to a plain BMP or a PNG", what);
}

static bool read_size(struct bmp *bmp)
{
    const uint8_t *p = bmp->bytes + FILE_HEADER_BYTES;
    int64_t width, height;

    if (bmp->header == 12) {
        width = get16(p + 4);
        height = get16(p + 6);
        bmp->bits = (int)get16(p + 10);
    } else {
        width = (int32_t)get32(p + 4);
        height = (int32_t)get32(p + 8);
        bmp->bits = (int)get16(p + 14);
        bmp->compression = bmp->header >= 20 ? get32(p + 16) : BMP_RGB;
        bmp->colours = bmp->header >= 36 ? get32(p + 32) : 0;
    }
    bmp->top_down = height < 0;
    height = height < 0 ? -height : height;
    if (width <= 0 || height == 0)
        return error_file(bmp->err, bmp->name, "damaged BMP: %lld x %lld pixels are no picture",
                          (long long)width, (long long)height);
    if (width > MAX_SIDE || height > MAX_SIDE || width * height * 4 > INT32_MAX)
        return error_file(bmp->err, bmp->name,
                          "%lld x %lld pixels: a BMP of more than 2 GiB of samples cannot be read",
                          (long long)width, (long long)height);
    bmp->width = (int)width;
    bmp->height = (int)height;
    return true;
}

/* Masks of up to 8 bits in a row are read; more would have to be rounded. */
static bool check_masks(struct bmp *bmp)
{
    uint32_t seen = 0, allowed = bmp->bits == 16 ? 0xffff : 0xffffffff;

    for (int c = 0; c < 4; c++) {
        uint32_t mask = bmp->mask[c], lowest = mask & (0U - mask);
        if (mask == 0 && c == 3)
            break;
        if (mask == 0 || (mask & seen) != 0 || (mask & ~allowed) != 0)
            return damaged(bmp, "its colour masks make no sense");
        /* Divided by its lowest bit a mask without gaps is 2^n - 1. */
        if (mask / lowest > 255 || ((mask / lowest) & (mask / lowest + 1)) != 0)
            return unreadable(bmp, "colours of more than 8 bits or in pieces");
        seen |= mask;
    }
    return true;
}

static bool read_masks(struct bmp *bmp)
{
    static const uint32_t plain[2][3] = {{31U << 10, 31U << 5, 31}, {0xff0000, 0xff00, 0xff}};
    size_t at = FILE_HEADER_BYTES + 40, count = 3;

    bmp->masks_end = FILE_HEADER_BYTES + bmp->header;
    if (bmp->compression != BMP_BITFIELDS && bmp->compression != BMP_ALPHA) {
        if (bmp->bits != 16 && bmp->bits != 32)
            return true;
        memcpy(bmp->mask, plain[bmp->bits == 32], sizeof plain[0]);
        bmp->alpha_is_a_guess = bmp->bits == 32;
        return true;
    }
    if (bmp->compression == BMP_ALPHA || bmp->header >= 56)
        count = 4;
    if (bmp->header == 40)
        bmp->masks_end += 4 * count;
    if (bmp->size < bmp->masks_end || bmp->masks_end < at + 4 * count)
        return damaged(bmp, "its colour masks are missing");
    for (size_t i = 0; i < count; i++)
        bmp->mask[i] = get32(bmp->bytes + at + 4 * i);
    return check_masks(bmp);
}

/* A kind of pixels that is decoded here. */
static bool check_kind(struct bmp *bmp)
{
    int bits = bmp->bits;
    bool os2 = bmp->header == 12 || (bmp->header >= 16 && bmp->header <= 64 && bmp->header != 40 &&
                                     bmp->header != 52 && bmp->header != 56);
    bool masks = bmp->compression == BMP_BITFIELDS || bmp->compression == BMP_ALPHA;

    if (get16(bmp->bytes + FILE_HEADER_BYTES + (bmp->header == 12 ? 8 : 12)) != 1)
        return damaged(bmp, "it does not have one plane");
    if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
        return unreadable(bmp, "an unusual number of bits a pixel");
    if (bmp->compression == BMP_RLE8 || bmp->compression == BMP_RLE4)
        return unreadable(bmp, "run-length compression");
    if ((masks && os2) || (!masks && bmp->compression != BMP_RGB))
        return unreadable(bmp, "unusual compression");
    if (masks && bits != 16 && bits != 32)
        return damaged(bmp, "it has colour masks but not 16 or 32 bits a pixel");
    return true;
}

/* The palette lies between the headers and the pixels. */
static bool read_palette(struct bmp *bmp)
{
    size_t full = (size_t)1 << bmp->bits, room;

    if (bmp->bits > 8)
        return true;
    bmp->palette_entry_bytes = bmp->header == 12 ? 3 : 4;
    room = (bmp->pixels_at - bmp->masks_end) / (size_t)bmp->palette_entry_bytes;
    if (bmp->colours > 0 && bmp->colours < full)
        full = bmp->colours;
    if (room == 0)
        return damaged(bmp, "it has no palette");
    bmp->palette = bmp->bytes + bmp->masks_end;
    bmp->palette_entries = (int)(room < full ? room : full);
    return true;
}

static bool locate_pixels(struct bmp *bmp)
{
    size_t have, rows;

    if (bmp->pixels_at < bmp->masks_end)
        return damaged(bmp, "its pixels begin inside its header");
    bmp->row_used = ((size_t)bmp->width * (size_t)bmp->bits + 7) / 8;
    bmp->row_bytes = (bmp->row_used + 3) / 4 * 4;
    have = bmp->pixels_at < bmp->size ? bmp->size - bmp->pixels_at : 0;
    rows = (have + bmp->row_bytes - bmp->row_used) / bmp->row_bytes;
    if (rows < (size_t)bmp->height)
        return error_file(bmp->err, bmp->name, "truncated BMP: %zu of %d rows", rows, bmp->height);
    bmp->pixels = bmp->bytes + bmp->pixels_at;
    return true;
}

static bool read_header(struct bmp *bmp)
{
    const char *cut = "%s: truncated BMP: the file ends inside its header";

    if (bmp->size < FILE_HEADER_BYTES + 12)
        return error_set(bmp->err, EXIT_INPUT, cut, bmp->name);
    bmp->pixels_at = get32(bmp->bytes + 10);
    bmp->header = get32(bmp->bytes + FILE_HEADER_BYTES);
    if (bmp->header != 12 && (bmp->header < 16 || bmp->header > 64) && bmp->header != 108 &&
        bmp->header != 124)
        return damaged(bmp, "its header has an unknown length");
    if (bmp->size < FILE_HEADER_BYTES + bmp->header)
        return error_set(bmp->err, EXIT_INPUT, cut, bmp->name);
    return read_size(bmp) && check_kind(bmp) && read_masks(bmp) && locate_pixels(bmp) &&
           read_palette(bmp);
}

static bool has_profile(const struct bmp *bmp)
{
    uint32_t colour_space = bmp->header == 124 ? get32(bmp->bytes + FILE_HEADER_BYTES + 56) : 0;

    return colour_space == 0x4d424544 || colour_space == 0x4c494e4b; /* 'MBED', 'LINK' */
}

/* ---- pixels ---- */

static const uint8_t *row_at(const struct bmp *bmp, int y)
{
    return bmp->pixels + (size_t)y * bmp->row_bytes;
}

/* The fourth byte of 32-bit pixels without masks is nothing by the book and alpha by habit.
 * Where all of them are 0 the picture would be invisible: there it is nothing. */
static bool has_fourth_byte(const struct bmp *bmp)
{
    for (int y = 0; y < bmp->height; y++)
        for (int x = 0; x < bmp->width; x++)
            if (row_at(bmp, y)[4 * (size_t)x + 3] != 0)
                return true;
    return false;
}

/* The palette index of pixel X. */
static unsigned index_at(const struct bmp *bmp, const uint8_t *row, int x)
{
    unsigned per_byte = 8U / (unsigned)bmp->bits;
    unsigned shift = 8U - (unsigned)bmp->bits * ((unsigned)x % per_byte + 1);

    return row[(unsigned)x / per_byte] >> shift & ((1U << bmp->bits) - 1);
}

static bool check_indices(const struct bmp *bmp)
{
    if (bmp->bits > 8 || bmp->palette_entries == 1 << bmp->bits)
        return true;
    for (int y = 0; y < bmp->height; y++)
        for (int x = 0; x < bmp->width; x++) {
            unsigned index = index_at(bmp, row_at(bmp, y), x);
            if (index >= (unsigned)bmp->palette_entries)
                return error_file(bmp->err, bmp->name,
                                  "damaged BMP: row %d has a colour that its palette lacks: %u", y,
                                  index);
        }
    return true;
}

/* Few bits become eight by being repeated: 101 becomes 10110110. No mask is full alpha. */
static void fill_levels(struct bmp *bmp)
{
    for (int c = 0; c < 4; c++) {
        int bits = __builtin_popcount(bmp->mask[c]);
        for (int v = 0; v < 1 << bits; v++) {
            int level = bits ? v << (8 - bits) : 255;
            for (int k = bits; k > 0 && k < 8; k *= 2)
                level |= level >> k;
            bmp->level[c][v] = (uint8_t)level;
        }
    }
}

static void convert_masked(const struct bmp *bmp, const uint8_t *row, uint8_t *to, int channels)
{
    int shift[4], x, c;

    for (c = 0; c < channels; c++)
        shift[c] = __builtin_ctz(bmp->mask[c]);
    for (x = 0; x < bmp->width; x++, row += bmp->bits / 8) {
        uint32_t v = bmp->bits == 16 ? get16(row) : get32(row);
        for (c = 0; c < channels; c++)
            *to++ = bmp->level[c][(v & bmp->mask[c]) >> shift[c]];
    }
}

static void convert(const struct bmp *bmp, const uint8_t *row, uint8_t *to, int channels)
{
    if (bmp->bits == 16 || bmp->bits == 32) {
        convert_masked(bmp, row, to, channels);
        return;
    }
    for (int x = 0; x < bmp->width; x++, to += 3) {
        const uint8_t *bgr = bmp->bits == 24 ? row + 3 * (size_t)x
                                             : bmp->palette + index_at(bmp, row, x) *
                                                                  (size_t)bmp->palette_entry_bytes;
        to[0] = bgr[2];
        to[1] = bgr[1];
        to[2] = bgr[0];
    }
}

/* ---- the decoder ---- */

static bool decoder_open(struct source *source, struct error *err)
{
    struct bmp *bmp = source->state;

    bmp->name = input_name(source->input);
    bmp->err = err;
    if (!input_read_all(source->input, &bmp->bytes, &bmp->size, err) || !read_header(bmp) ||
        !check_indices(bmp))
        return false;
    if (bmp->alpha_is_a_guess && has_fourth_byte(bmp))
        bmp->mask[3] = 0xff000000;
    fill_levels(bmp);
    source->info = (struct image_info){.width = bmp->width,
                                       .height = bmp->height,
                                       .channels = bmp->mask[3] ? 4 : 3,
                                       .type = SAMPLE_U8,
                                       .max = 255,
                                       .format = FORMAT_BMP};
    source->dropped = has_profile(bmp) ? DROPPED_ICC : 0;
    return true;
}

static bool decoder_read(struct source *source, struct image *rows, struct error *err)
{
    const struct bmp *bmp = source->state;

    (void)err; /* all was checked when it was opened */
    for (int i = 0; i < rows->height; i++) {
        int y = source->next_row + i;
        convert(bmp, row_at(bmp, bmp->top_down ? y : bmp->height - 1 - y), image_row(rows, i),
                rows->channels);
    }
    return true;
}

const struct decoder decoder_bmp = {
    .name = "BMP",
    .recognise = recognise,
    .open = decoder_open,
    .read = decoder_read,
    .state_bytes = sizeof(struct bmp),
};

/* ---- the encoder ---- */

static uint8_t *put32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        *to++ = (uint8_t)(value >> 8 * i);
    return to;
}

/* A header of 40 bytes for RGB, of 108 with masks for RGBA (without masks most readers ignore
 * alpha), then rows from the bottom. */
static uint8_t *make(const struct image *image, const struct sink_options *options, size_t *bytes)
{
    static const uint32_t masks[4] = {0xff0000, 0xff00, 0xff, 0xff000000};
    bool alpha = image->channels == 4;
    size_t header = alpha ? 108 : 40, pixel = alpha ? 4 : 3, start = FILE_HEADER_BYTES + header;
    size_t row = ((size_t)image->width * pixel + 3) / 4 * 4;
    uint8_t *file = large_alloc(*bytes = start + row * (size_t)image->height), *p = file;
    int y;

    (void)options; /* a BMP has none */
    if (!file)
        return NULL;
    memset(file, 0, start);
    p = put32(p, 'B' | 'M' << 8);
    put32(file + 2, (uint32_t)*bytes);
    p = put32(file + 10, (uint32_t)start);
    p = put32(p, (uint32_t)header);
    p = put32(p, (uint32_t)image->width);
    p = put32(p, (uint32_t)image->height);
    p = put32(p, 1U | (uint32_t)(8 * pixel) << 16);
    put32(p, alpha ? BMP_BITFIELDS : BMP_RGB);
    for (int c = 0; c < 4 && alpha; c++)
        put32(file + FILE_HEADER_BYTES + 40 + 4 * c, masks[c]);
    for (y = image->height - 1, p = file + start; y >= 0; y--) {
        const uint8_t *from = image_row(image, y);
        uint8_t *end = p + row;
        for (int x = 0; x < image->width; x++, from += pixel, p += pixel) {
            p[0] = from[2];
            p[1] = from[1];
            p[2] = from[0];
            if (alpha)
                p[3] = from[3];
        }
        while (p < end)
            *p++ = 0;
    }
    return file;
}

static bool encoder_open(struct sink *sink, struct error *err)
{
    const struct image_info *info = &sink->info;
    uint64_t row = ((uint64_t)info->width * (uint64_t)info->channels + 3) / 4 * 4;

    if (row * (uint64_t)info->height + 256 > INT32_MAX)
        return error_file(err, output_name(sink->output),
                          "%d x %d pixels: a BMP of more than 2 GiB cannot be written; .ppm, .pgm "
                          "and .pam have no such limit",
                          info->width, info->height);
    return true;
}

const struct encoder encoder_bmp = {.open = encoder_open, .make = make};
