/* The methods `separable` and `terms`, for masks of rank 1: column sums straight from the picture's
 * rows, then row sums over the column sums. A sample costs height + width taps, not height * width.
 *
 *   column sums  c[x] = sum over i of column[i] * in[y + i - ay][x]
 *   row sums     S    = sum over j of row[j] * c[x + j - ax]
 *
 * A mask of low rank is a sum of a few such terms, each with its own size and place. No row is
 * copied: the column pass reads the picture itself. A ghost cell left or right has the column sum
 * of the cell it folds to, so ghost cells cost a few sums per row. If S fits 32 bits, all sums wrap
 * modulo 2^32; overflow on the way does no harm.
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

struct cpu_term {
    int top, left;
    struct cpu_taps column, row;
    bool column_slides, row_slides; /* equal weights: running sums */
};

/* The sums of one kind: of the samples (0) or of their products with alpha (1). */
enum { PLAIN, PRODUCT };
struct layer {
    enum sample_type type; /* of the rows */
    uint32_t start;        /* of the row's sums */
    /* column sum of a ghost cell of constant value, per channel */
    uint32_t ghost_sum[PLAN_MOST_TERMS][4];
};

struct separable_worker {
    struct cpu_tile tile;
    /* of each layer: column sums of one tile with its halo */
    uint32_t *column[2][PLAN_MOST_TERMS];
    uint32_t *sums[2];   /* of each layer */
    uint32_t *more;      /* sums of one more term, added to `sums` */
    int64_t *wide;       /* of 64 bits: common * sums + offset */
    const void *ghosts;  /* a row of ghost cells */
    uint16_t *products;  /* weighted: mask_height + 1 rows of the picture */
    const void **row[2]; /* of each layer: the rows under the mask */
    const void *left[2]; /* of each layer: the row that the mask has left */
};

struct separable_pass {
    const struct plan *plan;
    const struct cpu_ops *ops;
    struct cpu_term term[PLAN_MOST_TERMS];
    int terms;
    bool slides;    /* running sums for any term's columns or rows */
    int layers;     /* 2 for weighted alpha */
    int64_t common; /* 0: the sums are S; else they are U */
    struct cpu_weighted weighted;
    struct layer layer[2];
    /* Of one job: */
    const struct kernel_job *job;
    struct cpu_tiles tiles;
};

/* ---- columns and rows ---- */

/* The number of terms: one for a mask of rank 1, else the mask's own. */
static int terms_count(const struct plan_mask *m)
{
    return m->row ? 1 : m->terms;
}

static struct plan_term term_get(const struct plan_mask *m, int k)
{
    return m->row ? (struct plan_term){0, 0, m->height, m->width, m->column, m->row} : m->term[k];
}

static bool column_slides(const struct plan_term *term)
{
    return term->height >= SLIDE_ROWS && cpu_taps_alike(term->column, term->height);
}

static bool row_slides(const struct plan_term *term)
{
    return term->width >= SLIDE_COLUMNS && cpu_taps_alike(term->row, term->width);
}

/* Does any column or row have equal weights, and enough of them for running sums? */
static bool terms_slide(const struct plan_mask *m)
{
    bool any = false;
    for (int k = 0; k < terms_count(m); k++) {
        struct plan_term term = term_get(m, k);
        any |= column_slides(&term) || row_slides(&term);
    }
    return any;
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

int cpu_terms_taps(const struct plan_mask *m)
{
    int taps = 0;
    for (int k = 0; k < terms_count(m); k++) {
        struct plan_term term = term_get(m, k);
        taps += column_slides(&term) ? SLIDE_ROWS_COST : term.height;
        taps += row_slides(&term) ? SLIDE_COLUMNS_COST : term.width;
    }
    return taps;
}

/* WITHOUT: divides the column and the row by their common divisors. False: no memory. */
static bool term_make(struct cpu_term *term, const struct plan_term *from, int channels,
                      bool without)
{
    int64_t column = without ? cpu_taps_common(from->column, from->height) : 1;
    int64_t row = without ? cpu_taps_common(from->row, from->width) : 1;

    term->top = from->top;
    term->left = from->left;
    term->column_slides = column_slides(from);
    term->row_slides = row_slides(from);
    return cpu_taps_make(&term->column, from->column, from->height, 0, column) &&
           cpu_taps_make(&term->row, from->row, from->width, channels, row);
}

static void term_free(struct cpu_term *term)
{
    cpu_taps_free(&term->column);
    cpu_taps_free(&term->row);
}

/* ---- which plans, which form ---- */

bool cpu_separable_wins(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int64_t cells = m->width * m->height, square = (int64_t)plan->max * plan->max;
    struct cpu_weighted weighted;
    if (plan->kind != PLAN_LINEAR || !m->row)
        return false;
    if (plan->alpha == ALPHA_WEIGHTED) /* else floating point is as fast or faster */
        return plan->type == SAMPLE_U8 && m->width + m->height > 20 && terms_slide(m) &&
               widening_fits(m, square) && cpu_weighted_make(&weighted, plan, common_of(m));
    if (m->accumulator == ACCUMULATOR_I64)
        return terms_slide(m) && widening_fits(m, plan->max) &&
               (plan->type == SAMPLE_U16 || cells >= 2 * (m->height + 3 * m->width));
    /* Direct sums of 8 bits take two taps at a time. */
    return cells / (plan->type == SAMPLE_U8 ? 2 : 1) >= m->width + m->height;
}

static bool is_sum_of_terms(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return plan->kind == PLAN_LINEAR && plan->alpha != ALPHA_WEIGHTED && m->terms > 0 &&
           m->accumulator == ACCUMULATOR_I32;
}

/* ---- one row of one tile ---- */

/* Makes the column sums of elements [first, first + n) of the rows, in column[at...]. SLIDE: from
 * the sums of the row above. */
static void column_sums(const struct separable_pass *pass, struct separable_worker *w, int layer,
                        int term, bool slide, size_t first, size_t at, int n)
{
    const struct cpu_ops *ops = pass->ops;
    const struct cpu_term *t = &pass->term[term];
    uint32_t *sum = w->column[layer][term] + at;
    const int bytes = (int)pass->layer[layer].type;
    const void **row = w->row[layer] + t->top;

    if (slide)
        ops->column_slide(t->column.weight[0], row[t->column.count - 1],
                          t->top > 0 ? row[-1] : w->left[layer], first, bytes, sum, n);
    else
        ops->column_32(&t->column, row, first, bytes, sum, n);
}

/* Makes the column sums of pixels [from, to) outside the picture. column[0] is the sum of pixel
 * `origin`; the sums of pixels [inside[0], inside[1]) are already there. */
static void ghost_sums(const struct separable_pass *pass, struct separable_worker *w, int layer,
                       int term, const int inside[2], int origin, int from, int to)
{
    const struct plan *plan = pass->job->plan;
    size_t channels = (size_t)plan->channels, bytes = channels * sizeof(uint32_t);
    uint32_t *column = w->column[layer][term];
    for (int x = from; x < to; x++) {
        int cell = border_fold(plan->border, x, pass->job->in->width);
        size_t at = (size_t)(x - origin) * channels;
        if (cell == BORDER_OUTSIDE)
            memcpy(column + at, pass->layer[layer].ghost_sum[term], bytes);
        else if (cell >= inside[0] && cell < inside[1])
            memcpy(column + at, column + (size_t)(cell - origin) * channels, bytes);
        else
            column_sums(pass, w, layer, term, false, (size_t)cell * channels, at, plan->channels);
    }
}

/* Makes the sums of one term in SUMS. */
static void term_sums(const struct separable_pass *pass, struct separable_worker *w, int layer,
                      int term, bool slide, uint32_t start, uint32_t *sums)
{
    const struct cpu_ops *ops = pass->ops;
    const struct plan *plan = pass->job->plan;
    const struct cpu_term *t = &pass->term[term];
    const uint32_t *column = w->column[layer][term];
    size_t channels = (size_t)plan->channels;
    int n = w->tile.pixels * plan->channels, width = pass->job->in->width;
    int from = w->tile.first_pixel - plan->mask[0].anchor_x + t->left;
    int to = from + w->tile.pixels + t->row.count - 1;
    int inside[2] = {from < 0 ? 0 : from, to < width ? to : width};

    if (inside[0] >= inside[1]) /* a term's columns may all lie outside */
        inside[0] = inside[1] = from < 0 ? to : from;
    else
        column_sums(pass, w, layer, term, slide && t->column_slides, (size_t)inside[0] * channels,
                    (size_t)(inside[0] - from) * channels, (inside[1] - inside[0]) * (int)channels);
    ghost_sums(pass, w, layer, term, inside, from, from, inside[0]);
    ghost_sums(pass, w, layer, term, inside, from, inside[1], to);
    (t->row_slides ? ops->row_slide_32 : ops->row_32)(&t->row, column, start, sums, n);
}

static void layer_sums(const struct separable_pass *pass, struct separable_worker *w, int layer,
                       bool slide)
{
    int n = w->tile.pixels * pass->job->plan->channels;

    term_sums(pass, w, layer, 0, slide, pass->layer[layer].start, w->sums[layer]);
    for (int k = 1; k < pass->terms; k++) {
        term_sums(pass, w, layer, k, slide, 0, w->more);
        for (int x = 0; x < n; x++)
            w->sums[layer][x] += w->more[x];
    }
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
        cpu_finish_32(pass->ops, plan, (const int32_t *)w->sums[PLAIN], out, n,
                      pass->tiles.streams);
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
    if (pass->slides || pass->layers == 2)
        part = tile->pixels;
    w->tile = *tile;
    for (int y = tile->first; y < tile->end; y++) {
        take_rows(pass, w, y, y == tile->first);
        for (int x = tile->first_pixel; x < end; x += part) {
            w->tile.first_pixel = x;
            w->tile.pixels = end - x < part ? end - x : part;
            filter_row(pass, w, y, pass->slides && y != tile->first);
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

static void ghost_make(struct separable_pass *pass, int term)
{
    const struct plan *plan = pass->plan;
    const struct cpu_taps *column = &pass->term[term].column;
    for (int i = 0; i < column->count; i++)
        for (int c = 0; c < plan->channels; c++) {
            uint32_t value = plan_ghost(plan, c);
            pass->layer[PLAIN].ghost_sum[term][c] += column->weight[i] * value;
            pass->layer[PRODUCT].ghost_sum[term][c] += column->weight[i] * value * plan->max;
        }
}

static bool weights_make(struct separable_pass *pass)
{
    const struct plan *plan = pass->plan;

    for (; pass->terms < terms_count(&plan->mask[0]); pass->terms++) {
        struct plan_term from = term_get(&plan->mask[0], pass->terms);
        struct cpu_term *term = &pass->term[pass->terms];
        if (!term_make(term, &from, plan->channels, pass->common > 0))
            return false;
        pass->slides |= term->column_slides || term->row_slides;
        ghost_make(pass, pass->terms);
    }
    return true;
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
        for (int k = 0; k < pass->terms; k++)
            w->column[layer][k] = cpu_memory_take(memory, n * sizeof(uint32_t));
        w->sums[layer] = cpu_memory_take(memory, n * sizeof(uint32_t));
        w->row[layer] = cpu_memory_take(memory, height * sizeof *w->row[layer]);
    }
    if (pass->common > 0)
        w->wide = cpu_memory_take(memory, n * sizeof *w->wide);
    if (pass->terms > 1)
        w->more = cpu_memory_take(memory, n * sizeof(uint32_t));
    if (pass->layers == 2)
        w->products = cpu_memory_take(memory, products * sizeof *w->products);
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
}

static void terms_free(void *state)
{
    struct separable_pass *pass = state;
    for (int k = 0; k < PLAN_MOST_TERMS; k++)
        term_free(&pass->term[k]);
    free(pass);
}

static void *terms_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    struct separable_pass *pass = calloc(1, sizeof *pass);

    (void)width, (void)height;
    if (!pass)
        return NULL;
    pass->plan = plan;
    pass->ops = ops;
    layers_make(pass);
    if (weights_make(pass))
        return pass;
    terms_free(pass);
    return NULL;
}

static bool terms_run(const void *state, const struct kernel_job *job, struct error *err)
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

/* ---- the rows of the table ---- */

static const char *separable_refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    (void)ops;
    return cpu_separable_wins(plan)        ? NULL
           : plan->alpha == ALPHA_WEIGHTED ? "of colour weighted by alpha it takes 8-bit boxes only"
           : plan->mask[0].row == NULL     ? "the mask is no column times a row"
                                           : "every cell takes less time, or its sums do not fit";
}

/* Per sample of colour weighted by alpha. */
#define WEIGHTED_NS 2.3

static double separable_cost(const struct plan *plan, const struct cpu_ops *ops, int width,
                             int height)
{
    const struct plan_mask *m = &plan->mask[0];
    double cost = 0.1 + (terms_slide(m) ? 0.12 : 0.075) * plan->type +
                  fmin(cpu_cells(plan), cpu_terms_taps(m)) / CPU_RATE_TAPS;

    if (separable_refusal(plan, ops))
        return HUGE_VAL;
    if (plan->alpha == ALPHA_WEIGHTED) /* running sums: the same for every box */
        cost = WEIGHTED_NS;
    else if (needs_64(m))
        cost *= 2;
    return cpu_samples(plan, width, height) * cost;
}

static const char *terms_refusal(const struct plan *plan, const struct cpu_ops *ops)
{
    (void)ops;
    return is_sum_of_terms(plan)           ? NULL
           : plan->alpha == ALPHA_WEIGHTED ? "it does not weight colour by alpha"
           : plan->mask[0].row             ? "the mask is one column times a row"
                                           : "the mask is no sum of a few columns times rows";
}

static double terms_cost(const struct plan *plan, const struct cpu_ops *ops, int width, int height)
{
    const struct plan_mask *m = &plan->mask[0];
    double cost = cpu_terms_taps(m) / (2 * CPU_RATE_TAPS) + 0.31 * m->terms;

    if (cpu_cells(plan) < CPU_FEW_CELLS || terms_refusal(plan, ops))
        return HUGE_VAL;
    return cpu_samples(plan, width, height) * cost;
}

const struct cpu_method cpu_method_separable = {
    .name = "separable",
    .idea = "a column pass and a row pass",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .refusal = separable_refusal,
    .cost = separable_cost,
    .wide_cost = 0.78,
    .make = terms_make,
    .run = terms_run,
    .free = terms_free,
};

const struct cpu_method cpu_method_terms = {
    .name = "terms",
    .idea = "a few column passes and row passes, added up",
    .kinds = KERNEL_KIND(PLAN_LINEAR),
    .refusal = terms_refusal,
    .cost = terms_cost,
    .wide_cost = 0.8,
    .make = terms_make,
    .run = terms_run,
    .free = terms_free,
};
