/* Certified sums for 16-bit samples by columns and rows: see cpu/certify16.h.
 *
 * The weights v[i][j] = w[i][j]/d are close to a sum of few terms c[i] * r[j]. The first one's r is
 * the row through the largest weight and c what the other rows are of it, the second one's the
 * same of what that leaves, and so on: a Gaussian has one, a Laplacian of it, an unsharp mask and
 * a difference of Gaussians two.
 *
 * A column's sums C = 2^k * H + L are rounded down to units of 2^-unit (short by less than 2, from
 * two shifts) and cut into pairs of int16 again, C' = upper * 2^t + lower with the k of the rows'
 * planes as t, so that
 *
 *   sum r'*C' = 2^2t * (sum high*upper) + 2^t * (sum high*lower + low*upper) + sum low*lower
 *
 * of which the last is left out: at most 2^(t-1) * sum|low|. All terms have the same unit, e and k
 * of their rows, and are added up in the same sums: all columns' sizes have the same sum, that
 * which lets the rows have as many bits as there are, or the columns. Low sums may be made in
 * groups (cpu/certify16.c).
 *
 * What is left of each weight is taken against the products of both columns' and rows' integers,
 * so nothing about rank is assumed: a mask of high rank leaves much. Here doubles' roundings count:
 * three of each weight and term, and as many as there are of these in a sum of them. */
#include <stdlib.h>

#include "cpu/certify16_ways.h"

bool cpu_certify16_add_term(struct cpu_certify16_ways *ways)
{
    const struct plan_mask *m = &ways->plan->mask[0];
    int width = m->width, at = 0;
    double *rest = ways->rest, *column = ways->column + ways->terms * m->height;
    double *row = ways->row + ways->terms * width, sum = 0, pivot;

    for (int i = 1; i < width * m->height; i++)
        if (fabs(rest[i]) > fabs(rest[at]))
            at = i;
    pivot = rest[at];
    if (!(fabs(pivot) > 0))
        return false;
    for (int i = 0; i < m->height; i++) {
        column[i] = rest[i * width + at % width] / pivot;
        sum += fabs(column[i]);
    }
    for (int j = 0; j < width; j++)
        row[j] = rest[at / width * width + j] * sum;
    ways->left = 0;
    for (int i = 0; i < m->height; i++) {
        column[i] /= sum;
        for (int j = 0; j < width; j++) {
            rest[i * width + j] -= column[i] * row[j];
            ways->left += fabs(rest[i * width + j]);
        }
    }
    ways->terms++;
    return true;
}

/* The largest unit in which the column's sums, and half of 2^t, fit t + 16 bits. */
static int choose_unit(const struct cpu_planes *column, int t)
{
    double reach = 0;
    int unit;
    for (int i = 0; i < column->n; i++)
        reach += fabs((double)cpu_planes_whole(column, i));
    reach = ldexp(reach, -column->e) * CPU_CENTRE16;
    unit = ilogb((ldexp(1, 15 + t) - ldexp(1, t - 1) - 4) / reach);
    return unit < column->e - column->k ? unit : column->e - column->k;
}

/* What the rows leave out, in sample values: low*lower, and the columns' rounding. */
static void span_add_rows(struct cpu_span *span, const struct cpu_planes *row, int unit)
{
    double scale = ldexp(1, -row->e - unit);
    for (int j = 0; j < row->n; j++) {
        double product = ldexp(abs(row->low[j]), row->k - 1) * scale;
        span->low -= product;
        span->high += product;
        cpu_span_add(span, 2 * (double)cpu_planes_whole(row, j) * scale);
    }
}

/* What the terms leave of the weights, and what is the same for all samples. */
static struct cpu_span span_of(const struct cpu_certify16_ways *ways,
                               const struct cpu_planes *column, const struct cpu_planes *row,
                               int terms)
{
    const struct plan_mask *m = &ways->plan->mask[0];
    struct cpu_span span = {0, 0};
    double size = 0, centre = 0, slack, scale[CPU_CERTIFY16_TERMS];

    for (int t = 0; t < terms; t++)
        scale[t] = ldexp(1, -column[t].e - row->e);
    for (int i = 0; i < m->height; i++)
        for (int j = 0; j < m->width; j++) {
            double value = ways->value[i * m->width + j], rest = value;
            size += fabs(value);
            for (int t = 0; t < terms; t++) {
                double part = (double)(cpu_planes_whole(&column[t], i) *
                                       cpu_planes_whole(row, t * m->width + j)) *
                              scale[t];
                rest -= part;
                centre += part * CPU_CENTRE16;
                size += fabs(part);
            }
            cpu_span_add(&span, rest * ways->plan->max);
        }
    slack = ldexp(size * 2 * CPU_CENTRE16 * m->width * m->height, -50);
    span.low += centre - slack;
    span.high += centre + slack;
    return span;
}

static void put_weights(struct cpu_certify16 *c, const struct plan *plan,
                        const struct cpu_planes *column, const struct cpu_planes *row, int terms)
{
    const struct plan_mask *m = &plan->mask[0];
    int pairs = (m->height + 1) / 2, count = terms * m->width;
    uint32_t *row_to[2] = {c->weights + 2 * terms * pairs, c->weights + 2 * terms * pairs + count};

    for (int t = 0; t < terms; t++) {
        uint32_t *to[2] = {c->weights + 2 * t * pairs, c->weights + (2 * t + 1) * pairs};
        for (int i = 0; i < m->height; i++)
            cpu_planes_put(to, &column[t], 1, i);
        c->column[t] = (struct cpu_two_masks){pairs, 1, plan->channels, {to[0], to[1]}};
    }
    for (int j = 0; j < count; j++) { /* times (lower, upper) */
        row_to[0][j] = (uint32_t)row->high[j] << 16;
        row_to[1][j] = (uint32_t)row->low[j] << 16 | ((uint32_t)row->high[j] & 0xffff);
    }
    c->sums = (struct cpu_two_masks){terms, m->width, plan->channels, {row_to[0], row_to[1]}};
}

/* Both planes of columns and rows; the largest unit of all columns. False where they do not fit. */
static bool make_planes(const struct cpu_certify16_ways *ways, int terms, int group,
                        struct cpu_planes *column, struct cpu_planes *row, int *unit)
{
    int width = ways->plan->mask[0].width, height = ways->plan->mask[0].height;
    int32_t *high = ways->plane, *low = high + terms * (width + height);
    double *scaled = ways->scaled, room = cpu_planes_room(ways->row, terms * width), scale;

    if (!(room > 0))
        return false;
    /* Of the rows, so that a power of 2 fits them, with room for what rounding adds; or the
     * columns, where groups give the rows bits enough. */
    scale = room / ldexp(1, ilogb(room)) * (1 - (terms * width + 1) / (double)CPU_PLANE_SUM);
    if (group > 0)
        scale = 1 + (height + 2) / (double)CPU_PLANE_SUM;
    for (int j = 0; j < terms * width; j++)
        scaled[terms * height + j] = ways->row[j] * scale;
    *row = (struct cpu_planes){.n = terms * width,
                               .value = scaled + terms * height,
                               .high = high + terms * height,
                               .low = low + terms * height,
                               .rows = 1,
                               .width = width,
                               .group = group,
                               .crossed = true};
    if (!cpu_planes_make(row) || row->k < 1)
        return false;
    *unit = INT32_MAX;
    for (int t = 0; t < terms; t++) {
        int own;
        for (int i = t * height; i < (t + 1) * height; i++)
            scaled[i] = ways->column[i] / scale;
        column[t] = (struct cpu_planes){.n = height,
                                        .value = scaled + t * height,
                                        .high = high + t * height,
                                        .low = low + t * height,
                                        .rows = 2,
                                        .width = 1};
        if (!cpu_planes_make(&column[t]))
            return false;
        own = choose_unit(&column[t], row->k);
        *unit = own < *unit ? own : *unit;
    }
    return true;
}

bool cpu_certify16_make_terms(struct cpu_certify16 *c, const struct cpu_certify16_ways *ways,
                              int terms, int group)
{
    const struct plan *plan = ways->plan;
    int bits = cpu_bounds16_bits(plan), width = plan->mask[0].width, unit, point, low_shift;
    struct cpu_planes column[CPU_CERTIFY16_TERMS], row;
    struct cpu_span span;

    if (!make_planes(ways, terms, group, column, &row, &unit))
        return false;
    span = span_of(ways, column, &row, terms);
    span_add_rows(&span, &row, unit);
    point = row.e + unit - 2 * row.k; /* of the upper sum */
    if (bits > point)
        bits = point;
    low_shift = point + row.k - bits;
    if (group > 0) { /* as in cpu/certify16.c */
        int groups = terms * ((width + group - 1) / group);
        span.high += ldexp(groups, CPU_PART_SHIFT - point - row.k);
        low_shift -= CPU_PART_SHIFT;
    }
    put_weights(c, plan, column, &row, terms);
    for (int t = 0; t < terms; t++)
        c->join[t] = (struct cpu_join){cpu_shift_within(column[t].e - column[t].k - unit),
                                       cpu_shift_within(column[t].e - unit), row.k};
    return low_shift >= 0 &&
           cpu_bounds16_make(&c->bounds, plan, span, bits, point - bits, low_shift, 2);
}
