/* Certified sums of 16-bit samples: see cpu/direct16.h.
 *
 * A line of pairs holds a row of the picture and the row below it side by side as int16, so
 * that one multiply-add takes two taps; ghost cells stand in it already. There is a line for
 * every row, in a ring, and an output row reads every second one:
 *
 *   row      y-ay  +1 | +2  +3 | +4  +5       (mask of 5 rows: the last has no weight)
 *
 *   every cell        lines --------------------------> high, low sums -> samples
 *   columns and rows  lines -> high, low sums -> line \
 *                          ->                 -> line --> high, low sums -> samples
 *                     of each column, with the halo       of the rows
 *
 * Doubtful samples are summed from the same lines, with the plan's own weights in digits.
 *
 * Time beside the same mask in whole thousandths (command line, 3840x2160, one thread, AVX-512):
 * random 3x3 0.95, 5x5 1.0, 9x9 1.2, 15x15 1.6; Laplacian of Gaussian 5x5 1.0, 9x9 1.2, 15x15 1.3;
 * unsharp 15x15 1.1; Gaussians 3x3 0.9, 5x5 0.9, 15x15 0.6. */
#include "cpu/direct16.h"

#include <stdlib.h>

#include "cpu/certified.h"
#include "cpu/certify.h"
#include "cpu/certify16.h"
#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"

#define RING_BYTES  (160 * 1024) /* a part of the L2 cache */
#define MAX_SAMPLES 3840         /* of a tile: sums stay in the caches next to the core */
#define CACHE_LINE  64

struct worker {
    struct cpu_tile tile;
    uint32_t *ring;                      /* pass.slots lines of pass.stride pairs */
    const void **at;                     /* the lines that one output row reads, from the top */
    uint32_t *line[CPU_CERTIFY16_TERMS]; /* the columns' sums */
    uint64_t *doubtful;
    uint16_t *ghosts; /* a row */
};

struct pass {
    const struct cpu_ops *ops;
    struct cpu_certify16 certify;
    int pairs; /* lines that a row of output reads */
    int slots;
    /* Of one job: */
    const struct kernel_job *job;
    struct cpu_tiles tiles;
    size_t stride; /* pairs of a line */
};

bool cpu_direct16_can(const struct plan *plan)
{
    return plan->kind == PLAN_LINEAR && plan->alpha != ALPHA_WEIGHTED && plan->type == SAMPLE_U16 &&
           plan->mask[0].accumulator == ACCUMULATOR_I64;
}

/* ---- lines of pairs ---- */

static const uint16_t *row_at(const struct pass *pass, const struct worker *w, int v)
{
    return cpu_tile_row(pass->job, &w->tile, v, w->ghosts);
}

static uint32_t *line_at(const struct pass *pass, const struct worker *w, int k)
{
    return w->ring + (size_t)(k % pass->slots) * pass->stride;
}

/* Line k of the tile: its rows top + k and the next. */
static void fill_line(const struct pass *pass, struct worker *w, int k)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    size_t channels = (size_t)plan->channels;
    const uint16_t *upper = row_at(pass, w, w->tile.top + k);
    const uint16_t *lower = row_at(pass, w, w->tile.top + k + 1);
    uint32_t *line = line_at(pass, w, k);
    int from = w->tile.first_pixel - m->anchor_x;
    int to = from + w->tile.pixels + m->width - 1;

    for (int x = from; x < to; x++) {
        int inside_to = to < job->in->width ? to : job->in->width;
        int cell = border_fold(plan->border, x, job->in->width);
        uint32_t *out = line + (size_t)(x - from) * channels;
        if (x >= 0 && x < inside_to) {
            pass->ops->pairs_u16(upper + (size_t)x * channels, lower + (size_t)x * channels, out,
                                 (inside_to - x) * plan->channels);
            x = inside_to - 1;
        } else if (cell != BORDER_OUTSIDE) {
            pass->ops->pairs_u16(upper + (size_t)cell * channels, lower + (size_t)cell * channels,
                                 out, plan->channels);
        } else {
            pass->ops->pairs_u16(w->ghosts, w->ghosts, out, plan->channels);
        }
    }
}

/* The row that the next line begins with and the next row of output: memory works while sums are
 * made. */
static void fetch_ahead(const struct pass *pass, const struct worker *w, int k, int y)
{
    const struct kernel_job *job = pass->job;
    size_t pixel = sizeof(uint16_t) * (size_t)job->plan->channels;
    size_t first = pixel * (size_t)w->tile.first_pixel;
    const char *read = (const char *)row_at(pass, w, w->tile.top + k + 2) + first;
    const char *write = cpu_tile_out(job, &w->tile, y);

    for (size_t i = 0; i < pixel * (size_t)w->tile.pixels; i += CACHE_LINE) {
        __builtin_prefetch(read + i, 0);
        __builtin_prefetch(write + i, 1);
    }
}

/* ---- one row of one tile ---- */

/* The sum of sample x of the tile with the plan's own weights, but for what is the same for all.
 */
static int64_t plain_sum(const struct pass *pass, const struct worker *w, int x)
{
    const struct plan_mask *m = &pass->job->plan->mask[0];
    size_t step = (size_t)pass->job->plan->channels, width = (size_t)m->width;
    uint64_t sum = 0;

    for (int i = 0; i < m->height; i += 2) { /* both rows of a line */
        const uint32_t *pair = (const uint32_t *)w->at[i / 2] + x;
        const int64_t *weight = m->weight + i * m->width;
        if (i + 1 < m->height)
            for (size_t j = 0; j < width; j++, pair += step)
                sum += (uint64_t)weight[j] * (uint64_t)(int16_t)(uint16_t)*pair +
                       (uint64_t)weight[width + j] * (uint64_t)((int32_t)*pair >> 16);
        else
            for (size_t j = 0; j < width; j++, pair += step)
                sum += (uint64_t)weight[j] * (uint64_t)(int16_t)(uint16_t)*pair;
    }
    return (int64_t)sum;
}

/* out[x] is the floor of the lower bound, clamped: the sample, or one below it. */
static void decide(const struct pass *pass, const struct worker *w, int x, uint16_t *out)
{
    const struct plan_mask *m = &pass->job->plan->mask[0];
    const uint32_t *const *lines = (const uint32_t *const *)w->at;
    int64_t sum = m->offset + m->divisor / 2 + 32768 * m->sum;

    if (pass->ops->exact_sum && pass->certify.exact.pairs > 0)
        sum += pass->ops->exact_sum(&pass->certify.exact, lines, x);
    else
        sum += plain_sum(pass, w, x);
    if (out[x] < pass->job->plan->max && sum >= m->divisor * (out[x] + 1))
        out[x]++;
}

static void filter_row(const struct pass *pass, const struct worker *w, int y)
{
    const struct plan *plan = pass->job->plan;
    const struct cpu_certify16 *c = &pass->certify;
    int n = w->tile.pixels * plan->channels, halo = (plan->mask[0].width - 1) * plan->channels;
    const uint32_t *const *lines = (const uint32_t *const *)w->at;
    uint16_t *out = cpu_tile_out(pass->job, &w->tile, y);

    for (int t = 0; t < c->terms; t++)
        pass->ops->join_planes(&c->column[t], lines, &c->join[t], w->line[t], n + halo);
    if (c->terms > 0)
        lines = (const uint32_t *const *)w->line;
    pass->ops->certify_two_planes(&c->sums, c->group, lines, &c->bounds, out, w->doubtful, n);
    for (int x = -1; (x = cpu_certify_next(w->doubtful, x + 1, n)) < n;)
        decide(pass, w, x, out);
    cpu_finish_unfiltered(pass->job, y, w->tile.first_pixel, w->tile.pixels, out);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct pass *pass = context;
    struct worker *w = worker;

    w->tile = *tile;
    for (int k = 0; k < pass->slots - 1; k++)
        fill_line(pass, w, k);
    for (int y = tile->first; y < tile->end; y++) {
        int top = y - tile->first;
        fill_line(pass, w, top + pass->slots - 1);
        for (int p = 0; p < pass->pairs; p++)
            w->at[p] = line_at(pass, w, top + 2 * p);
        fetch_ahead(pass, w, top + pass->slots - 1, y + 1 < tile->end ? y + 1 : y);
        filter_row(pass, w, y);
    }
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct pass *pass = context;
    struct worker *w = worker;
    size_t n = pass->stride + CPU_BLOCK;

    /* Cleared: whole blocks read the slack at the lines' ends, and do not use it. */
    w->ring = cpu_memory_keep(memory, calloc((size_t)pass->slots * pass->stride, sizeof *w->ring));
    w->at = cpu_memory_keep(memory, calloc((size_t)pass->pairs, sizeof *w->at));
    for (int t = 0; t < pass->certify.terms; t++)
        w->line[t] = cpu_memory_keep(memory, calloc(n, sizeof *w->line[t]));
    w->doubtful = cpu_memory_keep(memory, calloc(n / CPU_BLOCK + 2, sizeof *w->doubtful));
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
}

/* Tiles whose ring fits the cache. */
static void pass_cut(struct pass *pass)
{
    const struct plan *plan = pass->job->plan;
    int samples = RING_BYTES / ((int)sizeof(uint32_t) * pass->slots), width = plan->mask[0].width;
    int most = samples < MAX_SAMPLES ? samples : MAX_SAMPLES;

    pass->tiles = cpu_tiles_cut(pass->job, most / plan->channels - width);
    pass->stride = cpu_tiles_stride(&pass->tiles, width, CPU_BLOCK);
}

static void direct16_free(void *state)
{
    struct pass *pass = state;
    cpu_certify16_free(&pass->certify);
    free(pass);
}

static void *direct16_make(const struct plan *plan, const struct cpu_ops *ops, int width,
                           int height)
{
    struct pass *pass = calloc(1, sizeof *pass);

    (void)width, (void)height;
    if (!pass)
        return NULL;
    pass->ops = ops;
    pass->pairs = (plan->mask[0].height + 1) / 2;
    pass->slots = 2 * pass->pairs - 1;
    if (cpu_certify16_make(&pass->certify, plan))
        return pass;
    direct16_free(pass);
    return NULL;
}

static bool direct16_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct worker), worker_make, run_tile};
    struct pass pass = *(const struct pass *)state;

    pass.job = job;
    pass_cut(&pass);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    struct cpu_certify16 certify = {0};
    bool can = cpu_direct16_can(plan) && cpu_certify16_make(&certify, plan);

    (void)ops;
    cpu_certify16_free(&certify);
    return can ? NULL
               : "it takes 16 bits and sums of 64 bits that rounded weights leave few doubts in";
}

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    (void)ops;
    return cpu_certified_cost(plan, CERTIFIED_DIRECT16, width, height);
}

const struct cpu_method cpu_method_direct16 = {
    .name = "direct16",
    .idea = "16 bits, rounded weights: every cell, or columns and rows; doubtful samples exactly",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .per_cell = true,
    .refusal = refusal,
    .cost = cost,
    .make = direct16_make,
    .run = direct16_run,
    .free = direct16_free,
};
