/* The numbers of certified sums by row and column: see cpu/near8.h.
 *
 * The weights v[i][j] = w[i][j] / d are close to c[i] * r[j], with r the row through the largest
 * weight. With int16 R = r * alpha and C = c * beta, rounded, alpha * beta = 2^(bits + s),
 *
 *   A = sum of R*x          of a row, exactly, between max * (sum of R < 0) = least and
 *                           max * (sum of R > 0)
 *   q = floor((A - least) / 2^s) - 32768   fits int16;  A = 2^s * (q + 32768 + f) + least, 0 <= f <
 * 1 T = sum of C*q          modulo 2^32 v[i][j] = C[i] * R[j] / 2^(bits + s) + e[i][j]
 *
 *   2^bits * (S + floor(d/2)) / d = T + (32768 + least / 2^s) * sum of C + sum of C*f
 *                                   + 2^bits * (sum of e*x + (o + floor(d/2)) / d)
 *
 * sum of C*f lies between the sum of C < 0 and that of C > 0, and sum of e*x between max times the
 * sum of e < 0 and of e > 0. Nothing about rank is assumed: a mask that is not close to rank 1 has
 * large e. All that does not depend on samples is a constant for the lower bound and one for the
 * upper bound; where the floors of both are equal, that is the sample. They are taken from a whole
 * number on that no bound lies below, and all bounds fit 32 bits from there, so that it does not
 * matter that T wraps.
 *
 * The constants come from doubles that are right to 2^-50 of the weights, less than one unit of
 * 2^-bits in the end; one more unit each way covers that.
 *
 * alpha may be any number: of many, the one is taken whose C and R need the least rounding. */
#include <math.h>
#include <stdlib.h>

#include "cpu/certify.h"
#include "cpu/near8.h"

/* Of samples that may be doubtful; past it sums over every cell are faster. */
#define MOST_DOUBTFUL 0.05
#define TRIED         16384 /* roundings */
#define MOST_ALPHAS   4096
#define MOST_BITS     24

struct factors {
    int width, height;
    double column[CPU_MAX_SIDE], row[CPU_MAX_SIDE];
    double column_sum, row_sum, column_largest, row_largest; /* absolute */
    double constant;                                         /* (o + floor(d/2)) / d */
    double base;                                             /* a whole number below all bounds */
    double range;                                            /* of the bounds, from there */
};

/* |R| up to 32767, and so A fits 31 bits: 255 * 255 * 32767 < 2^31. */
struct scales {
    int bits, s;
    double alpha, beta;
};

/* The nearest whole number of -65536..65535. */
static int whole(double v)
{
    return (int)(v + 65536.5) - 65536;
}

/* False for a mask of zeros, and where the factors alone leave too much out. */
static bool factors_make(struct factors *f, const struct plan *plan, double *value)
{
    const struct plan_mask *m = &plan->mask[0];
    double below = 0, above = 0, rest = 0;

    *f = (struct factors){.width = m->width, .height = m->height};
    for (int i = 0; i < m->width * m->height; i++) {
        value[i] = (double)m->weight[i] / (double)m->divisor;
        *(value[i] < 0 ? &below : &above) += value[i] * plan->max;
    }
    cpu_certify_factors(value, m->width, m->height, f->column, f->row);
    for (int i = 0; i < m->width * m->height; i++)
        rest += fabs(value[i] - f->column[i / m->width] * f->row[i % m->width]);
    for (int j = 0; j < m->width; j++) {
        f->row_sum += fabs(f->row[j]);
        f->row_largest = fmax(f->row_largest, fabs(f->row[j]));
    }
    for (int i = 0; i < m->height; i++) {
        f->column_sum += fabs(f->column[i]);
        f->column_largest = fmax(f->column_largest, fabs(f->column[i]));
    }
    f->constant = ((double)m->offset + (double)(m->divisor / 2)) / (double)m->divisor;
    /* Both bounds lie closer to the value than that, or they are not used. */
    f->base = floor(f->constant + below - MOST_DOUBTFUL);
    f->range = f->constant + above + MOST_DOUBTFUL - f->base;
    return f->row_largest > 0 && rest * plan->max < MOST_DOUBTFUL && fabs(f->base) < 0x1p30;
}

/* The other scales beside ALPHA, and about the share of samples that they leave in doubt; false
 * where they do not fit. */
static bool scales_make(struct scales *scales, const struct factors *f, double max, double alpha,
                        double *doubt)
{
    double row = 0, column = 0, sum = 0;

    for (int j = 0; j < f->width; j++) {
        int weight = whole(f->row[j] * alpha);
        row += fabs(f->row[j] * alpha - weight);
        sum += abs(weight);
    }
    *scales = (struct scales){.bits = MOST_BITS, .alpha = alpha};
    while (sum * max >= ldexp(65535, scales->s))
        scales->s++;
    while (ldexp(f->range, scales->bits) >= 0x1p32 ||
           f->column_largest * ldexp(1, scales->bits + scales->s) > alpha * INT16_MAX)
        scales->bits--;
    if (scales->bits < 1)
        return false;
    scales->beta = ldexp(1, scales->bits + scales->s) / alpha;
    for (int i = 0; i < f->height; i++)
        column += fabs(f->column[i] * scales->beta - whole(f->column[i] * scales->beta));
    *doubt = max * (row / alpha * f->column_sum + column / scales->beta * f->row_sum) +
             f->column_sum * scales->beta * ldexp(1, -scales->bits);
    return true;
}

static bool choose_scales(struct scales *best, const struct factors *f, double max)
{
    int count = TRIED / (f->width + f->height);
    double largest = INT16_MAX / f->row_largest, least = INFINITY, doubt;
    struct scales scales;

    if (count > MOST_ALPHAS)
        count = MOST_ALPHAS;
    for (int k = 0; k < count; k++)
        if (scales_make(&scales, f, max, largest * (1 - 0.75 * k / count), &doubt) &&
            doubt < least) {
            least = doubt;
            *best = scales;
        }
    return least < MOST_DOUBTFUL;
}

/* What is the same for all samples; false where too much is in doubt. */
static bool bounds_make(struct cpu_near8 *near, const struct factors *f, const struct plan *plan,
                        const struct scales *scales, const double *value, const int32_t *row,
                        const int32_t *column)
{
    double max = plan->max, least = 0, sum = 0, rest[2] = {0, 0}, floors[2] = {0, 0}, low, high;

    for (int j = 0; j < f->width; j++)
        least += row[j] < 0 ? row[j] * max : 0;
    for (int i = 0; i < f->height; i++) {
        sum += column[i];
        floors[column[i] > 0] += column[i];
    }
    for (int i = 0; i < f->width * f->height; i++) {
        double product = (double)column[i / f->width] * row[i % f->width];
        double e = value[i] - ldexp(product, -scales->bits - scales->s);
        rest[e > 0] += e;
    }
    low = ldexp(f->constant, scales->bits) + (32768 + ldexp(least, -scales->s)) * sum;
    high = ceil(low + floors[1] + ldexp(rest[1] * max, scales->bits)) + 1;
    low = floor(low + floors[0] + ldexp(rest[0] * max, scales->bits)) - 1;
    near->share = ldexp(high - low, -scales->bits);
    near->row.start = (int32_t)(-least - ldexp(32768, scales->s));
    near->row.shift = scales->s;
    near->bounds = (struct cpu_bounds8){
        .start = (uint32_t)(int64_t)fmod(low - ldexp(f->base, scales->bits), 0x1p32),
        .bits = scales->bits,
        .base = (int32_t)f->base,
        .width = (int32_t)fmin(high - low, 0x1p30),
        .max = (int32_t)plan->max};
    return near->share < MOST_DOUBTFUL;
}

/* Pairs of taps along the row; columns of two rows of output, the lower one of which begins one row
 * further down. */
static void pack_weights(struct cpu_near8 *near, const struct plan *plan, const int32_t *row,
                         const int32_t *column)
{
    const struct plan_mask *m = &plan->mask[0];
    int taps = (m->width + 1) / 2, pairs = m->height / 2 + 1;
    uint32_t *upper = near->weights + taps, *lower = upper + pairs;

    near->row.taps = taps;
    near->row.step = 2 * plan->channels;
    near->row.weight = near->weights;
    near->column = (struct cpu_two_masks){pairs, 1, plan->channels, {upper, lower}};
    for (int j = 0; j < m->width; j++)
        near->weights[j / 2] |= ((uint32_t)row[j] & 0xffff) << j % 2 * 16;
    for (int i = 0; i < m->height; i++) {
        upper[i / 2] |= ((uint32_t)column[i] & 0xffff) << i % 2 * 16;
        lower[(i + 1) / 2] |= ((uint32_t)column[i] & 0xffff) << (i + 1) % 2 * 16;
    }
}

bool cpu_near8_make(struct cpu_near8 *near, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    size_t cells = (size_t)m->width * (size_t)m->height;
    double *value = malloc(cells * sizeof *value);
    int32_t row[CPU_MAX_SIDE], column[CPU_MAX_SIDE];
    struct factors f;
    struct scales scales = {0};
    bool ok;

    *near = (struct cpu_near8){
        .weights = calloc((size_t)(m->width + 2 * m->height) + 4, sizeof *near->weights)};
    ok = value && near->weights && factors_make(&f, plan, value) &&
         choose_scales(&scales, &f, plan->max);
    for (int j = 0; ok && j < m->width; j++)
        row[j] = whole(f.row[j] * scales.alpha);
    for (int i = 0; ok && i < m->height; i++)
        column[i] = whole(f.column[i] * scales.beta);
    ok = ok && bounds_make(near, &f, plan, &scales, value, row, column);
    if (ok)
        pack_weights(near, plan, row, column);
    free(value);
    return ok;
}

void cpu_near8_free(struct cpu_near8 *near)
{
    free(near->weights);
    near->weights = NULL;
}
