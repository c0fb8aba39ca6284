/* The inside of a PNG file: the rows that come out of its compressed data. Each begins with a
 * filter type and is undone with the help of the row before; an interlaced picture is seven small
 * pictures one after the other. */
#include <stdio.h>
#include <stdlib.h>

#include "codec/png/png.h"

struct pass {
    uint32_t width, height;
    size_t row_bytes; /* without the filter type */
};

/* Adam7: where each pass starts and how far apart its pixels lie. */
static const struct {
    uint8_t x, y, step_x, step_y;
} adam7[7] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
              {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

static int pass_count(const struct png_header *header)
{
    return header->interlaced ? 7 : 1;
}

/* Pass I of the picture; a pass without pixels has no rows either. */
static struct pass pass_of(const struct png_header *header, int i)
{
    struct pass pass = {.width = (uint32_t)header->width, .height = (uint32_t)header->height};
    unsigned bits = (unsigned)(png_samples_stored(header) * header->depth);

    if (header->interlaced) {
        pass.width = (pass.width + adam7[i].step_x - 1U - adam7[i].x) / adam7[i].step_x;
        pass.height = (pass.height + adam7[i].step_y - 1U - adam7[i].y) / adam7[i].step_y;
    }
    if (pass.width == 0)
        pass.height = 0;
    pass.row_bytes = ((size_t)pass.width * bits + 7) / 8; /* width <= 2^24, bits <= 64 */
    return pass;
}

uint64_t png_rows_bytes(const struct png_header *header)
{
    uint64_t bytes = 0;

    for (int i = 0; i < pass_count(header); i++) {
        struct pass pass = pass_of(header, i);
        bytes += (uint64_t)(1 + pass.row_bytes) * pass.height;
    }
    return bytes;
}

uint64_t png_rows_counted(const struct png_header *header, uint64_t bytes)
{
    uint64_t rows = 0;

    for (int i = 0; i < pass_count(header); i++) {
        struct pass pass = pass_of(header, i);
        uint64_t whole = (uint64_t)(1 + pass.row_bytes) * pass.height;
        if (bytes < whole)
            return rows + bytes / (1 + pass.row_bytes);
        bytes -= whole;
        rows += pass.height;
    }
    return rows;
}

/* ---- the checks ---- */

/* The largest index in a row of WIDTH samples of DEPTH bits; bits that fill up the last
 * byte do not count. */
static unsigned largest_index(const uint8_t *row, uint32_t width, int depth)
{
    unsigned largest = 0;

    for (uint32_t x = 0; x < width; x++) {
        unsigned index = png_sample_at(row, x, depth);
        largest = index > largest ? index : largest;
    }
    return largest;
}

/* "row 17", or "row 17 of pass 3" where there are passes. */
static bool damaged_row(const struct png_file *png, int pass, uint32_t y, const char *what,
                        unsigned value, struct error *err)
{
    char of_pass[32] = "";

    if (png->header.interlaced)
        snprintf(of_pass, sizeof of_pass, " of pass %d", pass + 1);
    return error_file(err, png->name, "damaged PNG: row %u%s has %s %u", (unsigned)y, of_pass, what,
                      value);
}

bool png_rows_undo(const struct png_file *png, int pass, uint32_t y, const uint8_t *raw,
                   const uint8_t *up, uint8_t *to, struct error *err)
{
    const struct png_header *header = &png->header;
    struct pass shape = pass_of(header, pass);
    size_t pixel = ((size_t)png_samples_stored(header) * (size_t)header->depth + 7) / 8;

    if (raw[0] > 4)
        return damaged_row(png, pass, y, "filter type", raw[0], err);
    png_unfilter(raw[0], raw + 1, up, shape.row_bytes, pixel, to);
    /* A palette that has an entry for every index needs no look at the indices. */
    if (header->colour == PNG_PALETTE && png->palette_entries < 1 << header->depth) {
        unsigned largest = largest_index(to, shape.width, header->depth);
        if (largest >= (unsigned)png->palette_entries)
            return damaged_row(png, pass, y, "a colour that its palette lacks:", largest, err);
    }
    return true;
}

bool png_rows_unfilter(const struct png_file *png, uint8_t *raw, struct error *err)
{
    struct png_header whole = png->header;
    uint8_t *zeros;
    bool ok = true;

    whole.interlaced = false; /* its rows are the longest */
    zeros = calloc(1, pass_of(&whole, 0).row_bytes);
    if (!zeros)
        return error_file(err, png->name, "no memory to read it");
    for (int i = 0; i < pass_count(&png->header) && ok; i++) {
        struct pass pass = pass_of(&png->header, i);
        const uint8_t *up = zeros;
        for (uint32_t y = 0; y < pass.height && ok; y++) {
            ok = png_rows_undo(png, i, y, raw, up, raw + 1, err);
            raw[0] = 0;
            up = raw + 1;
            raw += 1 + pass.row_bytes;
        }
    }
    free(zeros);
    return ok;
}
