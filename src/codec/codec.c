/* What is the same for every image format: recognising a file, counting rows,
 * handing out rows of decoders that know only whole pictures, and converting
 * rows for the encoder. What each format can hold is codec/formats.c; the formats
 * themselves are codec/png/decoder.c and its siblings, and what they must provide stands
 * in codec/format_row.h. */
#include "codec/format_row.h"

#include <stdlib.h>
#include <string.h>

#include "codec/convert.h"
#include "codec/encode_whole.h"
#include "codec/formats.h"

#define HEAD_BYTES 4096 /* what decoders may look at to recognise their format */

/* Converted rows are made in bands of about this size: they stay in the second
 * cache until the encoder has read them. */
#define BAND_BYTES ((size_t)256 * 1024)

static const struct decoder *const decoders[] = {&decoder_png, &decoder_jpeg, &decoder_bmp,
                                                 &decoder_pnm};

/* ---- reading ---- */

bool source_open(struct source **source, const char *path, struct error *err)
{
    struct source *src = calloc(1, sizeof *src);
    const uint8_t *head;
    size_t bytes, i;

    *source = NULL;
    if (!src)
        return error_set(err, EXIT_INPUT, "%s: no memory to read it", path);
    if (!input_open(&src->input, path, err) ||
        !input_peek(src->input, HEAD_BYTES, &head, &bytes, err))
        goto fail;
    if (bytes == 0) {
        error_set(err, EXIT_INPUT, "%s: %s", input_name(src->input),
                  strcmp(path, "-") == 0 ? "it is empty" : "the file is empty");
        goto fail;
    }
    for (i = 0; i < sizeof decoders / sizeof *decoders && !src->decoder; i++)
        if (decoders[i]->recognise(head, bytes))
            src->decoder = decoders[i];
    if (!src->decoder) {
        error_set(err, EXIT_INPUT, "%s: not a PNG, JPEG, BMP or PNM file", input_name(src->input));
        goto fail;
    }
    if (!src->decoder->open(src, err))
        goto fail;
    *source = src;
    return true;

fail:
    source_close(src);
    return false;
}

const struct image_info *source_info(const struct source *source)
{
    return &source->info;
}

const char *source_warning(const struct source *source)
{
    return source->warning[0] ? source->warning : NULL;
}

struct metadata source_metadata(const struct source *source)
{
    return source->metadata;
}

const char *source_warning_kept(const struct source *source)
{
    return source->metadata.bytes == 0    ? source_warning(source)
           : source->warning_kept[0] != 0 ? source->warning_kept
                                          : NULL;
}

bool source_streams(const struct source *source)
{
    return source->decoder->read && !source->whole;
}

/* True if ROWS has INFO's shape and NEXT more rows of that height are left. */
static bool shape_fits(const struct image_info *info, const struct image *rows, int next)
{
    return rows->width == info->width && rows->channels == info->channels &&
           rows->type == info->type && rows->height >= 1 && rows->height <= info->height - next;
}

void source_read_ahead(struct source *source)
{
    source->ahead = true;
}

bool source_read(struct source *source, struct image *rows, struct error *err)
{
    const struct decoder *decoder = source->decoder;
    int y;

    if (!shape_fits(&source->info, rows, source->next_row))
        return error_set(err, EXIT_INPUT, "%s: %d rows of another shape were asked for at row %d",
                         input_name(source->input), rows->height, source->next_row);
    if (decoder->read && !source->whole) {
        if (!decoder->read(source, rows, err))
            return false;
        source->next_row += rows->height;
        return true;
    }
    if (!source->picture.data && !decoder->read_all(source, &source->picture, err))
        return false;
    for (y = 0; y < rows->height; y++)
        memcpy(image_row(rows, y), image_row(&source->picture, source->next_row + y),
               image_row_bytes(rows));
    source->next_row += rows->height;
    if (source->next_row == source->info.height)
        image_free(&source->picture);
    return true;
}

bool source_read_all(struct source *source, struct image *image, struct error *err)
{
    const struct image_info *info = &source->info;
    const char *name = input_name(source->input);

    memset(image, 0, sizeof *image);
    if (source->next_row != 0)
        return error_set(err, EXIT_INPUT, "%s: was read already", name);
    if (source->decoder->read_all && (source->whole || !source->decoder->read)) {
        if (!source->decoder->read_all(source, image, err))
            return false;
        source->next_row = info->height;
        return true;
    }
    if (!image_alloc(image, info->width, info->height, info->channels, info->type, name, err))
        return false;
    if (source_read(source, image, err))
        return true;
    image_free(image);
    return false;
}

void source_stop(struct source *source)
{
    input_stop(source->input);
}

void source_close(struct source *source)
{
    if (!source)
        return;
    if (source->state)
        source->decoder->close(source);
    image_free(&source->picture);
    input_close(source->input);
    free(source);
}

/* ---- writing ---- */

bool sink_check(const char *path, const struct image_info *info, const struct sink_options *options,
                struct error *err)
{
    struct image_info target;

    return codec_resolve_target(path, info, options, &target, err);
}

bool sink_streams(const char *path, const struct image_info *info,
                  const struct sink_options *options)
{
    struct image_info target;
    struct error ignored;

    return codec_resolve_target(path, info, options, &target, &ignored) &&
           codec_encoder(target.format)->write != encode_whole_write;
}

bool sink_takes_metadata(const char *path, const struct image_info *info,
                         const struct sink_options *options)
{
    struct image_info target;
    struct error ignored;

    return codec_resolve_target(path, info, options, &target, &ignored) &&
           target.format == FORMAT_PNG;
}

/* Frees the sink and, unless it was committed, the output. */
static void sink_free(struct sink *sink)
{
    if (sink->encoder && sink->state)
        sink->encoder->close(sink);
    output_discard(sink->output);
    image_free(&sink->converted);
    free(sink->scale);
    free(sink);
}

/* The band and the table for rows that are not written as they come. */
static bool prepare_conversion(struct sink *sink, struct error *err)
{
    const struct image_info *to = &sink->info;
    size_t row = (size_t)to->width * (size_t)to->channels * (size_t)to->type, rows;

    if (to->channels == sink->given.channels && to->max == sink->given.max)
        return true;
    rows = BAND_BYTES / row;
    rows = rows < 1 ? 1 : (rows > (size_t)to->height ? (size_t)to->height : rows);
    if (!image_alloc(&sink->converted, to->width, (int)rows, to->channels, to->type,
                     output_name(sink->output), err))
        return false;
    if (to->max != sink->given.max)
        sink->scale = codec_scale_table(sink->given.max);
    if (to->max != sink->given.max && !sink->scale)
        return error_set(err, EXIT_INPUT, "%s: no memory to write it", output_name(sink->output));
    return true;
}

bool sink_open(struct sink **sink, const char *path, const struct image_info *info,
               const struct sink_options *options, struct error *err)
{
    struct image_info target;
    struct sink *out;

    *sink = NULL;
    if (!codec_resolve_target(path, info, options, &target, err))
        return false;
    out = calloc(1, sizeof *out);
    if (!out)
        return error_set(err, EXIT_INPUT, "%s: no memory to write it", codec_sentence_name(path));
    out->given = *info;
    out->info = target;
    out->options = *options;
    out->options.format = target.format;
    out->encoder = codec_encoder(target.format);
    if (!output_open(&out->output, path, err) || !prepare_conversion(out, err) ||
        !out->encoder->open(out, err)) {
        sink_free(out);
        return false;
    }
    if (options->sync)
        output_sync(out->output);
    if (options->written)
        output_watch(out->output, options->written);
    *sink = out;
    return true;
}

bool sink_write(struct sink *sink, const struct image *rows, struct error *err)
{
    int y;

    if (!shape_fits(&sink->given, rows, sink->next_row))
        return error_set(err, EXIT_INPUT, "%s: %d rows of another shape were given at row %d",
                         output_name(sink->output), rows->height, sink->next_row);
    if (!sink->converted.data) {
        if (!sink->encoder->write(sink, rows, err))
            return false;
        sink->next_row += rows->height;
        return true;
    }
    for (y = 0; y < rows->height;) {
        int left = rows->height - y;
        struct image band = image_rows(
            &sink->converted, 0, left < sink->converted.height ? left : sink->converted.height);
        struct image part = image_rows(rows, y, band.height);
        codec_convert(&part, &band, sink->scale);
        if (!sink->encoder->write(sink, &band, err))
            return false;
        sink->next_row += band.height;
        y += band.height;
    }
    return true;
}

bool sink_prepare(struct sink *sink)
{
    return output_prepare(sink->output);
}

bool sink_finish(struct sink *sink, struct error *err)
{
    struct output *output = sink->output;
    bool ok = sink->next_row == sink->info.height;

    if (!ok)
        error_set(err, EXIT_INPUT, "%s: only %d of %d rows were given", output_name(output),
                  sink->next_row, sink->info.height);
    ok = ok && sink->encoder->finish(sink, err);
    if (ok) {
        sink->output = NULL; /* committing frees it, also when it fails */
        ok = output_commit(output, err);
    }
    sink_free(sink);
    return ok;
}

void sink_abort(struct sink *sink)
{
    if (sink)
        sink_free(sink);
}
