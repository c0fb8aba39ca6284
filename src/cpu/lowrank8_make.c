/* The numbers of certified sums by a few columns and rows: see cpu/lowrank8.h.
 *
 * The weights v[i][j] = w[i][j] / d are the sum over terms k of c[k][i] * r[k][j], floats, and of
 * e[i][j], which double tells. With x' = x - 128 for the samples,
 *
 *   (S + floor(d/2)) / d = sum of c*r*x' + sum of e*x' + 128 * (sum of w) / d + (o + floor(d/2)) /
 * d
 *
 * where |x'| <= 128 bounds the second sum. The first one is made in float, columns first. With
 * u = 2^-24, a number that is rounded n times on its way, its product included, is off by
 * less than 1.01 * n * u of itself, for the n that matter here, and so the sum by that of
 *
 *   size = 128 * sum over k of (sum of |c[k]|) * (sum of |r[k]|);
 *
 * of n cpu/ops.h tells those of a column and those of the row. The constants, and their sum with
 * that, are rounded too: by less than 4u * (size + |low| + |high| + 1). No product is so small that
 * it has fewer bits: factors below 2^-30 of the largest one are left to e, and masks that are
 * fainter than 2^-40 to others.
 *
 * Columns and rows come of elimination: the row and the column through the largest weight, over it,
 * are taken away, and so on with what is left. If neither the row nor the column of the largest
 * weight is taken first, of sharpening by a Gaussian a single cell is left over. */
#include <math.h>
#include <stdlib.h>

#include "cpu/certify.h"
#include "cpu/lowrank8.h"
#include "cpu/window8.h"

/* Of samples that may be doubtful. */
#define MOST_DOUBTFUL 0.05
#define UNIT          0x1p-24
#define SMALL         0x1p-30 /* of the largest factor: not worth a tap */

/* ns a sample: of all of them, and of a tap */
#define COST_SAMPLE 0.9
#define COST_TAP    0.03

struct factors {
    int width, height, terms;
    double *rest; /* owned */
    double sizes; /* size / 128 */
    float column[CPU_LOWRANK8_TERMS][CPU_MAX_SIDE], row[CPU_LOWRANK8_TERMS][CPU_MAX_SIDE];
};

bool cpu_lowrank8_can(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return plan->kind == PLAN_LINEAR && plan->alpha != ALPHA_WEIGHTED && plan->type == SAMPLE_U8 &&
           m->accumulator == ACCUMULATOR_I64 && m->width > 4 && m->height > 4;
}

/* ---- columns and rows ---- */

/* The largest cell, or the largest one outside the row and column of cell BUT. */
static int largest(const struct factors *f, int but)
{
    int at = -1, width = f->width;
    for (int k = 0; k < width * f->height; k++) {
        bool outside = but < 0 || (k / width != but / width && k % width != but % width);
        if (outside && (at < 0 || fabs(f->rest[k]) > fabs(f->rest[at])))
            at = k;
    }
    return at;
}

/* To float, without what is small; returns the sum of sizes. */
static double put_factor(const double *from, int step, int n, double by, float *to)
{
    double most = 0, sum = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(from[i * step]));
    for (int i = 0; i < n; i++) {
        to[i] = fabs(from[i * step]) < SMALL * most ? 0 : (float)(from[i * step] * by);
        sum += fabs((double)to[i]);
    }
    return sum;
}

/* False where that many terms leave too much. */
static bool eliminate(struct factors *f, const struct plan_mask *m, bool around)
{
    int cells = f->width * f->height;

    for (int k = 0; k < cells; k++)
        f->rest[k] = (double)m->weight[k] / (double)m->divisor;
    f->sizes = 0;
    for (f->terms = 0; f->terms < CPU_LOWRANK8_TERMS;) {
        int at = largest(f, around && f->terms == 0 ? largest(f, -1) : -1);
        int top = at / f->width * f->width, left = at % f->width;
        float *column = f->column[f->terms], *row = f->row[f->terms];
        double pivot = f->rest[at], left_over = 0;

        if (fabs(pivot) < 0x1p-40)
            return false;
        f->sizes += put_factor(f->rest + left, f->width, f->height, 1, column) *
                    put_factor(f->rest + top, 1, f->width, 1 / pivot, row);
        f->terms++;
        for (int k = 0; k < cells; k++) {
            f->rest[k] -= (double)column[k / f->width] * (double)row[k % f->width];
            left_over += fabs(f->rest[k]);
        }
        if (left_over <= 4 * UNIT * f->sizes)
            return f->sizes < 0x1p16;
    }
    return false;
}

/* ---- taps ---- */

/* Those of weights that are not 0, filled up to whole rounds of the chains; to weights and places
 * if these are there. Returns how many. */
static int put_taps(const float *from, int n, int first, float *weight, int *place, int count)
{
    for (int i = 0; i < n; i++)
        if (from[i] != 0) {
            if (weight) {
                weight[count] = from[i];
                place[count] = first + i;
            }
            count++;
        }
    return count;
}

static int fill_up(float *weight, int *place, int count)
{
    for (; count % CPU_FLOAT_CHAINS != 0; count++)
        if (weight) {
            weight[count] = 0;
            place[count] = place[count - 1];
        }
    return count;
}

/* Without memory for them they are only counted. Returns how many there are in all. */
static int taps_make(struct cpu_lowrank8 *l, const struct factors *f, float *weight, int *place)
{
    int all = 0, count;

    for (int k = 0; k < f->terms; k++) {
        float *w = weight ? weight + all : NULL;
        int *p = weight ? place + all : NULL;
        count = fill_up(w, p, put_taps(f->column[k], f->height, 0, w, p, 0));
        l->column[k] = (struct cpu_float_taps){count, w};
        l->line[k] = p;
        all += count;
    }
    weight = weight ? weight + all : NULL;
    place = weight ? place + all : NULL;
    count = 0;
    for (int k = 0; k < f->terms; k++)
        count = put_taps(f->row[k], f->width, k * f->width, weight, place, count);
    count = fill_up(weight, place, count);
    l->row = (struct cpu_float_taps){count, weight};
    l->cell = place;
    l->terms = f->terms;
    return all + count;
}

/* ---- the bound ---- */

/* False where too many samples are in doubt. */
static bool test_make(struct cpu_lowrank8 *l, const struct factors *f, const struct plan *plan,
                      int taps)
{
    const struct plan_mask *m = &plan->mask[0];
    double d = (double)m->divisor, off = 0, size = 128 * f->sizes, constant, slack;
    int longest = 0;

    for (int k = 0; k < f->terms; k++)
        longest = l->column[k].count > longest ? l->column[k].count : longest;
    for (int k = 0; k < f->width * f->height; k++)
        off += 128 * fabs(f->rest[k]);
    constant = ((double)m->offset + (double)(m->divisor / 2)) / d + 128 * ((double)m->sum / d);
    slack = 1.01 * (longest / CPU_FLOAT_CHAINS + l->row.count / CPU_FLOAT_CHAINS + 4) * UNIT * size;
    slack += off + 4 * UNIT * (size + 2 * fabs(constant) + 2);
    l->test = (struct cpu_certify){.scale = 1,
                                   .low = (float)(constant - slack),
                                   .high = (float)(constant + slack),
                                   .max = (float)plan->max};
    l->cost = COST_SAMPLE + COST_TAP * taps + 2 * slack * cpu_window8_cost(m);
    return 2 * slack < MOST_DOUBTFUL;
}

/* Is every cell slower? */
static bool wins(const struct cpu_lowrank8 *l, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    struct cpu_rounded rounded;
    bool ok = true;

    if (m->width * m->height > CPU_ROUNDED_CELLS || !cpu_rounded_make(&rounded, plan))
        return true;
    ok = l->cost < rounded.cost;
    cpu_rounded_free(&rounded);
    return ok;
}

static bool taps_keep(struct cpu_lowrank8 *l, const struct factors *f, int taps)
{
    l->weights = malloc((size_t)taps * sizeof *l->weights);
    l->places = malloc((size_t)taps * sizeof *l->places);
    if (l->weights && l->places) {
        taps_make(l, f, l->weights, l->places);
        return true;
    }
    cpu_lowrank8_free(l);
    return false;
}

bool cpu_lowrank8_make(struct cpu_lowrank8 *lowrank, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    struct factors *f = malloc(sizeof *f);
    double least = HUGE_VAL;
    bool around = false, ok = false;

    *lowrank = (struct cpu_lowrank8){.weights = NULL};
    if (f) {
        *f = (struct factors){.width = m->width, .height = m->height};
        f->rest = malloc((size_t)m->width * (size_t)m->height * sizeof *f->rest);
    }
    for (int way = 0; f && f->rest && way < 3; way++) { /* the third time the better one again */
        bool this = way == 2 ? around : way == 1;
        int taps;
        if (way == 2 && least == HUGE_VAL)
            break;
        if (!eliminate(f, m, this))
            continue;
        taps = taps_make(lowrank, f, NULL, NULL);
        if (!test_make(lowrank, f, plan, taps))
            continue;
        if (way == 2)
            ok = wins(lowrank, plan) && taps_keep(lowrank, f, taps);
        if (lowrank->cost < least) {
            least = lowrank->cost;
            around = this;
        }
    }
    if (f)
        free(f->rest);
    free(f);
    return ok;
}

void cpu_lowrank8_free(struct cpu_lowrank8 *lowrank)
{
    free(lowrank->weights);
    free(lowrank->places);
    lowrank->weights = NULL;
    lowrank->places = NULL;
}
