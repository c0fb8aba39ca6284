/* Sums of every cell, two rows of output at a time: any mask whose weights fit int16, and over
 * 8-bit samples masks whose exact sums need 64 bits by way of an approximation in int16 that knows
 * how far it can be off (cpu/rounded.h). The methods `direct8` and `certified8`, and a part of
 * `direct`.
 *
 * Lines of pairs hold two rows of the picture side by side as int16, so that one multiply-add takes
 * two taps. Output rows y and y+1 read the same lines:
 *
 *   rows      y-ay  +1 | +2  +3 | +4  +5      (mask of 5 rows)
 *   y          w0   w1 | w2  w3 | w4   0
 *   y+1         0   w0 | w1  w2 | w3  w4
 *
 * so each line is loaded once for both, and only every second row begins a line.
 * Where an instruction takes four bytes, weights of int8 take lines of four rows of bytes: lines t,
 * t + 2, t + 4 ... of those that begin at every second row. A 16-bit sample less 32768 fits int16:
 * the sums begin with 32768 times the sum of the weights. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/rounded.h"
#include "cpu/finish.h"
#include "cpu/lines.h"
#include "cpu/method.h"

struct pairs_worker {
    const uint32_t **at; /* the lines of one row pair, from the top */
    uint32_t *sum[2][2]; /* of each mask and of two rows of output */
    uint8_t *doubtful;
};

struct pairs_pass {
    const struct plan *plan;
    const struct cpu_ops *ops;
    struct cpu_two_masks masks[2]; /* of each mask of the plan */
    uint32_t *weights[2];          /* owned */
    uint32_t start[2];             /* of the sums */
    bool certified;
    struct cpu_rounded rounded; /* where they are certified */
    struct cpu_lines lines;
    const struct kernel_job *job; /* of one job, as lines.tiles */
};

/* ---- weights ---- */

/* Do all weights fit int8, for lines of quads? */
static bool quads_fit(const struct plan_mask *m)
{
    for (int k = 0; k < m->width * m->height; k++)
        if (m->weight[k] < INT8_MIN || m->weight[k] > INT8_MAX)
            return false;
    return true;
}

/* Has OPS lines of quads for the plan's mask, and is it sooner done that way than by `bytes`? */
static bool quads_win(const struct cpu_ops *ops, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int quads = m->height / 4 + 1, taps = 0;

    if (plan->kind != PLAN_LINEAR || cpu_bytes_separable(plan))
        return false;
    for (int k = 0; k < m->width * m->height; k++)
        taps += m->weight[k] != 0;
    /* Here every place of the mask is walked, with 6 instructions a quad, and sums of 32 bits are
     * divided; there two taps that are not 0 take 8. */
    return ops->byte_quads && quads_fit(m) && quads * m->width * 6 + 40 < (taps + 1) / 2 * 8;
}

/* ROWS rows of weights to an entry of PACKED, which is cleared: of HEIGHT rows of STRIDE cells. */
static void weights_lay(const struct cpu_two_masks *masks, int rows, const int64_t *weight,
                        int stride, int height, uint32_t *packed)
{
    int bits = 32 / rows, taps = masks->width * masks->pairs;

    for (int lower = 0; lower < 2; lower++)
        for (int i = 0; i < height; i++)
            for (int j = 0; j < masks->width; j++) {
                uint32_t w = (uint32_t)weight[i * stride + j] & ((1U << bits) - 1);
                int at = lower * taps + (i + lower) / rows * masks->width + j;
                packed[at] |= w << (i + lower) % rows * bits;
            }
}

/* ---- two rows of one tile ---- */

static void put(const void *context, const void *const *row, size_t first, void *line, size_t at,
                int n)
{
    const struct pairs_pass *pass = context;
    const struct cpu_ops *ops = pass->ops;
    const uint8_t *byte[4];

    if (pass->plan->type == SAMPLE_U16) {
        ops->pairs_u16((const uint16_t *)row[0] + first, (const uint16_t *)row[1] + first,
                       (uint32_t *)line + at, n);
        return;
    }
    for (int i = 0; i < pass->lines.line_rows; i++)
        byte[i] = (const uint8_t *)row[i] + first;
    if (pass->lines.line_rows == 4)
        ops->byte_quads(byte, (uint32_t *)line + at, n);
    else
        ops->pairs_u8(byte[0], byte[1], (uint32_t *)line + at, n);
}

static void sum_two_rows(const struct pairs_pass *pass, const struct pairs_worker *w, int n)
{
    const struct cpu_ops *ops = pass->ops;

    for (int k = 0; k < pass->plan->masks; k++)
        (pass->lines.line_rows == 4 ? ops->quad_two_rows : ops->sum_two_rows)(
            &pass->masks[k], w->at, pass->start[k], w->sum[k][0], w->sum[k][1], n);
}

static void finish_row(const struct pairs_pass *pass, const struct pairs_worker *w,
                       const struct cpu_tile *tile, int lower, int y)
{
    const struct plan *plan = pass->plan;
    const int32_t *sum = (const int32_t *)w->sum[0][lower];
    int n = tile->pixels * plan->channels;
    void *out = cpu_tile_out(pass->job, tile, y);

    if (plan->kind == PLAN_GRADIENT)
        cpu_finish_gradient(pass->ops, plan, sum, (const int32_t *)w->sum[1][lower], out, n);
    else if (!pass->certified)
        cpu_finish_32(pass->ops, plan, sum, out, n);
    else {
        pass->ops->certify_u8(&pass->rounded.test, sum, out, w->doubtful, n);
        cpu_exact_samples(pass->job, tile, y, w->doubtful, out);
    }
}

static void filter(const void *context, void *worker, const struct cpu_tile *tile,
                   const void *const *lines, int y, int rows)
{
    const struct pairs_pass *pass = context;
    struct pairs_worker *w = worker;

    for (int p = 0; p < pass->masks[0].pairs; p++)
        w->at[p] = lines[p * pass->lines.line_rows / 2];
    sum_two_rows(pass, w, tile->pixels * pass->plan->channels);
    for (int r = 0; r < rows; r++)
        finish_row(pass, w, tile, r, y + r);
}

/* ---- one pass ---- */

/* Weights of mask K as pairs or quads. False: no memory. */
static bool weights_pack(struct pairs_pass *pass, int k, const int64_t *weight)
{
    const struct plan_mask *m = &pass->plan->mask[k];
    int rows = pass->lines.line_rows, pairs = m->height / rows + 1, taps = m->width * pairs;
    uint32_t *packed = calloc(2 * (size_t)taps, sizeof *packed);

    pass->weights[k] = packed;
    if (!packed)
        return false;
    pass->masks[k] =
        (struct cpu_two_masks){pairs, m->width, pass->plan->channels, {packed, packed + taps}};
    weights_lay(&pass->masks[k], rows, weight, m->width, m->height, packed);
    pass->start[k] = pass->certified ? 0 : (uint32_t)m->offset;
    if (pass->plan->type == SAMPLE_U16)
        pass->start[k] += 32768 * (uint32_t)m->sum;
    return true;
}

static bool weights_make(struct pairs_pass *pass)
{
    const struct plan *plan = pass->plan;
    const struct plan_mask *m = &plan->mask[0];
    bool plain = plan->type == SAMPLE_U8 && plan->kind == PLAN_LINEAR && !pass->certified;
    bool quads = plain && pass->ops->byte_quads && quads_fit(m);

    pass->lines = (struct cpu_lines){.line_rows = quads ? 4 : 2, .step = 2, .rows = 2, .bytes = 4};
    pass->lines.span = m->height / pass->lines.line_rows * (pass->lines.line_rows / 2) + 1;
    if (pass->certified)
        return cpu_rounded_make(&pass->rounded, plan) &&
               weights_pack(pass, 0, pass->rounded.weight);
    for (int k = 0; k < plan->masks; k++)
        if (!weights_pack(pass, k, plan->mask[k].weight))
            return false;
    return true;
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct pairs_pass *pass = context;
    struct pairs_worker *w = worker;
    size_t n = cpu_tiles_sums(&pass->lines.tiles);

    w->at = cpu_memory_take(memory, (size_t)pass->masks[0].pairs * sizeof *w->at);
    for (int k = 0; k < 2 * pass->plan->masks; k++)
        w->sum[k / 2][k % 2] = cpu_memory_take(memory, n * sizeof *w->sum[0][0]);
    w->doubtful = cpu_memory_take(memory, n);
}

void cpu_pairs_free(void *state)
{
    struct pairs_pass *pass = state;
    free(pass->weights[0]);
    free(pass->weights[1]);
    cpu_rounded_free(&pass->rounded);
    free(pass);
}

void *cpu_pairs_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    struct pairs_pass *pass = calloc(1, sizeof *pass);

    (void)width, (void)height;
    if (!pass)
        return NULL;
    pass->plan = plan;
    pass->ops = ops;
    pass->certified = plan->mask[0].accumulator == ACCUMULATOR_I64;
    if (weights_make(pass))
        return pass;
    cpu_pairs_free(pass);
    return NULL;
}

bool cpu_pairs_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_lines_hooks hooks = {sizeof(struct pairs_worker), worker_make, put,
                                                 filter};
    struct pairs_pass pass = *(const struct pairs_pass *)state;

    pass.job = job;
    cpu_lines_cut(&pass.lines, job);
    return cpu_lines_run(&pass.lines, &hooks, &pass, err);
}

bool cpu_pairs_fit(const struct plan *plan)
{
    for (int k = 0; k < plan->masks; k++)
        if (plan->mask[k].accumulator == ACCUMULATOR_I64 || !cpu_weights_fit_int16(&plan->mask[k]))
            return false;
    return true;
}

/* ---- the rows of the table ---- */

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    (void)ops;
    return plan->type != SAMPLE_U8                        ? "it takes 8-bit samples only"
           : plan->alpha == ALPHA_WEIGHTED                ? "it does not weight colour by alpha"
           : plan->mask[0].accumulator == ACCUMULATOR_I64 ? "its sums have 32 bits"
           : !cpu_weights_fit_int16(&plan->mask[0])       ? "its weights have 16 bits"
                                                          : NULL;
}

/* Where both can run a plan, this method beside `bytes` is a matter of instructions. */
static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    if (refusal(plan, ops))
        return HUGE_VAL;
    if (cpu_bytes_wins(plan) && quads_win(ops, plan))
        return cpu_method_cost(&cpu_method_bytes, plan, ops, width, height);
    return cpu_samples(plan, width, height) * (cpu_cells(plan) / CPU_RATE_INT16 + 1);
}

static double cost_certified(const struct plan *plan, const struct cpu_ops *ops, int width,
                             int height)
{
    struct cpu_rounded rounded;
    double sample_ns;

    (void)ops;
    if (plan->type != SAMPLE_U8 || plan->alpha == ALPHA_WEIGHTED ||
        plan->mask[0].accumulator != ACCUMULATOR_I64 || !cpu_rounded_make(&rounded, plan))
        return HUGE_VAL;
    sample_ns = rounded.sample_ns;
    cpu_rounded_free(&rounded);
    return cpu_samples(plan, width, height) * sample_ns;
}

static const char *refusal_certified(const struct plan *plan, const struct cpu_ops *ops)
{
    return plan->type != SAMPLE_U8                        ? "it takes 8-bit samples only"
           : plan->alpha == ALPHA_WEIGHTED                ? "it does not weight colour by alpha"
           : plan->mask[0].accumulator != ACCUMULATOR_I64 ? "it is for sums of 64 bits"
           : cost_certified(plan, ops, 1, 1) < HUGE_VAL
               ? NULL
               : "rounded weights would leave too much in doubt";
}

const struct cpu_method cpu_method_direct8 = {
    .name = "direct8",
    .idea = "8 bits: every cell, for two rows at a time",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .per_cell = true,
    .refusal = refusal,
    .cost = cost,
    .make = cpu_pairs_make,
    .run = cpu_pairs_run,
    .free = cpu_pairs_free,
};

const struct cpu_method cpu_method_certified8 = {
    .name = "certified8",
    .idea = "8 bits, rounded weights: every cell; samples in doubt are summed exactly",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .per_cell = true,
    .refusal = refusal_certified,
    .cost = cost_certified,
    .make = cpu_pairs_make,
    .run = cpu_pairs_run,
    .free = cpu_pairs_free,
};
