/* The method `extremes`: the least or the greatest cell of a window (erode, dilate), 8 and 16 bits.
 *
 * Running extremes of a line, of any length, are made by steps of four:
 *
 *   E4[x] = best of E1[x], E1[x + 1], E1[x + 2], E1[x + 3]       E1: the line itself
 *   E16[x] = best of E4[x], E4[x + 4], E4[x + 8], E4[x + 12]     and so on
 *   E10[x] = best of E4[x], E4[x + 4], E4[x + 6]                 parts may overlap
 *
 * With long registers a step is longer: E4 is doubled before it is stored.
 *
 * A rectangle takes the best of its rows first, and then the running extremes of this line. Up to
 * eight rows are made at a time, since their windows have most rows in common. Here three rows, and
 * windows 9 rows high:
 *
 *   row         0  1  2  3  4  5  6  7  8  9  10
 *   window 0    f  f  f  b  b  b  b  b  l  .  .     f: the best grows from below
 *   window 1    .  f  f  b  b  b  b  b  l  l  .     b: between, taken once
 *   window 2    .  .  f  b  b  b  b  b  l  l  l     l: the best grows from above
 *
 * The best of all rows of each l is kept as a block, for the rows between of later windows.
 *
 * Any other window is a set of runs: adjacent cells of a row. The method keeps one line, the best
 * of all runs so far, and takes the longest runs first. Running extremes of the line make all runs
 * in it longer at once. Then the next shorter runs are added. So each run reads its row once:
 *
 *   . 1 1 1 .     line = best of rows 1, 2 and 3
 *   1 1 1 1 1     line = best of E3 of the line, row 0 from cell 1 on, and row 4 from cell 1 on
 *   1 1 1 1 1     out = E3 of the line
 *   1 1 1 1 1
 *   . 1 1 1 . */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/window.h"

#define STEP  4
#define STEPS 3 /* at most: 4, 16, 64 */
#define PARTS 6 /* of lines of a step, at most, that make a line of any length */
#define TALL  CPU_TALL_ROWS
#define TAILS (3 * TALL - 1) /* rows of the picture that are read at once, at most */

#define RING_BYTES (320 * 1024) /* rows of a tile, for the L2 cache */

struct extremes_pass {
    CPU_STATE;
    struct cpu_window window; /* the longest runs first */
    int rows;                 /* of output that are made at a time */
    int blocks;               /* of a rectangle */
    struct cpu_tiles tiles;
    size_t stride; /* bytes from one line to the next */
};

struct extremes_worker {
    char *step[STEPS];  /* E4, E16, ... of a line */
    char *best;         /* a line for each row that is made at a time */
    char *out;          /* the last samples of a row of output */
    const void **at;    /* lines: as many as there are runs, and PARTS */
    const void *ghosts; /* of a rectangle: a row */
    char *tails;        /* of a rectangle: the last samples of rows */
    char *blocks;       /* of a rectangle; one line if it has no blocks */
    char *lines;        /* of other windows: row k of the tile is line k % height */
};

/* ---- one tile ---- */

/* OUT = the best of COUNT lines. NEXT: see cpu_tile_next. */
static void take_best(const struct extremes_pass *pass, const void *const *at, int count, void *out,
                      int n, const void *next, bool streams)
{
    const int type = pass->plan->type == SAMPLE_U16;
    (pass->plan->order == 0 ? pass->ops->least : pass->ops->greatest)[type](at, count, out, n, next,
                                                                            streams);
}

/* Collects the lines of which the best are the running extremes of LENGTH of LINE, which has N
 * samples: at most PARTS. NEXT: see cpu_tile_next; fetched if lines of a step are made. */
static int extend(const struct extremes_pass *pass, const struct extremes_worker *w,
                  const char *line, int length, int n, const void *next, const void **at)
{
    const int channels = pass->plan->channels, type = (int)pass->plan->type;
    cpu_doubled_row *doubled = pass->ops->doubled[pass->plan->order > 0][type == 2];
    int part = 1, count = 0;

    for (int step = 0; length > PARTS * part; step++, next = NULL) {
        int longer = STEP * part, doublings = 0;
        while (doubled && 2 * longer <= length && doublings < CPU_DOUBLINGS &&
               longer * channels * type <= pass->ops->vector_bytes) {
            doublings++;
            longer *= 2;
        }
        if (doublings > 0) {
            doubled(line, part * channels, doublings, w->step[step], n, next);
        } else {
            for (int i = 0; i < STEP; i++)
                at[i] = line + (size_t)(i * part * channels * type);
            take_best(pass, at, STEP, w->step[step], n - (longer - 1) * channels, next, false);
        }
        line = w->step[step];
        part = longer;
    }
    for (int x = 0; x < length; x += part)
        at[count++] = line + (size_t)((x < length - part ? x : length - part) * channels * type);
    return count;
}

/* Makes N samples of output: whole blocks at their place, the last samples by way of w->out. */
static void make_output(const struct extremes_pass *pass, const struct extremes_worker *w,
                        int count, void *out, int n, const void *next)
{
    const int whole = n / CPU_BLOCK * CPU_BLOCK;
    const size_t done = (size_t)whole * (size_t)pass->plan->type;

    take_best(pass, w->at, count, out, whole, next, pass->tiles.streams);
    if (whole == n)
        return;
    for (int i = 0; i < count; i++)
        w->at[i] = (const char *)w->at[i] + done;
    take_best(pass, w->at, count, w->out, n - whole, NULL, false);
    memcpy((char *)out + done, w->out, (size_t)(n - whole) * (size_t)pass->plan->type);
}

/* ---- rectangles ----
 *
 * The best of the rows comes first, so that no row is copied, and its ghost cells are made from it:
 * for this a tile is a whole row. */

/* A line of N samples is made in parts: whole blocks, then the rest, from copies: loops read whole
 * blocks, and a row may end earlier. Here the samples of the part that begins with sample FROM. */
static int part_at(int from, int n)
{
    return n - from < CPU_BLOCK ? n - from : (n - from) / CPU_BLOCK * CPU_BLOCK;
}

/* N samples of row V of the picture from sample FROM on. I: among the rows that are read at once.
 */
static const void *part_of_row(const struct extremes_pass *pass, const struct extremes_worker *w,
                               const struct cpu_tile *tile, int v, int i, int from, int n)
{
    const size_t type = (size_t)pass->plan->type;
    const char *row = cpu_tile_row(pass->job, tile, v, w->ghosts);
    const char *part = row + (size_t)from * type;

    return n % CPU_BLOCK == 0
               ? part
               : memcpy(w->tails + (size_t)(i * CPU_BLOCK) * type, part, (size_t)n * type);
}

/* Makes a line from COUNT rows, the first of which is row V. */
static void take_best_of_rows(const struct extremes_pass *pass, const struct extremes_worker *w,
                              const struct cpu_tile *tile, int v, int count, char *out)
{
    const int all = tile->pixels * pass->plan->channels;

    for (int from = 0, n; from < all; from += n) {
        n = part_at(from, all);
        for (int i = 0; i < count; i++)
            w->at[i] = part_of_row(pass, w, tile, v + i, i, from, n);
        take_best(pass, w->at, count, out + (size_t)from * (size_t)pass->plan->type, n, NULL,
                  false);
    }
}

/* The best of rows for row I of those that are made at a time. Ghost cells lie before it. */
static char *best_of_rows(const struct extremes_pass *pass, const struct extremes_worker *w, int i)
{
    const struct plan *plan = pass->plan;
    const size_t left = (size_t)(plan->mask[0].anchor_x * plan->channels) * (size_t)plan->type;
    return w->best + (size_t)i * pass->stride + (left + CPU_BLOCK - 1) / CPU_BLOCK * CPU_BLOCK;
}

/* Makes row Y of the output from the best of its rows. NEXT: see cpu_tile_next. */
static void make_row(const struct extremes_pass *pass, const struct extremes_worker *w,
                     const struct cpu_tile *tile, int y, char *best, const void *next)
{
    const struct kernel_job *job = pass->job;
    const int width = pass->plan->mask[0].width, left = pass->plan->mask[0].anchor_x;
    const int channels = pass->plan->channels;
    const size_t pixel = (size_t)channels * (size_t)pass->plan->type;
    char *line = best - (size_t)left * pixel;
    void *out = cpu_tile_out(job, tile, y);

    cpu_tiles_copy(job, best, -left, 0, line);
    cpu_tiles_copy(job, best, tile->pixels, tile->pixels + width - 1 - left,
                   best + (size_t)tile->pixels * pixel);
    make_output(pass, w,
                extend(pass, w, line, width, (tile->pixels + width - 1) * channels, next, w->at),
                out, tile->pixels * channels, width > PARTS ? NULL : next);
    cpu_finish_unfiltered(job, y, 0, tile->pixels, out);
}

static char *block_of(const struct extremes_pass *pass, const struct extremes_worker *w, int b)
{
    return w->blocks + (size_t)(b % pass->blocks) * pass->stride;
}

/* Makes the best of rows for as many rows of output as are made at a time, N samples of each from
 * sample FROM on. The first window begins with row V; BLOCK: the oldest of the blocks. */
static void take_tall(const struct extremes_pass *pass, const struct extremes_worker *w,
                      const struct cpu_tile *tile, int v, int block, int from, int n)
{
    const int between = pass->plan->mask[0].height - 1 - pass->rows, rest = between % TALL;
    const int type = pass->plan->type == SAMPLE_U16;
    const size_t begin = (size_t)from << type;
    struct cpu_tall tall = {.rows = pass->rows, .count = rest + pass->blocks, .between = w->at};

    for (int i = 0; i < pass->rows; i++) {
        const int last = v + pass->rows + between + i;
        tall.first[i] = part_of_row(pass, w, tile, v + i, i, from, n);
        tall.last[i] = part_of_row(pass, w, tile, last, TALL + i, from, n);
        tall.out[i] = best_of_rows(pass, w, i) + begin;
    }
    for (int i = 0; i < rest; i++)
        w->at[i] = part_of_row(pass, w, tile, v + pass->rows + i, 2 * TALL + i, from, n);
    for (int b = 0; b < pass->blocks; b++)
        w->at[rest + b] = block_of(pass, w, b) + begin;
    tall.block = (pass->blocks > 0 ? block_of(pass, w, block) : w->blocks) + begin;
    pass->ops->tall[pass->plan->order > 0][type](&tall, n);
}

static void run_tile_rectangle(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct extremes_pass *pass = context;
    const int before = pass->plan->mask[0].height - 1; /* rows of the first window but the last */
    const int all = tile->pixels * pass->plan->channels;
    struct extremes_worker *w = worker;

    for (int b = 0; b < pass->blocks; b++)
        take_best_of_rows(pass, w, tile, tile->top + before - (pass->blocks - b) * TALL, TALL,
                          block_of(pass, w, b));
    for (int y = tile->first; y < tile->end; y += pass->rows) {
        const int v = tile->top + y - tile->first;
        if (pass->rows == 1)
            take_best_of_rows(pass, w, tile, v, before + 1, best_of_rows(pass, w, 0));
        for (int from = 0, n; pass->rows > 1 && from < all; from += n) {
            n = part_at(from, all);
            take_tall(pass, w, tile, v, (y - tile->first) / pass->rows, from, n);
        }
        for (int i = 0; i < pass->rows && y + i < tile->end; i++)
            make_row(pass, w, tile, y + i, best_of_rows(pass, w, i),
                     cpu_tile_next(pass->job, tile, v + before + pass->rows - 1 + i));
    }
}

/* ---- other windows ---- */

static char *line_of(const struct extremes_pass *pass, const struct extremes_worker *w, int k)
{
    return w->lines + (size_t)(k % pass->plan->mask[0].height) * pass->stride;
}

/* Makes the row of output whose window begins with row K of the tile. The line becomes longer in
 * its place, as its loops go from the left to the right. */
static void make_row_of_runs(const struct extremes_pass *pass, const struct extremes_worker *w,
                             const struct cpu_tile *tile, int k, void *out)
{
    const struct cpu_run *run = pass->window.run, *end = run + pass->window.runs;
    const int channels = pass->plan->channels;
    const size_t pixel = (size_t)channels * (size_t)pass->plan->type;
    const void *next =
        cpu_tile_next(pass->job, tile, tile->top + k + pass->plan->mask[0].height - 1);
    int count = 0;

    while (run < end) {
        const int length = run->length;
        for (; run < end && run->length == length; run++)
            w->at[count++] = line_of(pass, w, k + run->row) + (size_t)run->left * pixel;
        if (run == end && length == 1)
            break; /* these lines make the output */
        const int n = (tile->pixels + length - 1) * channels;
        take_best(pass, w->at, count, w->best, n, next, false);
        count =
            extend(pass, w, w->best, run < end ? length - run->length + 1 : length, n, NULL, w->at);
        next = NULL;
    }
    make_output(pass, w, count, out, tile->pixels * channels, next);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct extremes_pass *pass = context;
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &pass->plan->mask[0];
    const int from = tile->first_pixel - m->anchor_x, before = m->height - 1;
    struct extremes_worker *w = worker;

    for (int k = 0; k < tile->end - tile->first + before; k++) {
        const int y = tile->first + k - before;
        cpu_tiles_copy(job, cpu_tile_row(job, tile, tile->top + k, NULL), from,
                       from + tile->pixels + m->width - 1, line_of(pass, w, k));
        if (k < before)
            continue;
        void *out = cpu_tile_out(job, tile, y);
        make_row_of_runs(pass, w, tile, k - before, out);
        cpu_finish_unfiltered(job, y, tile->first_pixel, tile->pixels, out);
    }
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct extremes_pass *pass = context;
    const int width = pass->plan->mask[0].width, height = pass->plan->mask[0].height;
    struct extremes_worker *w = worker;

    for (int step = 0, length = 1; width > PARTS * length; step++, length *= STEP)
        w->step[step] = cpu_memory_take(memory, pass->stride);
    w->best = cpu_memory_take(memory, (size_t)pass->rows * pass->stride);
    w->out = cpu_memory_take(memory, CPU_BLOCK * sizeof(uint16_t));
    w->at = cpu_memory_take(memory, (size_t)(pass->window.runs + PARTS) * sizeof *w->at);
    if (!pass->window.is_rectangle) {
        w->lines = cpu_memory_take(memory, (size_t)height * pass->stride);
        return;
    }
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
    w->tails = cpu_memory_take(memory, TAILS * CPU_BLOCK * sizeof(uint16_t));
    w->blocks = cpu_memory_take(memory, (size_t)(pass->blocks + 1) * pass->stride);
}

static int compare_runs(const void *a, const void *b)
{
    return ((const struct cpu_run *)b)->length - ((const struct cpu_run *)a)->length;
}

static void extremes_free(void *state)
{
    struct extremes_pass *pass = state;
    cpu_window_free(&pass->window);
}

static bool extremes_make(void *state)
{
    struct extremes_pass *pass = state;
    const struct plan_mask *m = &pass->plan->mask[0];

    if (!cpu_window_make(&pass->window, m))
        return false;
    qsort(pass->window.run, (size_t)pass->window.runs, sizeof *pass->window.run, compare_runs);
    pass->rows = 1;
    if (pass->window.is_rectangle) {
        pass->rows = m->height <= 4 ? 1 : m->height <= TALL ? 4 : TALL;
        pass->blocks = m->height > TALL ? (m->height - 1 - TALL) / TALL : 0;
    }
    return true;
}

static bool extremes_run(const void *state, const struct kernel_job *job, struct error *err)
{
    struct extremes_pass pass = *(const struct extremes_pass *)state;
    const bool is_rectangle = pass.window.is_rectangle;
    const struct cpu_tile_hooks hooks = {sizeof(struct extremes_worker), worker_make,
                                         is_rectangle ? run_tile_rectangle : run_tile};
    const size_t bytes = (size_t)pass.plan->type;
    const int width = pass.plan->mask[0].width;
    int pixels =
        is_rectangle
            ? job->out->width
            : RING_BYTES / (pass.plan->mask[0].height * pass.plan->channels * (int)bytes) - width;

    pass.job = job;
    if (pixels < width)
        pixels = width;
    pass.tiles = cpu_tiles_cut(job, (pixels + CPU_TILE_MIN - 1) / CPU_TILE_MIN * CPU_TILE_MIN);
    pass.stride = cpu_tiles_stride(&pass.tiles, width, 2 * CPU_BLOCK) * bytes;
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

/* ---- the row of the table ---- */

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    (void)ops;
    return plan->order == 0 || plan->order == plan->mask[0].sum - 1
               ? NULL
               : "it finds the least and the greatest cell only";
}

/* Bytes of lines that are read in a nanosecond (AVX2). */
#define RATE_LINES 70.0

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];
    double lines = 4; /* copies, and what waits for memory */

    if (refusal(plan, ops))
        return HUGE_VAL;
    if (cpu_window_is_rectangle(m)) {
        lines += m->height > TALL ? 2 : 1;
        for (int length = 1; m->width > PARTS * length; length *= STEP)
            lines += 3;
    } else {
        lines += 1.5 * cpu_window_runs(m);
    }
    return cpu_samples(plan, width, height) * (int)plan->type * lines / RATE_LINES;
}

const struct cpu_method cpu_method_extremes = {
    .name = "extremes",
    .idea = "the least or the greatest cell of a window, by running extremes",
    .kinds = KERNEL_KIND(PLAN_ORDER),
    .refusal = refusal,
    .cost = cost,
    .state_bytes = sizeof(struct extremes_pass),
    .make = extremes_make,
    .run = extremes_run,
    .free = extremes_free,
};
