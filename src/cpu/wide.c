/* The method `wide`, the most general one: sums of 64 bits, or of 128, of any mask. It is simple
 * rather than fast. No other method takes samples of 32 bits (linear light of 16-bit pictures) and
 * --nodata; other plans have it only if their numbers are too large for all other methods.
 *
 *   row      an input row with its ghost cells
 *   weight   of each of its cells: its alpha, or 0 if it is nodata; none if all count the same
 *   value    cell times weight
 *   column   sums down the mask's column, of values and of weights
 *   sum      sums of these along the mask's row: S
 *
 * A mask that is no column times a row is summed cell by cell. */
#include <math.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"

__extension__ typedef __int128 int128;

struct wide {
    const struct plan *plan;
    const struct kernel_job *job;
    bool weighted;    /* cells have weights */
    bool longer;      /* 64 bits are not enough */
    int pixels;       /* of a row with its ghost cells */
    size_t padded, n; /* samples of that row, and of an output row */
};

/* A worker. */
struct line {
    void *row; /* PADDED samples */
    int64_t *value, *weight;
    void *column[2], *sum[2], *other; /* of values and of weights; the second mask of a gradient */
};

/* ---- a row of cells ---- */

/* Makes values and weights from row Y, which may be a ghost row. */
static void take_row(const struct wide *w, struct line *l, int y)
{
    const struct plan *plan = w->plan;
    const struct image *in = w->job->in;
    const int channels = plan->channels, alpha = channels - 1, left = plan->mask[0].anchor_x;
    const bool by_alpha = plan->alpha == ALPHA_WEIGHTED;
    const int v = border_fold(plan->border, y, w->job->picture_height);
    const void *row = v == BORDER_OUTSIDE ? NULL : image_row(in, v - w->job->in_first_row);

    cpu_tiles_copy(w->job, row, -left, w->pixels - left, l->row);
    for (size_t i = 0; !w->weighted && i < w->padded; i++)
        l->value[i] = image_sample(l->row, in->type, i);
    for (size_t i = 0; w->weighted && i < w->padded; i += (size_t)channels)
        for (int c = 0; c < channels; c++) {
            const uint32_t cell = image_sample(l->row, in->type, i + (size_t)c);
            const bool own = by_alpha && c == alpha; /* alpha itself counts everywhere */
            const bool none = plan->has_nodata && !own && cell == plan->nodata;
            const int64_t weight = none       ? 0
                                   : by_alpha ? image_sample(l->row, in->type, i + (size_t)alpha)
                                              : 1;
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
        const size_t step = (size_t)w->plan->channels;                                             \
        const int parts = w->weighted ? 2 : 1;                                                     \
        for (int k = 0; k < parts; k++) {                                                          \
            memset(l->column[k], 0, w->padded * sizeof(ACC));                                      \
            memset(sums[k], 0, w->n * sizeof(ACC));                                                \
        }                                                                                          \
        for (int i = 0; i < m->height; i++) {                                                      \
            take_row(w, l, y + i - m->anchor_y);                                                   \
            for (int k = 0; k < parts; k++) {                                                      \
                const int64_t *cell = k == 0 ? l->value : l->weight;                               \
                if (m->row)                                                                        \
                    add_##name(l->column[k], m->column[i], cell, w->padded);                       \
                if (m->centre && i == m->height / 2)                                               \
                    add_##name(sums[k], m->centre, cell + (size_t)(m->width / 2) * step, w->n);    \
                for (int j = 0; !m->row && j < m->width; j++)                                      \
                    if (m->weight[i * m->width + j])                                               \
                        add_##name(sums[k], m->weight[i * m->width + j], cell + (size_t)j * step,  \
                                   w->n);                                                          \
            }                                                                                      \
        }                                                                                          \
        for (int k = 0; m->row && k < parts; k++) {                                                \
            const ACC *column = l->column[k];                                                      \
            ACC *sum = sums[k];                                                                    \
            for (int j = 0; j < m->width; j++)                                                     \
                for (size_t i = 0; i < w->n; i++)                                                  \
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
    const struct plan *plan = w->plan;
    const struct plan_mask *m = &plan->mask[0];
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
        return reference_sample(w->job, y, (int)(i / (size_t)plan->channels), c);
    if (m->sum == m->divisor && m->offset == 0)
        return divide(value + weight / 2, weight, plan->max);
    const int128 d = m->divisor * weight;
    return divide(m->sum * value + m->offset * weight + d / 2, d, plan->max);
}

static void make_row(const void *pass, void *worker, int row)
{
    const struct wide *w = pass;
    const struct plan *plan = w->plan;
    struct line *l = worker;
    const int y = w->job->out_first_row + row;
    void *out = image_row(w->job->out, row), *other[2] = {l->other, NULL};

    (w->longer ? sum_128 : sum_64)(w, l, &plan->mask[0], y, l->sum);
    if (plan->kind == PLAN_GRADIENT)
        (w->longer ? sum_128 : sum_64)(w, l, &plan->mask[1], y, other);
    for (size_t i = 0; i < w->n; i++)
        if (plan->filtered >> i % (size_t)plan->channels & 1)
            image_put_sample(out, plan->type, i, sample_of(w, l, y, i));
    cpu_finish_unfiltered(w->job, y, 0, w->job->out->width, out);
}

/* ---- one pass ---- */

static void line_make(const void *pass, void *worker, struct cpu_memory *memory)
{
    const struct wide *w = pass;
    const size_t bytes = w->longer ? sizeof(int128) : sizeof(int64_t);
    struct line *l = worker;

    l->row = cpu_memory_take(memory, w->padded * (size_t)w->plan->type);
    l->value = cpu_memory_take(memory, w->padded * sizeof *l->value);
    l->weight = cpu_memory_take(memory, w->padded * sizeof *l->weight);
    for (int k = 0; k < 2; k++) {
        l->column[k] = cpu_memory_take(memory, w->padded * bytes);
        l->sum[k] = cpu_memory_take(memory, w->n * bytes);
    }
    l->other = cpu_memory_take(memory, w->n * bytes);
}

static bool is_weighted(const struct plan *plan)
{
    return plan->has_nodata || plan->alpha == ALPHA_WEIGHTED;
}

static bool wide_run(const void *ops, const struct kernel_job *job, struct error *err)
{
    const struct plan *plan = job->plan;
    const double max = (double)plan->max, alpha = plan->alpha == ALPHA_WEIGHTED ? max : 1;
    const int rows = job->out->height;
    struct wide w = {.plan = plan, .job = job, .weighted = is_weighted(plan)};

    (void)ops;
    w.longer = w.weighted && (double)plan->mask[0].sum_abs * max * alpha > 0x1p62;
    w.pixels = job->in->width + plan->mask[0].width - 1;
    w.padded = (size_t)w.pixels * (size_t)plan->channels;
    w.n = (size_t)job->in->width * (size_t)plan->channels;
    return cpu_workers_run(job->threads, rows, sizeof(struct line), line_make, make_row, &w, err);
}

/* ---- the row of the table ---- */

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

const struct cpu_method cpu_method_wide = {
    .name = "wide",
    .idea = "sums of 64 bits and more: any mask, --nodata, linear light of 16-bit pictures",
    .kinds = KERNEL_KIND(PLAN_LINEAR) | KERNEL_KIND(PLAN_GRADIENT) | KERNEL_KIND(PLAN_LONG),
    .cost = cost,
    .run = wide_run,
};
