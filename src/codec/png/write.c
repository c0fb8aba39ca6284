/* Writing PNG while rows come in: strips of rows (codec/strips.h), each filtered and compressed as
 * fits it. The file's bytes depend on the picture alone. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "codec/png/png.h"
#include "codec/strips.h"
#include "codec/zlib/deflate.h"
#include "codec/zlib/stream.h"

/* Compressors count in 32 bits, and a strip has at least one whole row. */
#define MAX_ROW_BYTES ((size_t)1 << 30)

/* sink->state */
struct writer {
    size_t row_bytes, pixel; /* without the filter type; of one pixel */
    int rows;                /* of a full strip */
    enum png_level level;
    struct strip_maker maker;
    struct strips *strips;
    uint32_t adler; /* of the strips that are written */
};

#define FILTERS      4
#define SAMPLE_BYTES ((size_t)6144)     /* of a strip, tried with each filter */
#define SPAN_BYTES   (SAMPLE_BYTES / 6) /* of one row */

struct worker {
    const struct writer *writer;
    struct deflate_finder *finder; /* NULL until the first use */
    uint8_t *filtered, *other;     /* a strip's filtered rows; output of further tries */
    uint8_t sample[FILTERS][SAMPLE_BYTES];
};

/* How a strip is filtered and compressed. */
struct choice {
    int filter;   /* as in codec/png/png.h */
    bool repeats; /* deflate_repeats, else deflate_literals */
};

static size_t filtered_bytes(const struct writer *writer, int rows)
{
    return (writer->row_bytes + 1) * (size_t)rows;
}

static void worker_free(void *context)
{
    struct worker *worker = context;

    free(worker->finder);
    free(worker->filtered);
    free(worker->other);
    free(worker);
}

static void *worker_new(const struct sink *sink)
{
    const struct writer *writer = sink->state;
    const bool small = writer->level == PNG_LEVEL_SMALL;
    struct worker *worker = calloc(1, sizeof *worker);
    size_t bytes = filtered_bytes(writer, writer->rows);

    if (!worker)
        return NULL;
    worker->writer = writer;
    worker->filtered = large_alloc(bytes);
    worker->other = small ? large_alloc(deflate_bound(bytes)) : NULL;
    if (worker->filtered && (worker->other || !small))
        return worker;
    worker_free(worker);
    return NULL;
}

size_t png_chunk_close(uint8_t *chunk, const char *type, size_t bytes)
{
    memcpy(png_put32(chunk, (uint32_t)bytes), type, 4);
    png_put32(chunk + PNG_CHUNK_HEAD + bytes, zlib_crc32(0, chunk + 4, bytes + 4));
    return bytes + PNG_CHUNK_OVERHEAD;
}

/* ---- choosing ---- */

/* As in codec/png/png.h; the fast ones come first. */
#define UP   0
#define NONE 1
static const int filters[FILTERS] = {[UP] = 2, [NONE] = 0, 4, 1};

/* Filters spans of rows, spread over the strip, with filter F; returns the bytes of the sample. */
static size_t take_sample(struct worker *worker, const struct strip *strip, int f)
{
    size_t bytes = worker->writer->row_bytes, pixel = worker->writer->pixel;
    size_t count = (size_t)strip->count;
    size_t span = bytes < SPAN_BYTES ? bytes : SPAN_BYTES / pixel * pixel, used = 0;
    size_t samples = SAMPLE_BYTES / span;

    if (samples > count)
        samples = count;
    for (size_t s = 0; s < samples; s++, used += span) {
        size_t y = (2 * s + 1) * count / (2 * samples);
        size_t x = (bytes - span) / pixel * s / samples * pixel;
        const uint8_t *up = strip->rows + y * bytes + x;
        png_filter(filters[f], up + bytes, up, span, pixel, worker->sample[f] + used);
    }
    return used;
}

/* Chooses the filter whose entropy is least, that is, the best filter for a code of single bytes.
 * Photographs compress best and fast with such a code. Only if repeats promise a much smaller
 * result are they searched for: behind the filter `up`, which leaves nothing of rows that are equal
 * to the row above, or behind none. Both are fast, and the other two seldom leave more repeats.
 * (PNG_LEVEL_SMALL tries repeats with every filter and does not decide here.) */
static struct choice choose(struct worker *worker, const struct strip *strip)
{
    const bool small = worker->writer->level == PNG_LEVEL_SMALL;
    /* Finding repeats takes up to ten times as long, so at most 4 or 6 eighths of the bits may
     * remain. The sample is small, and repeats save more than it shows. */
    const unsigned eighths = worker->writer->level == PNG_LEVEL_FAST ? 4 : 6;
    unsigned bits[FILTERS], repeats = UINT_MAX, none;
    size_t used;
    int best = UP;

    for (int f = 0; f < FILTERS; f++) {
        used = take_sample(worker, strip, f);
        bits[f] = deflate_literals_estimate(worker->sample[f], used);
        best = bits[f] < bits[best] ? f : best;
        if (f == UP && !small)
            repeats = deflate_repeats_estimate(worker->sample[UP], used, bits[UP]);
        if (f == NONE && repeats <= DEFLATE_LEAST_BITS * eighths / 8)
            break; /* no code of single bytes can be chosen */
    }
    if (small || (repeats > bits[best] * eighths / 8 && best != NONE))
        return (struct choice){.filter = filters[best]};
    none = deflate_repeats_estimate(worker->sample[NONE], used, bits[NONE]);
    if (repeats > bits[best] * eighths / 8 && none > bits[best] * eighths / 8)
        return (struct choice){.filter = filters[best]};
    return (struct choice){.filter = filters[none < repeats ? NONE : UP], .repeats = true};
}

/* ---- making a strip's chunk ---- */

static void filter_rows(const struct worker *worker, const struct strip *strip, int filter)
{
    const struct writer *writer = worker->writer;

    png_filter_rows(filter, strip->rows + writer->row_bytes, strip->count, writer->row_bytes,
                    writer->pixel, worker->filtered);
}

/* Filters and compresses to OUT as CHOICE says; returns the number of bytes, 0: no memory. */
static size_t compress(struct worker *worker, const struct strip *strip, struct choice choice,
                       uint8_t *out)
{
    filter_rows(worker, strip, choice.filter);
    if (!choice.repeats)
        return deflate_literals(worker->filtered, strip->data_bytes, out);
    if (!worker->finder)
        worker->finder = deflate_finder_new();
    if (!worker->finder)
        return 0;
    return deflate_repeats(worker->finder, worker->writer->level == PNG_LEVEL_SMALL,
                           worker->filtered, strip->data_bytes, out);
}

/* OUT holds the chosen form, of BYTES bytes. Tries repeats with every filter, leaves the smallest
 * form at OUT and sets *filter to its filter. */
static size_t compress_all(struct worker *worker, const struct strip *strip, int *filter,
                           uint8_t *out, size_t bytes)
{
    static const int tried[] = {0, 1, 2, 4};

    for (int i = 0; i < FILTERS && bytes > 0; i++) {
        struct choice other = {.filter = tried[i], .repeats = true};
        size_t took = compress(worker, strip, other, worker->other);
        if (took < bytes) { /* 0 means failure; the loop ends and returns it */
            memcpy(out, worker->other, took);
            bytes = took;
            *filter = tried[i];
        }
    }
    return bytes;
}

/* Makes the strip's chunk. */
static bool strip_compress(void *context, struct strip *strip)
{
    struct worker *worker = context;
    size_t begin = strip->number == 0 ? zlib_stream_begin(strip->out + PNG_CHUNK_HEAD) : 0, bytes;
    uint8_t *out = strip->out + PNG_CHUNK_HEAD + begin;
    struct choice choice = choose(worker, strip);

    strip->data_bytes = filtered_bytes(worker->writer, strip->count);
    bytes = compress(worker, strip, choice, out);
    if (worker->writer->level == PNG_LEVEL_SMALL) {
        bytes = compress_all(worker, strip, &choice.filter, out, bytes);
        filter_rows(worker, strip, choice.filter);
    }
    strip->adler = zlib_adler32(1, worker->filtered, strip->data_bytes);
    strip->bytes = png_chunk_close(strip->out, "IDAT", begin + bytes);
    return bytes > 0;
}

static bool strip_write(struct sink *sink, const struct strip *strip, struct error *err)
{
    struct writer *writer = sink->state;

    writer->adler = zlib_adler32_combine(writer->adler, strip->adler, strip->data_bytes);
    return output_write(sink->output, strip->out, strip->bytes, err);
}

/* Copies a row, or several without gaps; 16-bit samples become big-endian. */
static void copy_rows(uint8_t *to, const void *row, size_t bytes, enum sample_type type)
{
    const uint16_t *samples = row;

    if (type == SAMPLE_U8) {
        memcpy(to, row, bytes);
        return;
    }
    for (size_t i = 0; i < bytes / 2; i++) {
        to[2 * i] = (uint8_t)(samples[i] >> 8);
        to[2 * i + 1] = (uint8_t)samples[i];
    }
}

/* ---- metadata ---- */

/* Writes a chunk of the HEAD_BYTES bytes at HEAD and of PART, compressed if PACKED. */
static bool write_chunk(struct sink *sink, const char *type, const void *head, size_t head_bytes,
                        struct metadata_part part, bool packed, struct error *err)
{
    size_t bound = PNG_CHUNK_OVERHEAD + head_bytes + ZLIB_BEGIN_BYTES + deflate_bound(part.size) +
                   ZLIB_END_BYTES;
    struct deflate_finder *finder = packed ? deflate_finder_new() : NULL;
    uint8_t *chunk = malloc(bound), *to = chunk;
    bool ok = chunk && (finder || !packed);

    if (ok) {
        to = (uint8_t *)memcpy(chunk + PNG_CHUNK_HEAD, head, head_bytes) + head_bytes;
        if (packed) {
            to += zlib_stream_begin(to);
            to += deflate_repeats(finder, false, part.bytes, part.size, to);
            to += zlib_stream_end(to, zlib_adler32(1, part.bytes, part.size));
        } else if (part.size > 0) {
            to = (uint8_t *)memcpy(to, part.bytes, part.size) + part.size;
        }
        ok = output_write(sink->output, chunk,
                          png_chunk_close(chunk, type, (size_t)(to - chunk - PNG_CHUNK_HEAD)), err);
    } else {
        sink_no_memory(sink, err);
    }
    free(finder);
    free(chunk);
    return ok;
}

/* Writes chunks of a PNG; EXIF and XMP data may have been changed since their CRCs were made. */
static bool copy_chunks(struct sink *sink, struct metadata_part own, struct error *err)
{
    size_t bytes;

    for (size_t at = 0; at < own.size; at += bytes) {
        char type[5] = "";
        memcpy(type, own.bytes + at + 4, 4);
        bytes = png_chunk_close(own.bytes + at, type, png_get32(own.bytes + at));
    }
    return output_write(sink->output, own.bytes, own.size, err);
}

/* Text is Latin-1 in one kind of chunk and UTF-8 in another, and ends at a zero byte. */
static bool write_comment(struct sink *sink, struct metadata_part comment, struct error *err)
{
    const char *text = (const char *)comment.bytes;
    bool ascii = true, latin;
    size_t at = 0, more;

    comment.size = comment.size > 0 ? strnlen(text, comment.size) : 0;
    for (; at < comment.size; at += more) {
        more = clean_text_character(text + at, comment.size - at);
        ascii &= more == 1;
        if (more == 0) /* not UTF-8 */
            break;
    }
    if (comment.size == 0)
        return true;
    latin = ascii || at < comment.size;
    return write_chunk(sink, latin ? "tEXt" : "iTXt", png_comment_head,
                       latin ? strlen(png_comment_head) + 1 : sizeof png_comment_head, comment,
                       false, err);
}

/* Writes metadata that comes from another format. */
static bool write_metadata(struct sink *sink, const struct metadata *metadata, struct error *err)
{
    static const char profile_head[] = "ICC profile\0"; /* a name; compressed as zlib does it */
    struct density density = metadata_density(metadata->density, DENSITY_METRE);
    struct metadata_part none = {0};
    uint8_t dots[9];

    png_put32(png_put32(dots, density.x), density.y);
    dots[8] = density.unit == DENSITY_METRE;
    return (metadata->icc.size == 0 || write_chunk(sink, "iCCP", profile_head, sizeof profile_head,
                                                   metadata->icc, true, err)) &&
           (density.x == 0 || density.y == 0 ||
            write_chunk(sink, "pHYs", dots, sizeof dots, none, false, err)) &&
           (metadata->exif.size == 0 ||
            write_chunk(sink, "eXIf", "", 0, metadata->exif, false, err)) &&
           (metadata->xmp.size == 0 || write_chunk(sink, "iTXt", png_xmp_head, sizeof png_xmp_head,
                                                   metadata->xmp, false, err)) &&
           write_comment(sink, metadata->comment, err);
}

/* ---- the encoder ---- */

static bool write_header(struct sink *sink, struct error *err)
{
    static const uint8_t colours[] = {0, 4, 2, 6}; /* gray, with alpha, RGB, RGBA */
    const struct image_info *info = &sink->info;
    const struct metadata *metadata = sink->options.metadata;
    uint8_t file[8 + 13 + PNG_CHUNK_OVERHEAD] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    uint8_t *head = file + 8 + PNG_CHUNK_HEAD;

    png_put32(png_put32(head, (uint32_t)info->width), (uint32_t)info->height);
    head[8] = (uint8_t)(8 * (int)info->type);
    head[9] = colours[info->channels - 1];
    png_chunk_close(file + 8, "IHDR", 13);
    if (!output_write(sink->output, file, sizeof file, err))
        return false;
    if (!metadata)
        return true;
    if (sink->given.format == FORMAT_PNG && metadata->own.size > 0)
        return copy_chunks(sink, metadata->own, err);
    return write_metadata(sink, metadata, err);
}

static bool encoder_open(struct sink *sink, struct error *err)
{
    const struct image_info *info = &sink->info;
    size_t pixel = (size_t)info->channels * (size_t)info->type;
    size_t row = (size_t)info->width * pixel;
    struct writer *writer = sink->state;

    if (row > MAX_ROW_BYTES)
        return error_file(
            err, output_name(sink->output),
            "%d x %d pixels: too large for a PNG; .ppm, .pgm and .pam have no such limit",
            info->width, info->height);
    writer->row_bytes = row;
    writer->pixel = pixel;
    writer->rows = strip_rows(sink, row + 1);
    writer->level = sink->options.png_level;
    writer->maker =
        (struct strip_maker){.out_bytes = PNG_CHUNK_OVERHEAD + ZLIB_BEGIN_BYTES +
                                          deflate_bound(filtered_bytes(writer, writer->rows)),
                             .copy = copy_rows,
                             .worker_new = worker_new,
                             .worker_free = worker_free,
                             .compress = strip_compress,
                             .write = strip_write};
    writer->adler = 1;
    writer->strips = strips_new(sink, &writer->maker, writer->rows);
    return writer->strips ? write_header(sink, err) : sink_no_memory(sink, err);
}

static bool encoder_write(struct sink *sink, const struct image *rows, struct error *err)
{
    return strips_add(((struct writer *)sink->state)->strips, rows, err);
}

static bool encoder_finish(struct sink *sink, struct error *err)
{
    struct writer *writer = sink->state;
    uint8_t end[2 * PNG_CHUNK_OVERHEAD + ZLIB_END_BYTES];
    size_t bytes;

    if (!strips_finish(writer->strips, err))
        return false;
    bytes = zlib_stream_end(end + PNG_CHUNK_HEAD, writer->adler);
    bytes = png_chunk_close(end, "IDAT", bytes);
    bytes += png_chunk_close(end + bytes, "IEND", 0);
    return output_write(sink->output, end, bytes, err);
}

static unsigned keeps(const struct metadata *metadata)
{
    return metadata_parts(metadata) |
           (metadata->comment.size > 0 && metadata->texts == 1 ? DROPPED_TEXT : 0U);
}

static void encoder_close(struct sink *sink)
{
    strips_free(((struct writer *)sink->state)->strips);
}

const struct encoder encoder_png = {
    .open = encoder_open,
    .write = encoder_write,
    .finish = encoder_finish,
    .state_bytes = sizeof(struct writer),
    .close = encoder_close,
    .keeps = keeps,
};
