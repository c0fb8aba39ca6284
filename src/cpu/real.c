/* The method `real`: one pass. What its sums are and why its samples are right: cpu/real_bounds.c.
 *
 * Each row of the picture becomes a line of floating point numbers, ghost cells included, in a ring
 * of as many lines as a group of rows of output reads. Of colour weighted by alpha there are two:
 *
 *   plain     r    g    b    a        product   r*a  g*a  b*a  a
 *
 * and one sum over the products holds all that a sample needs, the divisor in the place of alpha.
 * Sums of plain lines are made only where there is none: from the first to the last pixel of a
 * group of rows under whose mask everything is transparent.
 *
 *   every cell         lines --> sums --> samples, and which are doubtful --> exactly again
 *   columns and rows   lines --> lines of each column's sums --> sums of the rows --> as above */
#include "cpu/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"

#define RING_BYTES (192 * 1024) /* of all rings: a part of the L2 cache */
#define HALO_PARTS 4            /* widths of the mask in a tile, at least: columns have a halo */
#define MOST_ROWS  4            /* of output, made together */

__extension__ typedef __int128 int128;

enum { PLAIN, PRODUCT };

struct real_worker {
    struct cpu_tile tile;
    int top;       /* of the tile's lines, that under the first row of the group */
    char *ring[2]; /* of plain lines, of products */
    const void *at[CPU_MAX_SIDE + MOST_ROWS];
    char *column; /* CPU_REAL_TERMS times MOST_ROWS lines, of which it has what is needed */
    char *sums[MOST_ROWS];
    uint8_t *doubtful[MOST_ROWS + 1]; /* the last one: of pixels without alpha */
    void *samples;                    /* and what they become */
    void *padded;                     /* a row of the picture with ghost cells */
};

struct real_pass {
    const struct kernel_job *job;
    const struct cpu_real *real;
    const struct cpu_real_ops *ops;
    struct cpu_tiles tiles;
    bool weighted;
    int slots;     /* lines of a ring */
    size_t size;   /* bytes of a number */
    size_t stride; /* bytes of a line */
};

static char *line_at(const struct real_pass *pass, const struct real_worker *w, int kind, int k)
{
    return w->ring[kind] + (size_t)(k % pass->slots) * pass->stride;
}

/* Pixels [from, to) of a row of the picture to its line, which begins with pixel `first`. */
static void fill_part(const struct real_pass *pass, const struct real_worker *w, const char *row,
                      int from, int to, int first, char *line)
{
    const struct plan *plan = pass->job->plan;
    size_t at = (size_t)((from - first) * plan->channels) * pass->size;

    if (row && from >= 0 && to <= pass->job->in->width) {
        row += (size_t)from * (size_t)plan->channels * (size_t)plan->type;
    } else {
        cpu_tiles_copy(pass->job, row, from, to, w->padded);
        row = w->padded;
    }
    pass->ops->prepare(row, (int)plan->type, pass->real->centre, line + at,
                       (to - from) * plan->channels);
}

/* Line k of the tile: row top + k. */
static void fill_line(const struct real_pass *pass, struct real_worker *w, int k)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    const char *row = cpu_tile_row(job, &w->tile, w->tile.top + k, NULL);
    int from = w->tile.first_pixel - m->anchor_x, to = from + w->tile.pixels + m->width - 1;
    int inside = from < 0 ? 0 : from, outside = to < job->in->width ? to : job->in->width;
    char *line = line_at(pass, w, PLAIN, k);

    if (!row || inside >= outside)
        inside = outside = to;
    if (from < inside)
        fill_part(pass, w, row, from, inside, from, line);
    if (inside < outside)
        fill_part(pass, w, row, inside, outside, from, line);
    if (outside < to)
        fill_part(pass, w, row, outside, to, from, line);
    if (pass->weighted)
        pass->ops->products(line, job->plan->channels, line_at(pass, w, PRODUCT, k),
                            (to - from) * job->plan->channels);
}

/* ---- the exact sample ---- */

static int64_t number_at(const struct real_pass *pass, const void *line, size_t at)
{
    return pass->real->wide ? (int64_t)((const double *)line)[at]
                            : (int64_t)((const float *)line)[at];
}

/* Of row R of the group. */
static int128 exact_sum(const struct real_pass *pass, const struct real_worker *w, int kind, int r,
                        size_t at)
{
    const struct plan_mask *m = &pass->job->plan->mask[0];
    size_t step = (size_t)pass->job->plan->channels;
    int128 sum = (int128)m->sum * pass->real->centre;
    for (int i = 0; i < m->height; i++) {
        const void *line = line_at(pass, w, kind, w->top + r + i);
        const int64_t *weight = m->weight + i * m->width;
        for (int j = 0; j < m->width; j++)
            sum += (int128)weight[j] * number_at(pass, line, at + (size_t)j * step);
    }
    return sum;
}

/* floor((n + floor(d/2)) / d), clamped; see kernel/reference.c for why it fits. */
static uint32_t exact_quotient(int128 n, int128 d, uint32_t max)
{
    int128 q;
    n += d / 2;
    if (n < 0)
        return 0;
    q = n / d;
    return q > max ? max : (uint32_t)q;
}

/* Sample `at` of the tile's row; `plainly`: not weighted, or everything is transparent there. */
static uint32_t exact_sample(const struct real_pass *pass, const struct real_worker *w, int r,
                             int at, bool plainly)
{
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    int alpha = plan->channels - 1, channel = at % plan->channels;
    int128 coverage;

    if (plainly)
        return exact_quotient(exact_sum(pass, w, PLAIN, r, (size_t)at) + m->offset, m->divisor,
                              plan->max);
    coverage = exact_sum(pass, w, PRODUCT, r, (size_t)(at - channel + alpha));
    if (channel == alpha)
        return exact_quotient(coverage, m->sum, plan->max);
    return exact_quotient(m->sum * exact_sum(pass, w, PRODUCT, r, (size_t)at) +
                              m->offset * coverage,
                          m->divisor * coverage, plan->max);
}

static void put(const struct real_pass *pass, void *out, int at, uint32_t value)
{
    if (pass->job->plan->type == SAMPLE_U8)
        ((uint8_t *)out)[at] = (uint8_t)value;
    else
        ((uint16_t *)out)[at] = (uint16_t)value;
}

/* ---- sums ---- */

/* Of a mask over the lines at w->at, by groups of taps. */
static void sum_mask(const struct real_pass *pass, const struct cpu_real_mask *mask,
                     const void *const *lines, int rows, bool more, void *const *sums, int n)
{
    int group = CPU_REAL_GROUP / mask->width > 1 ? CPU_REAL_GROUP / mask->width : 1;
    struct cpu_real_mask part = *mask;

    for (int i = 0; i < mask->height; i += group) {
        part.height = mask->height - i < group ? mask->height - i : group;
        part.weight = (const char *)mask->weight + (size_t)(i * mask->width) * pass->size;
        pass->ops->sums(&part, lines + i, rows, more || i > 0, sums, n);
    }
}

/* Of all rows of the group and of PIXELS pixels from FIRST on, to w->sums. */
static void sum_rows(const struct real_pass *pass, struct real_worker *w, int kind, int first,
                     int pixels)
{
    const struct cpu_real *real = pass->real;
    int channels = pass->job->plan->channels, n = pixels * channels, rows = pass->ops->rows;
    int lines = pass->job->plan->mask[0].height + rows - 1;
    void *sums[MOST_ROWS];

    for (int i = 0; i < lines; i++)
        w->at[i] = line_at(pass, w, kind, w->top + i) + (size_t)(first * channels) * pass->size;
    for (int r = 0; r < rows; r++)
        sums[r] = w->sums[r];
    if (real->terms == 0)
        sum_mask(pass, &real->cells, w->at, rows, false, sums, n);
    for (int k = 0; k < real->terms; k++) {
        const struct cpu_real_term *t = &real->term[k];
        size_t left = (size_t)(t->left * channels) * pass->size;
        void *column[MOST_ROWS];
        for (int r = 0; r < rows; r++)
            column[r] = w->column + (size_t)r * pass->stride;
        for (int i = 0; i < t->column.height + rows - 1; i++)
            w->at[t->top + i] = (const char *)w->at[t->top + i] + left;
        sum_mask(pass, &t->column, w->at + t->top, rows, false, column,
                 n + (t->row.width - 1) * channels);
        for (int i = 0; i < t->column.height + rows - 1; i++)
            w->at[t->top + i] = (const char *)w->at[t->top + i] - left;
        for (int r = 0; r < rows; r++) {
            const void *line = column[r];
            pass->ops->sums(&t->row, &line, 1, k > 0, &sums[r], n);
        }
    }
}

/* ---- samples ---- */

static bool is_transparent(const struct real_pass *pass, const struct real_worker *w, int r,
                           int pixel)
{
    int channels = pass->job->plan->channels;
    size_t alpha = (size_t)(pixel * channels + channels - 1);
    const void *sums = w->sums[r];
    return pass->real->wide ? ((const double *)sums)[alpha] <= 0
                            : ((const float *)sums)[alpha] <= 0;
}

/* Recomputes the doubtful samples of row R of the group; pixels without any alpha stay marked, and
 * widen [*first, *end). */
static void resolve(const struct real_pass *pass, struct real_worker *w, int r, void *out,
                    int *first, int *end)
{
    int channels = pass->job->plan->channels, n = w->tile.pixels * channels;
    uint8_t *doubtful = w->doubtful[r], *next;

    for (int i = 0; i < n && (next = memchr(doubtful + i, 1, (size_t)(n - i))); i++) {
        int x;
        i = (int)(next - doubtful);
        x = i / channels;
        if (pass->weighted && i % channels != channels - 1 && is_transparent(pass, w, r, x)) {
            *first = *first < x ? *first : x;
            *end = *end > x ? *end : x + 1;
            continue;
        }
        put(pass, out, i, exact_sample(pass, w, r, i, !pass->weighted));
        doubtful[i] = 0;
    }
}

/* The colours of pixels without any alpha, of FIRST to END - 1: they alone are still marked. */
static void fill_transparent(const struct real_pass *pass, struct real_worker *w, int y, int rows,
                             int first, int end)
{
    const struct plan *plan = pass->job->plan;
    int channels = plan->channels, from = first * channels, n = end * channels - from;
    uint8_t *doubtful = w->doubtful[MOST_ROWS];

    sum_rows(pass, w, PLAIN, first, end - first);
    for (int r = 0; r < rows; r++) {
        void *out = cpu_tile_out(pass->job, &w->tile, y + r);
        pass->ops->certify(&pass->real->plain, w->sums[r], (int)plan->type, w->samples, doubtful,
                           n);
        for (int i = 0; i < n; i++)
            if (w->doubtful[r][from + i])
                put(pass, out, from + i,
                    doubtful[i]               ? exact_sample(pass, w, r, from + i, true)
                    : plan->type == SAMPLE_U8 ? ((const uint8_t *)w->samples)[i]
                                              : ((const uint16_t *)w->samples)[i]);
    }
}

/* Rows y to y + ROWS - 1 of output. */
static void filter_rows(const struct real_pass *pass, struct real_worker *w, int y, int rows)
{
    const struct kernel_job *job = pass->job;
    int pixels = w->tile.pixels, first = pixels, end = 0;

    sum_rows(pass, w, pass->weighted ? PRODUCT : PLAIN, 0, pixels);
    for (int r = 0; r < rows; r++) {
        void *out = cpu_tile_out(job, &w->tile, y + r);
        pass->ops->certify(&pass->real->bounds, w->sums[r], (int)job->plan->type, out,
                           w->doubtful[r], pixels * job->plan->channels);
        resolve(pass, w, r, out, &first, &end);
    }
    if (first < end)
        fill_transparent(pass, w, y, rows, first, end);
    for (int r = 0; r < rows; r++)
        cpu_finish_unfiltered(job, y + r, w->tile.first_pixel, pixels,
                              cpu_tile_out(job, &w->tile, y + r));
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct real_pass *pass = context;
    struct real_worker *w = worker;
    int rows = pass->ops->rows, filled = 0;

    w->tile = *tile;
    for (int y = tile->first; y < tile->end; y += rows) {
        w->top = y - tile->first;
        for (; filled < w->top + pass->slots; filled++)
            fill_line(pass, w, filled);
        filter_rows(pass, w, y, tile->end - y < rows ? tile->end - y : rows);
    }
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct real_pass *pass = context;
    struct real_worker *w = worker;
    size_t ring = (size_t)pass->slots * pass->stride;

    /* Cleared: whole blocks read the slack at the lines' ends, and do not use it. */
    for (int k = 0; k <= (int)pass->weighted; k++)
        w->ring[k] = cpu_memory_keep(memory, large_alloc_cleared(ring));
    w->column = cpu_memory_keep(memory, large_alloc_cleared(MOST_ROWS * pass->stride));
    w->sums[0] = cpu_memory_keep(memory, large_alloc_cleared(MOST_ROWS * pass->stride));
    w->doubtful[0] = cpu_memory_keep(memory, calloc(MOST_ROWS + 1, pass->stride));
    w->samples = cpu_memory_keep(memory, calloc(1, pass->stride));
    w->padded = cpu_memory_keep(memory, calloc(1, pass->stride));
    for (int r = 1; w->sums[0] && r < MOST_ROWS; r++)
        w->sums[r] = w->sums[r - 1] + pass->stride;
    for (int r = 1; w->doubtful[0] && r <= MOST_ROWS; r++)
        w->doubtful[r] = w->doubtful[r - 1] + pass->stride;
}

/* Strips whose rings fit the cache. */
static void pass_cut(struct real_pass *pass)
{
    const struct plan *plan = pass->job->plan;
    int width = plan->mask[0].width, least = HALO_PARTS * width;
    int bytes = (pass->weighted ? 2 : 1) * (int)pass->size * pass->slots * plan->channels;
    int pixels = RING_BYTES / bytes - width;

    pass->tiles = cpu_tiles_cut(pass->job, pixels > least ? pixels : least);
    pass->stride = cpu_tiles_stride(&pass->tiles, width, CPU_REAL_SLACK) * pass->size;
}

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    struct cpu_real *real;

    if (plan->alpha != ALPHA_WEIGHTED && plan->mask[0].accumulator != ACCUMULATOR_I64)
        return "it is for sums of 64 bits and for colour weighted by alpha";
    real = cpu_real_make(plan, ops);
    cpu_real_free(real);
    return real ? NULL : "its bounds would leave too many samples uncertain";
}

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    struct cpu_real *real;
    double sample_ns = HUGE_VAL;

    if (plan->alpha == ALPHA_WEIGHTED || plan->mask[0].accumulator == ACCUMULATOR_I64)
        real = cpu_real_make(plan, ops);
    else
        return HUGE_VAL;
    if (real)
        sample_ns = real->sample_ns;
    cpu_real_free(real);
    return cpu_samples(plan, width, height) * sample_ns;
}

static void *real_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    (void)width, (void)height;
    return cpu_real_make(plan, ops);
}

static void real_free(void *state)
{
    cpu_real_free(state);
}

static bool real_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct real_worker), worker_make, run_tile};
    const struct cpu_real *real = state;
    struct real_pass pass = {.job = job,
                             .real = real,
                             .ops = &real->ops->real[real->wide],
                             .weighted = job->plan->alpha == ALPHA_WEIGHTED,
                             .size = real->wide ? sizeof(double) : sizeof(float)};

    pass.slots = job->plan->mask[0].height + pass.ops->rows - 1;
    pass_cut(&pass);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

const struct cpu_method cpu_method_real = {
    .name = "real",
    .idea = "sums in floating point with a proven bound; uncertain samples exactly",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .per_cell = true,
    .refusal = refusal,
    .cost = cost,
    .make = real_make,
    .run = real_run,
    .free = real_free,
};
