/* The rows of the table of image formats (codec/formats.def), lookup by name and by a file's first
 * bytes, and the check whether a format can hold a picture: as it is, converted, or not at all,
 * with a suggestion of formats that can. This file reads and writes no files. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "codec/format.h"

/* The row of FORMAT_NONE: samples that come from no file are already in memory. Rate as for PNM. */
static const struct format_row rows[] = {
    [FORMAT_NONE] = {.name = "none", .decode_rate = 5.5e6},
#define FORMAT(NAME, codec, ...)                                                                   \
    [FORMAT_##NAME] = {.decoder = &decoder_##codec, .encoder = &encoder_##codec, __VA_ARGS__},
#include "codec/formats.def"
#undef FORMAT
};

/* Formats whose library this build lacks. */
#define ABSENT(codec, title)                                                                       \
    const struct decoder decoder_##codec = {.name = title};                                        \
    const struct encoder encoder_##codec;
#ifndef HAVE_WEBP
ABSENT(webp, "WebP")
#endif
#ifndef HAVE_TIFF
ABSENT(tiff, "TIFF")
#endif

const struct format_row *format_row(enum format format)
{
    return &rows[format];
}

struct format_about format_describe(enum format format)
{
    const struct format_row *row = &rows[format];
    const bool other = row->gray_as != FORMAT_NONE;
    const struct format_row *gray = other ? &rows[row->gray_as] : row;
    const struct format_row *colour = other ? &rows[row->colour_as] : row;
    const bool reads = format_is_read(row), writes = format_is_written(row);

    return (struct format_about){
        .name = row->name,
        .gray_as = other ? gray->name : NULL,
        .colour_as = other ? colour->name : NULL,
        .package = reads || writes ? NULL : row->package,
        .reads = reads,
        .writes = writes,
        .gray = gray->gray,
        .colour = colour->colour,
        .alpha = row->alpha,
        .bits = gray->sixteen || colour->sixteen ? 16 : 8,
        .max_side = row->max_side,
        .video = row->video,
    };
}

/* ---- names ---- */

/* ".png" for "folder.d/out.png"; NULL for "folder.d/out" and for ".png". */
static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return dot && dot > name && dot[1] ? dot : NULL;
}

enum format format_of_name(const char *name)
{
    for (int i = FORMAT_NONE + 1; i < FORMATS; i++)
        if (strcasecmp(name, rows[i].name) == 0 ||
            (rows[i].short_name && strcasecmp(name, rows[i].short_name) == 0))
            return (enum format)i;
    return FORMAT_NONE;
}

enum format format_of_path(const char *path)
{
    const char *extension = extension_of(path);

    return extension ? format_of_name(extension + 1) : FORMAT_NONE;
}

const char *format_name(enum format format)
{
    return rows[format].name;
}

const char *format_known(char text[FORMAT_KNOWN_BYTES])
{
    size_t used = (size_t)snprintf(text, FORMAT_KNOWN_BYTES, "known:");

    for (int i = FORMAT_NONE + 1; i < FORMATS; i++) {
        const char *other = rows[i].short_name;
        if (rows[i].video || (format_is_read(&rows[i]) && !format_is_written(&rows[i])))
            continue;
        used += (size_t)snprintf(text + used, FORMAT_KNOWN_BYTES - used, "%s%s %s",
                                 other ? " " : "", other ? other : "", rows[i].name);
    }
    return text;
}

double format_decode_rate(enum format format)
{
    return rows[format].decode_rate;
}

const char *codec_sentence_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : path;
}

void format_append_word(char *text, size_t bytes, const char *word, int left, const char *last)
{
    size_t used = strlen(text);

    snprintf(text + used, bytes - used, "%s%s", used == 0 ? "" : left > 0 ? ", " : last, word);
}

/* ---- what is read ---- */

const struct decoder *format_recognise(const uint8_t *head, size_t bytes, const char *path,
                                       const char *name, struct error *err)
{
    const struct decoder *unnamed = NULL;

    for (int i = FORMAT_NONE + 1; i < FORMATS; i++) {
        const struct decoder *decoder = rows[i].decoder;
        if (format_is_read(&rows[i]) && decoder->recognise(head, bytes)) {
            if (!decoder->extension || rows[format_of_path(path)].decoder == decoder)
                return decoder;
            unnamed = decoder;
        }
    }
    if (foreign_refuse(head, bytes, path, name, err))
        return NULL;
    if (unnamed) {
        error_file(err, name, "is perhaps %s, which is only read from a file named .%s",
                   unnamed->name, unnamed->extension);
        return NULL;
    }
    error_file(err, name, "not in a format that is read ('stencilcli list formats' names them)");
    return NULL;
}

/* ---- what is written ---- */

static const char *shape_name(int channels)
{
    static const char *const names[] = {"gray", "gray with alpha", "RGB", "RGBA"};

    return names[channels - 1];
}

/* Whether a format holds the picture without conversion (except scaling to its maxval). */
static bool holds(const struct format_row *row, const struct image_info *info)
{
    return (info->channels <= 2 ? row->gray : row->colour) &&
           (row->alpha || !image_has_alpha(info->channels)) &&
           (row->sixteen || info->type == SAMPLE_U8);
}

/* The lossless formats that hold the picture as it is: ".ppm, .pam or .png". PAM always does. */
static const char *ways_out(const struct image_info *info, char text[64])
{
    const char *fit[FORMATS] = {0};
    int count = 0;

    for (int i = 0; i < FORMATS; i++)
        if (rows[i].suggested && holds(&rows[i], info)) {
            fit[rows[i].suggested] = rows[i].name;
            count++;
        }
    text[0] = '\0';
    for (int i = 0; i < FORMATS; i++)
        if (fit[i]) {
            char name[16];
            snprintf(name, sizeof name, ".%s", fit[i]);
            format_append_word(text, 64, name, --count, " or ");
        }
    return text;
}

/* True if this build writes FORMAT. */
static bool check_written(enum format format, const char *name, struct error *err)
{
    const struct format_row *row = &rows[format];
    char known[FORMAT_KNOWN_BYTES];

    if (format_is_written(row))
        return true;
    if (row->package)
        return error_set(err, EXIT_USAGE, "%s: this build writes no %s: install %s and build again",
                         name, row->title, row->package);
    return error_set(err, EXIT_USAGE, "%s: %s is read but not written (%s)", name, row->title,
                     format_known(known));
}

bool sink_check_format(const char *path, const struct sink_options *options, struct error *err)
{
    const char *name = codec_sentence_name(path), *extension = extension_of(path);
    const bool is_stdout = strcmp(path, "-") == 0;
    enum format format = options->format;
    char known[FORMAT_KNOWN_BYTES];

    if (format == FORMAT_NONE && !is_stdout)
        format = format_of_path(path);
    if (format != FORMAT_NONE)
        return check_written(format, name, err);
    if (is_stdout)
        return true; /* the input's format, which is not known yet */
    if (!extension)
        return error_set(err, EXIT_USAGE,
                         "%s: no extension that tells the output format: add one or use --format "
                         "(%s); for a folder write %s/",
                         name, format_known(known), name);
    return error_set(err, EXIT_USAGE, "%s: unknown output format '%s' (%s)", name, extension,
                     format_known(known));
}

static bool resolve_format(const char *path, const struct image_info *info,
                           const struct sink_options *options, enum format *format,
                           struct error *err)
{
    char known[FORMAT_KNOWN_BYTES];
    enum format other;

    if (!sink_check_format(path, options, err))
        return false;
    *format = options->format;
    if (*format == FORMAT_NONE)
        *format = strcmp(path, "-") == 0 ? info->format : format_of_path(path);
    if (*format == FORMAT_NONE) /* standard output, and the input has no format either */
        return error_set(err, EXIT_USAGE, "%s: no format given: use --format (%s)",
                         codec_sentence_name(path), format_known(known));
    other = info->channels <= 2 ? rows[*format].gray_as : rows[*format].colour_as;
    if (other != FORMAT_NONE)
        *format = other;
    return check_written(*format, codec_sentence_name(path), err);
}

int sink_held(const char *path, const struct sink_options *options)
{
    return rows[options->format != FORMAT_NONE ? options->format : format_of_path(path)]
        .encode_bytes;
}

bool format_resolve(const char *path, const struct image_info *info,
                    const struct sink_options *options, struct image_info *target,
                    struct error *err)
{
    const char *name = codec_sentence_name(path);
    const struct format_row *row;
    char ways[64];

    *target = *info;
    if (!resolve_format(path, info, options, &target->format, err))
        return false;
    row = &rows[target->format];
    if (row->video && !rows[info->format].video)
        return error_file(err, name, "%s holds a video, and the input is a picture: use %s",
                          row->title, ways_out(target, ways));
    if (!row->video && rows[info->format].video)
        return error_file(err, name,
                          "%s holds a picture, and the input is a video: write .y4m, or make "
                          "pictures of it first (ffmpeg -i VIDEO frame%%04d.png)",
                          row->title);
    if (row->video && options->drop_alpha)
        return error_file(err, name,
                          "%s keeps its planes: drop alpha with ffmpeg (-pix_fmt yuv444p), not "
                          "with --alpha drop",
                          row->title);
    if (options->drop_alpha && image_has_alpha(target->channels))
        target->channels--;
    if (target->channels >= 3 && !row->colour)
        return error_file(err, name, "%s holds gray only; the picture is %s: use %s", row->title,
                          shape_name(target->channels), ways_out(target, ways));
    if (target->type == SAMPLE_U16 && !row->sixteen)
        return error_file(err, name, "%s output has 8 bits a sample; the picture has 16: use %s",
                          row->title, ways_out(target, ways));
    if (image_has_alpha(target->channels) && !row->alpha)
        return error_file(err, name,
                          "%s holds no alpha; the picture is %s: use %s, or --alpha drop",
                          row->title, shape_name(target->channels), ways_out(target, ways));
    if (row->max_side && (target->width > row->max_side || target->height > row->max_side))
        return error_file(err, name, "%s holds at most %d pixels a side; the picture has %d x %d",
                          row->title, row->max_side, target->width, target->height);
    if (target->channels <= 2 && !row->gray)
        target->channels += 2;
    if (!row->maxval)
        target->max = codec_scaled_max(target->max);
    return true;
}
