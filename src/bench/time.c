/* How the bench takes times. A kernel with a `time` of its own is timed on its
 * device, alone and on data that lies there; any other by the clock around run(),
 * where a CUDA kernel's own events are believed before the clock. The copy, which
 * is the table's 1.00, is timed in the same ways. */
#include <string.h>

#include "base/clock.h"
#include "bench/parts.h"

/* The reference takes long, and its time matters least. */
#define REFERENCE_RUNS 3

#define END_TO_END_RUNS 5

/* Copies scatter little. */
#define COPY_MS 300.0

/* ---- run(), from outside ---- */

/* Milliseconds of one run(): what the kernel says of itself where that is wanted, else the clock.
 */
static bool run_once(const struct kernel *kernel, struct kernel_job *job, bool own_times,
                     double *ms, struct error *err)
{
    struct kernel_times times = {0};
    double start = clock_ms();
    bool ok;
    job->times = &times;
    ok = kernel_run(kernel, job, err);
    *ms = clock_ms() - start;
    if (own_times && times.kernel_ms > 0)
        *ms = times.kernel_ms;
    return ok;
}

static bool time_around(const struct kernel *kernel, const struct bench_request *request,
                        struct kernel_job *job, struct bench_samples *samples, struct error *err)
{
    double ms;
    do {
        if (request->cold && kernel->device == DEVICE_CPU)
            bench_cpu_scrub(request->threads);
        if (!run_once(kernel, job, kernel->device != DEVICE_CPU, &ms, err))
            return false;
    } while (bench_samples_more(ms, samples));
    return true;
}

static bool time_end_to_end(const struct kernel *kernel, struct kernel_job *job, double *median,
                            struct error *err)
{
    double ms[END_TO_END_RUNS];
    struct bench_stats stats;
    for (int i = 0; i < END_TO_END_RUNS; i++)
        if (!run_once(kernel, job, false, &ms[i], err))
            return false;
    bench_stats_make(&stats, ms, END_TO_END_RUNS);
    *median = stats.median_ms;
    return true;
}

/* ---- the kernel ---- */

/* Times of a part of the picture become those of the whole. */
static void stats_scale(struct bench_stats *stats, double factor)
{
    stats->median_ms *= factor;
    stats->mad_ms *= factor;
    stats->p10_ms *= factor;
    stats->p90_ms *= factor;
    stats->least_ms *= factor;
}

static bool samples_take(struct bench_result *result, struct bench_samples *samples,
                         struct error *err)
{
    if (samples->runs == 0)
        return error_set(err, EXIT_INPUT, "%s: no run was timed", result->kernel->name);
    bench_stats_make(&result->stats, samples->ms, samples->runs);
    result->capped = samples->runs < samples->limits.runs;
    return true;
}

bool bench_time_kernel(struct bench_result *result, const struct bench_request *request,
                       const struct kernel_job *job, struct error *err)
{
    const struct kernel *kernel = result->kernel;
    struct kernel_job copy = *job;
    struct bench_samples samples = {.limits = bench_limits_make(request->runs)};
    struct kernel_trial trial = {
        .cold = request->cold, .more = bench_samples_more, .context = &samples};
    bool ok;

    result->bytes = 2 * (uint64_t)image_row_bytes(job->in) * (uint64_t)job->in->height;
    result->inputs = 1;
    if (bench_is_reference(kernel)) {
        samples.limits.warmup_runs = 0;
        samples.limits.ms = 0;
        if (request->runs == 0)
            samples.limits.runs = REFERENCE_RUNS;
    }
    if (kernel->time) {
        ok = kernel->time(&copy, &trial, err);
        result->bytes = trial.bytes;
        result->inputs = trial.inputs;
        result->tile = trial.tile;
    } else {
        ok = time_around(kernel, request, &copy, &samples, err);
    }
    ok = ok && samples_take(result, &samples, err);
    bench_samples_free(&samples);
    if (!ok)
        return false;
    stats_scale(&result->stats, (double)job->in->height / (double)result->rows);
    result->end_to_end_ms = result->stats.median_ms;
    return kernel->device == DEVICE_CPU ||
           time_end_to_end(kernel, &copy, &result->end_to_end_ms, err);
}

/* ---- the copy ---- */

/* As many runs as by default, however few of the kernels are wanted. */
static struct bench_samples copy_samples(const struct bench_request *request)
{
    struct bench_samples samples = {.limits = bench_limits_make(0)};
    samples.limits.ms = request->runs ? 0 : COPY_MS;
    return samples;
}

/* The median, and nothing of the samples is left. */
static double copy_median(struct bench_samples *samples)
{
    struct bench_stats stats = {0};
    if (samples->runs > 0)
        bench_stats_make(&stats, samples->ms, samples->runs);
    bench_samples_free(samples);
    return stats.median_ms;
}

static void copy_on_cpu(struct bench_copy *copy, const struct bench_request *request,
                        const struct image *in, struct image *out)
{
    struct bench_samples samples = copy_samples(request);
    double start;
    do {
        if (request->cold)
            bench_cpu_scrub(request->threads);
        start = clock_ms();
        bench_cpu_copy(in, out, request->threads);
    } while (bench_samples_more(clock_ms() - start, &samples));
    copy->how = "memcpy";
    copy->ms = copy_median(&samples);
}

/* By the copy engine or by a kernel, whichever is faster. */
static bool copy_on_device(struct bench_copy *copy, const struct kernel *kernel,
                           const struct bench_request *request, const struct kernel_job *job,
                           struct error *err)
{
    static const struct {
        enum kernel_trial_what what;
        const char *how;
    } ways[] = {{TRIAL_COPY_ENGINE, "cudaMemcpyAsync"}, {TRIAL_COPY_KERNEL, "copy kernel"}};
    for (int i = 0; i < 2; i++) {
        struct bench_samples samples = copy_samples(request);
        struct kernel_trial trial = {.what = ways[i].what,
                                     .cold = request->cold,
                                     .more = bench_samples_more,
                                     .context = &samples};
        bool ok = kernel->time(job, &trial, err);
        double ms = copy_median(&samples);
        if (!ok)
            return false;
        if (i == 0 || ms < copy->ms) {
            copy->ms = ms;
            copy->how = ways[i].how;
        }
    }
    return true;
}

bool bench_time_copy(struct bench_result *result, struct bench_device *device,
                     const struct bench_request *request, const struct kernel_job *job,
                     struct image *out, struct error *err)
{
    struct bench_copy copy = {.bytes = result->bytes};
    for (int i = 0; i < device->copies; i++)
        if (device->copy[i].bytes == copy.bytes) {
            result->copy_ms = device->copy[i].ms;
            return true;
        }
    if (result->kernel->device == DEVICE_CPU)
        copy_on_cpu(&copy, request, job->in, out);
    else if (!result->kernel->time)
        return true;
    else if (!copy_on_device(&copy, result->kernel, request, job, err))
        return false;
    result->copy_ms = copy.ms;
    if (device->copies < BENCH_COPIES)
        device->copy[device->copies++] = copy;
    return true;
}
