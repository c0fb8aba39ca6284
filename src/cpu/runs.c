/* The method `runs`, for masks whose weights change seldom along a row (discs, rings, lines,
 * octagons), 8 and 16 bits, sums of 32 bits. A run of one weight needs only two of the samples'
 * running sums, for any length of the run.
 *
 *   R[x] = sum of in[t], t <= x      S = sum of w[j] * in[x + j]
 *                                      = sum of (w[j - 1] - w[j]) * R[x + j - 1],  j = 0 .. width
 *
 * Sums are modulo 2^32: exact if S fits 32 bits. The lines begin one pixel further left. */
#include <math.h>
#include <stdlib.h>

#include "cpu/finish.h"
#include "cpu/lines.h"
#include "cpu/method.h"
#include "cpu/taps.h"

struct runs_pass {
    CPU_STATE;
    struct cpu_steps steps;
    struct cpu_lines lines;
};

struct runs_worker {
    int32_t *sums;
};

/* ---- lines ---- */

/* CHANNELS is a constant in every call, so that the sums stay in registers. GOES_ON: the sums
 * continue the sums in front of LINE. */
static inline __attribute__((always_inline)) void sum_up(uint32_t *line, bool goes_on, int n,
                                                         int channels)
{
    uint32_t sum[4] = {0};
    for (int c = 0; goes_on && c < channels; c++)
        sum[c] = line[c - channels];
    for (int x = 0; x < n; x += channels)
        for (int c = 0; c < channels; c++)
            line[x + c] = sum[c] += line[x + c];
}

/* Puts running sums of samples. */
static void put(const void *context, const void *const *row, size_t first, void *line, size_t at,
                int n)
{
    const struct runs_pass *pass = context;
    uint32_t *out = (uint32_t *)line + at;

    if (pass->plan->type == SAMPLE_U8)
        for (int i = 0; i < n; i++)
            out[i] = ((const uint8_t *)row[0] + first)[i];
    else
        for (int i = 0; i < n; i++)
            out[i] = ((const uint16_t *)row[0] + first)[i];
    if (pass->plan->channels == 1)
        sum_up(out, at > 0, n, 1);
    else if (pass->plan->channels == 2)
        sum_up(out, at > 0, n, 2);
    else if (pass->plan->channels == 3)
        sum_up(out, at > 0, n, 3);
    else
        sum_up(out, at > 0, n, 4);
}

static void filter(const void *context, void *worker, const struct cpu_tile *tile,
                   const void *const *lines, int y, int rows)
{
    const struct runs_pass *pass = context;
    const struct plan *plan = pass->plan;
    struct runs_worker *w = worker;
    int n = tile->pixels * plan->channels;

    (void)rows;
    pass->ops->sum_steps_32(&pass->steps, lines, (uint64_t)plan->mask[0].offset, w->sums, n);
    cpu_finish_32(pass->ops, plan, w->sums, cpu_tile_out(pass->job, tile, y), n, false, false);
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct runs_pass *pass = context;
    struct runs_worker *w = worker;

    w->sums = cpu_memory_take(memory, cpu_tiles_sums(&pass->lines.tiles) * sizeof *w->sums);
}

static void runs_free(void *state)
{
    struct runs_pass *pass = state;
    cpu_steps_free(&pass->steps);
}

static bool runs_make(void *state)
{
    struct runs_pass *pass = state;
    const struct plan_mask *m = &pass->plan->mask[0];

    pass->lines = (struct cpu_lines){.line_rows = 1,
                                     .step = 1,
                                     .rows = 1,
                                     .span = m->height,
                                     .left = 1,
                                     .bytes = sizeof(uint32_t)};
    return cpu_steps_make(&pass->steps, m->weight, m->height, m->width, pass->plan->channels);
}

static bool runs_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_lines_hooks hooks = {sizeof(struct runs_worker), worker_make, put,
                                                 filter};
    struct runs_pass pass = *(const struct runs_pass *)state;

    pass.job = job;
    return cpu_lines_run(&pass.lines, job, &hooks, &pass, err);
}

/* ---- the row of the table ---- */

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    (void)ops;
    return plan->mask[0].accumulator != ACCUMULATOR_I32 ? "its sums have 32 bits"
           : plan->alpha == ALPHA_WEIGHTED              ? "it does not weight colour by alpha"
                                                        : NULL;
}

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];

    if (cpu_cells(plan) < CPU_FEW_CELLS || refusal(plan, ops))
        return HUGE_VAL;
    /* The rows under a high mask leave the cache. */
    return cpu_samples(plan, width, height) *
           (cpu_steps_count(m->weight, m->height, m->width) / 18.0 + 0.66) *
           (1 + m->height / 300.0);
}

const struct cpu_method cpu_method_runs = {
    .name = "runs",
    .idea = "running sums along rows, taken where the mask's weights change",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .refusal = refusal,
    .cost = cost,
    .wide_cost = 0.95,
    .state_bytes = sizeof(struct runs_pass),
    .make = runs_make,
    .run = runs_run,
    .free = runs_free,
};
