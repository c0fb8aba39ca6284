/* The method `bilateral`: bilateral filters, 8 and 16 bits.
 *
 * A pair of cells has one difference, whichever of them is the middle, so its weight is looked up
 * once and serves both rows of output. A table of weights for each row `base` and each offset
 * (dy, dx) with dy >= 0 holds
 *
 *   W[x] = weight(dy, dx) * range[difference of the cells (base, x) and (base + dy, x + dx)]
 *
 * For the row y of output, the cell at (dy, dx) has its weight in the table of base y, and the cell
 * at (-dy, -dx) in the table of base y - dy, which waits in a ring. If a ring would be too large
 * for a cache, every weight is looked up for its own row of output.
 *
 * Sums are made in float for 8 bits and in double for 16; both are proved in docs/methods.md. A
 * sample whose rounding is uncertain is computed again, exactly. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/lines.h"
#include "cpu/method.h"

__extension__ typedef __int128 int128;

#define RING_BYTES  (512 * 1024) /* weights of a tile, for the L2 cache */
#define MOST_TAPS   32           /* that are summed at a time */
#define MOST_PAIRED 6            /* radius of a window whose ring fits */

struct bilateral_pass {
    CPU_STATE;
    const struct cpu_bilateral_ops *loops;
    size_t real; /* bytes of a real number */
    struct cpu_range range;
    uint16_t *table; /* range weights, then 0 */
    struct cpu_range_part part[CPU_RANGE_PARTS];
    bool paired;
    int radius_x, radius_y;
    int at_once;               /* rows of the window that are summed at a time */
    int compared[4], compares; /* channels whose differences count */
    int summed[4], sums;       /* channels that are summed */
    struct cpu_bilateral_bounds bounds;
    struct cpu_lines lines;
};

struct bilateral_worker {
    char *weights;                        /* the rings */
    char *middle;                         /* weights of the window's middle cell */
    void *sums[CPU_BILATERAL_PLANES + 1]; /* the last one that is used: of the weights */
    const void **weight, **cell;          /* of taps that are summed at a time */
};

/* ---- lines: for each channel a plane of reals; behind them, for each a plane of samples ---- */

static int plane_pixels(const struct bilateral_pass *pass)
{
    return (int)pass->lines.stride / pass->plan->channels;
}

/* Channel C at pixel X of a line, as reals or as samples. */
static void *reals_at(const struct bilateral_pass *pass, const void *line, int c, int x)
{
    return (char *)line + (size_t)(c * plane_pixels(pass) + x) * pass->real;
}

static void *samples_at(const struct bilateral_pass *pass, const void *line, int c, int x)
{
    return (char *)reals_at(pass, line, pass->plan->channels, 0) +
           (size_t)(c * plane_pixels(pass) + x) * (size_t)pass->plan->type;
}

static int sample_at(const struct bilateral_pass *pass, const void *line, int c, int x)
{
    return (int)image_sample(samples_at(pass, line, c, x), pass->plan->type, 0);
}

/* As floats_u8 of the instruction set, for samples of 16 bits. */
static void make_doubles(const uint16_t *samples, const uint16_t *alpha, double *reals, int n)
{
    for (int x = 0; x < n; x++)
        reals[x] = (double)samples[x] * (alpha ? alpha[x] : 1);
}

static void put(const void *context, const void *const *row, size_t first, void *line, size_t at,
                int n)
{
    const struct bilateral_pass *pass = context;
    const struct plan *plan = pass->plan;
    const int channels = plan->channels, x = (int)at / channels, pixels = n / channels;
    uint8_t *planes[4];

    for (int c = 0; c < channels; c++)
        planes[c] = samples_at(pass, line, c, x);
    if (plan->type == SAMPLE_U8)
        pass->ops->planes_u8((const uint8_t *)row[0] + first, channels, planes, pixels);
    else
        for (int c = 0; c < channels; c++)
            for (int k = 0; k < pixels; k++)
                ((uint16_t *)(void *)planes[c])[k] =
                    ((const uint16_t *)row[0])[first + (size_t)(k * channels + c)];
    for (int c = 0; c < channels; c++) {
        const bool weighted = plan->alpha == ALPHA_WEIGHTED && c < channels - 1;
        const void *alpha = weighted ? planes[channels - 1] : NULL;
        if (plan->type == SAMPLE_U8)
            pass->ops->floats_u8(planes[c], alpha, reals_at(pass, line, c, x), pixels);
        else
            make_doubles((const void *)planes[c], alpha, reals_at(pass, line, c, x), pixels);
    }
}

/* ---- weights ---- */

/* Reals from one row of weights to the next. */
static size_t stride_of(const struct bilateral_pass *pass)
{
    return (size_t)(pass->lines.tiles.tile_pixels + pass->radius_x + CPU_BLOCK + 15) / 16 * 16;
}

/* The row of weights of offset (dy, dx) in the table of row BASE. */
static char *weights_of(const struct bilateral_pass *pass, const struct bilateral_worker *w,
                        int base, int dy, int dx)
{
    const int table = dy * (dy + 1) / 2 + (base + dy) % (dy + 1);
    const int row = table * (2 * pass->radius_x + 1) + pass->radius_x + dx;
    return w->weights + (size_t)row * stride_of(pass) * pass->real;
}

/* As the loop of the instruction set, for sums of differences of more than 16 bits. */
static void make_wide_weights(const struct cpu_range *range, const void *const *middle,
                              const void *const *cell, double factor, void *weights, int n)
{
    for (int x = 0; x < n; x++) {
        int d = 0;
        for (int c = 0; c < range->channels; c++)
            d += abs(((const uint16_t *)middle[c])[x] - ((const uint16_t *)cell[c])[x]);
        ((double *)weights)[x] = factor * range->weight[d < range->most ? d : range->most];
    }
}

/* Makes weights of the offset (dy, dx) for the pixels from FIRST on of the line MIDDLE. */
static void make_weights(const struct bilateral_pass *pass, const void *middle, const void *cell,
                         int dy, int dx, int first, void *weights, int n)
{
    const double factor =
        (double)plan_mask_weight(&pass->plan->mask[0], pass->radius_y + dy, pass->radius_x + dx);
    const void *a[4], *b[4];

    for (int i = 0; i < pass->compares; i++) {
        a[i] = samples_at(pass, middle, pass->compared[i], pass->radius_x + first);
        b[i] = samples_at(pass, cell, pass->compared[i], pass->radius_x + first + dx);
    }
    (pass->range.most <= UINT16_MAX ? pass->loops->weights : make_wide_weights)(&pass->range, a, b,
                                                                                factor, weights, n);
}

/* Makes the table of row BASE for the offsets (DY, ...), of two lines, for N pixels of output of
 * both rows: pixel x of base is at x + max(dx, 0) of a row. */
static void make_table(const struct bilateral_pass *pass, const struct bilateral_worker *w,
                       const void *const *lines, int y, int base, int dy, int n)
{
    const int middle = pass->radius_y + base - y;

    for (int dx = dy == 0 ? 1 : -pass->radius_x; dx <= pass->radius_x; dx++)
        make_weights(pass, lines[middle], lines[middle + dy], dy, dx, dx > 0 ? -dx : 0,
                     weights_of(pass, w, base, dy, dx), n + abs(dx));
}

/* Makes the tables that are not there yet for row Y of output. */
static void make_tables(const struct bilateral_pass *pass, const struct bilateral_worker *w,
                        const struct cpu_tile *tile, const void *const *lines, int y, int n)
{
    if (y == tile->first) /* for the rows above the tile, what the tile's rows read */
        for (int base = y - pass->radius_y; base < y; base++)
            for (int dy = y - base; dy <= pass->radius_y; dy++)
                make_table(pass, w, lines, y, base, dy, n);
    for (int dy = 0; dy <= pass->radius_y; dy++)
        make_table(pass, w, lines, y, y, dy, n);
}

/* Collects the taps of the window's row DY for row Y of output behind COUNT others. */
static void collect(const struct bilateral_pass *pass, const struct bilateral_worker *w,
                    const void *const *lines, int y, int dy, int count, int n)
{
    for (int dx = -pass->radius_x; dx <= pass->radius_x; dx++, count++) {
        const bool before = dy < 0 || (dy == 0 && dx < 0);
        const void *line = lines[pass->radius_y + dy];
        char *weights;
        size_t at = dx > 0 ? (size_t)dx : 0;
        if (dy == 0 && dx == 0) {
            weights = w->middle;
        } else if (pass->paired) {
            weights =
                before ? weights_of(pass, w, y + dy, -dy, -dx) : weights_of(pass, w, y, dy, dx);
        } else {
            weights = w->weights + (size_t)count * stride_of(pass) * pass->real;
            make_weights(pass, lines[pass->radius_y], line, dy, dx, 0, weights, n);
            at = 0;
        }
        w->weight[count] = weights + at * pass->real;
        w->cell[count] = reals_at(pass, line, 0, pass->radius_x + dx);
    }
}

/* ---- samples ---- */

/* The means of the channels CHANNEL[0 .. COUNT - 1] at pixel X of a row of output: the formula,
 * over LINES. */
static void make_exact(const struct bilateral_pass *pass, const void *const *lines, int x,
                       const int *channel, int count, int mean[4])
{
    const struct plan *plan = pass->plan;
    const struct plan_mask *m = &plan->mask[0];
    const bool weighted = plan->alpha == ALPHA_WEIGHTED;
    const int alpha = plan->channels - 1;
    int128 sum[4] = {0}, product[4] = {0}, weights = 0, coverage = 0;

    for (int i = 0; i < m->height; i++)
        for (int j = 0; j < m->width; j++) {
            int d = 0;
            for (int k = 0; k < pass->compares; k++)
                d += abs(
                    sample_at(pass, lines[pass->radius_y], pass->compared[k], x + pass->radius_x) -
                    sample_at(pass, lines[i], pass->compared[k], x + j));
            if (d > plan->range_last)
                continue;
            const int64_t w = plan_mask_weight(m, i, j) * plan->range[d];
            const int64_t a = weighted ? sample_at(pass, lines[i], alpha, x + j) : 1;
            weights += w;
            coverage += w * a;
            for (int k = 0; k < count; k++) {
                const int64_t v = sample_at(pass, lines[i], channel[k], x + j);
                sum[k] += w * v;
                product[k] += (int128)(w * a) * v;
            }
        }
    for (int k = 0; k < count; k++)
        mean[k] = (int)(weighted && channel[k] != alpha && coverage > 0
                            ? (product[k] + coverage / 2) / coverage
                            : (sum[k] + weights / 2) / weights);
}

/* Makes a block of output, N samples of each channel from pixel X on, from the sums FIRST .. END -
 * 1 and the sums of weights. */
static void make_means(const struct bilateral_pass *pass, const struct bilateral_worker *w,
                       const void *const *lines, int first, int end, int weights, int x,
                       int32_t mean[4][CPU_BLOCK], int n)
{
    const size_t at = (size_t)x * pass->real;
    const void *sums[CPU_BILATERAL_PLANES];
    int32_t doubtful[CPU_BLOCK], *to[CPU_BILATERAL_PLANES];

    for (int p = first; p < end; p++) {
        sums[p - first] = (const char *)w->sums[p] + at;
        to[p - first] = mean[pass->summed[p]];
    }
    if (!pass->loops->means(&pass->bounds, end - first, sums, (const char *)w->sums[weights] + at,
                            to, doubtful))
        return;
    for (int k = 0; k < n; k++) {
        int exact[4];
        if (!doubtful[k])
            continue;
        make_exact(pass, lines, x + k, pass->summed + first, end - first, exact);
        for (int p = first; p < end; p++)
            to[p - first][k] = exact[p - first];
    }
}

/* Makes a row of output from its sums. Samples that are not filtered are of no account. */
static void make_samples(const struct bilateral_pass *pass, const struct bilateral_worker *w,
                         const void *const *lines, void *out, int n)
{
    const int channels = pass->plan->channels;
    const int colours = pass->sums - (pass->plan->alpha == ALPHA_WEIGHTED);
    int32_t mean[4][CPU_BLOCK] = {{0}};
    const int32_t *const means[] = {mean[0], mean[1], mean[2], mean[3]};

    for (int x = 0; x < n; x += CPU_BLOCK) {
        const int count = n - x < CPU_BLOCK ? n - x : CPU_BLOCK;
        /* colour over the weights, or over those times alpha; then alpha */
        make_means(pass, w, lines, 0, colours, colours, x, mean, count);
        if (colours < pass->sums)
            make_means(pass, w, lines, colours, pass->sums, pass->sums, x, mean, count);
        if (pass->plan->type == SAMPLE_U8)
            pass->ops->pixels_u8(means, channels, (uint8_t *)out + x * channels, count);
        else
            for (int c = 0; c < channels; c++)
                for (int k = 0; k < count; k++)
                    ((uint16_t *)out)[(x + k) * channels + c] = (uint16_t)mean[c][k];
    }
}

static void filter(const void *context, void *worker, const struct cpu_tile *tile,
                   const void *const *lines, int y, int rows)
{
    const struct bilateral_pass *pass = context;
    const struct plan_mask *m = &pass->plan->mask[0];
    struct bilateral_worker *w = worker;
    struct cpu_bilateral_taps taps = {.planes = pass->sums, .weight = w->weight, .cell = w->cell};

    (void)rows;
    for (int p = 0; p < pass->sums; p++)
        taps.plane_at[p] = (size_t)(pass->summed[p] * plane_pixels(pass));
    if (pass->paired)
        make_tables(pass, w, tile, lines, y, tile->pixels);
    for (int i = 0; pass->sums > 0 && i < m->height; taps.more = true) {
        taps.count = 0;
        for (int end = i + pass->at_once; i < end && i < m->height; i++, taps.count += m->width)
            collect(pass, w, lines, y, i - pass->radius_y, taps.count, tile->pixels);
        pass->loops->sums(&taps, w->sums, tile->pixels);
    }
    make_samples(pass, w, lines, cpu_tile_out(pass->job, tile, y), tile->pixels);
}

/* ---- one pass ---- */

/* Rows of weights that are kept. */
static int weight_rows(const struct bilateral_pass *pass)
{
    const int tables =
        pass->paired ? (pass->radius_y + 1) * (pass->radius_y + 2) / 2 : pass->at_once;
    return tables * (2 * pass->radius_x + 1);
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct bilateral_pass *pass = context;
    const struct plan_mask *m = &pass->plan->mask[0];
    const size_t line = stride_of(pass) * pass->real;
    const int64_t middle =
        pass->plan->range[0] * plan_mask_weight(m, pass->radius_y, pass->radius_x);
    struct bilateral_worker *w = worker;

    w->weights = cpu_memory_take(memory, (size_t)weight_rows(pass) * line);
    w->middle = cpu_memory_take(memory, line);
    for (size_t x = 0; w->middle && x < stride_of(pass); x++)
        if (pass->real == sizeof(float))
            ((float *)w->middle)[x] = (float)middle;
        else
            ((double *)w->middle)[x] = (double)middle;
    for (int p = 0; p <= pass->sums; p++)
        w->sums[p] = cpu_memory_take(memory, line);
    w->weight = cpu_memory_take(memory, (size_t)(pass->at_once * m->width) * sizeof *w->weight);
    w->cell = cpu_memory_take(memory, (size_t)(pass->at_once * m->width) * sizeof *w->cell);
}

static void bilateral_free(void *state)
{
    struct bilateral_pass *pass = state;
    free(pass->table);
}

/* Lists the channels in a set; returns how many there are. */
static int list_channels(unsigned set, int channel[4])
{
    int count = 0;
    for (int c = 0; c < 4; c++)
        if (set >> c & 1)
            channel[count++] = c;
    return count;
}

/* Prepares the table of range weights. False: no memory. */
static bool make_range(struct bilateral_pass *pass)
{
    const struct plan *plan = pass->plan;
    const int most = plan->range_last + 1, parts = (most + 16) / 16;

    pass->table = calloc((size_t)most + 1, sizeof *pass->table);
    if (!pass->table)
        return false;
    memcpy(pass->table, plan->range, (size_t)most * sizeof *plan->range);
    pass->range = (struct cpu_range){
        .channels = pass->compares, .weight = pass->table, .most = most, .part = pass->part};
    if (parts > CPU_RANGE_PARTS)
        return true;
    pass->range.parts = parts;
    for (int k = 0; k < parts * 16; k++) {
        const int here = k < most ? pass->table[k] : 0,
                  next = k + 16 < most ? pass->table[k + 16] : 0;
        for (int i = k % 16; i < 64; i += 16) {
            pass->part[k / 16].low[i] = (uint8_t)(here ^ next);
            pass->part[k / 16].high[i] = (uint8_t)((here ^ next) >> 8);
            if (here >> 8 != 0)
                pass->range.high_parts = k / 16 + 1;
        }
    }
    return true;
}

/* Rows of the window whose taps are summed at a time. More taps are faster; fewer taps give tighter
 * bounds. */
static int rows_at_once(const struct plan_mask *m)
{
    return m->width < MOST_TAPS ? MOST_TAPS / m->width : 1;
}

/* The bounds of a quotient of sums: see docs/methods.md. */
static struct cpu_bilateral_bounds bounds_of(const struct plan *plan)
{
    const double unit = (plan->type == SAMPLE_U8 ? FLT_EPSILON : DBL_EPSILON) / 2;
    const struct plan_mask *m = &plan->mask[0];
    const int at_once = rows_at_once(m);
    const int roundings = at_once * m->width + (m->height + at_once - 1) / at_once + 2;
    return (struct cpu_bilateral_bounds){(2 * roundings + 8) * unit, 4 * (plan->max + 1.0) * unit};
}

static bool bilateral_make(void *state)
{
    struct bilateral_pass *pass = state;
    const struct plan *plan = pass->plan;
    const struct plan_mask *m = &plan->mask[0];
    const bool wide = plan->type == SAMPLE_U16;
    const unsigned alpha = plan->alpha == ALPHA_WEIGHTED ? 1u << (plan->channels - 1) : 0;

    pass->loops = &pass->ops->bilateral[wide];
    pass->real = wide ? sizeof(double) : sizeof(float);
    pass->radius_x = m->width / 2;
    pass->radius_y = m->height / 2;
    pass->at_once = rows_at_once(m) < m->height ? rows_at_once(m) : m->height;
    pass->paired = pass->radius_x <= MOST_PAIRED && pass->radius_y <= MOST_PAIRED;
    pass->compares = list_channels(plan_compared(plan), pass->compared);
    pass->sums = list_channels(plan->filtered | alpha, pass->summed);
    pass->bounds = bounds_of(plan);
    pass->lines = (struct cpu_lines){.line_rows = 1,
                                     .step = 1,
                                     .rows = 1,
                                     .span = m->height,
                                     .bytes = pass->real + (size_t)plan->type};
    pass->lines.most =
        (RING_BYTES / (weight_rows(pass) * (int)pass->real) + 2 * pass->radius_x) * plan->channels;
    return make_range(pass);
}

static bool bilateral_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_lines_hooks hooks = {sizeof(struct bilateral_worker), worker_make, put,
                                                 filter};
    struct bilateral_pass pass = *(const struct bilateral_pass *)state;

    pass.job = job;
    return cpu_lines_run(&pass.lines, job, &hooks, &pass, err);
}

/* ---- the row of the table ---- */

/* Nanoseconds of a cell of the window, for each sample (AVX2). */
static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    (void)ops;
    return cpu_samples(plan, width, height) * cpu_cells(plan) *
           (plan->type == SAMPLE_U8 ? 0.11 : 0.22);
}

const struct cpu_method cpu_method_bilateral = {
    .name = "bilateral",
    .idea = "means of similar cells; a pair of cells has one weight",
    .kinds = KERNEL_KIND(PLAN_BILATERAL),
    .cost = cost,
    .state_bytes = sizeof(struct bilateral_pass),
    .make = bilateral_make,
    .run = bilateral_run,
    .free = bilateral_free,
};
