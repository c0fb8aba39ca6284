/* Direct sums of 8-bit samples: see cpu/direct8.h.
 *
 * Lines of pairs hold two rows of the picture side by side, as bytes where the weights
 * are small (cpu/direct8_bytes.c) and else as int16, so that one multiply-add takes two
 * taps. Output rows y and y+1 read the same lines:
 *
 *   rows      y-ay  +1 | +2  +3 | +4  +5      (mask of 5 rows)
 *   y          w0   w1 | w2  w3 | w4   0
 *   y+1         0   w0 | w1  w2 | w3  w4
 *
 * so each line is loaded once for both, and only every second row begins a line.
 * Where there are lines of four rows, small weights take them: lines t, t + 2, t + 4 ... of
 * those that begin at every second row. The lines stand in a ring; ghost cells stand in them
 * already. */
#include "cpu/direct8.h"

#include <stdlib.h>
#include <string.h>

#include "base/large_alloc.h"
#include "cpu/bytes_taps.h"
#include "cpu/certify.h"
#include "cpu/direct8_bytes.h"
#include "cpu/direct8_pack.h"
#include "cpu/finish.h"
#include "cpu/real.h"
#include "cpu/strips.h"
#include "kernel/kept.h"

#define RING_BYTES (160 * 1024) /* as in cpu/kernels.c: a part of the L2 cache */

struct worker {
    struct cpu_strip strip;
    uint8_t *ring;    /* pass.lines lines of pass.stride pairs (quads) */
    const void **at;  /* the lines of one row pair, from the top */
    uint32_t *sum[2]; /* of two rows of output */
    uint16_t *sum16[2];
    uint8_t *doubtful;
    uint8_t *ghosts; /* a row */
};

struct pass {
    const struct kernel_job *job;
    const struct cpu_ops *ops;
    struct cpu_strips strips;
    struct cpu_two_masks masks;
    uint32_t *weights; /* owned: of all masks */
    int line_rows;     /* 2, or 4 of quads */
    int lines;         /* that a row of output spans: all of them, or every second one */
    bool certified;
    struct cpu_direct8_bytes bytes;
    size_t pair_bytes;
    struct cpu_rounded *rounded; /* where they are certified; without weights: it cannot be */
    size_t stride;               /* pairs of a line */
};

bool cpu_direct8_can(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    if (plan->kind != PLAN_LINEAR || plan->alpha == ALPHA_WEIGHTED || plan->type != SAMPLE_U8)
        return false;
    if (m->accumulator == ACCUMULATOR_I64)
        return true; /* unless the weights cannot be rounded: see cpu_direct8_run */
    for (int k = 0; k < m->width * m->height; k++)
        if (m->weight[k] < INT16_MIN || m->weight[k] > INT16_MAX)
            return false;
    return true;
}

/* ---- lines of pairs ---- */

/* Elements [first, first + n) of the rows, side by side. */
static void put_line(const struct pass *pass, const uint8_t *const row[4], size_t first, void *out,
                     int n)
{
    if (pass->line_rows == 4) {
        const uint8_t *at[4];
        for (int i = 0; i < 4; i++)
            at[i] = row[i] + first;
        pass->ops->byte_quads(at, out, n);
    } else if (pass->bytes.can) {
        pass->ops->byte_pairs(row[0] + first, row[1] + first, out, n);
    } else {
        pass->ops->pairs_u8(row[0] + first, row[1] + first, out, n);
    }
}

/* Line k of the strip: its rows top + 2k and the next ones. */
static void fill_line(const struct pass *pass, struct worker *w, int k)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    const uint8_t *const ghosts[4] = {w->ghosts, w->ghosts, w->ghosts, w->ghosts};
    const uint8_t *row[4];
    size_t channels = (size_t)plan->channels;
    uint8_t *line = w->ring + (size_t)(k % pass->lines) * pass->stride * pass->pair_bytes;
    int from = w->strip.first_pixel - m->anchor_x;
    int to = from + w->strip.pixels + m->width - 1;

    for (int i = 0; i < pass->line_rows; i++)
        row[i] = cpu_strip_row(job, &w->strip, w->strip.top + 2 * k + i, w->ghosts);
    for (int x = from; x < to; x++) {
        int inside_to = to < job->in->width ? to : job->in->width;
        int cell = border_fold(plan->border, x, job->in->width);
        void *out = line + (size_t)(x - from) * channels * pass->pair_bytes;
        if (x >= 0 && x < inside_to) {
            put_line(pass, row, (size_t)x * channels, out, (inside_to - x) * plan->channels);
            x = inside_to - 1;
        } else if (cell != BORDER_OUTSIDE) {
            put_line(pass, row, (size_t)cell * channels, out, plan->channels);
        } else {
            put_line(pass, ghosts, 0, out, plan->channels);
        }
    }
}

/* ---- two rows of one strip ---- */

static void finish_row(const struct pass *pass, const struct worker *w, int lower, int y)
{
    const struct plan *plan = pass->job->plan;
    int n = w->strip.pixels * plan->channels;
    uint8_t *out = cpu_strip_out(pass->job, &w->strip, y);

    if (pass->bytes.narrow) {
        pass->ops->divide_16_u8(&pass->bytes.divide, w->sum16[lower], out, n);
    } else if (!pass->certified) {
        union cpu_sums sums = {.narrow = (int32_t *)w->sum[lower]};
        cpu_finish_linear(pass->ops, plan, false, sums, out, n);
    } else {
        pass->ops->certify_u8(&pass->rounded->test, (const int32_t *)w->sum[lower], out,
                              w->doubtful, n);
        cpu_rounded_resolve(pass->job, &w->strip, y, w->ghosts, w->doubtful, out);
    }
    cpu_finish_unfiltered(pass->job, y, w->strip.first_pixel, w->strip.pixels, out);
}

static void sum_two_rows(const struct pass *pass, const struct worker *w, int n)
{
    const struct plan_mask *m = &pass->job->plan->mask[0];
    const uint32_t *const *lines = (const uint32_t *const *)w->at;
    uint32_t start = pass->certified ? 0 : (uint32_t)m->offset;
    uint16_t start_16 = (uint16_t)(m->offset + m->divisor / 2);

    if (pass->line_rows == 4 && pass->bytes.narrow)
        pass->ops->quad_two_rows_16(&pass->masks, lines, start_16, w->sum16[0], w->sum16[1], n);
    else if (pass->line_rows == 4)
        pass->ops->quad_two_rows(&pass->masks, lines, start, w->sum[0], w->sum[1], n);
    else if (pass->bytes.narrow)
        pass->ops->byte_two_rows_16(&pass->bytes.masks, (const uint16_t *const *)w->at, start_16,
                                    w->sum16[0], w->sum16[1], n);
    else if (pass->bytes.can)
        pass->ops->byte_two_rows(&pass->bytes.masks, (const uint16_t *const *)w->at, start,
                                 w->sum[0], w->sum[1], n);
    else
        pass->ops->sum_two_rows(&pass->masks, lines, start, w->sum[0], w->sum[1], n);
}

static void run_strip(const void *context, void *worker, const struct cpu_strip *strip)
{
    const struct pass *pass = context;
    struct worker *w = worker;
    int pairs = pass->masks.pairs, n = strip->pixels * pass->job->plan->channels;

    w->strip = *strip;
    for (int k = 0; k < pass->lines - 1; k++)
        fill_line(pass, w, k);
    for (int t = 0; strip->first + 2 * t < strip->end; t++) {
        int y = strip->first + 2 * t;
        fill_line(pass, w, t + pass->lines - 1);
        for (int p = 0; p < pairs; p++) {
            int slot = (t + p * pass->line_rows / 2) % pass->lines;
            w->at[p] = w->ring + (size_t)slot * pass->stride * pass->pair_bytes;
        }
        sum_two_rows(pass, w, n);
        finish_row(pass, w, 0, y);
        if (y + 1 < strip->end)
            finish_row(pass, w, 1, y + 1);
    }
}

/* ---- one pass ---- */

static void rounded_free(void *rounded)
{
    if (rounded)
        cpu_rounded_free(rounded);
    free(rounded);
}

/* Without weights where floats are faster. */
static void *rounded_make(void *context)
{
    const struct pass *pass = context;
    struct cpu_rounded *rounded = calloc(1, sizeof *rounded);
    struct cpu_real *real;

    if (rounded && cpu_rounded_make(rounded, pass->job->plan)) {
        real = cpu_real_make(pass->job->plan, pass->ops);
        if (real && real->sample_ns < rounded->sample_ns)
            cpu_rounded_free(rounded);
        cpu_real_free(real);
    }
    return rounded;
}

/* The weights to sum with, rounded where they are certified; false with *cannot where they cannot
 * be. */
static bool weights_round(struct pass *pass, int64_t *weight, bool *cannot)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    size_t bytes = (size_t)m->width * (size_t)m->height * sizeof *weight;

    if (!pass->certified) {
        memcpy(weight, m->weight, bytes);
        return true;
    }
    pass->rounded = job->kept
                        ? kernel_kept_get(job->kept, KEPT_ROUNDED, rounded_make, pass, rounded_free)
                        : rounded_make(pass);
    *cannot = !pass->rounded || !pass->rounded->weight;
    if (*cannot)
        return false;
    memcpy(weight, pass->rounded->weight, bytes);
    return true;
}

/* Weights as pairs or quads. */
static bool weights_pack(struct pass *pass, const int64_t *weight)
{
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    int pairs;
    size_t taps;

    pass->line_rows = !pass->certified && pass->ops->byte_quads && cpu_direct8_quads_fit(m) ? 4 : 2;
    pairs = m->height / pass->line_rows + 1;
    taps = (size_t)m->width * (size_t)pairs;
    pass->lines = (pairs - 1) * (pass->line_rows / 2) + 1;
    pass->weights = calloc(2 * taps, sizeof *pass->weights);
    if (!pass->weights)
        return false;
    pass->masks = cpu_direct8_masks(pairs, plan, pass->weights);
    cpu_direct8_pack(&pass->masks, pass->line_rows, weight, m->width, m->height, pass->weights);
    pass->pair_bytes = 4;
    if (pass->line_rows == 4) {
        pass->bytes.narrow = cpu_bytes_divide(plan, &pass->bytes.divide);
    } else if (!pass->certified && pass->ops->byte_two_rows && cpu_direct8_bytes_fit(m)) {
        pass->pair_bytes = 2;
        return cpu_direct8_bytes_make(&pass->bytes, plan, &pass->masks, pass->weights);
    }
    return true;
}

static bool weights_make(struct pass *pass, bool *cannot)
{
    const struct plan_mask *m = &pass->job->plan->mask[0];
    size_t cells = (size_t)m->width * (size_t)m->height;
    int64_t *weight = calloc(cells, sizeof *weight);
    bool ok;

    *cannot = false;
    pass->certified = m->accumulator == ACCUMULATOR_I64;
    ok = weight && weights_round(pass, weight, cannot) && weights_pack(pass, weight);
    free(weight);
    return ok;
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct pass *pass = context;
    struct worker *w = worker;
    size_t line = pass->stride * pass->pair_bytes, n = cpu_strips_sums(&pass->strips);

    /* Cleared: whole blocks read the slack at the lines' ends, and do not use it. */
    w->ring = cpu_memory_keep(memory, large_alloc_cleared((size_t)pass->lines * line));
    w->at = cpu_memory_keep(memory, calloc((size_t)pass->masks.pairs, sizeof *w->at));
    for (int k = 0; k < 2; k++) {
        w->sum[k] = cpu_memory_keep(memory, large_alloc_cleared(n * sizeof *w->sum[k]));
        w->sum16[k] = cpu_memory_keep(memory, large_alloc_cleared(n * sizeof *w->sum16[k]));
    }
    w->doubtful = cpu_memory_keep(memory, calloc(n, 1));
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
}

/* Strips whose ring fits the cache. */
static void pass_cut(struct pass *pass)
{
    const struct plan *plan = pass->job->plan;
    int line = (int)pass->pair_bytes * pass->lines * plan->channels, width = plan->mask[0].width;

    pass->strips = cpu_strips_cut(pass->job, RING_BYTES / line - width);
    pass->stride = cpu_strips_stride(&pass->strips, width, CPU_BLOCK);
}

bool cpu_direct8_run(const struct kernel_job *job, const struct cpu_ops *ops, bool *cannot,
                     struct error *err)
{
    static const struct cpu_strips_path path = {sizeof(struct worker), worker_make, run_strip};
    struct pass pass = {.job = job, .ops = ops};
    bool ok = weights_make(&pass, cannot);

    if (ok) {
        pass_cut(&pass);
        ok = cpu_strips_run(&pass.strips, &path, &pass, err);
    } else if (!*cannot) {
        error_set(err, EXIT_INPUT, "no memory for the mask's weights");
    }
    free(pass.weights);
    if (!job->kept)
        rounded_free(pass.rounded);
    free(pass.bytes.full);
    return ok;
}
