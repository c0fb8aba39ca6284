/* Exact sums of 16-bit samples by a column and a row: see cpu/outer16.h.
 *
 * With the column c (what its numbers have in common, g, taken out), the row r and x' = x - 32768
 *
 *   C = sum of c*x'          |C| <= 2^31, since the sum of |c| is at most 2^16
 *     = 2^16 * H + L + 2^15  H and L of int16
 *   S = g * (2^16 * (sum of r*H) + sum of r*L + 2^15 * (sum of r) * (1 + sum of c)) + o
 *
 * where both sums fit 32 bits, since the sum of |r| is at most 2^16 too. All of it wraps exactly.
 *
 *   lines of pairs of rows --> C of two rows of output --> H, L in pairs of taps --> S --> samples
 *
 * A line holds a row of the picture and the row below it side by side as int16, ghost cells
 * included, and stands in a ring. A number of 16 bits and a sign, as the middle of a narrow
 * Gaussian has, is made of two: the second ones are taps of their own over the same lines.
 *
 * CPU time beside doubles (cpu/real.c) of --sigma 1, 2, 5 and 10: 0.63, 0.56, 0.47 and 0.48 with
 * AVX2, 0.69, 0.63, 0.45 and 0.47 with AVX-512 (RGB, 1920x1080, one thread). */
#include "cpu/outer16.h"

#include <stdlib.h>

#include "base/large_alloc.h"
#include "cpu/finish.h"
#include "cpu/strips.h"
#include "cpu/taps.h"

#define RING_BYTES   (160 * 1024)       /* a part of the L2 cache */
#define MOST_SAMPLES 3840               /* of a strip: sums stay in the caches next to the core */
#define MOST_SUM     65536              /* of the sizes of a column's or a row's numbers */
#define DOUBLE_BOUND ((int64_t)1 << 49) /* of sums that are divided as doubles: cpu/ops_wide.h */
#define MOST_PAIRS   (CPU_MAX_SIDE / 2 + 1)

struct worker {
    struct cpu_strip strip;
    uint32_t *ring;
    const uint32_t *at[2 * MOST_PAIRS];
    uint32_t *column[2]; /* of two rows of output */
    uint32_t *part[2];   /* of a row: H and L in pairs of taps */
    int32_t *half[2];    /* their sums */
    uint16_t *ghosts;    /* a row */
};

struct pass {
    const struct kernel_job *job;
    const struct cpu_ops *ops;
    struct cpu_strips strips;
    struct cpu_two_masks column;
    struct cpu_mask row;
    struct cpu_halves halves;
    int lines; /* of the ring, and of a column's first numbers */
    size_t stride;
    uint32_t weight[6 * MOST_PAIRS];
};

/* Negative numbers alone could make a sum of 2^31. */
static bool fits(const int64_t *numbers, int n, int64_t common)
{
    int64_t sum = 0;
    bool positive = false;
    for (int i = 0; i < n; i++) {
        int64_t size = llabs(numbers[i] / common);
        if (size > 2 * INT16_MAX || (sum += size) > MOST_SUM)
            return false;
        positive |= numbers[i] > 0;
    }
    return positive;
}

bool cpu_outer16_can(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return plan->kind == PLAN_LINEAR && plan->alpha != ALPHA_WEIGHTED && plan->type == SAMPLE_U16 &&
           m->accumulator == ACCUMULATOR_I64 && m->bound < DOUBLE_BOUND && m->row && m->width > 1 &&
           m->height > 1 && fits(m->row, m->width, 1) &&
           fits(m->column, m->height, cpu_taps_common(m->column, m->height));
}

double cpu_outer16_cost(const struct plan *plan)
{
    return 0.6 + 0.02 * (plan->mask[0].height + 2 * plan->mask[0].width);
}

/* ---- one strip ---- */

/* Line k of the strip: its rows top + 2k and the next. */
static void fill_line(const struct pass *pass, struct worker *w, int k)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    size_t channels = (size_t)plan->channels;
    const uint16_t *upper = cpu_strip_row(job, &w->strip, w->strip.top + 2 * k, w->ghosts);
    const uint16_t *lower = cpu_strip_row(job, &w->strip, w->strip.top + 2 * k + 1, w->ghosts);
    uint32_t *out = w->ring + (size_t)(k % pass->lines) * pass->stride;
    int from = w->strip.first_pixel - m->anchor_x, to = from + w->strip.pixels + m->width - 1;

    for (int x = from, count; x < to; x += count, out += (size_t)count * channels) {
        int cell = border_fold(plan->border, x, job->in->width);
        int inside_to = to < job->in->width ? to : job->in->width;
        size_t at = cell == BORDER_OUTSIDE ? 0 : (size_t)cell * channels;
        bool outside = cell == BORDER_OUTSIDE;
        count = !outside && cell == x ? inside_to - x : 1;
        pass->ops->pairs_u16((outside ? w->ghosts : upper) + at, (outside ? w->ghosts : lower) + at,
                             out, count * plan->channels);
    }
}

/* The sums of row Y of output from those of its column. */
static void finish_row(const struct pass *pass, struct worker *w, const uint32_t *column, int y)
{
    const struct plan *plan = pass->job->plan;
    int n = w->strip.pixels * plan->channels, halo = plan->mask[0].width * plan->channels;
    void *out = cpu_strip_out(pass->job, &w->strip, y);

    pass->ops->split_taps(column, plan->channels, w->part[0], w->part[1], n + halo);
    for (int k = 0; k < 2; k++) {
        const uint32_t *rows[2] = {w->part[k], w->part[k]};
        pass->ops->sum_pairs(&pass->row, rows, 0, w->half[k], n);
    }
    pass->ops->divide_halves(&pass->halves, w->half[0], w->half[1], out, n);
    cpu_finish_unfiltered(pass->job, y, w->strip.first_pixel, w->strip.pixels, out);
}

static void run_strip(const void *context, void *worker, const struct cpu_strip *strip)
{
    const struct pass *pass = context;
    struct worker *w = worker;
    const struct plan *plan = pass->job->plan;
    int n = (strip->pixels + plan->mask[0].width) * plan->channels;

    w->strip = *strip;
    for (int k = 0; k < pass->lines - 1; k++)
        fill_line(pass, w, k);
    for (int t = 0; strip->first + 2 * t < strip->end; t++) {
        int y = strip->first + 2 * t;
        fill_line(pass, w, t + pass->lines - 1);
        for (int p = 0; p < pass->column.pairs; p++)
            w->at[p] = w->ring + (size_t)((t + p % pass->lines) % pass->lines) * pass->stride;
        pass->ops->sum_two_rows(&pass->column, w->at, 0, w->column[0], w->column[1], n);
        finish_row(pass, w, w->column[0], y);
        if (y + 1 < strip->end)
            finish_row(pass, w, w->column[1], y + 1);
    }
}

/* ---- one pass ---- */

/* Number i of N, over COMMON: the first part of it or what that leaves. */
static uint32_t part_of(const int64_t *numbers, int i, int n, int64_t common, int second)
{
    int64_t v = i >= 0 && i < n ? numbers[i] / common : 0;
    int64_t first = v > INT16_MAX ? INT16_MAX : v < -INT16_MAX ? -INT16_MAX : v;
    return (uint32_t)(second ? v - first : first) & 0xffff;
}

/* Pairs of numbers from number FIRST on; are there second parts? */
static bool put_pairs(uint32_t *to, const int64_t *numbers, int n, int64_t common, int first,
                      int pairs)
{
    uint32_t any = 0;
    for (int p = 0; p < 2 * pairs; p++) {
        int i = first + 2 * (p % pairs), second = p / pairs;
        to[p] = part_of(numbers, i, n, common, second) | part_of(numbers, i + 1, n, common, second)
                                                             << 16;
        any |= second ? to[p] : 0;
    }
    return any != 0;
}

static void weights_make(struct pass *pass)
{
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    int taps = (m->width + 1) / 2;
    uint32_t *upper = pass->weight, *lower = upper + 2 * MOST_PAIRS, *row = lower + 2 * MOST_PAIRS;
    int64_t rows = 0, columns = 0, common = cpu_taps_common(m->column, m->height);
    bool twice;

    pass->lines = m->height / 2 + 1;
    twice = put_pairs(upper, m->column, m->height, common, 0, pass->lines);
    put_pairs(lower, m->column, m->height, common, -1, pass->lines);
    pass->column = (struct cpu_two_masks){
        twice ? 2 * pass->lines : pass->lines, 1, plan->channels, {upper, lower}};
    twice = put_pairs(row, m->row, m->width, 1, 0, taps);
    pass->row = (struct cpu_mask){
        .width = taps, .height = twice ? 4 : 2, .step = 2 * plan->channels, .pair = row};
    for (int i = 0; i < m->height; i++)
        columns += m->column[i] / common;
    for (int j = 0; j < m->width; j++)
        rows += m->row[j];
    pass->halves = (struct cpu_halves){.common = common,
                                       .start = common * 32768 * rows * (1 + columns) + m->offset,
                                       .divisor = m->divisor,
                                       .max = (int32_t)plan->max};
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct pass *pass = context;
    struct worker *w = worker;
    size_t n = pass->stride, size = sizeof(uint32_t);

    /* Cleared: whole blocks read the slack at the lines' ends, and do not use it. */
    w->ring = cpu_memory_keep(memory, large_alloc_cleared((size_t)pass->lines * n * size));
    for (int k = 0; k < 2; k++) {
        w->column[k] = cpu_memory_keep(memory, large_alloc_cleared(n * size));
        w->part[k] = cpu_memory_keep(memory, large_alloc_cleared(n * size));
        w->half[k] = cpu_memory_keep(memory, large_alloc_cleared(n * size));
    }
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
}

bool cpu_outer16_run(const struct kernel_job *job, const struct cpu_ops *ops, struct error *err)
{
    static const struct cpu_strips_path path = {sizeof(struct worker), worker_make, run_strip};
    struct pass pass = {.job = job, .ops = ops};
    int width = job->plan->mask[0].width, samples;

    weights_make(&pass);
    samples = RING_BYTES / ((int)sizeof(uint32_t) * pass.lines);
    samples = samples < MOST_SAMPLES ? samples : MOST_SAMPLES;
    samples /= job->plan->channels;
    pass.strips = cpu_strips_cut(job, samples > 4 * width ? samples - width : 3 * width);
    pass.stride = cpu_strips_stride(&pass.strips, 2 * width, 2 * CPU_BLOCK);
    return cpu_strips_run(&pass.strips, &path, &pass, err);
}
