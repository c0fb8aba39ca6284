/* Sums of whole numbers under any mask, 8 and 16 bits: the most general method, and gradients.
 *
 * The picture is cut like a GPU cuts it (cpu/tiles.h), so that the ring of prepared rows
 * (cpu/rows.h) stays in the L2 cache; each output row is: prepare one more row, sum over the mask,
 * divide into place. The form of the sums follows from the plan's numbers alone, so that every
 * instruction set and thread count makes the same integers. */
#include <math.h>
#include <stdlib.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/rows.h"
#include "cpu/taps.h"

/* The ring of one tile should leave room in a 512 KiB L2 cache for input and output. */
#define RING_BYTES (192 * 1024)

struct direct_pass {
    const struct plan *plan;
    const struct cpu_ops *ops;
    enum cpu_form form;
    struct cpu_mask mask[2];
    void *weights[2];     /* owned: every form of mask[i]'s weights, one block */
    struct cpu_runs runs; /* CPU_RUNS: in the place of mask; weights[0] is theirs */
    /* Of one job: */
    const struct kernel_job *job;
    struct cpu_tiles tiles;
};

struct direct_worker {
    struct cpu_rows rows;
    union cpu_sums sums[2]; /* of mask 0 and 1 */
    const uint32_t **at;    /* mask_height row pointers */
};

/* ---- which form the sums take ---- */

static enum cpu_form form_of(const struct plan *plan)
{
    enum cpu_form form = CPU_PAIRS;
    for (int k = 0; k < plan->masks; k++) {
        if (plan->mask[k].accumulator == ACCUMULATOR_I64)
            return CPU_64;
        if (!cpu_weights_fit_int16(&plan->mask[k]))
            form = CPU_32;
    }
    return form;
}

/* A bias of half the range where samples do not fit int16 by themselves. */
static uint32_t bias_of(enum cpu_form form, uint32_t largest)
{
    return form == CPU_PAIRS && largest > INT16_MAX ? 32768 : 0;
}

/* ---- ends of runs ----
 *
 * Masks whose weights change seldom along a row (discs, rings, lines, octagons): over running sums
 * of the samples a run of one weight is two of them, whatever its length.
 *
 *   R[x] = sum of in[t], t <= x      S = sum of w[j] * in[x + j]
 *                                      = sum of (w[j - 1] - w[j]) * R[x + j - 1],  j = 0 .. width
 *
 * Modulo 2^32, which is exact where S fits 32 bits. The lines begin one pixel further left. */

/* What the running sum at place j of a row is to be multiplied with, j = 0 .. width. */
static int64_t weight_at(const struct plan_mask *m, int i, int j)
{
    const int64_t *row = m->weight + (size_t)i * (size_t)m->width;
    return (j > 0 ? row[j - 1] : 0) - (j < m->width ? row[j] : 0);
}

/* The size that the most ends have: that of the first one, which is right for masks of one
 * weight. 0: there are none. */
static int64_t common_size(const struct plan_mask *m)
{
    for (int i = 0; i < m->height; i++)
        for (int j = 0; j <= m->width; j++) {
            int64_t w = weight_at(m, i, j);
            if (w != 0)
                return w < 0 ? -w : w;
        }
    return 0;
}

/* How many ends of runs the mask has, and how many of them need a weight of their own. */
static int runs_count(const struct plan_mask *m, int *others)
{
    int64_t size = common_size(m);
    int count = 0;

    *others = 0;
    for (int i = 0; i < m->height; i++)
        for (int j = 0; j <= m->width; j++) {
            int64_t w = weight_at(m, i, j);
            count += w != 0;
            *others += w != 0 && w != size && w != -size;
        }
    return count;
}

/* Fills RUNS in one block, which is returned for free(); NULL: no memory. */
static void *ends_make(struct cpu_runs *runs, const struct plan_mask *m, int channels)
{
    int others, count = runs_count(m, &others), at[3] = {0};
    int64_t size = common_size(m);
    struct cpu_run_end *end = malloc((size_t)count * (sizeof *end + sizeof(uint32_t)) + 1);
    uint32_t *other = (uint32_t *)(end + count);

    if (!end)
        return NULL;
    *runs = (struct cpu_runs){.others = others, .weight = (uint32_t)size, .end = end};
    runs->other = other;
    for (int pass = 0; pass < 2; pass++) { /* count, then put in order */
        for (int i = 0; i < m->height; i++)
            for (int j = 0; j <= m->width; j++) {
                int64_t w = weight_at(m, i, j);
                int kind = w == size ? 0 : w == -size ? 1 : 2;
                if (w == 0)
                    continue;
                if (pass == 1)
                    end[at[kind]] = (struct cpu_run_end){i, j * channels};
                if (pass == 1 && kind == 2)
                    *other++ = (uint32_t)w;
                at[kind]++;
            }
        if (pass == 0) {
            runs->added = at[0];
            runs->taken = at[1];
            at[2] = at[0] + at[1];
            at[1] = at[0];
            at[0] = 0;
        }
    }
    return end;
}

/* ---- one row of one tile ---- */

/* Sums under one mask. */
static void sum_row(const struct direct_pass *pass, struct direct_worker *w, int mask_index, int y,
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

static void filter_row(const struct direct_pass *pass, struct direct_worker *w, int y)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct cpu_tile *tile = &w->rows.tile;
    int n = tile->pixels * plan->channels;
    void *out = cpu_tile_out(job, tile, y);

    for (int k = 0; k < plan->masks; k++)
        sum_row(pass, w, k, y, w->sums[k], n);
    if (plan->kind == PLAN_GRADIENT)
        cpu_finish_gradient(pass->ops, plan, w->sums[0], w->sums[1], out, n);
    else
        cpu_finish_linear(pass->ops, plan, pass->form == CPU_64, w->sums[0], out, n);
    cpu_finish_unfiltered(job, y, tile->first_pixel, tile->pixels, out);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    struct direct_worker *w = worker;

    cpu_rows_begin(&w->rows, tile);
    for (int y = tile->first; y < tile->end; y++) {
        cpu_rows_advance(&w->rows, y);
        filter_row(context, w, y);
    }
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct direct_pass *pass = context;
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    struct direct_worker *w = worker;
    int runs = pass->form == CPU_RUNS; /* one pixel more */

    w->rows = (struct cpu_rows){
        .job = pass->job,
        .ops = pass->ops,
        .mask_width = m->width + runs,
        .mask_height = m->height,
        .anchor_x = m->anchor_x + runs,
        .anchor_y = m->anchor_y,
        .max_pixels = pass->tiles.tile_pixels,
        .form = pass->form,
        .bias = bias_of(pass->form, plan->max),
    };
    cpu_rows_alloc(&w->rows, memory);
    w->at = cpu_memory_keep(memory, calloc((size_t)m->height, sizeof *w->at));
    for (int k = 0; k < 2; k++)
        w->sums[k].wide =
            cpu_memory_keep(memory, calloc(cpu_tiles_sums(&pass->tiles), sizeof(int64_t)));
}

static bool weights_make(struct direct_pass *pass)
{
    const struct plan *plan = pass->plan;

    if (pass->form == CPU_RUNS) {
        pass->weights[0] = ends_make(&pass->runs, plan->mask, plan->channels);
        return pass->weights[0] != NULL;
    }
    for (int k = 0; k < plan->masks; k++)
        if (!cpu_mask_make(&pass->mask[k], &pass->weights[k], &plan->mask[k], plan->channels))
            return false;
    return true;
}

static void direct_free(void *state)
{
    struct direct_pass *pass = state;
    free(pass->weights[0]);
    free(pass->weights[1]);
    free(pass);
}

static void *make(const struct plan *plan, const struct cpu_ops *ops, enum cpu_form form)
{
    struct direct_pass *pass = calloc(1, sizeof *pass);

    if (!pass)
        return NULL;
    pass->plan = plan;
    pass->ops = ops;
    pass->form = form;
    if (weights_make(pass))
        return pass;
    direct_free(pass);
    return NULL;
}

static void *direct_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    (void)width, (void)height;
    return make(plan, ops, form_of(plan));
}

static void *runs_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    (void)width, (void)height;
    return make(plan, ops, CPU_RUNS);
}

static bool direct_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct direct_worker), worker_make,
                                                run_tile};
    struct direct_pass pass = *(const struct direct_pass *)state;
    int lines = job->plan->mask[0].height + 1;

    pass.job = job;
    pass.tiles = cpu_tiles_cut(job, RING_BYTES / (4 * lines * job->plan->channels));
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

/* ---- the rows of the table ---- */

static const char *direct_refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    (void)ops;
    return plan->alpha == ALPHA_WEIGHTED ? "it does not weight colour by alpha" : NULL;
}

static double direct_cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];
    double rate = m->accumulator == ACCUMULATOR_I64 ? CPU_RATE_64
                  : cpu_weights_fit_int16(m)        ? CPU_RATE_INT16
                                                    : CPU_RATE_32;

    if (direct_refusal(plan, ops))
        return HUGE_VAL;
    return cpu_samples(plan, width, height) * (cpu_cells(plan) / rate + 1);
}

static const char *runs_refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    if (plan->mask[0].accumulator != ACCUMULATOR_I32)
        return "its sums have 32 bits";
    return direct_refusal(plan, ops);
}

static double runs_cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    int others, ends;

    if (cpu_cells(plan) < CPU_FEW_CELLS || runs_refusal(plan, ops))
        return HUGE_VAL;
    ends = runs_count(&plan->mask[0], &others);
    return cpu_samples(plan, width, height) * ((ends + others) / CPU_RATE_ENDS + 1);
}

const struct cpu_method cpu_method_direct = {
    .name = "direct",
    .idea = "every cell of any mask, and gradients",
    .kinds = KERNEL_KIND(PLAN_LINEAR) | KERNEL_KIND(PLAN_GRADIENT),
    .per_cell = true,
    .refusal = direct_refusal,
    .cost = direct_cost,
    .make = direct_make,
    .run = direct_run,
    .free = direct_free,
};

const struct cpu_method cpu_method_runs = {
    .name = "runs",
    .idea = "running sums along rows, taken where the mask's weights change",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .refusal = runs_refusal,
    .cost = runs_cost,
    .make = runs_make,
    .run = direct_run,
    .free = direct_free,
};
