/* Which way is the fastest: see kernel/cpu_path.h.
 *
 * What a sample costs, in nanoseconds of a thread (AVX2, Zen 3; the other instruction sets have
 * about the same ratios):
 *
 *   direct  cells / rate of the sums' form + 1
 *   terms   (heights + widths) / RATE_TERMS + 1/2 a term; with sums of 64 bits twice that
 *   runs    (ends of runs + those with a weight of their own) / RATE_ENDS + 1
 *   fft     cpu_fft_cost, the same for every mask of that size
 *
 * The choice shows in no byte of the output. */
#include "kernel/cpu_path.h"

#include <math.h>
#include <stdlib.h>

#include "cpu/bytes.h"
#include "cpu/certify.h"
#include "cpu/certify16.h"
#include "cpu/direct16.h"
#include "cpu/direct8.h"
#include "cpu/direct8_bytes.h"
#include "cpu/fft.h"
#include "cpu/fft_plan.h"
#include "cpu/fft_weighted.h"
#include "cpu/lowrank8.h"
#include "cpu/near8.h"
#include "cpu/rank1.h"
#include "cpu/runs.h"
#include "cpu/terms.h"
#include "cpu/weighted_plan.h"
#include "kernel/kept.h"

/* Cells a nanosecond. */
#define RATE_16_BITS 90.0 /* 8 bits whose sums fit 16 */
#define RATE_BYTES   80.0 /* 8 bits, weights of int8 */
#define RATE_INT16   45.0 /* weights of int16, or rounded to it and certified */
#define RATE_32      15.0
#define RATE_64      2.5
#define RATE_TERMS   30.0 /* and of rank 1 or close to it, whose cells are its rows and columns */
#define RATE_FLOAT   15.0 /* products with alpha, 8 bits */
#define RATE_DOUBLE  10.0 /* and 16 bits */
#define RATE_ENDS    12.0 /* ends of runs; those with a weight of their own count twice */

static bool weights_fit_int16(const struct plan_mask *m)
{
    for (int k = 0; k < m->width * m->height; k++)
        if (m->weight[k] < INT16_MIN || m->weight[k] > INT16_MAX)
            return false;
    return true;
}

/* Of 8 bits, certified; 0: not possible. */
static double rounded_cost(const struct plan *plan)
{
    struct cpu_rounded rounded;
    if (plan->type != SAMPLE_U8 || plan->mask[0].width * plan->mask[0].height > CPU_ROUNDED_CELLS ||
        !cpu_direct8_can(plan) || !cpu_rounded_make(&rounded, plan))
        return 0;
    cpu_rounded_free(&rounded);
    return rounded.cost;
}

/* Sums of 64 bits: certified ones take two sums of 32 bits at 16 bits a sample. */
static double wide_cost(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    double cells = (double)m->width * m->height;
    struct cpu_certify16 certify = {0};
    struct cpu_near8 near = {0};
    struct cpu_lowrank8 lowrank;
    double cost = cells / RATE_64 + 1, rounded;
    bool is_near = cpu_near8_can(plan) && cpu_near8_make(&near, plan);

    cpu_near8_free(&near);
    if (is_near)
        return (m->width + m->height) / RATE_TERMS + near.share * cells / RATE_64 + 0.5;
    if (cpu_lowrank8_can(plan) && cpu_lowrank8_make(&lowrank, plan)) {
        cpu_lowrank8_free(&lowrank);
        return lowrank.cost;
    }
    rounded = rounded_cost(plan);
    if (rounded > 0)
        return rounded;
    if (!cpu_direct16_can(plan))
        return cost;
    if (cpu_certify16_make(&certify, plan))
        cost = cpu_certify16_cost(&certify, m) + 1;
    cpu_certify16_free(&certify);
    return cost;
}

/* Colour weighted by alpha. */
static double weighted_cost(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    double rate = plan->type == SAMPLE_U8 ? RATE_FLOAT : RATE_DOUBLE;
    struct cpu_weighted_plan weighted = {0};
    double cells = (double)m->width * m->height;

    if (cpu_rank1_wins(plan) || (cpu_weighted_plan_make(&weighted, plan) && weighted.separable))
        cells = m->width + m->height;
    cpu_weighted_plan_free(&weighted);
    return cells / rate + 2;
}

static double direct_cost(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    double cells = (double)m->width * m->height;

    if (plan->alpha == ALPHA_WEIGHTED)
        return weighted_cost(plan);
    if (m->row && (cpu_rank1_wins(plan) || cpu_bytes_wins(plan)) && !cpu_direct16_can(plan))
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
    return m->accumulator == ACCUMULATOR_I64 ? 2 * cost : cost;
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
