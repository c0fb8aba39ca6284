/* One strip of a PNG on its way out: its rows are filtered, compressed and become an IDAT chunk.
 * One filter per strip, and one way of compressing it, both chosen by a sample of the strip; with
 * PNG_LEVEL_SMALL whatever comes out smallest. */
#include "codec/png/strip.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/png/bytes.h"
#include "codec/png/filter.h"
#include "codec/zlib/deflate.h"
#include "codec/zlib/stream.h"

#define FILTERS      4
#define SAMPLE_BYTES ((size_t)12288)    /* of a strip, looked at under each filter */
#define SPAN_BYTES   (SAMPLE_BYTES / 6) /* of one row */

/* Of any code of single bytes, times 256. */
#define LEAST_BITS 256

struct png_worker {
    struct deflate_finder *finder; /* NULL until it is needed */
    uint8_t *filtered, *other;     /* a strip's rows; another try at compressing them */
    uint8_t sample[FILTERS][SAMPLE_BYTES];
};

/* How a strip is filtered and compressed. */
struct choice {
    int filter;   /* see codec/png/filter.h */
    bool repeats; /* deflate_repeats, else deflate_literals */
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

size_t png_chunk_close(uint8_t *chunk, const char *type, size_t bytes)
{
    memcpy(png_put32(chunk, (uint32_t)bytes), type, 4);
    png_put32(chunk + PNG_CHUNK_HEAD + bytes, zlib_crc32(0, chunk + 4, bytes + 4));
    return bytes + PNG_CHUNK_OVERHEAD;
}

/* ---- choosing ---- */

static const int filters[FILTERS] = {4, 1, 2, 0};

/* Finding repeats takes up to ten times as long: it has to save so much, in eighths. The sample
 * is small, and repeats come out better than it says. */
static unsigned worth(enum png_level level)
{
    return level == PNG_LEVEL_FAST ? 4 : 6;
}

/* Spans of rows, spread over the strip down and across, under each filter; how many bytes. */
static size_t take_samples(struct png_worker *worker, const struct png_shape *shape,
                           const struct png_strip *strip)
{
    size_t bytes = shape->row_bytes, pixel = shape->pixel, count = (size_t)strip->count;
    size_t span = bytes < SPAN_BYTES ? bytes : SPAN_BYTES / pixel * pixel, used = 0;
    size_t samples = SAMPLE_BYTES / span;

    if (samples > count)
        samples = count;
    for (size_t s = 0; s < samples; s++, used += span) {
        size_t y = (2 * s + 1) * count / (2 * samples);
        size_t x = (bytes - span) / pixel * s / samples * pixel;
        const uint8_t *up = strip->rows + y * bytes + x;
        for (int f = 0; f < FILTERS; f++)
            png_filter(filters[f], up + bytes, up, span, pixel, worker->sample[f] + used);
    }
    return used;
}

/* The filter that leaves the least for a code of single bytes is found by its entropy. Photographs
 * are best served so, and soon done. Only where repeats promise much more than that are they
 * looked for, and then the filter is the one that leaves most of them. (PNG_LEVEL_SMALL tries
 * repeats under every filter, and does not ask here.) */
static struct choice choose(struct png_worker *worker, const struct png_shape *shape,
                            const struct png_strip *strip)
{
    size_t used = take_samples(worker, shape, strip);
    unsigned bits[FILTERS], least;
    struct choice choice = {0};
    int best = 0;

    for (int f = 0; f < FILTERS; f++) {
        uint32_t histogram[256] = {0};
        deflate_count(worker->sample[f], used, histogram);
        bits[f] = deflate_literals_estimate(histogram);
        if (bits[f] < LEAST_BITS)
            bits[f] = LEAST_BITS;
        best = bits[f] < bits[best] ? f : best;
    }
    choice.filter = filters[best];
    if (shape->level == PNG_LEVEL_SMALL)
        return choice;
    least = deflate_repeats_estimate(worker->sample[best], used, bits[best]);
    if (least * 8 > bits[best] * worth(shape->level))
        return choice;
    choice.repeats = true;
    for (int f = 0; f < FILTERS; f++) {
        unsigned took = deflate_repeats_estimate(worker->sample[f], used, bits[f]);
        if (took < least) {
            least = took;
            choice.filter = filters[f];
        }
    }
    return choice;
}

/* ---- making a strip's chunk ---- */

static void filter_rows(const struct png_worker *worker, const struct png_shape *shape,
                        const struct png_strip *strip, int filter)
{
    const uint8_t *row = strip->rows + shape->row_bytes;
    uint8_t *to = worker->filtered;

    for (int y = 0; y < strip->count; y++) {
        *to = (uint8_t)filter;
        png_filter(filter, row, row - shape->row_bytes, shape->row_bytes, shape->pixel, to + 1);
        to += 1 + shape->row_bytes;
        row += shape->row_bytes;
    }
}

/* Filters and compresses as CHOICE says to OUT; returns how many bytes, 0: no memory. */
static size_t compress(struct png_worker *worker, const struct png_shape *shape,
                       const struct png_strip *strip, struct choice choice, uint8_t *out)
{
    static const enum deflate_effort effort[] = {[PNG_LEVEL_FAST] = DEFLATE_FAST,
                                                 [PNG_LEVEL_DEFAULT] = DEFLATE_DEFAULT,
                                                 [PNG_LEVEL_SMALL] = DEFLATE_SMALL};

    filter_rows(worker, shape, strip, choice.filter);
    if (!choice.repeats)
        return deflate_literals(worker->filtered, strip->data_bytes, out);
    if (!worker->finder)
        worker->finder = deflate_finder_new();
    if (!worker->finder)
        return 0;
    return deflate_repeats(worker->finder, effort[shape->level], worker->filtered,
                           strip->data_bytes, out);
}

/* OUT holds the chosen form, of BYTES bytes. Tries repeats under every filter too, leaves the
 * smallest form at OUT and sets *filter to its filter. */
static size_t compress_all(struct png_worker *worker, const struct png_shape *shape,
                           const struct png_strip *strip, int *filter, uint8_t *out, size_t bytes)
{
    static const int tried[] = {0, 1, 2, 4};

    for (int i = 0; i < FILTERS && bytes > 0; i++) {
        struct choice other = {.filter = tried[i], .repeats = true};
        size_t took = compress(worker, shape, strip, other, worker->other);
        if (took < bytes) { /* 0 is a failure, and is returned too */
            memcpy(out, worker->other, took);
            bytes = took;
            *filter = tried[i];
        }
    }
    return bytes;
}

void png_strip_make(struct png_worker *worker, const struct png_shape *shape,
                    struct png_strip *strip)
{
    size_t begin = strip->first ? zlib_stream_begin(strip->chunk + PNG_CHUNK_HEAD) : 0, bytes;
    uint8_t *out = strip->chunk + PNG_CHUNK_HEAD + begin;
    struct choice choice = choose(worker, shape, strip);

    strip->data_bytes = filtered_bytes(shape, strip->count);
    bytes = compress(worker, shape, strip, choice, out);
    if (shape->level == PNG_LEVEL_SMALL) {
        bytes = compress_all(worker, shape, strip, &choice.filter, out, bytes);
        filter_rows(worker, shape, strip, choice.filter);
    }
    strip->adler = zlib_adler32(1, worker->filtered, strip->data_bytes);
    strip->failed = bytes == 0;
    strip->chunk_bytes = png_chunk_close(strip->chunk, "IDAT", begin + bytes);
}
