/* How the bench measures times. A kernel with its own `time` function (all GPU kernels) is timed on
 * its device, alone and on data in the device's memory; other kernels are timed with the clock
 * around run(). The copy, to which the table's speeds relate, is timed in the same two ways. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/parallel.h"
#include "bench/bench.h"

/* Measure at least this many runs and milliseconds, but no longer than the cap. */
#define RUNS   10
#define MS     1e3
#define CAP_MS 20e3

/* Clocks and caches settle within this time. If one run takes a second, one is enough. A given
 * number of runs shortens the warm-up. */
#define WARMUP_RUNS     2
#define WARMUP_MS       100.0
#define WARMUP_HASTY_MS 20.0
#define WARMUP_SLOW_MS  1e3

/* Capacity for times: even the shortest runs give far fewer in a second. */
#define ROOM (1 << 20)

/* The reference is slow, and its time matters least. */
#define REFERENCE_RUNS 3

#define END_TO_END_RUNS 5

/* The times of copies vary little. */
#define COPY_MS 300.0

/* Used if the size of the caches is unknown. */
#define CACHE_GUESS ((size_t)32 << 20)

/* A thread is worth starting for this many bytes to copy. */
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

bool bench_samples_more(double ms, void *context)
{
    struct bench_samples *samples = context;
    double now = clock_ms();

    /* The clock starts with the first run, not while its data is still being loaded. */
    if (samples->begun_ms == 0)
        samples->begun_ms = now - ms;
    if (!samples->warm && samples->limits.warmup_runs > 0) {
        samples->warm = bench_warm(&samples->limits, ++samples->warmed, now - samples->begun_ms);
        if (samples->warm)
            samples->begun_ms = now;
        return true;
    }
    if (!samples->ms)
        samples->ms = malloc(ROOM * sizeof *samples->ms);
    if (!samples->ms || samples->runs == ROOM)
        return false;
    samples->ms[samples->runs++] = ms;
    return !bench_enough(&samples->limits, samples->runs, now - samples->begun_ms);
}

/* Returns the median and frees the times. */
static double samples_median(struct bench_samples *samples)
{
    struct bench_stats stats = {0};
    if (samples->runs > 0)
        bench_stats_make(&stats, samples->ms, samples->runs);
    free(samples->ms);
    return stats.median_ms;
}

/* ---- memory of the CPU ---- */

/* Bytes that threads write, each thread a share. */
struct block {
    unsigned char *to;
    const unsigned char *from; /* source of a copy; NULL: TO is filled with any values */
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
    /* Kept until the program ends: touching new memory would cost more than overwriting it. */
    static struct block scrub;
    if (!scrub.to) {
        scrub.bytes = 2 * (machine_cache_bytes() ? machine_cache_bytes() : CACHE_GUESS);
        scrub.to = malloc(scrub.bytes);
    }
    scrub.pieces = threads;
    if (scrub.to)
        parallel_for(threads, threads, block_piece, &scrub);
}

/* Copies rows and their padding; both images have the same shape. */
static void cpu_copy(const struct image *from, struct image *to, int threads)
{
    size_t bytes = from->pitch * (size_t)(from->height - 1) + image_row_bytes(from);
    size_t useful = bytes / COPY_EACH + 1;
    struct block copy = {to->data, from->data, bytes,
                         useful < (size_t)threads ? (int)useful : threads};
    parallel_for(copy.pieces, copy.pieces, block_piece, &copy);
}

/* ---- timing run() with the clock ---- */

static bool time_around(const struct kernel *kernel, const struct bench_request *request,
                        const struct kernel_job *job, struct bench_samples *samples,
                        struct error *err)
{
    double start;
    do {
        if (request->cold && kernel->device == DEVICE_CPU)
            cpu_scrub(request->threads);
        start = clock_ms();
        if (!kernel_run(kernel, job, err))
            return false;
    } while (bench_samples_more(clock_ms() - start, samples));
    return true;
}

/* Measures the median time from a picture in memory to a picture in memory. */
static bool time_end_to_end(struct bench_result *result, const struct bench_request *request,
                            const struct kernel_job *job, struct error *err)
{
    struct bench_samples samples = {.limits = {.runs = END_TO_END_RUNS, .cap_ms = INFINITY}};
    bool ok = time_around(result->kernel, request, job, &samples, err);
    result->end_to_end_ms = samples_median(&samples);
    return ok;
}

/* ---- the kernel ---- */

bool bench_time_kernel(struct bench_result *result, const struct bench_request *request,
                       const struct kernel_job *job, struct error *err)
{
    const struct kernel *kernel = result->kernel;
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
        ok = kernel->time(kernel, job, &trial, err);
        result->bytes = trial.bytes;
        result->inputs = trial.inputs;
        result->tile = trial.tile;
    } else {
        ok = time_around(kernel, request, job, &samples, err);
    }
    if (ok && samples.runs == 0)
        ok = error_set(err, EXIT_INPUT, "%s: no run was timed", kernel->name);
    /* Scale the times of a part of the picture to the whole picture. */
    for (int i = 0; i < samples.runs; i++)
        samples.ms[i] *= (double)job->in->height / (double)result->rows;
    if (ok)
        bench_stats_make(&result->stats, samples.ms, samples.runs);
    result->capped = samples.runs < samples.limits.runs;
    free(samples.ms);
    result->end_to_end_ms = result->stats.median_ms;
    return ok && (!kernel->time || time_end_to_end(result, request, job, err));
}

/* ---- the copy ---- */

/* The `time` function of the CPU's copy. */
static bool time_memcpy(const struct kernel *kernel, const struct kernel_job *job,
                        struct kernel_trial *trial, struct error *err)
{
    double start;
    (void)kernel, (void)err;
    do {
        if (trial->cold)
            cpu_scrub(job->threads);
        start = clock_ms();
        cpu_copy(job->in, job->out, job->threads);
    } while (trial->more(clock_ms() - start, trial->context));
    return true;
}

bool bench_time_copy(struct bench_result *result, struct bench_device *device,
                     const struct bench_request *request, const struct kernel_job *job,
                     struct image *out, struct error *err)
{
    /* A GPU copies with its copy engine or with a kernel; the faster one counts. */
    static const struct {
        enum kernel_trial_what what;
        const char *how;
    } ways[] = {{TRIAL_COPY_ENGINE, "cudaMemcpyAsync"}, {TRIAL_COPY_KERNEL, "copy kernel"}};
    bool on_cpu = !result->kernel->time;
    struct bench_copy copy = {.bytes = result->bytes};
    struct kernel_job whole = *job;

    for (int i = 0; i < device->copies; i++)
        if (device->copy[i].bytes == copy.bytes) {
            result->copy_ms = device->copy[i].ms;
            return true;
        }
    whole.out = out;
    for (int i = 0; i < (on_cpu ? 1 : 2); i++) {
        /* The default number of runs, even if the user wants fewer runs of the kernels. */
        struct bench_samples samples = {.limits = bench_limits_make(0)};
        struct kernel_trial trial = {.what = ways[i].what,
                                     .cold = request->cold,
                                     .more = bench_samples_more,
                                     .context = &samples};
        samples.limits.ms = request->runs ? 0 : COPY_MS;
        bool ok =
            (on_cpu ? time_memcpy : result->kernel->time)(result->kernel, &whole, &trial, err);
        double ms = samples_median(&samples);
        if (!ok)
            return false;
        if (i == 0 || ms < copy.ms) {
            copy.ms = ms;
            copy.how = on_cpu ? "memcpy" : ways[i].how;
        }
    }
    result->copy_ms = copy.ms;
    if (device->copies < BENCH_COPIES)
        device->copy[device->copies++] = copy;
    return true;
}
