/* The method `extremes`: the least or the greatest cell of a window (erode, dilate), 8 and 16 bits.
 *
 * Each row of the picture is taken once. From it come lines of running extremes, one for each
 * length that the window's runs have, by steps of four:
 *
 *   E4[x] = best of E1[x], E1[x + 1], E1[x + 2], E1[x + 3]       E1: the row itself
 *   E16[x] = best of E4[x], E4[x + 4], E4[x + 8], E4[x + 12]     and so on
 *   E10[x] = best of E4[x], E4[x + 4], E4[x + 6]                 parts may overlap
 *
 * Then a row of output is the best of one element for each run. A low rectangle takes the best of
 * its rows first, and then these steps once. The lines of a higher one are cut into blocks of as
 * many lines as it is high, after M. van Herk (1992). Each window is an end of one block and a
 * beginning of the next one:
 *
 *   line    0 1 2 3 4 | 5 6 7 8 9      height 5
 *   window      2 3 4 + 5 6            the best of lines 2 .. 4, and of lines 5 .. 6
 *
 * When a block is complete its lines become the best of all lines from there to the block's end.
 * Beginnings grow line by line. So a column takes 3 operations however high the window is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/window.h"

#define STEP   4
#define POWERS 4 /* of STEP: 1, 4, 16, 64 */
#define PARTS  6 /* of lines of a power, at most, that make a line of any length */
#define LOW    6 /* lines of a rectangle that are compared directly, at most */

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
    bool by_blocks;                           /* a rectangle that is not low */
    struct cpu_tiles tiles;
    size_t stride; /* bytes from one line to the next */
};

struct extremes_worker {
    char *lines;
    char *power[POWERS]; /* E1, E4, ... of the newest row */
    char *beginning;     /* of a rectangle: the best of its block's first lines */
    char *out;           /* the last samples of a row of output */
    const void **at;     /* the lines that make it: as many as there are runs, or PARTS */
    const void *ghosts;  /* of a low rectangle: a row */
    char *tails;         /* of a low rectangle: the last samples of rows */
};

/* The power of 4 of which a few lines make a length of N. */
static int power_of(int n)
{
    int power = 0;
    while (n > PARTS << 2 * power)
        power++;
    return power;
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

static void take_best_of_two(const struct extremes_pass *pass, const void *a, const void *b,
                             void *out, int n)
{
    const void *const at[] = {a, b};
    take_best(pass, at, 2, out, n, NULL, false);
}

static char *line_of(const struct extremes_pass *pass, const struct extremes_worker *w,
                     struct ring ring, int k)
{
    return w->lines + (size_t)(ring.first + k % ring.depth) * pass->stride;
}

/* Collects the lines of a power of 4 that make the running extremes of LENGTH. */
static int collect_parts(const struct extremes_pass *pass, const struct extremes_worker *w,
                         int power, int length, const void **at)
{
    const int part = 1 << 2 * power;
    const size_t pixel = (size_t)pass->plan->channels * (size_t)pass->plan->type;
    int count = 0;

    for (int x = 0; x < length; x += part)
        at[count++] = w->power[power] + (size_t)(x < length - part ? x : length - part) * pixel;
    return count;
}

/* Makes the running extremes of LENGTH in OUT from those of a power of 4. */
static void extend(const struct extremes_pass *pass, const struct extremes_worker *w, int power,
                   int length, char *out, int n, const void *next)
{
    const void *at[PARTS];
    take_best(pass, at, collect_parts(pass, w, power, length, at), out, n, next, false);
}

/* Makes E4, E16, ... from E1, as the longest run needs them. */
static void extend_powers(const struct extremes_pass *pass, const struct extremes_worker *w,
                          const struct cpu_tile *tile, const void *next)
{
    const int width = pass->plan->mask[0].width, channels = pass->plan->channels;

    for (int power = 1; power <= power_of(width); power++)
        extend(pass, w, power - 1, 1 << 2 * power, w->power[power],
               (tile->pixels + width - (1 << 2 * power)) * channels, power == 1 ? next : NULL);
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
                   from + tile->pixels + m->width - 1, w->power[0]);
    extend_powers(pass, w, tile, next);
    next = power_of(m->width) > 0 ? NULL : next;
    for (int length = 1; length <= m->width; length++)
        if (pass->of_length[length].depth > 0)
            extend(pass, w, power_of(length), length, line_of(pass, w, pass->of_length[length], k),
                   all - (length - 1) * channels, next);
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

/* Takes line k of a high rectangle into its block, and collects the lines that make the window that
 * ends with line k. */
static int collect_blocks(const struct extremes_pass *pass, struct extremes_worker *w, int k, int n)
{
    const struct ring ring = pass->of_length[pass->plan->mask[0].width];
    const int height = ring.depth, last = k % height; /* in its block */
    const char *beginning = last < 2 ? line_of(pass, w, ring, 0) : w->beginning;

    if (last > 0 && last < height - 1) {
        take_best_of_two(pass, beginning, line_of(pass, w, ring, last), w->beginning, n);
        beginning = w->beginning;
    } else if (last == height - 1) { /* line 0 remains, for the best of lines 0 and 1 .. last */
        for (int i = height - 2; i > 0; i--)
            take_best_of_two(pass, line_of(pass, w, ring, i), line_of(pass, w, ring, i + 1),
                             line_of(pass, w, ring, i), n);
        beginning = line_of(pass, w, ring, 0);
    }
    w->at[0] = beginning;
    w->at[1] = line_of(pass, w, ring, last == height - 1 ? 1 : last + 1); /* an end of a block */
    return 2;
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

/* ---- low rectangles ---- */

/* Makes N samples of a line from COUNT rows of the picture: the last samples from copies, as loops
 * read whole blocks, and a row may end earlier. */
static void take_best_of_rows(const struct extremes_pass *pass, struct extremes_worker *w,
                              int count, char *out, int n)
{
    const size_t type = (size_t)pass->plan->type;
    const int whole = n / CPU_BLOCK * CPU_BLOCK;
    const size_t done = (size_t)whole * type;

    take_best(pass, w->at, count, out, whole, NULL, false);
    for (int i = 0; i < count; i++) {
        char *tail = w->tails + (size_t)i * CPU_BLOCK * type;
        memcpy(tail, (const char *)w->at[i] + done, (size_t)(n - whole) * type);
        w->at[i] = tail;
    }
    if (n > whole)
        take_best(pass, w->at, count, out + done, n - whole, NULL, false);
}

/* The best of the rows comes first, so that no row is copied, and its ghost cells are made from it:
 * for this a tile is a whole row. */
static void run_tile_low(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct extremes_pass *pass = context;
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &pass->plan->mask[0];
    const int left = m->anchor_x, n = tile->pixels * pass->plan->channels;
    const size_t pixel = (size_t)pass->plan->channels * (size_t)pass->plan->type;
    struct extremes_worker *w = worker;
    char *line = w->power[0] + (size_t)left * pixel;

    for (int y = tile->first; y < tile->end; y++) {
        void *out = cpu_tile_out(job, tile, y);
        int top = tile->top + y - tile->first;
        for (int i = 0; i < m->height; i++)
            w->at[i] = cpu_tile_row(job, tile, top + i, w->ghosts);
        take_best_of_rows(pass, w, m->height, line, n);
        cpu_tiles_copy(job, line, -left, 0, w->power[0]);
        cpu_tiles_copy(job, line, tile->pixels, tile->pixels + m->width - 1 - left,
                       line + (size_t)tile->pixels * pixel);
        extend_powers(pass, w, tile, NULL);
        make_output(pass, w, collect_parts(pass, w, power_of(m->width), m->width, w->at), out, n,
                    cpu_tile_next(job, tile, top + m->height - 1));
        cpu_finish_unfiltered(job, y, 0, tile->pixels, out);
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
        int count = 0;
        take_row(pass, w, tile, k);
        if (pass->by_blocks)
            count = collect_blocks(pass, w, k, n);
        if (y < 0)
            continue;
        if (!pass->by_blocks)
            count = collect_runs(pass, w, y);
        void *out = cpu_tile_out(job, tile, tile->first + y);
        make_output(pass, w, count, out, n, NULL);
        cpu_finish_unfiltered(job, tile->first + y, tile->first_pixel, tile->pixels, out);
    }
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct extremes_pass *pass = context;
    struct extremes_worker *w = worker;

    w->lines = cpu_memory_take(memory, (size_t)pass->lines * pass->stride);
    for (int power = 0; power <= power_of(pass->plan->mask[0].width); power++)
        w->power[power] = cpu_memory_take(memory, pass->stride);
    w->out = cpu_memory_take(memory, CPU_BLOCK * sizeof(uint16_t));
    w->beginning = cpu_memory_take(memory, pass->stride);
    w->at = cpu_memory_take(memory, (size_t)(pass->window.runs + PARTS) * sizeof *w->at);
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
    w->tails = cpu_memory_take(memory, (size_t)LOW * CPU_BLOCK * sizeof(uint16_t));
}

static bool is_low(const struct extremes_pass *pass)
{
    return pass->window.is_rectangle && !pass->by_blocks;
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
    pass->by_blocks = pass->window.is_rectangle && m->height > LOW;
    for (int i = 0; i < pass->window.runs; i++) {
        const struct cpu_run *run = &pass->window.run[i];
        if (pass->of_length[run->length].depth == 0)
            pass->of_length[run->length] = add_ring(pass, m->height - run->row);
    }
    return true;
}

static bool extremes_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct extremes_worker), worker_make,
                                                run_tile},
                                       low = {sizeof(struct extremes_worker), worker_make,
                                              run_tile_low};
    struct extremes_pass pass = *(const struct extremes_pass *)state;
    const size_t bytes = (size_t)pass.plan->type;
    const int width = pass.plan->mask[0].width;
    int pixels = RING_BYTES / (pass.lines * pass.plan->channels * (int)bytes) - width;

    pass.job = job;
    if (pixels < width)
        pixels = width;
    if (is_low(&pass))
        pixels = job->out->width;
    pass.tiles = cpu_tiles_cut(job, (pixels + CPU_TILE_MIN - 1) / CPU_TILE_MIN * CPU_TILE_MIN);
    pass.stride = cpu_tiles_stride(&pass.tiles, width, CPU_BLOCK) * bytes;
    return cpu_tiles_run(&pass.tiles, is_low(&pass) ? &low : &hooks, &pass, err);
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
    double lines = 4 + STEP * (power_of(m->width) + 1); /* copies, and a row's running extremes */

    if (refusal(plan, ops))
        return HUGE_VAL;
    lines += cpu_window_is_rectangle(m) ? STEP * (power_of(m->height) + 1)
                                        : cpu_window_runs(m) + STEP * m->height / 2;
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
