/* How the bench takes times. A kernel with a `time` of its own is timed on its device,
 * alone and on data that lies there; any other kernel is timed by the clock around run(),
 * where the events of a CUDA kernel are believed before the clock. The copy, which is
 * the table's 1.00, is timed in the same ways. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/parallel.h"
#include "bench/bench.h"

/* At least so many runs and milliseconds, as long as all of it stays below the cap. */
#define RUNS   10
#define MS     1e3
#define CAP_MS 20e3

/* Clocks and caches settle within this time; where one run takes a second, one is enough. A user
 * who gives a number of runs is in a hurry. */
#define WARMUP_RUNS     2
#define WARMUP_MS       100.0
#define WARMUP_HASTY_MS 20.0
#define WARMUP_SLOW_MS  1e3

/* A second of the shortest runs takes far fewer places. */
#define ROOM_FIRST 64
#define ROOM_MOST  (1 << 20)

/* The reference takes long, and its time matters least. */
#define REFERENCE_RUNS 3

#define END_TO_END_RUNS 5

/* Copies scatter little. */
#define COPY_MS 300.0

/* Where the caches' size is not told. */
#define CACHE_GUESS ((size_t)32 << 20)

/* Bytes to copy that are worth starting a thread. */
#define COPY_EACH ((size_t)512 << 10)

/* ---- samples ---- */

struct bench_limits bench_limits_make(int runs)
{
    return (struct bench_limits){
        .warmup_runs = WARMUP_RUNS,
        .warmup_ms = runs ? WARMUP_HASTY_MS : WARMUP_MS,
        .runs = runs ? runs : RUNS,
        .ms = runs ? 0 : MS,
        .cap_ms = CAP_MS,
    };
}

bool bench_warm(const struct bench_limits *limits, int runs, double elapsed_ms)
{
    return (runs >= limits->warmup_runs && elapsed_ms >= limits->warmup_ms) ||
           elapsed_ms >= WARMUP_SLOW_MS;
}

bool bench_enough(const struct bench_limits *limits, int runs, double elapsed_ms)
{
    return elapsed_ms >= limits->cap_ms || (runs >= limits->runs && elapsed_ms >= limits->ms);
}

static bool samples_keep(struct bench_samples *samples, double ms)
{
    if (samples->runs == samples->room) {
        int room = samples->room ? 2 * samples->room : ROOM_FIRST;
        double *grown =
            room > ROOM_MOST ? NULL : realloc(samples->ms, sizeof *grown * (size_t)room);
        if (!grown)
            return false;
        samples->ms = grown;
        samples->room = room;
    }
    samples->ms[samples->runs++] = ms;
    return true;
}

bool bench_samples_more(double ms, void *context)
{
    struct bench_samples *samples = context;
    double now = clock_ms();

    /* The clock starts with the first run, not while the data for it is still being brought. */
    if (samples->begun_ms == 0)
        samples->begun_ms = now - ms;
    if (!samples->warm && samples->limits.warmup_runs > 0) {
        samples->warm = bench_warm(&samples->limits, ++samples->warmed, now - samples->begun_ms);
        if (samples->warm)
            samples->begun_ms = now;
        return true;
    }
    return samples_keep(samples, ms) &&
           !bench_enough(&samples->limits, samples->runs, now - samples->begun_ms);
}

void bench_samples_free(struct bench_samples *samples)
{
    free(samples->ms);
    samples->ms = NULL;
    samples->runs = samples->room = 0;
}

/* The median, and nothing of the samples is left. */
static double samples_median(struct bench_samples *samples)
{
    struct bench_stats stats = {0};
    if (samples->runs > 0)
        bench_stats_make(&stats, samples->ms, samples->runs);
    bench_samples_free(samples);
    return stats.median_ms;
}

/* ---- memory of the CPU ---- */

/* Bytes that threads write, each its share. */
struct block {
    unsigned char *to;
    const unsigned char *from; /* copied; NULL: TO is overwritten with anything */
    size_t bytes;
    int pieces;
};

static void block_piece(void *context, int piece, int worker)
{
    const struct block *block = context;
    size_t each = block->bytes / (size_t)block->pieces, at = each * (size_t)piece;
    size_t bytes = piece == block->pieces - 1 ? block->bytes - at : each;
    (void)worker;
    if (block->from)
        memcpy(block->to + at, block->from + at, bytes);
    else
        memset(block->to + at, piece, bytes);
}

/* Overwrites a block larger than the caches. */
static void cpu_scrub(int threads)
{
    /* Kept to the end: touching new memory would cost more than overwriting it. */
    static struct block scrub;
    if (!scrub.to) {
        scrub.bytes = 2 * (machine_cache_bytes() ? machine_cache_bytes() : CACHE_GUESS);
        scrub.to = malloc(scrub.bytes);
    }
    scrub.pieces = threads;
    if (scrub.to)
        parallel_for(threads, threads, block_piece, &scrub);
}

/* Rows and what pads them: both images are of one shape. */
static void cpu_copy(const struct image *from, struct image *to, int threads)
{
    size_t bytes = from->pitch * (size_t)(from->height - 1) + image_row_bytes(from);
    size_t useful = bytes / COPY_EACH + 1;
    struct block copy = {to->data, from->data, bytes,
                         useful < (size_t)threads ? (int)useful : threads};
    parallel_for(copy.pieces, copy.pieces, block_piece, &copy);
}

/* ---- run(), from outside ---- */

/* Takes the times of run(): those that the kernel tells where OWN_TIMES are wanted, else the
 * clock's. */
static bool time_around(const struct kernel *kernel, const struct bench_request *request,
                        struct kernel_job *job, bool own_times, struct bench_samples *samples,
                        struct error *err)
{
    struct kernel_times times;
    double ms;
    job->times = &times;
    do {
        if (request->cold && kernel->device == DEVICE_CPU)
            cpu_scrub(request->threads);
        times = (struct kernel_times){0};
        ms = clock_ms();
        if (!kernel_run(kernel, job, err))
            return false;
        ms = own_times && times.kernel_ms > 0 ? times.kernel_ms : clock_ms() - ms;
    } while (bench_samples_more(ms, samples));
    return true;
}

/* The median from a picture in memory to a picture in memory. */
static bool time_end_to_end(const struct kernel *kernel, const struct bench_request *request,
                            struct kernel_job *job, double *median, struct error *err)
{
    struct bench_samples samples = {.limits = {.runs = END_TO_END_RUNS, .cap_ms = INFINITY}};
    bool ok = time_around(kernel, request, job, false, &samples, err);
    *median = samples_median(&samples);
    return ok;
}

/* ---- the kernel ---- */

/* The statistics of what was taken; times of a part of the picture become those of the whole. */
static bool stats_take(struct bench_result *result, struct bench_samples *samples, double factor,
                       struct error *err)
{
    struct bench_stats *stats = &result->stats;
    if (samples->runs == 0)
        return error_set(err, EXIT_INPUT, "%s: no run was timed", result->kernel->name);
    bench_stats_make(stats, samples->ms, samples->runs);
    stats->median_ms *= factor;
    stats->mad_ms *= factor;
    stats->p10_ms *= factor;
    stats->p90_ms *= factor;
    stats->least_ms *= factor;
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
        ok = kernel->time(kernel, &copy, &trial, err);
        result->bytes = trial.bytes;
        result->inputs = trial.inputs;
        result->tile = trial.tile;
    } else {
        ok = time_around(kernel, request, &copy, kernel->device != DEVICE_CPU, &samples, err);
    }
    ok = ok && stats_take(result, &samples, (double)job->in->height / (double)result->rows, err);
    bench_samples_free(&samples);
    if (!ok)
        return false;
    result->end_to_end_ms = result->stats.median_ms;
    return kernel->device == DEVICE_CPU ||
           time_end_to_end(kernel, request, &copy, &result->end_to_end_ms, err);
}

/* ---- the copy ---- */

/* As many runs as by default, however few of the kernels are wanted. */
static struct bench_samples copy_samples(const struct bench_request *request)
{
    struct bench_samples samples = {.limits = bench_limits_make(0)};
    samples.limits.ms = request->runs ? 0 : COPY_MS;
    return samples;
}

static void copy_on_cpu(struct bench_copy *copy, const struct bench_request *request,
                        const struct image *in, struct image *out)
{
    struct bench_samples samples = copy_samples(request);
    double start;
    do {
        if (request->cold)
            cpu_scrub(request->threads);
        start = clock_ms();
        cpu_copy(in, out, request->threads);
    } while (bench_samples_more(clock_ms() - start, &samples));
    copy->how = "memcpy";
    copy->ms = samples_median(&samples);
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
        bool ok = kernel->time(kernel, job, &trial, err);
        double ms = samples_median(&samples);
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
