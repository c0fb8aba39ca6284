/* The method `network`: the median of a square by sorting networks, 8 and 16 bits. The loops, and
 * the idea, are in scripts/make_networks. Here is how their lines are kept:
 *
 *   row k of the input           `side` lines: each sample with its neighbours, sorted
 *   pair j                       rows 2j + 1 and 2j + 2, merged
 *   four i                       pairs 2i + 1 and 2i + 2, merged: rows 4i + 3 .. 4i + 6
 *   output rows 4i .. 4i + 3     fours from i on, and perhaps one pair: rows 4i + 3 ..
 *                                4i + side - 1; the pair above them or the pair below them; and
 *                                row 4i, 4i + side, 4i + 2 or 4i + side + 2
 *
 * For the smallest square the rows are kept as they are, and one loop does the rest. */
#include <math.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"
#include "cpu/window.h"

#define RING_BYTES (768 * 1024) /* lines of a tile, for the L2 cache */
#define MOST_SIDE  15
#define OUTPUTS    4 /* rows that a loop makes */

struct network_pass {
    CPU_STATE;
    const struct cpu_network *network;
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
    struct lists rows, pairs, fours;
    char *out[OUTPUTS]; /* rows of output, or their last samples */
    const void **in;    /* the lines that a loop reads */
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
    loop(w->in, out, n, false);
    lists->made++;
}

/* ---- one tile ---- */

/* Puts a line and its neighbours behind the COUNT lines that a loop reads. */
static int add_neighbours(const struct network_pass *pass, struct network_worker *w,
                          const char *line, int count)
{
    const size_t pixel = (size_t)pass->plan->channels * (size_t)pass->plan->type;

    for (int i = 0; i < pass->network->side; i++)
        w->in[count++] = line + (size_t)i * pixel;
    return count;
}

static void make_row(const struct network_pass *pass, struct network_worker *w,
                     const struct cpu_tile *tile, int n)
{
    const struct kernel_job *job = pass->job;
    const int from = tile->first_pixel - pass->plan->mask[0].anchor_x;
    const bool sorts = pass->network->rows;
    char *line = sorts ? w->row : line_of(pass, &w->rows, w->rows.made, 0);

    cpu_tile_fetch(job, tile, tile->top + w->rows.made);
    cpu_tiles_copy(job, cpu_tile_row(job, tile, tile->top + w->rows.made, NULL), from,
                   from + tile->pixels + pass->network->side - 1, line);
    if (sorts) {
        add_neighbours(pass, w, line, 0);
        make_list(pass, w, &w->rows, pass->network->rows, n);
    } else {
        w->rows.made++;
    }
}

/* Makes the next list of two lists, J and J + 1, of OF. */
static void make_merged(const struct network_pass *pass, struct network_worker *w,
                        struct lists *lists, cpu_network_loop *loop, const struct lists *of, int j,
                        int n)
{
    add_list(pass, w, of, j + 1, add_list(pass, w, of, j, 0));
    make_list(pass, w, lists, loop, n);
}

/* Collects the lines for the rows of output from row K of the tile on; returns their number. */
static int collect(const struct network_pass *pass, struct network_worker *w,
                   const struct cpu_tile *tile, int k, int n)
{
    static const int own_row[OUTPUTS][2] = {{0, 0}, {0, 1}, {2, 0}, {2, 1}}; /* 1: of the sides */
    const struct cpu_network *network = pass->network;
    const int side = network->side, first = k / 2, last = first + side / 2; /* pairs */
    int count = 0, pair = first + 1;

    while (w->rows.made < k + side + OUTPUTS - 1)
        make_row(pass, w, tile, n);
    if (!network->rows) {
        for (int i = 0; i < side + OUTPUTS - 1; i++)
            count = add_neighbours(pass, w, line_of(pass, &w->rows, k + i, 0), count);
        return count;
    }
    while (w->pairs.made <= last)
        make_merged(pass, w, &w->pairs, network->pairs, &w->rows, 2 * w->pairs.made + 1, n);
    while (w->fours.depth > 0 && w->fours.made < k / OUTPUTS + w->fours.depth)
        make_merged(pass, w, &w->fours, network->fours, &w->pairs, 2 * w->fours.made + 1, n);
    for (; pair + 1 < last; pair += 2)
        count = add_list(pass, w, &w->fours, pair / 2, count);
    if (pair < last)
        count = add_list(pass, w, &w->pairs, pair, count);
    count = add_list(pass, w, &w->pairs, first, count);
    count = add_list(pass, w, &w->pairs, last, count);
    for (int i = 0; i < OUTPUTS; i++)
        count = add_list(pass, w, &w->rows, k + own_row[i][0] + own_row[i][1] * side, count);
    return count;
}

/* Makes the rows of output from row K of the tile on: whole blocks at their place, the last samples
 * by way of w->out. */
static void make_medians(const struct network_pass *pass, struct network_worker *w,
                         const struct cpu_tile *tile, int k, int n)
{
    const int whole = n / CPU_BLOCK * CPU_BLOCK, rows = tile->end - tile->first - k;
    const size_t done = (size_t)whole * (size_t)pass->plan->type;
    const int count = collect(pass, w, tile, k, n);
    void *out[OUTPUTS], *rest[OUTPUTS];

    for (int i = 0; i < OUTPUTS; i++) {
        out[i] = i < rows ? cpu_tile_out(pass->job, tile, tile->first + k + i) : w->out[i];
        rest[i] = w->out[i];
    }
    pass->network->median(w->in, out, whole, pass->tiles.streams);
    if (whole == n)
        return;
    for (int i = 0; i < count; i++)
        w->in[i] = (const char *)w->in[i] + done;
    pass->network->median(w->in, rest, n - whole, false);
    for (int i = 0; i < OUTPUTS && i < rows; i++)
        memcpy((char *)out[i] + done, rest[i], (size_t)(n - whole) * (size_t)pass->plan->type);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct network_pass *pass = context;
    struct network_worker *w = worker;

    w->rows.made = w->pairs.made = w->fours.made = 0;
    for (int k = 0; k < tile->end - tile->first; k += OUTPUTS)
        make_medians(pass, w, tile, k, tile->pixels * pass->plan->channels);
    for (int y = tile->first; y < tile->end; y++)
        cpu_finish_unfiltered(pass->job, y, tile->first_pixel, tile->pixels,
                              cpu_tile_out(pass->job, tile, y));
}

/* ---- one pass ---- */

static const struct cpu_network *find_network(const struct plan *plan, const struct cpu_ops *ops)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct cpu_network *networks = ops->networks->of[plan->type == SAMPLE_U16];

    for (int i = 0; i < CPU_NETWORKS; i++)
        if (networks[i].side == m->width && networks[i].side == m->height &&
            cpu_window_is_rectangle(m) && plan->order == m->sum / 2)
            return &networks[i];
    return NULL;
}

/* The lists that are kept. */
static struct lists rows_of(const struct cpu_network *network)
{
    return (struct lists){.depth = network->side + OUTPUTS - 1,
                          .lines = network->rows ? network->side : 1};
}

static struct lists pairs_of(const struct cpu_network *network)
{
    return (struct lists){.depth = network->side / 2 + 1, .lines = network->pair_lines};
}

static struct lists fours_of(const struct cpu_network *network)
{
    return (struct lists){.depth = (network->side / 2 - 1) / 2, .lines = network->four_lines};
}

static int all_lines(const struct cpu_network *network)
{
    const struct lists of[] = {rows_of(network), pairs_of(network), fours_of(network)};
    int lines = OUTPUTS + 1;

    for (int i = 0; i < 3; i++)
        lines += of[i].depth * of[i].lines;
    return lines;
}

static void lists_make(const struct network_pass *pass, struct lists *lists, struct lists of,
                       struct cpu_memory *memory)
{
    *lists = of;
    if (of.depth * of.lines > 0)
        lists->memory = cpu_memory_take(memory, (size_t)(of.depth * of.lines) * pass->stride);
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct network_pass *pass = context;
    const struct cpu_network *network = pass->network;
    struct network_worker *w = worker;

    lists_make(pass, &w->rows, rows_of(network), memory);
    lists_make(pass, &w->pairs, pairs_of(network), memory);
    lists_make(pass, &w->fours, fours_of(network), memory);
    w->row = cpu_memory_take(memory, pass->stride);
    for (int i = 0; i < OUTPUTS; i++)
        w->out[i] = cpu_memory_take(memory, pass->stride);
    w->in = cpu_memory_take(memory, (size_t)(all_lines(network) * network->side) * sizeof *w->in);
}

static bool network_run(const void *ops, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct network_worker), worker_make,
                                                run_tile};
    struct network_pass pass = {
        .plan = job->plan, .network = find_network(job->plan, ops), .job = job};
    const int bytes = (int)pass.plan->type, side = pass.network->side;
    int pixels = RING_BYTES / (all_lines(pass.network) * pass.plan->channels * bytes) - side;

    pass.tiles = cpu_tiles_cut(job, pixels / CPU_TILE_MIN * CPU_TILE_MIN);
    pass.stride = cpu_tiles_stride(&pass.tiles, side, CPU_BLOCK) * (size_t)bytes;
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

/* ---- the row of the table ---- */

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    return find_network(plan, ops) ? NULL
                                   : "it finds the median of squares of 3, 5 .. 15 cells a side "
                                     "only (without AVX2 or NEON: 3, 5, 7)";
}

/* Nanoseconds of a sample of 8 bits, about (AVX2): 0.1 for 3 x 3 cells, 6 for 15 x 15. */
#define COST(side) (0.0087 * pow(side, 2.37))

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    if (refusal(plan, ops))
        return HUGE_VAL;
    return cpu_samples(plan, width, height) * (int)plan->type * COST(plan->mask[0].width);
}

const struct cpu_method cpu_method_network = {
    .name = "network",
    .idea = "medians of small squares, by sorting networks that share their work",
    .kinds = KERNEL_KIND(PLAN_ORDER),
    .refusal = refusal,
    .cost = cost,
    .run = network_run,
};
