/* Reading PNG. codec/png/chunks.c finds the compressed data; this file checks the rows and converts
 * them to samples on demand. An interlaced picture (in builds without HAVE_PNG_ROWS, every picture)
 * is decoded as a whole: stb_image gets a small PNG made here and the unfiltered rows, and does the
 * rest (bits to bytes, palette, tRNS, weaving the passes).
 *
 * A picture decoded as a whole has at most 2^30 samples. A picture with missing or damaged parts is
 * refused, never shown in part. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/png/png.h"
#include "codec/stb.h"
#include "codec/zlib/stream.h"

/* The best ratio of deflate: 258 bytes for a one-bit length code and a one-bit distance code. */
#define DEFLATE_MAX_RATIO 1032

/* ---- rows ----
 *
 * Each row begins with a filter type, and undoing the filter needs the row before. An interlaced
 * picture is seven small pictures one after the other. */

/* Sample I of a row, of DEPTH bits. */
static unsigned sample_at(const uint8_t *row, size_t i, int depth)
{
    unsigned bits = (unsigned)depth, per_byte;

    if (depth == 16)
        return row[2 * i] * 256U + row[2 * i + 1];
    if (depth == 8)
        return row[i];
    per_byte = 8U / bits;
    return row[i / per_byte] >> (8U - bits * (unsigned)(i % per_byte + 1)) & ((1U << bits) - 1);
}

struct pass {
    int number; /* 0 if not interlaced */
    uint32_t width, height;
    size_t row_bytes; /* without the filter type */
    size_t pixel;     /* bytes of a pixel, at least 1 */
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

/* Pass I of the picture; a pass without pixels has no rows. */
static struct pass pass_of(const struct png_header *header, int i)
{
    unsigned bits = (unsigned)(png_samples_stored(header) * header->depth);
    struct pass pass = {.number = i,
                        .width = (uint32_t)header->width,
                        .height = (uint32_t)header->height,
                        .pixel = (bits + 7) / 8};

    if (header->interlaced) {
        pass.width = (pass.width + adam7[i].step_x - 1U - adam7[i].x) / adam7[i].step_x;
        pass.height = (pass.height + adam7[i].step_y - 1U - adam7[i].y) / adam7[i].step_y;
    }
    if (pass.width == 0)
        pass.height = 0;
    pass.row_bytes = ((size_t)pass.width * bits + 7) / 8; /* width <= 2^24, bits <= 64 */
    return pass;
}

/* Bytes of all rows with their filter types: at most about 2^24 * 2^24 * 8. */
static uint64_t rows_bytes(const struct png_header *header)
{
    uint64_t bytes = 0;

    for (int i = 0; i < pass_count(header); i++) {
        struct pass pass = pass_of(header, i);
        bytes += (uint64_t)(1 + pass.row_bytes) * pass.height;
    }
    return bytes;
}

/* How many rows, of all passes, are complete in BYTES bytes. UINT64_MAX: all rows. */
static uint64_t rows_counted(const struct png_header *header, uint64_t bytes)
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

/* The largest index in a row of WIDTH samples of DEPTH bits; padding bits in the last byte are
 * ignored. */
static unsigned largest_index(const uint8_t *row, uint32_t width, int depth)
{
    unsigned largest = 0;

    for (uint32_t x = 0; x < width; x++) {
        unsigned index = sample_at(row, x, depth);
        largest = index > largest ? index : largest;
    }
    return largest;
}

/* Reports damage in "row 17", or in "row 17 of pass 3" if the picture is interlaced. */
static bool damaged_row(const struct png_file *png, int pass, uint32_t y, const char *what,
                        unsigned value, struct error *err)
{
    char of_pass[32] = "";

    if (png->header.interlaced)
        snprintf(of_pass, sizeof of_pass, " of pass %d", pass + 1);
    return error_file(err, png->name, "damaged PNG: row %u%s has %s %u", (unsigned)y, of_pass, what,
                      value);
}

/* Undoes the filter of row Y of a pass. RAW begins with the filter type. UP
 * is the unfiltered row above, without a filter type (zeros above the first row). TO gets the
 * unfiltered row, without a filter type; TO may be RAW + 1 but must not overlap otherwise. Errors:
 * an unknown filter type, or an index beyond the palette. */
static bool rows_undo(const struct png_file *png, const struct pass *pass, uint32_t y,
                      const uint8_t *raw, const uint8_t *up, uint8_t *to, struct error *err)
{
    const struct png_header *header = &png->header;

    if (raw[0] > 4)
        return damaged_row(png, pass->number, y, "filter type", raw[0], err);
    png_unfilter(raw[0], raw + 1, up, pass->row_bytes, pass->pixel, to);
    /* Indices need no check if the palette has an entry for each of them. */
    if (header->colour == PNG_PALETTE && png->palette_entries < 1 << header->depth) {
        unsigned largest = largest_index(to, pass->width, header->depth);
        if (largest >= (unsigned)png->palette_entries)
            return damaged_row(png, pass->number, y, "a colour that its palette lacks:", largest,
                               err);
    }
    return true;
}

/* Undoes the filters of all rows in place and sets every filter type to 0 (none), so that
 * stb_image, which reads RAW next, has no filter left to undo. RAW holds rows_bytes. */
static bool rows_unfilter(const struct png_file *png, uint8_t *raw, struct error *err)
{
    struct png_header whole = png->header;
    uint8_t *zeros;
    bool ok = true;

    whole.interlaced = false; /* the rows of the whole picture are the longest */
    zeros = calloc(1, pass_of(&whole, 0).row_bytes);
    if (!zeros)
        return error_file(err, png->name, "no memory to read it");
    for (int i = 0; i < pass_count(&png->header) && ok; i++) {
        struct pass pass = pass_of(&png->header, i);
        const uint8_t *up = zeros;
        for (uint32_t y = 0; y < pass.height && ok; y++) {
            ok = rows_undo(png, &pass, y, raw, up, raw + 1, err);
            raw[0] = 0;
            up = raw + 1;
            raw += 1 + pass.row_bytes;
        }
    }
    free(zeros);
    return ok;
}

/* ---- opening ---- */

static bool truncated_rows(const struct png_file *png, uint64_t bytes, struct error *err)
{
    return error_file(err, png->name, "truncated PNG: %llu of %llu rows",
                      (unsigned long long)rows_counted(&png->header, bytes),
                      (unsigned long long)rows_counted(&png->header, UINT64_MAX));
}

/* Refuses a truncated file. The error tells how many rows the file still holds, if this is known
 * (there is data, and the library reports its progress); else it tells where the file ends. */
static bool refuse_truncated(const struct png_file *png, struct error *err)
{
    uint64_t bytes = rows_bytes(&png->header);
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

/* Checks that the file can hold the rows that its header promises, and that they can be decoded. */
static bool check_sizes(const struct png_file *png, const struct image_info *info, bool whole,
                        struct error *err)
{
    uint64_t rows = rows_bytes(&png->header);
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
    struct reader *reader; /* NULL until the first row is read */
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
    source_describe(source, png->header.width, png->header.height, png_channels(png),
                    png->header.depth == 16 ? 65535 : 255, FORMAT_PNG);
    if (!png_metadata_take(png, info->channels <= 2, &source->metadata, err))
        return false;
    source->dropped = png->notes.dropped;
    source->lost = png->notes.lost;
#ifdef HAVE_PNG_ROWS
    source->whole = png->header.interlaced;
#else
    source->whole = true;
#endif
    return check_sizes(png, info, source->whole, err);
}

/* ---- pictures decoded as a whole ---- */

/* Returns the rows, decompressed, unfiltered and checked; malloc'ed. */
static uint8_t *read_rows(const struct png_file *png, size_t *bytes, struct error *err)
{
    uint8_t *data = png_pieces_gather(png, err), *rows;
    const char *why;
    size_t written;
    bool ok = false;

    if (!data)
        return NULL;
    *bytes = (size_t)rows_bytes(&png->header);
    rows = large_alloc(*bytes);
    if (!rows)
        error_file(err, png->name, "no memory to read %d x %d pixels", png->header.width,
                   png->header.height);
    else if (!zlib_stream_inflate(data, png->data_bytes, rows, *bytes, &written, &why))
        error_file(err, png->name, "damaged PNG: %s", why);
    else if (written < *bytes)
        truncated_rows(png, written, err);
    else
        ok = rows_unfilter(png, rows, err);
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

/* Makes the small PNG that stb_image reads: the same header, palette and transparency, all of them
 * checked, and one byte in place of the picture. So stb_image never parses chunks of an unknown
 * file; it gets the rows from stb_load_png. Returns the number of bytes. */
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
    size_t bytes;
    uint8_t *rows = read_rows(png, &bytes, err);

    if (!rows) {
        png_chunks_explain(source->input, err);
        return false;
    }
    if (!stb_load_png(skeleton, make_skeleton(png, skeleton), rows, bytes, image, &why))
        return error_file(err, png->name, "cannot decode this PNG: %s", why);
    return true;
}

/* ---- rows on demand ----
 *
 * Rows are inflated, unfiltered, checked and converted to samples, a few at a time. Exceptions:
 * interlaced pictures, whose rows come in seven passes; builds with libdeflate, which inflates only
 * whole streams; builds with -Dpng=stb.
 *
 * Rows are inflated in windows that fit the L2 cache. Inflating is the longest part of reading that
 * cannot be shared among threads, so a separate thread may inflate ahead, into a ring of windows.
 * The thread that asks for rows undoes their filters; if samples need no conversion, it writes the
 * unfiltered rows straight into the caller's memory. */

#ifdef HAVE_PNG_ROWS
#define WINDOW_BYTES ((size_t)1 << 16)
#define SLOTS_AHEAD  8

struct window {
    uint8_t *rows;
    int count;
    bool ok;
    struct error err; /* valid if not ok */
};

struct reader {
    const struct png_file *png;
    struct pass pass;       /* the whole picture */
    size_t stride;          /* bytes of a row with its filter type */
    int rows;               /* rows of a full window */
    bool as_stored;         /* unfiltered rows need no conversion to samples */
    uint8_t colour[256][4]; /* the palette with alpha */
    unsigned key[3];        /* tRNS for other colour types */

    struct zlib_reader *inflate; /* the filling thread owns this member and the next two */
    struct png_pieces pieces;
    uint32_t inflated; /* rows inflated so far */

    const struct window *window; /* rows are taken from it, `given` of them so far */
    int given;
    uint32_t next;     /* the next row of the picture to unfilter */
    const uint8_t *up; /* the unfiltered row above it */
    uint8_t *last;     /* a copy of that row, where its own memory may change */

    bool threaded;
    pthread_t thread;
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t changed;
    struct window ring[SLOTS_AHEAD];
    int slots;
    long long filled, emptied; /* numbers of windows */
    long long needed; /* the caller waits until `filled` reaches this number; 0: it does not wait */
    bool ended, stopping;
};

static void fill_colours(struct reader *reader)
{
    const struct png_file *png = reader->png;

    if (png->header.colour == PNG_PALETTE) {
        for (size_t i = 0; i < (size_t)png->palette_entries; i++) {
            memcpy(reader->colour[i], png->palette + 3 * i, 3);
            reader->colour[i][3] = i < png->transparency_bytes ? png->transparency[i] : 255;
        }
    } else {
        for (size_t i = 0; i < png->transparency_bytes / 2; i++)
            reader->key[i] = sample_at(png->transparency, i, 16);
    }
}

static bool inflate_window(struct reader *reader, struct window *window)
{
    const struct png_header *header = &reader->png->header;
    uint32_t left = (uint32_t)header->height - reader->inflated;
    struct error *err = &window->err;
    const char *why;
    size_t want, got;
    bool ok;

    window->count = left < (uint32_t)reader->rows ? (int)left : reader->rows;
    want = (size_t)window->count * reader->stride;
    ok = zlib_reader_read(reader->inflate, window->rows, want, &got, &why);
    if (ok && got < want)
        return error_file(err, reader->png->name, "truncated PNG: %llu of %d rows",
                          (unsigned long long)(reader->inflated + got / reader->stride),
                          header->height);
    reader->inflated += (uint32_t)window->count;
    if (ok && reader->inflated == (uint32_t)header->height)
        ok = zlib_reader_end(reader->inflate, &why);
    if (reader->pieces.failed) {
        *err = reader->pieces.err;
        return false;
    }
    return ok || error_file(err, reader->png->name, "damaged PNG: %s", why);
}

/* The thread: fills windows while there is room, until the last row or the first damage. */
static void *inflate_ahead(void *context)
{
    struct reader *reader = context;
    bool more = true;

    pthread_mutex_lock(&reader->lock);
    while (more && !reader->stopping) {
        struct window *window = &reader->ring[reader->filled % reader->slots];
        if (reader->filled - reader->emptied == reader->slots) {
            pthread_cond_wait(&reader->changed, &reader->lock);
            continue;
        }
        pthread_mutex_unlock(&reader->lock);
        window->ok = inflate_window(reader, window);
        more = window->ok && reader->inflated < (uint32_t)reader->png->header.height;
        pthread_mutex_lock(&reader->lock);
        reader->filled++;
        reader->ended = !more;
        if (reader->filled == reader->needed || reader->ended)
            pthread_cond_signal(&reader->changed);
    }
    pthread_mutex_unlock(&reader->lock);
    return NULL;
}

/* Waits until a window is filled. A caller that must wait waits for as many windows as ROWS rows
 * need, but at most half the ring; otherwise the threads would switch at every window. */
static void wait_for_window(struct reader *reader, int rows)
{
    long long need = (rows - 1) / reader->rows + 1, half = reader->slots / 2;

    need = reader->emptied + (need < half ? need : half);
    pthread_mutex_lock(&reader->lock);
    if (reader->filled - reader->emptied <= half)
        pthread_cond_signal(&reader->changed);
    reader->needed = reader->filled == reader->emptied ? need : 0;
    while (reader->filled < reader->needed && !reader->ended)
        pthread_cond_wait(&reader->changed, &reader->lock);
    pthread_mutex_unlock(&reader->lock);
}

/* Advances to the next window; the caller wants ROWS rows. */
static bool next_window(struct reader *reader, int rows, struct error *err)
{
    struct window *window;

    pthread_mutex_lock(&reader->lock);
    reader->emptied += reader->window != NULL;
    pthread_mutex_unlock(&reader->lock);
    if (reader->threaded)
        wait_for_window(reader, rows);
    window = &reader->ring[reader->emptied % reader->slots];
    if (!reader->threaded)
        window->ok = inflate_window(reader, window);
    reader->window = window;
    reader->given = 0;
    if (!window->ok)
        *err = window->err;
    return window->ok;
}

static bool reader_alloc(struct reader *reader)
{
    bool ok = true;

    for (int i = 0; i < reader->slots; i++) {
        reader->ring[i].rows = large_alloc(reader->stride * (size_t)reader->rows);
        ok = ok && reader->ring[i].rows;
    }
    reader->up = reader->last = large_alloc_cleared(reader->stride);
    reader->inflate = zlib_reader_new(png_pieces_next, &reader->pieces);
    return ok && reader->last && reader->inflate;
}

static void reader_close(struct reader *reader)
{
    if (!reader)
        return;
    pthread_mutex_lock(&reader->lock);
    reader->stopping = true;
    pthread_cond_signal(&reader->changed);
    pthread_mutex_unlock(&reader->lock);
    if (reader->threaded)
        pthread_join(reader->thread, NULL);
    pthread_cond_destroy(&reader->changed);
    pthread_mutex_destroy(&reader->lock);
    zlib_reader_free(reader->inflate);
    for (int i = 0; i < reader->slots; i++)
        free(reader->ring[i].rows);
    free(reader->last);
    free(reader);
}

/* AHEAD: a separate thread inflates. */
static bool reader_open(struct reader **reader, const struct png_file *png, bool ahead,
                        struct error *err)
{
    struct reader *r = *reader = calloc(1, sizeof *r);
    int windows;

    if (!r)
        return error_file(err, png->name, "no memory to read it");
    r->png = png;
    r->pass = pass_of(&png->header, 0);
    r->stride = 1 + r->pass.row_bytes;
    r->rows = (int)(r->stride < WINDOW_BYTES ? (WINDOW_BYTES - 1) / r->stride + 1 : 1);
    if (r->rows > png->header.height)
        r->rows = png->header.height;
    windows = (png->header.height - 1) / r->rows + 1;
    r->slots = !ahead ? 1 : (windows < SLOTS_AHEAD ? windows : SLOTS_AHEAD);
    r->as_stored =
        png->header.depth == 8 && png->header.colour != PNG_PALETTE && png->transparency_bytes == 0;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    r->pieces = png_pieces_begin(png);
    if (!reader_alloc(r)) {
        reader_close(r);
        *reader = NULL;
        return error_file(err, png->name, "no memory to read it");
    }
    fill_colours(r);
    /* Without a thread, next_window inflates. */
    r->threaded = r->slots > 1 && pthread_create(&r->thread, NULL, inflate_ahead, r) == 0;
    return true;
}

/* Swaps the bytes of 16-bit samples. */
static void convert_wide(const uint8_t *row, uint16_t *to, size_t samples)
{
    for (size_t i = 0; i < samples; i++)
        to[i] = (uint16_t)(row[2 * i] << 8 | row[2 * i + 1]);
}

static void convert_palette(const struct reader *reader, const uint8_t *row, uint8_t *to,
                            int channels)
{
    const struct png_header *header = &reader->png->header;

    for (int x = 0; x < header->width; x++, to += channels)
        memcpy(to, reader->colour[sample_at(row, (size_t)x, header->depth)], (size_t)channels);
}

/* Expands samples of few bits to eight bits; a pixel of the colour in tRNS gets alpha 0. */
static void convert_samples(const struct reader *reader, const uint8_t *row, void *to, int channels)
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

static void convert(const struct reader *reader, const uint8_t *row, void *to, int channels)
{
    const struct png_file *png = reader->png;

    if (png->header.colour == PNG_PALETTE)
        convert_palette(reader, row, to, channels);
    else if (png->header.depth == 16 && png->transparency_bytes == 0)
        convert_wide(row, to, (size_t)png->header.width * (size_t)channels);
    else
        convert_samples(reader, row, to, channels);
}

/* Takes COUNT rows from the window to IMAGE's rows from Y on. */
static bool take_rows(struct reader *reader, const struct image *image, int y, int count,
                      struct error *err)
{
    uint8_t *raw = reader->window->rows + (size_t)reader->given * reader->stride, *row = NULL;
    int i = 0;

    if (reader->as_stored && reader->pass.width == 1 && image->pitch == reader->pass.pixel) {
        row = image_row(image, y);
        i = png_unfilter_column(raw, reader->up, count, reader->pass.pixel, row);
        raw += (size_t)i * reader->stride;
        row += (size_t)(i > 0 ? i - 1 : 0) * image->pitch;
        reader->up = i > 0 ? row : reader->up;
    }
    for (; i < count; i++, raw += reader->stride) {
        row = reader->as_stored ? image_row(image, y + i) : raw + 1;
        if (!rows_undo(reader->png, &reader->pass, reader->next + (uint32_t)i, raw, reader->up, row,
                       err))
            return false;
        reader->up = row;
        if (!reader->as_stored)
            convert(reader, row, image_row(image, y + i), image->channels);
    }
    reader->given += count;
    reader->next += (uint32_t)count;
    /* Copy it: the caller may change its memory later, and windows are filled again. */
    if (reader->next == (uint32_t)reader->png->header.height)
        return true;
    if (reader->as_stored ? y + count == image->height : reader->given == reader->window->count)
        reader->up = memcpy(reader->last, row, reader->stride - 1);
    return true;
}

/* Reads as many rows as IMAGE has. Damage is found when its row is read; the last row also checks
 * the checksum and that the compressed data ends. */
static bool reader_read(struct reader *reader, const struct image *image, struct error *err)
{
    int count;

    for (int y = 0; y < image->height; y += count) {
        if ((!reader->window || reader->given == reader->window->count) &&
            !next_window(reader, image->height - y, err))
            return false;
        count = reader->window->count - reader->given;
        count = count < image->height - y ? count : image->height - y;
        if (!take_rows(reader, image, y, count, err))
            return false;
    }
    return true;
}

static bool decoder_read(struct source *source, struct image *rows, struct error *err)
{
    struct png_source *state = source->state;

    if (!state->reader && !reader_open(&state->reader, &state->file, source->ahead, err))
        return false;
    if (reader_read(state->reader, rows, err))
        return true;
    reader_close(state->reader); /* stops its thread, which reads the file */
    state->reader = NULL;
    png_chunks_explain(source->input, err);
    return false;
}

static void decoder_close(struct source *source)
{
    struct png_source *state = source->state;

    reader_close(state->reader);
}
#endif

const struct decoder decoder_png = {
    .name = "PNG",
    .recognise = png_recognise,
    .open = decoder_open,
#ifdef HAVE_PNG_ROWS
    .read = decoder_read,
    .close = decoder_close,
#endif
    .read_all = decoder_read_all,
    .state_bytes = sizeof(struct png_source),
};
