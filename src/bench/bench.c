/* The arithmetic of the bench: when to stop measuring, the statistics of the times
 * taken, and the rates that follow from them. Nothing here runs a kernel or knows
 * one by more than its row; tests/bench/test_bench.c feeds it made-up times. */
#include "bench/bench.h"
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At least so much, as long as the whole stays below the cap. */
#define RUNS   10
#define MS     1e3
#define CAP_MS 20e3

/* Clocks and caches settle within this; where one run takes a second, one is enough. Who counts
 * the runs is in a hurry. */
#define WARMUP_RUNS     2
#define WARMUP_MS       100.0
#define WARMUP_HASTY_MS 20.0
#define WARMUP_SLOW_MS  1e3

/* An outlier lies this many MADs from the median: ten standard deviations where times scatter
 * normally, for which a MAD is 0.6745 of one. */
#define BENCH_OUTLIER 14.826

/* A second of the shortest runs is far below this. */
#define ROOM_FIRST 64
#define ROOM_MOST  (1 << 20)

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

    /* The clock starts with the first run and not when the data for it is being brought. */
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

/* ---- statistics ---- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which a share of the sorted values lies, interpolated between neighbours. */
static double quantile(const double *sorted, int count, double share)
{
    double at = share * (double)(count - 1);
    int below = (int)at;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* The median of |ms - median| without a second array: in sorted order the distances fall towards
 * the median and grow behind it, so the smallest ones are taken from the middle outwards. */
static double median_distance(const double *sorted, int count, double median)
{
    int left = 0, right;
    double last = 0, before = 0;
    while (left < count && sorted[left] < median)
        left++;
    right = left;
    for (int taken = 0; taken <= count / 2; taken++) {
        double below = left > 0 ? median - sorted[left - 1] : INFINITY;
        double above = right < count ? sorted[right] - median : INFINITY;
        before = last;
        last = below < above ? below : above;
        if (below < above)
            left--;
        else
            right++;
    }
    return count % 2 ? last : (before + last) / 2;
}

void bench_stats_make(struct bench_stats *stats, double *ms, int runs)
{
    qsort(ms, (size_t)runs, sizeof *ms, compare_doubles);
    *stats = (struct bench_stats){
        .runs = runs,
        .median_ms = quantile(ms, runs, 0.5),
        .p10_ms = quantile(ms, runs, 0.1),
        .p90_ms = quantile(ms, runs, 0.9),
        .least_ms = ms[0],
    };
    stats->mad_ms = median_distance(ms, runs, stats->median_ms);
    for (int i = 0; stats->mad_ms > 0 && i < runs; i++)
        stats->outliers += fabs(ms[i] - stats->median_ms) > BENCH_OUTLIER * stats->mad_ms;
}

double bench_spread(const struct bench_stats *stats)
{
    return stats->median_ms > 0 ? stats->mad_ms / stats->median_ms : 0;
}

/* ---- rates ---- */

bool bench_is_basic(const struct kernel *kernel)
{
    return strcmp(kernel->name, "basic") == 0;
}

const struct bench_result *bench_baseline(const struct bench_report *report,
                                          const struct bench_result *result)
{
    const struct bench_result *base = NULL;
    for (int i = 0; i < report->results; i++) {
        const struct bench_result *other = &report->result[i];
        if (other->state != BENCH_TIMED || other->mask_width != result->mask_width ||
            other->mask_height != result->mask_height)
            continue;
        if (bench_is_basic(other->kernel) &&
            (report->sweep != SWEEP_TILE || other->tile == result->tile))
            return other;
        if (strcmp(other->kernel->name, "reference") == 0)
            base = other;
    }
    return base;
}

double bench_copy_gbytes(const struct bench_device *device)
{
    double most = 0;
    for (int i = 0; i < device->copies; i++) {
        const struct bench_copy *copy = &device->copy[i];
        double gbytes = copy->ms > 0 ? (double)copy->bytes / copy->ms * 1e-6 : 0;
        most = gbytes > most ? gbytes : most;
    }
    return most;
}

void bench_rates_make(struct bench_rates *rates, const struct bench_report *report,
                      const struct bench_result *result)
{
    double ms = result->stats.median_ms;
    double pixels = (double)report->width * (double)report->height;
    double flops = 2.0 * (double)result->mask_width * (double)result->mask_height * pixels *
                   (double)report->channels;
    const struct bench_result *base = bench_baseline(report, result);

    *rates = (struct bench_rates){0};
    if (result->state != BENCH_TIMED || !(ms > 0))
        return;
    rates->gpixels = pixels / ms * 1e-6;
    rates->gbytes = (double)result->bytes / ms * 1e-6;
    rates->share = result->copy_ms / ms;
    rates->gflops = flops / ms * 1e-6;
    rates->speedup = base ? base->stats.median_ms / ms : 0;
    rates->flops_per_byte = result->bytes ? flops / (double)result->bytes : 0;
}

void bench_device_name(char *text, size_t bytes, const struct bench_device *device)
{
    if (device->device == DEVICE_CPU)
        snprintf(text, bytes, "cpu");
    else
        snprintf(text, bytes, "%s:%d", backend_find(device->device)->name, device->index);
}
