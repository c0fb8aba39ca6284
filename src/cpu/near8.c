/* Certified sums of 8-bit samples by row and column: see cpu/near8.h.
 *
 *   row v    -> its samples in pairs of taps \
 *                                              row sums q of both, side by side as int16: a line
 *   row v+1  -> the same                     /
 *
 *   lines v, v+2, v+4 ...  -> column sums of two rows of output -> samples, and which are doubtful
 *
 * The lines stand in a ring; as in cpu/direct8.c two rows of output read the same ones. Doubtful
 * samples are summed from the picture's own rows, with the plan's own weights.
 *
 * CPU time beside a Gaussian in small integers (scripts/bench_kernels "19 digits bell", AVX2 on an
 * EPYC of family 25, one thread): 3x3 2.2, 5x5 3.0, 7x7 1.5, 15x15 1.7. By sums
 * over every cell it was 4.7, 6, 3 and 5.4. */
#include "cpu/near8.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/certified.h"
#include "cpu/certify.h"
#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"
#include "cpu/window8.h"

#define RING_BYTES  (128 * 1024) /* a part of the L2 cache */
#define MAX_SAMPLES 4096         /* of a tile */

struct worker {
    struct cpu_tile tile;
    uint32_t *ring; /* pass.lines lines of pass.stride pairs, and those of taps */
    const uint32_t *at[CPU_MAX_SIDE / 2 + 1];
    uint32_t *taps[2]; /* a row's samples in pairs of taps */
    uint8_t *padded;   /* and with ghost cells */
    uint64_t *doubtful[2];
    uint8_t *none;   /* what is below the last row of output */
    uint8_t *ghosts; /* a row */
};

struct pass {
    const struct cpu_ops *ops;
    struct cpu_near8 near;
    struct cpu_window8 window;
    int lines;
    /* Of one job: */
    const struct kernel_job *job;
    struct cpu_tiles tiles;
    size_t stride;
};

bool cpu_near8_can(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return plan->kind == PLAN_LINEAR && plan->alpha != ALPHA_WEIGHTED && plan->type == SAMPLE_U8 &&
           m->accumulator == ACCUMULATOR_I64 && m->width > 1 && m->height > 1;
}

/* ---- lines ---- */

static const uint8_t *row_at(const struct pass *pass, const struct worker *w, int v)
{
    return cpu_tile_row(pass->job, &w->tile, v, w->ghosts);
}

/* The samples under the tile, from the first tap on. */
static const uint8_t *samples_of(const struct pass *pass, struct worker *w, const uint8_t *row)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    size_t channels = (size_t)job->plan->channels;
    int from = w->tile.first_pixel - m->anchor_x, to = from + w->tile.pixels + m->width;

    if (from >= 0 && to <= job->in->width)
        return row + (size_t)from * channels;
    cpu_tiles_copy(job, row, from, to, w->padded);
    return w->padded;
}

/* Line k of the tile: rows top + 2k and the next. OUT: what will be written soon, or NULL.
 */
static void fill_line(const struct pass *pass, struct worker *w, int k, uint8_t *const *out)
{
    const struct plan *plan = pass->job->plan;
    size_t first = (size_t)w->tile.first_pixel * (size_t)plan->channels;
    int n = w->tile.pixels * plan->channels, v = w->tile.top + 2 * k;
    int taps = n + (pass->near.row.taps - 1) * pass->near.row.step;
    struct cpu_ahead ahead[2];

    for (int i = 0; i < 2; i++) {
        const uint8_t *in = samples_of(pass, w, row_at(pass, w, v + i));
        pass->ops->pairs_u8(in, in + plan->channels, w->taps[i], taps);
        ahead[i].read = row_at(pass, w, v + i + 2) + first;
        ahead[i].write = out ? out[i] : NULL;
    }
    pass->ops->row_pairs(&pass->near.row, w->taps[0], w->taps[1],
                         w->ring + (size_t)(k % pass->lines) * pass->stride, n, ahead);
}

/* ---- two rows of one tile ---- */

static void finish_row(const struct pass *pass, const struct worker *w, int lower, int y,
                       uint8_t *out)
{
    const struct cpu_tile *s = &w->tile;
    const uint8_t *row[CPU_WINDOW_MOST];
    int n = s->pixels * pass->job->plan->channels;

    cpu_window8_rows(pass->job, s, y, w->ghosts, row);
    for (int x = -1; (x = cpu_certify_next(w->doubtful[lower], x + 1, n)) < n;)
        cpu_window8_decide(&pass->window, pass->job, pass->ops, row, s->first_pixel, x, out + x);
    cpu_finish_unfiltered(pass->job, y, s->first_pixel, s->pixels, out);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct pass *pass = context;
    struct worker *w = worker;
    int n = tile->pixels * pass->job->plan->channels;

    w->tile = *tile;
    for (int k = 0; k < pass->lines - 1; k++)
        fill_line(pass, w, k, NULL);
    for (int t = 0; tile->first + 2 * t < tile->end; t++) {
        int y = tile->first + 2 * t;
        uint8_t *out[2] = {cpu_tile_out(pass->job, tile, y), w->none};
        if (y + 1 < tile->end)
            out[1] = cpu_tile_out(pass->job, tile, y + 1);
        fill_line(pass, w, t + pass->lines - 1, out);
        for (int p = 0; p < pass->lines; p++)
            w->at[p] = w->ring + (size_t)((t + p) % pass->lines) * pass->stride;
        pass->ops->certify_two_rows(&pass->near.column, w->at, &pass->near.bounds, out, w->doubtful,
                                    n);
        finish_row(pass, w, 0, y, out[0]);
        if (y + 1 < tile->end)
            finish_row(pass, w, 1, y + 1, out[1]);
    }
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct pass *pass = context;
    struct worker *w = worker;

    /* Cleared: whole blocks read the slack at the lines' ends, and do not use it. */
    w->ring = cpu_memory_keep(
        memory, large_alloc_cleared((size_t)(pass->lines + 2) * pass->stride * sizeof *w->ring));
    w->padded = cpu_memory_keep(memory, calloc(pass->stride, 1));
    w->none = cpu_memory_keep(memory, calloc(pass->stride, 1));
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
    for (int k = 0; k < 2; k++) {
        w->taps[k] = w->ring ? w->ring + (size_t)(pass->lines + k) * pass->stride : NULL;
        w->doubtful[k] =
            cpu_memory_keep(memory, calloc(pass->stride / CPU_BLOCK + 2, sizeof *w->doubtful[k]));
    }
}

/* Tiles whose ring fits the cache. */
static void pass_cut(struct pass *pass)
{
    const struct plan *plan = pass->job->plan;
    int samples = RING_BYTES / ((int)sizeof(uint32_t) * (pass->lines + 2));
    int most = samples < MAX_SAMPLES ? samples : MAX_SAMPLES;

    pass->tiles = cpu_tiles_cut(pass->job, most / plan->channels);
    pass->stride = cpu_tiles_stride(&pass->tiles, plan->mask[0].width + 2, CPU_BLOCK);
}

static void near8_free(void *state)
{
    struct pass *pass = state;
    cpu_near8_free(&pass->near);
    cpu_window8_free(&pass->window);
    free(pass);
}

static void *near8_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    struct pass *pass = calloc(1, sizeof *pass);

    (void)width, (void)height;
    if (!pass)
        return NULL;
    pass->ops = ops;
    if (cpu_near8_make(&pass->near, plan) && cpu_window8_make(&pass->window, plan)) {
        pass->lines = pass->near.column.pairs;
        return pass;
    }
    near8_free(pass);
    return NULL;
}

static bool near8_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct worker), worker_make, run_tile};
    struct pass pass = *(const struct pass *)state;

    pass.job = job;
    pass_cut(&pass);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    struct cpu_near8 near = {0};
    bool can = cpu_near8_can(plan) && cpu_near8_make(&near, plan);

    (void)ops;
    cpu_near8_free(&near);
    return can ? NULL : "it takes 8 bits, sums of 64 bits and masks that are close to rank 1";
}

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    (void)ops;
    return cpu_certified_cost(plan, CERTIFIED_NEAR8, width, height);
}

const struct cpu_method cpu_method_near8 = {
    .name = "near8",
    .idea = "8 bits, close to rank 1: a row pass and a column pass; doubtful samples exactly",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .per_cell = true,
    .refusal = refusal,
    .cost = cost,
    .make = near8_make,
    .run = near8_run,
    .free = near8_free,
};
