/* Files and comparisons of the library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "library/context.h"

static bool check_path(const char *path, const char *name, struct error *err)
{
    if (!path || !*path)
        return error_set(err, EXIT_USAGE, "%s: expected the name of a file", name);
    return strcmp(path, "-") != 0 ||
           error_set(err, EXIT_USAGE, "%s: expected the name of a file, not '-'", name);
}

/* As check_path, for a file that will be written. */
static bool check_output(const char *path, const char *name, struct error *err)
{
    char known[FORMAT_KNOWN_BYTES];

    return check_path(path, name, err) &&
           (format_of_path(path) != FORMAT_NONE ||
            error_set(err, EXIT_USAGE, "%s: the extension of '%s' is not that of a format (%s)",
                      name, path, format_known(known)));
}

static bool filter_file(stencil_context *context, const stencil_filter *filter, const char *input,
                        const char *output, struct error *err)
{
    struct picture_request request = context->request;
    struct picture_report report;

    if (!filter)
        return error_set(err, EXIT_USAGE, "filter: expected a filter, got NULL");
    request.filter = filter->first->request;
    return check_path(input, "input", err) && check_output(output, "output", err) &&
           picture_check(&request, output, err) &&
           picture_filter(&request, input, output, &report, err);
}

stencil_status stencil_filter_file(stencil_context *context, const stencil_filter *filter,
                                   const char *input, const char *output)
{
    return !context_begin(context)
               ? STENCIL_ARGUMENT
               : context_end(context, filter_file(context, filter, input, output, &context->err));
}

static bool read_picture(const char *path, stencil_image *image, struct error *err)
{
    struct source *source;
    struct image_info info;
    struct image read;
    bool good;

    if (!image)
        return error_set(err, EXIT_USAGE, "image: expected a place, got NULL");
    if (!check_path(path, "path", err) || !source_open(&source, path, err))
        return false;
    info = *source_info(source);
    good = source_read_all(source, &read, err);
    source_close(source);
    if (good)
        *image = (stencil_image){.width = read.width,
                                 .height = read.height,
                                 .channels = read.channels,
                                 .sample_bytes = (int)read.type,
                                 .pitch = read.pitch,
                                 .max = info.max,
                                 .data = read.data};
    return good;
}

stencil_status stencil_read(stencil_context *context, const char *path, stencil_image *image)
{
    return !context_begin(context) ? STENCIL_ARGUMENT
                                   : context_end(context, read_picture(path, image, &context->err));
}

void stencil_image_free(stencil_image *image)
{
    if (!image)
        return;
    free(image->data);
    *image = (stencil_image){0};
}

static bool write_picture(const stencil_context *context, const char *path,
                          const stencil_image *given, int quality, struct error *err)
{
    const struct sink_options options = {.quality = quality, .threads = context->request.threads};
    struct image image;
    struct image_info info;
    struct sink *sink;

    if (quality < 0 || quality > 100)
        return error_set(err, EXIT_USAGE, "quality: expected 0 to 100, got %d", quality);
    if (!check_output(path, "path", err) ||
        !context_image(NULL, given, "image", &image, &info, err) ||
        !context_samples(&image, "image", info.max, err) ||
        !sink_open(&sink, path, &info, &options, err))
        return false;
    if (!sink_write(sink, &image, err)) {
        sink_abort(sink);
        return false;
    }
    return sink_finish(sink, err);
}

stencil_status stencil_write(stencil_context *context, const char *path, const stencil_image *image,
                             int quality)
{
    return !context_begin(context)
               ? STENCIL_ARGUMENT
               : context_end(context, write_picture(context, path, image, quality, &context->err));
}

static bool compare(const stencil_context *context, const stencil_image *given_a,
                    const stencil_image *given_b, stencil_difference *difference, struct error *err)
{
    struct image a, b;
    struct image_info info, other;
    struct compare_result result;

    if (!difference)
        return error_set(err, EXIT_USAGE, "difference: expected a place, got NULL");
    if (!context_image(NULL, given_a, "a", &a, &info, err) ||
        !context_image(NULL, given_b, "b", &b, &other, err))
        return false;
    if (memcmp(&info, &other, sizeof info) != 0)
        return error_set(err, EXIT_USAGE, "b: its shape differs from that of a");
    if (!compare_images(&a, &b, &info, context->request.threads, &result, err))
        return false;
    *difference = (stencil_difference){.samples = result.all.samples,
                                       .differing = result.all.differing,
                                       .max_diff = result.all.max_diff,
                                       .x = result.all.x,
                                       .y = result.all.y,
                                       .channel = result.all.channel,
                                       .psnr = compare_psnr(&result.all, info.max),
                                       .ssim = result.all.ssim};
    return result.passed || error_set(err, EXIT_DIFFERENT, "%s", result.why);
}

stencil_status stencil_compare(stencil_context *context, const stencil_image *a,
                               const stencil_image *b, stencil_difference *difference)
{
    return !context_begin(context)
               ? STENCIL_ARGUMENT
               : context_end(context, compare(context, a, b, difference, &context->err));
}
