/* The image formats by name, and what each can hold. Here it is decided what a
 * picture becomes on its way into a file, and what is refused with the way out
 * named; nothing here reads or writes. */
#include "codec/formats.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "codec/convert.h"

/* What a format can hold. What it holds only in another shape is converted: gray
 * where there is no gray becomes equal RGB, an odd maximum becomes 255 or 65535. */
struct capability {
    const char *title; /* for sentences */
    const struct encoder *encoder;
    bool gray, colour, alpha;
    bool sixteen; /* 16 bits a sample */
    bool maxval;  /* any maximum, kept in the file */
    int max_side;
};

static const struct capability capabilities[] = {
    [FORMAT_PNG] = {"PNG", &encoder_png, .gray = true, .colour = true, .alpha = true,
                    .sixteen = true, .max_side = INT_MAX},
    [FORMAT_JPEG] = {"JPEG", &encoder_jpeg, .gray = true, .colour = true, .max_side = 65535},
    [FORMAT_BMP] = {"BMP", &encoder_bmp, .colour = true, .alpha = true, .max_side = INT_MAX},
    [FORMAT_PGM] = {"PGM", &encoder_pnm, .gray = true, .sixteen = true, .maxval = true,
                    .max_side = INT_MAX},
    [FORMAT_PPM] = {"PPM", &encoder_pnm, .colour = true, .sixteen = true, .maxval = true,
                    .max_side = INT_MAX},
    [FORMAT_PAM] = {"PAM", &encoder_pnm, .gray = true, .colour = true, .alpha = true,
                    .sixteen = true, .maxval = true, .max_side = INT_MAX},
};

/* ---- names ---- */

#define KNOWN_FORMATS "known: png jpg jpeg bmp pgm ppm pam pnm"

static const struct {
    const char *name;
    enum format format;
} format_names[] = {{"png", FORMAT_PNG}, {"jpeg", FORMAT_JPEG}, {"jpg", FORMAT_JPEG},
                    {"bmp", FORMAT_BMP}, {"pgm", FORMAT_PGM},   {"ppm", FORMAT_PPM},
                    {"pam", FORMAT_PAM}, {"pnm", FORMAT_PNM}};
#define FORMAT_NAMES (sizeof format_names / sizeof *format_names)

/* ".png" of "folder.d/out.png", NULL of "folder.d/out" and of ".png". */
static const char *extension_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return dot && dot > name && dot[1] ? dot : NULL;
}

enum format format_of_name(const char *name)
{
    size_t i;

    for (i = 0; i < FORMAT_NAMES; i++)
        if (strcasecmp(name, format_names[i].name) == 0)
            return format_names[i].format;
    return FORMAT_NONE;
}

enum format format_of_path(const char *path)
{
    const char *extension = extension_of(path);

    return extension ? format_of_name(extension + 1) : FORMAT_NONE;
}

const char *format_name(enum format format)
{
    size_t i;

    for (i = 0; i < FORMAT_NAMES; i++)
        if (format_names[i].format == format)
            return format_names[i].name;
    return "none";
}

/* ---- what is written ---- */

const char *codec_sentence_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard output" : path;
}

static const char *shape_name(int channels)
{
    static const char *const names[] = {"gray", "gray with alpha", "RGB", "RGBA"};

    return names[channels - 1];
}

/* Whether FORMAT holds the picture sample by sample, without any conversion but maxval's. */
static bool holds(enum format format, const struct image_info *info)
{
    const struct capability *can = &capabilities[format];

    return (info->channels <= 2 ? can->gray : can->colour) &&
           (can->alpha || !image_has_alpha(info->channels)) &&
           (can->sixteen || info->type == SAMPLE_U8);
}

/* ".ppm, .pam or .png": the lossless formats that hold the picture as it is. PAM always does. */
static const char *ways_out(const struct image_info *info, char text[64])
{
    static const enum format lossless[] = {FORMAT_PGM, FORMAT_PPM, FORMAT_PAM, FORMAT_PNG};
    const char *fit[4];
    int i, count = 0;

    for (i = 0; i < 4; i++)
        if (holds(lossless[i], info))
            fit[count++] = format_name(lossless[i]);
    text[0] = '\0';
    for (i = 0; i < count; i++)
        snprintf(text + strlen(text), 64 - strlen(text), "%s.%s",
                 i == 0 ? "" : (i == count - 1 ? " or " : ", "), fit[i]);
    return text;
}

bool sink_check_format(const char *path, const struct sink_options *options, struct error *err)
{
    const char *name = codec_sentence_name(path), *extension = extension_of(path);

    if (options->format != FORMAT_NONE || strcmp(path, "-") == 0 ||
        format_of_path(path) != FORMAT_NONE)
        return true;
    if (!extension)
        return error_set(err, EXIT_USAGE,
                         "%s: no extension that tells the output format: add one or use --format "
                         "(" KNOWN_FORMATS ")",
                         name);
    return error_set(err, EXIT_USAGE, "%s: unknown output format '%s' (" KNOWN_FORMATS ")", name,
                     extension);
}

static bool resolve_format(const char *path, const struct image_info *info,
                           const struct sink_options *options, enum format *format,
                           struct error *err)
{
    if (!sink_check_format(path, options, err))
        return false;
    *format = options->format;
    if (*format == FORMAT_NONE)
        *format = strcmp(path, "-") == 0 ? info->format : format_of_path(path);
    if (*format == FORMAT_NONE) /* standard output without an input that has a format */
        return error_set(err, EXIT_USAGE, "%s: no format given: use --format (" KNOWN_FORMATS ")",
                         codec_sentence_name(path));
    if (*format == FORMAT_PNM)
        *format = info->channels <= 2 ? FORMAT_PGM : FORMAT_PPM;
    return true;
}

bool codec_resolve_target(const char *path, const struct image_info *info,
                          const struct sink_options *options, struct image_info *target,
                          struct error *err)
{
    const char *name = codec_sentence_name(path);
    const struct capability *can;
    char ways[64];

    *target = *info;
    if (!resolve_format(path, info, options, &target->format, err))
        return false;
    can = &capabilities[target->format];
    if (options->drop_alpha && image_has_alpha(target->channels))
        target->channels--;
    if (target->channels >= 3 && !can->colour)
        return error_set(err, EXIT_INPUT, "%s: %s holds gray only; the picture is %s: use %s", name,
                         can->title, shape_name(target->channels), ways_out(target, ways));
    if (target->type == SAMPLE_U16 && !can->sixteen)
        return error_set(err, EXIT_INPUT,
                         "%s: %s output has 8 bits a sample; the picture has 16: use %s", name,
                         can->title, ways_out(target, ways));
    if (image_has_alpha(target->channels) && !can->alpha)
        return error_set(err, EXIT_INPUT,
                         "%s: %s holds no alpha; the picture is %s: use %s, or --alpha drop", name,
                         can->title, shape_name(target->channels), ways_out(target, ways));
    if (target->width > can->max_side || target->height > can->max_side)
        return error_set(err, EXIT_INPUT,
                         "%s: %s holds at most %d pixels a side; the picture has %d x %d", name,
                         can->title, can->max_side, target->width, target->height);
    if (target->channels <= 2 && !can->gray)
        target->channels += 2;
    if (!can->maxval)
        target->max = codec_scaled_max(target->max);
    return true;
}

const struct encoder *codec_encoder(enum format format)
{
    return capabilities[format].encoder;
}
