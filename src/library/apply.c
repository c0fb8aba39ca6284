/* Filtering in memory (include/stencil.h): whole pictures, and some rows of a picture. */
#include <stdlib.h>
#include <string.h>

#include "kernel/around.h"
#include "kernel/backend.h"
#include "kernel/band_device.h"
#include "library/context.h"
#include "run/describe.h"

/* ---- two pictures ---- */

static uintptr_t end_of(const struct image *image)
{
    return (uintptr_t)image_row(image, image->height - 1) + image_row_bytes(image);
}

static bool overlap(const struct image *a, const struct image *b)
{
    return (uintptr_t)a->data < end_of(b) && (uintptr_t)b->data < end_of(a);
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
    if (!*same && overlap(in, out))
        return error_set(err, EXIT_USAGE, "out: it overlaps in, but is not the picture in itself");
    return true;
}

/* ---- what is kept from call to call ---- */

void context_forget(stencil_context *context)
{
    struct prepared *prepared = &context->prepared;

    for (int i = 0; i < prepared->steps; i++)
        kernel_close(prepared->kernel[i], prepared->state[i]);
    for (int i = 0; i < 2; i++)
        if (prepared->between[i].data)
            backend_find(DEVICE_CUDA)
                ->memory_give(context->request.device_index, prepared->between[i].data);
    if (prepared->id)
        plan_free(&prepared->plan);
    *prepared = (struct prepared){0};
}

static bool open_steps(const struct picture_request *request, struct prepared *made,
                       struct error *err)
{
    for (const struct plan *step = &made->plan; step; step = step->next) {
        const int i = made->steps;
        if (made->on_device && around_is_needed(step))
            return error_set(err, EXIT_DEVICE,
                             "in: --light, --region and --where need a picture in host memory");
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
                    const struct image_info *info, bool on_device, struct error *err)
{
    struct prepared *made = &context->prepared;
    struct picture_request request = context->request;

    if (made->id == filter->id && made->on_device == on_device &&
        memcmp(&made->info, info, sizeof *info) == 0)
        return true;
    context_forget(context);
    made->info = *info;
    made->on_device = on_device;
    request.filter = context->request.filter = filter->first->request;
    if (on_device) { /* `auto` has no choice then */
        request.device = DEVICE_CUDA;
        request.device_auto = false;
    }
    if (!picture_prepare(&request, info, &made->plan, &made->choice, err))
        return false;
    made->id = filter->id;
    if (picture_choose(&request, &made->plan, &made->choice, err) &&
        open_steps(&request, made, err))
        return true;
    context_forget(context);
    return false;
}

/* ---- whole pictures ---- */

/* A call of stencil_apply. */
struct whole {
    stencil_context *context;
    void *stream;
    struct image in, out;
    bool same; /* `out` is `in` */
};

static bool run_step(const struct whole *whole, int i, const struct plan *step,
                     const struct image *in, struct image *out, struct error *err)
{
    const stencil_context *context = whole->context;
    const struct prepared *prepared = &context->prepared;
    struct kernel_job job = kernel_job_whole(step, in, out);

    job.threads = picture_threads_worth(&prepared->choice);
    job.device_index = context->request.device_index;
    job.on_device = prepared->on_device;
    job.stream = whole->stream;
    job.queued = !prepared->plan.next; /* pictures between steps are for one call at a time */
    job.state = prepared->state[i];
    return kernel_run(prepared->kernel[i], &job, err);
}

static bool allocate(struct image *image, const struct image *like, struct error *err)
{
    return image_alloc(image, like->width, like->height, like->channels, like->type,
                       "the picture between two steps", err);
}

/* Runs all steps. The pictures between them are two, used in turn. A step's output is never its
 * input. */
static bool run_on_host(const struct whole *whole, struct error *err)
{
    const struct plan *step = &whole->context->prepared.plan;
    const struct image *in = &whole->in;
    struct image between[2] = {{0}, {0}}, from = *in, out = whole->out;
    bool good = true;

    if (whole->same && !step->next) {
        good = allocate(&between[1], in, err);
        for (int y = 0; good && y < in->height; y++)
            memcpy(image_row(&between[1], y), image_row(in, y), image_row_bytes(in));
        from = between[1];
    }
    for (int i = 0; step && good; i++, step = step->next) {
        struct image *to = step->next ? &between[i % 2] : &out;
        if (!to->data)
            good = allocate(to, in, err);
        good = good && run_step(whole, i, step, &from, to, err);
        from = *to;
    }
    for (int i = 0; i < 2; i++)
        image_free(&between[i]);
    return good;
}

/* Rows on a device begin at multiples of 256 bytes. */
static bool allocate_on_device(const stencil_context *context, struct image *image,
                               const struct image *like, struct error *err)
{
    const int index = context->request.device_index;

    *image = *like;
    image->pitch = (image_row_bytes(like) + 255) / 256 * 256;
    image->data =
        backend_find(DEVICE_CUDA)->memory_take(index, image->pitch * (size_t)image->height);
    return image->data ||
           error_set(err, EXIT_INPUT, "no memory on cuda:%d for the picture between two steps",
                     index);
}

/* As run_on_host; kernels of a device may write where they read. */
static bool run_on_device(struct whole *whole, struct error *err)
{
    struct prepared *prepared = &whole->context->prepared;
    const struct plan *step = &prepared->plan;
    struct image from = whole->in;
    bool good = true;

    for (int i = 0; step && good; i++, step = step->next) {
        struct image *to = step->next ? &prepared->between[i % 2] : &whole->out;
        if (!to->data)
            good = allocate_on_device(whole->context, to, &whole->in, err);
        good = good && run_step(whole, i, step, &from, to, err);
        from = *to;
    }
    return good;
}

static bool apply(stencil_context *context, const stencil_filter *filter, const stencil_image *in,
                  const stencil_image *out, struct error *err)
{
    struct whole whole = {.context = context};
    struct image_info info, out_info;
    bool on_device;

    if (!filter)
        return error_set(err, EXIT_USAGE, "filter: expected a filter, got NULL");
    if (!context_image(context, in, "in", &whole.in, &info, err) ||
        !context_image(context, out, "out", &whole.out, &out_info, err))
        return false;
    on_device = in->memory == STENCIL_CUDA;
    whole.stream = in->stream;
    if (in->memory != out->memory)
        return error_set(err, EXIT_USAGE, "out: it lies on the %s, but in on the %s",
                         on_device ? "host" : "device", on_device ? "device" : "host");
    return check_pair(&whole.in, &info, &whole.out, &out_info, &whole.same, err) &&
           (on_device || context_samples(&whole.in, "in", info.max, err)) &&
           prepare(context, filter, &info, on_device, err) &&
           (on_device ? run_on_device(&whole, err) : run_on_host(&whole, err));
}

stencil_status stencil_apply(stencil_context *context, const stencil_filter *filter,
                             const stencil_image *in, const stencil_image *out)
{
    return !context_begin(context)
               ? STENCIL_ARGUMENT
               : context_end(context, apply(context, filter, in, out, &context->err));
}

/* ---- some rows of a picture ---- */

/* Rows [first, end) of a picture. */
struct rows {
    int first, end;
};

/* The rows that one pass of STEP needs for ROWS of its output. */
static struct rows rows_before(const struct plan *step, struct rows rows, int height)
{
    struct bands reach;

    if (!bands_find_reach(&reach, step, height))
        return (struct rows){0, height};
    rows.first = rows.first < reach.above ? 0 : rows.first - reach.above;
    rows.end = height - rows.end < reach.below ? height : rows.end + reach.below;
    return rows;
}

/* The rows of the picture that STEP and the steps behind it need for ROWS of the last output, if
 * STEP has PASSES passes to make yet. */
static struct rows rows_needed(const struct plan *step, int passes, struct rows rows, int height)
{
    if (step->next)
        rows = rows_needed(step->next, step->next->repeat, rows, height);
    for (int i = 0; i < passes; i++)
        rows = rows_before(step, rows, height);
    return rows;
}

/* A picture of which IMAGE holds the rows from FIRST on. */
struct part {
    struct image image;
    int first;
};

/* Makes rows TO of STEP's output, in one pass. */
static bool run_pass(const stencil_context *context, int i, const struct plan *step,
                     const struct part *from, struct part *to, struct error *err)
{
    const struct prepared *prepared = &context->prepared;
    struct plan once = *step;
    struct kernel_job job = kernel_job_whole(&once, &from->image, &to->image);

    once.repeat = 1;
    job.picture_height = prepared->info.height;
    job.in_first_row = from->first;
    job.out_first_row = to->first;
    job.threads = picture_threads_worth(&prepared->choice);
    job.device_index = context->request.device_index;
    job.state = prepared->state[i];
    return kernel_run(prepared->kernel[i], &job, err);
}

/* Runs all passes of all steps; each makes the rows that the passes behind it need. */
static bool run_rows(const stencil_context *context, const struct part *in, const struct part *out,
                     struct error *err)
{
    const struct rows wanted = {out->first, out->first + out->image.height};
    const int height = context->prepared.info.height;
    struct part from = *in, made = {0};
    bool good = true;
    int i = 0;

    for (const struct plan *step = &context->prepared.plan; step; step = step->next, i++) {
        for (int left = step->repeat - 1; good && left >= 0; left--) {
            struct part to = *out;
            if (step->next || left > 0) {
                const struct rows rows = rows_needed(step, left, wanted, height);
                to.first = rows.first;
                good = image_alloc(&to.image, in->image.width, rows.end - rows.first,
                                   in->image.channels, in->image.type, "the rows between two steps",
                                   err);
            }
            good = good && run_pass(context, i, step, &from, &to, err);
            image_free(&made.image);
            from = to;
            if (to.image.data != out->image.data)
                made = to;
        }
    }
    image_free(&made.image);
    return good;
}

/* Prepares for a picture of IMAGE's shape, but HEIGHT rows high. */
static bool prepare_tall(stencil_context *context, const stencil_filter *filter,
                         struct image_info info, int height, struct error *err)
{
    if (!filter)
        return error_set(err, EXIT_USAGE, "filter: expected a filter, got NULL");
    info.height = height;
    return prepare(context, filter, &info, false, err);
}

static bool check_rows(const char *name, int first, int rows, int height, struct error *err)
{
    return (first >= 0 && rows >= 1 && rows <= height && first <= height - rows) ||
           error_set(err, EXIT_USAGE, "%s: rows %d to %d are not in a picture of %d rows", name,
                     first, first + rows - 1, height);
}

static bool find_needed(stencil_context *context, const stencil_filter *filter,
                        const stencil_image *picture, const struct rows *of, int *first, int *rows,
                        struct error *err)
{
    struct image image;
    struct image_info info;
    struct rows needed;

    if (!first || !rows)
        return error_set(err, EXIT_USAGE, "in_first, in_rows: expected places, got NULL");
    if (!context_shape(picture, "picture", &image, &info, err) ||
        !check_rows("first", of->first, of->end - of->first, info.height, err) ||
        !prepare_tall(context, filter, info, info.height, err))
        return false;
    needed = rows_needed(&context->prepared.plan, context->prepared.plan.repeat, *of, info.height);
    *first = needed.first;
    *rows = needed.end - needed.first;
    return true;
}

stencil_status stencil_rows_needed(stencil_context *context, const stencil_filter *filter,
                                   const stencil_image *picture, int32_t first, int32_t rows,
                                   int32_t *in_first, int32_t *in_rows)
{
    const struct rows of = {first, rows > INT32_MAX - 1 - (first < 0 ? 0 : first) ? INT32_MAX
                                                                                  : first + rows};

    return !context_begin(context)
               ? STENCIL_ARGUMENT
               : context_end(context, find_needed(context, filter, picture, &of, in_first, in_rows,
                                                  &context->err));
}

static bool apply_rows(stencil_context *context, const stencil_filter *filter, int height,
                       const stencil_image *given_in, int in_first, const stencil_image *given_out,
                       int out_first, struct error *err)
{
    struct part in = {.first = in_first}, out = {.first = out_first};
    struct image_info info, out_info;
    struct rows needed;

    if (!context_image(NULL, given_in, "in", &in.image, &info, err) ||
        !context_image(NULL, given_out, "out", &out.image, &out_info, err) ||
        !check_rows("in", in_first, info.height, height, err) ||
        !check_rows("out", out_first, out_info.height, height, err))
        return false;
    needed.first = out_first;
    needed.end = out_first + out_info.height;
    out_info.height = info.height;
    if (memcmp(&info, &out_info, sizeof info) != 0)
        return error_set(err, EXIT_USAGE, "out: its shape differs from that of in");
    if (overlap(&in.image, &out.image))
        return error_set(err, EXIT_USAGE, "out: it overlaps in");
    if (!context_samples(&in.image, "in", info.max, err) ||
        !prepare_tall(context, filter, info, height, err))
        return false;
    needed = rows_needed(&context->prepared.plan, context->prepared.plan.repeat, needed, height);
    if (needed.first < in_first || needed.end > in_first + info.height)
        return error_set(err, EXIT_USAGE,
                         "in: it holds rows %d to %d, but rows %d to %d are needed", in_first,
                         in_first + info.height - 1, needed.first, needed.end - 1);
    return run_rows(context, &in, &out, err);
}

stencil_status stencil_apply_rows(stencil_context *context, const stencil_filter *filter,
                                  int32_t height, const stencil_image *in, int32_t in_first,
                                  const stencil_image *out, int32_t out_first)
{
    return !context_begin(context)
               ? STENCIL_ARGUMENT
               : context_end(context, apply_rows(context, filter, height, in, in_first, out,
                                                 out_first, &context->err));
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
    struct image image;
    struct image_info info;

    if (!filter)
        return error_set(err, EXIT_USAGE, "filter: expected a filter, got NULL");
    if (!text)
        return error_set(err, EXIT_USAGE, "text: expected a place, got NULL");
    if (!context_shape(in, "in", &image, &info, err) ||
        !prepare(context, filter, &info, false, err) || !describe(context, json, err))
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
