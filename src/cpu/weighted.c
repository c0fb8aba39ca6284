/* Colour weighted by alpha on the CPU, whatever the weights' size: sums in floating point with a
 * proven bound, from which nearly all samples follow; those in doubt are summed exactly. 8 and 16
 * bits. Why that is right: cpu/weighted_plan.h.
 *
 * Each row of the picture becomes two lines of floating point numbers, ghost cells included, in
 * rings of as many lines as the mask has rows:
 *
 *   plain     r    g    b    a        product   r*a  g*a  b*a  a
 *
 * One sum over the products holds all that a sample needs, the divisor in the place of alpha.
 * Sums of plain lines are made only where there is none: from the first to the last pixel of a
 * tile's row under whose mask everything is transparent. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/rows.h"
#include "cpu/weighted_plan.h"

#define RING_BYTES (256 * 1024) /* of both rings: half of the L2 cache */
#define FEW        16           /* samples looked at together for doubt; CPU_BLOCK has whole ones */

__extension__ typedef __int128 int128;

enum { PLAIN, PRODUCT };

struct worker {
    struct cpu_rows rows; /* the tile: rows without a ring */
    uint32_t *line;
    char *ring[2];      /* of plain and product lines */
    const void **at[2]; /* the lines under the mask */
    const void **part;  /* the same from some place on */
    char *column;       /* separable: the column's sums */
    char *sums;
    int32_t *quotient[2];
};

struct pass {
    const struct cpu_real_ops *real;
    struct cpu_weighted_plan weighted;
    size_t size; /* bytes of a number */
    /* Of one job: */
    const struct kernel_job *job;
    struct cpu_tiles tiles;
    size_t stride; /* numbers of a line */
};

/* ---- the exact sample ---- */

static int64_t number_at(const struct pass *pass, const void *line, size_t at)
{
    return pass->weighted.wide ? (int64_t)((const double *)line)[at]
                               : (int64_t)((const float *)line)[at];
}

static int128 exact_sum(const struct pass *pass, const void *const *lines, size_t at)
{
    const struct plan_mask *m = &pass->job->plan->mask[0];
    size_t step = (size_t)pass->job->plan->channels;
    int128 sum = 0;
    for (int i = 0; i < m->height; i++)
        for (int j = 0; j < m->width; j++)
            sum += (int128)m->weight[i * m->width + j] *
                   number_at(pass, lines[i], at + (size_t)j * step);
    return sum;
}

/* floor((n + floor(d/2)) / d), clamped; see kernel/reference.c for why it fits. */
static int32_t exact_quotient(int128 n, int128 d, uint32_t max)
{
    int128 q;
    n += d / 2;
    if (n < 0)
        return 0;
    q = n / d;
    return q > max ? (int32_t)max : (int32_t)q;
}

/* Sample `at` of the tile's row; `none`: everything is transparent there. */
static int32_t exact_sample(const struct pass *pass, const struct worker *w, int at, bool none)
{
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    int alpha = plan->channels - 1, channel = at % plan->channels;
    int128 coverage;

    if (none && channel != alpha)
        return exact_quotient(exact_sum(pass, w->at[PLAIN], (size_t)at) + m->offset, m->divisor,
                              plan->max);
    coverage = exact_sum(pass, w->at[PRODUCT], (size_t)(at - channel + alpha));
    if (channel == alpha)
        return exact_quotient(coverage, m->sum, plan->max);
    return exact_quotient(m->sum * exact_sum(pass, w->at[PRODUCT], (size_t)at) +
                              m->offset * coverage,
                          m->divisor * coverage, plan->max);
}

/* ---- one row of one tile ---- */

/* Sums of PIXELS pixels from FIRST on, and what follows from them. */
static void make_quotients(const struct pass *pass, struct worker *w, int kind, int first,
                           int pixels)
{
    const struct cpu_weighted_plan *weighted = &pass->weighted;
    const void *column = w->column;
    int channels = pass->job->plan->channels, n = pixels * channels;
    size_t skip = (size_t)(first * channels) * pass->size;

    for (int i = 0; i < weighted->mask.height; i++)
        w->part[i] = (const char *)w->at[kind][i] + skip;
    if (weighted->separable) {
        pass->real->sums(&weighted->mask, w->part, w->column,
                         n + (weighted->row.width - 1) * channels);
        pass->real->sums(&weighted->row, &column, w->sums, n);
    } else {
        pass->real->sums(&weighted->mask, w->part, w->sums, n);
    }
    pass->real->quotients(kind == PLAIN ? &weighted->plain : &weighted->weighted, w->sums,
                          w->quotient[kind], n);
}

/* The colours of pixels without any alpha, of FIRST to END - 1: they alone are still -1. */
static void fill_transparent(const struct pass *pass, struct worker *w, int first, int end)
{
    int channels = pass->job->plan->channels;
    int32_t *to = w->quotient[PRODUCT];
    const int32_t *from = w->quotient[PLAIN];

    make_quotients(pass, w, PLAIN, first, end - first);
    for (int i = first * channels; i < end * channels; i++, from++)
        if (to[i] < 0)
            to[i] = *from < 0 ? exact_sample(pass, w, i, true) : *from;
}

static bool is_transparent(const struct pass *pass, const struct worker *w, int pixel)
{
    int channels = pass->job->plan->channels;
    size_t alpha = (size_t)(pixel * channels + channels - 1);
    return pass->weighted.wide ? ((const double *)(const void *)w->sums)[alpha] <= 0
                               : ((const float *)(const void *)w->sums)[alpha] <= 0;
}

/* What the sums leave open: samples in doubt, and pixels without any alpha. */
static void settle(const struct pass *pass, struct worker *w, int pixels)
{
    int channels = pass->job->plan->channels, n = pixels * channels, first = pixels, end = 0;
    int32_t *quotient = w->quotient[PRODUCT];

    for (int at = 0; at < n; at += FEW) {
        int32_t any = 0;
        for (int i = at; i < at + FEW; i++)
            any |= quotient[i];
        for (int i = at; any < 0 && i < at + FEW && i < n; i++) {
            int x = i / channels;
            if (quotient[i] >= 0)
                continue;
            if (i % channels == channels - 1 || !is_transparent(pass, w, x)) {
                quotient[i] = exact_sample(pass, w, i, false);
                continue;
            }
            first = first < x ? first : x;
            end = x + 1;
        }
    }
    if (first < end)
        fill_transparent(pass, w, first, end);
}

static void fill_lines(const struct pass *pass, struct worker *w, int v)
{
    const struct plan *plan = pass->job->plan;
    int height = plan->mask[0].height, slot = v % height;
    size_t at = (size_t)(slot < 0 ? slot + height : slot) * pass->stride * pass->size;

    cpu_rows_fill(&w->rows, v, w->line);
    pass->real->prepare(w->line, plan->channels, w->ring[PLAIN] + at, w->ring[PRODUCT] + at,
                        (w->rows.tile.pixels + w->rows.mask_width - 1) * plan->channels);
}

static void filter_row(const struct pass *pass, struct worker *w, int y)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    int height = plan->mask[0].height, first = y - plan->mask[0].anchor_y;
    int pixels = w->rows.tile.pixels;
    void *out = cpu_tile_out(job, &w->rows.tile, y);

    for (int i = 0; i < height; i++) {
        int slot = (first + i) % height;
        size_t at = (size_t)(slot < 0 ? slot + height : slot) * pass->stride * pass->size;
        for (int k = 0; k < 2; k++)
            w->at[k][i] = w->ring[k] + at;
    }
    make_quotients(pass, w, PRODUCT, 0, pixels);
    settle(pass, w, pixels);
    cpu_finish_narrow(plan->type, w->quotient[PRODUCT], out, pixels * plan->channels);
    cpu_finish_unfiltered(job, y, w->rows.tile.first_pixel, pixels, out);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct pass *pass = context;
    struct worker *w = worker;
    int halo = pass->job->plan->mask[0].height - 1;

    w->rows.tile = *tile;
    for (int i = 0; i < halo; i++)
        fill_lines(pass, w, tile->top + i);
    for (int y = tile->first; y < tile->end; y++) {
        fill_lines(pass, w, tile->top + halo + y - tile->first);
        filter_row(pass, w, y);
    }
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct pass *pass = context;
    const struct plan_mask *m = &pass->job->plan->mask[0];
    struct worker *w = worker;
    size_t height = (size_t)m->height, bytes = pass->stride * pass->size;

    w->rows = (struct cpu_rows){.job = pass->job,
                                .mask_width = m->width,
                                .mask_height = m->height,
                                .anchor_x = m->anchor_x,
                                .anchor_y = m->anchor_y};
    /* Cleared: whole blocks read the slack at the lines' ends, and do not use it. */
    w->line = cpu_memory_keep(memory, large_alloc_cleared(pass->stride * sizeof *w->line));
    w->column = cpu_memory_keep(memory, large_alloc_cleared(bytes));
    w->sums = cpu_memory_keep(memory, large_alloc_cleared(bytes));
    w->part = cpu_memory_keep(memory, calloc(height, sizeof *w->part));
    for (int k = 0; k < 2; k++) {
        size_t quotients = pass->stride * sizeof *w->quotient[k];
        w->ring[k] = cpu_memory_keep(memory, large_alloc_cleared(height * bytes));
        w->at[k] = cpu_memory_keep(memory, calloc(height, sizeof *w->at[k]));
        w->quotient[k] = cpu_memory_keep(memory, large_alloc_cleared(quotients));
    }
}

/* Tiles whose rings fit the cache. */
static void pass_cut(struct pass *pass)
{
    const struct plan *plan = pass->job->plan;
    int lines = plan->mask[0].height + 1, width = plan->mask[0].width;
    int bytes = 2 * (int)pass->size * lines * plan->channels;
    int pixels = RING_BYTES / bytes - width;

    if (pixels < 2 * width) /* else most of the column's sums are of the halo */
        pixels = 2 * width;
    pass->tiles = cpu_tiles_cut(pass->job, pixels);
    /* Twice the slack: the column's sums end in whole blocks behind the row's taps. */
    pass->stride = cpu_tiles_stride(&pass->tiles, width, 2 * CPU_BLOCK);
}

static void weighted_free(void *state)
{
    struct pass *pass = state;
    cpu_weighted_plan_free(&pass->weighted);
    free(pass);
}

static void *weighted_make(const struct plan *plan, const struct cpu_ops *ops, int width,
                           int height)
{
    struct pass *pass = calloc(1, sizeof *pass);

    (void)width, (void)height;
    if (!pass)
        return NULL;
    if (!cpu_weighted_plan_make(&pass->weighted, plan)) {
        weighted_free(pass);
        return NULL;
    }
    pass->real = &ops->real[pass->weighted.wide];
    pass->size = pass->weighted.wide ? sizeof(double) : sizeof(float);
    return pass;
}

static bool weighted_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct worker), worker_make, run_tile};
    struct pass pass = *(const struct pass *)state;

    pass.job = job;
    pass_cut(&pass);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    (void)ops;
    return plan->alpha == ALPHA_WEIGHTED ? NULL : "it is for colour weighted by alpha";
}

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];
    double rate = plan->type == SAMPLE_U8 ? CPU_RATE_FLOAT : CPU_RATE_DOUBLE;
    double cells = cpu_cells(plan);
    struct cpu_weighted_plan weighted = {0};

    if (refusal(plan, ops))
        return HUGE_VAL;
    if (cpu_weighted_plan_make(&weighted, plan) && weighted.separable)
        cells = m->width + m->height;
    cpu_weighted_plan_free(&weighted);
    return cpu_samples(plan, width, height) * (cells / rate + 2);
}

const struct cpu_method cpu_method_weighted = {
    .name = "weighted",
    .idea = "colour weighted by alpha, in floating point; doubtful samples exactly",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .per_cell = true,
    .refusal = refusal,
    .cost = cost,
    .make = weighted_make,
    .run = weighted_run,
    .free = weighted_free,
};
