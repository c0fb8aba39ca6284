/* Contexts of the library (include/stencil.h), and the checks of pictures. */
#include "library/context.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/memory.h"
#include "kernel/backend.h"

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
    context->callers_team = team_use(context->team);
    return true;
}

stencil_status context_end(stencil_context *context, bool good)
{
    uselocale(context->callers);
    team_use(context->callers_team);
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
    made->team = team_new();
    context_begin(made);
    good = take_options(&made->request, options ? options : &defaults, &made->err);
    if (made->request.threads == 0)
        made->request.threads = machine_cpus();
    return context_end(made, good);
}

void stencil_close(stencil_context *context)
{
    if (!context)
        return;
    context_forget(context);
    team_free(context->team);
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
                                 "the maximum is %u",
                                 name, y, i / (size_t)image->channels,
                                 image_sample(image_row(image, y), image->type, i), max);
    return true;
}

/* May the calls of CONTEXT use memory of its device? */
static bool check_device(const stencil_context *context, const char *name, struct error *err)
{
    const struct picture_request *request = &context->request;
    const bool possible = request->kernel ? request->kernel->device == DEVICE_CUDA
                                          : request->device_auto || request->device == DEVICE_CUDA;

    if (!possible)
        return error_set(err, EXIT_USAGE,
                         "%s: it lies on a CUDA device, but the context's device is cpu", name);
    return backend_check_cuda(request->device_index, request->kernel, err);
}

static bool check_memory(const stencil_context *context, const stencil_image *given,
                         const char *name, uint32_t most, struct error *err)
{
    if (given->memory == STENCIL_HOST)
        return true;
    if (given->memory != STENCIL_CUDA)
        return error_set(err, EXIT_USAGE, "%s: memory is %d, expected STENCIL_HOST or STENCIL_CUDA",
                         name, given->memory);
    if (!context)
        return error_set(err, EXIT_USAGE,
                         "%s: it lies on a CUDA device, expected a picture in host memory", name);
    if (!check_device(context, name, err))
        return false;
    if (!backend_find(DEVICE_CUDA)->memory_has(context->request.device_index, given->data))
        return error_set(err, EXIT_USAGE, "%s: data does not point into the memory of cuda:%d",
                         name, context->request.device_index);
    return given->max == 0 || given->max == most ||
           error_set(err, EXIT_USAGE, "%s: max is %u, but on a CUDA device it must be %u", name,
                     given->max, most);
}

bool context_image(const stencil_context *context, const stencil_image *given, const char *name,
                   struct image *image, struct image_info *info, struct error *err)
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
    if (!check_memory(context, given, name, most, err))
        return false;
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

bool context_shape(const stencil_image *given, const char *name, struct image *image,
                   struct image_info *info, struct error *err)
{
    static uint16_t nowhere;
    stencil_image shape;

    if (given) {
        shape = *given;
        shape.data = &nowhere;
        shape.memory = STENCIL_HOST;
    }
    return context_image(NULL, given ? &shape : NULL, name, image, info, err);
}
