/* Reading image files: opens a file with its format's decoder, counts rows, hands out rows of
 * decoders that know only whole pictures, and names metadata that is not kept. The formats
 * themselves are codec/png/decoder.c and its siblings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/format.h"

#define HEAD_BYTES 4096 /* decoders may look at so many bytes to recognise their format */

/* ---- what is dropped ---- */

/* Writes "in.png: ICC profile and EXIF data are not kept" to TEXT; "" if DROPPED is 0. */
static void describe_dropped(unsigned dropped, const char *name, char *text, size_t bytes)
{
    static const struct {
        unsigned bit;
        const char *name;
        bool plural;
    } table[] = {
        {DROPPED_ICC, "ICC profile", false},
        {DROPPED_EXIF, "EXIF data", true},
        {DROPPED_XMP, "XMP data", true},
        {DROPPED_IPTC, "IPTC data", true},
        {DROPPED_GAMMA, "gamma", false},
        {DROPPED_COLOURS, "colour space", false},
        {DROPPED_FRAMES, "animation frames", true},
    };
    bool plural = (dropped & (dropped - 1)) != 0; /* more than one */
    char list[128] = "";

    text[0] = '\0';
    if (dropped == 0)
        return;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (dropped & table[i].bit) {
            dropped &= ~table[i].bit;
            format_append_word(list, sizeof list, table[i].name, dropped != 0, " and ");
            plural |= table[i].plural;
        }
    snprintf(text, bytes, "%s: %s %s not kept", name, list, plural ? "are" : "is");
}

/* ---- opening ---- */

static bool open_file(struct source *source, const char *path, struct error *err)
{
    const uint8_t *head;
    const char *name;
    size_t bytes;

    if (!input_open(&source->input, path, err) ||
        !input_peek(source->input, HEAD_BYTES, &head, &bytes, err))
        return false;
    name = input_name(source->input);
    if (bytes == 0)
        return error_file(err, name, "%s",
                          strcmp(path, "-") == 0 ? "it is empty" : "the file is empty");
    source->decoder = format_recognise(head, bytes, path, name, err);
    if (!source->decoder)
        return false;
    source->state = calloc(1, source->decoder->state_bytes);
    if (!source->state)
        return error_file(err, name, "no memory to read it");
    return source->decoder->open(source, err);
}

bool source_open(struct source **source, const char *path, struct error *err)
{
    *source = calloc(1, sizeof **source);
    if (!*source)
        return error_file(err, path, "no memory to read it");
    if (open_file(*source, path, err))
        return true;
    source_close(*source);
    *source = NULL;
    return false;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    if (source->state && source->decoder->close)
        source->decoder->close(source);
    free(source->state);
    free(source->metadata.own.bytes);
    free(source->metadata.icc.bytes);
    image_free(&source->picture);
    input_close(source->input);
    free(source);
}

const struct image_info *source_info(const struct source *source)
{
    return &source->info;
}

const char *source_warning(struct source *source, enum format output)
{
    const struct metadata *metadata = &source->metadata;
    const struct encoder *encoder = format_row(output)->encoder;
    unsigned lost = source->dropped;

    if (output == source->info.format && metadata->own.size > 0)
        lost = source->lost;
    else if (encoder && encoder->keeps)
        lost &= ~encoder->keeps(metadata);
    if (source->dropped != 0)
        describe_dropped(lost, input_name(source->input), source->warning, sizeof source->warning);
    return source->warning[0] ? source->warning : NULL;
}

const struct metadata *source_metadata(const struct source *source)
{
    return &source->metadata;
}

uint64_t source_held(const struct source *source)
{
    return source->held;
}

/* ---- rows ---- */

bool source_streams(const struct source *source)
{
    return source->decoder->read && !source->whole;
}

void source_read_ahead(struct source *source)
{
    source->ahead = true;
}

void source_stop(struct source *source)
{
    input_stop(source->input);
}

bool source_read(struct source *source, struct image *rows, struct error *err)
{
    const struct decoder *decoder = source->decoder;

    if (!image_info_fits(&source->info, rows, source->next_row))
        return error_file(err, input_name(source->input),
                          "%d rows of another shape were asked for at row %d", rows->height,
                          source->next_row);
    if (!input_goes_on(source->input, err))
        return false;
    if (source_streams(source)) {
        if (!decoder->read(source, rows, err))
            return false;
    } else {
        if (!source->picture.data && !decoder->read_all(source, &source->picture, err))
            return false;
        for (int y = 0; y < rows->height; y++)
            memcpy(image_row(rows, y), image_row(&source->picture, source->next_row + y),
                   image_row_bytes(rows));
    }
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
        return error_file(err, name, "was read already");
    if (!source_streams(source)) {
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
