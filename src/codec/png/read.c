/* PNG rows as they are asked for. Rows are inflated in windows, small enough
 * for the second cache. Inflating is the longest part of reading that cannot be shared among
 * threads, so a thread of its own may do it ahead, into a ring of windows. The thread that asks for
 * rows undoes their filters; where samples need no other change, straight into its own memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "codec/png/png.h"
#include "codec/zlib/stream.h"

#define WINDOW_BYTES ((size_t)1 << 16)
#define SLOTS_AHEAD  8

struct window {
    uint8_t *rows;
    int count;
    bool ok;
    struct error err; /* unless ok */
};

struct png_reader {
    const struct png_file *png;
    size_t stride;          /* bytes of a row with its filter type */
    int rows;               /* of a window */
    bool as_stored;         /* unfiltered rows are the samples */
    uint8_t colour[256][4]; /* of a palette, with alpha */
    unsigned key[3];        /* tRNS of the other colour types */

    struct zlib_reader *inflate; /* used by the thread that fills windows, as the next two are */
    struct png_pieces pieces;
    uint32_t inflated; /* rows */

    const struct window *window; /* that rows are handed out from, `given` of them so far */
    int given;
    uint32_t next;     /* the picture's row that is undone next */
    const uint8_t *up; /* the row above it, undone */
    uint8_t *last;     /* keeps it where the memory that it lies in may change */

    bool threaded;
    pthread_t thread;
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t changed;
    struct window ring[SLOTS_AHEAD];
    int slots;
    long long filled, emptied; /* windows */
    long long needed;          /* the caller waits until so many are filled; 0: it does not wait */
    bool ended, stopping;
};

static void fill_colours(struct png_reader *reader)
{
    const struct png_file *png = reader->png;

    if (png->header.colour == PNG_PALETTE) {
        for (size_t i = 0; i < (size_t)png->palette_entries; i++) {
            memcpy(reader->colour[i], png->palette + 3 * i, 3);
            reader->colour[i][3] = i < png->transparency_bytes ? png->transparency[i] : 255;
        }
    } else {
        for (size_t i = 0; i < png->transparency_bytes / 2; i++)
            reader->key[i] = png_sample_at(png->transparency, i, 16);
    }
}

/* ---- windows ---- */

static bool inflate_window(struct png_reader *reader, struct window *window)
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

/* The thread: fills windows while there is room, to the last row or the first damage. */
static void *inflate_ahead(void *context)
{
    struct png_reader *reader = context;
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

/* Waits until there is a window. A caller that has to wait at all waits for as many windows as ROWS
 * rows need, up to half the ring: else the threads would take turns at every window. */
static void wait_for_window(struct png_reader *reader, int rows)
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

/* Goes on to the next window; ROWS rows are wanted. */
static bool next_window(struct png_reader *reader, int rows, struct error *err)
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

/* ---- opening ---- */

static bool reader_alloc(struct png_reader *reader)
{
    bool ok = true;

    for (int i = 0; i < reader->slots; i++) {
        reader->ring[i].rows = malloc(reader->stride * (size_t)reader->rows);
        ok = ok && reader->ring[i].rows;
    }
    reader->up = reader->last = calloc(1, reader->stride);
    reader->inflate = zlib_reader_new(png_pieces_next, &reader->pieces);
    return ok && reader->last && reader->inflate;
}

bool png_reader_open(struct png_reader **reader, const struct png_file *png, bool ahead,
                     struct error *err)
{
    struct png_reader *r = *reader = calloc(1, sizeof *r);
    int windows;

    if (!r)
        return error_file(err, png->name, "no memory to read it");
    r->png = png;
    r->stride = (size_t)(png_rows_bytes(&png->header) / (uint64_t)png->header.height);
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
        png_reader_close(r);
        *reader = NULL;
        return error_file(err, png->name, "no memory to read it");
    }
    fill_colours(r);
    /* Without a thread it is done when a window is asked for. */
    r->threaded = r->slots > 1 && pthread_create(&r->thread, NULL, inflate_ahead, r) == 0;
    return true;
}

void png_reader_close(struct png_reader *reader)
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

/* ---- rows ---- */

/* The bytes of 16 bits turned. */
static void convert_wide(const uint8_t *row, uint16_t *to, size_t samples)
{
    for (size_t i = 0; i < samples; i++)
        to[i] = (uint16_t)(row[2 * i] << 8 | row[2 * i + 1]);
}

static void convert_palette(const struct png_reader *reader, const uint8_t *row, uint8_t *to,
                            int channels)
{
    const struct png_header *header = &reader->png->header;

    for (int x = 0; x < header->width; x++, to += channels)
        memcpy(to, reader->colour[png_sample_at(row, (size_t)x, header->depth)], (size_t)channels);
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
                value = png_sample_at(row, (size_t)x * (size_t)stored + (size_t)c, depth);
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

static void convert(const struct png_reader *reader, const uint8_t *row, void *to, int channels)
{
    const struct png_file *png = reader->png;

    if (png->header.colour == PNG_PALETTE)
        convert_palette(reader, row, to, channels);
    else if (png->header.depth == 16 && png->transparency_bytes == 0)
        convert_wide(row, to, (size_t)png->header.width * (size_t)channels);
    else
        convert_samples(reader, row, to, channels);
}

bool png_reader_read(struct png_reader *reader, const struct image *image, struct error *err)
{
    for (int y = 0; y < image->height; y++) {
        uint8_t *raw, *row;
        if ((!reader->window || reader->given == reader->window->count) &&
            !next_window(reader, image->height - y, err))
            return false;
        raw = reader->window->rows + (size_t)reader->given++ * reader->stride;
        row = reader->as_stored ? image_row(image, y) : raw + 1;
        if (!png_rows_undo(reader->png, reader->next++, raw, reader->up, row, err))
            return false;
        reader->up = row;
        if (!reader->as_stored)
            convert(reader, row, image_row(image, y), image->channels);
        /* The caller's memory may change after the last row, the window's may be filled again. */
        if (reader->as_stored ? y == image->height - 1 : reader->given == reader->window->count)
            reader->up = memcpy(reader->last, row, reader->stride - 1);
    }
    return true;
}
