/* Reading rows: see png_read.h. A window of rows that fits the second cache is inflated
 * at once, its filters are undone in place, and each row goes from there into the
 * caller's memory. The row above the window is kept before it. */
#include "png_read.h"

#include <stdlib.h>
#include <string.h>

#include "png_rows.h"
#include "zlib_stream.h"

#define WINDOW_BYTES ((size_t)1 << 16)

struct png_reader {
    const struct png_file *png;
    const char *name;
    struct zlib_reader *inflate;
    struct png_pieces pieces;
    size_t stride;   /* bytes of a row with its filter type */
    uint8_t *window; /* the row before, then `rows` rows */
    int rows;
    int filled, given;      /* rows in the window, and how many of them were handed out */
    uint32_t next;          /* the picture's row that is inflated next */
    uint8_t colour[256][4]; /* of a palette, with alpha */
    unsigned key[3];        /* tRNS of the other colour types */
};

static void fill_colours(struct png_reader *reader)
{
    const struct png_file *png = reader->png;
    unsigned mask = (1U << png->header.depth) - 1;
    size_t i;

    if (png->header.colour == PNG_PALETTE) {
        for (i = 0; i < (size_t)png->palette_entries; i++) {
            memcpy(reader->colour[i], png->palette + 3 * i, 3);
            reader->colour[i][3] = i < png->transparency_bytes ? png->transparency[i] : 255;
        }
    } else { /* bits above the depth do not count */
        for (i = 0; i < png->transparency_bytes / 2; i++)
            reader->key[i] =
                (png->transparency[2 * i] * 256U + png->transparency[2 * i + 1]) & mask;
    }
}

bool png_reader_open(struct png_reader **reader, const struct png_file *png, const char *name,
                     struct error *err)
{
    struct png_reader *r = *reader = calloc(1, sizeof *r);

    if (!r)
        return error_set(err, EXIT_INPUT, "%s: no memory to read it", name);
    r->png = png;
    r->name = name;
    r->stride = (size_t)(png_rows_bytes(&png->header) / (uint64_t)png->header.height);
    r->rows = (int)(r->stride < WINDOW_BYTES ? WINDOW_BYTES / r->stride : 1);
    if (r->rows > png->header.height)
        r->rows = png->header.height;
    r->window = malloc(r->stride * ((size_t)r->rows + 1));
    r->inflate = zlib_reader_new(png_pieces_next, &r->pieces);
    png_pieces_begin(&r->pieces, png);
    if (!r->window || !r->inflate) {
        png_reader_close(r);
        *reader = NULL;
        return error_set(err, EXIT_INPUT, "%s: no memory to read it", name);
    }
    memset(r->window, 0, r->stride);
    fill_colours(r);
    return true;
}

void png_reader_close(struct png_reader *reader)
{
    if (!reader)
        return;
    zlib_reader_free(reader->inflate);
    free(reader->window);
    free(reader);
}

/* ---- rows ---- */

static bool fill_window(struct png_reader *reader, struct error *err)
{
    const struct png_header *header = &reader->png->header;
    uint32_t left = (uint32_t)header->height - reader->next;
    uint8_t *row = reader->window + reader->stride;
    const char *why;
    size_t want, got;
    int i;

    memcpy(reader->window, reader->window + (size_t)reader->filled * reader->stride,
           reader->filled ? reader->stride : 0);
    reader->given = 0;
    reader->filled = left < (uint32_t)reader->rows ? (int)left : reader->rows;
    want = (size_t)reader->filled * reader->stride;
    if (!zlib_reader_read(reader->inflate, row, want, &got, &why)) {
        error_set(err, EXIT_INPUT, "%s: damaged PNG: %s", reader->name, why);
        if (reader->pieces.failed)
            *err = reader->pieces.err;
        return false;
    }
    if (got < want)
        return error_set(err, EXIT_INPUT, "%s: truncated PNG: %llu of %d rows", reader->name,
                         (unsigned long long)(reader->next + got / reader->stride), header->height);
    for (i = 0; i < reader->filled; i++) {
        if (!png_rows_undo(reader->png, reader->name, reader->next++, row, row - reader->stride + 1,
                           err))
            return false;
        row += reader->stride;
    }
    if (reader->next == (uint32_t)header->height && !zlib_reader_end(reader->inflate, &why))
        return error_set(err, EXIT_INPUT, "%s: damaged PNG: %s", reader->name, why);
    return true;
}

static unsigned sample_at(const uint8_t *row, size_t i, int depth)
{
    unsigned per_byte;

    if (depth == 16)
        return row[2 * i] * 256U + row[2 * i + 1];
    if (depth == 8)
        return row[i];
    per_byte = 8U / (unsigned)depth;
    return row[i / per_byte] >> (8U - (unsigned)depth * (unsigned)(i % per_byte + 1)) &
           ((1U << depth) - 1);
}

/* Rows of whole samples, as they stand or with the bytes turned. */
static void convert_plain(const uint8_t *row, void *to, size_t samples, int depth)
{
    uint16_t *wide = to;
    size_t i;

    if (depth == 8) {
        memcpy(to, row, samples);
        return;
    }
    for (i = 0; i < samples; i++)
        wide[i] = (uint16_t)(row[2 * i] << 8 | row[2 * i + 1]);
}

static void convert_palette(const struct png_reader *reader, const uint8_t *row, uint8_t *to,
                            int channels)
{
    const struct png_header *header = &reader->png->header;
    int x;

    for (x = 0; x < header->width; x++, to += channels)
        memcpy(to, reader->colour[sample_at(row, (size_t)x, header->depth)], (size_t)channels);
}

/* Few bits become eight, and the colour that tRNS names gets alpha 0. */
static void convert_samples(const struct png_reader *reader, const uint8_t *row, void *to,
                            int channels)
{
    const struct png_header *header = &reader->png->header;
    int stored = png_samples_stored(header), depth = header->depth, x, c;
    unsigned max = (1U << depth) - 1, full = depth == 16 ? 65535 : 255;
    uint8_t *bytes = to;
    uint16_t *wide = to;
    size_t place = 0;

    for (x = 0; x < header->width; x++) {
        bool is_key = true;
        for (c = 0; c < channels; c++, place++) {
            unsigned value;
            if (c < stored) {
                value = sample_at(row, (size_t)x * (size_t)stored + (size_t)c, depth);
                is_key &= c < 3 && value == reader->key[c];
                value = value * full / max;
            } else {
                value = is_key ? 0 : full;
            }
            if (depth == 16)
                wide[place] = (uint16_t)value;
            else
                bytes[place] = (uint8_t)value;
        }
    }
}

bool png_reader_read(struct png_reader *reader, const struct image *image, struct error *err)
{
    const struct png_file *png = reader->png;
    int depth = png->header.depth, channels = image->channels, y;

    for (y = 0; y < image->height; y++) {
        const uint8_t *row;
        void *to = image_row(image, y);
        if (reader->given == reader->filled && !fill_window(reader, err))
            return false;
        row = reader->window + (size_t)(1 + reader->given++) * reader->stride + 1;
        if (png->header.colour == PNG_PALETTE)
            convert_palette(reader, row, to, channels);
        else if (depth >= 8 && !png->transparency)
            convert_plain(row, to, (size_t)image->width * (size_t)channels, depth);
        else
            convert_samples(reader, row, to, channels);
    }
    return true;
}
