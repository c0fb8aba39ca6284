/* Weights, bounds and costs of the method `real`. docs/methods.md proves that the exact value of a
 * sample, before it is rounded down, lies between the two bounds; here are the formulas.
 *
 * Notation: u = 2^-24 for float, 2^-53 for double. max: the largest sample. n: the most roundings
 * of a number on the way from a line into a sum: 1 + T + G for a chain of T products in G groups. v
 * is w/d. p: the used weights, close to v. x': the samples minus the centre, |x'| <= reach.
 *
 * Plain sums:
 *
 *   constant  = centre * W/d + o/d + 1/2,   size = reach * sum of |p|
 *   error     = reach * (sum of |v - p|, measured, + 2^-49 * (sum of |v| + sum of |p|))
 *             + 1.01 * n * u * size         roundings
 *             + 8u * (size + |centre * W/d| + |o/d| + 1)    constant, bounds, and their sum
 *
 * Underflow: a float product below the smallest normal number has an error of 2^-149 at most, and
 * 2^18 such errors times the sum of |r| < 2^40 are far less than u, which the last line has to
 * spare.
 *
 * Colour weighted by alpha (no weight is negative). The sums' relative error is e = (n + 3)u; for a
 * column times a row, n * u plus the largest relative error of their products against w/W. If the
 * numbers used are whole and all sums are at most 1/u, e = 0. An alpha, before it is rounded down,
 * is then a multiple of 1/(2W): 1/(4W) is added, which is more than its error if 16u*(max + 1)*W is
 * at most 1.
 *
 *   error     = 1.05 * (2e + 8u) * max * W/d + 8u * (|o/d| + 1)
 *
 * Weights, and factors of weights, are at least 2^-62, so that no product is below 2^-124: no
 * underflow. */
#include <math.h>
#include <stdlib.h>

#include "cpu/real.h"

/* Largest share of recomputed samples; past it exact sums of every cell are faster. */
#define MOST_DOUBT 0.25
/* Numbers below SMALL * u times the largest number of their column or row are left out. */
#define SMALL 4

/* Nanoseconds per sample: for the pass, per tap of float, and per tap of a column or a row. Double
 * takes twice as long. Colour weighted by alpha takes WEIGHTED_NS more, and its lines leave the
 * caches under a column of more than CACHE_ROWS rows. */
#define SAMPLE_NS   0.59
#define WEIGHTED_NS 0.56
#define TAP_NS      0.024
#define TERM_TAP_NS 0.04
#define CACHE_ROWS  145.0
/* Nanoseconds of each cell of a recomputed sample. */
#define EXACT_CELL_NS 0.8

struct search {
    const struct plan *plan;
    bool wide;
    double unit;          /* u */
    bool whole;           /* weighted by alpha: v is w, and all sums are exact */
    double *value, *rest; /* v, and v minus the terms */
    double values;        /* the sum of |v| */
    int terms;
    double sizes; /* the sum of |c*r| over the terms */
    double column[CPU_REAL_TERMS][MASK_MAX_SIDE], row[CPU_REAL_TERMS][MASK_MAX_SIDE];
};

/* VALUE rounded to float or double. */
static double rounded(const struct search *s, double value)
{
    return s->wide ? value : (double)(float)value;
}

/* Writes v of every cell. */
static void values_put(struct search *s)
{
    const struct plan_mask *m = &s->plan->mask[0];
    const bool weighted = s->plan->alpha == ALPHA_WEIGHTED;
    const double divisor = (double)(weighted ? m->sum : m->divisor), max = (double)s->plan->max;

    s->whole = weighted && fmax(max * max, 16 * (max + 1)) * (double)m->sum * s->unit <= 1;
    s->values = 0;
    for (int k = 0; k < m->width * m->height; k++) {
        s->value[k] = (double)m->weight[k] / (s->whole ? 1 : divisor);
        s->values += fabs(s->value[k]);
    }
}

static double error_unit(bool wide)
{
    return wide ? 0x1p-53 : 0x1p-24;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* 1 + T + G */
static int chain(int width, int height)
{
    int rows = CPU_REAL_GROUP / width > 1 ? CPU_REAL_GROUP / width : 1;
    rows = rows < height ? rows : height;
    return 1 + rows * width + (height + rows - 1) / rows;
}

/* ---- columns and rows ---- */

/* The largest cell of the rest; BUT >= 0: outside the row and the column of cell BUT. */
static int largest_cell(const struct search *s, int but)
{
    int width = s->plan->mask[0].width, at = -1;
    for (int k = 0; k < width * s->plan->mask[0].height; k++) {
        bool outside = but < 0 || (k / width != but / width && k % width != but % width);
        if (outside && (at < 0 || fabs(s->rest[k]) > fabs(s->rest[at])))
            at = k;
    }
    return at;
}

/* Rounds N numbers, each divided by BY; small ones become 0. Returns the sum of |number|. */
static double factor_put(const struct search *s, const double *from, int step, int n, double by,
                         double *to)
{
    double most = 0, sum = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(from[i * step]));
    for (int i = 0; i < n; i++) {
        bool small =
            s->plan->alpha != ALPHA_WEIGHTED && fabs(from[i * step]) < SMALL * s->unit * most;
        to[i] = small ? 0 : rounded(s, from[i * step] / by);
        sum += fabs(to[i]);
    }
    return sum;
}

/* Subtracts one more column times a row from the rest: through the largest cell. AROUND: the first
 * term avoids the row and the column of the peak; sharpening by a Gaussian then leaves a single
 * cell. False if nothing is left, or the numbers are of no use. */
static bool term_add(struct search *s, bool around)
{
    const struct plan_mask *m = &s->plan->mask[0];
    int at = largest_cell(s, around && s->terms == 0 ? largest_cell(s, -1) : -1);
    double *column = s->column[s->terms], *row = s->row[s->terms], columns, rows, common;

    if (at < 0 || !(fabs(s->rest[at]) > 0x1p-60))
        return false;
    common = s->whole && m->row ? (double)m->row[at % m->width] : 1; /* whole numbers stay whole */
    columns = factor_put(s, s->rest + at % m->width, m->width, m->height, common, column);
    rows =
        factor_put(s, s->rest + at / m->width * m->width, 1, m->width, s->rest[at] / common, row);
    s->sizes += columns * rows;
    s->terms++;
    for (int k = 0; k < m->width * m->height; k++)
        s->rest[k] -= column[k / m->width] * row[k % m->width];
    return rows < 0x1p40;
}

/* ---- the bounds ---- */

static void bounds_set(struct cpu_real_bounds *b, int c, bool divided, double scale,
                       double constant, double error)
{
    b->divided[c] = divided;
    b->scale[c] = scale;
    b->low[c] = constant - error;
    b->high[c] = constant + error;
}

/* The bounds of plain sums. REST: the sum of |v - p|; SIZES: the sum of |p|. False: too wide. */
static bool bounds_plain(struct cpu_real *real, const struct search *s, double rest, double sizes,
                         int roundings)
{
    const struct plan *plan = s->plan;
    const struct plan_mask *m = &plan->mask[0];
    double d = (double)m->divisor, offset = (double)m->offset / d;
    double middle = real->centre * ((double)m->sum / d);
    double reach = fmax(real->centre, plan->max - (double)real->centre), size = reach * sizes;
    double error = reach * (1.001 * rest + 0x1p-49 * (s->values + sizes));

    error += 1.01 * roundings * s->unit * size;
    error += 8 * s->unit * (size + fabs(middle) + fabs(offset) + 1);
    real->bounds = (struct cpu_real_bounds){.channels = plan->channels, .max = plan->max};
    for (int c = 0; c < 4; c++)
        bounds_set(&real->bounds, c, false, 1, middle + offset + 0.5, error);
    real->doubt = 2 * error;
    return real->doubt < MOST_DOUBT;
}

/* The bounds of colour weighted by alpha; E: the relative error of the sums, unless they are
 * exact. */
static void bounds_weighted(struct cpu_real *real, const struct search *s, double e)
{
    const struct plan *plan = s->plan;
    const struct plan_mask *m = &plan->mask[0];
    double offset = (double)m->offset / (double)m->divisor;
    double gain = (double)m->sum / (double)m->divisor;
    double relative = 1.05 * (2 * (s->whole ? 0 : e) + 8 * s->unit) * plan->max;
    double w = s->whole ? (double)m->sum : 1;
    double error = relative * gain + 8 * s->unit * (fabs(offset) + 1);

    real->bounds = (struct cpu_real_bounds){plan->channels, true, .max = plan->max};
    real->plain = real->bounds;
    for (int c = 0; c < 4; c++) {
        if (c % plan->channels == plan->channels - 1 && s->whole)
            bounds_set(&real->bounds, c, false, 1 / w, 0.5 + 0.25 / w, 0);
        else if (c % plan->channels == plan->channels - 1)
            bounds_set(&real->bounds, c, false, 1, 0.5, relative + 8 * s->unit);
        else
            bounds_set(&real->bounds, c, true, gain, offset + 0.5, error);
        bounds_set(&real->plain, c, false, gain / w, offset + 0.5, error);
    }
    real->doubt = fmin(1, 2 * fmax(error, relative));
}

static void cost_set(struct cpu_real *real, const struct plan *plan, int taps)
{
    double cells = (double)plan->mask[0].width * plan->mask[0].height;
    bool weighted = plan->alpha == ALPHA_WEIGHTED;

    real->sample_ns = SAMPLE_NS + (weighted ? WEIGHTED_NS : 0);
    real->sample_ns += (real->terms > 0 ? TERM_TAP_NS : TAP_NS) * taps;
    real->sample_ns *= real->wide ? 2 : 1;
    if (weighted && real->terms > 0)
        real->sample_ns *= fmax(1, plan->mask[0].height / CACHE_ROWS);
    real->sample_ns += real->doubt * EXACT_CELL_NS * cells * (weighted ? 2 : 1);
}

/* ---- the candidates ---- */

/* Copies N numbers to the weights, from weight AT on; returns the new number of weights. */
static int weights_put(struct cpu_real *real, int at, const double *from, int n, const void **where)
{
    double *wide = real->weights;
    float *narrow = real->weights;
    *where = real->wide ? (const void *)(wide + at) : (const void *)(narrow + at);
    for (int k = 0; k < n; k++)
        if (real->wide)
            wide[at + k] = from[k];
        else
            narrow[at + k] = (float)from[k];
    return at + n;
}

/* Strips zeros from both ends. Returns where the numbers begin; *count: how many are left. */
static int trim(const double *numbers, int n, int *count)
{
    int first = 0;
    while (n > 1 && !(fabs(numbers[n - 1]) > 0))
        n--;
    while (first < n - 1 && !(fabs(numbers[first]) > 0))
        first++;
    *count = n - first;
    return first;
}

static struct cpu_real *candidate(const struct search *s, size_t numbers)
{
    struct cpu_real *real = calloc(1, sizeof *real);
    if (!real)
        return NULL;
    real->wide = s->wide;
    real->whole = s->whole;
    real->centre = s->plan->alpha == ALPHA_WEIGHTED || s->plan->max < 255 ? 0 : 128;
    if (s->plan->type == SAMPLE_U16)
        real->centre = 0;
    real->weights = malloc(numbers * sizeof(double));
    if (real->weights)
        return real;
    free(real);
    return NULL;
}

/* The cheaper one of A and B, either of which may be NULL; frees the other. */
static struct cpu_real *cheaper(struct cpu_real *a, struct cpu_real *b, bool b_good)
{
    if (!b || !b_good || (a && a->sample_ns <= b->sample_ns)) {
        cpu_real_free(b);
        return a;
    }
    cpu_real_free(a);
    return b;
}

static struct cpu_real *try_cells(struct search *s, struct cpu_real *best)
{
    const struct plan *plan = s->plan;
    const struct plan_mask *m = &plan->mask[0];
    int cells = m->width * m->height, n = chain(m->width, m->height);
    struct cpu_real *real = candidate(s, (size_t)cells);
    double rest = 0, sizes = 0;
    bool good = true;

    if (!real)
        return best;
    real->cells.width = m->width;
    real->cells.height = m->height;
    real->cells.step = plan->channels;
    weights_put(real, 0, s->value, cells, &real->cells.weight);
    for (int k = 0; k < cells; k++) {
        rest += fabs(s->value[k] - rounded(s, s->value[k]));
        sizes += fabs(rounded(s, s->value[k]));
    }
    if (plan->alpha == ALPHA_WEIGHTED)
        bounds_weighted(real, s, (n + 3) * s->unit);
    else
        good = bounds_plain(real, s, rest, sizes, n);
    cost_set(real, plan, cells);
    return cheaper(best, real, good);
}

/* The largest relative error of the first term's products against v; false: not all have one. */
static bool relative_error(const struct search *s, double *most)
{
    const struct plan_mask *m = &s->plan->mask[0];
    *most = 0;
    if (s->whole)
        return m->row != NULL;
    for (int k = 0; k < m->width * m->height; k++) {
        double product = s->column[0][k / m->width] * s->row[0][k % m->width];
        if ((s->value[k] > 0) != (product > 0))
            return false;
        if (product > 0)
            *most = fmax(*most, fabs(product / s->value[k] - 1) + 0x1p-50);
    }
    return true;
}

/* Tries the terms that the search has found so far. */
static struct cpu_real *try_terms(struct search *s, struct cpu_real *best)
{
    const struct plan *plan = s->plan;
    const struct plan_mask *m = &plan->mask[0];
    struct cpu_real *real = candidate(s, (size_t)s->terms * (size_t)(m->width + m->height));
    int at = 0, taps = 0, columns = 0, rows = 0;
    double rest = 0;
    bool good;

    if (!real)
        return best;
    real->terms = s->terms;
    for (int k = 0; k < s->terms; k++) {
        struct cpu_real_term *t = &real->term[k];
        t->column.width = t->row.height = 1;
        t->column.step = t->row.step = plan->channels;
        t->top = trim(s->column[k], m->height, &t->column.height);
        t->left = trim(s->row[k], m->width, &t->row.width);
        at = weights_put(real, at, s->column[k] + t->top, t->column.height, &t->column.weight);
        at = weights_put(real, at, s->row[k] + t->left, t->row.width, &t->row.weight);
        taps += t->column.height + t->row.width;
        columns = larger(columns, chain(1, t->column.height));
        rows = larger(rows, chain(t->row.width, 1));
    }
    if (plan->alpha == ALPHA_WEIGHTED) {
        good = relative_error(s, &rest);
        bounds_weighted(real, s, (columns + rows) * s->unit + rest);
    } else {
        for (int k = 0; k < m->width * m->height; k++)
            rest += fabs(s->rest[k]);
        good = bounds_plain(real, s, rest, s->sizes, columns + rows + s->terms);
    }
    cost_set(real, plan, taps);
    return cheaper(best, real, good);
}

/* Tries every cell, and terms in both orders, in float or double. */
static struct cpu_real *try_all(struct search *s, bool wide, struct cpu_real *best)
{
    const struct plan_mask *m = &s->plan->mask[0];
    int cells = m->width * m->height;
    int most = s->plan->alpha == ALPHA_WEIGHTED ? 1 : CPU_REAL_TERMS;

    s->wide = wide;
    s->unit = error_unit(wide);
    values_put(s);
    best = try_cells(s, best);
    for (int around = 0; around < 2 && m->width > 1 && m->height > 1; around++) {
        for (int k = 0; k < cells; k++)
            s->rest[k] = s->value[k];
        s->sizes = 0;
        for (s->terms = 0; s->terms < most && term_add(s, around == 1);)
            best = try_terms(s, best);
    }
    return best;
}

struct cpu_real *cpu_real_make(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    size_t cells = (size_t)m->width * (size_t)m->height;
    struct search *s = calloc(1, sizeof *s);
    struct cpu_real *best = NULL;

    if (s) {
        s->plan = plan;
        s->value = malloc(2 * cells * sizeof *s->value);
    }
    if (s && s->value) {
        s->rest = s->value + cells;
        if (plan->type == SAMPLE_U8)
            best = try_all(s, false, best);
        best = try_all(s, true, best);
        free(s->value);
    }
    free(s);
    return best;
}

void cpu_real_free(struct cpu_real *real)
{
    if (real)
        free(real->weights);
    free(real);
}
