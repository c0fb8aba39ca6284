/* The CPU kernels: every core, exact integers, no edge test inside.
 *
 * The picture is cut like a GPU cuts it, into pieces and strips (cpu/strips.h), so that
 * the ring of prepared rows (cpu/rows.h) stays in the L2 cache; within a strip each output
 * row is: prepare one more row, sum over the mask, divide into place.
 *
 * The sums' form follows from the plan's numbers alone, so every instruction set
 * and thread count computes the same integers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/bytes.h"
#include "cpu/direct8.h"
#include "cpu/direct8_bytes.h"
#include "cpu/fft.h"
#include "cpu/fft_weighted.h"
#include "cpu/finish.h"
#include "cpu/outer16.h"
#include "cpu/rank1.h"
#include "cpu/real.h"
#include "cpu/rows.h"
#include "cpu/runs.h"
#include "cpu/taps.h"
#include "cpu/terms.h"
#include "kernel/kept.h"
#include "kernel/passes.h"
#include "kernel/rows.h"

/* The ring of one strip should leave room in a 512 KiB L2 cache for input and output. */
#define RING_BYTES (192 * 1024)

/* What is the same for the whole pass. */
struct pass {
    const struct kernel_job *job;
    const struct cpu_ops *ops;
    struct cpu_strips strips;
    enum cpu_form form;
    struct cpu_mask mask[2];
    void *weights[2];     /* owned: every form of mask[i]'s weights, one block */
    struct cpu_runs runs; /* CPU_RUNS: in the place of mask; weights[0] is theirs */
};

struct worker {
    struct cpu_rows rows;
    union cpu_sums sums[2]; /* of mask 0 and 1 */
    const uint32_t **at;    /* mask_height row pointers */
};

/* ---- which form the sums take ---- */

static bool fits_int16(const struct plan_mask *m)
{
    for (int i = 0; i < m->width * m->height; i++)
        if (m->weight[i] < INT16_MIN || m->weight[i] > INT16_MAX)
            return false;
    return true;
}

static enum cpu_form form_of(const struct plan *plan)
{
    enum cpu_form form = CPU_PAIRS;
    for (int k = 0; k < plan->masks; k++) {
        if (plan->mask[k].accumulator == ACCUMULATOR_I64)
            return CPU_64;
        if (!fits_int16(&plan->mask[k]))
            form = CPU_32;
    }
    return form;
}

/* A bias of half the range where samples do not fit int16 by themselves. */
static uint32_t bias_of(enum cpu_form form, uint32_t largest)
{
    return form == CPU_PAIRS && largest > INT16_MAX ? 32768 : 0;
}

static bool supports_common(const struct cpu_ops *ops, const struct plan *plan, char *why,
                            size_t why_bytes)
{
    const struct plan_mask *m = plan->mask;
    if (!ops->available()) {
        snprintf(why, why_bytes, "this processor has no %s", ops->name);
        return false;
    }
    if (plan->kind == PLAN_GRADIENT) {
        if (m[0].width != m[1].width || m[0].height != m[1].height ||
            m[0].anchor_x != m[1].anchor_x || m[0].anchor_y != m[1].anchor_y) {
            snprintf(why, why_bytes, "the two masks of the gradient differ in shape");
            return false;
        }
        /* gx^2 + gy^2 and four times that must fit 64 bits */
        if (m[0].bound >= 1 << 30 || m[1].bound >= 1 << 30) {
            snprintf(why, why_bytes, "the gradient's sums reach 2^30");
            return false;
        }
    }
    return true;
}

/* ---- one row of one strip ---- */

/* Sums under one mask. */
static void sum_row(const struct pass *pass, struct worker *w, int mask_index, int y,
                    union cpu_sums sums, int n)
{
    const struct plan_mask *m = &pass->job->plan->mask[mask_index];
    const struct cpu_mask *mask = &pass->mask[mask_index];
    uint64_t start = (uint64_t)m->offset;
    cpu_rows_pointers(&w->rows, y, w->at);
    switch (pass->form) {
    case CPU_PAIRS:
        /* sum w*(s - bias) + bias*W = sum w*s, modulo 2^32 */
        start += (uint64_t)w->rows.bias * (uint64_t)m->sum;
        pass->ops->sum_pairs(mask, w->at, (uint32_t)start, sums.narrow, n);
        break;
    case CPU_32:
        pass->ops->sum_32(mask, w->at, (uint32_t)start, sums.narrow, n);
        break;
    case CPU_RUNS:
        pass->ops->sum_runs(&pass->runs, w->at, (uint32_t)start, sums.narrow, n);
        break;
    case CPU_64:
        pass->ops->sum_64(mask, w->at, start, sums.wide, n);
        break;
    }
}

static void filter_row(const struct pass *pass, struct worker *w, int y)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct cpu_strip *strip = &w->rows.strip;
    int n = strip->pixels * plan->channels;
    void *out = cpu_strip_out(job, strip, y);

    for (int k = 0; k < plan->masks; k++)
        sum_row(pass, w, k, y, w->sums[k], n);
    if (plan->kind == PLAN_GRADIENT)
        cpu_finish_gradient(pass->ops, plan, w->sums[0], w->sums[1], out, n);
    else
        cpu_finish_linear(pass->ops, plan, pass->form == CPU_64, w->sums[0], out, n);
    cpu_finish_unfiltered(job, y, strip->first_pixel, strip->pixels, out);
}

static void run_strip(const void *context, void *worker, const struct cpu_strip *strip)
{
    struct worker *w = worker;

    cpu_rows_begin(&w->rows, strip);
    for (int y = strip->first; y < strip->end; y++) {
        cpu_rows_advance(&w->rows, y);
        filter_row(context, w, y);
    }
}

/* ---- one pass ---- */

static bool run_pass(const struct kernel_job *job, const void *ops, struct error *err);

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct pass *pass = context;
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    struct worker *w = worker;
    int runs = pass->form == CPU_RUNS; /* one pixel more */

    w->rows = (struct cpu_rows){
        .job = pass->job,
        .ops = pass->ops,
        .mask_width = m->width + runs,
        .mask_height = m->height,
        .anchor_x = m->anchor_x + runs,
        .anchor_y = m->anchor_y,
        .max_pixels = pass->strips.strip_pixels,
        .form = pass->form,
        .bias = bias_of(pass->form, plan->max),
    };
    cpu_rows_alloc(&w->rows, memory);
    w->at = cpu_memory_keep(memory, calloc((size_t)m->height, sizeof *w->at));
    for (int k = 0; k < 2; k++)
        w->sums[k].wide =
            cpu_memory_keep(memory, calloc(cpu_strips_sums(&pass->strips), sizeof(int64_t)));
}

static bool weights_make(struct pass *pass)
{
    const struct plan *plan = pass->job->plan;

    if (pass->form == CPU_RUNS) {
        pass->weights[0] = cpu_runs_make(&pass->runs, plan->mask, plan->channels);
        return pass->weights[0] != NULL;
    }
    for (int k = 0; k < plan->masks; k++)
        if (!cpu_mask_make(&pass->mask[k], &pass->weights[k], &plan->mask[k], plan->channels))
            return false;
    return true;
}

/* Every cell of the mask, or the ends of its runs. */
static bool run_strips(const struct kernel_job *job, const struct cpu_ops *ops, bool runs,
                       struct error *err)
{
    static const struct cpu_strips_path path = {sizeof(struct worker), worker_make, run_strip};
    const struct plan *plan = job->plan;
    int lines = plan->mask[0].height + 1;
    struct pass pass = {.job = job, .ops = ops, .form = runs ? CPU_RUNS : form_of(plan)};
    bool ok;

    pass.strips = cpu_strips_cut(job, RING_BYTES / (4 * lines * plan->channels));
    ok = weights_make(&pass) ? cpu_strips_run(&pass.strips, &path, &pass, err)
                             : error_set(err, EXIT_INPUT, "no memory for the mask's weights");
    free(pass.weights[0]);
    free(pass.weights[1]);
    return ok;
}

/* Opaque pictures weighted by alpha are those of plain colour, and alpha stays as it is. */
static bool run_opaque(const struct kernel_job *job, const void *ops, struct error *err)
{
    struct kernel_job opaque_job = *job;
    struct plan opaque = *job->plan;
    opaque.alpha = ALPHA_IGNORE;
    opaque.filtered &= ~(1u << (opaque.channels - 1));
    opaque_job.plan = &opaque;
    return run_pass(&opaque_job, ops, err);
}

static void *real_make(void *context)
{
    const struct kernel_job *job = context;
    return cpu_real_make(job->plan, &cpu_ops_scalar);
}

static void real_free(void *real)
{
    cpu_real_free(real);
}

/* False with *cannot where there is no such sum. */
static bool run_real(const struct kernel_job *job, const struct cpu_ops *ops, bool *cannot,
                     struct error *err)
{
    struct kernel_job own = *job;
    enum kernel_kept_part part =
        job->plan->alpha == ALPHA_WEIGHTED ? KEPT_REAL_WEIGHTED : KEPT_REAL;
    struct cpu_real *real =
        job->kept ? kernel_kept_get(job->kept, part, real_make, &own, real_free) : real_make(&own);
    bool ok = real && cpu_real_run(real, job, ops, err);

    *cannot = !real;
    if (!real) /* which is said where there is no other way */
        error_set(err, EXIT_INPUT, "no memory for the mask's weights");
    if (!job->kept)
        cpu_real_free(real);
    return ok;
}

static bool run_pass(const struct kernel_job *job, const void *ops, struct error *err)
{
    const struct plan *plan = job->plan;
    const struct cpu_ops *set = ops;
    enum cpu_path path;
    bool cannot = true, done = false;

    if (plan->alpha == ALPHA_WEIGHTED && cpu_finish_is_opaque(job->in, plan->max))
        return run_opaque(job, ops, err);
    if (plan->alpha == ALPHA_WEIGHTED && cpu_path_choose(job) == CPU_PATH_FFT)
        return cpu_fft_weighted_run(job, ops, err);
    if (plan->alpha == ALPHA_WEIGHTED && !cpu_rank1_wins(plan))
        return run_real(job, ops, &cannot, err);
    path = cpu_path_choose(job);
    if (path == CPU_PATH_FFT)
        return cpu_fft_run(job, ops, err);
    if (path == CPU_PATH_TERMS)
        return cpu_rank1_run(job, ops, err);
    if (path == CPU_PATH_RUNS)
        return run_strips(job, ops, true, err);
    if (cpu_bytes_wins(plan)) {
        bool two_rows = cpu_direct8_bytes_win(set, plan);
        return two_rows ? cpu_direct8_run(job, ops, &cannot, err) : cpu_bytes_run(job, ops, err);
    }
    if (cpu_outer16_can(plan))
        return cpu_outer16_run(job, ops, err);
    if (cpu_rank1_wins(plan) && (!cpu_real_can(plan) || cpu_terms_slide(&plan->mask[0])))
        return cpu_rank1_run(job, ops, err);
    if (cpu_direct8_can(plan))
        done = cpu_direct8_run(job, ops, &cannot, err);
    if (cannot && cpu_real_can(plan))
        done = run_real(job, ops, &cannot, err);
    if (!cannot)
        return done;
    return cpu_rank1_wins(plan) ? cpu_rank1_run(job, ops, err) : run_strips(job, ops, false, err);
}

/* ---- the rows of the kernel table ---- */

#define CPU_KERNEL(isa, sentence)                                                                  \
    static bool supports_##isa(const struct plan *plan, char *why, size_t why_bytes)               \
    {                                                                                              \
        return supports_common(&cpu_ops_##isa, plan, why, why_bytes);                              \
    }                                                                                              \
    static bool run_##isa(const struct kernel_job *job, struct error *err)                         \
    {                                                                                              \
        return passes_run(job, run_pass, &cpu_ops_##isa, err);                                     \
    }                                                                                              \
    const struct kernel kernel_##isa = {.name = #isa,                                              \
                                        .dims = 2,                                                 \
                                        .device = DEVICE_CPU,                                      \
                                        .idea = sentence,                                          \
                                        .supports = supports_##isa,                                \
                                        .run = run_##isa}

CPU_KERNEL(scalar, "strips and rings of rows on all cores, plain C");
#ifdef HAVE_NEON
CPU_KERNEL(neon, "the same with NEON: pairs of rows by smlal, sums in 16 registers");
#endif
#ifdef HAVE_NEON_DOT
CPU_KERNEL(neon_dot, "the same with dot products: four rows of bytes by sdot");
#endif
#ifdef HAVE_AVX2
CPU_KERNEL(avx2, "the same with AVX2: pairs of rows by vpmaddwd, 64 samples in registers");
#endif
#ifdef HAVE_AVX512
CPU_KERNEL(avx512,
           "the same with AVX-512 and VNNI: four rows of bytes by vpdpbusd, pairs by vpdpwssd");
#endif
