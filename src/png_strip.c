/* Filtering and compressing a strip: see png_strip.h.
 *
 * One filter per strip. A sample of rows tells how many bits a byte will take (entropy)
 * under each filter. Above a threshold the picture is a photograph there: the best filter
 * and a literal-only code. Below it repeats are worth finding, and entropy foretells badly
 * which filter leaves most of them: none, sub and up are all tried, which is quick where
 * there is much to find. */
#include "png_strip.h"

#include <stdlib.h>
#include <string.h>

#include "large_alloc.h"
#include "png_filter.h"
#include "zlib_stream.h"
#include "zlib_strip.h"

/* Bits per filtered byte, times 256, above which looking for repeats does not pay. */
#define LITERALS_ABOVE (5 * 256 / 2)

struct png_worker {
    struct zlib_strip *compressor;
    uint8_t *filtered, *other; /* a strip's rows; another try at compressing them */
    uint8_t sample[PNG_FILTER_SAMPLE];
};

static size_t filtered_bytes(const struct png_shape *shape, int rows)
{
    return (shape->row_bytes + 1) * (size_t)rows;
}

size_t png_strip_bound(const struct png_shape *shape)
{
    return PNG_CHUNK_OVERHEAD + ZLIB_BEGIN_BYTES +
           zlib_strip_bound(filtered_bytes(shape, shape->rows));
}

struct png_worker *png_worker_new(const struct png_shape *shape)
{
    struct png_worker *worker = calloc(1, sizeof *worker);
    size_t bytes = filtered_bytes(shape, shape->rows);

    if (!worker)
        return NULL;
    worker->compressor = zlib_strip_new();
    worker->filtered = large_alloc(bytes);
    worker->other = large_alloc(zlib_strip_bound(bytes));
    if (!worker->compressor || !worker->filtered || !worker->other) {
        png_worker_free(worker);
        return NULL;
    }
    return worker;
}

void png_worker_free(struct png_worker *worker)
{
    if (!worker)
        return;
    if (worker->compressor)
        zlib_strip_free(worker->compressor);
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
    put32(chunk + PNG_CHUNK_HEAD + bytes, zlib_stream_crc32(0, chunk + 4, bytes + 4));
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

/* The best of three filters for finding repeats; the result is at OUT. */
static size_t compress_repeats(struct png_worker *worker, const struct png_shape *shape,
                               struct png_strip *strip, uint8_t *out)
{
    static const int filters[] = {0, 1, 2};
    size_t least = 0, bytes;
    int i;

    for (i = 0; i < 3; i++) {
        filter_rows(worker, shape, strip, filters[i]);
        bytes = zlib_strip_deflate(worker->compressor, ZLIB_REPEATS, worker->filtered,
                                   strip->data_bytes, worker->other);
        if (bytes > 0 && (least == 0 || bytes < least)) {
            memcpy(out, worker->other, bytes);
            least = bytes;
            strip->adler = zlib_strip_adler32(1, worker->filtered, strip->data_bytes);
        }
    }
    return least;
}

static size_t compress_literals(struct png_worker *worker, const struct png_shape *shape,
                                struct png_strip *strip, int filter, uint8_t *out)
{
    filter_rows(worker, shape, strip, filter);
    strip->adler = zlib_strip_adler32(1, worker->filtered, strip->data_bytes);
    return zlib_strip_deflate(worker->compressor, ZLIB_LITERALS, worker->filtered,
                              strip->data_bytes, out);
}

void png_strip_make(struct png_worker *worker, const struct png_shape *shape,
                    struct png_strip *strip)
{
    size_t begin = strip->first ? zlib_strip_begin(strip->chunk + PNG_CHUNK_HEAD) : 0, bytes;
    uint8_t *out = strip->chunk + PNG_CHUNK_HEAD + begin;
    unsigned bits;
    int filter = png_filter_choose(strip->rows + shape->row_bytes, strip->count, shape->row_bytes,
                                   shape->pixel, worker->sample, &bits);

    strip->data_bytes = filtered_bytes(shape, strip->count);
    if (bits > LITERALS_ABOVE)
        bytes = compress_literals(worker, shape, strip, filter, out);
    else
        bytes = compress_repeats(worker, shape, strip, out);
    strip->failed = bytes == 0;
    strip->chunk_bytes = png_chunk_close(strip->chunk, "IDAT", begin + bytes);
}
