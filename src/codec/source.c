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
        {DROPPED_PAGES, "further pages", true},
        {DROPPED_GEO, "GeoTIFF tags", true},
        {DROPPED_PREMULTIPLIED, "premultiplication by alpha", false},
        {DROPPED_TEXT, "texts", true},
        {DROPPED_PRIVATE, "private tags", true},
        {DROPPED_PLACES, "places in the camera's notes", true},
    };
    bool plural = (dropped & (dropped - 1)) != 0; /* more than one */
    char list[256] = "";

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

/* Finishes the metadata in the way that is common to all decoders. */
static void complete_metadata(struct source *source)
{
    struct metadata *metadata = &source->metadata;

    if (source->orientation > 1)
        metadata_xmp_upright(metadata->xmp.bytes, metadata->xmp.size);
    if (metadata->density.x == 0)
        metadata->density = metadata_exif_density(metadata->exif);
}

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
    if (!source->decoder->open(source, err))
        return false;
    complete_metadata(source);
    return true;
}

bool source_open_pages(struct source **source, const char *path, struct error *err)
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

bool source_open(struct source **source, const char *path, struct error *err)
{
    if (!source_open_pages(source, path, err))
        return false;
    if (!format_row((*source)->info.format)->video)
        return true;
    path = input_name((*source)->input);
    error_file(err, path, "is a video, expected a picture; try: ffmpeg -i %.200s frame%%04d.png",
               path);
    source_close(*source);
    *source = NULL;
    return false;
}

/* Frees what belongs to one page, beside the decoder's own. */
static void free_page(struct source *source)
{
    free(source->metadata.own.bytes);
    free(source->metadata.icc.bytes);
    memset(&source->metadata, 0, sizeof source->metadata);
    image_free(&source->picture);
}

bool source_is_stream(const struct source *source)
{
    return source->decoder->follows;
}

/* Whether an output in FORMAT has pages as the input has them. */
static bool takes_pages(const struct source *source, enum format format)
{
    return source->decoder->next &&
           format_row(format)->encoder == format_row(source->info.format)->encoder;
}

bool source_has_more(struct source *source, enum format format)
{
    struct error ignored; /* source_next reports it */

    if (!takes_pages(source, format))
        return false;
    if (!source->more && source->decoder->follows && source->next_row == source->info.height &&
        !source->decoder->follows(source, &source->more, &ignored))
        source->more = true;
    return source->more;
}

bool source_next(struct source *source, struct error *err)
{
    free_page(source);
    source->next_row = 0;
    source->more = false;
    source->warning[0] = '\0';
    if (!source->decoder->next(source, err))
        return false;
    complete_metadata(source);
    return true;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    if (source->state && source->decoder->close)
        source->decoder->close(source);
    free(source->state);
    free_page(source);
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
    if (takes_pages(source, output))
        lost &= ~(unsigned)DROPPED_PAGES;
    if (source->more && source_is_stream(source) && takes_pages(source, output))
        return NULL; /* the warning is that of the first page only */
    /* EXIF data are taken apart on the way into a TIFF and out of it. */
    if ((output == FORMAT_TIFF || source->info.format == FORMAT_TIFF) && encoder &&
        encoder->keeps && !(lost & DROPPED_EXIF) && metadata_exif_has_places(metadata->exif))
        lost |= DROPPED_PLACES;
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

/* ---- pictures that lie on their side ---- */

/* A picture is turned in strips of as many rows, so that several pixels of a strip lie side by side
 * afterwards. */
#define STRIP_ROWS 16

static bool is_upright(const struct source *source)
{
    return source->orientation <= 1;
}

static bool reads_rows(const struct source *source)
{
    return source->decoder->read && !source->whole;
}

/* Copies stored rows, the first of them row Y, to their places in the upright picture. */
static inline void turn(const struct image *rows, int y, int orientation, const struct image *image,
                        ptrdiff_t pixel)
{
    bool exchanged = orientation >= 5;
    /* Whether the stored columns (rows) run backwards in the upright picture. */
    bool columns_back =
        orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool rows_back = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    ptrdiff_t pitch = (ptrdiff_t)image->pitch;
    ptrdiff_t column = exchanged ? pitch : pixel, row = exchanged ? pixel : pitch;
    int last = (exchanged ? image->width : image->height) - 1;
    uint8_t *to = (uint8_t *)image->data + row * (rows_back ? last - y : y);

    to += columns_back ? column * (rows->width - 1) : 0;
    column = columns_back ? -column : column;
    row = rows_back ? -row : row;
    for (int x = 0; x < rows->width; x++, to += column)
        for (int i = 0; i < rows->height; i++)
            memcpy(to + i * row, (const uint8_t *)image_row(rows, i) + x * pixel, (size_t)pixel);
}

/* As turn, compiled for the common sizes of a pixel. */
static void turn_rows(const struct image *rows, int y, int orientation, const struct image *image)
{
    const ptrdiff_t pixel = image->channels * (ptrdiff_t)image->type;

    if (pixel == 3)
        turn(rows, y, orientation, image, 3);
    else if (pixel == 4)
        turn(rows, y, orientation, image, 4);
    else if (pixel == 1)
        turn(rows, y, orientation, image, 1);
    else
        turn(rows, y, orientation, image, pixel);
}

static bool read_turned(struct source *source, struct image *image, struct error *err)
{
    const struct image_info *info = &source->info;
    const char *name = input_name(source->input);
    const bool exchanged = source->orientation >= 5;
    const int width = exchanged ? info->height : info->width;
    const int height = exchanged ? info->width : info->height;
    const bool by_rows = reads_rows(source);
    struct image stored = {0}; /* a strip, or the whole picture */
    bool ok =
        image_alloc(image, info->width, info->height, info->channels, info->type, name, err) &&
        (by_rows ? image_alloc(&stored, width, STRIP_ROWS, info->channels, info->type, name, err)
                 : source->decoder->read_all(source, &stored, err));

    for (int y = 0; ok && y < height; y += STRIP_ROWS) {
        struct image rows =
            image_rows(&stored, by_rows ? 0 : y, height - y < STRIP_ROWS ? height - y : STRIP_ROWS);
        ok = !by_rows || source->decoder->read(source, &rows, err);
        if (ok)
            turn_rows(&rows, y, source->orientation, image);
    }
    image_free(&stored);
    if (!ok)
        image_free(image);
    return ok;
}

/* ---- rows ---- */

bool source_streams(const struct source *source)
{
    return reads_rows(source) && is_upright(source);
}

static bool read_whole(struct source *source, struct image *image, struct error *err)
{
    return is_upright(source) ? source->decoder->read_all(source, image, err)
                              : read_turned(source, image, err);
}

void source_read_ahead(struct source *source)
{
    if (source->decoder->ahead && !source->whole)
        source->decoder->ahead(source);
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
        if (!source->picture.data && !read_whole(source, &source->picture, err))
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
        if (!read_whole(source, image, err))
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
