/* Filtering and compressing a strip: see codec/png/strip.h. One filter per strip, and one way of
 * compressing it, both by codec/png/choose.c; with PNG_LEVEL_SMALL whatever comes out smallest. */
#include "codec/png/strip.h"

#include <stdlib.h>
#include <string.h>

#include "base/large_alloc.h"
#include "codec/png/filter.h"
#include "codec/zlib/deflate.h"
#include "codec/zlib/stream.h"

struct png_worker {
    struct deflate_finder *finder; /* NULL until it is needed */
    uint8_t *filtered, *other;     /* a strip's rows; another try at compressing them */
    uint8_t scratch[PNG_CHOOSE_SCRATCH];
};

static size_t filtered_bytes(const struct png_shape *shape, int rows)
{
    return (shape->row_bytes + 1) * (size_t)rows;
}

size_t png_strip_bound(const struct png_shape *shape)
{
    return PNG_CHUNK_OVERHEAD + ZLIB_BEGIN_BYTES +
           deflate_bound(filtered_bytes(shape, shape->rows));
}

struct png_worker *png_worker_new(const struct png_shape *shape)
{
    struct png_worker *worker = malloc(sizeof *worker);
    size_t bytes = filtered_bytes(shape, shape->rows);
    bool small = shape->level == PNG_LEVEL_SMALL;

    if (!worker)
        return NULL;
    worker->finder = NULL;
    worker->filtered = large_alloc(bytes);
    worker->other = small ? large_alloc(deflate_bound(bytes)) : NULL;
    if (!worker->filtered || (small && !worker->other)) {
        png_worker_free(worker);
        return NULL;
    }
    return worker;
}

void png_worker_free(struct png_worker *worker)
{
    if (!worker)
        return;
    free(worker->finder);
    free(worker->filtered);
    free(worker->other);
    free(worker);
}

static uint8_t *put32(uint8_t *to, uint32_t value)
{
    int i;

    for (i = 0; i < 4; i++)
        *to++ = (uint8_t)(value >> (24 - 8 * i));
    return to;
}

size_t png_chunk_close(uint8_t *chunk, const char *type, size_t bytes)
{
    memcpy(put32(chunk, (uint32_t)bytes), type, 4);
    put32(chunk + PNG_CHUNK_HEAD + bytes, zlib_crc32(0, chunk + 4, bytes + 4));
    return bytes + PNG_CHUNK_OVERHEAD;
}

static void filter_rows(const struct png_worker *worker, const struct png_shape *shape,
                        const struct png_strip *strip, int filter)
{
    const uint8_t *row = strip->rows + shape->row_bytes;
    uint8_t *to = worker->filtered;
    int y;

    for (y = 0; y < strip->count; y++) {
        *to = (uint8_t)filter;
        png_filter(filter, row, row - shape->row_bytes, shape->row_bytes, shape->pixel, to + 1);
        to += 1 + shape->row_bytes;
        row += shape->row_bytes;
    }
}

/* Filters and compresses as CHOICE says to OUT; returns how many bytes, 0: no memory. */
static size_t compress(struct png_worker *worker, const struct png_shape *shape,
                       const struct png_strip *strip, const struct png_choice *choice, uint8_t *out)
{
    static const enum deflate_effort effort[] = {[PNG_LEVEL_FAST] = DEFLATE_FAST,
                                                 [PNG_LEVEL_DEFAULT] = DEFLATE_DEFAULT,
                                                 [PNG_LEVEL_SMALL] = DEFLATE_SMALL};

    filter_rows(worker, shape, strip, choice->filter);
    if (!choice->repeats)
        return deflate_literals(worker->filtered, strip->data_bytes, out);
    if (!worker->finder)
        worker->finder = deflate_finder_new();
    if (!worker->finder)
        return 0;
    return deflate_repeats(worker->finder, effort[shape->level], worker->filtered,
                           strip->data_bytes, out);
}

/* Besides what was chosen, which is at OUT in BYTES bytes, repeats under every filter. Leaves the
 * smallest at OUT and sets *filter to its filter. */
static size_t compress_all(struct png_worker *worker, const struct png_shape *shape,
                           const struct png_strip *strip, int *filter, uint8_t *out, size_t bytes)
{
    static const int filters[] = {0, 1, 2, 4};
    int i;

    for (i = 0; i < 4 && bytes > 0; i++) {
        struct png_choice other = {.filter = filters[i], .repeats = true};
        size_t took;
        took = compress(worker, shape, strip, &other, worker->other);
        if (took < bytes) { /* or 0, which is to be seen too */
            memcpy(out, worker->other, took);
            bytes = took;
            *filter = filters[i];
        }
    }
    return bytes;
}

void png_strip_make(struct png_worker *worker, const struct png_shape *shape,
                    struct png_strip *strip)
{
    size_t begin = strip->first ? zlib_stream_begin(strip->chunk + PNG_CHUNK_HEAD) : 0, bytes;
    uint8_t *out = strip->chunk + PNG_CHUNK_HEAD + begin;
    struct png_choice choice;

    png_choose(&choice, shape->level, strip->rows + shape->row_bytes, strip->count,
               shape->row_bytes, shape->pixel, worker->scratch);
    strip->data_bytes = filtered_bytes(shape, strip->count);
    bytes = compress(worker, shape, strip, &choice, out);
    if (shape->level == PNG_LEVEL_SMALL) {
        bytes = compress_all(worker, shape, strip, &choice.filter, out, bytes);
        filter_rows(worker, shape, strip, choice.filter);
    }
    strip->adler = zlib_adler32(1, worker->filtered, strip->data_bytes);
    strip->failed = bytes == 0;
    strip->chunk_bytes = png_chunk_close(strip->chunk, "IDAT", begin + bytes);
}
