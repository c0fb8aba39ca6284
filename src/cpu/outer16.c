/* The method `outer16`: 16-bit samples under a mask that is a column times a row of 16-bit numbers,
 * such as every Gaussian by --sigma. Exact sums are made in two halves of 32 bits with 16-bit
 * multiplications, of which the processor makes more at a time than of doubles.
 *
 * Let g be the common divisor of the column, c the column over g, r the row, x' = x - 32768:
 *
 *   C = sum of c*x'          |C| <= 2^31, since the sum of |c| is at most 2^16
 *     = 2^16 * H + L + 2^15  H and L of int16
 *   S = g * (2^16 * (sum of r*H) + sum of r*L + 2^15 * (sum of r) * (1 + sum of c)) + o
 *
 * Both sums in S fit 32 bits, since the sum of |r| is at most 2^16, too. Overflow on the way does
 * no harm. Sharpening by a Gaussian has one more cell, at the anchor, added when S is divided.
 *
 *   lines of pairs of rows --> C of two rows of output --> H, L in pairs of taps --> S --> samples
 *
 * If S is divided by shifts, H and L are kept for pairs of pixels: a load then serves two outputs.
 *
 * A line holds a row of the picture and the row below it side by side as int16, ghost cells
 * included; the lines form a ring. A number of 16 bits and a sign, such as the middle of a narrow
 * Gaussian, is split into two: the second parts are extra taps over the same lines.
 *
 * CPU time relative to doubles (cpu/real.c) for --sigma 1, 2, 5 and 10: 0.63, 0.56, 0.47 and 0.48
 * with AVX2, 0.69, 0.63, 0.45 and 0.47 with AVX-512 (RGB, 1920x1080, one thread). */
#include <math.h>
#include <stdlib.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/lines.h"
#include "cpu/taps.h"

#define MOST_SAMPLES 3840  /* of a tile: sums stay in the caches next to the core */
#define MOST_SUM     65536 /* of the absolute values in a column or a row */
#define MOST_PAIRS   (CPU_MAX_SIDE / 2 + 1)

struct outer16_worker {
    uint32_t *column[2]; /* of two rows of output */
    uint32_t *part[2];   /* of a row: H and L in pairs of taps */
    int32_t *half[4];    /* their sums; of pairs of pixels those of even and of odd pixels */
};

struct outer16_pass {
    const struct plan *plan;
    const struct cpu_ops *ops;
    struct cpu_two_masks column;
    struct cpu_mask row;
    struct cpu_two_masks pair_row; /* the row over pairs of pixels: even ones, odd ones */
    struct cpu_pixel_pairs pixel_pairs;
    struct cpu_halves halves;
    uint32_t weight[8 * MOST_PAIRS];
    struct cpu_lines lines;
    const struct kernel_job *job; /* set for one job, like lines.tiles */
};

/* Numbers that are all negative could make a sum of 2^31. */
static bool fits(const int64_t *numbers, int n, int64_t common)
{
    int64_t sum = 0;
    bool positive = false;
    for (int i = 0; i < n; i++) {
        int64_t size = llabs(numbers[i] / common);
        if (size > 2 * INT16_MAX || (sum += size) > MOST_SUM)
            return false;
        positive |= numbers[i] / common > 0;
    }
    return positive || sum < MOST_SUM;
}

/* The common divisor of the column; negative if no number is positive, as in sharpening: then the
 * numbers over it are positive. */
static int64_t common_of(const int64_t *column, int n)
{
    bool positive = false;
    for (int i = 0; i < n; i++)
        positive |= column[i] > 0;
    return positive ? cpu_taps_common(column, n) : -cpu_taps_common(column, n);
}

/* Finds the column and the row of the mask. *cell: the extra weight of the cell at the anchor, as
 * in sharpening by a Gaussian. */
static bool factors_of(const struct plan_mask *m, struct plan_term *outer, int64_t *cell)
{
    *outer = (struct plan_term){0, 0, m->height, m->width, m->column, m->row};
    *cell = 0;
    if (m->row)
        return true;
    if (m->terms != 2 || !m->terms_exact || m->term[1].width > 1 || m->term[1].height > 1)
        return false;
    *outer = m->term[0];
    *cell = m->term[1].column[0] * m->term[1].row[0];
    return outer->width == m->width && outer->height == m->height &&
           m->term[1].left == m->anchor_x && m->term[1].top == m->anchor_y;
}

static double sum_of_sizes(const int64_t *numbers, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += fabs((double)numbers[i]);
    return sum;
}

/* How the sums are divided; false: by none of the ways. See cpu/ops_divide.h. */
static bool choose_way(const struct plan_mask *m, const struct plan_term *outer, int64_t cell,
                       enum cpu_halves_way *way)
{
    const int64_t common = common_of(outer->column, m->height);
    const int64_t power = m->divisor & -m->divisor;
    /* All steps to S + d/2 stay below this: see the top. */
    const double most =
        65536 * (sum_of_sizes(outer->row, m->width) *
                     (sum_of_sizes(outer->column, m->height) + fabs((double)common)) +
                 fabs((double)cell)) +
        fabs((double)m->offset) + (double)m->divisor;

    if (cell == 0 && m->offset == 0 && !m->has_negative && m->divisor % common == 0 &&
        m->divisor / common == power && power >= 1 << 17 &&
        (double)m->sum * UINT16_MAX + (double)m->divisor / 2 < 0x1p48 * (double)common)
        *way = HALVES_SHIFTED;
    else if (most < 0x1p49 || (most < 0x1p53 && m->divisor == power))
        *way = HALVES_ONCE;
    else if (most < 0x1p53 && most / (double)power < 0x1p31)
        *way = HALVES_TWICE;
    else
        return false;
    return true;
}

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    const struct plan_mask *m = &plan->mask[0];
    enum cpu_halves_way way;
    struct plan_term outer;
    int64_t cell;
    bool can = m->width > 1 && m->height > 1 && factors_of(m, &outer, &cell) &&
               fits(outer.row, m->width, 1) &&
               fits(outer.column, m->height, common_of(outer.column, m->height)) &&
               choose_way(m, &outer, cell, &way);
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
               : cpu_samples(plan, width, height) * (0.78 + 0.026 * (m->height + 2 * m->width));
}

/* ---- one tile ---- */

static void put(const void *context, const void *const *row, size_t first, void *line, size_t at,
                int n)
{
    const struct outer16_pass *pass = context;
    pass->ops->pairs_u16((const uint16_t *)row[0] + first, (const uint16_t *)row[1] + first,
                         (uint32_t *)line + at, n);
}

/* Makes a row of output from its column sums, by pairs of pixels. */
static void finish_pairs(const struct outer16_pass *pass, struct outer16_worker *w,
                         const struct cpu_tile *tile, const uint32_t *column, uint16_t *out)
{
    const int channels = pass->plan->channels, n = (tile->pixels + 1) / 2 * channels;
    const uint32_t *upper[2] = {(uint32_t *)w->half[0], (uint32_t *)w->half[1]};
    const uint32_t *lower[2] = {(uint32_t *)w->half[2], (uint32_t *)w->half[3]};

    pass->ops->split_pixel_pairs(&pass->pixel_pairs, column, w->part[0], w->part[1],
                                 n + pass->pair_row.width * channels);
    for (int k = 0; k < 2; k++) {
        const void *lines[2] = {w->part[k], w->part[k]};
        pass->ops->sum_two_rows(&pass->pair_row, lines, 0, w->half[2 * k], w->half[2 * k + 1], n);
    }
    pass->ops->shift_pixel_pairs(&pass->pixel_pairs, &pass->halves, upper, lower, out,
                                 tile->pixels * channels);
}

/* Makes row Y of output from its column sums. */
static void finish_row(const struct outer16_pass *pass, struct outer16_worker *w,
                       const struct cpu_tile *tile, const uint32_t *column, int y)
{
    const struct plan *plan = pass->plan;
    const uint16_t *in = (const uint16_t *)image_row(pass->job->in, y - pass->job->in_first_row);
    int n = tile->pixels * plan->channels, halo = plan->mask[0].width * plan->channels;

    if (pass->halves.way == HALVES_SHIFTED) {
        finish_pairs(pass, w, tile, column, cpu_tile_out(pass->job, tile, y));
        return;
    }
    pass->ops->split_taps(column, plan->channels, w->part[0], w->part[1], n + halo);
    for (int k = 0; k < 2; k++) {
        const uint32_t *rows[2] = {w->part[k], w->part[k]};
        pass->ops->sum_pairs(&pass->row, rows, 0, w->half[k], n);
    }
    in += (size_t)(tile->first_pixel * plan->channels);
    pass->ops->divide_halves(&pass->halves, w->half[0], w->half[1], in,
                             cpu_tile_out(pass->job, tile, y), n);
}

static void filter(const void *context, void *worker, const struct cpu_tile *tile,
                   const void *const *lines, int y, int rows)
{
    const struct outer16_pass *pass = context;
    struct outer16_worker *w = worker;
    int n = (tile->pixels + pass->plan->mask[0].width) * pass->plan->channels;
    const void *at[2 * MOST_PAIRS];

    for (int p = 0; p < pass->column.pairs; p++)
        at[p] = lines[p % pass->lines.span];
    pass->ops->sum_two_rows(&pass->column, at, 0, w->column[0], w->column[1], n);
    for (int r = 0; r < rows; r++)
        finish_row(pass, w, tile, w->column[r], y + r);
}

/* ---- one pass ---- */

/* Number i of N, divided by COMMON: its first part, or the rest (SECOND). */
static uint32_t part_of(const int64_t *numbers, int i, int n, int64_t common, int second)
{
    int64_t v = i >= 0 && i < n ? numbers[i] / common : 0;
    int64_t first = v > INT16_MAX ? INT16_MAX : v < -INT16_MAX ? -INT16_MAX : v;
    return (uint32_t)(second ? v - first : first) & 0xffff;
}

/* Puts pairs of numbers, from number FIRST on. Returns true if there are second parts. */
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

/* Packs the row: for pairs of pixels if the sums are shifted. */
static void row_make(struct outer16_pass *pass, const int64_t *numbers, int n)
{
    const bool pairs = pass->halves.way == HALVES_SHIFTED;
    const int channels = pass->plan->channels, taps = pairs ? n / 2 + 1 : (n + 1) / 2;
    uint32_t *even = pass->weight + 4 * MOST_PAIRS, *odd = even + 2 * MOST_PAIRS;
    const bool twice = put_pairs(even, numbers, n, 1, 0, taps);

    put_pairs(odd, numbers, n, 1, -1, taps);
    pass->row = (struct cpu_mask){
        .width = taps, .height = twice ? 4 : 2, .step = 2 * channels, .pair = even};
    pass->pair_row = (struct cpu_two_masks){twice ? 2 : 1, taps, channels, {even, odd}};
    if (pairs)
        pass->ops->pixel_pairs_make(&pass->pixel_pairs, channels);
}

static void weights_make(struct outer16_pass *pass)
{
    const struct plan *plan = pass->plan;
    const struct plan_mask *m = &plan->mask[0];
    int lines = m->height / 2 + 1;
    uint32_t *upper = pass->weight, *lower = upper + 2 * MOST_PAIRS;
    int64_t rows = 0, columns = 0, common, cell;
    struct plan_term outer;
    bool twice;

    factors_of(m, &outer, &cell);
    common = common_of(outer.column, m->height);

    pass->lines = (struct cpu_lines){.line_rows = 2,
                                     .step = 2,
                                     .rows = 2,
                                     .span = lines,
                                     .bytes = sizeof(uint32_t),
                                     .most = MOST_SAMPLES};
    twice = put_pairs(upper, outer.column, m->height, common, 0, lines);
    put_pairs(lower, outer.column, m->height, common, -1, lines);
    pass->column =
        (struct cpu_two_masks){twice ? 2 * lines : lines, 1, plan->channels, {upper, lower}};
    choose_way(m, &outer, cell, &pass->halves.way);
    row_make(pass, outer.row, m->width);
    for (int i = 0; i < m->height; i++)
        columns += outer.column[i] / common;
    for (int j = 0; j < m->width; j++)
        rows += outer.row[j];
    pass->halves = (struct cpu_halves){.way = pass->halves.way,
                                       .common = common,
                                       .start = common * 32768 * rows * (1 + columns) + m->offset,
                                       .cell = cell,
                                       .divisor = m->divisor,
                                       .max = (int32_t)plan->max};
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct outer16_pass *pass = context;
    struct outer16_worker *w = worker;
    size_t bytes = pass->lines.stride * sizeof(uint32_t);

    for (int k = 0; k < 2; k++) {
        w->column[k] = cpu_memory_take(memory, bytes);
        w->part[k] = cpu_memory_take(memory, bytes);
    }
    for (int k = 0; k < 4; k++)
        w->half[k] = cpu_memory_take(memory, bytes);
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
    static const struct cpu_lines_hooks hooks = {sizeof(struct outer16_worker), worker_make, put,
                                                 filter};
    struct outer16_pass pass = *(const struct outer16_pass *)state;

    pass.job = job;
    cpu_lines_cut(&pass.lines, job);
    return cpu_lines_run(&pass.lines, &hooks, &pass, err);
}

const struct cpu_method cpu_method_outer16 = {
    .name = "outer16",
    .idea = "16 bits: a column pass and a row pass in two halves of 32 bits each",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .refusal = refusal,
    .cost = cost,
    .wide_cost = 0.73,
    .make = outer16_make,
    .run = outer16_run,
    .free = free,
};
