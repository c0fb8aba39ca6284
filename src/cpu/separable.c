/* The method `separable`, for masks of rank 1: column sums straight from the picture's rows, then
 * row sums over the column sums. A sample costs height + width taps, not height * width.
 *
 *   column sums  c[x] = sum over i of column[i] * in[y + i - ay][x]
 *   row sums     S    = sum over j of row[j] * c[x + j - ax]
 *
 * No row is copied: the column pass reads the picture itself. A ghost cell left or right has the
 * column sum of the cell it folds to, so ghost cells cost a few sums per row. If S fits 32 bits,
 * all sums wrap modulo 2^32; overflow on the way does no harm.
 *
 * A box needs no taps: from row to row its column sums gain one row and lose one, and along a row
 * the sum gains one column and loses one. If S does not fit 32 bits, even without a sign, the
 * common divisor g of the weights is left out: S = g * U + o, where U has no sign and fits 32 bits.
 *
 * With colour weighted by alpha (8 bits, boxes) both passes run again over the products of colour
 * and alpha, which are made once per row, in a ring. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/method.h"
#include "cpu/tiles.h"
#include "cpu/taps.h"

/* A tile's column sums stay in the caches next to the core, with the rows they come from. */
#define SUM_ELEMENTS (12 * 1024)

/* Without running sums, rows are made in parts of so many sums, which stay in the L1 cache. */
#define PART_ELEMENTS (2 * 1024)

/* From these lengths on, running sums are faster than adding up, measured with AVX2 and AVX-512. */
#define SLIDE_ROWS    4
#define SLIDE_COLUMNS 5

/* A running sum takes as long as so many taps, whatever its length. */
#define SLIDE_ROWS_COST    3
#define SLIDE_COLUMNS_COST 4

/* The sums of one kind: of the samples (0) or of their products with alpha (1). */
enum { PLAIN, PRODUCT };
struct layer {
    enum sample_type type; /* of the rows */
    uint32_t start;        /* of the row's sums */
    uint32_t ghost_sum[4]; /* column sum of a ghost cell of constant value, per channel */
};

struct separable_worker {
    struct cpu_tile tile;
    uint32_t *column[2]; /* of each layer: column sums of one tile with its halo */
    uint32_t *sums[2];   /* of each layer */
    int64_t *wide;       /* of 64 bits: common * sums + offset */
    const void *ghosts;  /* a row of ghost cells */
    uint16_t *products;  /* weighted: mask_height + 1 rows of the picture */
    const void **row[2]; /* of each layer: the rows under the mask */
    const void *left[2]; /* of each layer: the row that the mask has left */
};

struct separable_pass {
    CPU_STATE;
    struct cpu_taps column, row;
    bool column_slides, row_slides; /* equal weights: running sums */
    int layers;                     /* 2 for weighted alpha */
    int64_t common;                 /* 0: the sums are S; else they are U */
    struct cpu_weighted weighted;
    struct layer layer[2];
    /* Of one job: */
    struct cpu_tiles tiles;
};

/* ---- columns and rows ---- */

static bool column_slides(const struct plan_mask *m)
{
    return m->height >= SLIDE_ROWS && cpu_taps_alike(m->column, m->height);
}

static bool row_slides(const struct plan_mask *m)
{
    return m->width >= SLIDE_COLUMNS && cpu_taps_alike(m->row, m->width);
}

/* Has the column or the row equal weights, and enough of them for running sums? */
static bool slides(const struct plan_mask *m)
{
    return column_slides(m) || row_slides(m);
}

/* The greatest common divisor of the weights of a mask of rank 1. */
static int64_t common_of(const struct plan_mask *m)
{
    return cpu_taps_common(m->column, m->height) * cpu_taps_common(m->row, m->width);
}

/* For a mask of rank 1: are sums of samples up to LARGEST never negative, and U below 2^32? */
static bool widening_fits(const struct plan_mask *m, int64_t largest)
{
    return m->sum == m->sum_abs && m->sum / common_of(m) <= UINT32_MAX / largest;
}

/* Do the sums need 64 bits, also without a sign? */
static bool needs_64(const struct plan_mask *m)
{
    return m->accumulator == ACCUMULATOR_I64 &&
           (m->sum != m->sum_abs || m->offset < 0 || m->divisor < 2 || m->bound >= UINT32_MAX);
}

/* ---- which plans, which form ---- */

/* Does the method take the plan, and is that cheaper than every cell? */
static bool wins(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int64_t cells = m->width * m->height, square = (int64_t)plan->max * plan->max;
    struct cpu_weighted weighted;
    if (plan->kind != PLAN_LINEAR || !m->row)
        return false;
    if (plan->alpha == ALPHA_WEIGHTED) /* else floating point is as fast or faster */
        return plan->type == SAMPLE_U8 && m->width + m->height > 20 && slides(m) &&
               widening_fits(m, square) && cpu_weighted_make(&weighted, plan, common_of(m));
    if (m->accumulator == ACCUMULATOR_I64)
        return slides(m) && widening_fits(m, plan->max) &&
               (plan->type == SAMPLE_U16 || cells >= 2 * (m->height + 3 * m->width));
    /* Direct sums of 8 bits take two taps at a time. */
    return cells / (plan->type == SAMPLE_U8 ? 2 : 1) >= m->width + m->height;
}

/* ---- one row of one tile ---- */

/* Makes the column sums of elements [first, first + n) of the rows, in column[at...]. SLIDE: from
 * the sums of the row above. */
static void column_sums(const struct separable_pass *pass, struct separable_worker *w, int layer,
                        bool slide, size_t first, size_t at, int n)
{
    const struct cpu_ops *ops = pass->ops;
    const int bytes = (int)pass->layer[layer].type;
    uint32_t *sum = w->column[layer] + at;
    const void **row = w->row[layer];

    if (slide)
        ops->column_slide(pass->column.weight[0], row[pass->column.count - 1], w->left[layer],
                          first, bytes, sum, n);
    else
        ops->column_32(&pass->column, row, first, bytes, sum, n);
}

/* Makes the column sums of pixels [from, to) outside the picture. column[0] is the sum of pixel
 * `origin`; the sums of pixels [inside[0], inside[1]) are already there. */
static void ghost_sums(const struct separable_pass *pass, struct separable_worker *w, int layer,
                       const int inside[2], int origin, int from, int to)
{
    const struct plan *plan = pass->job->plan;
    size_t channels = (size_t)plan->channels, bytes = channels * sizeof(uint32_t);
    uint32_t *column = w->column[layer];
    for (int x = from; x < to; x++) {
        int cell = border_fold(plan->border, x, pass->job->in->width);
        size_t at = (size_t)(x - origin) * channels;
        if (cell == BORDER_OUTSIDE)
            memcpy(column + at, pass->layer[layer].ghost_sum, bytes);
        else if (cell >= inside[0] && cell < inside[1])
            memcpy(column + at, column + (size_t)(cell - origin) * channels, bytes);
        else
            column_sums(pass, w, layer, false, (size_t)cell * channels, at, plan->channels);
    }
}

static void layer_sums(const struct separable_pass *pass, struct separable_worker *w, int layer,
                       bool slide)
{
    const struct cpu_ops *ops = pass->ops;
    const struct plan *plan = pass->job->plan;
    size_t channels = (size_t)plan->channels;
    int n = w->tile.pixels * plan->channels, width = pass->job->in->width;
    int from = w->tile.first_pixel - plan->mask[0].anchor_x;
    int to = from + w->tile.pixels + pass->row.count - 1;
    int inside[2] = {from < 0 ? 0 : from, to < width ? to : width};

    if (inside[0] >= inside[1]) /* all columns may lie outside */
        inside[0] = inside[1] = from < 0 ? to : from;
    else
        column_sums(pass, w, layer, slide && pass->column_slides, (size_t)inside[0] * channels,
                    (size_t)(inside[0] - from) * channels, (inside[1] - inside[0]) * (int)channels);
    ghost_sums(pass, w, layer, inside, from, from, inside[0]);
    ghost_sums(pass, w, layer, inside, from, inside[1], to);
    (pass->row_slides ? ops->row_slide_32 : ops->row_32)(
        &pass->row, w->column[layer], pass->layer[layer].start, w->sums[layer], n);
}

/* The row's colours times alpha; the values in the alpha places do not matter. */
static void make_products(const uint8_t *in, uint16_t *out, int width, int channels)
{
    for (int x = 0; channels == 4 && x < 4 * width; x += 4)
        for (int c = 0; c < 4; c++)
            out[x + c] = (uint16_t)(in[x + c] * in[x + 3]);
    for (int x = 0; channels == 2 && x < 2 * width; x += 2)
        out[x] = out[x + 1] = (uint16_t)(in[x] * in[x + 1]);
}

static uint16_t *product_row(const struct separable_pass *pass, const struct separable_worker *w,
                             int v)
{
    int slots = pass->job->plan->mask[0].height + 1, slot = (v % slots + slots) % slots;
    return w->products +
           (size_t)slot * (size_t)pass->job->in->width * (size_t)pass->job->plan->channels;
}

/* Finds the rows under output row y, and makes the products of new rows (ALL: of all rows). */
static void take_rows(const struct separable_pass *pass, struct separable_worker *w, int y,
                      bool all)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    for (int k = 0; k < pass->layers; k++)
        w->left[k] = w->row[k][0];
    for (int i = 0; i < m->height; i++) {
        int v = y - m->anchor_y + i;
        w->row[PLAIN][i] = cpu_tile_row(job, &w->tile, v, w->ghosts);
        if (pass->layers == 1)
            continue;
        w->row[PRODUCT][i] = product_row(pass, w, v);
        if (all || i == m->height - 1)
            make_products(w->row[PLAIN][i], product_row(pass, w, v), job->in->width,
                          job->plan->channels);
    }
}

static void filter_row(const struct separable_pass *pass, struct separable_worker *w, int y,
                       bool slide)
{
    const struct plan *plan = pass->job->plan;
    int n = w->tile.pixels * plan->channels;
    void *out = cpu_tile_out(pass->job, &w->tile, y);

    for (int k = 0; k < pass->layers; k++)
        layer_sums(pass, w, k, slide);
    if (pass->layers == 2) {
        cpu_finish_boxes(pass->ops, plan, &pass->weighted, w->sums[PLAIN], w->sums[PRODUCT], out,
                         n);
    } else if (pass->common > 0) {
        for (int x = 0; x < n; x++)
            w->wide[x] = pass->common * w->sums[PLAIN][x] + plan->mask[0].offset;
        cpu_finish_64(pass->ops, plan, w->wide, out, n);
    } else {
        cpu_finish_32(pass->ops, plan, (const int32_t *)w->sums[PLAIN], out, n, pass->tiles.streams,
                      false);
    }
    cpu_finish_unfiltered(pass->job, y, w->tile.first_pixel, w->tile.pixels, out);
}

static void run_tile(const void *context, void *worker, const struct cpu_tile *tile)
{
    const struct separable_pass *pass = context;
    struct separable_worker *w = worker;
    const int end = tile->first_pixel + tile->pixels;
    int part = PART_ELEMENTS / pass->plan->channels, width = pass->plan->mask[0].width;

    part = (part > 8 * width ? part : 8 * width) / CPU_TILE_MIN * CPU_TILE_MIN;
    if (pass->column_slides || pass->row_slides || pass->layers == 2)
        part = tile->pixels;
    w->tile = *tile;
    for (int y = tile->first; y < tile->end; y++) {
        take_rows(pass, w, y, y == tile->first);
        for (int x = tile->first_pixel; x < end; x += part) {
            w->tile.first_pixel = x;
            w->tile.pixels = end - x < part ? end - x : part;
            filter_row(pass, w, y, y != tile->first);
        }
    }
}

/* ---- one pass ---- */

static void layers_make(struct separable_pass *pass)
{
    const struct plan *plan = pass->plan;
    const struct plan_mask *m = &plan->mask[0];

    pass->layers = plan->alpha == ALPHA_WEIGHTED ? 2 : 1;
    if (pass->layers == 2 || needs_64(m))
        pass->common = common_of(m);
    if (pass->layers == 2)
        cpu_weighted_make(&pass->weighted, plan, pass->common);
    pass->layer[PLAIN].type = plan->type;
    pass->layer[PLAIN].start = pass->common > 0 ? 0 : (uint32_t)m->offset;
    pass->layer[PRODUCT].type = SAMPLE_U16;
}

static void ghosts_make(struct separable_pass *pass)
{
    const struct plan *plan = pass->plan;
    for (int i = 0; i < pass->column.count; i++)
        for (int c = 0; c < plan->channels; c++) {
            uint32_t sum = pass->column.weight[i] * plan_ghost(plan, c);
            pass->layer[PLAIN].ghost_sum[c] += sum;
            pass->layer[PRODUCT].ghost_sum[c] += sum * plan->max;
        }
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct separable_pass *pass = context;
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    struct separable_worker *w = worker;
    size_t height = (size_t)m->height, halo = (size_t)m->width * (size_t)plan->channels;
    size_t n = cpu_tiles_sums(&pass->tiles) + halo;
    size_t products = (height + 1) * (size_t)pass->job->in->width * (size_t)plan->channels;

    for (int layer = 0; layer < pass->layers; layer++) {
        w->column[layer] = cpu_memory_take(memory, n * sizeof(uint32_t));
        w->sums[layer] = cpu_memory_take(memory, n * sizeof(uint32_t));
        w->row[layer] = cpu_memory_take(memory, height * sizeof *w->row[layer]);
    }
    if (pass->common > 0)
        w->wide = cpu_memory_take(memory, n * sizeof *w->wide);
    if (pass->layers == 2)
        w->products = cpu_memory_take(memory, products * sizeof *w->products);
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
}

static void separable_free(void *state)
{
    struct separable_pass *pass = state;
    cpu_taps_free(&pass->column);
    cpu_taps_free(&pass->row);
}

static bool separable_make(void *state)
{
    struct separable_pass *pass = state;
    const struct plan_mask *m = &pass->plan->mask[0];

    pass->column_slides = column_slides(m);
    pass->row_slides = row_slides(m);
    layers_make(pass);
    const bool without = pass->common > 0; /* the common divisors */
    if (!cpu_taps_make(&pass->column, m->column, m->height, 0,
                       without ? cpu_taps_common(m->column, m->height) : 1))
        return false;
    ghosts_make(pass);
    return cpu_taps_make(&pass->row, m->row, m->width, pass->plan->channels,
                         without ? cpu_taps_common(m->row, m->width) : 1);
}

static bool separable_run(const void *state, const struct kernel_job *job, struct error *err)
{
    static const struct cpu_tile_hooks hooks = {sizeof(struct separable_worker), worker_make,
                                                run_tile};
    struct separable_pass pass = *(const struct separable_pass *)state;

    pass.job = job;
    /* Products are made for whole rows. */
    pass.tiles =
        cpu_tiles_cut(job, pass.layers == 2 ? job->out->width : SUM_ELEMENTS / job->plan->channels);
    return cpu_tiles_run(&pass.tiles, &hooks, &pass, err);
}

/* ---- the row of the table ---- */

static const char *refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    (void)ops;
    return wins(plan)                      ? NULL
           : plan->alpha == ALPHA_WEIGHTED ? "of colour weighted by alpha it takes 8-bit boxes only"
           : plan->mask[0].row == NULL     ? "the mask is no column times a row"
                                           : "every cell takes less time, or its sums do not fit";
}

#define RATE_TAPS   22.0 /* per sample and nanosecond */
#define LEAST_TAPS  8    /* fewer take as long */
#define WEIGHTED_NS 3.0  /* per sample of colour weighted by alpha */

static double cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];
    double taps, ns;

    if (refusal(plan, ops))
        return HUGE_VAL;
    taps = (column_slides(m) ? SLIDE_ROWS_COST : m->height) +
           (row_slides(m) ? SLIDE_COLUMNS_COST : m->width);
    taps = fmax(taps, LEAST_TAPS);
    if (!slides(m) && cpu_taps_alike(m->column, m->height) && cpu_taps_alike(m->row, m->width))
        taps /= 2; /* nothing is multiplied */
    ns = 0.09 + 0.075 * plan->type + fmin(cpu_cells(plan), taps) / RATE_TAPS;
    if (plan->alpha == ALPHA_WEIGHTED) /* running sums: the same for every box */
        ns = WEIGHTED_NS;
    else if (needs_64(m))
        ns *= 2;
    return cpu_samples(plan, width, height) * ns;
}

const struct cpu_method cpu_method_separable = {
    .name = "separable",
    .idea = "a column pass and a row pass",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .refusal = refusal,
    .cost = cost,
    .wide_cost = 0.78,
    .state_bytes = sizeof(struct separable_pass),
    .make = separable_make,
    .run = separable_run,
    .free = separable_free,
};
