/* Writing image files: converts rows to what the format can hold (fewer or more channels, another
 * maximum), gathers rows for encoders of whole pictures, counts rows, and commits the output.
 * codec/formats.c decides what a format can hold, the encoders make its bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "codec/format.h"

/* ---- conversion ---- */

uint32_t codec_scaled_max(uint32_t max)
{
    return max < 256 ? 255 : 65535;
}

uint16_t *codec_scale_table(uint32_t max)
{
    uint32_t full = codec_scaled_max(max), v;
    uint16_t *table = malloc((full + 1) * sizeof *table);

    /* floor((2vM + max) / 2max): 2 * 65535 * 65535 needs 64 bits. */
    for (v = 0; table && v <= full; v++)
        table[v] =
            (uint16_t)(v < max ? (2 * (uint64_t)v * full + max) / (2 * (uint64_t)max) : full);
    return table;
}

static void scale_row(void *row, size_t samples, enum sample_type type, const uint16_t *scale)
{
    if (type == SAMPLE_U8)
        for (size_t i = 0; i < samples; i++)
            ((uint8_t *)row)[i] = (uint8_t)scale[((uint8_t *)row)[i]];
    else
        for (size_t i = 0; i < samples; i++)
            ((uint16_t *)row)[i] = scale[((uint16_t *)row)[i]];
}

/* Changes the number of channels: byte b of an output pixel is byte FROM[b] of the input pixel. */
static void map_row(const uint8_t *in, size_t in_pixel, uint8_t *out, size_t out_pixel,
                    size_t width, const size_t from[8])
{
    for (size_t x = 0; x < width; x++, in += in_pixel, out += out_pixel)
        for (size_t b = 0; b < out_pixel; b++)
            out[b] = in[from[b]];
}

void codec_convert(const struct image *in, const struct image *out, const uint16_t *scale)
{
    const size_t sample = (size_t)in->type, alpha = (size_t)in->channels - 1;
    size_t from[8];

    /* Colours keep their positions, or all come from gray; alpha is the last channel. (Two channels
     * are never made from another number of channels.) */
    for (size_t b = 0; b < 4 * sample; b++) {
        size_t c = b / sample;
        from[b] = (c == 3 ? alpha : alpha < 2 ? 0 : c) * sample + b % sample;
    }
    /* Without gaps, all rows form one long row. */
    const bool whole = in->pitch == image_row_bytes(in) && out->pitch == image_row_bytes(out);
    const size_t pixels = (size_t)in->width * (whole ? (size_t)in->height : 1);
    for (int y = 0; y < (whole ? 1 : in->height); y++) {
        void *row = image_row(out, y);
        if (in->channels == out->channels)
            memcpy(row, image_row(in, y), pixels * (size_t)in->channels * sample);
        else
            map_row(image_row(in, y), (size_t)in->channels * sample, row,
                    (size_t)out->channels * sample, pixels, from);
        if (scale)
            scale_row(row, pixels * (size_t)out->channels, out->type, scale);
    }
}

/* ---- opening ---- */

/* The row of the output's format; NULL if it cannot hold the picture. */
static const struct format_row *target_row(const char *path, const struct image_info *info,
                                           const struct sink_options *options, struct error *err)
{
    struct image_info target;

    return format_resolve(path, info, options, &target, err) ? format_row(target.format) : NULL;
}

bool sink_check(const char *path, const struct image_info *info, const struct sink_options *options,
                struct error *err)
{
    return target_row(path, info, options, err) != NULL;
}

bool sink_streams(const char *path, const struct image_info *info,
                  const struct sink_options *options)
{
    struct error ignored;
    const struct format_row *row = target_row(path, info, options, &ignored);

    return row && !row->encoder->make;
}

enum format sink_format(const char *path, const struct image_info *info,
                        const struct sink_options *options)
{
    struct image_info target;
    struct error ignored;

    return format_resolve(path, info, options, &target, &ignored) ? target.format : FORMAT_NONE;
}

/* Frees the sink and, unless it was committed, the output. */
static void sink_free(struct sink *sink)
{
    if (sink->state && sink->encoder->close)
        sink->encoder->close(sink);
    free(sink->state);
    output_discard(sink->output);
    image_free(&sink->converted);
    image_free(&sink->gathered);
    free(sink->scale);
    free(sink);
}

bool sink_no_memory(const struct sink *sink, struct error *err)
{
    return error_file(err, output_name(sink->output), "no memory to write %d x %d pixels",
                      sink->info.width, sink->info.height);
}

/* Converted rows stay in a cache until they are encoded. */
#define CONVERTED_SAMPLES ((size_t)32 * 1024)

/* Allocates the rows and the table for a conversion, if one is needed. */
static bool prepare_conversion(struct sink *sink, struct error *err)
{
    const struct image_info *to = &sink->info;
    const size_t most = CONVERTED_SAMPLES / ((size_t)to->width * (size_t)to->channels);
    const int rows = most < 1 ? 1 : most < (size_t)to->height ? (int)most : to->height;

    if (to->channels == sink->given.channels && to->max == sink->given.max)
        return true;
    if (!image_alloc(&sink->converted, to->width, rows, to->channels, to->type,
                     output_name(sink->output), err))
        return false;
    if (to->max != sink->given.max)
        sink->scale = codec_scale_table(sink->given.max);
    return to->max == sink->given.max || sink->scale || sink_no_memory(sink, err);
}

static bool allocate_state(struct sink *sink, struct error *err)
{
    size_t bytes = sink->encoder->state_bytes;

    sink->state = bytes > 0 ? calloc(1, bytes) : NULL;
    return bytes == 0 || sink->state || sink_no_memory(sink, err);
}

/* The file that the last page was written to, or a new one. */
static struct sink *open_file(const char *path, const struct sink_options *options,
                              enum format format, struct error *err)
{
    struct sink *out = options->pages ? options->pages->sink : NULL;

    if (out) {
        options->pages->sink = NULL;
        return out;
    }
    out = calloc(1, sizeof *out);
    if (!out)
        error_file(err, codec_sentence_name(path), "no memory to write it");
    if (out)
        out->encoder = format_row(format)->encoder;
    if (out && output_open(&out->output, path, err) && allocate_state(out, err))
        return out;
    sink_abort(out);
    return NULL;
}

bool sink_open(struct sink **sink, const char *path, const struct image_info *info,
               const struct sink_options *options, struct error *err)
{
    struct image_info target;
    struct sink *out;

    *sink = NULL;
    if (!format_resolve(path, info, options, &target, err))
        return false;
    out = open_file(path, options, target.format, err);
    if (!out)
        return false;
    out->next_row = 0;
    out->given = *info;
    out->info = target;
    out->options = *options;
    out->options.format = target.format;
    if (!prepare_conversion(out, err) || (out->encoder->open && !out->encoder->open(out, err))) {
        sink_free(out);
        return false;
    }
    output_watch(out->output, options->sync, options->written);
    *sink = out;
    return true;
}

/* ---- rows ---- */

/* Encodes IMAGE, the whole picture, and writes the file. */
static bool write_whole(struct sink *sink, const struct image *image, struct error *err)
{
    size_t bytes = 0;
    uint8_t *file = sink->encoder->make(image, &sink->options, &bytes);
    bool ok = file ? output_write(sink->output, file, bytes, err) : sink_no_memory(sink, err);

    free(file);
    return ok;
}

/* Keeps rows for encoder->make. A picture that comes in one call is encoded without a copy. */
static bool gather(struct sink *sink, const struct image *rows, struct error *err)
{
    const struct image_info *info = &sink->info;
    struct image *all = &sink->gathered;
    size_t row = image_row_bytes(rows);

    if (rows->height == info->height && rows->pitch == row)
        return write_whole(sink, rows, err);
    if (!all->data) {
        *all = (struct image){info->width, info->height, info->channels, row, info->type, NULL};
        all->data = large_alloc(row * (size_t)info->height);
    }
    if (!all->data)
        return sink_no_memory(sink, err);
    for (int y = 0; y < rows->height; y++)
        memcpy(image_row(all, sink->next_row + y), image_row(rows, y), row);
    return sink->next_row + rows->height < info->height || write_whole(sink, all, err);
}

/* Passes rows to the encoder, which can hold them. */
static bool encode(struct sink *sink, const struct image *rows, struct error *err)
{
    if (sink->encoder->make ? !gather(sink, rows, err) : !sink->encoder->write(sink, rows, err))
        return false;
    sink->next_row += rows->height;
    return true;
}

bool sink_write(struct sink *sink, const struct image *rows, struct error *err)
{
    if (!image_info_fits(&sink->given, rows, sink->next_row))
        return error_file(err, output_name(sink->output),
                          "%d rows of another shape were given at row %d", rows->height,
                          sink->next_row);
    if (!sink->converted.data)
        return encode(sink, rows, err);
    for (int y = 0, count; y < rows->height; y += count) {
        int left = rows->height - y;
        count = left < sink->converted.height ? left : sink->converted.height;
        struct image from = image_rows(rows, y, count);
        struct image to = image_rows(&sink->converted, 0, count);
        codec_convert(&from, &to, sink->scale);
        if (!encode(sink, &to, err))
            return false;
    }
    return true;
}

bool sink_finish(struct sink *sink, struct error *err)
{
    struct output *output = sink->output;
    bool ok = sink->next_row == sink->info.height;

    if (!ok)
        error_file(err, output_name(output), "only %d of %d rows were given", sink->next_row,
                   sink->info.height);
    ok = ok && (!sink->encoder->finish || sink->encoder->finish(sink, err));
    if (ok && sink_has_more(sink)) {
        image_free(&sink->converted);
        free(sink->scale);
        sink->scale = NULL;
        sink->options.pages->sink = sink;
        return output_end_page(sink->output, err);
    }
    if (ok) {
        sink->output = NULL; /* committing frees the output, even on failure */
        ok = output_commit(output, err);
    }
    sink_free(sink);
    return ok;
}

bool sink_finish_page(struct sink *sink, struct source *source, struct error *err)
{
    struct sink_pages *pages = sink->options.pages;

    /* The question may wait for the next page, so this one goes out before. */
    if (pages && source_is_stream(source) && !output_end_page(sink->output, err)) {
        sink_free(sink);
        return false;
    }
    if (pages)
        pages->more = source_has_more(source, sink->info.format);
    return sink_finish(sink, err);
}

void sink_abort(struct sink *sink)
{
    if (sink)
        sink_free(sink);
}
