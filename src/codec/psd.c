/* PSD (Photoshop), read: the merged picture that most files hold behind their layers, in gray or
 * RGB, of 8 or 16 bits. The first channel behind the colours is alpha; further ones and the layers
 * are not read. PSD is not written. All numbers are big-endian.
 *
 *   26 bytes  "8BPS", version, 6 unused bytes, channels, height, width, depth, mode
 *    4 + n    palette (of a mode that is not read)
 *    4 + n    resources: "8BIM", kind, a name of even length, size, content of even length
 *    4 + n    layers
 *    2        compression: 0 none, 1 PackBits
 *             the bytes of each row if it is compressed (2 for each); the rows, one channel after
 *             the other
 *
 * PackBits: a byte n, then n + 1 bytes as they are, or (n > 128) one byte, which stands for 257 - n
 * of them; 128 means nothing. */
#include <stdlib.h>
#include <string.h>

#include "codec/format.h"

#define HEADER_BYTES 26
#define MOST_SIDE    30000

enum mode { PSD_GRAY = 1, PSD_RGB = 3 }; /* the value is the number of colours */

/* source->state */
struct psd {
    const char *name;
    struct input *input;
    int width, height;
    int stored, channels; /* in the file; those that are read */
    int sample_bytes;
    size_t row_bytes;
    uint64_t place;   /* of the rows */
    uint8_t *lengths; /* of compressed rows; NULL: they are not compressed */
    uint8_t *row, raw[1 << 16];
};

static uint32_t get16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t get32(const uint8_t *p)
{
    return get16(p) << 16 | get16(p + 2);
}

static bool recognise(const uint8_t *head, size_t bytes)
{
    return bytes >= 4 && memcmp(head, "8BPS", 4) == 0;
}

static bool damaged(const struct psd *psd, const char *what, struct error *err)
{
    return error_file(err, psd->name, "damaged PSD: %s", what);
}

static bool cut(const struct psd *psd, struct error *err)
{
    return error_file(err, psd->name, "truncated PSD: the file ends before its merged picture");
}

static bool unreadable(const struct psd *psd, const char *what, struct error *err)
{
    error_file(err, psd->name, "a PSD with %s cannot be read", what);
    foreign_append_pipe(err, "convert ", strcmp(psd->name, "standard input") == 0 ? "-" : psd->name,
                        "'[0]' -colorspace sRGB -depth 8 png:-");
    return false;
}

/* ---- opening ---- */

static bool read_header(struct psd *psd, struct error *err)
{
    uint8_t head[HEADER_BYTES];
    uint32_t depth, mode;

    if (input_size(psd->input) < HEADER_BYTES)
        return cut(psd, err);
    if (!input_copy(psd->input, 0, head, HEADER_BYTES, err))
        return false;
    if (get16(head + 4) != 1)
        return unreadable(psd, "large dimensions (a PSB)", err);
    psd->stored = (int)get16(head + 12);
    if (get32(head + 14) == 0 || get32(head + 18) == 0 || get32(head + 14) > MOST_SIDE ||
        get32(head + 18) > MOST_SIDE)
        return error_file(err, psd->name, "damaged PSD: %u x %u pixels are no picture",
                          get32(head + 18), get32(head + 14));
    psd->height = (int)get32(head + 14);
    psd->width = (int)get32(head + 18);
    depth = get16(head + 22);
    if (depth != 8 && depth != 16)
        return unreadable(psd, "1 or 32 bits a sample", err);
    mode = get16(head + 24);
    if (mode != PSD_GRAY && mode != PSD_RGB)
        return unreadable(psd, "other colours than gray and RGB", err);
    if (psd->stored < (int)mode || psd->stored > 56)
        return damaged(psd, "an impossible number of channels", err);
    psd->channels = (int)mode + (psd->stored > (int)mode);
    psd->sample_bytes = (int)depth / 8;
    psd->row_bytes = (size_t)psd->width * (size_t)psd->sample_bytes;
    return true;
}

/* Goes behind a section that begins with its length; its content is at *from. */
static bool skip_section(struct psd *psd, uint64_t *from, uint32_t *bytes, struct error *err)
{
    uint8_t length[4];

    if (input_size(psd->input) - psd->place < sizeof length)
        return cut(psd, err);
    if (!input_copy(psd->input, psd->place, length, sizeof length, err))
        return false;
    *from = psd->place + sizeof length;
    *bytes = get32(length);
    if (input_size(psd->input) - *from < *bytes)
        return cut(psd, err);
    psd->place = *from + *bytes;
    return true;
}

static void take_resource(struct source *source, uint32_t kind, uint8_t *content, size_t bytes,
                          bool gray)
{
    struct metadata *metadata = &source->metadata;

    if (kind == 1039) {
        source->dropped |= DROPPED_ICC;
        if (!metadata->icc.bytes && metadata_profile_fits(content, bytes, gray) &&
            (metadata->icc.bytes = malloc(bytes))) {
            memcpy(metadata->icc.bytes, content, bytes);
            metadata->icc.size = bytes;
        }
    } else if (kind == 1058 && metadata_exif_sound(content, bytes)) {
        source->dropped |= DROPPED_EXIF;
        metadata->exif = (struct metadata_part){content, bytes};
    } else if (kind == 1060) {
        source->dropped |= DROPPED_XMP;
        metadata->xmp = (struct metadata_part){content, bytes};
    } else if (kind == 1028) {
        source->dropped |= DROPPED_IPTC;
    } else if (kind == 1005 && bytes >= 10) { /* pixels an inch, in 1/65536; rounded */
        metadata->density = (struct density){(get32(content) + 0x8000U) >> 16,
                                             (get32(content + 8) + 0x8000U) >> 16, DENSITY_INCH};
    }
}

/* Takes metadata out of the resources. Unsound ones end the walk. */
static bool read_resources(struct source *source, uint64_t from, size_t bytes, bool gray,
                           struct error *err)
{
    struct psd *psd = source->state;
    uint8_t *at;

    if (bytes == 0 || bytes > METADATA_MOST_BYTES)
        return true;
    at = source->metadata.own.bytes = malloc(bytes); /* its size stays 0: no output copies it */
    if (!at)
        return error_file(err, psd->name, "no memory to read it");
    if (!input_copy(psd->input, from, at, bytes, err))
        return false;
    while (bytes >= 12 && memcmp(at, "8BIM", 4) == 0) {
        size_t head = 6 + (1U + at[6] + 1U) / 2 * 2 + 4, size, all;
        if (head > bytes)
            break;
        size = get32(at + head - 4);
        if (size > bytes - head)
            break;
        take_resource(source, get16(at + 4), at + head, size, gray);
        all = head + size + (size & 1);
        all = all < bytes ? all : bytes;
        at += all;
        bytes -= all;
    }
    return true;
}

/* The bytes in the file of row Y of channel C, counted from all rows. */
static size_t row_length(const struct psd *psd, size_t row)
{
    return psd->lengths ? get16(psd->lengths + 2 * row) : psd->row_bytes;
}

/* Checks that the file holds the rows that the header promises. */
static bool locate_rows(struct psd *psd, struct error *err)
{
    const size_t rows = (size_t)psd->height * (size_t)psd->channels;
    const uint64_t table = 2 * (uint64_t)psd->height * (uint64_t)psd->stored;
    uint64_t size = input_size(psd->input), left;
    uint8_t compression[2];
    size_t row = 0;

    if (size - psd->place < sizeof compression)
        return cut(psd, err);
    if (!input_copy(psd->input, psd->place, compression, sizeof compression, err))
        return false;
    psd->place += sizeof compression;
    if (get16(compression) > 1)
        return unreadable(psd, "unusual compression", err);
    if (get16(compression) == 1) {
        if (size - psd->place < table)
            return cut(psd, err);
        psd->lengths = malloc((size_t)table);
        if (!psd->lengths)
            return error_file(err, psd->name, "no memory to read it");
        if (!input_copy(psd->input, psd->place, psd->lengths, (size_t)table, err))
            return false;
        psd->place += table;
    }
    for (left = size - psd->place; row < rows && row_length(psd, row) <= left; row++) {
        if (psd->row_bytes > 64 * row_length(psd, row)) /* 2 bytes give 128 at most */
            return error_file(err, psd->name, "damaged PSD: %zu bytes hold no row of %d pixels",
                              row_length(psd, row), psd->width);
        left -= row_length(psd, row);
    }
    return row == rows ||
           error_file(err, psd->name, "truncated PSD: %zu of %zu rows of its channels", row, rows);
}

static bool decoder_open(struct source *source, struct error *err)
{
    struct psd *psd = source->state;
    uint64_t from;
    uint32_t bytes;

    psd->name = input_name(source->input);
    psd->input = source->input;
    psd->place = HEADER_BYTES;
    if (!input_hold(psd->input, err) || !read_header(psd, err) ||
        !skip_section(psd, &from, &bytes, err) || !skip_section(psd, &from, &bytes, err) ||
        !read_resources(source, from, bytes, psd->channels <= 2, err) ||
        !skip_section(psd, &from, &bytes, err) || !locate_rows(psd, err))
        return false;
    source_describe(source, psd->width, psd->height, psd->channels,
                    psd->sample_bytes == 2 ? 65535 : 255, FORMAT_PSD);
    return true;
}

/* ---- pixels ---- */

/* Expands the LENGTH bytes in `raw` to a row. */
static bool expand(struct psd *psd, size_t length)
{
    const uint8_t *at = psd->raw, *end = at + length;
    size_t done = 0;

    while (end - at >= 2) {
        int head = *at++;
        size_t count = head < 128 ? (size_t)head + 1 : 257 - (size_t)head;
        if (head == 128)
            continue;
        if (count > psd->row_bytes - done || (head < 128 && count > (size_t)(end - at)))
            return false;
        if (head < 128)
            memcpy(psd->row + done, at, count);
        else
            memset(psd->row + done, *at, count);
        at += head < 128 ? count : 1;
        done += count;
    }
    return done == psd->row_bytes;
}

/* Puts the row to channel C of the picture's row. */
static void put_row(const struct psd *psd, const struct image *image, int c, int y)
{
    const size_t channels = (size_t)psd->channels;
    uint8_t *bytes = (uint8_t *)image_row(image, y) + c;
    uint16_t *wide = (uint16_t *)image_row(image, y) + c;

    for (size_t x = 0; x < (size_t)psd->width; x++)
        if (psd->sample_bytes == 2)
            wide[x * channels] = (uint16_t)get16(psd->row + 2 * x);
        else
            bytes[x * channels] = psd->row[x];
}

static bool read_rows(struct psd *psd, const struct image *image, struct error *err)
{
    uint64_t place = psd->place;
    size_t row = 0, length;

    for (int c = 0; c < psd->channels; c++)
        for (int y = 0; y < psd->height; y++, row++, place += length) {
            length = row_length(psd, row);
            if (!input_copy(psd->input, place, psd->lengths ? psd->raw : psd->row, length, err))
                return false;
            if (psd->lengths && !expand(psd, length))
                return error_file(err, psd->name,
                                  "damaged PSD: row %d of channel %d is not compressed soundly", y,
                                  c + 1);
            put_row(psd, image, c, y);
        }
    return true;
}

static bool decoder_read_all(struct source *source, struct image *image, struct error *err)
{
    struct psd *psd = source->state;
    const struct image_info *info = &source->info;

    if (!image_alloc(image, info->width, info->height, info->channels, info->type, psd->name, err))
        return false;
    psd->row = malloc(psd->row_bytes);
    if (psd->row ? read_rows(psd, image, err) : error_file(err, psd->name, "no memory to read it"))
        return true;
    image_free(image);
    return false;
}

static void decoder_close(struct source *source)
{
    const struct psd *psd = source->state;

    free(psd->lengths);
    free(psd->row);
}

const struct decoder decoder_psd = {
    .name = "PSD",
    .recognise = recognise,
    .open = decoder_open,
    .read_all = decoder_read_all,
    .state_bytes = sizeof(struct psd),
    .close = decoder_close,
};

const struct encoder encoder_psd; /* empty: it is not written */
