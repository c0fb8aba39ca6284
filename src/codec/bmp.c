/* BMP, read and written. The decoder reads every common kind of header, palettes, bit masks and
 * run-length compression. The encoder writes 24 or 32 bits a pixel.
 *
 *   14 bytes  file header: "BM", size, reserved, where the pixels begin
 *   12        OS/2: 16-bit sizes, palette entries of three bytes
 *   16..64    OS/2 2: the long header, which may be cut at any length
 *   40        Windows 3; with compression 3 or 6, three or four masks follow
 *   52, 56    as 40, with the masks inside the header
 *   108, 124  Windows 4 and 5: masks, colour space; 5 may carry an ICC profile
 *
 * Rows are stored from the bottom to the top (or, where the height is negative, from the top), each
 * padded to a multiple of four bytes; the last row may lack its padding.
 *
 * Run-length compression is pairs of bytes: a count and a palette index (4 bits a pixel: two, which
 * take turns). A count of 0 is followed by 0 end of row, 1 end of picture, 2 skip (right, up), or
 * the number of indices that follow as they are. Skipped pixels have index 0. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/format.h"

#define FILE_HEADER_BYTES 14
#define MOST_HEADER_BYTES (FILE_HEADER_BYTES + 124 + 16) /* and masks */
#define MAX_SIDE          (1 << 24)

enum compression { BMP_RGB = 0, BMP_RLE8 = 1, BMP_RLE4 = 2, BMP_BITFIELDS = 3, BMP_ALPHA = 6 };

/* source->state. Its pointers point into the input's bytes, or into `expanded`. */
struct bmp {
    const char *name;
    struct error *err;    /* while the header is read */
    const uint8_t *bytes; /* first only the headers */
    size_t size;
    uint64_t file_size; /* UINT64_MAX: unknown */
    size_t header;      /* bytes of the second header */
    uint32_t pixels_at, compression, colours;
    size_t masks_end; /* where header and masks end and a palette may begin */
    int width, height;
    bool top_down;
    int bits;               /* per pixel: 1, 4, 8, 16, 24 or 32 */
    uint32_t mask[4];       /* red, green, blue, alpha where bits > 8; alpha 0: none */
    int shift[4];           /* the place of each mask's lowest bit */
    uint8_t level[4][256];  /* the sample for each value of a mask's bits */
    const uint8_t *palette; /* entries: blue, green, red and, if four bytes long, one unused byte */
    int palette_entries, palette_entry_bytes;
    size_t row_bytes;  /* with the padding to a multiple of four */
    uint8_t *expanded; /* the indices of a compressed picture, one a byte */
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
    bool small = bmp->header == 12;
    int64_t width = small ? (int32_t)get16(p + 4) : (int32_t)get32(p + 4);
    int64_t height = small ? (int32_t)get16(p + 6) : (int32_t)get32(p + 8);

    bmp->bits = (int)get16(p + (small ? 10 : 14));
    bmp->compression = bmp->header >= 20 ? get32(p + 16) : BMP_RGB;
    bmp->colours = bmp->header >= 36 ? get32(p + 32) : 0;
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

static bool is_compressed(const struct bmp *bmp)
{
    return bmp->compression == BMP_RLE8 || bmp->compression == BMP_RLE4;
}

static bool has_masks(const struct bmp *bmp)
{
    return bmp->compression == BMP_BITFIELDS || bmp->compression == BMP_ALPHA;
}

/* Checks that this decoder knows the bits per pixel and the compression. */
static bool check_kind(struct bmp *bmp)
{
    int bits = bmp->bits;
    bool os2 = bmp->header <= 64 && bmp->header != 40 && bmp->header != 52 && bmp->header != 56;

    if (get16(bmp->bytes + FILE_HEADER_BYTES + (bmp->header == 12 ? 8 : 12)) != 1)
        return damaged(bmp, "it does not have one plane");
    if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
        return unreadable(bmp, "an unusual number of bits a pixel");
    if (is_compressed(bmp) && bits != (bmp->compression == BMP_RLE8 ? 8 : 4))
        return damaged(bmp, "its run-length compression does not suit its bits a pixel");
    if (has_masks(bmp) ? os2 : bmp->compression != BMP_RGB && !is_compressed(bmp))
        return unreadable(bmp, "unusual compression");
    if (is_compressed(bmp) && bmp->top_down)
        return damaged(bmp, "it is compressed, and begins with the top row");
    if (has_masks(bmp) && bits != 16 && bits != 32)
        return damaged(bmp, "it has colour masks but not 16 or 32 bits a pixel");
    return true;
}

/* Sets channel C's mask. At most 8 adjacent bits: more would have to be rounded. The largest value
 * becomes 255, the others are rounded to the nearest level. An alpha mask of 0 means opaque. */
static bool set_mask(struct bmp *bmp, int c, uint32_t mask)
{
    uint32_t values = mask ? mask / (mask & (0U - mask)) + 1 : 1; /* 2^bits where it has no gaps */

    if ((mask == 0 && c < 3) || (bmp->bits == 16 && mask > 0xffff))
        return damaged(bmp, "its colour masks make no sense");
    for (int other = 0; other < c; other++)
        if ((mask & bmp->mask[other]) != 0)
            return damaged(bmp, "its colour masks make no sense");
    if (values - 1 > 255 || (values & (values - 1)) != 0)
        return unreadable(bmp, "colours of more than 8 bits or in pieces");
    bmp->mask[c] = mask;
    bmp->shift[c] = mask ? __builtin_ctz(mask) : 0;
    bmp->level[c][0] = mask ? 0 : 255;
    for (uint32_t v = 1; v < values; v++)
        bmp->level[c][v] = (uint8_t)((510 * v + values - 1) / (2 * (values - 1)));
    return true;
}

static bool read_masks(struct bmp *bmp)
{
    static const uint32_t plain[2][4] = {{31U << 10, 31U << 5, 31}, {0xff0000, 0xff00, 0xff}};
    size_t at = FILE_HEADER_BYTES + 40;
    int count = bmp->compression == BMP_ALPHA || bmp->header >= 56 ? 4 : 3;

    bmp->masks_end = FILE_HEADER_BYTES + bmp->header;
    if (has_masks(bmp)) {
        if (bmp->header == 40)
            bmp->masks_end += 4 * (size_t)count;
        if (bmp->size < bmp->masks_end || bmp->masks_end < at + 4 * (size_t)count)
            return damaged(bmp, "its colour masks are missing");
    }
    for (int c = 0; c < 4 && bmp->bits > 8; c++) {
        uint32_t mask = plain[bmp->bits > 16][c];
        if (has_masks(bmp))
            mask = c < count ? get32(bmp->bytes + at + 4 * c) : 0;
        if (!set_mask(bmp, c, mask))
            return false;
    }
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

/* Checks that BYTES bytes are enough for the pixels; compressed ones may be of any length. */
static bool check_length(struct bmp *bmp, uint64_t bytes)
{
    size_t used = ((size_t)bmp->width * (size_t)bmp->bits + 7) / 8;
    uint64_t have = bmp->pixels_at < bytes ? bytes - bmp->pixels_at : 0;
    uint64_t rows = have / bmp->row_bytes + (have % bmp->row_bytes >= used);

    return (is_compressed(bmp) && have > 0) || rows >= (uint64_t)bmp->height ||
           error_file(bmp->err, bmp->name, "truncated BMP: %llu of %d rows",
                      (unsigned long long)rows, bmp->height);
}

static bool locate_pixels(struct bmp *bmp)
{
    if (bmp->pixels_at < bmp->masks_end)
        return damaged(bmp, "its pixels begin inside its header");
    bmp->row_bytes = ((size_t)bmp->width * (size_t)bmp->bits + 31) / 32 * 4;
    return check_length(bmp, bmp->file_size);
}

/* The bytes up to the end of the pixels; compressed ones are at most this long: each pixel has its
 * own pair, and so has each row. */
static uint64_t most_bytes(const struct bmp *bmp)
{
    uint64_t height = (uint64_t)bmp->height;

    return bmp->pixels_at + (is_compressed(bmp) ? 2 * ((uint64_t)bmp->width + 2) * height + 2
                                                : bmp->row_bytes * height);
}

static bool read_header(struct bmp *bmp)
{
    bool whole = bmp->size >= FILE_HEADER_BYTES + 12;
    size_t header = whole ? get32(bmp->bytes + FILE_HEADER_BYTES) : 12;

    if (header != 12 && (header < 16 || header > 64) && header != 108 && header != 124)
        return damaged(bmp, "its header has an unknown length");
    if (!whole || bmp->size < FILE_HEADER_BYTES + header)
        return error_file(bmp->err, bmp->name, "truncated BMP: the file ends inside its header");
    bmp->pixels_at = get32(bmp->bytes + 10);
    bmp->header = header;
    return read_size(bmp) && check_kind(bmp) && read_masks(bmp) && locate_pixels(bmp);
}

static bool has_profile(const struct bmp *bmp)
{
    uint32_t colour_space = bmp->header == 124 ? get32(bmp->bytes + FILE_HEADER_BYTES + 56) : 0;

    return colour_space == 0x4d424544 || colour_space == 0x4c494e4b; /* 'MBED', 'LINK' */
}

/* ---- run-length compression ---- */

struct runs {
    struct bmp *bmp;
    const uint8_t *at, *end;
    int x, y; /* the next pixel */
};

static bool beyond_palette(const struct bmp *bmp, int row, uint32_t index)
{
    return error_file(bmp->err, bmp->name,
                      "damaged BMP: row %d has a colour that its palette lacks: %u", row, index);
}

/* Some programs fill rows up to a multiple of 4 pixels: those behind the row's end are ignored. */
static int padded_width(const struct bmp *bmp)
{
    return (int)(((unsigned)bmp->width + 3) & ~3U);
}

/* Sets COUNT pixels to the indices that begin at FROM; a run repeats its first byte. */
static bool put_pixels(struct runs *r, const uint8_t *from, int count, bool is_run)
{
    struct bmp *bmp = r->bmp;
    uint8_t *to = bmp->expanded + (size_t)r->y * (size_t)bmp->width + (size_t)r->x;

    if (r->y >= bmp->height || count > padded_width(bmp) - r->x)
        return damaged(bmp, "its compressed pixels leave the picture");
    for (int i = 0; i < count && r->x + i < bmp->width; i++) {
        to[i] = bmp->bits == 8 ? from[is_run ? 0 : i]
                               : from[is_run ? 0 : i / 2] >> (i % 2 ? 0 : 4) & 15;
        if (to[i] >= bmp->palette_entries)
            return beyond_palette(bmp, r->y, to[i]);
    }
    r->x += count;
    return true;
}

/* Reads what follows a count of 0; *ended is set at the end of the picture. */
static bool take_escape(struct runs *r, int code, bool *ended)
{
    struct bmp *bmp = r->bmp;
    int bytes = code == 2 ? 2 : code > 2 ? (code * bmp->bits + 15) / 16 * 2 : 0;

    *ended = code == 1;
    if (r->end - r->at < bytes)
        return error_file(bmp->err, bmp->name, "truncated BMP: it ends inside its pixels");
    if (code < 2 && r->x > bmp->width && r->x != padded_width(bmp))
        return damaged(bmp, "its compressed pixels leave the picture");
    if (code == 0) {
        r->x = 0;
        r->y++;
    } else if (code == 2) {
        r->x += r->at[0];
        r->y += r->at[1];
        if (r->x > bmp->width || r->y > bmp->height)
            return damaged(bmp, "its compressed pixels leave the picture");
    } else if (code > 2 && !put_pixels(r, r->at, code, false)) {
        return false;
    }
    r->at += bytes;
    return true;
}

/* Expands the pixels to one byte each; the picture is then one of 8 bits without compression. */
static bool expand(struct bmp *bmp)
{
    struct runs r = {bmp, bmp->bytes + bmp->pixels_at, bmp->bytes + bmp->size, 0, 0};
    bool ended = false;

    bmp->expanded = large_alloc_checked((size_t)bmp->width * (size_t)bmp->height);
    if (!bmp->expanded)
        return error_file(bmp->err, bmp->name, "no memory for %d x %d pixels", bmp->width,
                          bmp->height);
    memset(bmp->expanded, 0, (size_t)bmp->width * (size_t)bmp->height);
    while (!ended) {
        if (r.end - r.at < 2) { /* the end's mark may be missing, pixels may not */
            if (r.y + (r.x == bmp->width) >= bmp->height)
                break;
            return error_file(bmp->err, bmp->name, "truncated BMP: %d of %d rows", r.y,
                              bmp->height);
        }
        const uint8_t *pair = r.at;
        r.at += 2;
        if (pair[0] > 0 ? !put_pixels(&r, pair + 1, pair[0], true)
                        : !take_escape(&r, pair[1], &ended))
            return false;
    }
    bmp->bytes = bmp->expanded;
    bmp->pixels_at = 0;
    bmp->row_bytes = (size_t)bmp->width;
    bmp->bits = 8;
    return true;
}

/* ---- pixels ---- */

static const uint8_t *row_at(const struct bmp *bmp, int y)
{
    return bmp->bytes + bmp->pixels_at + (size_t)y * bmp->row_bytes;
}

/* Pixel X of ROW as a number: a palette index, or the bits that the masks select from. */
static inline uint32_t pixel_at(const struct bmp *bmp, const uint8_t *row, int x)
{
    size_t bit = (size_t)x * (size_t)bmp->bits;
    const uint8_t *p = row + bit / 8;

    if (bmp->bits == 32)
        return get32(p);
    if (bmp->bits == 24)
        return get16(p) | (uint32_t)p[2] << 16;
    if (bmp->bits == 16)
        return get16(p);
    return p[0] >> (8 - bmp->bits - (int)(bit % 8)) & ((1 << bmp->bits) - 1);
}

/* Checks all pixels of a picture that is not compressed: an index may lie outside the palette, and
 * the fourth byte of 32-bit pixels without masks may be alpha. The specification leaves this byte
 * unused, but many programs store alpha there. If the byte is 0 in all pixels, the picture is
 * opaque. */
static bool check_pixels(struct bmp *bmp)
{
    bool indexed = bmp->palette && !bmp->expanded && bmp->palette_entries < 1 << bmp->bits;
    bool alpha_is_open = bmp->bits == 32 && !has_masks(bmp);

    for (int y = 0; y < bmp->height && (indexed || alpha_is_open); y++)
        for (int x = 0; x < bmp->width; x++) {
            uint32_t pixel = pixel_at(bmp, row_at(bmp, y), x);
            if (indexed && pixel >= (uint32_t)bmp->palette_entries)
                return beyond_palette(bmp, y, pixel);
            if (alpha_is_open && pixel >> 24 != 0)
                return set_mask(bmp, 3, 0xff000000);
        }
    return true;
}

static void convert(const struct bmp *bmp, const uint8_t *row, uint8_t *to, int channels)
{
    for (int x = 0; x < bmp->width; x++, to += channels) {
        uint32_t pixel = pixel_at(bmp, row, x);
        if (bmp->palette) {
            const uint8_t *bgr = bmp->palette + pixel * (size_t)bmp->palette_entry_bytes;
            to[0] = bgr[2];
            to[1] = bgr[1];
            to[2] = bgr[0];
        } else {
            for (int c = 0; c < channels; c++)
                to[c] = bmp->level[c][(pixel & bmp->mask[c]) >> bmp->shift[c]];
        }
    }
}

/* ---- the decoder ---- */

static bool decoder_open(struct source *source, struct error *err)
{
    struct bmp *bmp = source->state;

    bmp->name = input_name(source->input);
    bmp->err = err;
    bmp->file_size = input_size(source->input);
    if (!input_peek(source->input, MOST_HEADER_BYTES, &bmp->bytes, &bmp->size, err) ||
        !read_header(bmp) ||
        !input_read_most(source->input, most_bytes(bmp), &bmp->bytes, &bmp->size, err) ||
        !check_length(bmp, bmp->size) || !read_palette(bmp) ||
        (is_compressed(bmp) && !expand(bmp)) || !check_pixels(bmp))
        return false;
    source_describe(source, bmp->width, bmp->height, bmp->mask[3] ? 4 : 3, 255, FORMAT_BMP);
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

static void decoder_close(struct source *source)
{
    const struct bmp *bmp = source->state;

    free(bmp->expanded);
}

const struct decoder decoder_bmp = {
    .name = "BMP",
    .recognise = recognise,
    .open = decoder_open,
    .read = decoder_read,
    .state_bytes = sizeof(struct bmp),
    .close = decoder_close,
};

/* ---- the encoder ---- */

static uint8_t *put32(uint8_t *to, uint32_t value)
{
    value = htole32(value);
    memcpy(to, &value, 4);
    return to + 4;
}

/* A header of 40 bytes for RGB, of 108 with masks for RGBA (without masks most readers ignore
 * alpha), then rows from the bottom. */
static uint8_t *make(const struct image *image, const struct sink_options *options, size_t *bytes)
{
    static const uint32_t masks[4] = {0xff0000, 0xff00, 0xff, 0xff000000};
    size_t pixel = (size_t)image->channels, start = FILE_HEADER_BYTES + (pixel == 4 ? 108 : 40);
    size_t row = ((size_t)image->width * pixel + 3) / 4 * 4;
    uint8_t *file = large_alloc(*bytes = start + row * (size_t)image->height);
    uint8_t *p = file;

    (void)options; /* no option applies to BMP */
    if (!file)
        return NULL;
    memset(file, 0, start);
    p = put32(p, 'B' | 'M' << 8);
    put32(file + 2, (uint32_t)*bytes);
    p = put32(file + 10, (uint32_t)start);
    p = put32(p, (uint32_t)start - FILE_HEADER_BYTES);
    p = put32(p, (uint32_t)image->width);
    p = put32(p, (uint32_t)image->height);
    p = put32(p, 1U | (uint32_t)(8 * pixel) << 16);
    put32(p, pixel == 4 ? BMP_BITFIELDS : BMP_RGB);
    for (int c = 0; c < 4 && pixel == 4; c++)
        put32(file + FILE_HEADER_BYTES + 40 + 4 * c, masks[c]);
    for (int y = 0; y < image->height; y++) {
        const uint8_t *from = image_row(image, image->height - 1 - y);
        uint8_t *to = file + start + (size_t)y * row, *end = to + row;
        for (int x = 0; x < image->width; x++, from += pixel, to += pixel) {
            to[0] = from[2];
            to[1] = from[1];
            to[2] = from[0];
            if (pixel == 4)
                to[3] = from[3];
        }
        memset(to, 0, (size_t)(end - to));
    }
    return file;
}

static bool encoder_open(struct sink *sink, struct error *err)
{
    const struct image_info *info = &sink->info;
    uint64_t row = ((uint64_t)info->width * (uint64_t)info->channels + 3) / 4 * 4;

    if (row * (uint64_t)info->height + 256 > INT32_MAX)
        return error_file(err, output_name(sink->output),
                          "%d x %d pixels: a BMP of more than 2 GiB cannot be written; .ppm, "
                          ".pgm and .pam have no such limit",
                          info->width, info->height);
    return true;
}

const struct encoder encoder_bmp = {.open = encoder_open, .make = make};
