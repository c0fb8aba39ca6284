/* The method `outer16`: 16-bit samples under a mask that is a column times a row of numbers of 16
 * bits, as every Gaussian by --sigma is: exact sums in two halves of 32 bits, by multiplications of
 * 16 bits, of which the processor makes more at a time than of doubles.
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
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"
#include "cpu/taps.h"

#define RING_BYTES   (160 * 1024) /* a part of the L2 cache */
#define MOST_SAMPLES 3840         /* of a tile: sums stay in the caches next to the core */
#define MOST_SUM     65536        /* of the sizes of a column's or a row's numbers */
#define DOUBLE_BOUND                                                                               \
    ((int64_t)1 << 49) /* of sums that are divided as doubles: cpu/ops_divide.h                    \
                        */
#define MOST_PAIRS (CPU_MAX_SIDE / 2 + 1)

struct outer16_worker {
    struct cpu_tile tile;
    uint32_t *ring;
    const uint32_t *at[2 * MOST_PAIRS];
    uint32_t *column[2]; /* of two rows of output */
    uint32_t *part[2];   /* of a row: H and L in pairs of taps */
    int32_t *half[2];    /* their sums */
    uint16_t *ghosts;    /* a row */
};

struct outer16_pass {
    const struct plan *plan;
    const struct cpu_ops *ops;
    struct cpu_two_masks column;
    struct cpu_mask row;
    struct cpu_halves halves;
    int lines; /* of the ring, and of a column's first numbers */
    uint32_t weight[6 * MOST_PAIRS];
    /* Of one job: */
    const struct kernel_job *job;
    struct cpu_tiles tiles;
    size_t stride;
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

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    const struct plan_mask *m = &plan->mask[0];
    bool can = m->bound < DOUBLE_BOUND && m->row && m->width > 1 && m->height > 1 &&
               fits(m->row, m->width, 1) &&
               fits(m->column, m->height, cpu_taps_common(m->column, m->height));
    (void)ops;
    return plan->alpha == ALPHA_WEIGHTED                  ? "it does not weight colour by alpha"
           : plan->type != SAMPLE_U16                     ? "it takes 16-bit samples only"
           : plan->mask[0].accumulator != ACCUMULATOR_I64 ? "it is for sums of 64 bits"
           : !can ? "the mask is no column times a row of numbers of 16 bits"
                  : NULL;
}

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];
    return refusal(plan, ops)
               ? HUGE_VAL
               : cpu_samples(plan, width, height) * (0.6 + 0.02 * (m->height + 2 * m->width));
}

/* ---- one tile ---- */

/* Line k of the tile: its rows top + 2k and the next. */
static void fill_line(const struct outer16_pass *pass, struct outer16_worker *w, int k)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    size_t channels = (size_t)plan->channels;
    const uint16_t *upper = cpu_tile_row(job, &w->tile, w->tile.top + 2 * k, w->ghosts);
    const uint16_t *lower = cpu_tile_row(job, &w->tile, w->tile.top + 2 * k + 1, w->ghosts);
    uint32_t *out = w->ring + (size_t)(k % pass->lines) * pass->stride;
    int from = w->tile.first_pixel - m->anchor_x, to = from + w->tile.pixels + m->width - 1;

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
static void finish_row(const struct outer16_pass *pass, struct outer16_worker *w,
                       const uint32_t *column, int y)
{
    const struct plan *plan = pass->job->plan;
    int n = w->tile.pixels * plan->channels, halo = plan->mask[0].width * plan->channels;
    void *out = cpu_tile_out(pass->job, &w->tile, y);

    pass->ops->split_taps(column, plan->channels, w->part[0], w->part[1], n + halo);
    for (int k = 0; k < 2; k++) {
        const uint32_t *rows[2] = {w->part[k], w->part[k]};
        pass->ops->sum_pairs(&pass->row, rows, 0, w->half[k], n);
    }
    pass->ops->divide_halves(&pass->halves, w->half[0], w->half[1], out, n);
    cpu_finish_unfiltered(pass->job, y, w->tile.first_pixel, w->tile.pixels, out);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct outer16_pass *pass = context;
    struct outer16_worker *w = worker;
    const struct plan *plan = pass->job->plan;
    int n = (tile->pixels + plan->mask[0].width) * plan->channels;

    w->tile = *tile;
    for (int k = 0; k < pass->lines - 1; k++)
        fill_line(pass, w, k);
    for (int t = 0; tile->first + 2 * t < tile->end; t++) {
        int y = tile->first + 2 * t;
        fill_line(pass, w, t + pass->lines - 1);
        for (int p = 0; p < pass->column.pairs; p++)
            w->at[p] = w->ring + (size_t)((t + p % pass->lines) % pass->lines) * pass->stride;
        pass->ops->sum_two_rows(&pass->column, w->at, 0, w->column[0], w->column[1], n);
        finish_row(pass, w, w->column[0], y);
        if (y + 1 < tile->end)
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

static void weights_make(struct outer16_pass *pass)
{
    const struct plan *plan = pass->plan;
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
    const struct outer16_pass *pass = context;
    struct outer16_worker *w = worker;
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

static void *outer16_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    struct outer16_pass *pass = calloc(1, sizeof *pass);

    (void)width, (void)height;
    if (!pass)
        return NULL;
    pass->plan = plan;
    pass->ops = ops;
    weights_make(pass);
    return pass;
}

static bool outer16_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct outer16_worker), worker_make,
                                                run_tile};
    struct outer16_pass pass = *(const struct outer16_pass *)state;
    int width = job->plan->mask[0].width, samples;

    pass.job = job;
    samples = RING_BYTES / ((int)sizeof(uint32_t) * pass.lines);
    samples = samples < MOST_SAMPLES ? samples : MOST_SAMPLES;
    samples /= job->plan->channels;
    pass.tiles = cpu_tiles_cut(job, samples > 4 * width ? samples - width : 3 * width);
    pass.stride = cpu_tiles_stride(&pass.tiles, 2 * width, 2 * CPU_BLOCK);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

const struct cpu_method cpu_method_outer16 = {
    .name = "outer16",
    .idea = "16 bits: a column pass and a row pass in two halves of 32 bits each",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .per_cell = true,
    .refusal = refusal,
    .cost = cost,
    .make = outer16_make,
    .run = outer16_run,
    .free = free,
};
