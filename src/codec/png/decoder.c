/* Reading PNG. codec/png/chunks.c finds the compressed data; this file inflates and checks the rows
 * and converts them to samples, a few at a time. The rows of an interlaced picture come in seven
 * passes, so the picture is held in memory.
 *
 * A picture with missing or damaged parts is refused, never shown in part. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/png/png.h"
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

/* A number of rows, of all passes, and their bytes with their filter types: at most about
 * 2^24 * 2^24 * 8. */
struct extent {
    uint64_t rows, bytes;
};

/* The rows that are complete in the first MOST bytes. UINT64_MAX: all rows. */
static struct extent rows_within(const struct png_header *header, uint64_t most)
{
    struct extent sum = {0};
    bool complete = true;

    for (int i = 0; i < (header->interlaced ? 7 : 1) && complete; i++) {
        struct pass pass = pass_of(header, i);
        uint64_t row = 1 + pass.row_bytes, fit = (most - sum.bytes) / row;
        complete = fit >= pass.height;
        fit = complete ? pass.height : fit;
        sum.rows += fit;
        sum.bytes += fit * row;
    }
    return sum;
}

/* ---- rows on demand ----
 *
 * Rows are inflated, unfiltered, checked and converted to samples, a few at a time.
 *
 * Rows are inflated in windows that fit the L2 cache. Inflating is the longest part of reading that
 * cannot be shared among threads, so a separate thread may inflate ahead, into a ring of windows.
 * The thread that asks for rows undoes their filters; if samples need no conversion, it writes the
 * unfiltered rows straight into the caller's memory. An interlaced picture is read without the
 * thread, one pass after the other (reader_begin). */

#define WINDOW_BYTES ((size_t)1 << 17)
#define SLOTS_AHEAD  8

struct window {
    uint8_t *rows;
    int count;
    bool ok;
    struct error err; /* valid if not ok */
};

struct reader {
    const struct png_file *png;
    struct pass pass;       /* the whole picture, or one pass of it */
    size_t stride;          /* bytes of a row with its filter type */
    int rows;               /* rows of a full window */
    bool as_stored;         /* unfiltered rows need no conversion to samples */
    uint8_t colour[256][4]; /* the palette with alpha */
    unsigned key[3];        /* tRNS for other colour types */

    struct zlib_reader *inflate; /* the filling thread owns this member and the next three */
    struct png_pieces pieces;
    uint64_t inflated, pass_end; /* rows inflated so far; rows up to the end of the pass */
    uint64_t total;              /* rows of all passes */

    const struct window *window; /* rows are taken from it, `given` of them so far */
    int given;
    uint32_t next;     /* the next row of the pass to unfilter */
    const uint8_t *up; /* the unfiltered row above it; zeros above the first row */
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

/* source->state */
struct png_source {
    struct png_file file;
    struct reader reader; /* without `png` until the first row is read */
};

/* ---- opening ---- */

static bool truncated_rows(const struct png_file *png, uint64_t rows, struct error *err)
{
    return error_file(err, png->name, "truncated PNG: %llu of %llu rows", (unsigned long long)rows,
                      (unsigned long long)rows_within(&png->header, UINT64_MAX).rows);
}

/* Refuses a truncated file. The error tells how many rows the file still holds, if any; else it
 * tells where the file ends. */
static bool refuse_truncated(const struct png_file *png, struct error *err)
{
    struct png_pieces pieces = png_pieces_begin(png);
    struct zlib_reader *inflate = zlib_reader_new(png_pieces_next, &pieces);
    uint64_t bytes = rows_within(&png->header, UINT64_MAX).bytes, got = 0;
    const char *why;

    if (inflate)
        zlib_reader_skip(inflate, bytes, &got, &why);
    zlib_reader_free(inflate);
    if (got > 0 && got < bytes)
        return truncated_rows(png, rows_within(&png->header, got).rows, err);
    return error_file(err, png->name, "truncated PNG: %s", png->truncation);
}

static bool decoder_open(struct source *source, struct error *err)
{
    struct metadata *metadata = &source->metadata;
    struct png_source *state = source->state;
    struct png_file *png = &state->file;
    bool turned;

    if (!png_chunks_walk(png, source->input, err))
        return false;
    if (png->truncated)
        return refuse_truncated(png, err);
    if (!png_metadata_take(png, png_channels(png) <= 2, metadata, err))
        return false;
    source->orientation = metadata_exif_upright(metadata->exif.bytes, metadata->exif.size);
    turned = source->orientation >= 5;
    if (turned)
        png_metadata_turn(metadata);
    source_describe(source, turned ? png->header.height : png->header.width,
                    turned ? png->header.width : png->header.height, png_channels(png),
                    png->header.depth == 16 ? 65535 : 255, FORMAT_PNG);
    source->dropped = png->notes.dropped;
    source->lost = png->notes.lost;
    source->whole = png->header.interlaced;
    return rows_within(&png->header, UINT64_MAX).bytes <=
               (uint64_t)png->data_bytes * DEFLATE_MAX_RATIO ||
           error_file(err, png->name,
                      "damaged PNG: %d x %d pixels cannot come out of its %zu bytes of data",
                      png->header.width, png->header.height, png->data_bytes);
}

/* ---- the reader ---- */

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
    uint64_t left = reader->pass_end - reader->inflated;
    struct error *err = &window->err;
    const char *why;
    size_t want, got;
    bool ok;

    window->count = left < (uint64_t)reader->rows ? (int)left : reader->rows;
    want = (size_t)window->count * reader->stride;
    ok = zlib_reader_read(reader->inflate, window->rows, want, &got, &why);
    if (ok && got < want)
        return truncated_rows(reader->png, reader->inflated + got / reader->stride, err);
    reader->inflated += (uint64_t)window->count;
    if (ok && reader->inflated == reader->total)
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
        more = window->ok && reader->inflated < reader->total;
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
    reader->last = large_alloc(reader->stride);
    reader->inflate = zlib_reader_new(png_pieces_next, &reader->pieces);
    return ok && reader->last && reader->inflate;
}

/* Goes to the first row of a pass, whose rows are no longer than the first pass's that began. */
static void reader_begin(struct reader *reader, struct pass pass)
{
    reader->pass = pass;
    reader->stride = 1 + pass.row_bytes;
    reader->pass_end += pass.height;
    reader->window = NULL;
    reader->next = 0;
    reader->up = memset(reader->last, 0, reader->stride);
}

static void reader_close(struct reader *reader)
{
    if (!reader->png)
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
    memset(reader, 0, sizeof *reader);
}

/* AHEAD: a separate thread inflates. */
static bool reader_open(struct reader *r, const struct png_file *png, bool ahead, struct error *err)
{
    struct png_header whole = png->header;
    struct pass pass;
    int windows;

    r->png = png;
    whole.interlaced = false; /* the rows of the whole picture are the longest */
    pass = pass_of(&whole, 0);
    r->stride = 1 + pass.row_bytes;
    r->total = rows_within(&png->header, UINT64_MAX).rows;
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
        return error_file(err, png->name, "no memory to read it");
    }
    fill_colours(r);
    if (png->header.interlaced)
        return true;
    reader_begin(r, pass);
    /* Without a thread, next_window inflates. */
    r->threaded = r->slots > 1 && pthread_create(&r->thread, NULL, inflate_ahead, r) == 0;
    return true;
}

/* Expands samples of few bits to eight bits; a pixel of the colour in tRNS gets alpha 0. */
static void convert_samples(const struct reader *reader, const uint8_t *row, void *to, int channels)
{
    const struct png_header *header = &reader->png->header;
    int stored = png_samples_stored(header), depth = header->depth, c;
    unsigned max = (1U << depth) - 1, full = depth == 16 ? 65535 : 255;
    uint8_t *bytes = to;
    uint16_t *wide = to;
    size_t place = 0;

    for (size_t x = 0; x < reader->pass.width; x++) {
        bool is_key = true;
        for (c = 0; c < channels; c++, place++) {
            unsigned value;
            if (c < stored) {
                value = sample_at(row, x * (size_t)stored + (size_t)c, depth);
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
    const int depth = png->header.depth;
    const size_t pixel = (size_t)channels, width = reader->pass.width;
    uint8_t *bytes = to;
    uint16_t *wide = to;

    if (png->header.colour == PNG_PALETTE)
        for (size_t x = 0; x < width; x++)
            memcpy(bytes + x * pixel, reader->colour[sample_at(row, x, depth)], pixel);
    else if (depth == 16 && png->transparency_bytes == 0)
        for (size_t i = 0; i < width * pixel; i++)
            wide[i] = (uint16_t)(row[2 * i] << 8 | row[2 * i + 1]);
    else
        convert_samples(reader, row, to, channels);
}

/* Reports damage in "row 17", or in "row 17 of pass 3" if the picture is interlaced. */
static bool damaged_row(const struct reader *reader, const char *what, unsigned value,
                        struct error *err)
{
    char of_pass[32] = "";

    if (reader->png->header.interlaced)
        snprintf(of_pass, sizeof of_pass, " of pass %d", reader->pass.number + 1);
    return error_file(err, reader->png->name, "damaged PNG: row %u%s has %s %u",
                      (unsigned)reader->next, of_pass, what, value);
}

/* Undoes the filter of the next row of the pass. RAW begins with the filter type. TO gets the
 * unfiltered row, without a filter type; TO may be RAW + 1 but must not overlap otherwise. Errors:
 * an unknown filter type, or an index beyond the palette. */
static bool undo_row(struct reader *reader, const uint8_t *raw, uint8_t *to, struct error *err)
{
    const struct png_file *png = reader->png;
    const int depth = png->header.depth;
    unsigned largest = 0;

    if (raw[0] > 4)
        return damaged_row(reader, "filter type", raw[0], err);
    png_unfilter(raw[0], raw + 1, reader->up, reader->pass.row_bytes, reader->pass.pixel, to);
    /* Indices need no check if the palette has an entry for each of them. Padding bits in the last
     * byte are ignored. */
    if (png->header.colour == PNG_PALETTE && png->palette_entries < 1 << depth) {
        for (uint32_t x = 0; x < reader->pass.width; x++) {
            unsigned index = sample_at(to, x, depth);
            largest = index > largest ? index : largest;
        }
        if (largest >= (unsigned)png->palette_entries)
            return damaged_row(reader, "a colour that its palette lacks:", largest, err);
    }
    reader->up = to;
    reader->next++;
    return true;
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
        reader->next += (uint32_t)i;
    }
    for (; i < count; i++, raw += reader->stride) {
        row = reader->as_stored ? image_row(image, y + i) : raw + 1;
        if (!undo_row(reader, raw, row, err))
            return false;
        if (!reader->as_stored)
            convert(reader, row, image_row(image, y + i), image->channels);
    }
    reader->given += count;
    /* Copy it: the caller may change its memory later, and windows are filled again. */
    if (reader->next == reader->pass.height)
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

/* Ends reading with the error in *err, and improves on it. */
static bool reading_failed(struct source *source, struct error *err)
{
    struct png_source *state = source->state;

    reader_close(&state->reader); /* stops its thread, which reads the file */
    png_chunks_explain(source->input, err);
    return false;
}

static void decoder_ahead(struct source *source)
{
    struct png_source *state = source->state;
    struct error ignored; /* decoder_read tries again and reports it */

    if (!state->reader.png)
        reader_open(&state->reader, &state->file, true, &ignored);
}

static bool decoder_read(struct source *source, struct image *rows, struct error *err)
{
    struct png_source *state = source->state;

    if (!state->reader.png && !reader_open(&state->reader, &state->file, false, err))
        return false;
    return reader_read(&state->reader, rows, err) || reading_failed(source, err);
}

/* ---- interlaced pictures ---- */

/* Puts COUNT pixels to places STEP bytes apart. Callers pass a constant PIXEL. */
INLINE void spread(const uint8_t *from, uint32_t count, size_t pixel, uint8_t *to, size_t step)
{
    for (; count > 0; count--, from += pixel, to += step)
        memcpy(to, from, pixel);
}

/* Puts a row of a pass to its places in the picture's row. */
static void weave(const struct pass *pass, const void *row, size_t pixel, uint8_t *to)
{
    const size_t step = adam7[pass->number].step_x * pixel;

    to += adam7[pass->number].x * pixel;
    if (step == pixel)
        memcpy(to, row, pass->width * pixel);
    else
        FOR_PIXEL(pixel, spread(row, pass->width, PIXEL, to, step));
}

/* Reads a pass into IMAGE; ROWS is memory for some rows of samples. */
static bool read_pass(struct reader *reader, struct pass pass, struct image rows,
                      const struct image *image, struct error *err)
{
    const int room = rows.height;

    reader_begin(reader, pass);
    rows.width = (int)pass.width;
    rows.pitch = image_row_bytes(&rows);
    for (uint32_t y = 0; y < pass.height; y += (uint32_t)rows.height) {
        uint32_t left = pass.height - y;
        rows.height = left < (uint32_t)room ? (int)left : room;
        if (!reader_read(reader, &rows, err))
            return false;
        for (int i = 0; i < rows.height; i++) {
            int to = adam7[pass.number].y + ((int)y + i) * adam7[pass.number].step_y;
            weave(&pass, image_row(&rows, i), (size_t)rows.channels * rows.type,
                  image_row(image, to));
        }
    }
    return true;
}

/* Only for interlaced pictures. */
static bool decoder_read_all(struct source *source, struct image *image, struct error *err)
{
    struct png_source *state = source->state;
    const struct png_file *png = &state->file;
    const struct image_info *info = &source->info;
    struct image rows = {0};
    bool ok = image_alloc(image, png->header.width, png->header.height, info->channels, info->type,
                          png->name, err) &&
              reader_open(&state->reader, png, false, err) &&
              image_alloc(&rows, png->header.width, state->reader.rows, info->channels, info->type,
                          png->name, err);

    for (int i = 0; i < 7 && ok; i++) {
        struct pass pass = pass_of(&png->header, i);
        if (pass.height > 0 && !read_pass(&state->reader, pass, rows, image, err))
            ok = reading_failed(source, err);
    }
    image_free(&rows);
    if (!ok)
        image_free(image);
    return ok;
}

static void decoder_close(struct source *source)
{
    reader_close(&((struct png_source *)source->state)->reader);
}

const struct decoder decoder_png = {
    .name = "PNG",
    .recognise = png_recognise,
    .open = decoder_open,
    .ahead = decoder_ahead,
    .read = decoder_read,
    .close = decoder_close,
    .read_all = decoder_read_all,
    .state_bytes = sizeof(struct png_source),
};
