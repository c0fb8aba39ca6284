/* The method `extremes`: the least or the greatest cell of a window (erode, dilate), 8 and 16 bits.
 *
 * Each row of the picture is taken once. From it come lines of running extremes, one for each
 * length that the window's runs have, by steps of four:
 *
 *   E4[x] = best of E1[x], E1[x + 1], E1[x + 2], E1[x + 3]       E1: the row itself
 *   E16[x] = best of E4[x], E4[x + 4], E4[x + 8], E4[x + 12]     and so on
 *   E10[x] = best of E4[x], E4[x + 4], E4[x + 6]                 parts may overlap
 *
 * Then a row of output is the best of one element for each run.
 *
 * A rectangle takes the best of its rows first, and then these steps once. With long registers a
 * step is longer: E4 is doubled before it is stored. Up to eight rows are made at a time, since
 * their windows have most rows in common. Here three rows, and windows 9 rows high:
 *
 *   row         0  1  2  3  4  5  6  7  8  9  10
 *   window 0    f  f  f  b  b  b  b  b  l  .  .     f: the best grows from below
 *   window 1    .  f  f  b  b  b  b  b  l  l  .     b: between, taken once
 *   window 2    .  .  f  b  b  b  b  b  l  l  l     l: the best grows from above
 *
 * The best of all rows of each l is kept as a block, for the rows between of later windows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/window.h"

#define STEP  4
#define STEPS 4 /* at most: 1, 4, 16, 64 */
#define PARTS 6 /* of lines of a step, at most, that make a line of any length */
#define TALL  CPU_TALL_ROWS
#define TAILS (3 * TALL - 1) /* rows of the picture that are read at once, at most */

#define RING_BYTES (320 * 1024) /* lines of a tile, for the L2 cache */

/* Lines of the rows of the picture, or of running extremes of them. Line k is in the place
 * k % depth. */
struct ring {
    int first; /* the first of the worker's lines */
    int depth;
};

struct extremes_pass {
    CPU_STATE;
    struct cpu_window window;
    struct ring of_length[MASK_MAX_SIDE + 1]; /* by the length of a run; depth 0: no such run */
    int lines;                                /* of all rings */
    int length[STEPS], doublings[STEPS];      /* of a step's running extremes */
    int rows, blocks;                         /* of a rectangle */
    struct cpu_tiles tiles;
    size_t stride; /* bytes from one line to the next */
};

struct extremes_worker {
    char *lines;
    char *step[STEPS];  /* E1, E4, ... of the newest row */
    char *out;          /* the last samples of a row of output */
    const void **at;    /* the lines that make it: as many as there are runs, or PARTS */
    const void *ghosts; /* of a rectangle: a row */
    char *tails;        /* of a rectangle: the last samples of rows */
    char *best;         /* of a rectangle: a line for each row that is made at a time */
    char *blocks;       /* of a rectangle; one line if it has no blocks */
};

/* The step of which a few lines make a length of N. */
static int step_of(const struct extremes_pass *pass, int n)
{
    int step = 0;
    while (n > PARTS * pass->length[step])
        step++;
    return step;
}

/* ---- one tile ---- */

/* OUT = the best of COUNT lines. NEXT: see cpu_tile_next. */
static void take_best(const struct extremes_pass *pass, const void *const *at, int count, void *out,
                      int n, const void *next, bool streams)
{
    const int type = pass->plan->type == SAMPLE_U16;
    (pass->plan->order == 0 ? pass->ops->least : pass->ops->greatest)[type](at, count, out, n, next,
                                                                            streams);
}

static char *line_of(const struct extremes_pass *pass, const struct extremes_worker *w,
                     struct ring ring, int k)
{
    return w->lines + (size_t)(ring.first + k % ring.depth) * pass->stride;
}

/* Collects the lines of a step that make the running extremes of LENGTH. */
static int collect_parts(const struct extremes_pass *pass, const struct extremes_worker *w,
                         int step, int length, const void **at)
{
    const int part = pass->length[step];
    const size_t pixel = (size_t)pass->plan->channels * (size_t)pass->plan->type;
    int count = 0;

    for (int x = 0; x < length; x += part)
        at[count++] = w->step[step] + (size_t)(x < length - part ? x : length - part) * pixel;
    return count;
}

/* Makes the running extremes of LENGTH in OUT from those of a step. */
static void extend(const struct extremes_pass *pass, const struct extremes_worker *w, int step,
                   int length, char *out, int n, const void *next)
{
    const void *at[PARTS];
    take_best(pass, at, collect_parts(pass, w, step, length, at), out, n, next, false);
}

/* Makes E4, E16, ... from E1, as the longest run needs them. */
static void extend_steps(const struct extremes_pass *pass, const struct extremes_worker *w,
                         const struct cpu_tile *tile, const void *next)
{
    const int width = pass->plan->mask[0].width, channels = pass->plan->channels;
    cpu_doubled_row *doubled =
        pass->ops->doubled[pass->plan->order > 0][pass->plan->type == SAMPLE_U16];

    for (int step = 1; step <= step_of(pass, width); step++, next = NULL) {
        const int length = pass->length[step], doublings = pass->doublings[step];
        if (doublings > 0)
            doubled(w->step[step - 1], pass->length[step - 1] * channels, doublings, w->step[step],
                    (tile->pixels + width - 1) * channels, next);
        else
            extend(pass, w, step - 1, length, w->step[step],
                   (tile->pixels + width - length) * channels, next);
    }
}

/* Makes the lines of the tile's input row k. */
static void take_row(const struct extremes_pass *pass, struct extremes_worker *w,
                     const struct cpu_tile *tile, int k)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &pass->plan->mask[0];
    const int from = tile->first_pixel - m->anchor_x, channels = pass->plan->channels;
    const int all = (tile->pixels + m->width - 1) * channels; /* samples of a whole line */

    const void *next = cpu_tile_next(job, tile, tile->top + k);

    cpu_tiles_copy(job, cpu_tile_row(job, tile, tile->top + k, NULL), from,
                   from + tile->pixels + m->width - 1, w->step[0]);
    extend_steps(pass, w, tile, next);
    next = step_of(pass, m->width) > 0 ? NULL : next;
    for (int length = 1; length <= m->width; length++)
        if (pass->of_length[length].depth > 0)
            extend(pass, w, step_of(pass, length), length,
                   line_of(pass, w, pass->of_length[length], k), all - (length - 1) * channels,
                   next);
}

/* Collects the lines for row Y of the output, counted in the tile, of any window. */
static int collect_runs(const struct extremes_pass *pass, const struct extremes_worker *w, int y)
{
    const size_t pixel = (size_t)pass->plan->channels * (size_t)pass->plan->type;

    for (int i = 0; i < pass->window.runs; i++) {
        const struct cpu_run *run = &pass->window.run[i];
        w->at[i] = line_of(pass, w, pass->of_length[run->length], y + run->row) +
                   (size_t)run->left * pixel;
    }
    return pass->window.runs;
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
static void make_row(const struct extremes_pass *pass, struct extremes_worker *w,
                     const struct cpu_tile *tile, int y, char *best, const void *next)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &pass->plan->mask[0];
    const size_t pixel = (size_t)pass->plan->channels * (size_t)pass->plan->type;
    const int last = step_of(pass, m->width);
    void *out = cpu_tile_out(job, tile, y);

    w->step[0] = best - (size_t)m->anchor_x * pixel;
    cpu_tiles_copy(job, best, -m->anchor_x, 0, w->step[0]);
    cpu_tiles_copy(job, best, tile->pixels, tile->pixels + m->width - 1 - m->anchor_x,
                   best + (size_t)tile->pixels * pixel);
    extend_steps(pass, w, tile, next);
    make_output(pass, w, collect_parts(pass, w, last, m->width, w->at), out,
                tile->pixels * pass->plan->channels, last > 0 ? NULL : next);
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

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct extremes_pass *pass = context;
    const struct kernel_job *job = pass->job;
    const int height = pass->plan->mask[0].height, n = tile->pixels * pass->plan->channels;
    struct extremes_worker *w = worker;

    for (int k = 0; k < tile->end - tile->first + height - 1; k++) {
        const int y = k + 1 - height;
        take_row(pass, w, tile, k);
        if (y < 0)
            continue;
        void *out = cpu_tile_out(job, tile, tile->first + y);
        make_output(pass, w, collect_runs(pass, w, y), out, n, NULL);
        cpu_finish_unfiltered(job, tile->first + y, tile->first_pixel, tile->pixels, out);
    }
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct extremes_pass *pass = context;
    struct extremes_worker *w = worker;

    w->lines = cpu_memory_take(memory, (size_t)pass->lines * pass->stride);
    for (int step = 0; step <= step_of(pass, pass->plan->mask[0].width); step++)
        w->step[step] = cpu_memory_take(memory, pass->stride);
    w->out = cpu_memory_take(memory, CPU_BLOCK * sizeof(uint16_t));
    w->at = cpu_memory_take(memory, (size_t)(pass->window.runs + PARTS) * sizeof *w->at);
    if (!pass->window.is_rectangle)
        return;
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
    w->tails = cpu_memory_take(memory, TAILS * CPU_BLOCK * sizeof(uint16_t));
    w->best = cpu_memory_take(memory, (size_t)pass->rows * pass->stride);
    w->blocks = cpu_memory_take(memory, (size_t)(pass->blocks + 1) * pass->stride);
}

/* A step is four times as long as the one before. A rectangle's is doubled while it is no longer
 * than the window, and cpu_doubled_row can do it. */
static void plan_steps(struct extremes_pass *pass)
{
    const int width = pass->plan->mask[0].width;
    const int pixel = pass->plan->channels * (int)pass->plan->type;

    pass->length[0] = 1;
    for (int step = 0; width > PARTS * pass->length[step]; step++) {
        int length = STEP * pass->length[step], doublings = 0;
        while (pass->window.is_rectangle && pass->ops->doubled[0][0] && 2 * length <= width &&
               doublings < CPU_DOUBLINGS && length * pixel <= pass->ops->vector_bytes) {
            doublings++;
            length *= 2;
        }
        pass->doublings[step + 1] = doublings;
        pass->length[step + 1] = length;
    }
}

static struct ring add_ring(struct extremes_pass *pass, int depth)
{
    struct ring ring = {pass->lines, depth};
    pass->lines += depth;
    return ring;
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
    plan_steps(pass);
    if (pass->window.is_rectangle) {
        pass->rows = m->height <= 4 ? 1 : m->height <= TALL ? 4 : TALL;
        pass->blocks = m->height > TALL ? (m->height - 1 - TALL) / TALL : 0;
        return true;
    }
    for (int i = 0; i < pass->window.runs; i++) {
        const struct cpu_run *run = &pass->window.run[i];
        if (pass->of_length[run->length].depth == 0)
            pass->of_length[run->length] = add_ring(pass, m->height - run->row);
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
    int pixels = is_rectangle
                     ? job->out->width
                     : RING_BYTES / (pass.lines * pass.plan->channels * (int)bytes) - width;

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
    double lines = 4 + STEP; /* copies, and a row's running extremes */

    if (refusal(plan, ops))
        return HUGE_VAL;
    for (int length = 1; m->width > PARTS * length; length *= STEP)
        lines += STEP;
    lines += cpu_window_is_rectangle(m) ? STEP : cpu_window_runs(m) + STEP * m->height / 2;
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
