/* The method `real`: one pass. What its sums are and why its samples are right: cpu/real_bounds.c.
 *
 * Each row of the picture becomes a line of floating point numbers, ghost cells included, in a ring
 * of as many lines as a group of rows of output reads. Weighted by alpha, each row has two:
 *
 *   plain     r    g    b    a        product   r*a  g*a  b*a  a
 *
 * One sum over the products has all that a sample needs, the divisor in the place of alpha. Sums of
 * plain lines are made only if a divisor is 0: from the first to the last pixel of a group of rows
 * with only transparent cells under its mask.
 *
 *   every cell         lines --> sums --> samples, and which are doubtful --> exactly again
 *   columns and rows   lines --> lines of each column's sums --> sums of the rows --> as above */
#include "cpu/real.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/lines.h"
#include "cpu/method.h"

#define MOST_ROWS 4 /* of output, made together */

enum { PLAIN, PRODUCT };

struct real_worker {
    const struct cpu_tile *tile;
    const void *const *lines; /* of the group of rows: plain numbers, then products */
    const void *at[CPU_MAX_SIDE + MOST_ROWS];
    char *column[MOST_ROWS]; /* sums of one term's column */
    char *sums[MOST_ROWS];
    uint8_t *doubtful[MOST_ROWS];
    void *samples;     /* of pixels without alpha */
    uint8_t *resolved; /* 1: a sample in `samples` is doubtful */
};

struct real_pass {
    CPU_STATE;
    struct cpu_real *real;
    const struct cpu_real_ops *loops;
    struct cpu_lines lines;
    bool weighted;
    size_t size; /* bytes of a number */
};

/* The numbers of KIND in line LINE. */
static char *numbers_at(const struct real_pass *pass, const void *line, int kind)
{
    size_t half = pass->lines.stride * pass->lines.bytes / 2;
    return (char *)line + (kind == PRODUCT ? half : 0);
}

static void put(const void *context, const void *const *row, size_t first, void *line, size_t at,
                int n)
{
    const struct real_pass *pass = context;
    const struct plan *plan = pass->job->plan;
    char *out = numbers_at(pass, line, PLAIN) + at * pass->size;

    pass->loops->prepare((const char *)row[0] + first * (size_t)plan->type, (int)plan->type,
                         pass->real->centre, out, n);
    if (pass->weighted)
        pass->loops->products(out, plan->channels,
                              numbers_at(pass, line, PRODUCT) + at * pass->size, n);
}

/* ---- sums ---- */

/* Makes the sums of a mask over LINES, in groups of taps. */
static void sum_mask(const struct real_pass *pass, const struct cpu_real_mask *mask,
                     const void *const *lines, int rows, bool more, void *const *sums, int n)
{
    int group = CPU_REAL_GROUP / mask->width > 1 ? CPU_REAL_GROUP / mask->width : 1;
    struct cpu_real_mask part = *mask;

    for (int i = 0; i < mask->height; i += group) {
        part.height = mask->height - i < group ? mask->height - i : group;
        part.weight = (const char *)mask->weight + (size_t)(i * mask->width) * pass->size;
        pass->loops->sums(&part, lines + i, rows, more || i > 0, sums, n);
    }
}

/* Makes w->sums, for all rows of the group and PIXELS pixels from FIRST on. */
static void sum_rows(const struct real_pass *pass, struct real_worker *w, int kind, int first,
                     int pixels)
{
    const struct cpu_real *real = pass->real;
    int channels = pass->job->plan->channels, n = pixels * channels, rows = pass->loops->rows;
    int lines = pass->job->plan->mask[0].height + rows - 1;
    void *sums[MOST_ROWS];

    for (int i = 0; i < lines; i++)
        w->at[i] = numbers_at(pass, w->lines[i], kind) + (size_t)(first * channels) * pass->size;
    for (int r = 0; r < rows; r++)
        sums[r] = w->sums[r];
    if (real->terms == 0)
        sum_mask(pass, &real->cells, w->at, rows, false, sums, n);
    for (int k = 0; k < real->terms; k++) {
        const struct cpu_real_term *t = &real->term[k];
        size_t left = (size_t)(t->left * channels) * pass->size;
        void *column[MOST_ROWS];
        for (int r = 0; r < rows; r++)
            column[r] = w->column[r];
        for (int i = 0; i < t->column.height + rows - 1; i++)
            w->at[t->top + i] = (const char *)w->at[t->top + i] + left;
        sum_mask(pass, &t->column, w->at + t->top, rows, false, column,
                 n + (t->row.width - 1) * channels);
        for (int i = 0; i < t->column.height + rows - 1; i++)
            w->at[t->top + i] = (const char *)w->at[t->top + i] - left;
        for (int r = 0; r < rows; r++) {
            const void *line = column[r];
            pass->loops->sums(&t->row, &line, 1, k > 0, &sums[r], n);
        }
    }
}

/* ---- samples ---- */

static double sum_at(const struct real_pass *pass, const struct real_worker *w, int r, int at)
{
    const void *sums = w->sums[r];
    return pass->real->wide ? ((const double *)sums)[at] : (double)((const float *)sums)[at];
}

/* Recomputes the doubtful samples of row R of the group. Pixels without any alpha stay marked and
 * widen [*first, *end) instead. */
static void resolve(const struct real_pass *pass, struct real_worker *w, int r, int y, void *out,
                    int *first, int *end)
{
    const struct plan *plan = pass->job->plan;
    int channels = plan->channels, n = w->tile->pixels * channels;
    uint8_t *doubtful = w->doubtful[r], *next;

    if (!pass->weighted) {
        cpu_exact_samples(pass->job, w->tile, y, doubtful, out);
        return;
    }
    for (int i = 0; i < n && (next = memchr(doubtful + i, 1, (size_t)(n - i))); i++) {
        double alpha;
        uint32_t sample;
        int x;
        i = (int)(next - doubtful);
        x = i / channels;
        alpha = sum_at(pass, w, r, x * channels + channels - 1);
        if (i % channels != channels - 1 && alpha <= 0) {
            *first = *first < x ? *first : x;
            *end = *end > x ? *end : x + 1;
            continue;
        }
        if (pass->real->whole)
            sample = cpu_exact_quotient(plan, (int64_t)sum_at(pass, w, r, i), (int64_t)alpha,
                                        i % channels);
        else
            sample = cpu_exact_sample(pass->job, w->tile->first_pixel + x, y, i % channels);
        image_put_sample(out, plan->type, (size_t)i, sample);
        doubtful[i] = 0;
    }
}

/* Makes the colours of pixels without any alpha, FIRST to END - 1: only they are still marked. */
static void fill_transparent(const struct real_pass *pass, struct real_worker *w, int y, int rows,
                             int first, int end)
{
    const struct kernel_job *job = pass->job;
    int channels = job->plan->channels, n = (end - first) * channels;

    sum_rows(pass, w, PLAIN, first, end - first);
    for (int r = 0; r < rows; r++) {
        void *out = cpu_tile_out(job, w->tile, y + r);
        pass->loops->certify(&pass->real->plain, w->sums[r], (int)job->plan->type, w->samples,
                             w->resolved, n);
        for (int i = 0, at = first * channels; i < n; i++, at++) {
            int x = w->tile->first_pixel + at / channels;
            if (w->doubtful[r][at])
                image_put_sample(out, job->plan->type, (size_t)at,
                                 w->resolved[i]
                                     ? cpu_exact_sample(job, x, y + r, at % channels)
                                     : image_sample(w->samples, job->plan->type, (size_t)i));
        }
    }
}

static void filter(const void *context, void *worker, const struct cpu_tile *tile,
                   const void *const *lines, int y, int rows)
{
    const struct real_pass *pass = context;
    const struct plan *plan = pass->job->plan;
    struct real_worker *w = worker;
    int first = tile->pixels, end = 0;

    w->tile = tile;
    w->lines = lines;
    for (int r = 0; r < rows; r++)
        cpu_tile_fetch(pass->job, tile, tile->top + y - tile->first + pass->lines.span - 1 + r);
    sum_rows(pass, w, pass->weighted ? PRODUCT : PLAIN, 0, tile->pixels);
    for (int r = 0; r < rows; r++) {
        void *out = cpu_tile_out(pass->job, tile, y + r);
        pass->loops->certify(&pass->real->bounds, w->sums[r], (int)plan->type, out, w->doubtful[r],
                             tile->pixels * plan->channels);
        resolve(pass, w, r, y + r, out, &first, &end);
    }
    if (first < end)
        fill_transparent(pass, w, y, rows, first, end);
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct real_pass *pass = context;
    struct real_worker *w = worker;
    size_t n = pass->lines.stride;

    for (int r = 0; r < MOST_ROWS; r++) {
        w->column[r] = cpu_memory_take(memory, n * pass->size);
        w->sums[r] = cpu_memory_take(memory, n * pass->size);
        w->doubtful[r] = cpu_memory_take(memory, n);
    }
    w->samples = cpu_memory_take(memory, n * sizeof(uint16_t));
    w->resolved = cpu_memory_take(memory, n);
}

/* Is the plan for this method? Whole numbers of few digits are for `direct`, unless the mask is a
 * sum of a few columns times rows. */
static bool takes(const struct plan *plan)
{
    return plan->alpha == ALPHA_WEIGHTED || plan->mask[0].accumulator == ACCUMULATOR_I64 ||
           (plan->mask[0].terms > 0 && cpu_cells(plan) >= CPU_FEW_CELLS) ||
           !cpu_mask_fits(&plan->mask[0], INT16_MAX);
}

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    struct cpu_real *real = takes(plan) ? cpu_real_make(plan) : NULL;
    double sample_ns = real ? real->sample_ns : HUGE_VAL;

    (void)ops;
    cpu_real_free(real);
    return cpu_samples(plan, width, height) * sample_ns;
}

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    return !takes(plan) ? "it is for sums of 64 bits, weights of more than 16 bits, masks of low "
                          "rank and colour weighted by alpha"
           : cost(plan, ops, 1, 1) < HUGE_VAL ? NULL
                                              : "its bounds would leave too many samples uncertain";
}

static bool real_make(void *state)
{
    struct real_pass *pass = state;
    pass->real = cpu_real_make(pass->plan);
    if (!pass->real)
        return false;
    pass->weighted = pass->plan->alpha == ALPHA_WEIGHTED;
    pass->size = pass->real->wide ? sizeof(double) : sizeof(float);
    pass->loops = &pass->ops->real[pass->real->wide];
    pass->lines = (struct cpu_lines){.line_rows = 1,
                                     .step = 1,
                                     .rows = pass->loops->rows,
                                     .span = pass->plan->mask[0].height + pass->loops->rows - 1,
                                     .bytes = (pass->weighted ? 2 : 1) * pass->size};
    return true;
}

static void real_free(void *state)
{
    cpu_real_free(((struct real_pass *)state)->real);
}

static bool real_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_lines_hooks hooks = {sizeof(struct real_worker), worker_make, put,
                                                 filter};
    struct real_pass pass = *(const struct real_pass *)state;

    pass.job = job;
    return cpu_lines_run(&pass.lines, job, &hooks, &pass, err);
}

const struct cpu_method cpu_method_real = {
    .name = "real",
    .idea = "sums in floating point with a proven bound; uncertain samples exactly",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .refusal = refusal,
    .cost = cost,
    .wide_cost = 0.76,
    .state_bytes = sizeof(struct real_pass),
    .make = real_make,
    .run = real_run,
    .free = real_free,
};
