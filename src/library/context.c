/* Contexts of the library (include/stencil.h), and filtering in memory. */
#include "library/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/memory.h"
#include "kernel/backend.h"
#include "run/describe.h"

const char *stencil_version(void)
{
    return STENCIL_VERSION;
}

/* ---- calls ---- */

bool context_begin(stencil_context *context)
{
    if (!context)
        return false;
    free(context->text);
    context->text = NULL;
    context->err.code = EXIT_DONE;
    context->err.text[0] = '\0';
    context->callers = uselocale(context->numbers);
    return true;
}

stencil_status context_end(stencil_context *context, bool good)
{
    uselocale(context->callers);
    return good ? STENCIL_OK : (stencil_status)context->err.code;
}

const char *stencil_message(const stencil_context *context)
{
    return context ? context->err.text : "";
}

/* ---- opening ---- */

static bool take_options(struct picture_request *request, const stencil_options *options,
                         struct error *err)
{
    static const char *const devices[] = {"cpu", "cuda", "auto"};
    const char *device = options->device ? options->device : "cpu";
    int i = 0;

    while (i < 3 && strcmp(device, devices[i]) != 0)
        i++;
    if (i == 3)
        return error_set(err, EXIT_USAGE, "device: expected cpu, cuda or auto, got '%s'", device);
    if (options->threads < 0)
        return error_set(err, EXIT_USAGE, "threads: expected 0 or more, got %d", options->threads);
    if (options->device_index < 0)
        return error_set(err, EXIT_USAGE, "device_index: expected 0 or more, got %d",
                         options->device_index);
    request->device = i == 1 ? DEVICE_CUDA : DEVICE_CPU;
    request->device_auto = i == 2;
    request->device_index = options->device_index;
    request->threads = options->threads;
    request->kernel = options->kernel ? kernel_find(options->kernel) : NULL;
    if (options->kernel && !request->kernel)
        return error_set(err, EXIT_USAGE, "kernel: there is no kernel '%s'", options->kernel);
    if (request->kernel && !request->device_auto && request->kernel->device != request->device)
        return error_set(err, EXIT_USAGE, "kernel: %s does not run on the device %s",
                         options->kernel, device);
    return !picture_asks_for_cuda(request) ||
           backend_check_cuda(request->device_index, request->kernel, err);
}

stencil_status stencil_open(stencil_context **context, const stencil_options *options)
{
    const stencil_options defaults = {0};
    stencil_context *made;
    bool good;

    if (!context)
        return STENCIL_ARGUMENT;
    *context = made = calloc(1, sizeof *made);
    if (!made)
        return STENCIL_FAILED;
    made->numbers = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    context_begin(made);
    good = take_options(&made->request, options ? options : &defaults, &made->err);
    if (made->request.threads == 0)
        made->request.threads = machine_cpus();
    return context_end(made, good);
}

static void forget(struct prepared *prepared)
{
    for (int i = 0; i < prepared->steps; i++)
        kernel_close(prepared->kernel[i], prepared->state[i]);
    if (prepared->id)
        plan_free(&prepared->plan);
    *prepared = (struct prepared){0};
}

void stencil_close(stencil_context *context)
{
    if (!context)
        return;
    forget(&context->prepared);
    free(context->text);
    if (context->numbers)
        freelocale(context->numbers);
    free(context);
}

/* ---- pictures of the caller ---- */

bool context_samples(const struct image *image, const char *name, uint32_t max, struct error *err)
{
    const size_t samples = (size_t)image->width * (size_t)image->channels;

    if (max == (image->type == SAMPLE_U8 ? UINT8_MAX : UINT16_MAX))
        return true;
    for (int y = 0; y < image->height; y++)
        for (size_t i = 0; i < samples; i++)
            if (image_sample(image_row(image, y), image->type, i) > max)
                return error_set(err, EXIT_USAGE,
                                 "%s: the sample in row %d, column %zu is %u, but "
                                 "max is %u",
                                 name, y, i / (size_t)image->channels,
                                 image_sample(image_row(image, y), image->type, i), max);
    return true;
}

bool context_image(const stencil_image *given, const char *name, struct image *image,
                   struct image_info *info, struct error *err)
{
    const uint32_t most = given && given->sample_bytes == 1 ? UINT8_MAX : UINT16_MAX;
    size_t bytes;

    if (!given)
        return error_set(err, EXIT_USAGE, "%s: expected a picture, got NULL", name);
    if (given->sample_bytes != 1 && given->sample_bytes != 2)
        return error_set(err, EXIT_USAGE, "%s: sample_bytes is %d, expected 1 or 2", name,
                         given->sample_bytes);
    if (given->width < 1 || given->height < 1)
        return error_set(err, EXIT_USAGE, "%s: %d x %d pixels are no picture", name, given->width,
                         given->height);
    if (given->channels < 1 || given->channels > 4)
        return error_set(err, EXIT_USAGE, "%s: channels is %d, expected 1 to 4", name,
                         given->channels);
    if (!image_measure(image, given->width, given->height, given->channels,
                       (enum sample_type)given->sample_bytes, name, &bytes, err))
        return false;
    if (given->pitch < image_row_bytes(image))
        return error_set(err, EXIT_USAGE, "%s: pitch is %zu, but a row has %zu bytes", name,
                         given->pitch, image_row_bytes(image));
    if (given->pitch > SIZE_MAX / 2 / (size_t)given->height)
        return error_set(err, EXIT_USAGE, "%s: pitch is %zu, more than memory has", name,
                         given->pitch);
    if (!given->data)
        return error_set(err, EXIT_USAGE, "%s: data is NULL", name);
    if (((uintptr_t)given->data | given->pitch) % (uintptr_t)given->sample_bytes != 0)
        return error_set(err, EXIT_USAGE,
                         "%s: expected an even address and an even pitch for "
                         "samples of 2 bytes",
                         name);
    if (given->max > most)
        return error_set(err, EXIT_USAGE, "%s: max is %u, expected at most %u", name, given->max,
                         most);
    image->pitch = given->pitch;
    image->data = given->data;
    *info = (struct image_info){.width = given->width,
                                .height = given->height,
                                .channels = given->channels,
                                .type = image->type,
                                .max = given->max ? given->max : most,
                                .format = FORMAT_PPM};
    return true;
}

static uintptr_t end_of(const struct image *image)
{
    return (uintptr_t)image_row(image, image->height - 1) + image_row_bytes(image);
}

/* May OUT receive what is made of IN? *same: they are one picture. */
static bool check_pair(const struct image *in, const struct image_info *info,
                       const struct image *out, const struct image_info *out_info, bool *same,
                       struct error *err)
{
    if (memcmp(info, out_info, sizeof *info) != 0)
        return error_set(err, EXIT_USAGE,
                         "out: its shape differs from that of in: %d x %d pixels, "
                         "%d channels, %d bytes a sample, max %u, not %d x %d, %d, %d, %u",
                         out->width, out->height, out->channels, (int)out->type, out_info->max,
                         in->width, in->height, in->channels, (int)in->type, info->max);
    *same = in->data == out->data && in->pitch == out->pitch;
    if (!*same && (uintptr_t)in->data < end_of(out) && (uintptr_t)out->data < end_of(in))
        return error_set(err, EXIT_USAGE, "out: it overlaps in, but is not the picture in itself");
    return true;
}

/* ---- filtering ---- */

static bool open_steps(stencil_context *context, struct prepared *made, struct error *err)
{
    struct picture_request *request = &context->request;

    for (const struct plan *step = &made->plan; step; step = step->next) {
        const int i = made->steps;
        made->kernel[i] = picture_kernel(request, &made->choice, step);
        if (!kernel_open(made->kernel[i], step, made->info.width, made->info.height, NULL,
                         &made->state[i], err))
            return false;
        made->steps++;
    }
    return true;
}

/* Makes what the calls for this filter and this shape need, unless the last call has made it. */
static bool prepare(stencil_context *context, const stencil_filter *filter,
                    const struct image_info *info, struct error *err)
{
    struct prepared *made = &context->prepared;

    if (made->id == filter->id && memcmp(&made->info, info, sizeof *info) == 0)
        return true;
    forget(made);
    made->info = *info;
    context->request.filter = filter->first->request;
    if (!picture_prepare(&context->request, info, &made->plan, &made->choice, err))
        return false;
    made->id = filter->id;
    if (picture_choose(&context->request, &made->plan, &made->choice, err) &&
        open_steps(context, made, err))
        return true;
    forget(made);
    return false;
}

static bool run_step(const stencil_context *context, int i, const struct plan *step,
                     const struct image *in, struct image *out, struct error *err)
{
    const struct prepared *prepared = &context->prepared;
    struct kernel_job job = kernel_job_whole(step, in, out);

    job.threads = picture_threads_worth(&prepared->choice);
    job.device_index = context->request.device_index;
    job.state = prepared->state[i];
    return kernel_run(prepared->kernel[i], &job, err);
}

static bool allocate(struct image *image, const struct image *like, struct error *err)
{
    return image_alloc(image, like->width, like->height, like->channels, like->type,
                       "the picture between two steps", err);
}

/* Runs all steps. The pictures between them are two, used in turn. A step's output is never its
 * input: SAME says that the last output is the first input. */
static bool run_steps(stencil_context *context, const struct image *in, struct image *out,
                      bool same, struct error *err)
{
    const struct plan *step = &context->prepared.plan;
    struct image between[2] = {{0}, {0}}, from = *in;
    bool good = true;

    if (same && !step->next) {
        good = allocate(&between[1], in, err);
        for (int y = 0; good && y < in->height; y++)
            memcpy(image_row(&between[1], y), image_row(in, y), image_row_bytes(in));
        from = between[1];
    }
    for (int i = 0; step && good; i++, step = step->next) {
        struct image *to = step->next ? &between[i % 2] : out;
        if (!to->data)
            good = allocate(to, in, err);
        good = good && run_step(context, i, step, &from, to, err);
        from = *to;
    }
    for (int i = 0; i < 2; i++)
        image_free(&between[i]);
    return good;
}

static bool apply(stencil_context *context, const stencil_filter *filter, const stencil_image *in,
                  const stencil_image *out, struct error *err)
{
    struct image from, to;
    struct image_info info, out_info;
    bool same;

    if (!filter)
        return error_set(err, EXIT_USAGE, "filter: expected a filter, got NULL");
    return context_image(in, "in", &from, &info, err) &&
           context_image(out, "out", &to, &out_info, err) &&
           check_pair(&from, &info, &to, &out_info, &same, err) &&
           context_samples(&from, "in", info.max, err) && prepare(context, filter, &info, err) &&
           run_steps(context, &from, &to, same, err);
}

stencil_status stencil_apply(stencil_context *context, const stencil_filter *filter,
                             const stencil_image *in, const stencil_image *out)
{
    return !context_begin(context)
               ? STENCIL_ARGUMENT
               : context_end(context, apply(context, filter, in, out, &context->err));
}

/* ---- the plan as text ---- */

static bool describe(stencil_context *context, bool json, struct error *err)
{
    const struct prepared *made = &context->prepared;
    const uint64_t bytes = (uint64_t)made->info.width * (uint64_t)made->info.height *
                           (uint64_t)made->info.channels * made->info.type;
    struct picture_report report = {.info = made->info,
                                    .choice = made->choice,
                                    /* in, out, and one or two between steps */
                                    .bytes = bytes * (uint64_t)(made->steps < 3 ? 3 : 4),
                                    .method = made->state[0] ? made->state[0]->method : NULL};
    size_t size;
    FILE *out = open_memstream(&context->text, &size);
    bool good;

    if (!out)
        return error_set(err, EXIT_INPUT, "no memory for the text");
    good = (json ? describe_json : describe_text)(out, NULL, &context->request, &made->plan,
                                                  &report, err);
    if (fclose(out) != 0)
        return error_set(err, EXIT_INPUT, "no memory for the text");
    return good;
}

static bool plan(stencil_context *context, const stencil_filter *filter, const stencil_image *in,
                 bool json, const char **text, struct error *err)
{
    static uint16_t nowhere;
    struct image image;
    struct image_info info;
    stencil_image shape;

    if (!filter)
        return error_set(err, EXIT_USAGE, "filter: expected a filter, got NULL");
    if (!text)
        return error_set(err, EXIT_USAGE, "text: expected a place, got NULL");
    if (in) {
        shape = *in;
        shape.data = &nowhere;
    }
    if (!context_image(in ? &shape : NULL, "in", &image, &info, err) ||
        !prepare(context, filter, &info, err) || !describe(context, json, err))
        return false;
    *text = context->text;
    return true;
}

stencil_status stencil_plan(stencil_context *context, const stencil_filter *filter,
                            const stencil_image *in, int json, const char **text)
{
    return !context_begin(context)
               ? STENCIL_ARGUMENT
               : context_end(context, plan(context, filter, in, json != 0, text, &context->err));
}
