/* The method `columns`: any place among the sorted cells of a rectangle, 8 bits, in a time that
 * does not depend on its size. After "Median filtering in constant time" by S. Perreault and P.
 * Hebert (2007).
 *
 * Every column of a tile has a histogram of the cells that are in the window's rows. From row to
 * row a column gets one cell and loses one. From pixel to pixel the window's histogram gets one
 * column and loses one: its 16 groups of levels at once, but the 16 levels of a group only when the
 * result is in this group. The histograms are cumulative, so that a result is found by comparing
 * with 16 counts at once. */
#include <math.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"
#include "cpu/window.h"

#define COLUMN_BYTES (CPU_GROUPS + CPU_GROUPS * CPU_GROUPS)
#define TILE_BYTES   (384 * 1024) /* of histograms, for the L2 cache */

struct columns_pass {
    CPU_STATE;
    struct cpu_tiles tiles;
    size_t line; /* samples of a line */
};

struct columns_worker {
    struct cpu_columns columns;
    uint8_t *rows; /* the window's rows and one more; row k is in the place k % (height + 1) */
};

/* ---- one tile ---- */

/* Takes input row k of the tile into the histograms, in place of row k - height. */
static void take_row(const struct columns_pass *pass, struct columns_worker *w,
                     const struct cpu_tile *tile, int k)
{
    const struct plan_mask *m = &pass->plan->mask[0];
    const int from = tile->first_pixel - m->anchor_x, pixels = tile->pixels + m->width - 1;
    const int depth = m->height + 1;
    uint8_t *enters = w->rows + (size_t)(k % depth) * pass->line;
    const uint8_t *leaves =
        k < m->height ? NULL : w->rows + (size_t)((k - m->height) % depth) * pass->line;

    cpu_tiles_copy(pass->job, cpu_tile_row(pass->job, tile, tile->top + k, NULL), from,
                   from + pixels, enters);
    pass->ops->columns_change(&w->columns, leaves, enters, pixels * pass->plan->channels);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct columns_pass *pass = context;
    const struct plan *plan = pass->plan;
    const int height = plan->mask[0].height;
    struct columns_worker *w = worker;

    memset(w->columns.group, 0, pass->line * CPU_GROUPS);
    memset(w->columns.level, 0, pass->line * CPU_GROUPS * CPU_GROUPS);
    for (int k = 0; k < height - 1; k++)
        take_row(pass, w, tile, k);
    for (int y = tile->first; y < tile->end; y++) {
        uint8_t *out = cpu_tile_out(pass->job, tile, y);
        take_row(pass, w, tile, y - tile->first + height - 1);
        for (int c = 0; c < plan->channels; c++)
            if (plan->filtered >> c & 1)
                pass->ops->columns_row(&w->columns, c, plan->order, out, NULL, tile->pixels);
        cpu_finish_unfiltered(pass->job, y, tile->first_pixel, tile->pixels, out);
    }
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct columns_pass *pass = context;
    const struct plan_mask *m = &pass->plan->mask[0];
    struct columns_worker *w = worker;

    w->columns.width = m->width;
    w->columns.channels = pass->plan->channels;
    w->columns.plane = pass->line;
    w->columns.group = cpu_memory_take(memory, pass->line * CPU_GROUPS);
    w->columns.level = cpu_memory_take(memory, pass->line * CPU_GROUPS * CPU_GROUPS);
    w->rows = cpu_memory_take(memory, (size_t)(m->height + 1) * pass->line);
}

static bool columns_run(const void *ops, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct columns_worker), worker_make,
                                                run_tile};
    struct columns_pass pass = {.plan = job->plan, .ops = ops, .job = job};
    const int channels = pass.plan->channels, width = pass.plan->mask[0].width;
    const int pixels = TILE_BYTES / COLUMN_BYTES / channels - width;

    pass.tiles = cpu_tiles_cut(job, pixels > width ? pixels : width);
    pass.line = cpu_tiles_stride(&pass.tiles, width, 0);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

/* ---- the row of the table ---- */

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    (void)ops;
    return plan->type != SAMPLE_U8                    ? "it takes 8-bit samples only"
           : !cpu_window_is_rectangle(&plan->mask[0]) ? "it takes squares and rectangles only"
                                                      : NULL;
}

#define COST 8.0 /* nanoseconds of a sample (AVX2) */

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];

    if (refusal(plan, ops))
        return HUGE_VAL;
    return cpu_samples(plan, 1, 1) * ((double)width + m->width) * ((double)height + m->height) *
           COST;
}

/* The rows above a band are taken into the histograms first: higher bands pay. */
static int band_rows(const struct plan *plan, int width, int rows, int most)
{
    (void)width;
    return cpu_rows_near(2 * plan->mask[0].height, rows, most);
}

const struct cpu_method cpu_method_columns = {
    .name = "columns",
    .idea = "any cell of a sorted rectangle, by histograms of its columns",
    .kinds = KERNEL_KIND(PLAN_ORDER),
    .refusal = refusal,
    .cost = cost,
    .run = columns_run,
    .rows = band_rows,
};
