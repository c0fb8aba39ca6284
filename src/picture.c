/* One picture through the tool: see picture.h. */
#include "picture.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "backend.h"
#include "pipeline.h"

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

bool picture_check(const struct picture_request *request, const char *output, struct error *err)
{
    const struct kernel *kernel = request->kernel;
    if (kernel && kernel->dims != 2)
        return error_set(err, EXIT_USAGE, "kernel %s is for signals, not for pictures",
                         kernel->name);
    if (kernel && !request->device_auto && kernel->device != request->device)
        return error_set(err, EXIT_USAGE, "kernel %s does not run on --device %s", kernel->name,
                         backend_find(request->device)->name);
    return sink_check_format(output, &request->sink, err) && filter_check(&request->filter, err);
}

/* Opens, and makes plan and choice. */
static bool prepare(const struct picture_request *request, const char *input,
                    struct source **source, struct plan *plan, struct picture_report *report,
                    struct error *err)
{
    if (!source_open(source, input, err))
        return false;
    report->info = *source_info(*source);
    if (source_warning(*source))
        snprintf(report->warning, sizeof report->warning, "%s", source_warning(*source));
    if (!filter_plan(&request->filter, report->info.channels, report->info.type, report->info.max,
                     plan, err))
        return false;
    if (picture_choose(request, plan, &report->info, &report->choice, err))
        return true;
    plan_free(plan);
    return false;
}

bool picture_plan(const struct picture_request *request, const char *input, struct plan *plan,
                  struct picture_report *report, struct error *err)
{
    struct source *source = NULL;
    bool ok;
    memset(report, 0, sizeof *report);
    ok = prepare(request, input, &source, plan, report, err);
    source_close(source);
    return ok;
}

/* ---- CUDA start-up beside decoding ---- */

struct starter {
    pthread_t thread;
    bool running;
    int device_index;
};

static void *starter_run(void *argument)
{
    struct starter *starter = argument;
    struct error ignored; /* the run itself reports what is wrong */
    backend_find(DEVICE_CUDA)->start(starter->device_index, &ignored);
    return NULL;
}

static void starter_begin(struct starter *starter, const struct picture_choice *choice, int index)
{
    starter->device_index = index;
    starter->running = choice->device == DEVICE_CUDA &&
                       pthread_create(&starter->thread, NULL, starter_run, starter) == 0;
}

static void starter_end(struct starter *starter)
{
    if (starter->running)
        pthread_join(starter->thread, NULL);
    starter->running = false;
}

/* ---- the whole way ---- */

/* A thread takes about 30 us to start and to end: below this much filtering it brings nothing. */
#define THREADS_WORTH_MS 0.2

static int threads_worth(const struct picture_choice *choice)
{
    return choice->cpu_ms * choice->threads < THREADS_WORTH_MS ? 1 : choice->threads;
}

/* in and out are of one shape; everything between decoder and encoder. */
static bool filter_image(const struct picture_request *request, const struct plan *plan,
                         const struct image *in, struct image *out, const char *name,
                         struct picture_report *report, struct error *err)
{
    const struct picture_choice *choice = &report->choice;
    struct kernel_job job;

    if (!image_alloc(out, in->width, in->height, in->channels, in->type, name, err))
        return false;
    job = kernel_job_whole(plan, in, out);
    job.threads = threads_worth(choice);
    job.tile = choice->tile;
    job.device_index = request->device_index;
    job.times = &report->times;
    if (!choice->kernel->run(&job, err))
        return false;
    return !request->verify || picture_verify(plan, in, out, choice->threads, name, err);
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

/* Decoding, filtering and encoding one after the other, the picture in one piece. */
static bool run_whole(const struct picture_request *request, const struct plan *plan,
                      struct source *source, const char *input, const char *output,
                      struct picture_report *report, struct error *err)
{
    struct image in = {0}, out = {0};
    struct starter starter = {0};
    double start = now_ms(), decoded, filtered;
    bool ok;

    starter_begin(&starter, &report->choice, request->device_index);
    ok = source_read_all(source, &in, err);
    starter_end(&starter);
    decoded = now_ms();
    ok = ok && filter_image(request, plan, &in, &out, input, report, err);
    image_free(&in);
    filtered = now_ms();
    ok = ok && write_image(request, &out, output, report, err);
    report->decode_ms = decoded - start;
    report->filter_ms = filtered - decoded;
    report->encode_ms = now_ms() - filtered;
    image_free(&out);
    return ok;
}

/* All three at once, in bands; NULL where that cannot be done or is not worth it. */
static struct pipeline *open_bands(const struct picture_request *request, const struct plan *plan,
                                   struct source *source, const char *input, const char *output,
                                   const struct picture_choice *choice)
{
    struct pipeline_job job = {.plan = plan,
                               .kernel = choice->kernel,
                               .source = source,
                               .input = input,
                               .output = output,
                               .sink = &request->sink,
                               .threads = choice->threads,
                               .tile = choice->tile,
                               .band_rows = request->band_rows};

    if (choice->device != DEVICE_CPU || request->verify || request->band_rows < 0)
        return NULL;
    return pipeline_open(&job);
}

/* What the input says beside its samples goes along where the output can hold it. */
static void take_metadata(struct sink_options *sink, const struct source *source,
                          const char *output, struct picture_report *report)
{
    const char *warning = source_warning_kept(source);

    if (!sink_takes_metadata(output, &report->info, sink))
        return;
    sink->metadata = source_metadata(source);
    snprintf(report->warning, sizeof report->warning, "%s", warning ? warning : "");
}

bool picture_filter(const struct picture_request *request, const char *input, const char *output,
                    struct picture_report *report, struct error *err)
{
    struct source *source = NULL;
    struct plan plan = {0};
    struct picture_request kept = *request;
    struct pipeline *pipeline;
    struct pipeline_times times;
    double start = now_ms(), prepared;
    bool ok = false;

    memset(report, 0, sizeof *report);
    if (!prepare(request, input, &source, &plan, report, err))
        goto out;
    if (!sink_check(output, &report->info, &request->sink, err))
        goto out;
    prepared = now_ms() - start;
    kept.sink.threads = report->choice.threads;
    take_metadata(&kept.sink, source, output, report);
    pipeline = open_bands(&kept, &plan, source, input, output, &report->choice);
    if (pipeline) {
        ok = pipeline_run(pipeline, &times, err);
        report->decode_ms = times.decode_ms;
        report->filter_ms = times.filter_ms;
        report->encode_ms = times.encode_ms;
    } else {
        ok = run_whole(&kept, &plan, source, input, output, report, err);
    }
    report->decode_ms += prepared; /* the header, and with some formats the whole file */
    report->total_ms = now_ms() - start;
    if (report->choice.device == DEVICE_CPU)
        report->times.kernel_ms = report->filter_ms;
out:
    plan_free(&plan);
    source_close(source);
    return ok;
}
