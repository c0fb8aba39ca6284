/* The method `wide`, the most general one: sums of 64 bits, or of 128, of any mask. It is simple
 * rather than fast. No other method takes samples of 32 bits (linear light of 16-bit pictures) and
 * --nodata; other plans have it only if their numbers are too large for all other methods.
 *
 *   cells    an input row with its ghost cells
 *   weight   of each of these cells: its alpha, or 0 if it is nodata; none if all count the same
 *   value    cell times weight
 *   column   sums down the mask's column, of values and of weights
 *   sum      sums of these along the mask's row: S
 *
 * A mask that is no column times a row is summed cell by cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/finish.h"
#include "cpu/method.h"

__extension__ typedef __int128 int128;

struct wide {
    const struct plan *plan;
    bool weighted; /* cells have weights */
    bool longer;   /* 64 bits are not enough */
};

struct line {
    const struct plan *plan;
    const struct plan_mask *mask;
    const struct kernel_job *job;
    int pixels;       /* of a row with its ghost cells */
    size_t padded, n; /* samples of that row, and of an output row */
    uint32_t *cells;  /* PADDED */
    int64_t *value, *weight;
    void *column[2], *sum[2], *other; /* of values and of weights; the second mask of a gradient */
};

/* ---- a row of cells ---- */

/* Fills line->cells with row Y, which may be a ghost row. */
static void take_cells(struct line *l, int y)
{
    const struct plan *plan = l->plan;
    const struct image *in = l->job->in;
    const int channels = plan->channels, left = l->mask->anchor_x;
    const int row = border_fold(plan->border, y, l->job->picture_height);
    const void *samples = row == BORDER_OUTSIDE ? NULL : image_row(in, row - l->job->in_first_row);

    for (int p = 0; p < l->pixels; p++) {
        int x = p - left;
        uint32_t *cell = l->cells + (size_t)p * (size_t)channels;
        if (samples && x >= 0 && x < in->width) {
            const size_t from = (size_t)x * (size_t)channels;
            const size_t n = l->n; /* the rest of the row without ghost cells: x is 0 */
            for (size_t i = 0; i < n; i++)
                cell[i] = image_sample(samples, in->type, from + i);
            p += in->width - 1;
            continue;
        }
        x = border_fold(plan->border, x, in->width);
        for (int c = 0; c < channels; c++)
            cell[c] =
                !samples || x == BORDER_OUTSIDE
                    ? plan_ghost(plan, c)
                    : image_sample(samples, in->type, (size_t)x * (size_t)channels + (size_t)c);
    }
}

/* Makes values and weights from the cells. */
static void weigh(const struct wide *w, struct line *l)
{
    const struct plan *plan = l->plan;
    const int channels = plan->channels, alpha = channels - 1;
    const bool by_alpha = plan->alpha == ALPHA_WEIGHTED;

    for (size_t i = 0; !w->weighted && i < l->padded; i++)
        l->value[i] = l->cells[i];
    for (size_t i = 0; w->weighted && i < l->padded; i += (size_t)channels)
        for (int c = 0; c < channels; c++) {
            const uint32_t cell = l->cells[i + (size_t)c];
            const bool own = by_alpha && c == alpha; /* alpha itself counts everywhere */
            const bool none = plan->has_nodata && !own && cell == plan->nodata;
            const int64_t weight = none ? 0 : by_alpha ? l->cells[i + (size_t)alpha] : 1;
            l->weight[i + (size_t)c] = weight;
            l->value[i + (size_t)c] = own ? 0 : weight * cell;
        }
}

/* ---- sums ---- */

/* Sums of the type ACC: adds W times N cells; makes row Y's sums of a mask. */
#define SUMS(name, ACC)                                                                            \
    static void add_##name(ACC *restrict sum, int64_t w, const int64_t *restrict cell, size_t n)   \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            sum[i] += (ACC)w * cell[i];                                                            \
    }                                                                                              \
    static void sum_##name(const struct wide *w, struct line *l, const struct plan_mask *m, int y, \
                           void *const *sums)                                                      \
    {                                                                                              \
        const size_t step = (size_t)l->plan->channels;                                             \
        const int parts = w->weighted ? 2 : 1;                                                     \
        for (int k = 0; k < parts; k++) {                                                          \
            memset(l->column[k], 0, l->padded * sizeof(ACC));                                      \
            memset(sums[k], 0, l->n * sizeof(ACC));                                                \
        }                                                                                          \
        for (int i = 0; i < m->height; i++) {                                                      \
            take_cells(l, y + i - m->anchor_y);                                                    \
            weigh(w, l);                                                                           \
            for (int k = 0; k < parts; k++) {                                                      \
                const int64_t *cell = k == 0 ? l->value : l->weight;                               \
                if (m->row)                                                                        \
                    add_##name(l->column[k], m->column[i], cell, l->padded);                       \
                if (m->centre && i == m->height / 2)                                               \
                    add_##name(sums[k], m->centre, cell + (size_t)(m->width / 2) * step, l->n);    \
                for (int j = 0; !m->row && j < m->width; j++)                                      \
                    if (m->weight[i * m->width + j])                                               \
                        add_##name(sums[k], m->weight[i * m->width + j], cell + (size_t)j * step,  \
                                   l->n);                                                          \
            }                                                                                      \
        }                                                                                          \
        for (int k = 0; m->row && k < parts; k++) {                                                \
            const ACC *column = l->column[k];                                                      \
            ACC *sum = sums[k];                                                                    \
            for (int j = 0; j < m->width; j++)                                                     \
                for (size_t i = 0; i < l->n; i++)                                                  \
                    sum[i] += (ACC)m->row[j] * column[(size_t)j * step + i];                       \
        }                                                                                          \
    }
SUMS(64, int64_t)
SUMS(128, int128)

static int128 sum_at(const struct wide *w, const void *sums, size_t i)
{
    return w->longer ? ((const int128 *)sums)[i] : ((const int64_t *)sums)[i];
}

/* ---- from sums to samples ---- */

static uint32_t divide(int128 n, int128 d, uint32_t max)
{
    if (n < 0)
        return 0;
    if (n <= UINT64_MAX && d <= UINT64_MAX)
        n = (uint64_t)n / (uint64_t)d;
    else
        n /= d;
    return n > max ? max : (uint32_t)n;
}

/* The largest n with (2n-1)^2 * d^2 <= 4*(gx^2 + gy^2). */
static uint32_t length_of(int128 gx, int128 gy, int128 d, uint32_t max)
{
    const int128 square = 4 * (gx * gx + gy * gy);
    const double near = sqrt((double)square) / 2 / (double)d;
    int64_t n = near >= max ? max : (int64_t)near;

    while (n < max && (2 * n + 1) * d * (2 * n + 1) * d <= square)
        n++;
    while (n > 0 && (2 * n - 1) * d * (2 * n - 1) * d > square)
        n--;
    return (uint32_t)n;
}

static uint32_t sample_of(const struct wide *w, const struct line *l, int y, size_t i)
{
    const struct plan *plan = l->plan;
    const struct plan_mask *m = l->mask;
    const int c = (int)(i % (size_t)plan->channels);
    const bool is_alpha = plan->alpha == ALPHA_WEIGHTED && c == plan->channels - 1;
    const int128 value = sum_at(w, l->sum[0], i);

    if (plan->kind == PLAN_GRADIENT)
        return length_of(value, sum_at(w, l->other, i), m->divisor, plan->max);
    if (!w->weighted)
        return divide(value + m->offset + m->divisor / 2, m->divisor, plan->max);
    const int128 weight = sum_at(w, l->sum[1], i);
    if (is_alpha)
        return divide(weight + m->sum / 2, m->sum, plan->max);
    if (weight == 0)
        return reference_sample(l->job, y, (int)(i / (size_t)plan->channels), c);
    if (m->sum == m->divisor && m->offset == 0)
        return divide(value + weight / 2, weight, plan->max);
    const int128 d = m->divisor * weight;
    return divide(m->sum * value + m->offset * weight + d / 2, d, plan->max);
}

struct run {
    const struct wide *wide;
    const struct kernel_job *job;
    struct line *line; /* of each thread */
};

static void make_row(void *context, int row, int worker)
{
    const struct run *run = context;
    const struct wide *w = run->wide;
    const struct plan *plan = w->plan;
    struct line *l = &run->line[worker];
    const int y = run->job->out_first_row + row;
    void *out = image_row(run->job->out, row), *other[2] = {l->other, NULL};

    (w->longer ? sum_128 : sum_64)(w, l, &plan->mask[0], y, l->sum);
    if (plan->kind == PLAN_GRADIENT)
        (w->longer ? sum_128 : sum_64)(w, l, &plan->mask[1], y, other);
    for (size_t i = 0; i < l->n; i++) {
        if (!(plan->filtered >> i % (size_t)plan->channels & 1))
            continue;
        const uint32_t value = sample_of(w, l, y, i);
        if (plan->type == SAMPLE_U8)
            ((uint8_t *)out)[i] = (uint8_t)value;
        else if (plan->type == SAMPLE_U16)
            ((uint16_t *)out)[i] = (uint16_t)value;
        else
            ((uint32_t *)out)[i] = value;
    }
    cpu_finish_unfiltered(run->job, y, 0, run->job->out->width, out);
}

/* ---- one pass ---- */

static void line_free(struct line *l)
{
    free(l->cells);
    free(l->value);
    free(l->weight);
    free(l->column[0]);
    free(l->column[1]);
    free(l->sum[0]);
    free(l->sum[1]);
    free(l->other);
}

static bool line_make(struct line *l, const struct wide *w, const struct kernel_job *job)
{
    const struct plan *plan = w->plan;
    const size_t bytes = w->longer ? sizeof(int128) : sizeof(int64_t);

    *l = (struct line){.plan = plan, .mask = &plan->mask[0], .job = job};
    l->pixels = job->in->width + l->mask->width - 1;
    l->padded = (size_t)l->pixels * (size_t)plan->channels;
    l->n = (size_t)job->in->width * (size_t)plan->channels;
    l->cells = malloc(l->padded * sizeof *l->cells);
    l->value = malloc(l->padded * sizeof *l->value);
    l->weight = malloc(l->padded * sizeof *l->weight);
    for (int k = 0; k < 2; k++) {
        l->column[k] = malloc(l->padded * bytes);
        l->sum[k] = malloc(l->n * bytes);
    }
    l->other = malloc(l->n * bytes);
    return l->cells && l->value && l->weight && l->column[0] && l->column[1] && l->sum[0] &&
           l->sum[1] && l->other;
}

static bool wide_run(const void *state, const struct kernel_job *job, struct error *err)
{
    const struct wide *w = state;
    const int threads = job->threads < job->out->height ? job->threads : job->out->height;
    struct run run = {w, job, calloc((size_t)threads, sizeof *run.line)};
    bool ok = run.line != NULL;

    for (int t = 0; ok && t < threads; t++)
        ok = line_make(&run.line[t], w, job);
    if (ok)
        parallel_for(threads, job->out->height, make_row, &run);
    for (int t = 0; run.line && t < threads; t++)
        line_free(&run.line[t]);
    free(run.line);
    return ok || error_set(err, EXIT_INPUT, "no memory for the sums of a row");
}

/* ---- the row of the table ---- */

static bool is_weighted(const struct plan *plan)
{
    return plan->has_nodata || plan->alpha == ALPHA_WEIGHTED;
}

/* Nanoseconds. */
#define PER_TAP    0.8
#define PER_SAMPLE 6.0

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];
    const double taps =
        m->row ? m->width + m->height * 2.0 : (double)m->width * m->height + m->height;
    const double parts = plan->masks * (is_weighted(plan) ? 2.0 : 1.0);

    (void)ops;
    return cpu_samples(plan, width, height) * (PER_SAMPLE + PER_TAP * parts * taps);
}

static void *wide_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    struct wide *w = calloc(1, sizeof *w);
    const double max = (double)plan->max, alpha = plan->alpha == ALPHA_WEIGHTED ? max : 1;

    (void)ops, (void)width, (void)height;
    if (!w)
        return NULL;
    w->plan = plan;
    w->weighted = is_weighted(plan);
    w->longer = w->weighted && (double)plan->mask[0].sum_abs * max * alpha > 0x1p62;
    return w;
}

const struct cpu_method cpu_method_wide = {
    .name = "wide",
    .idea = "sums of 64 bits and more: any mask, --nodata, linear light of 16-bit pictures",
    .kinds = KERNEL_KIND(PLAN_LINEAR) | KERNEL_KIND(PLAN_GRADIENT) | KERNEL_KIND(PLAN_LONG),
    .cost = cost,
    .make = wide_make,
    .run = wide_run,
    .free = free,
};
