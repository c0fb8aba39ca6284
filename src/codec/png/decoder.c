/* Reading PNG. codec/png/chunks.c and codec/png/rows.c take the file apart and check all of it;
 * codec/png/read.c makes rows as they are asked for. An interlaced picture (any, in builds without
 * codec/png/read.c) is made as a whole: stb_image is given a PNG of our own making and the
 * finished rows, and does what is left (bits to bytes, palette, tRNS, weaving the passes).
 *
 * A picture that is made as a whole has up to 2^30 samples. A picture of which a part is missing
 * or wrong is refused, never shown in part. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/png/png.h"
#include "codec/stb.h"
#include "codec/zlib/stream.h"

/* deflate's best: 258 bytes for a length code of one bit and a distance code of one. */
#define DEFLATE_MAX_RATIO 1032

static bool truncated_rows(const struct png_file *png, uint64_t bytes, struct error *err)
{
    return error_file(err, png->name, "truncated PNG: %llu of %llu rows",
                      (unsigned long long)png_rows_counted(&png->header, bytes),
                      (unsigned long long)png_rows_counted(&png->header, UINT64_MAX));
}

/* The file was cut: says how many rows it still holds, where that can be known (data is
 * there, and the library tells how far it came), else where it ends. */
static bool refuse_truncated(const struct png_file *png, struct error *err)
{
    uint64_t bytes = png_rows_bytes(&png->header);
    size_t written = 0;
    uint8_t *data;
    const char *why;

    if (png->data_bytes > 0 && bytes <= STB_MAX_BYTES) {
        data = png_pieces_gather(png, err);
        if (!data)
            return false;
        zlib_stream_inflate(data, png->data_bytes, NULL, (size_t)bytes, &written, &why);
        free(data);
    }
    if (written > 0 && written < bytes)
        return truncated_rows(png, written, err);
    return error_file(err, png->name, "truncated PNG: %s", png->truncation);
}

/* Can the file hold the rows that its header promises, and can they be decoded? */
static bool check_sizes(const struct png_file *png, const struct image_info *info, bool whole,
                        struct error *err)
{
    uint64_t rows = png_rows_bytes(&png->header);
    uint64_t pixels = (uint64_t)info->width * (uint64_t)info->height;
    uint64_t samples = pixels * (png->header.colour == PNG_PALETTE ? 4 : (uint64_t)info->channels);

    if (rows > (uint64_t)png->data_bytes * DEFLATE_MAX_RATIO)
        return error_file(err, png->name,
                          "damaged PNG: %d x %d pixels cannot come out of its %zu bytes of data",
                          info->width, info->height, png->data_bytes);
    if (whole && (samples > STB_MAX_PNG_SAMPLES || rows > STB_MAX_BYTES ||
                  pixels * (uint64_t)info->channels * (uint64_t)info->type > STB_MAX_BYTES))
        return error_file(err, png->name,
                          "%d x %d pixels: a PNG of more than 2^30 samples cannot be read",
                          info->width, info->height);
    return true;
}

/* source->state */
struct png_source {
    struct png_file file;
    uint8_t *metadata;         /* source->metadata */
    struct png_reader *reader; /* NULL until a row is asked for */
};

static bool decoder_open(struct source *source, struct error *err)
{
    struct image_info *info = &source->info;
    struct png_source *state = source->state;
    struct png_file *png = &state->file;

    if (!png_chunks_walk(png, source->input, err))
        return false;
    if (png->truncated)
        return refuse_truncated(png, err);
    info->width = png->header.width;
    info->height = png->header.height;
    info->channels = png_channels(png);
    info->type = png->header.depth == 16 ? SAMPLE_U16 : SAMPLE_U8;
    info->max = png->header.depth == 16 ? 65535 : 255;
    info->format = FORMAT_PNG;
    if (!png_metadata_take(&png->notes, source->input, info->channels <= 2, &state->metadata,
                           &source->metadata.bytes, err))
        return false;
    source->metadata.chunks = state->metadata;
    source->dropped = png->notes.dropped;
    source->lost = png->notes.lost;
#ifdef HAVE_PNG_ROWS
    source->whole = png->header.interlaced;
#else
    source->whole = true;
#endif
    return check_sizes(png, info, source->whole, err);
}

/* ---- pictures that are made as a whole ---- */

/* The rows, decompressed, unfiltered and checked; malloc'ed. */
static uint8_t *read_rows(const struct png_file *png, size_t *bytes, struct error *err)
{
    uint8_t *data = png_pieces_gather(png, err), *rows;
    const char *why;
    size_t written;
    bool ok = false;

    if (!data)
        return NULL;
    *bytes = (size_t)png_rows_bytes(&png->header);
    rows = large_alloc(*bytes);
    if (!rows)
        error_file(err, png->name, "no memory to read %d x %d pixels", png->header.width,
                   png->header.height);
    else if (!zlib_stream_inflate(data, png->data_bytes, rows, *bytes, &written, &why))
        error_file(err, png->name, "damaged PNG: %s", why);
    else if (written < *bytes)
        truncated_rows(png, written, err);
    else
        ok = png_rows_unfilter(png, rows, err);
    free(data);
    if (!ok) {
        free(rows);
        rows = NULL;
    }
    return rows;
}

static uint8_t *put_chunk(uint8_t *to, const char *type, const uint8_t *data, size_t bytes)
{
    memcpy(to + PNG_CHUNK_HEAD, data, bytes);
    return to + png_chunk_close(to, type, bytes);
}

/* The small PNG that stb_image is given to read: it has the same header, palette and transparency,
 * all of them checked, and one byte in place of the picture. So stb_image never sees a stranger's
 * chunks; the rows go another way (stb_load_png). At most SKELETON_BYTES; returns how many. */
#define SKELETON_BYTES 2048
static size_t make_skeleton(const struct png_file *png, uint8_t *into)
{
    const struct png_header *header = &png->header;
    uint8_t *to = into, head[13];

    memcpy(to, "\211PNG\r\n\032\n", 8);
    png_put32(png_put32(head, (uint32_t)header->width), (uint32_t)header->height);
    head[8] = (uint8_t)header->depth;
    head[9] = (uint8_t)header->colour;
    head[10] = head[11] = 0;
    head[12] = header->interlaced;
    to = put_chunk(to + 8, "IHDR", head, sizeof head);
    if (header->colour == PNG_PALETTE)
        to = put_chunk(to, "PLTE", png->palette, 3 * (size_t)png->palette_entries);
    if (png->transparency_bytes > 0)
        to = put_chunk(to, "tRNS", png->transparency, png->transparency_bytes);
    to = put_chunk(to, "IDAT", head + 10, 1);
    to = put_chunk(to, "IEND", head, 0);
    return (size_t)(to - into);
}

static bool decoder_read_all(struct source *source, struct image *image, struct error *err)
{
    struct png_source *state = source->state;
    const struct png_file *png = &state->file;
    const char *why;
    uint8_t skeleton[SKELETON_BYTES];
    size_t rows_bytes;
    uint8_t *rows = read_rows(png, &rows_bytes, err);

    if (!rows) {
        png_chunks_explain(source->input, err);
        return false;
    }
    if (!stb_load_png(skeleton, make_skeleton(png, skeleton), rows, rows_bytes, image, &why))
        return error_file(err, png->name, "cannot decode this PNG: %s", why);
    return true;
}

/* ---- rows as they are asked for ---- */

#ifdef HAVE_PNG_ROWS
static bool decoder_read(struct source *source, struct image *rows, struct error *err)
{
    struct png_source *state = source->state;

    if (!state->reader && !png_reader_open(&state->reader, &state->file, source->ahead, err))
        return false;
    if (png_reader_read(state->reader, rows, err))
        return true;
    png_reader_close(state->reader); /* its thread reads the file no more */
    state->reader = NULL;
    png_chunks_explain(source->input, err);
    return false;
}
#endif

static void decoder_close(struct source *source)
{
    struct png_source *state = source->state;

#ifdef HAVE_PNG_ROWS
    png_reader_close(state->reader);
#endif
    free(state->metadata);
}

const struct decoder decoder_png = {
    .name = "PNG",
    .recognise = png_recognise,
    .open = decoder_open,
#ifdef HAVE_PNG_ROWS
    .read = decoder_read,
#endif
    .read_all = decoder_read_all,
    .state_bytes = sizeof(struct png_source),
    .close = decoder_close,
};
