/* Masks of rank 1 and of low rank: see cpu/rank1.h.
 *
 *   column sums  c[x] = sum over i of column[i] * in[y + i - ay][x]
 *   row sums     S    = sum over j of row[j] * c[x + j - ax]
 *
 * A mask of low rank is the sum of several such terms, each with its own size and place.
 * No row is copied: the column pass reads the picture itself. A ghost cell left or
 * right has the column sum of the cell it folds to, so ghost cells cost a few sums
 * a row. Where S fits 32 bits all sums wrap, modulo 2^32; what happens in between
 * does not matter. Else what the column's weights have in common goes to the row, so
 * that c fits int32, and only the row's sums have 64 bits.
 *
 * A box needs no taps: from row to row its column sums gain one row and lose one, and
 * along a row the sum gains one column and loses one.
 *
 * With colour weighted by alpha (8 bits, boxes) it is done again for the products of colour
 * and alpha, which are made once a row, in a ring. */
#include "cpu/rank1.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/finish.h"
#include "cpu/strips.h"
#include "cpu/terms.h"

/* A strip's column sums stay in the caches next to the core, with the rows they come from. */
#define SUM_ELEMENTS (12 * 1024)

/* The sums of one kind: of the samples (0) or of their products with alpha (1). */
enum { PLAIN, PRODUCT };
struct layer {
    enum sample_type type; /* of the rows */
    bool wide;             /* 64-bit sums of the row */
    /* of a ghost cell that is no cell of the picture, per channel */
    uint32_t ghost_sum[PLAN_MOST_TERMS][4];
    int64_t start;
};

struct worker {
    struct cpu_strip strip;
    /* of each layer: column sums of one strip with its halo */
    uint32_t *column[2][PLAN_MOST_TERMS];
    union cpu_sums sums[2]; /* of each layer */
    union cpu_sums more;    /* of a term, to be added to them */
    const void *ghosts;     /* a row */
    uint16_t *products;     /* weighted: mask_height + 1 rows of the picture */
    const void **row[2];    /* of each layer: the rows under the mask */
    const void *left[2];    /* of each layer: the row that the mask has left */
};

struct pass {
    const struct kernel_job *job;
    const struct cpu_ops *ops;
    struct cpu_strips strips;
    struct cpu_term term[PLAN_MOST_TERMS];
    int terms;
    bool slides; /* any term's columns */
    int layers;  /* 2 for weighted alpha */
    struct layer layer[2];
};

/* ---- which plans, which form ---- */

bool cpu_rank1_wins(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int64_t cells = m->width * m->height, square = (int64_t)plan->max * plan->max;
    if (plan->kind != PLAN_LINEAR || !m->row)
        return false;
    if (plan->alpha == ALPHA_WEIGHTED) /* else numbers of floating point are as fast or faster */
        return plan->type == SAMPLE_U8 && m->width + m->height > 20 && cpu_terms_slide(m) &&
               m->sum < INT64_MAX / 2 / square && cpu_terms_fit(m, square);
    if (m->accumulator == ACCUMULATOR_I64)
        return cpu_terms_fit(m, plan->max) &&
               (plan->type == SAMPLE_U16 || cells >= 2 * (m->height + 3 * m->width));
    /* Direct sums of 8 bits take two taps at a time. */
    return cells / (plan->type == SAMPLE_U8 ? 2 : 1) >= m->width + m->height;
}

bool cpu_rank1_is_narrow(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int64_t gcd = cpu_taps_common(m->column, m->height);
    bool alike = m->width >= SLIDE_COLUMNS && cpu_taps_alike(m->row, m->width);
    for (int j = 0; j < m->width && !alike; j++)
        if (m->row[j] > INT32_MAX / gcd || m->row[j] < -INT32_MAX / gcd)
            return false;
    return true;
}

bool cpu_rank1_can_terms(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return plan->kind == PLAN_LINEAR && plan->alpha != ALPHA_WEIGHTED && m->terms > 0 &&
           (m->accumulator == ACCUMULATOR_I32 || (m->terms_exact && cpu_terms_fit(m, plan->max)));
}

/* ---- one row of one strip ---- */

/* Column sums of elements [first, first + n) of the rows, to column[at...]; slide: from those of
 * the row above. */
static void column_sums(const struct pass *pass, struct worker *w, int layer, int term, bool slide,
                        size_t first, size_t at, int n)
{
    const struct cpu_ops *ops = pass->ops;
    const struct cpu_term *t = &pass->term[term];
    uint32_t *sum = w->column[layer][term] + at;
    bool bytes = pass->layer[layer].type == SAMPLE_U8;
    const void **row = w->row[layer] + t->top;

    if (slide)
        (bytes ? ops->column_slide_u8
               : ops->column_slide_u16)(t->column.weight[0], row[t->column.count - 1],
                                        t->top > 0 ? row[-1] : w->left[layer], first, sum, n);
    else
        (bytes ? ops->column_32_u8 : ops->column_32_u16)(&t->column, row, first, sum, n);
}

/* The same for pixels [from, to) outside the picture; column[0] is that of pixel `origin`, and
 * pixels [inside_from, inside_to) are there. */
static void ghost_sums(const struct pass *pass, struct worker *w, int layer, int term,
                       const int inside[2], int origin, int from, int to)
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

/* One term's, to SUMS. */
static void term_sums(const struct pass *pass, struct worker *w, int layer, int term, bool slide,
                      int64_t start, union cpu_sums sums)
{
    const struct cpu_ops *ops = pass->ops;
    const struct plan *plan = pass->job->plan;
    const struct cpu_term *t = &pass->term[term];
    const uint32_t *column = w->column[layer][term];
    size_t channels = (size_t)plan->channels;
    int n = w->strip.pixels * plan->channels, width = pass->job->in->width;
    int from = w->strip.first_pixel - plan->mask[0].anchor_x + t->left;
    int to = from + w->strip.pixels + t->row.count - 1;
    int inside[2] = {from < 0 ? 0 : from, to < width ? to : width};

    if (inside[0] >= inside[1]) /* a term's columns may all lie outside */
        inside[0] = inside[1] = from < 0 ? to : from;
    else
        column_sums(pass, w, layer, term, slide && t->column_slides, (size_t)inside[0] * channels,
                    (size_t)(inside[0] - from) * channels, (inside[1] - inside[0]) * (int)channels);
    ghost_sums(pass, w, layer, term, inside, from, from, inside[0]);
    ghost_sums(pass, w, layer, term, inside, from, inside[1], to);
    if (pass->layer[layer].wide)
        (t->row_slides ? ops->row_slide_64 : ops->row_64)(&t->row64, column, start, sums.wide, n);
    else
        (t->row_slides ? ops->row_slide_32 : ops->row_32)(&t->row, column, (uint32_t)start,
                                                          (uint32_t *)sums.narrow, n);
}

static void layer_sums(const struct pass *pass, struct worker *w, int layer, bool slide)
{
    union cpu_sums sums = w->sums[layer], more = w->more;
    int n = w->strip.pixels * pass->job->plan->channels;

    term_sums(pass, w, layer, 0, slide, pass->layer[layer].start, sums);
    for (int k = 1; k < pass->terms; k++) {
        term_sums(pass, w, layer, k, slide, 0, more);
        if (pass->layer[layer].wide)
            for (int x = 0; x < n; x++)
                sums.wide[x] = (int64_t)((uint64_t)sums.wide[x] + (uint64_t)more.wide[x]);
        else
            for (int x = 0; x < n; x++)
                sums.narrow[x] = (int32_t)((uint32_t)sums.narrow[x] + (uint32_t)more.narrow[x]);
    }
}

/* The row's colours times alpha; what stands in the alpha places does not matter. */
static void make_products(const uint8_t *in, uint16_t *out, int width, int channels)
{
    for (int x = 0; channels == 4 && x < 4 * width; x += 4)
        for (int c = 0; c < 4; c++)
            out[x + c] = (uint16_t)(in[x + c] * in[x + 3]);
    for (int x = 0; channels == 2 && x < 2 * width; x += 2)
        out[x] = out[x + 1] = (uint16_t)(in[x] * in[x + 1]);
}

static uint16_t *product_row(const struct pass *pass, const struct worker *w, int v)
{
    int slots = pass->job->plan->mask[0].height + 1, slot = (v % slots + slots) % slots;
    return w->products +
           (size_t)slot * (size_t)pass->job->in->width * (size_t)pass->job->plan->channels;
}

/* The rows under output row y; products of those that are new (all, where y begins a piece). */
static void take_rows(const struct pass *pass, struct worker *w, int y, bool all)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    for (int k = 0; k < pass->layers; k++)
        w->left[k] = w->row[k][0];
    for (int i = 0; i < m->height; i++) {
        int v = y - m->anchor_y + i;
        w->row[PLAIN][i] = cpu_strip_row(job, &w->strip, v, w->ghosts);
        if (pass->layers == 1)
            continue;
        w->row[PRODUCT][i] = product_row(pass, w, v);
        if (all || i == m->height - 1)
            make_products(w->row[PLAIN][i], product_row(pass, w, v), job->in->width,
                          job->plan->channels);
    }
}

static void filter_row(const struct pass *pass, struct worker *w, int y, bool slide)
{
    const struct plan *plan = pass->job->plan;
    int n = w->strip.pixels * plan->channels;
    void *out = cpu_strip_out(pass->job, &w->strip, y);

    for (int k = 0; k < pass->layers; k++)
        layer_sums(pass, w, k, slide);
    if (pass->layers == 2)
        cpu_finish_weighted(pass->ops, plan, pass->layer[PLAIN].wide, w->sums[PLAIN],
                            pass->layer[PRODUCT].wide, w->sums[PRODUCT], out, n);
    else
        cpu_finish_linear(pass->ops, plan, pass->layer[PLAIN].wide, w->sums[PLAIN], out, n);
    cpu_finish_unfiltered(pass->job, y, w->strip.first_pixel, w->strip.pixels, out);
}

static void run_strip(const void *context, void *worker, const struct cpu_strip *strip)
{
    const struct pass *pass = context;
    struct worker *w = worker;

    w->strip = *strip;
    for (int y = strip->first; y < strip->end; y++) {
        take_rows(pass, w, y, y == strip->first);
        filter_row(pass, w, y, pass->slides && y != strip->first);
    }
}

/* ---- one pass ---- */

/* Both layers are wide or none is: they share the column's weights. */
static void layers_make(struct pass *pass)
{
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    bool weighted = plan->alpha == ALPHA_WEIGHTED;
    int64_t square = (int64_t)plan->max * plan->max;
    bool wide = m->accumulator == ACCUMULATOR_I64 || (weighted && m->sum > INT32_MAX / square);

    pass->layers = weighted ? 2 : 1;
    pass->layer[PLAIN] = (struct layer){plan->type, wide, {{0}}, m->offset};
    pass->layer[PRODUCT] = (struct layer){SAMPLE_U16, wide, {{0}}, 0};
}

static void ghost_make(struct pass *pass, int term)
{
    const struct plan *plan = pass->job->plan;
    const struct cpu_taps *column = &pass->term[term].column;
    for (int i = 0; i < column->count; i++)
        for (int c = 0; c < plan->channels; c++) {
            uint32_t value = plan_ghost(plan, c);
            pass->layer[PLAIN].ghost_sum[term][c] += column->weight[i] * value;
            pass->layer[PRODUCT].ghost_sum[term][c] += column->weight[i] * value * plan->max;
        }
}

static bool weights_make(struct pass *pass)
{
    const struct plan *plan = pass->job->plan;

    for (; pass->terms < cpu_terms_count(&plan->mask[0]); pass->terms++) {
        struct plan_term from = cpu_terms_get(&plan->mask[0], pass->terms);
        struct cpu_term *term = &pass->term[pass->terms];
        if (!cpu_term_make(term, &from, plan->channels, pass->layer[PLAIN].wide))
            return false;
        pass->slides |= term->column_slides;
        ghost_make(pass, pass->terms);
    }
    return true;
}

static void worker_make(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct pass *pass = context;
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    struct worker *w = worker;
    size_t height = (size_t)m->height, halo = (size_t)m->width * (size_t)plan->channels;
    size_t n = cpu_strips_sums(&pass->strips) + halo;
    size_t products = (height + 1) * (size_t)pass->job->in->width * (size_t)plan->channels;

    /* Cleared: whole blocks read the slack at the end, and do not use it. */
    for (int layer = 0; layer < pass->layers; layer++) {
        for (int k = 0; k < pass->terms; k++)
            w->column[layer][k] = cpu_memory_keep(memory, calloc(n, sizeof(uint32_t)));
        w->sums[layer].wide = cpu_memory_keep(memory, calloc(n, sizeof(int64_t)));
        w->row[layer] = cpu_memory_keep(memory, calloc(height, sizeof *w->row[layer]));
    }
    if (pass->terms > 1)
        w->more.wide = cpu_memory_keep(memory, calloc(n, sizeof(int64_t)));
    if (pass->layers == 2)
        w->products = cpu_memory_keep(memory, malloc(products * sizeof *w->products));
    w->ghosts = cpu_memory_ghosts(memory, pass->job);
}

bool cpu_rank1_run(const struct kernel_job *job, const struct cpu_ops *ops, struct error *err)
{
    static const struct cpu_strips_path path = {sizeof(struct worker), worker_make, run_strip};
    struct pass pass = {.job = job, .ops = ops};
    bool ok;

    layers_make(&pass);
    /* Products are made of whole rows. */
    pass.strips = cpu_strips_cut(job, pass.layers == 2 ? job->out->width
                                                       : SUM_ELEMENTS / job->plan->channels);
    ok = weights_make(&pass) ? cpu_strips_run(&pass.strips, &path, &pass, err)
                             : error_set(err, EXIT_INPUT, "no memory for the mask's weights");
    for (int k = 0; k < PLAN_MOST_TERMS; k++)
        cpu_term_free(&pass.term[k]);
    return ok;
}
