/* The method `ranks`: any place among the sorted cells of a rectangle, 16 bits, in a time that
 * hardly depends on its size.
 *
 * The cells under a block of output are at most 256 x 256. They are sorted, so that each cell has a
 * rank below 65536; equal cells get different ranks, in any order. The cell at a place among a
 * window's ranks is also at this place among its values. It is found in two steps:
 *
 *   rank / 256    a level of 8 bits: the histograms of `columns` find it, and the place in it
 *   the cell      a level has 256 cells. The list of their positions, sorted by rank, is read until
 *                 as many of them are in the window
 *
 * Positions instead of lower bytes make the time independent of the picture: a window may have all
 * its cells in one level or in 256 levels. */
#include <math.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"
#include "cpu/window.h"

#define SIDE      256 /* of a block's input */
#define VALUES    65536
#define MOST_SIDE (SIDE - CPU_TILE_MIN + 1) /* of a window */

struct ranks_pass {
    CPU_STATE;
    struct cpu_tiles tiles;
};

struct ranks_worker {
    struct cpu_columns columns;
    struct cpu_ranks ranks;
    uint16_t *line;       /* of the input, all channels */
    uint16_t *rank;       /* by value: of the next cell with this value */
    uint8_t *level;       /* of each cell: rank / 256 */
    uint8_t *found_level; /* of a row of output */
    uint16_t *found_place;
};

/* ---- one block: one channel of some rows of a tile ---- */

struct block {
    int channel, first, rows; /* of the output */
    int width, height;        /* of the input */
};

/* Copies the channel's cells. */
static void copy_cells(const struct ranks_pass *pass, struct ranks_worker *w,
                       const struct cpu_tile *tile, const struct block *b)
{
    const int channels = pass->plan->channels;
    const int from = tile->first_pixel - pass->plan->mask[0].anchor_x;

    for (int y = 0; y < b->height; y++) {
        const int row = tile->top + b->first - tile->first + y;
        cpu_tiles_copy(pass->job, cpu_tile_row(pass->job, tile, row, NULL), from, from + b->width,
                       w->line);
        for (int x = 0; x < b->width; x++)
            w->ranks.value[y * SIDE + x] = w->line[x * channels + b->channel];
    }
}

/* Sorts the cells: sets the levels and the positions. Numbers of 16 bits are enough, modulo 65536,
 * even if all cells are equal. */
static void sort_cells(struct ranks_worker *w, const struct block *b)
{
    const uint16_t *value = w->ranks.value;
    uint16_t *rank = w->rank, sum = 0;
    uint8_t *level = w->level, *at_x = w->ranks.x, *at_y = w->ranks.y;

    memset(rank, 0, VALUES * sizeof *rank);
    for (int y = 0; y < b->height; y++)
        for (int x = 0; x < b->width; x++)
            rank[value[y * SIDE + x]]++;
    for (int v = 0; v < VALUES; v++) {
        const uint16_t count = rank[v];
        rank[v] = sum;
        sum = (uint16_t)(sum + count);
    }
    for (int y = 0; y < b->height; y++)
        for (int x = 0; x < b->width; x++) {
            const uint16_t r = rank[value[y * SIDE + x]]++;
            level[y * SIDE + x] = (uint8_t)(r >> 8);
            at_x[r] = (uint8_t)x;
            at_y[r] = (uint8_t)y;
        }
}

static void filter_block(const struct ranks_pass *pass, struct ranks_worker *w,
                         const struct cpu_tile *tile, const struct block *b)
{
    const struct plan *plan = pass->plan;
    const int height = plan->mask[0].height;

    copy_cells(pass, w, tile, b);
    sort_cells(w, b);
    memset(w->columns.group, 0, SIDE * CPU_GROUPS);
    memset(w->columns.level, 0, w->columns.plane * CPU_GROUPS * CPU_GROUPS);
    for (int k = 0; k < b->height; k++) {
        const int y = k + 1 - height;
        pass->ops->columns_change(&w->columns, y > 0 ? w->level + (y - 1) * SIDE : NULL,
                                  w->level + k * SIDE, b->width);
        if (y < 0)
            continue;
        pass->ops->columns_row(&w->columns, 0, plan->order, w->found_level, w->found_place,
                               tile->pixels);
        pass->ops->ranks_row(&w->ranks, w->found_level, w->found_place, y,
                             (uint16_t *)cpu_tile_out(pass->job, tile, b->first + y) + b->channel,
                             plan->channels, tile->pixels);
    }
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct ranks_pass *pass = context;
    const struct plan *plan = pass->plan;
    const struct plan_mask *m = &plan->mask[0];
    const int most = SIDE - m->height + 1, rows = tile->end - tile->first;
    const int blocks = (rows + most - 1) / most;

    for (int i = 0; i < blocks; i++) {
        struct block b = {.first = tile->first + rows * i / blocks};
        b.rows = tile->first + rows * (i + 1) / blocks - b.first;
        b.width = tile->pixels + m->width - 1;
        b.height = b.rows + m->height - 1;
        for (b.channel = 0; b.channel < plan->channels; b.channel++)
            if (plan->filtered >> b.channel & 1)
                filter_block(pass, worker, tile, &b);
    }
    for (int y = tile->first; y < tile->end; y++)
        cpu_finish_unfiltered(pass->job, y, tile->first_pixel, tile->pixels,
                              cpu_tile_out(pass->job, tile, y));
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct ranks_pass *pass = context;
    struct ranks_worker *w = worker;

    w->columns.width = w->ranks.width = pass->plan->mask[0].width;
    w->ranks.height = pass->plan->mask[0].height;
    w->columns.channels = 1;
    w->columns.plane = SIDE + 4; /* an odd number of cache lines, so that groups share no set */
    w->columns.group = cpu_memory_take(memory, SIDE * CPU_GROUPS);
    w->columns.level = cpu_memory_take(memory, w->columns.plane * CPU_GROUPS * CPU_GROUPS);
    w->ranks.value = cpu_memory_take(memory, SIDE * SIDE * sizeof *w->ranks.value);
    w->ranks.x = cpu_memory_take(memory, SIDE * SIDE);
    w->ranks.y = cpu_memory_take(memory, SIDE * SIDE);
    w->line = cpu_memory_take(memory, SIDE * (size_t)pass->plan->channels * sizeof *w->line);
    w->rank = cpu_memory_take(memory, VALUES * sizeof *w->rank);
    w->level = cpu_memory_take(memory, SIDE * SIDE);
    w->found_level = cpu_memory_take(memory, SIDE);
    w->found_place = cpu_memory_take(memory, SIDE * sizeof *w->found_place);
}

static bool ranks_run(const void *ops, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct ranks_worker), worker_make, run_tile};
    struct ranks_pass pass = {.plan = job->plan, .ops = ops, .job = job};

    pass.tiles = cpu_tiles_cut(job, SIDE - pass.plan->mask[0].width + 1);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

/* ---- the row of the table ---- */

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    const struct plan_mask *m = &plan->mask[0];

    (void)ops;
    return plan->type != SAMPLE_U16      ? "it takes 16-bit samples only"
           : !cpu_window_is_rectangle(m) ? "it takes squares and rectangles only"
           : m->width > MOST_SIDE        ? "it takes windows of at most 193 columns"
           : m->height > MOST_SIDE       ? "it takes windows of at most 193 rows"
                                         : NULL;
}

/* Nanoseconds of a sample, and of a cell of a block (AVX2). */
#define COST      13.0
#define COST_CELL 9.0

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];

    if (refusal(plan, ops))
        return HUGE_VAL;
    return cpu_samples(plan, width, height) *
           (COST + COST_CELL * SIDE * SIDE / ((SIDE - m->width + 1) * (SIDE - m->height + 1)));
}

/* The rows above a band are sorted, too: higher bands pay. */
static int band_rows(const struct plan *plan, int width, int rows, int most)
{
    (void)width;
    return cpu_rows_near(SIDE - plan->mask[0].height + 1, rows, most);
}

const struct cpu_method cpu_method_ranks = {
    .name = "ranks",
    .idea = "any cell of a sorted rectangle of 16 bits, by the ranks of its cells",
    .kinds = KERNEL_KIND(PLAN_ORDER),
    .refusal = refusal,
    .cost = cost,
    .run = ranks_run,
    .rows = band_rows,
};
