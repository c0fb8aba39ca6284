/* TGA, GIF and PSD by stb_image and stb_image_write. This file alone compiles these two headers.
 *
 * stb_image does not notice where a file ends: missing bytes become zeros, or samples that were
 * never set. A guard therefore walks through each file before stb_image gets it. The guard
 * describes the picture, and refuses a file that is cut or damaged, and one that stb_image reads
 * inexactly or not at all. stb_image counts with `int`, so pictures have less than 2 GiB of
 * samples. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/format.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_TGA
#define STBI_ONLY_GIF
#define STBI_ONLY_PSD
#define STBI_NO_STDIO
#define STBI_ASSERT(condition) ((void)0)
#define STBI_MAX_DIMENSIONS    65535
#define STBI_MALLOC(bytes)     large_alloc(bytes)
#define STBI_REALLOC(p, bytes) realloc(p, bytes)
#define STBI_FREE(p)           free(p)
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO

/* stb's warnings are not ours to fix. Unused functions are only reported at the end of the file, so
 * that warning is off for the whole file. */
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <stb_image.h>
#include <stb_image_write.h>
#pragma GCC diagnostic pop

/* source->state: the file's bytes, the guard's place in them, and what the guard found. */
struct guard {
    const char *name, *format;
    const uint8_t *start, *at, *end;
    int width, height;
    bool five_bits;          /* TGA: 5 bits a sample */
    const uint8_t *channels; /* PSD */
    bool packed;
    /* GIF: */
    int left, top, columns, rows;    /* the picture's place on the canvas */
    int transparent;                 /* index; -1: none */
    int entries;                     /* of the palette; 0: there is none */
    const uint8_t *palette, *hidden; /* the transparent colour; NULL: none */
    unsigned dropped;
};

/* ---- all formats ---- */

static int little16(const uint8_t *p)
{
    return p[0] | p[1] << 8;
}

static uint32_t big16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t big32(const uint8_t *p)
{
    return big16(p) << 16 | big16(p + 2);
}

/* The next BYTES bytes; NULL if the file ends before. */
static const uint8_t *take(struct guard *g, size_t bytes)
{
    const uint8_t *at = g->at;

    if ((size_t)(g->end - at) < bytes)
        return NULL;
    g->at += bytes;
    return at;
}

static bool damaged(const struct guard *g, const char *what, struct error *err)
{
    return error_file(err, g->name, "damaged %s: %s", g->format, what);
}

static bool unreadable(const struct guard *g, const char *what, struct error *err)
{
    error_file(err, g->name, "a %s with %s is not read", g->format, what);
    foreign_append_pipe(err, "convert ", strcmp(g->name, "standard input") == 0 ? "-" : g->name,
                        "'[0]' -colorspace sRGB png:-");
    return false;
}

static bool begin(struct source *source, const char *format, struct error *err)
{
    struct guard *g = source->state;
    size_t bytes;

    g->name = input_name(source->input);
    g->format = format;
    if (!input_read_all(source->input, &g->start, &bytes, err))
        return false;
    g->at = g->start;
    g->end = g->start + bytes;
    return bytes <= INT_MAX || unreadable(g, "2 GiB or more", err);
}

/* Describes the picture. stb_image takes HELD bytes a pixel beside the samples that it returns. */
static bool describe(struct source *source, int channels, uint32_t max, enum format format,
                     unsigned held, struct error *err)
{
    const struct guard *g = source->state;
    const uint64_t pixels = (uint64_t)g->width * (uint64_t)g->height;

    if (pixels > (INT_MAX - (4 << 20)) / (max > 255 ? 8 : 4)) /* stb_image goes rows beyond it */
        return unreadable(g, "2 GiB of samples or more", err);
    source->held = (uint64_t)(g->end - g->start) + held * pixels;
    if (!large_fits(source->held))
        return error_file(err, g->name, "no memory for %d x %d pixels: it takes %llu MB", g->width,
                          g->height, (unsigned long long)(source->held >> 20));
    source_describe(source, source->orientation >= 5 ? g->height : g->width,
                    source->orientation >= 5 ? g->width : g->height, channels, max, format);
    return true;
}

/* stb_image rounds down: here to the nearest of 255 levels. */
static void correct_five_bits(const struct image *image)
{
    uint8_t *samples = image->data;

    for (size_t i = 0; i < image_row_bytes(image) * (size_t)image->height; i++)
        samples[i] = (uint8_t)(((samples[i] * 31 + 254) / 255 * 510 + 31) / 62);
}

/* stb_image gives the canvas around a GIF's picture a colour, and transparent pixels none. */
static void correct_transparent(const struct guard *g, const struct image *image)
{
    for (int y = 0; y < image->height; y++)
        for (int x = 0; x < image->width; x++) {
            uint8_t *pixel = (uint8_t *)image_row(image, y) + 4 * (size_t)x;
            if (x < g->left || x >= g->left + g->columns || y < g->top || y >= g->top + g->rows)
                memset(pixel, 0, 4);
            else if (pixel[3] == 0 && g->hidden)
                memcpy(pixel, g->hidden, 3);
        }
}

/* stb_image takes white out of a PSD's half transparent colours: here they are as they are stored.
 */
static void restore_colours(const struct guard *g, const struct image *image)
{
    const int pixels = g->width * g->height;
    uint8_t *samples = image->data;
    stbi__context s;

    stbi__start_mem(&s, g->channels, (int)(g->end - g->channels));
    for (int c = 0; c < 3; c++) {
        if (g->packed)
            stbi__psd_decode_rle(&s, samples + c, pixels);
        for (int i = 0; i < pixels && !g->packed; i++)
            if (image->type == SAMPLE_U16)
                ((uint16_t *)image->data)[4 * i + c] = (uint16_t)stbi__get16be(&s);
            else
                samples[4 * i + c] = stbi__get8(&s);
    }
}

static bool read_all(struct source *source, struct image *image, struct error *err)
{
    const struct guard *g = source->state;
    const struct image_info *info = &source->info;
    const int bytes = (int)(g->end - g->start);
    int width, height, stored;
    void *data;

    if (info->type == SAMPLE_U16)
        data = stbi_load_16_from_memory(g->start, bytes, &width, &height, &stored, info->channels);
    else
        data = stbi_load_from_memory(g->start, bytes, &width, &height, &stored, info->channels);
    if (!data)
        return error_file(err, g->name, "stb_image cannot read it: %s", stbi_failure_reason());
    *image = (struct image){g->width, g->height, info->channels, 0, info->type, data};
    image->pitch = image_row_bytes(image);
    if (g->five_bits)
        correct_five_bits(image);
    if (info->format == FORMAT_GIF && image_has_alpha(info->channels))
        correct_transparent(g, image);
    if (info->format == FORMAT_PSD && image_has_alpha(info->channels))
        restore_colours(g, image);
    return true;
}

/* ---- TGA ----
 *
 *   0 bytes of text behind the header     8  place on the screen
 *   1 1: there is a palette              12  width, height
 *   2 enum tga_kind                      16  bits a pixel
 *   3 first palette entry, entries,      17  bits of alpha; 16: from the right; 32: from the top
 *     7 bits of an entry                 18  text, palette, pixels
 *
 * Compression is packets: a byte, whose low 7 bits are a count less one, and the pixels; one pixel,
 * which is repeated, where the byte is 128 or more. A TGA has no mark: see decoder->extension. */
#define TGA_HEADER_BYTES 18

enum tga_kind { TGA_PALETTE = 1, TGA_COLOUR = 2, TGA_GRAY = 3, TGA_COMPRESSED = 8 };

static bool is_colour_depth(int bits)
{
    return bits == 15 || bits == 16 || bits == 24 || bits == 32;
}

/* True if the header makes sense. */
static bool tga_recognise(const uint8_t *head, size_t bytes)
{
    int kind, bits;

    if (bytes < TGA_HEADER_BYTES || head[1] > 1 || (head[17] & 0xc0) != 0 || (head[17] & 15) > 8 ||
        little16(head + 12) == 0 || little16(head + 14) == 0 || (head[1] == 0 && head[7] != 0))
        return false;
    kind = head[2] & ~TGA_COMPRESSED;
    bits = head[16];
    if (kind == TGA_PALETTE)
        return head[1] == 1 && (bits == 8 || bits == 16) && is_colour_depth(head[7]) &&
               little16(head + 5) > 0;
    return (kind == TGA_COLOUR && is_colour_depth(bits)) ||
           (kind == TGA_GRAY && (bits == 8 || bits == 16));
}

/* Checks COUNT stored pixels. PALETTE is NULL if they hold colours. Sets *alpha if a colour of 32
 * bits is not transparent. */
static bool tga_check(const struct guard *g, const uint8_t *pixels, size_t count,
                      const uint8_t *palette, bool *alpha, struct error *err)
{
    const int bits = g->start[16], entries = little16(g->start + 5), entry_bits = g->start[7];

    for (size_t i = 0; i < count && (palette || (bits == 32 && !*alpha)); i++) {
        const uint8_t *colour = pixels + i * (((size_t)bits + 7) / 8);
        int index = bits == 8 ? *colour : little16(colour);
        if (palette && index >= entries)
            return damaged(g, "it has a colour that its palette lacks", err);
        if (palette)
            colour = palette + (size_t)index * (((size_t)entry_bits + 7) / 8);
        *alpha |= (palette ? entry_bits : bits) == 32 && colour[3] != 0;
    }
    return true;
}

/* Walks through the pixels or packets. */
static bool tga_walk(struct guard *g, const uint8_t *palette, bool *alpha, struct error *err)
{
    const size_t most = (size_t)g->width * (size_t)g->height, pixel = (g->start[16] + 7U) / 8;
    const bool compressed = g->start[2] & TGA_COMPRESSED;

    for (size_t done = 0, count = most, stored = most; done < most; done += count) {
        const uint8_t *packet = compressed ? take(g, 1) : NULL, *pixels;
        if (packet) {
            count = (*packet & 127) + 1U;
            stored = *packet >= 128 ? 1 : count;
        }
        if (count > most - done && packet)
            return damaged(g, "its compressed pixels leave the picture", err);
        pixels = compressed && !packet ? NULL : take(g, stored * pixel);
        if (!pixels)
            return error_file(err, g->name, "truncated TGA: %zu of %d rows",
                              (done + (size_t)(g->end - g->at) / pixel) / (size_t)g->width,
                              g->height);
        if (!tga_check(g, pixels, stored, palette, alpha, err))
            return false;
    }
    return true;
}

/* If the header names no bits of alpha, many programs store it all the same; if it is 0 everywhere,
 * the picture is opaque. */
static bool tga_open(struct source *source, struct error *err)
{
    struct guard *g = source->state;
    const uint8_t *head, *palette;
    int kind, bits;
    bool alpha;

    if (!begin(source, "TGA", err))
        return false;
    head = take(g, TGA_HEADER_BYTES);
    if (!head || !tga_recognise(head, TGA_HEADER_BYTES))
        return error_file(err, g->name, "was changed while it was read");
    kind = head[2] & ~TGA_COMPRESSED;
    bits = kind == TGA_PALETTE ? head[7] : head[16];
    alpha = (head[17] & 15) > 0;
    g->width = little16(head + 12);
    g->height = little16(head + 14);
    g->five_bits = kind != TGA_GRAY && bits < 24;
    if (head[17] & 16)
        return unreadable(g, "columns from right to left", err);
    if (head[1] && (kind != TGA_PALETTE || little16(head + 3) != 0))
        return unreadable(g, "an unusual palette", err);
    if (!take(g, head[0]) ||
        !(palette = take(g, (size_t)little16(head + 5) * ((head[7] + 7U) / 8))))
        return damaged(g, "the file ends before its picture does", err);
    return tga_walk(g, kind == TGA_PALETTE ? palette : NULL, &alpha, err) &&
           describe(source, kind == TGA_GRAY ? bits / 8 : 3 + (bits == 32 && alpha), 255,
                    FORMAT_TGA, 4, err);
}

const struct decoder decoder_tga = {.name = "TGA",
                                    .extension = "tga",
                                    .recognise = tga_recognise,
                                    .open = tga_open,
                                    .read_all = read_all,
                                    .state_bytes = sizeof(struct guard)};

static bool tga_sink_open(struct sink *sink, struct error *err)
{
    const struct image_info *info = &sink->info;
    const uint64_t pixels = (uint64_t)info->width * (uint64_t)info->height;
    const uint64_t held = pixels * (uint64_t)format_row(FORMAT_TGA)->encode_bytes;

    if (pixels * (uint64_t)info->channels > INT_MAX)
        return error_file(err, output_name(sink->output),
                          "a TGA of 2 GiB of samples or more is not written: use .pam or .png");
    return large_fits(held) || sink_no_memory(sink, err);
}

static void tga_put(void *context, void *data, int bytes)
{
    uint8_t **to = context;

    *to = (uint8_t *)memcpy(*to, data, (size_t)bytes) + bytes;
}

/* Compressed; at worst each pixel has a packet of its own. */
static uint8_t *tga_make(const struct image *image, const struct sink_options *options,
                         size_t *bytes)
{
    size_t pixels = (size_t)image->width * (size_t)image->height;
    uint8_t *file = large_alloc(TGA_HEADER_BYTES + pixels * ((size_t)image->channels + 1)), *to;

    (void)options;
    to = file;
    if (file)
        stbi_write_tga_to_func(tga_put, &to, image->width, image->height, image->channels,
                               image->data);
    *bytes = file ? (size_t)(to - file) : 0;
    return file;
}

const struct encoder encoder_tga = {.open = tga_sink_open, .make = tga_make};

/* ---- GIF: the first picture of a file ----
 *
 * Behind the header are blocks of pieces (a byte with the length, and so many bytes; the last one
 * has length 0): 0x21 extension, 0x2c picture, 0x3b end. A code in a picture's pieces is an index,
 * a string of earlier ones, or a command to begin again or to end. Each code adds a string. */
#define GIF_HEADER_BYTES 13
#define GIF_CODES        4096 /* a code has at most 12 bits */
#define GIF_MOST_ADDED   8192 /* stb_image counts strings that no code can name, up to here */

static bool gif_recognise(const uint8_t *head, size_t bytes)
{
    return bytes >= 6 && (memcmp(head, "GIF87a", 6) == 0 || memcmp(head, "GIF89a", 6) == 0);
}

/* Goes behind the pieces, or where the file ends. */
static void skip_pieces(struct guard *g)
{
    const uint8_t *length;

    while ((length = take(g, 1)) && *length > 0 && take(g, *length))
        ;
}

/* Goes behind the byte that begins the next picture. False if there is none. */
static bool find_picture(struct guard *g)
{
    const uint8_t *block, *head, *piece;

    while ((block = take(g, 1)) && *block == 0x21) {
        if (!(head = take(g, 2)) || !(piece = take(g, head[1])))
            return false;
        if (head[0] == 0xf9 && head[1] != 4) /* the graphic control; stb_image loses its way */
            return false;
        if (head[0] == 0xf9)
            g->transparent = piece[0] & 1 ? piece[3] : -1;
        if (head[0] == 0xff && head[1] >= 11 && memcmp(piece, "ICCRGBG1012", 11) == 0)
            g->dropped |= DROPPED_ICC;
        if (head[0] == 0xff && head[1] >= 11 && memcmp(piece, "XMP DataXMP", 11) == 0)
            g->dropped |= DROPPED_XMP;
        g->at = head + 1;
        skip_pieces(g);
    }
    return block && *block == 0x2c;
}

static bool take_palette(struct guard *g, int flags)
{
    if (!(flags & 0x80))
        return true;
    g->entries = 2 << (flags & 7);
    g->palette = take(g, 3 * (size_t)g->entries);
    return g->palette;
}

/* The next byte of a picture's pieces, *left of which are in this piece. -1 at their end. */
static int next_byte(struct guard *g, size_t *left)
{
    const uint8_t *byte = *left == 0 ? take(g, 1) : NULL;

    if (*left == 0 && (!byte || (*left = *byte) == 0))
        return -1;
    --*left;
    byte = take(g, 1);
    return byte ? *byte : -1;
}

/* Counts the pixels that the codes give, and goes behind the pieces. */
static bool count_pixels(struct guard *g, int least, struct error *err)
{
    const size_t most = (size_t)g->columns * (size_t)g->rows;
    const int clear = 1 << least;
    int size = least + 1, known = 0, before = -1, code, byte, have = 0;
    uint16_t length[GIF_CODES]; /* of each string */
    size_t done = 0, left = 0;
    uint32_t held = 0;

    for (int i = 0; i < clear; i++)
        length[i] = 1;
    for (;;) {
        for (; have < size && (byte = next_byte(g, &left)) >= 0; have += 8)
            held |= (uint32_t)byte << have;
        code = (int)(held & ((1U << size) - 1));
        if (have < size || code == clear + 1)
            break;
        held >>= size;
        have -= size;
        if (code == clear) {
            size = least + 1;
            known = clear + 2;
            before = -1;
            continue;
        }
        if (code > known || (code == known && before < 0))
            return damaged(g, "its compressed pixels make no sense", err);
        if (code < clear && code >= g->entries && code != g->transparent)
            return damaged(g, "it has a colour that its palette lacks", err);
        if (before >= 0 && known == GIF_MOST_ADDED)
            return unreadable(g, "more than 8192 codes in one table", err);
        if (before >= 0 && known < GIF_CODES)
            length[known] = (uint16_t)(length[before] + 1);
        known += before >= 0;
        done += length[code];
        if (done > most)
            return damaged(g, "its compressed pixels leave the picture", err);
        if (known == 1 << size && size < 12)
            size++;
        before = code;
    }
    if (done < most)
        return error_file(err, g->name, "truncated GIF: %zu of %d rows", done / (size_t)g->columns,
                          g->rows);
    if (have >= size && take(g, left)) /* behind the code for the end */
        skip_pieces(g);
    return true;
}

static bool gif_open(struct source *source, struct error *err)
{
    struct guard *g = source->state;
    const uint8_t *head, *place, *least;
    bool covers;

    if (!begin(source, "GIF", err))
        return false;
    g->transparent = -1;
    head = take(g, GIF_HEADER_BYTES);
    if (!head || !take_palette(g, head[10]) || !find_picture(g) || !(place = take(g, 9)) ||
        !take_palette(g, place[8]) || !(least = take(g, 1)))
        return damaged(g, "it holds no whole picture", err);
    g->width = little16(head + 6);
    g->height = little16(head + 8);
    g->left = little16(place);
    g->top = little16(place + 2);
    g->columns = little16(place + 4);
    g->rows = little16(place + 6);
    if (g->columns == 0 || g->rows == 0 || g->left + g->columns > g->width ||
        g->top + g->rows > g->height)
        return damaged(g, "its picture is empty or leaves the canvas", err);
    if (g->entries == 0 || *least < 1 || *least > 8)
        return damaged(g, "it has no palette, or an impossible size of codes", err);
    if (!count_pixels(g, *least, err))
        return false;
    covers = g->columns == g->width && g->rows == g->height;
    if (!describe(source, g->transparent < 0 && covers ? 3 : 4, 255, FORMAT_GIF, 9, err))
        return false;
    if (g->transparent >= 0 && g->transparent < g->entries)
        g->hidden = g->palette + 3 * g->transparent;
    if (find_picture(g)) /* blocks behind the picture do not change it */
        g->dropped |= DROPPED_FRAMES;
    source->dropped = g->dropped;
    return true;
}

const struct decoder decoder_gif = {.name = "GIF",
                                    .recognise = gif_recognise,
                                    .open = gif_open,
                                    .read_all = read_all,
                                    .state_bytes = sizeof(struct guard)};

const struct encoder encoder_gif; /* empty: it is not written */

/* ---- PSD (Photoshop): the merged picture that most files hold behind their layers ----
 *
 * All numbers are big-endian. The header, three sections that begin with their length (palette,
 * resources, layers), the compression (0 none, 1 PackBits), the bytes of each row if it is
 * compressed, the rows, one channel after the other; the one behind the colours is alpha. PackBits:
 * a byte n, then n + 1 bytes, or (n > 128) one byte for 257 - n of them; 128 means nothing. */
#define PSD_HEADER_BYTES 26
#define PSD_MOST_SIDE    30000

static bool psd_recognise(const uint8_t *head, size_t bytes)
{
    return bytes >= 4 && memcmp(head, "8BPS", 4) == 0;
}

static void take_resource(struct source *source, uint32_t kind, uint8_t *content, size_t bytes)
{
    struct metadata *metadata = &source->metadata;
    const struct metadata_part part = {content, bytes};

    if (kind == 1005 && bytes >= 12) /* pixels an inch, in 1/65536; rounded */
        metadata->density = (struct density){(big32(content) + 0x8000U) >> 16,
                                             (big32(content + 8) + 0x8000U) >> 16, DENSITY_INCH};
    if (kind == 1058 && metadata_exif_sound(content, bytes)) {
        metadata->exif = part;
        source->orientation = metadata_exif_upright(content, bytes);
    }
    if (kind == 1060)
        metadata->xmp = part;
    if (kind == 1039 && !metadata->icc.bytes && metadata_profile_fits(content, bytes, false) &&
        (metadata->icc.bytes = malloc(bytes))) {
        memcpy(metadata->icc.bytes, content, bytes);
        metadata->icc.size = bytes;
    }
    source->dropped |= kind == 1039   ? DROPPED_ICC
                       : kind == 1058 ? DROPPED_EXIF
                       : kind == 1060 ? DROPPED_XMP
                       : kind == 1028 ? DROPPED_IPTC
                                      : 0;
}

static bool begins_resource(const uint8_t *at)
{
    static const char marks[][5] = {"8BIM", "PHUT", "DCSR", "AgHg", "MeSa"};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (memcmp(at, marks[i], 4) == 0)
            return true;
    return false;
}

/* Takes metadata out of the BYTES bytes of resources: a mark, a kind, a name of even length, a
 * size, content of even length. Unsound ones end the walk. */
static bool take_resources(struct source *source, const uint8_t *from, size_t bytes,
                           struct error *err)
{
    uint8_t *at;

    if (bytes == 0 || bytes > METADATA_MOST_BYTES)
        return true;
    at = source->metadata.own.bytes = malloc(bytes); /* its size stays 0: no output copies it */
    if (!at)
        return error_file(err, input_name(source->input), "no memory to read it");
    memcpy(at, from, bytes);
    while (bytes >= 12 && begins_resource(at)) {
        size_t head = 6 + (1U + at[6] + 1U) / 2 * 2 + 4;
        size_t size = head <= bytes ? big32(at + head - 4) : 0, all = head + size + (size & 1);
        if (head > bytes || size > bytes - head)
            break;
        take_resource(source, big16(at + 4), at + head, size);
        all = all < bytes ? all : bytes;
        at += all;
        bytes -= all;
    }
    return true;
}

/* True if the BYTES bytes at AT give a row of WIDTH samples. */
static bool check_packed(const uint8_t *at, size_t bytes, size_t width)
{
    const uint8_t *end = at + bytes;
    size_t done = 0;

    while (at < end) {
        int head = *at++;
        size_t count = head < 128 ? (size_t)head + 1 : 257 - (size_t)head;
        size_t stored = head < 128 ? count : 1;
        if (head == 128)
            continue;
        if (count > width - done || stored > (size_t)(end - at))
            return false;
        at += stored;
        done += count;
    }
    return done == width;
}

/* Walks through the rows of the STORED channels that are read. */
static bool psd_walk(struct guard *g, int stored, size_t sample_bytes, struct error *err)
{
    const size_t rows = (size_t)g->height * (size_t)(stored < 4 ? stored : 4);
    const size_t width = (size_t)g->width;
    const uint8_t *lengths = NULL;

    if (g->packed && !(lengths = take(g, 2 * (size_t)g->height * (size_t)stored)))
        return damaged(g, "the file ends before its picture does", err);
    g->channels = g->at;
    for (size_t row = 0; row < rows; row++) {
        size_t bytes = g->packed ? big16(lengths + 2 * row) : width * sample_bytes;
        size_t channel = row / (size_t)g->height;
        const uint8_t *at = take(g, bytes);
        if (!at)
            return error_file(err, g->name, "truncated PSD: %zu of %zu rows of its channels", row,
                              rows);
        if (g->packed && !check_packed(at, bytes, width))
            return error_file(err, g->name,
                              "damaged PSD: row %zu of channel %zu is not compressed soundly",
                              row % (size_t)g->height, channel + 1);
    }
    return true;
}

/* Takes the content of a section, which begins with its length. */
static const uint8_t *take_section(struct guard *g, size_t *bytes)
{
    const uint8_t *length = take(g, 4);

    *bytes = length ? big32(length) : 0;
    return length ? take(g, *bytes) : NULL;
}

static bool psd_open(struct source *source, struct error *err)
{
    struct guard *g = source->state;
    const uint8_t *head, *resources, *compression;
    uint32_t width, height, depth;
    const char *unreadable_as;
    size_t bytes, unused;
    int stored;

    if (!begin(source, "PSD", err))
        return false;
    head = take(g, PSD_HEADER_BYTES);
    if (!head)
        return damaged(g, "the file ends before its picture does", err);
    stored = (int)big16(head + 12);
    height = big32(head + 14);
    width = big32(head + 18);
    depth = big16(head + 22);
    unreadable_as = big16(head + 4) != 1        ? "large dimensions (a PSB)"
                    : depth != 8 && depth != 16 ? "1 or 32 bits a sample"
                    : big16(head + 24) != 3     ? "other colours than RGB"
                    : stored > 16               ? "more than 16 channels"
                                                : NULL;
    if (unreadable_as)
        return unreadable(g, unreadable_as, err);
    if (stored < 3 || height - 1 >= PSD_MOST_SIDE || width - 1 >= PSD_MOST_SIDE)
        return error_file(err, g->name, "damaged PSD: %u x %u pixels of %d channels are no picture",
                          width, height, stored);
    g->width = (int)width;
    g->height = (int)height;
    if (!take_section(g, &unused) || !(resources = take_section(g, &bytes)) ||
        !take_section(g, &unused) || !(compression = take(g, 2)))
        return damaged(g, "the file ends before its picture does", err);
    if (big16(compression) > 1 || (big16(compression) == 1 && depth == 16))
        return unreadable(g, "unusual compression", err);
    g->packed = big16(compression) == 1;
    return take_resources(source, resources, bytes, err) && psd_walk(g, stored, depth / 8, err) &&
           describe(source, stored > 3 ? 4 : 3, depth == 16 ? 65535 : 255, FORMAT_PSD, depth / 2,
                    err);
}

const struct decoder decoder_psd = {.name = "PSD",
                                    .recognise = psd_recognise,
                                    .open = psd_open,
                                    .read_all = read_all,
                                    .state_bytes = sizeof(struct guard)};

const struct encoder encoder_psd; /* empty: it is not written */
