/* The method `network`: the median of a square by sorting networks, 8 and 16 bits. The loops, and
 * the idea, are in scripts/make_networks. Here is how their lines are kept:
 *
 *   row k of the input           `side` lines: each sample with its neighbours, sorted
 *   level 0, list j              rows 2j + 1 and 2j + 2, merged
 *   level 1, list j              lists j and j + 1 of level 0: rows 2j + 1 .. 2j + 4; and so on
 *   output rows 2t and 2t + 1    lists from t on, which make rows 2t + 1 .. 2t + side - 1;
 *                                and row 2t, or row 2t + side */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"
#include "cpu/window.h"

#define RING_BYTES (192 * 1024) /* lines of a tile, for the L2 cache */
#define MOST_SIDE  15

struct network_pass {
    const struct plan *plan;
    const struct cpu_network *network;
    const struct kernel_job *job;
    struct cpu_tiles tiles;
    size_t stride; /* bytes from one line to the next */
};

/* Lists of lines; list j is in the place j % depth. */
struct lists {
    char *memory;
    int depth, lines; /* lines of a list */
    int made;         /* lists 0 .. made - 1 of this tile */
};

struct network_worker {
    char *row; /* of the input, with ghost cells */
    struct lists rows, level[CPU_NETWORK_LEVELS];
    char *out[2];
    const void **in; /* the lines that a loop reads */
};

/* ---- lists ---- */

static char *line_of(const struct network_pass *pass, const struct lists *lists, int j, int line)
{
    return lists->memory + (size_t)(j % lists->depth * lists->lines + line) * pass->stride;
}

/* Puts the lines of list J behind the COUNT lines that a loop reads; returns their number. */
static int add_list(const struct network_pass *pass, struct network_worker *w,
                    const struct lists *lists, int j, int count)
{
    for (int i = 0; i < lists->lines; i++)
        w->in[count++] = line_of(pass, lists, j, i);
    return count;
}

/* Runs a loop whose output is the next list. */
static void make_list(const struct network_pass *pass, struct network_worker *w,
                      struct lists *lists, cpu_network_loop *loop, int n)
{
    void *out[MOST_SIDE * MOST_SIDE];

    for (int i = 0; i < lists->lines; i++)
        out[i] = line_of(pass, lists, lists->made, i);
    loop(w->in, out, n);
    lists->made++;
}

/* ---- one tile ---- */

static void make_row(const struct network_pass *pass, struct network_worker *w,
                     const struct cpu_tile *tile, int n)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &pass->plan->mask[0];
    const int from = tile->first_pixel - m->anchor_x, side = pass->network->side;
    const size_t pixel = (size_t)pass->plan->channels * (size_t)pass->plan->type;

    cpu_tiles_copy(job, cpu_tile_row(job, tile, tile->top + w->rows.made, NULL), from,
                   from + tile->pixels + side - 1, w->row);
    for (int i = 0; i < side; i++)
        w->in[i] = w->row + (size_t)i * pixel;
    make_list(pass, w, &w->rows, pass->network->rows, n);
}

/* Makes the next list of a level. */
static void make_merged(const struct network_pass *pass, struct network_worker *w, int level, int n)
{
    const int j = w->level[level].made;
    int count;

    if (level == 0) {
        count = add_list(pass, w, &w->rows, 2 * j + 1, 0);
        add_list(pass, w, &w->rows, 2 * j + 2, count);
    } else {
        count = add_list(pass, w, &w->level[level - 1], j, 0);
        add_list(pass, w, &w->level[level - 1], j + (1 << (level - 1)), count);
    }
    make_list(pass, w, &w->level[level], pass->network->level[level], n);
}

/* Makes rows 2t and 2t + 1 of the tile's output in w->out. */
static void make_medians(const struct network_pass *pass, struct network_worker *w,
                         const struct cpu_tile *tile, int t, int n)
{
    const struct cpu_network *network = pass->network;
    const int side = network->side;
    void *out[2] = {w->out[0], w->out[1]};
    int count = 0;

    while (w->rows.made <= 2 * t + side)
        make_row(pass, w, tile, n);
    for (int level = 0; level < network->levels; level++)
        while (w->level[level].made <= t + side / 2 - (1 << level))
            make_merged(pass, w, level, n);
    for (int i = 0; i < network->parts; i++)
        count =
            add_list(pass, w, &w->level[network->part[i].level], t + network->part[i].first, count);
    for (int i = 0; network->parts == 0 && i < 2; i++)
        count = add_list(pass, w, &w->rows, 2 * t + 1 + i, count);
    count = add_list(pass, w, &w->rows, 2 * t, count);
    add_list(pass, w, &w->rows, 2 * t + side, count);
    network->median(w->in, out, n);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct network_pass *pass = context;
    const struct kernel_job *job = pass->job;
    const int n = tile->pixels * pass->plan->channels;
    struct network_worker *w = worker;

    w->rows.made = 0;
    for (int level = 0; level < pass->network->levels; level++)
        w->level[level].made = 0;
    for (int y = tile->first; y < tile->end; y++) {
        const int k = y - tile->first;
        void *out = cpu_tile_out(job, tile, y);
        if (k % 2 == 0)
            make_medians(pass, w, tile, k / 2, n);
        memcpy(out, w->out[k % 2], (size_t)n * (size_t)pass->plan->type);
        cpu_finish_unfiltered(job, y, tile->first_pixel, tile->pixels, out);
    }
}

/* ---- one pass ---- */

static const struct cpu_network *find_network(const struct plan *plan, const struct cpu_ops *ops)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct cpu_network *networks = ops->networks[plan->type == SAMPLE_U16];

    for (int i = 0; i < CPU_NETWORKS; i++)
        if (networks[i].side == m->width && networks[i].side == m->height &&
            cpu_window_is_rectangle(m) && plan->order == m->sum / 2)
            return &networks[i];
    return NULL;
}

/* Lists that are kept: of rows, and of a level. */
static int rows_depth(const struct cpu_network *network)
{
    return network->side + 1;
}

static int level_depth(const struct cpu_network *network, int level)
{
    return network->side / 2 - (1 << level) + 1;
}

static int all_lines(const struct cpu_network *network)
{
    int lines = rows_depth(network) * network->side + 3;

    for (int level = 0; level < network->levels; level++)
        lines += level_depth(network, level) * network->lines[level];
    return lines;
}

static void lists_make(const struct network_pass *pass, struct lists *lists, int depth, int lines,
                       struct cpu_memory *memory)
{
    *lists = (struct lists){.depth = depth, .lines = lines};
    lists->memory = cpu_memory_take(memory, (size_t)(depth * lines) * pass->stride);
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct network_pass *pass = context;
    const struct cpu_network *network = pass->network;
    struct network_worker *w = worker;

    lists_make(pass, &w->rows, rows_depth(network), network->side, memory);
    for (int level = 0; level < network->levels; level++)
        lists_make(pass, &w->level[level], level_depth(network, level), network->lines[level],
                   memory);
    w->row = cpu_memory_take(memory, pass->stride);
    for (int i = 0; i < 2; i++)
        w->out[i] = cpu_memory_take(memory, pass->stride);
    w->in = cpu_memory_take(memory, (size_t)all_lines(network) * sizeof *w->in);
}

static void *network_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    struct network_pass *pass = calloc(1, sizeof *pass);

    (void)width, (void)height;
    if (!pass)
        return NULL;
    pass->plan = plan;
    pass->network = find_network(plan, ops);
    return pass;
}

static bool network_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct network_worker), worker_make,
                                                run_tile};
    struct network_pass pass = *(const struct network_pass *)state;
    const int bytes = (int)pass.plan->type, side = pass.network->side;
    int pixels = RING_BYTES / (all_lines(pass.network) * pass.plan->channels * bytes) - side;

    pass.job = job;
    pass.tiles = cpu_tiles_cut(job, pixels);
    pass.stride = cpu_tiles_stride(&pass.tiles, side, CPU_BLOCK) * (size_t)bytes;
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

/* ---- the row of the table ---- */

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    return find_network(plan, ops)
               ? NULL
               : "it finds the median of squares of 3, 5, 7, 9, 11, 13 or 15 cells a side only";
}

/* Nanoseconds of a sample of 8 bits per side^2.5 (AVX2). */
#define COST 0.005

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    if (refusal(plan, ops))
        return HUGE_VAL;
    return cpu_samples(plan, width, height) * (int)plan->type *
           (0.1 + COST * pow(plan->mask[0].width, 2.5));
}

static void network_free(void *state)
{
    free(state);
}

const struct cpu_method cpu_method_network = {
    .name = "network",
    .idea = "medians of small squares, by sorting networks that share their work",
    .kinds = KERNEL_KIND(PLAN_ORDER),
    .refusal = refusal,
    .cost = cost,
    .make = network_make,
    .run = network_run,
    .free = network_free,
};
