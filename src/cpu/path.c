/* Which way is the fastest: see kernel/cpu_path.h.
 *
 * What a sample costs, in nanoseconds of a thread (AVX2, Zen 3; the other instruction sets have
 * about the same ratios):
 *
 *   direct  cells / rate of the sums' form + 1
 *   terms   (heights + widths) / RATE_TERMS + 1/2 a term; with sums of 64 bits 1.25 times that
 *   runs    (ends of runs + those with a weight of their own) / RATE_ENDS + 1
 *   fft     cpu_fft_cost, the same for every mask of that size
 *
 * The choice shows in no byte of the output. */
#include "kernel/cpu_path.h"

#include <math.h>
#include <stdlib.h>

#include "cpu/bytes.h"
#include "cpu/certify.h"
#include "cpu/direct8.h"
#include "cpu/direct8_bytes.h"
#include "cpu/fft.h"
#include "cpu/fft_plan.h"
#include "cpu/fft_weighted.h"
#include "cpu/outer16.h"
#include "cpu/rank1.h"
#include "cpu/real.h"
#include "cpu/runs.h"
#include "cpu/terms.h"
#include "kernel/kept.h"

/* Cells a nanosecond. */
#define RATE_16_BITS 90.0 /* 8 bits whose sums fit 16 */
#define RATE_BYTES   80.0 /* 8 bits, weights of int8 */
#define RATE_INT16   45.0 /* weights of int16, or rounded to it and certified */
#define RATE_32      15.0
#define RATE_64      2.5
#define RATE_TERMS   30.0 /* and of rank 1 or close to it, whose cells are its rows and columns */
#define RATE_FLOAT   15.0 /* running sums of products with alpha */
#define RATE_ENDS    12.0 /* ends of runs; those with a weight of their own count twice */

static bool weights_fit_int16(const struct plan_mask *m)
{
    for (int k = 0; k < m->width * m->height; k++)
        if (m->weight[k] < INT16_MIN || m->weight[k] > INT16_MAX)
            return false;
    return true;
}

/* Of the method `real`; HUGE_VAL: not possible. */
static double real_cost(const struct plan *plan)
{
    struct cpu_real *real = cpu_real_make(plan, &cpu_ops_scalar);
    double cost = real ? real->sample_ns : HUGE_VAL;
    cpu_real_free(real);
    return cost;
}

/* Sums of 64 bits. */
static double wide_cost(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    double cost = (double)m->width * m->height / RATE_64 + 1;
    struct cpu_rounded rounded;

    if (cpu_outer16_can(plan))
        return cpu_outer16_cost(plan);
    if (cpu_rank1_wins(plan) && cpu_terms_slide(m))
        return 2 * cpu_terms_taps(m) / RATE_TERMS;
    if (cpu_direct8_can(plan) && cpu_rounded_make(&rounded, plan)) {
        cost = fmin(cost, rounded.sample_ns);
        cpu_rounded_free(&rounded);
    }
    return cpu_real_can(plan) ? fmin(cost, real_cost(plan)) : cost;
}

/* Colour weighted by alpha. */
static double weighted_cost(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];

    return cpu_rank1_wins(plan) ? (m->width + m->height) / RATE_FLOAT + 2 : real_cost(plan);
}

static double direct_cost(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    double cells = (double)m->width * m->height;

    if (plan->alpha == ALPHA_WEIGHTED)
        return weighted_cost(plan);
    if (m->row && (cpu_rank1_wins(plan) || cpu_bytes_wins(plan)) &&
        m->accumulator != ACCUMULATOR_I64)
        return fmin(cells, cpu_terms_taps(m)) / RATE_TERMS;
    if (cpu_bytes_wins(plan))
        return cells / RATE_16_BITS + 1;
    if (m->accumulator == ACCUMULATOR_I64)
        return wide_cost(plan);
    if (plan->type == SAMPLE_U8 && cpu_direct8_bytes_fit(m))
        return cells / RATE_BYTES + 1;
    return cells / (weights_fit_int16(m) ? RATE_INT16 : RATE_32) + 1;
}

static double terms_cost(const struct plan_mask *m)
{
    double cost = cpu_terms_taps(m) / RATE_TERMS + 0.5 * m->terms;
    return m->accumulator == ACCUMULATOR_I64 ? 1.25 * cost : cost;
}

static double runs_cost(const struct plan_mask *m)
{
    int others, ends = cpu_runs_count(m, &others);
    return (ends + others) / RATE_ENDS + 1;
}

bool cpu_path_can(enum cpu_path path, const struct plan *plan)
{
    switch (path) {
    case CPU_PATH_TERMS:
        return cpu_rank1_can_terms(plan);
    case CPU_PATH_RUNS:
        return cpu_runs_can(plan);
    case CPU_PATH_FFT:
        return cpu_fft_can(plan) || cpu_fft_weighted_can(plan);
    default:
        return true;
    }
}

double cpu_path_cost(enum cpu_path path, const struct plan *plan, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];
    double samples = (double)width * height * plan->channels;
    int channels = __builtin_popcount(plan->filtered), points[2];

    if (path == CPU_PATH_TERMS)
        return samples * terms_cost(m);
    if (path == CPU_PATH_RUNS)
        return samples * runs_cost(m);
    if (path == CPU_PATH_FFT && plan->alpha == ALPHA_WEIGHTED)
        return cpu_fft_weighted_cost(plan, width, height);
    if (path == CPU_PATH_FFT)
        return cpu_fft_cost(m, width, height, channels, &points[0], &points[1]) +
               (m->accumulator == ACCUMULATOR_I64 ? CPU_FFT_CERTIFY * samples : 0);
    return samples * direct_cost(plan);
}

enum cpu_path cpu_path_fastest(const struct plan *plan, int width, int height)
{
    double cells = (double)plan->mask[0].width * plan->mask[0].height;
    enum cpu_path best = CPU_PATH_DIRECT;
    double least;

    /* The others cost no less than that for any mask. */
    if (plan->kind != PLAN_LINEAR || cells < 25)
        return best;
    least = cpu_path_cost(best, plan, width, height);
    for (enum cpu_path path = CPU_PATH_TERMS; path <= CPU_PATH_FFT; path++) {
        double cost = cpu_path_can(path, plan) ? cpu_path_cost(path, plan, width, height) : least;
        if (cost < least) {
            least = cost;
            best = path;
        }
    }
    return best;
}

static void *path_make(void *context)
{
    const struct kernel_job *job = context;
    enum cpu_path *path = malloc(sizeof *path);
    if (path)
        *path = cpu_path_fastest(job->plan, job->out->width, job->out->height);
    return path;
}

enum cpu_path cpu_path_choose(const struct kernel_job *job)
{
    struct kernel_job own = *job;
    enum kernel_kept_part part =
        job->plan->alpha == ALPHA_WEIGHTED ? KEPT_PATH_WEIGHTED : KEPT_PATH;
    const enum cpu_path *path;

    if (job->cpu_path != CPU_PATH_AUTO)
        return cpu_path_can(job->cpu_path, job->plan) ? job->cpu_path : CPU_PATH_DIRECT;
    if (!job->kept)
        return cpu_path_fastest(job->plan, job->out->width, job->out->height);
    path = kernel_kept_get(job->kept, part, path_make, &own, free);
    return path ? *path : CPU_PATH_DIRECT;
}

const char *cpu_path_name(enum cpu_path path)
{
    static const char *const NAMES[] = {"auto", "direct", "terms", "runs", "fft"};
    return NAMES[path];
}

const char *cpu_path_idea(enum cpu_path path)
{
    static const char *const IDEAS[] = {
        "the fastest way", "every cell of the mask, or a column pass and a row pass",
        "a few column passes and row passes, added up",
        "running sums along rows, taken where the mask's weights change",
        "tiles and their Fourier transforms, with sums that are proven to be right"};
    return IDEAS[path];
}
