/* The method `histogram`, the most general one for order filters: any window, any place among its
 * sorted cells, 8 and 16 bits.
 *
 * A histogram of the window's cells moves along a row: at each pixel every run of the window gets a
 * cell at its right end and loses one at its left end. The histogram keeps a level, the last
 * output, and how many cells are below it. From there it is mostly a few steps to the next output.
 * Counts of whole groups of levels (16 at 8 bits, 256 at 16) let it skip levels that no cell has.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/lines.h"
#include "cpu/method.h"
#include "cpu/window.h"

struct histogram_pass {
    CPU_STATE;
    struct cpu_window window;
    int shift; /* log2 of the levels of a group */
    struct cpu_lines lines;
};

struct histogram_worker {
    uint16_t *count, *group; /* a window has at most 255 * 255 cells */
};

/* A histogram and its level. */
struct histogram {
    uint16_t *count, *group;
    int shift, level, below;
};

static inline void add(struct histogram *h, int value)
{
    h->count[value]++;
    h->group[value >> h->shift]++;
    h->below += value < h->level;
}

static inline void take(struct histogram *h, int value)
{
    h->count[value]--;
    h->group[value >> h->shift]--;
    h->below -= value < h->level;
}

/* Moves the level to the cell at PLACE among the sorted cells, and returns it. */
static inline int find(struct histogram *h, int place)
{
    const int levels = 1 << h->shift;
    int group;

    while (h->below > place) {
        group = (h->level >> h->shift) - 1;
        if (h->level % levels == 0 && h->below - h->group[group] > place) {
            h->level -= levels;
            h->below -= h->group[group];
        } else {
            h->below -= h->count[--h->level];
        }
    }
    while (h->below + h->count[h->level] <= place) {
        group = h->level >> h->shift;
        if (h->level % levels == 0 && h->below + h->group[group] <= place) {
            h->level += levels;
            h->below += h->group[group];
        } else {
            h->below += h->count[h->level++];
        }
    }
    return h->level;
}

/* ---- lines: samples as 16 bits ---- */

static void put(const void *context, const void *const *row, size_t first, void *line, size_t at,
                int n)
{
    const struct histogram_pass *pass = context;
    uint16_t *out = (uint16_t *)line + at;

    if (pass->plan->type == SAMPLE_U16)
        memcpy(out, (const uint16_t *)row[0] + first, (size_t)n * sizeof *out);
    else
        for (int i = 0; i < n; i++)
            out[i] = ((const uint8_t *)row[0] + first)[i];
}

/* Adds the window's cells at sample X of the lines, or takes them. */
static void change_all(const struct cpu_window *window, struct histogram *h,
                       const uint16_t *const *lines, int x, int channels, bool takes)
{
    for (int i = 0; i < window->runs; i++) {
        const struct cpu_run *run = &window->run[i];
        const uint16_t *at = lines[run->row] + x + run->left * channels;
        for (int j = 0; j < run->length; j++)
            if (takes)
                take(h, at[j * channels]);
            else
                add(h, at[j * channels]);
    }
}

/* Moves the window from sample X to the next pixel. */
static void move(const struct cpu_window *window, struct histogram *h, const uint16_t *const *lines,
                 int x, int channels)
{
    for (int i = 0; i < window->runs; i++) {
        const struct cpu_run *run = &window->run[i];
        const uint16_t *at = lines[run->row] + x + run->left * channels;
        take(h, at[0]);
        add(h, at[run->length * channels]);
    }
}

/* The histogram is empty before and after the row. */
static void filter(const void *context, void *worker, const struct cpu_tile *tile,
                   const void *const *lines, int y, int rows)
{
    const struct histogram_pass *pass = context;
    const struct histogram_worker *w = worker;
    const struct plan *plan = pass->plan;
    const uint16_t *const *at = (const uint16_t *const *)lines;
    const int channels = plan->channels, last = (tile->pixels - 1) * channels;
    void *out = cpu_tile_out(pass->job, tile, y);

    (void)rows;
    for (int c = 0; c < channels; c++) {
        struct histogram h = {w->count, w->group, pass->shift, 0, 0};
        if (!(plan->filtered >> c & 1))
            continue;
        change_all(&pass->window, &h, at, c, channels, false);
        for (int x = c;; x += channels) {
            image_put_sample(out, plan->type, (size_t)x, (uint32_t)find(&h, plan->order));
            if (x >= last)
                break;
            move(&pass->window, &h, at, x, channels);
        }
        change_all(&pass->window, &h, at, last + c, channels, true);
    }
}

/* ---- one pass ---- */

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct histogram_pass *pass = context;
    struct histogram_worker *w = worker;
    const size_t levels = pass->plan->type == SAMPLE_U8 ? 256 : 65536;

    w->count = cpu_memory_take(memory, (levels + 1) * sizeof *w->count);
    w->group = cpu_memory_take(memory, ((levels >> pass->shift) + 1) * sizeof *w->group);
}

static void histogram_free(void *state)
{
    struct histogram_pass *pass = state;
    cpu_window_free(&pass->window);
}

static bool histogram_make(void *state)
{
    struct histogram_pass *pass = state;
    const struct plan *plan = pass->plan;

    pass->shift = plan->type == SAMPLE_U8 ? 4 : 8;
    pass->lines = (struct cpu_lines){.line_rows = 1,
                                     .step = 1,
                                     .rows = 1,
                                     .span = plan->mask[0].height,
                                     .bytes = sizeof(uint16_t)};
    return cpu_window_make(&pass->window, &plan->mask[0]);
}

static bool histogram_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_lines_hooks hooks = {sizeof(struct histogram_worker), worker_make, put,
                                                 filter};
    struct histogram_pass pass = *(const struct histogram_pass *)state;

    pass.job = job;
    return cpu_lines_run(&pass.lines, job, &hooks, &pass, err);
}

/* ---- the row of the table ---- */

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    (void)ops;
    return cpu_samples(plan, width, height) *
           (3 * cpu_window_runs(&plan->mask[0]) + (plan->type == SAMPLE_U8 ? 10 : 40));
}

const struct cpu_method cpu_method_histogram = {
    .name = "histogram",
    .idea = "any cell of a sorted window, by a histogram that moves along the row",
    .kinds = KERNEL_KIND(PLAN_ORDER),
    .cost = cost,
    .state_bytes = sizeof(struct histogram_pass),
    .make = histogram_make,
    .run = histogram_run,
    .free = histogram_free,
};
