/* One picture through the tool: see run/picture.h. */
#include "run/picture.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "kernel/backend.h"
#include "kernel/band_device.h"
#include "run/frames.h"

bool picture_check(const struct picture_request *request, const char *output, struct error *err)
{
    const struct kernel *kernel = request->kernel;
    if (kernel && !request->device_auto && kernel->device != request->device)
        return error_set(err, EXIT_USAGE, "kernel %s does not run on --device %s", kernel->name,
                         backend_find(request->device)->name);
    if (request->method &&
        (kernel ? !kernel->open : !request->device_auto && request->device != DEVICE_CPU))
        return error_set(err, EXIT_USAGE, "--method %s is for the CPU: %s %s has no methods",
                         request->method, kernel ? "kernel" : "device",
                         kernel ? kernel->name : backend_find(request->device)->name);
    return sink_check_format(output, &request->sink, err);
}

/* ---- what surrounds a filter ---- */

static bool load_where(struct filter_request *step, struct error *err)
{
    struct source *source;
    int channels;
    bool ok;

    if (!step->where)
        return true;
    if (strcmp(step->where, "-") == 0)
        return error_set(err, EXIT_USAGE, "--where -: expected the name of a file");
    if (!source_open(&source, step->where, err))
        return false;
    channels = source_info(source)->channels;
    step->where_max = source_info(source)->max;
    ok = channels == 1 ||
         error_set(err, EXIT_INPUT, "--where %s: expected a gray picture, not one with %d channels",
                   step->where, channels);
    ok = ok && source_read_all(source, &step->where_picture, err);
    source_close(source);
    return ok;
}

bool picture_load(struct filter_request *request, struct error *err)
{
    if (!filter_load(request, err))
        return false;
    int number = request->next ? 1 : 0;
    for (struct filter_request *step = request; step; step = step->next, number++)
        if (!load_where(step, err)) {
            picture_unload(request);
            return error_in_step(err, number);
        }
    return true;
}

void picture_unload(struct filter_request *request)
{
    filter_unload(request);
    for (; request; request = request->next)
        image_free(&request->where_picture);
}

/* Does what surrounds the step suit the picture? */
static bool check_around(const struct filter_request *step, const struct image_info *info,
                         struct error *err)
{
    const struct plan_region *region = &step->region;
    const struct image *where = &step->where_picture;

    if (info->format == FORMAT_Y4M && step->channels)
        return error_set(err, EXIT_USAGE,
                         "--channels is for pictures: all planes of a video are filtered");
    if (info->format == FORMAT_Y4M &&
        (step->light || step->where || step->has_nodata || region->width > 0))
        return error_set(err, EXIT_USAGE,
                         "--light, --region, --where and --nodata are for pictures, not for "
                         "videos");
    if (region->width > 0 && (region->x >= info->width || region->y >= info->height))
        return error_set(
            err, EXIT_USAGE, "--region %d,%d,%d,%d lies outside the picture of %d x %d pixels",
            region->x, region->y, region->width, region->height, info->width, info->height);
    return !step->where || (where->width == info->width && where->height == info->height) ||
           error_set(err, EXIT_INPUT, "--where %s has %d x %d pixels, but the picture has %d x %d",
                     step->where, where->width, where->height, info->width, info->height);
}

/* ---- the plan ---- */

bool picture_prepare(const struct picture_request *request, const struct image_info *info,
                     struct plan *plan, struct picture_choice *choice, struct error *err)
{
    int number = request->filter.next ? 1 : 0;

    for (const struct filter_request *step = &request->filter; step; step = step->next, number++)
        if (!check_around(step, info, err))
            return error_in_step(err, number);
    if (!filter_plan(&request->filter, info->channels, info->type, info->max, plan, err))
        return false;
    picture_estimate(request, plan, info, choice);
    return true;
}

bool picture_method(const struct picture_request *request, const struct picture_report *report,
                    const struct plan *step, const char **method, struct error *err)
{
    const struct kernel *kernel = picture_kernel(request, &report->choice, step);
    struct kernel_state *state;

    if (!kernel_open(kernel, step, report->info.width, report->info.height, request->method, &state,
                     err))
        return false;
    *method = state ? state->method : NULL;
    kernel_close(kernel, state);
    return true;
}

bool picture_reach(const struct plan *step, const struct picture_report *report, int *above,
                   int *below)
{
    struct bands bands;
    const bool near = bands_find_reach(&bands, step, report->info.height);

    *above = bands.above;
    *below = bands.below;
    return near;
}

/* How the steps run in bands; the job's pointers go to the caller's REQUEST, KERNELS and CHOICE. */
static struct pipeline_job pipeline_job_of(const struct picture_request *request,
                                           struct source *source, const char *input,
                                           const char *output, const struct plan *plan,
                                           const struct picture_choice *choice, bool cuda,
                                           const struct kernel *kernels[CHAIN_MOST])
{
    int steps = 0;

    for (const struct plan *step = plan; step && !cuda; step = step->next)
        kernels[steps++] = picture_kernel(request, choice, step);
    return (struct pipeline_job){.plan = plan,
                                 .kernels = cuda ? NULL : kernels,
                                 .method = request->method,
                                 .source = source,
                                 .input = input,
                                 .output = output,
                                 .sink = &request->sink,
                                 .threads = choice->threads,
                                 .workers = picture_threads_worth(choice),
                                 .tile = choice->tile,
                                 .band_rows = request->band_rows,
                                 .device_index = request->device_index,
                                 .progress = request->progress};
}

static uint64_t bytes_held(const struct picture_request *request, struct source *source,
                           const char *input, const char *output, const struct plan *plan,
                           const struct picture_report *report)
{
    const struct kernel *kernels[CHAIN_MOST];
    const struct image_info *info = &report->info;
    const struct pipeline_job job =
        pipeline_job_of(request, source, input, output, plan, &report->choice,
                        report->choice.device == DEVICE_CUDA, kernels);
    struct pipeline *pipeline = request->verify ? NULL : pipeline_open(&job);
    uint64_t bytes = 2 * (uint64_t)info->width * (uint64_t)info->height * (uint64_t)info->channels *
                     info->type; /* input and output */

    if (pipeline) {
        bytes = pipeline_bytes(pipeline);
        pipeline_free(pipeline);
    }
    return bytes;
}

bool picture_plan(const struct picture_request *request, const char *input, const char *output,
                  struct plan *plan, struct picture_report *report, struct error *err)
{
    struct source *source = NULL;
    bool ok;
    memset(report, 0, sizeof *report);
    ok = source_open_pages(&source, input, err);
    if (ok) {
        report->info = *source_info(source);
        ok = picture_prepare(request, &report->info, plan, &report->choice, err);
    }
    if (ok && !(picture_choose(request, plan, &report->choice, err) &&
                picture_method(request, report, plan, &report->method, err))) {
        plan_free(plan);
        ok = false;
    }
    if (ok && plan->next)
        report->bytes = bytes_held(request, source, input, output, plan, report);
    source_close(source);
    return ok;
}

/* ---- CUDA start-up during decoding ---- */

struct starter {
    pthread_t thread;
    bool running;
    int device_index;
    double over; /* when the start was over */
};

static void *starter_run(void *argument)
{
    struct starter *starter = argument;
    struct error ignored; /* the run itself reports what is wrong */
    backend_find(DEVICE_CUDA)->start(starter->device_index, &ignored);
    starter->over = clock_ms();
    return NULL;
}

static void starter_begin(struct starter *starter, int index)
{
    const struct backend *cuda = backend_find(DEVICE_CUDA);

    if (cuda->is_ready && cuda->is_ready(index)) /* starting a thread would take longer */
        return;
    starter->device_index = index;
    starter->running = pthread_create(&starter->thread, NULL, starter_run, starter) == 0;
}

static void starter_end(struct starter *starter)
{
    if (starter->running)
        pthread_join(starter->thread, NULL);
    starter->running = false;
}

/* ---- memory for the pictures of a batch ---- */

void *picture_pinned(enum device device, int index, size_t bytes)
{
    const struct backend *backend = backend_find(device);

    return backend->host_take ? backend->host_take(index, bytes) : NULL;
}

void picture_memory_free(void *memory)
{
    const struct backend *cuda = backend_find(DEVICE_CUDA);

    if (memory && !(cuda->host_give && cuda->host_give(memory)))
        free(memory);
}

/* Takes pinned memory, which the device copies from and to directly: a thread waits neither for a
 * copy through the driver's own buffers nor for other threads' copies. Pinning does not pay for a
 * single picture. False, without an error, if there is no such memory or DEVICE is the CPU. */
static bool memory_take(struct image *image, const struct picture_request *request,
                        enum device device, const struct image_info *info, const char *name)
{
    struct error ignored;
    size_t bytes;

    if (!request->device_shared || !image_measure(image, info->width, info->height, info->channels,
                                                  info->type, name, &bytes, &ignored))
        return false;
    image->data = picture_pinned(device, request->device_index, bytes);
    return image->data != NULL;
}

/* Frees any picture's memory; harmless on a zeroed image. */
static void memory_free(struct image *image)
{
    picture_memory_free(image->data);
    memset(image, 0, sizeof *image);
}

/* ---- from input to output ---- */

static bool verify_pass(const struct kernel_job *job, const void *context, struct error *err)
{
    (void)context, (void)err;
    reference_rows(job, job->threads);
    return true;
}

bool picture_verify(const struct picture_request *request, const struct plan *plan,
                    const struct image *in, const struct image *out, int threads, const char *name,
                    struct error *err)
{
    struct image want;
    struct kernel_job job;
    bool ok;

    if (!image_alloc(&want, out->width, out->height, out->channels, out->type, name, err))
        return false;
    job = kernel_job_whole(plan, in, &want);
    job.threads = threads;
    job.progress = request->progress;
    ok = passes_run(&job, verify_pass, NULL, err);
    for (int y = 0; ok && y < out->height; y++)
        ok = reference_check_row(out, y, &want, y, y, name, ": the output", err);
    image_free(&want);
    return ok;
}

/* One step. OUT gets the shape of IN. */
static bool filter_step(const struct picture_request *request, const struct plan *plan,
                        const struct image *in, struct image *out, const char *name,
                        struct picture_report *report, struct error *err)
{
    const struct picture_choice *choice = &report->choice;
    const struct kernel *kernel = picture_kernel(request, choice, plan);
    struct kernel_job job;
    bool ok;

    if (!memory_take(out, request, choice->device, &report->info, name) &&
        !image_alloc(out, in->width, in->height, in->channels, in->type, name, err))
        return false;
    job = kernel_job_whole(plan, in, out);
    job.threads = picture_threads_worth(choice);
    job.tile = choice->tile;
    job.device_index = request->device_index;
    job.times = &report->times;
    job.progress = request->progress;
    if (!kernel_open(kernel, plan, in->width, in->height, request->method, &job.state, err))
        return false;
    report->method = report->method || !job.state ? report->method : job.state->method;
    ok = kernel_run(kernel, &job, err);
    kernel_close(kernel, job.state);
    return ok &&
           (!request->verify || picture_verify(request, plan, in, out, choice->threads, name, err));
}

/* Passes of all steps. */
static int count_passes(const struct plan *plan)
{
    int passes = 0;

    for (; plan; plan = plan->next)
        passes += plan->repeat;
    return passes;
}

/* The state of one run of picture_filter. */
struct run {
    const struct picture_request *request;
    const char *input, *output;
    struct source *source;
    struct plan plan;
    struct picture_report *report;
    bool chosen; /* false: CUDA is still starting; the choice comes last */
    struct sink_pages pages;
    _Atomic uint64_t ends[CHAIN_MOST + 1]; /* as in struct pipeline_job */
};

/* Everything between decoder and encoder: the steps one after the other. OUT gets the shape of IN,
 * which is freed. */
static bool filter_image(struct run *run, struct image *in, struct image *out, struct error *err)
{
    const uint32_t max = run->report->info.max;
    bool ok = true;
    int i = 0;

    for (const struct plan *step = &run->plan; step && ok; step = step->next, i++) {
        picture_count_ends(step, in, max, &run->ends[i]);
        ok = filter_step(run->request, step, in, out, run->input, run->report, err);
        if (ok)
            picture_count_ends(step, out, max, &run->ends[i + 1]);
        memory_free(in);
        if (step->next) {
            *in = *out;
            *out = (struct image){0};
        }
    }
    return ok;
}

static bool write_image(const struct run *run, const struct image *image, struct error *err)
{
    struct sink *sink = NULL;

    if (!sink_open(&sink, run->output, &run->report->info, &run->request->sink, err))
        return false;
    if (!sink_write(sink, image, err)) {
        sink_abort(sink);
        return false;
    }
    return sink_finish_page(sink, run->source, err);
}

/* Decodes, filters and encodes the picture in one piece, one stage after the other. */
static bool run_whole(struct run *run, struct error *err)
{
    struct picture_report *report = run->report;
    struct image in = {0}, out = {0};
    double start = clock_ms(), decoded, filtered;
    int passes = count_passes(&run->plan) * (run->request->verify ? 2 : 1);
    enum device device = run->chosen ? report->choice.device : DEVICE_CUDA;
    bool ok;

    if (run->request->progress)
        run->request->progress->all = passes + 2;
    ok = memory_take(&in, run->request, device, &report->info, run->input)
             ? source_read(run->source, &in, err)
             : source_read_all(run->source, &in, err);

    ok = ok && (run->chosen || picture_choose(run->request, &run->plan, &report->choice, err));
    decoded = clock_ms();
    if (run->request->progress)
        run->request->progress->done = 1;
    ok = ok && filter_image(run, &in, &out, err);
    memory_free(&in);
    filtered = clock_ms();
    ok = ok && write_image(run, &out, err);
    report->decode_ms = decoded - start;
    report->filter_ms = filtered - decoded;
    report->encode_ms = clock_ms() - filtered;
    memory_free(&out);
    return ok;
}

static bool choose_late(void *context, const struct kernel *kernels[CHAIN_MOST], struct error *err)
{
    struct run *run = context;
    struct picture_choice *choice = &run->report->choice;

    if (!run->chosen && !picture_choose(run->request, &run->plan, choice, err))
        return false;
    for (const struct plan *step = &run->plan; step; step = step->next)
        *kernels++ = picture_kernel(run->request, choice, step);
    return true;
}

/* Runs the three stages overlapped, in bands, if that is possible and pays; else one by one. */
static bool run_all(struct run *run, bool cuda, struct error *err)
{
    const struct picture_request *request = run->request;
    const struct kernel *kernels[CHAIN_MOST];
    struct pipeline_job job = pipeline_job_of(request, run->source, run->input, run->output,
                                              &run->plan, &run->report->choice, cuda, kernels);
    struct pipeline_times times = {0};
    struct pipeline *pipeline = NULL;
    bool ok;

    job.choose = choose_late;
    job.choose_context = run;
    job.ends = run->ends;
    if (!request->verify && request->band_rows >= 0 && !(cuda && request->device_shared))
        pipeline = pipeline_open(&job);
    if (!pipeline)
        return run_whole(run, err);
    run->report->method = pipeline_method(pipeline);
    ok = pipeline_run(pipeline, &times, err);
    kernel_times_add(&run->report->times, &times.device);
    run->report->decode_ms = times.decode_ms;
    run->report->filter_ms = times.filter_ms;
    run->report->encode_ms = times.encode_ms;
    run->report->start_ms = times.start_ms;
    run->report->at = times.at;
    return ok;
}

/* ---- clipped samples ---- */

/* More clipped samples than this part of all are worth a warning. */
#define CLIPPED_PART 0.01

void picture_count_ends(const struct plan *step, const struct image *image, uint32_t max,
                        _Atomic uint64_t *ends)
{
    if (plan_changes_brightness(step))
        *ends = image_count_ends(image, max);
}

void picture_note_clipped(struct picture_report *report, const char *input, const struct plan *plan,
                          const _Atomic uint64_t *ends)
{
    const struct image_info *info = &report->info;
    const bool chain = plan->next != NULL;
    double samples = (double)info->width * info->height * info->channels;
    char where[32] = "";

    for (int i = 0; plan && report->clipped[0] == '\0'; plan = plan->next, i++) {
        const struct plan_mask *m = &plan->mask[0];
        double part = ((double)ends[i + 1] - (double)ends[i]) / samples;
        if (!plan_changes_brightness(plan) || part <= CLIPPED_PART)
            continue;
        if (chain)
            snprintf(where, sizeof where, "step %d: ", i + 1);
        snprintf(report->clipped, sizeof report->clipped,
                 "%.100s: %s%.0f %% of the samples became 0 or %" PRIu32
                 ", because the mask's weights "
                 "sum to %.6g times its divisor; --normalize divides by their sum",
                 input, where, 100 * part, info->max, (double)m->sum / (double)m->divisor);
    }
}

void picture_keep_warning(struct picture_report *report, struct source *source, enum format output)
{
    const char *warning = source_warning(source, output);

    if (warning && report->warning[0] == '\0')
        snprintf(report->warning, sizeof report->warning, "%s", warning);
}

/* STARTED may be late or 0 if the picture's own thread was first to start the device. */
static void count_from(struct pipeline_moments *at, double started, double start)
{
    if (at->opened <= 0)
        return;
    at->started = (started > 0 && started < at->opened ? started : at->opened) - start;
    at->opened -= start;
    at->decoded -= start;
    at->first_band -= start;
    at->last_band -= start;
    at->encoded -= start;
}

/* Filters the page that the source is at. *cuda: whether the device is CUDA's. START: when opening
 * the page began. */
static bool filter_page(struct run *run, struct picture_request *request, bool *cuda, double start,
                        struct error *err)
{
    struct picture_report *report = run->report;
    const double decode_ms = report->decode_ms, filter_ms = report->filter_ms;
    const double encode_ms = report->encode_ms;
    enum format format;
    double prepared;
    bool ok;

    report->info = *source_info(run->source);
    run->chosen = false;
    if (!picture_prepare(request, &report->info, &run->plan, &report->choice, err) ||
        !sink_check(run->output, &report->info, &request->sink, err))
        return false;
    if (!*cuda) {
        if (!picture_choose(request, &run->plan, &report->choice, err))
            return false;
        run->chosen = true;
        *cuda = report->choice.device == DEVICE_CUDA;
    }
    request->sink.threads = report->choice.threads;
    request->sink.metadata = source_metadata(run->source);
    memset(run->ends, 0, sizeof run->ends);
    format = sink_format(run->output, &report->info, &request->sink);
    run->pages.more = source_has_more(run->source, format);
    picture_keep_warning(report, run->source, format);
    prepared = clock_ms() - start;
    ok = run_all(run, *cuda, err);
    report->samples += (uint64_t)report->info.width * (uint64_t)report->info.height *
                       (uint64_t)report->info.channels;
    if (ok)
        picture_note_clipped(report, run->input, &run->plan, run->ends);
    /* The header counts as decoding; with some formats it takes the whole file. */
    report->decode_ms += prepared + decode_ms;
    report->filter_ms += filter_ms;
    report->encode_ms += encode_ms;
    return ok;
}

/* Filters all pages that the output can hold. */
static bool filter_pages(struct run *run, struct picture_request *request, bool *cuda, double start,
                         struct error *err)
{
    struct frames_job frames = {.request = request,
                                .source = run->source,
                                .input = run->input,
                                .output = run->output,
                                .pages = &run->pages,
                                .report = run->report};
    const struct image_info first = *source_info(run->source);
    const bool asked = *cuda;
    bool ok;

    request->sink.pages = &run->pages;
    run->pages.more =
        source_has_more(run->source, sink_format(run->output, &first, &request->sink));
    do {
        *cuda = asked;
        if (frames_can_run(&frames)) {
            ok = frames_run(&frames, err);
        } else {
            ok = filter_page(run, request, cuda, start, err);
            plan_free(&run->plan);
            ok = ok && (!run->pages.more || source_next(run->source, err));
        }
        start = clock_ms();
    } while (ok && run->pages.more);
    run->report->info = first;
    sink_abort(run->pages.sink); /* of a page that could not be filtered */
    return ok;
}

bool picture_filter(const struct picture_request *request, const char *input, const char *output,
                    struct picture_report *report, struct error *err)
{
    struct picture_request kept = *request;
    struct run run = {.request = &kept, .input = input, .output = output, .report = report};
    struct starter starter = {0};
    bool ok, cuda = picture_asks_for_cuda(request);
    double start = clock_ms();

    memset(report, 0, sizeof *report);
    if (!source_open_pages(&run.source, input, err))
        return false;
    if (cuda)
        starter_begin(&starter, request->device_index);
    ok = filter_pages(&run, &kept, &cuda, start, err);
    report->total_ms = clock_ms() - start;
    if (!cuda)
        report->times.kernel_ms = report->filter_ms;
    starter_end(&starter);
    count_from(&report->at, starter.over, start);
    source_close(run.source);
    return ok;
}
