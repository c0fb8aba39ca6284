/* Direct sums of 8-bit samples on the CPU, two rows of output at a time: any mask whose weights fit
 * int16, and masks whose exact sums need 64 bits by way of an approximation in int16 that knows how
 * far it can be off (cpu/rounded.h).
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
 * t + 2, t + 4 ... of those that begin at every second row. The lines stand in a ring; ghost cells
 * stand in them already. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/bytes.h"
#include "cpu/rounded.h"
#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"

#define RING_BYTES (160 * 1024) /* as in cpu/direct.c: a part of the L2 cache */

struct direct8_worker {
    struct cpu_tile tile;
    uint32_t *ring;   /* pass.lines lines of pass.stride pairs (quads) */
    const void **at;  /* the lines of one row pair, from the top */
    uint32_t *sum[2]; /* of two rows of output */
    uint8_t *doubtful;
    uint8_t *ghosts; /* a row */
};

struct direct8_pass {
    const struct plan *plan;
    const struct cpu_ops *ops;
    struct cpu_two_masks masks;
    uint32_t *weights; /* owned: of all masks */
    int line_rows;     /* 2, or 4 of quads */
    int lines;         /* that a row of output spans: all of them, or every second one */
    bool certified;
    struct cpu_rounded rounded; /* where they are certified */
    /* Of one job: */
    const struct kernel_job *job;
    struct cpu_tiles tiles;
    size_t stride; /* pairs of a line */
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

/* Of so many lines, with the weights of both rows behind each other. */
static struct cpu_two_masks two_masks(int pairs, const struct plan *plan, const uint32_t *weights)
{
    int width = plan->mask[0].width, taps = pairs * width;
    return (struct cpu_two_masks){pairs, width, plan->channels, {weights, weights + taps}};
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

/* ---- lines of pairs ---- */

/* Elements [first, first + n) of the rows, side by side. */
static void put_line(const struct direct8_pass *pass, const uint8_t *const row[4], size_t first,
                     uint32_t *out, int n)
{
    if (pass->line_rows == 4) {
        const uint8_t *at[4];
        for (int i = 0; i < 4; i++)
            at[i] = row[i] + first;
        pass->ops->byte_quads(at, out, n);
    } else {
        pass->ops->pairs_u8(row[0] + first, row[1] + first, out, n);
    }
}

/* Line k of the tile: its rows top + 2k and the next ones. */
static void fill_line(const struct direct8_pass *pass, struct direct8_worker *w, int k)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    const uint8_t *const ghosts[4] = {w->ghosts, w->ghosts, w->ghosts, w->ghosts};
    const uint8_t *row[4];
    size_t channels = (size_t)plan->channels;
    uint32_t *line = w->ring + (size_t)(k % pass->lines) * pass->stride;
    int from = w->tile.first_pixel - m->anchor_x;
    int to = from + w->tile.pixels + m->width - 1;
    struct cpu_span span;

    for (int i = 0; i < pass->line_rows; i++)
        row[i] = cpu_tile_row(job, &w->tile, w->tile.top + 2 * k + i, w->ghosts);
    for (int x = from; x < to; x += span.pixels) {
        uint32_t *out = line + (size_t)(x - from) * channels;
        span = cpu_span_at(job, x, to);
        if (span.cell != BORDER_OUTSIDE)
            put_line(pass, row, (size_t)span.cell * channels, out, span.pixels * plan->channels);
        else
            put_line(pass, ghosts, 0, out, plan->channels);
    }
}

/* ---- two rows of one tile ---- */

static void finish_row(const struct direct8_pass *pass, const struct direct8_worker *w, int lower,
                       int y)
{
    const struct plan *plan = pass->job->plan;
    int n = w->tile.pixels * plan->channels;
    uint8_t *out = cpu_tile_out(pass->job, &w->tile, y);

    if (!pass->certified) {
        union cpu_sums sums = {.narrow = (int32_t *)w->sum[lower]};
        cpu_finish_linear(pass->ops, plan, false, sums, out, n);
    } else {
        pass->ops->certify_u8(&pass->rounded.test, (const int32_t *)w->sum[lower], out, w->doubtful,
                              n);
        cpu_rounded_resolve(pass->job, &w->tile, y, w->ghosts, w->doubtful, out);
    }
    cpu_finish_unfiltered(pass->job, y, w->tile.first_pixel, w->tile.pixels, out);
}

static void sum_two_rows(const struct direct8_pass *pass, const struct direct8_worker *w, int n)
{
    const struct plan_mask *m = &pass->job->plan->mask[0];
    const uint32_t *const *lines = (const uint32_t *const *)w->at;
    uint32_t start = pass->certified ? 0 : (uint32_t)m->offset;

    if (pass->line_rows == 4)
        pass->ops->quad_two_rows(&pass->masks, lines, start, w->sum[0], w->sum[1], n);
    else
        pass->ops->sum_two_rows(&pass->masks, lines, start, w->sum[0], w->sum[1], n);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct direct8_pass *pass = context;
    struct direct8_worker *w = worker;
    int pairs = pass->masks.pairs, n = tile->pixels * pass->job->plan->channels;

    w->tile = *tile;
    for (int k = 0; k < pass->lines - 1; k++)
        fill_line(pass, w, k);
    for (int t = 0; tile->first + 2 * t < tile->end; t++) {
        int y = tile->first + 2 * t;
        fill_line(pass, w, t + pass->lines - 1);
        for (int p = 0; p < pairs; p++) {
            int slot = (t + p * pass->line_rows / 2) % pass->lines;
            w->at[p] = w->ring + (size_t)slot * pass->stride;
        }
        sum_two_rows(pass, w, n);
        finish_row(pass, w, 0, y);
        if (y + 1 < tile->end)
            finish_row(pass, w, 1, y + 1);
    }
}

/* ---- one pass ---- */

/* The weights to sum with, rounded where they are certified; false where they cannot be. */
static bool weights_round(struct direct8_pass *pass, int64_t *weight)
{
    const struct plan_mask *m = &pass->plan->mask[0];
    size_t bytes = (size_t)m->width * (size_t)m->height * sizeof *weight;

    if (!pass->certified) {
        memcpy(weight, m->weight, bytes);
        return true;
    }
    if (!cpu_rounded_make(&pass->rounded, pass->plan))
        return false;
    memcpy(weight, pass->rounded.weight, bytes);
    return true;
}

/* Weights as pairs or quads. */
static bool weights_pack(struct direct8_pass *pass, const int64_t *weight)
{
    const struct plan *plan = pass->plan;
    const struct plan_mask *m = &plan->mask[0];
    int pairs;
    size_t taps;

    pass->line_rows = !pass->certified && pass->ops->byte_quads && quads_fit(m) ? 4 : 2;
    pairs = m->height / pass->line_rows + 1;
    taps = (size_t)m->width * (size_t)pairs;
    pass->lines = (pairs - 1) * (pass->line_rows / 2) + 1;
    pass->weights = calloc(2 * taps, sizeof *pass->weights);
    if (!pass->weights)
        return false;
    pass->masks = two_masks(pairs, plan, pass->weights);
    weights_lay(&pass->masks, pass->line_rows, weight, m->width, m->height, pass->weights);
    return true;
}

static bool weights_make(struct direct8_pass *pass)
{
    const struct plan_mask *m = &pass->plan->mask[0];
    size_t cells = (size_t)m->width * (size_t)m->height;
    int64_t *weight = calloc(cells, sizeof *weight);
    bool ok;

    pass->certified = m->accumulator == ACCUMULATOR_I64;
    ok = weight && weights_round(pass, weight) && weights_pack(pass, weight);
    free(weight);
    return ok;
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct direct8_pass *pass = context;
    struct direct8_worker *w = worker;
    size_t line = pass->stride * sizeof *w->ring, n = cpu_tiles_sums(&pass->tiles);

    /* Cleared: whole blocks read the slack at the lines' ends, and do not use it. */
    w->ring = cpu_memory_keep(memory, large_alloc_cleared((size_t)pass->lines * line));
    w->at = cpu_memory_keep(memory, calloc((size_t)pass->masks.pairs, sizeof *w->at));
    for (int k = 0; k < 2; k++)
        w->sum[k] = cpu_memory_keep(memory, large_alloc_cleared(n * sizeof *w->sum[k]));
    w->doubtful = cpu_memory_keep(memory, calloc(n, 1));
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
}

/* Tiles whose ring fits the cache. */
static void pass_cut(struct direct8_pass *pass)
{
    const struct plan *plan = pass->job->plan;
    int line = (int)sizeof(uint32_t) * pass->lines * plan->channels, width = plan->mask[0].width;

    pass->tiles = cpu_tiles_cut(pass->job, RING_BYTES / line - width);
    pass->stride = cpu_tiles_stride(&pass->tiles, width, CPU_BLOCK);
}

static void direct8_free(void *state)
{
    struct direct8_pass *pass = state;
    free(pass->weights);
    cpu_rounded_free(&pass->rounded);
    free(pass);
}

static void *direct8_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    struct direct8_pass *pass = calloc(1, sizeof *pass);

    (void)width, (void)height;
    if (!pass)
        return NULL;
    pass->plan = plan;
    pass->ops = ops;
    if (weights_make(pass))
        return pass;
    direct8_free(pass);
    return NULL;
}

static bool direct8_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct direct8_worker), worker_make,
                                                run_tile};
    struct direct8_pass pass = *(const struct direct8_pass *)state;

    pass.job = job;
    pass_cut(&pass);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
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

static const char *refusal_certified(const struct plan *plan, const struct cpu_ops *ops)
{
    struct cpu_rounded rounded;

    (void)ops;
    if (plan->type != SAMPLE_U8)
        return "it takes 8-bit samples only";
    if (plan->alpha == ALPHA_WEIGHTED)
        return "it does not weight colour by alpha";
    if (plan->mask[0].accumulator != ACCUMULATOR_I64)
        return "it is for sums of 64 bits";
    if (!cpu_rounded_make(&rounded, plan))
        return "rounded weights would leave too much in doubt";
    cpu_rounded_free(&rounded);
    return NULL;
}

static double cost_certified(const struct plan *plan, const struct cpu_ops *ops, int width,
                             int height)
{
    struct cpu_rounded rounded;
    double sample_ns;

    if (refusal_certified(plan, ops) || !cpu_rounded_make(&rounded, plan))
        return HUGE_VAL;
    sample_ns = rounded.sample_ns;
    cpu_rounded_free(&rounded);
    return cpu_samples(plan, width, height) * sample_ns;
}

const struct cpu_method cpu_method_direct8 = {
    .name = "direct8",
    .idea = "8 bits: every cell, for two rows at a time",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .per_cell = true,
    .refusal = refusal,
    .cost = cost,
    .make = direct8_make,
    .run = direct8_run,
    .free = direct8_free,
};

const struct cpu_method cpu_method_certified8 = {
    .name = "certified8",
    .idea = "8 bits, rounded weights: every cell; samples in doubt are summed exactly",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .per_cell = true,
    .refusal = refusal_certified,
    .cost = cost_certified,
    .make = direct8_make,
    .run = direct8_run,
    .free = direct8_free,
};
