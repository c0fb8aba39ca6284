/* Numbers computed from measured times: their statistics, the rates of a kernel, and the place of
 * its result in a sweep. This file runs no kernel and knows only the kernel's row;
 * tests/bench/test_bench.c calls it with made-up times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "kernel/kernel.h"

/* An outlier is this many MADs from the median. For normally distributed times a MAD is 0.6745
 * standard deviations, so the limit is ten standard deviations. */
#define BENCH_OUTLIER 14.826

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
    for (int i = 0; i < runs; i++)
        ms[i] = fabs(ms[i] - stats->median_ms);
    qsort(ms, (size_t)runs, sizeof *ms, compare_doubles);
    stats->mad_ms = quantile(ms, runs, 0.5);
    for (int i = 0; stats->mad_ms > 0 && i < runs; i++)
        stats->outliers += ms[i] > BENCH_OUTLIER * stats->mad_ms;
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

bool bench_is_reference(const struct kernel *kernel)
{
    return strcmp(kernel->name, "reference") == 0;
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
        if (bench_is_reference(other->kernel))
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

struct bench_rates bench_rates_make(const struct bench_report *report,
                                    const struct bench_result *result)
{
    double ms = result->stats.median_ms;
    double pixels = (double)report->width * (double)report->height;
    double flops = 2.0 * (double)result->mask_width * (double)result->mask_height * pixels *
                   (double)report->channels;
    const struct bench_result *base = bench_baseline(report, result);

    if (result->state != BENCH_TIMED || !(ms > 0))
        return (struct bench_rates){0};
    return (struct bench_rates){
        .gpixels = pixels / ms * 1e-6,
        .gbytes = (double)result->bytes / ms * 1e-6,
        .share = result->copy_ms / ms,
        .gflops = flops / ms * 1e-6,
        .speedup = base ? base->stats.median_ms / ms : 0,
        .flops_per_byte = result->bytes ? flops / (double)result->bytes : 0,
    };
}

/* ---- sweeps ---- */

int bench_sweep_place(const struct bench_report *report, const struct bench_result *result)
{
    return report->sweep == SWEEP_TILE ? result->tile : result->mask_width;
}

int bench_sweep_kernels(const struct bench_report *report)
{
    const struct bench_result *result = report->result;
    int count = 0;
    while (count < report->results &&
           bench_sweep_place(report, &result[count]) == bench_sweep_place(report, &result[0]))
        count++;
    return count;
}
