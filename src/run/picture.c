/* One picture through the tool: see run/picture.h. */
#include "run/picture.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "kernel/backend.h"

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

/* Makes the plan, and the part of the choice that needs no device. */
static bool prepare(const struct picture_request *request, struct source *source, struct plan *plan,
                    struct picture_report *report, struct error *err)
{
    report->info = *source_info(source);
    if (!filter_plan(&request->filter, report->info.channels, report->info.type, report->info.max,
                     plan, err))
        return false;
    picture_estimate(request, plan, &report->info, &report->choice);
    return true;
}

/* The method that would run the whole picture. */
static bool find_method(const struct picture_request *request, const struct plan *plan,
                        struct picture_report *report, struct error *err)
{
    struct kernel_state *state;

    if (!kernel_open(report->choice.kernel, plan, report->info.width, report->info.height,
                     request->method, &state, err))
        return false;
    report->method = state ? state->method : NULL;
    kernel_close(report->choice.kernel, state);
    return true;
}

bool picture_plan(const struct picture_request *request, const char *input, struct plan *plan,
                  struct picture_report *report, struct error *err)
{
    struct source *source = NULL;
    bool ok;
    memset(report, 0, sizeof *report);
    ok = source_open(&source, input, err) && prepare(request, source, plan, report, err);
    if (ok && !(picture_choose(request, plan, &report->choice, err) &&
                find_method(request, plan, report, err))) {
        plan_free(plan);
        ok = false;
    }
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

/* Takes pinned memory, which the device copies from and to directly: a thread waits neither for a
 * copy through the driver's own buffers nor for other threads' copies. Pinning does not pay for a
 * single picture. False, without an error, if there is no such memory or DEVICE is the CPU. */
static bool memory_take(struct image *image, const struct picture_request *request,
                        enum device device, const struct image_info *info, const char *name)
{
    const struct backend *cuda = backend_find(DEVICE_CUDA);
    struct error ignored;
    size_t bytes;

    if (!request->device_shared || device != DEVICE_CUDA || !cuda->host_take ||
        !image_measure(image, info->width, info->height, info->channels, info->type, name, &bytes,
                       &ignored))
        return false;
    image->data = cuda->host_take(request->device_index, bytes);
    return image->data != NULL;
}

/* Frees any picture's memory; harmless on a zeroed image. */
static void memory_free(struct image *image)
{
    const struct backend *cuda = backend_find(DEVICE_CUDA);

    if (image->data && cuda->host_give && cuda->host_give(image->data))
        memset(image, 0, sizeof *image);
    else
        image_free(image);
}

/* ---- from input to output ---- */

/* Starting and ending a thread takes about 30 us. Less filtering than this needs no threads. */
#define THREADS_WORTH_MS 0.2

static int threads_worth(const struct picture_choice *choice)
{
    return choice->cost.work_ms < THREADS_WORTH_MS ? 1 : choice->threads;
}

static bool verify_pass(const struct kernel_job *job, const void *context, struct error *err)
{
    (void)context, (void)err;
    reference_rows(job, job->threads);
    return true;
}

/* Runs the reference and compares OUT with it, for --verify. */
static bool verify(const struct picture_request *request, const struct plan *plan,
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

/* Everything between decoder and encoder. OUT gets the shape of IN. */
static bool filter_image(const struct picture_request *request, const struct plan *plan,
                         const struct image *in, struct image *out, const char *name,
                         struct picture_report *report, struct error *err)
{
    const struct picture_choice *choice = &report->choice;
    struct kernel_job job;
    bool ok;

    if (!memory_take(out, request, choice->device, &report->info, name) &&
        !image_alloc(out, in->width, in->height, in->channels, in->type, name, err))
        return false;
    job = kernel_job_whole(plan, in, out);
    job.threads = threads_worth(choice);
    job.tile = choice->tile;
    job.device_index = request->device_index;
    job.times = &report->times;
    job.progress = request->progress;
    if (!kernel_open(choice->kernel, plan, in->width, in->height, request->method, &job.state, err))
        return false;
    report->method = job.state ? job.state->method : NULL;
    large_alloc_keep_small(); /* repeated passes and pieces allocate the same buffers again */
    ok = kernel_run(choice->kernel, &job, err);
    kernel_close(choice->kernel, job.state);
    return ok && (!request->verify || verify(request, plan, in, out, choice->threads, name, err));
}

static bool write_image(const struct picture_request *request, const struct image *image,
                        const char *output, const struct picture_report *report, struct error *err)
{
    struct sink *sink = NULL;

    if (!sink_open(&sink, output, &report->info, &request->sink, err))
        return false;
    if (!sink_write(sink, image, err)) {
        sink_abort(sink);
        return false;
    }
    return sink_finish(sink, err);
}

/* The state of one run of picture_filter. */
struct run {
    const struct picture_request *request;
    const char *input, *output;
    struct source *source;
    struct plan plan;
    struct picture_report *report;
    bool chosen; /* false: CUDA is still starting; the choice comes last */
    bool counts; /* the samples that are 0 or max, before and after */
    uint64_t ends_in, ends_out;
};

/* Decodes, filters and encodes the picture in one piece, one stage after the other. */
static bool run_whole(struct run *run, struct error *err)
{
    struct picture_report *report = run->report;
    struct image in = {0}, out = {0};
    double start = clock_ms(), decoded, filtered;
    int passes = run->plan.repeat * (run->request->verify ? 2 : 1);
    enum device device = run->chosen ? report->choice.device : DEVICE_CUDA;
    bool ok = memory_take(&in, run->request, device, &report->info, run->input)
                  ? source_read(run->source, &in, err)
                  : source_read_all(run->source, &in, err);

    ok = ok && (run->chosen || picture_choose(run->request, &run->plan, &report->choice, err));
    decoded = clock_ms();
    if (run->request->progress) {
        run->request->progress->all = passes + 2;
        run->request->progress->done = 1;
    }
    ok = ok && filter_image(run->request, &run->plan, &in, &out, run->input, report, err);
    if (ok && run->counts) {
        run->ends_in = image_count_ends(&in, report->info.max);
        run->ends_out = image_count_ends(&out, report->info.max);
    }
    memory_free(&in);
    filtered = clock_ms();
    ok = ok && write_image(run->request, &out, run->output, report, err);
    report->decode_ms = decoded - start;
    report->filter_ms = filtered - decoded;
    report->encode_ms = clock_ms() - filtered;
    memory_free(&out);
    return ok;
}

static const struct kernel *choose_late(void *context, struct error *err)
{
    struct run *run = context;
    return run->chosen || picture_choose(run->request, &run->plan, &run->report->choice, err)
               ? run->report->choice.kernel
               : NULL;
}

/* Runs the three stages overlapped, in bands, if that is possible and pays; else one by one. */
static bool run_all(struct run *run, bool cuda, struct error *err)
{
    const struct picture_request *request = run->request;
    const struct picture_choice *choice = &run->report->choice;
    struct pipeline_job job = {.plan = &run->plan,
                               .kernel = cuda ? NULL : choice->kernel,
                               .method = request->method,
                               .source = run->source,
                               .input = run->input,
                               .output = run->output,
                               .sink = &request->sink,
                               .threads = choice->threads,
                               .tile = choice->tile,
                               .band_rows = request->band_rows,
                               .choose = choose_late,
                               .choose_context = run,
                               .device_index = request->device_index,
                               .count_ends = run->counts,
                               .progress = request->progress};
    struct pipeline_times times = {0};
    struct pipeline *pipeline = NULL;
    bool ok;

    if (!request->verify && request->band_rows >= 0 && !(cuda && request->device_shared))
        pipeline = pipeline_open(&job);
    if (!pipeline)
        return run_whole(run, err);
    run->report->method = pipeline_method(pipeline);
    ok = pipeline_run(pipeline, &times, err);
    run->report->times = times.device;
    run->report->decode_ms = times.decode_ms;
    run->report->filter_ms = times.filter_ms;
    run->report->encode_ms = times.encode_ms;
    run->report->start_ms = times.start_ms;
    run->report->at = times.at;
    run->ends_in = times.ends_in;
    run->ends_out = times.ends_out;
    return ok;
}

/* ---- clipped samples ---- */

/* More clipped samples than this part of all are worth a warning. */
#define CLIPPED_PART 0.01

/* Can the mask make flat areas brighter or darker? With a sum of 0 they become black, which is
 * what such a mask is for. */
static bool changes_brightness(const struct plan *plan)
{
    return (plan->kind == PLAN_LINEAR || plan->kind == PLAN_LONG) && plan->mask[0].sum != 0 &&
           plan->mask[0].sum != plan->mask[0].divisor;
}

static void note_clipped(const struct run *run)
{
    const struct plan_mask *m = &run->plan.mask[0];
    struct picture_report *report = run->report;
    const struct image_info *info = &report->info;
    double samples = (double)info->width * info->height * info->channels;
    double part = ((double)run->ends_out - (double)run->ends_in) / samples;

    if (run->counts && part > CLIPPED_PART)
        snprintf(report->clipped, sizeof report->clipped,
                 "%.100s: %.0f %% of the samples became 0 or %" PRIu32
                 ", because the mask's weights "
                 "sum to %.6g times its divisor; --normalize divides by their sum",
                 run->input, 100 * part, info->max, (double)m->sum / (double)m->divisor);
}

/* Passes the input's metadata on; the output's format takes what it can hold. */
static void pass_metadata(struct sink_options *sink, struct source *source, const char *output,
                          struct picture_report *report)
{
    enum format format = sink_format(output, &report->info, sink);
    const char *warning = source_warning(source, format);

    sink->metadata = source_metadata(source);
    snprintf(report->warning, sizeof report->warning, "%s", warning ? warning : "");
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

/* Adds the times of the earlier pages to those of the last one, and keeps the first warnings. */
static void join_pages(struct picture_report *report, const struct picture_report *before)
{
    report->decode_ms += before->decode_ms;
    report->filter_ms += before->filter_ms;
    report->encode_ms += before->encode_ms;
    if (before->warning[0] != '\0')
        memcpy(report->warning, before->warning, sizeof report->warning);
    if (before->clipped[0] != '\0')
        memcpy(report->clipped, before->clipped, sizeof report->clipped);
}

/* Filters the page that the source is at. *cuda: whether the device is CUDA's. START: when opening
 * the page began. */
static bool filter_page(struct run *run, struct picture_request *request, bool *cuda, double start,
                        struct error *err)
{
    struct picture_report *report = run->report;
    double prepared;
    bool ok;

    run->chosen = false;
    if (!prepare(request, run->source, &run->plan, report, err) ||
        !sink_check(run->output, &report->info, &request->sink, err))
        return false;
    if (!*cuda) {
        if (!picture_choose(request, &run->plan, &report->choice, err))
            return false;
        run->chosen = true;
        *cuda = report->choice.device == DEVICE_CUDA;
    }
    request->sink.threads = report->choice.threads;
    run->counts = changes_brightness(&run->plan);
    pass_metadata(&request->sink, run->source, run->output, report);
    prepared = clock_ms() - start;
    ok = run_all(run, *cuda, err);
    report->decode_ms += prepared; /* the header, and with some formats the whole file */
    note_clipped(run);
    return ok;
}

/* Filters all pages that the output can hold. */
static bool filter_pages(struct run *run, struct picture_request *request, bool *cuda, double start,
                         struct error *err)
{
    struct sink_pages pages = {0};
    struct picture_report before = {0};
    const bool asked = *cuda;
    bool ok;

    request->sink.pages = &pages;
    do {
        enum format format = sink_format(run->output, source_info(run->source), &request->sink);
        pages.more = source_has_more(run->source, format);
        *cuda = asked;
        ok = filter_page(run, request, cuda, start, err);
        plan_free(&run->plan);
        join_pages(run->report, &before);
        before = *run->report;
        start = clock_ms();
    } while (ok && pages.more && (ok = source_next(run->source, err)));
    sink_abort(pages.sink); /* of a page that could not be filtered */
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
    if (!source_open(&run.source, input, err))
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
