/* Certified sums of 8-bit samples by a few columns and rows: see cpu/lowrank8.h.
 *
 *   row v -> its samples as floats, ghost cells included: a line
 *   lines under the mask -> of each term the column's sums -> all terms' rows -> samples, and which
 *   are doubtful
 *
 * The lines stand in a ring. */
#include "cpu/lowrank8.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cpu/certified.h"
#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"
#include "cpu/window8.h"

#define RING_BYTES (48 * 1024) /* about the L1 cache */
#define HALO_PARTS 6           /* widths of the mask in a tile, at least */

struct worker {
    struct cpu_tile tile;
    float *ring;      /* pass.lines lines of pass.stride numbers, the terms', and the sums */
    const float **at; /* of each tap */
    uint8_t *padded;  /* a row's samples with ghost cells */
    uint8_t *doubtful;
    uint8_t *ghosts; /* a row */
};

struct pass {
    const struct cpu_ops *ops;
    struct cpu_lowrank8 lowrank;
    struct cpu_window8 window;
    int lines;
    /* Of one job: */
    const struct kernel_job *job;
    struct cpu_tiles tiles;
    size_t stride;
};

static float *line_at(const struct pass *pass, const struct worker *w, int k)
{
    return w->ring + (size_t)k * pass->stride;
}

/* Line k of the tile: row top + k. */
static void fill_line(const struct pass *pass, struct worker *w, int k)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    const uint8_t *row = cpu_tile_row(job, &w->tile, w->tile.top + k, w->ghosts);
    int from = w->tile.first_pixel - m->anchor_x, to = from + w->tile.pixels + m->width - 1;

    if (from >= 0 && to <= job->in->width) {
        row += (size_t)from * (size_t)job->plan->channels;
    } else {
        cpu_tiles_copy(job, row, from, to, w->padded);
        row = w->padded;
    }
    pass->ops->floats_u8(row, line_at(pass, w, k % pass->lines), (to - from) * job->plan->channels);
}

/* Row t of the tile. */
static void sum_row(const struct pass *pass, struct worker *w, int t, float *sum, int n)
{
    const struct cpu_lowrank8 *l = &pass->lowrank;
    int width = pass->job->plan->mask[0].width, step = pass->job->plan->channels;

    for (int k = 0; k < l->terms; k++) {
        for (int i = 0; i < l->column[k].count; i++)
            w->at[i] = line_at(pass, w, (t + l->line[k][i]) % pass->lines);
        pass->ops->float_sums(&l->column[k], w->at, line_at(pass, w, pass->lines + k),
                              n + (width - 1) * step);
    }
    for (int i = 0; i < l->row.count; i++)
        w->at[i] = line_at(pass, w, pass->lines + l->cell[i] / width) + l->cell[i] % width * step;
    pass->ops->float_sums(&l->row, w->at, sum, n);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct pass *pass = context;
    struct worker *w = worker;
    int n = tile->pixels * pass->job->plan->channels;
    float *sum = line_at(pass, w, pass->lines + pass->lowrank.terms);

    w->tile = *tile;
    for (int k = 0; k < pass->lines - 1; k++)
        fill_line(pass, w, k);
    for (int y = tile->first; y < tile->end; y++) {
        int t = y - tile->first;
        uint8_t *out = cpu_tile_out(pass->job, tile, y);
        fill_line(pass, w, t + pass->lines - 1);
        sum_row(pass, w, t, sum, n);
        pass->ops->certify_floats(&pass->lowrank.test, sum, out, w->doubtful, n);
        cpu_window8_finish(&pass->window, pass->job, pass->ops, tile, y, w->ghosts, w->doubtful,
                           out);
        cpu_finish_unfiltered(pass->job, y, tile->first_pixel, tile->pixels, out);
    }
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct pass *pass = context;
    const struct cpu_lowrank8 *l = &pass->lowrank;
    struct worker *w = worker;
    size_t lines = (size_t)(pass->lines + l->terms + 1);
    int taps = l->row.count;

    for (int k = 0; k < l->terms; k++)
        taps = l->column[k].count > taps ? l->column[k].count : taps;
    /* Cleared: whole blocks read the slack at the lines' ends, and do not use it. */
    w->ring = cpu_memory_keep(memory, large_alloc_cleared(lines * pass->stride * sizeof *w->ring));
    w->at = cpu_memory_keep(memory, calloc((size_t)taps, sizeof *w->at));
    w->padded = cpu_memory_keep(memory, calloc(pass->stride, 1));
    w->doubtful = cpu_memory_keep(memory, calloc(cpu_tiles_sums(&pass->tiles), 1));
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
}

/* Tiles whose ring fits the cache, but not so narrow that columns' sums are made for halos. */
static void pass_cut(struct pass *pass)
{
    const struct plan *plan = pass->job->plan;
    int line = (int)sizeof(float) * (pass->lines + pass->lowrank.terms + 1) * plan->channels;
    int least = HALO_PARTS * plan->mask[0].width, pixels = RING_BYTES / line;

    pass->tiles = cpu_tiles_cut(pass->job, pixels > least ? pixels : least);
    pass->stride = cpu_tiles_stride(&pass->tiles, plan->mask[0].width, CPU_BLOCK);
}

static void lowrank8_free(void *state)
{
    struct pass *pass = state;
    cpu_lowrank8_free(&pass->lowrank);
    cpu_window8_free(&pass->window);
    free(pass);
}

static void *lowrank8_make(const struct plan *plan, const struct cpu_ops *ops, int width,
                           int height)
{
    struct pass *pass = calloc(1, sizeof *pass);

    (void)width, (void)height;
    if (!pass)
        return NULL;
    pass->ops = ops;
    pass->lines = plan->mask[0].height;
    if (cpu_lowrank8_make(&pass->lowrank, plan) && cpu_window8_make(&pass->window, plan))
        return pass;
    lowrank8_free(pass);
    return NULL;
}

static bool lowrank8_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct worker), worker_make, run_tile};
    struct pass pass = *(const struct pass *)state;

    pass.job = job;
    pass_cut(&pass);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    struct cpu_lowrank8 lowrank;

    (void)ops;
    if (!cpu_lowrank8_can(plan) || !cpu_lowrank8_make(&lowrank, plan))
        return "it takes 8 bits, sums of 64 bits and masks that are close to a few columns and "
               "rows";
    cpu_lowrank8_free(&lowrank);
    return NULL;
}

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    (void)ops;
    return cpu_certified_cost(plan, CERTIFIED_LOWRANK8, width, height);
}

const struct cpu_method cpu_method_lowrank8 = {
    .name = "lowrank8",
    .idea = "8 bits, close to low rank: a few columns and rows; doubtful samples exactly",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .per_cell = true,
    .refusal = refusal,
    .cost = cost,
    .make = lowrank8_make,
    .run = lowrank8_run,
    .free = lowrank8_free,
};
