/* The PNM encoder: P5, P6 and P7 with the picture's own maximum as maxval. codec/sink.c
 * has made the rows fit the format; this file writes the header and, for 16 bits,
 * turns the byte order. Plain (text) files are read but not written. */
#include "codec/format.h"

#include <endian.h>
#include <stdio.h>

/* Rows in file order are made in pieces of this many samples (256 KiB): large
 * enough to go out unbuffered, small enough to stay in cache. */
#define PIECE_SAMPLES ((size_t)128 * 1024)

static bool pnm_write_open(struct sink *sink, struct error *err)
{
    static const char *const tuple_types[] = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
    const struct image_info *info = &sink->info;
    uint64_t bytes;
    char header[160];
    int length;

    if (info->format == FORMAT_PAM)
        length = snprintf(header, sizeof header,
                          "P7\nWIDTH %d\nHEIGHT %d\nDEPTH %d\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n",
                          info->width, info->height, info->channels, info->max,
                          tuple_types[info->channels - 1]);
    else
        length = snprintf(header, sizeof header, "P%d\n%d %d\n%u\n",
                          info->format == FORMAT_PPM ? 6 : 5, info->width, info->height, info->max);
    if (__builtin_mul_overflow((uint64_t)info->width * (uint64_t)info->channels * info->type,
                               (uint64_t)info->height, &bytes) ||
        __builtin_add_overflow(bytes, (uint64_t)length, &bytes))
        bytes = UINT64_MAX;
    return output_expect(sink->output, bytes, err) &&
           output_write(sink->output, header, (size_t)length, err);
}

/* The caller's rows must not change, so that they are turned round in a copy. */
static bool write_swapped(struct sink *sink, const uint16_t *row, size_t samples, struct error *err)
{
    uint16_t *piece = sink->state;

    while (samples > 0) {
        size_t count = samples < PIECE_SAMPLES ? samples : PIECE_SAMPLES;
        for (size_t i = 0; i < count; i++)
            piece[i] = htobe16(row[i]);
        if (!output_write(sink->output, piece, count * sizeof *piece, err))
            return false;
        row += count;
        samples -= count;
    }
    return true;
}

static bool pnm_write_rows(struct sink *sink, const struct image *rows, struct error *err)
{
    size_t bytes = image_row_bytes(rows);
    int count = rows->height;

    if (rows->pitch == bytes) { /* no gaps: the rows are one long one */
        bytes *= (size_t)count;
        count = 1;
    }
    for (int y = 0; y < count; y++) {
        const void *row = image_row(rows, y);
        if (rows->type == SAMPLE_U16 ? !write_swapped(sink, row, bytes / 2, err)
                                     : !output_write(sink->output, row, bytes, err))
            return false;
    }
    return true;
}

const struct encoder encoder_pnm = {
    .open = pnm_write_open,
    .write = pnm_write_rows,
    .state_bytes = PIECE_SAMPLES * sizeof(uint16_t),
};
