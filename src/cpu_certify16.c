/* Certified sums for 16-bit samples: see cpu_certify16.h.
 *
 * Samples are centred, y = x - 32768, so that they fit int16. Weights v = w/d become integers of
 * two planes of int16,
 *
 *   v * 2^e = v' + r,  |r| <= 1/2,     v' = high * 2^k + low,  |low| <= 2^(k-1)
 *
 * with as many bits as let H = sum of high*y and L = sum of low*y stay below 2^31: sum|high| and
 * sum|low| are at most 65535. For more than a few weights that would leave few bits to `low`; then
 * the products of every pair of taps are shifted right by 8 before they are added (parts), each
 * time short by less than 1, and sum|low| may be 2^8 times as large, less what the
 * roundings could add up to. What is wanted is then
 *
 *   (S + floor(d/2)) / d = 2^-e * (2^k * H + L + 32768 * sum v' + sum r*x) + (o + floor(d/2)) / d
 *   max * (sum of r < 0)  <=  sum r*x  <=  max * (sum of r > 0)
 *
 * It is worked out in units of 2^-bits, in integers: (H >> a) + (L >> b) falls short by less than
 * 1 for every shift. All that does not depend on samples is a constant for the lower bound and
 * one for the upper bound. Where the floors of both, clamped, are equal, that is the sample.
 *
 * Separable: w[i][j]/d is close to c[i] * v[j], with v the row through the largest weight. The
 * column's sums C = 2^k * H + L are rounded down to units of 2^-unit (short by less than 2, from
 * two shifts) and cut into pairs of int16 again, C' = upper * 2^t + lower with the k of the row's
 * planes as t, so that
 *
 *   sum v'*C' = 2^2t * (sum high*upper) + 2^t * (sum high*lower + low*upper) + sum low*lower
 *
 * of which the last is left out: at most 2^(t-1) * sum|low|. The rest r of each weight is taken
 * against the product of both columns' and rows' integers, so nothing about rank is assumed: a
 * mask that is not close to rank 1 has large rests.
 *
 * The constants come from doubles: rests are right to 2^-50 of the weights (three roundings), and
 * with everything that they are added to, to less than one unit in the end; one more unit each way
 * covers that. */
#include "cpu_certify16.h"

#include <math.h>
#include <stdlib.h>

#include "cpu_certify.h"

#define PLANE_SUM 65535 /* times 2^15 is below 2^31 */
#define LOW_BITS  15
/* The row: 2^15 * sum|low| + 2^12 * sum|high| < 2^31. */
#define ROW_LOW_SUM  57343
#define ROW_LOW_BITS 13
#define FEW_CELLS    60 /* up to so many, more bits of `low` are not worth the shifts */
#define PART_SUM     (256 * PLANE_SUM - 256)
#define CENTRE       32768.0

/* Numbers as integers of two planes. */
struct planes {
    int n, e, k;
    const double *value;
    int32_t *high, *low; /* n each */
    double sum;          /* of v' */
    int width, group; /* rows of so many, whose pairs are summed in groups of taps; 0: none are */
};

static int64_t whole(const struct planes *p, int i)
{
    return p->high[i] * ((int64_t)1 << p->k) + p->low[i];
}

/* Do the sums of all groups fit 32 bits? */
static bool groups_fit(const struct planes *p)
{
    int width = p->width;
    for (int i = 0; p->group > 0 && i < p->n; i += 2 * width)
        for (int j = 0; j < width; j += p->group) {
            int32_t sum = 0;
            for (int k = i + j; k < i + width && k < i + j + p->group; k++)
                sum += abs(p->low[k]) + (k + width < p->n ? abs(p->low[k + width]) : 0);
            if (sum > PLANE_SUM)
                return false;
        }
    return true;
}

/* Fills the planes for e and k; false where they do not fit. */
static bool planes_fill(struct planes *p, int32_t low_sum)
{
    int64_t half = p->k > 0 ? (int64_t)1 << (p->k - 1) : 0, high = 0, low = 0;

    p->sum = 0;
    for (int i = 0; i < p->n; i++) {
        int64_t v = (int64_t)nearbyint(ldexp(p->value[i], p->e)), h = (v + half) >> p->k;
        int64_t l = v - h * ((int64_t)1 << p->k);
        high += h < 0 ? -h : h;
        low += l < 0 ? -l : l;
        if (h < -INT16_MAX || h > INT16_MAX || high > PLANE_SUM || low > low_sum)
            return false;
        p->high[i] = (int32_t)h;
        p->low[i] = (int32_t)l;
        p->sum += (double)v;
    }
    return groups_fit(p);
}

/* The most bits that fit: first of high, then of low. */
static bool planes_make(struct planes *p, int32_t low_sum, int low_bits)
{
    double sum = 0, largest = 0, room;
    int most;

    for (int i = 0; i < p->n; i++) {
        sum += fabs(p->value[i]);
        largest = fmax(largest, fabs(p->value[i]));
    }
    if (!(largest > 0))
        return false;
    room = fmin(PLANE_SUM / sum, INT16_MAX / largest);
    most = ilogb(room);
    for (int high = most; high > most - 8; high--)
        for (p->k = low_bits; p->k >= 0; p->k--) {
            p->e = high + p->k;
            if (planes_fill(p, low_sum))
                return true;
        }
    return false;
}

/* The bounds' constants before they are rounded, in sample values. */
struct span {
    double low, high;
};

/* sum r*x, in units of 2^-e, from the weights' integers. */
static void span_add_rest(struct span *span, double v, int e, int64_t integer, double max)
{
    double rest = ldexp(v, e) - (double)integer;
    *(rest < 0 ? &span->low : &span->high) += ldexp(rest, -e) * max;
}

/* The bits after the point: the results, before they are clamped, must fit 31 bits. */
static int choose_bits(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    double d = (double)m->divisor, negative = ((double)m->sum_abs - (double)m->sum) / 2 / d;
    double offset = fabs((double)m->offset / d) + 2;
    double reach = fmax(negative, (double)m->sum_abs / d - negative) * plan->max + offset;
    int bits = ilogb((0x1p31 - 0x1p17) / reach);
    return bits > 15 ? 15 : bits;
}

static int shift_within(int shift)
{
    return shift > 31 ? 31 : shift; /* of 32 bits no more is left, and the error stays below 1 */
}

/* SHIFTS sums were rounded down; false where the bounds lie too far apart. */
static bool bounds_make(struct cpu_bounds *b, const struct plan *plan, struct span span, int bits,
                        int high_shift, int low_shift, int shifts)
{
    const struct plan_mask *m = &plan->mask[0];
    double constant = ((double)m->offset + (double)(m->divisor / 2)) / (double)m->divisor;
    double low, high;

    if (bits < 0 || high_shift < 0)
        return false;
    low = floor(ldexp(constant + span.low, bits)) - 1;
    high = ceil(ldexp(constant + span.high, bits)) + 1 + shifts;
    /* Where many samples would be doubtful the exact sums alone are faster. */
    if (!(fabs(low) < 0x1p31 && high - low <= ldexp(0.25, bits)))
        return false;
    *b = (struct cpu_bounds){.high_shift = shift_within(high_shift),
                             .low_shift = shift_within(low_shift),
                             .start = (int32_t)low,
                             .width = (int32_t)(high - low),
                             .bits = bits,
                             .max = (int32_t)plan->max};
    return true;
}

/* Weights i of a line of WIDTH, those of two lines to one pair; from PLANES to[0] and to[1]. */
static void put_weight(uint32_t *to[2], const struct planes *p, int width, int i)
{
    int at = i / width / 2 * width + i % width, shift = i / width % 2 * 16;
    to[0][at] |= ((uint32_t)p->high[i] & 0xffff) << shift;
    to[1][at] |= ((uint32_t)p->low[i] & 0xffff) << shift;
}

/* ---- the mask as it is ---- */

static bool make_direct(struct cpu_certify16 *c, const struct plan *plan, struct planes *p,
                        int group)
{
    const struct plan_mask *m = &plan->mask[0];
    int pairs = (m->height + 1) / 2, bits = choose_bits(plan), low_shift;
    uint32_t *to[2] = {c->weights, c->weights + pairs * m->width};
    struct span span = {0, 0};

    c->group = p->group = group;
    if (!planes_make(p, group > 0 ? PART_SUM : PLANE_SUM, LOW_BITS))
        return false;
    if (bits > p->e - p->k)
        bits = p->e - p->k;
    for (int i = 0; i < p->n; i++) {
        span_add_rest(&span, p->value[i], p->e, whole(p, i), plan->max);
        put_weight(to, p, m->width, i);
    }
    span.low += ldexp(p->sum, -p->e) * CENTRE;
    span.high += ldexp(p->sum, -p->e) * CENTRE;
    c->sums = (struct cpu_two_masks){pairs, m->width, plan->channels, {to[0], to[1]}};
    low_shift = p->e - bits;
    if (group > 0) { /* every group is short by less than 1 of 2^-(e - 8) */
        span.high += ldexp(pairs * ((m->width + group - 1) / group), CPU_PART_SHIFT - p->e);
        low_shift -= CPU_PART_SHIFT;
    }
    return low_shift >= 0 &&
           bounds_make(&c->bounds, plan, span, bits, p->e - p->k - bits, low_shift, 2);
}

/* ---- by column and row ---- */

/* The largest unit in which the column's sums, and half of 2^t, fit t + 16 bits. */
static int choose_unit(const struct planes *column, int t)
{
    double reach = 0;
    int unit;
    for (int i = 0; i < column->n; i++)
        reach += fabs((double)whole(column, i));
    reach = ldexp(reach, -column->e) * CENTRE;
    unit = ilogb((ldexp(1, 15 + t) - ldexp(1, t - 1) - 4) / reach);
    return unit < column->e - column->k ? unit : column->e - column->k;
}

/* What the row leaves out, in sample values: low*lower, and the column's rounding. */
static void span_add_row(struct span *span, const struct planes *row, int unit)
{
    double scale = ldexp(1, -row->e - unit);
    for (int j = 0; j < row->n; j++) {
        double product = ldexp(abs(row->low[j]), row->k - 1) * scale;
        double v = (double)whole(row, j) * scale;
        span->low -= product;
        span->high += product;
        *(v < 0 ? &span->low : &span->high) += 2 * v;
    }
}

static bool make_separable(struct cpu_certify16 *c, const struct plan *plan, struct planes *column,
                           struct planes *row, const double *value)
{
    const struct plan_mask *m = &plan->mask[0];
    int pairs = (m->height + 1) / 2, bits = choose_bits(plan), unit, point;
    uint32_t *to[2] = {c->weights, c->weights + pairs};
    uint32_t *row_to[2] = {c->weights + 2 * pairs, c->weights + 2 * pairs + m->width};
    struct span span = {0, 0};

    if (!planes_make(column, PLANE_SUM, LOW_BITS) || !planes_make(row, ROW_LOW_SUM, ROW_LOW_BITS) ||
        row->k < 1)
        return false;
    for (int i = 0; i < m->height; i++)
        for (int j = 0; j < m->width; j++)
            span_add_rest(&span, value[i * m->width + j], column->e + row->e,
                          whole(column, i) * whole(row, j), plan->max);
    unit = choose_unit(column, row->k);
    span_add_row(&span, row, unit);
    span.low += ldexp(column->sum * row->sum, -column->e - row->e) * CENTRE;
    span.high += ldexp(column->sum * row->sum, -column->e - row->e) * CENTRE;
    point = row->e + unit - 2 * row->k; /* of the upper sum */
    if (bits > point)
        bits = point;
    for (int i = 0; i < m->height; i++)
        put_weight(to, column, 1, i);
    for (int j = 0; j < m->width; j++) { /* times (lower, upper) */
        row_to[0][j] = (uint32_t)row->high[j] << 16;
        row_to[1][j] = (uint32_t)row->low[j] << 16 | ((uint32_t)row->high[j] & 0xffff);
    }
    c->separable = true;
    c->sums = (struct cpu_two_masks){pairs, 1, plan->channels, {to[0], to[1]}};
    c->row = (struct cpu_two_masks){1, m->width, plan->channels, {row_to[0], row_to[1]}};
    c->join = (struct cpu_join){shift_within(column->e - column->k - unit),
                                shift_within(column->e - unit), row->k};
    return bounds_make(&c->bounds, plan, span, bits, point - bits, point + row->k - bits, 2);
}

/* ---- either ---- */

#define RATE_TAPS  15.0 /* a nanosecond: taps of a column and a row */
#define RATE_CELLS 35.0
#define COST_GROUP 2.0 /* as much as so many cells */
#define RATE_EXACT 1.3 /* cells of a sample in doubt */

double cpu_certify16_cost(const struct cpu_certify16 *c, const struct plan_mask *m)
{
    double cells = (double)m->width * m->height, sums = cells;
    if (c->group > 0)
        sums += COST_GROUP * c->sums.pairs * ((m->width + c->group - 1) / c->group);
    return (c->separable ? (m->width + m->height) / RATE_TAPS : sums / RATE_CELLS) +
           c->share * cells / RATE_EXACT;
}

/* What the planes are made of, and where. */
struct parts {
    struct planes whole, column, row;
};

#define SEPARABLE (-1)

/* WAY: by column and row, or the group of the whole mask's sums. What it costs, INFINITY where it
 * cannot be used. */
static double make_way(struct cpu_certify16 *c, const struct plan *plan, struct parts *parts,
                       int way)
{
    bool ok;
    for (int i = 0; i < 2 * (parts->whole.n + parts->column.n + parts->row.n); i++)
        c->weights[i] = 0;
    c->separable = way == SEPARABLE;
    c->group = 0;
    ok = c->separable ? make_separable(c, plan, &parts->column, &parts->row, parts->whole.value)
                      : make_direct(c, plan, &parts->whole, way);
    c->share = ok ? ldexp(c->bounds.width, -c->bounds.bits) : 1;
    return ok ? cpu_certify16_cost(c, &plan->mask[0]) : INFINITY;
}

/* The way that costs least. */
static bool make_any(struct cpu_certify16 *c, const struct plan *plan, double *number,
                     int32_t *plane)
{
    const struct plan_mask *m = &plan->mask[0];
    int n = m->width * m->height, pairs = (m->height + 1) / 2, best = SEPARABLE;
    bool separable = pairs * m->width > pairs + m->width + 2;
    double least = INFINITY, cost;
    double *column = number + n, *row = column + m->height;
    struct parts parts = {
        {.n = n, .value = number, .high = plane, .low = plane + n, .width = m->width},
        {.n = m->height, .value = column, .high = plane, .low = plane + m->height},
        {.n = m->width,
         .value = row,
         .high = plane + 2 * m->height,
         .low = plane + 2 * m->height + m->width}};

    for (int i = 0; i < n; i++)
        number[i] = (double)m->weight[i] / (double)m->divisor;
    cpu_certify_factors(number, m->width, m->height, column, row);
    if (separable)
        least = make_way(c, plan, &parts, SEPARABLE);
    for (int group = 0, next = m->width; next > 0 && least > n / RATE_CELLS;
         group = next, next = next > 1 ? (next + 1) / 2 : 0) {
        cost = make_way(c, plan, &parts, group);
        if (cost < least) {
            least = cost;
            best = group;
        }
    }
    cost = make_way(c, plan, &parts, best);
    return cost < INFINITY;
}

static void exact_make(struct cpu_certify16 *c, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int width = m->width;

    if (m->sum_abs > (int64_t)1 << 46) /* more than four digits, where max is small */
        return;
    c->exact = (struct cpu_exact){(m->height + 1) / 2, width, plan->channels, c->digits};
    for (int i = 0; i < width * m->height; i++) {
        uint32_t *to = c->digits + (i / width / 2 * width + i % width) * CPU_DIGITS;
        int64_t rest = m->weight[i], half = 1 << (CPU_DIGIT_BITS - 1);
        for (int k = 0; k < CPU_DIGITS; k++) {
            int64_t above = k < CPU_DIGITS - 1 ? (rest + half) >> CPU_DIGIT_BITS : 0;
            uint32_t digit = (uint32_t)(rest - above * 2 * half) & 0xffff;
            to[k] |= digit << i / width % 2 * 16;
            rest = above;
        }
    }
}

bool cpu_certify16_make(struct cpu_certify16 *c, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    size_t n = (size_t)m->width * (size_t)m->height, sides = (size_t)(m->width + m->height);
    double *number = malloc((n + sides) * sizeof *number);
    int32_t *plane = malloc(2 * (n + sides) * sizeof *plane);
    bool ok;

    *c = (struct cpu_certify16){.weights = calloc(2 * (n + sides), sizeof *c->weights),
                                .digits = calloc(CPU_DIGITS * (n + sides), sizeof *c->digits)};
    ok = number && plane && c->weights && c->digits && make_any(c, plan, number, plane);
    if (ok)
        exact_make(c, plan);
    free(number);
    free(plane);
    return ok;
}

void cpu_certify16_free(struct cpu_certify16 *c)
{
    free(c->weights);
    free(c->digits);
    c->weights = c->digits = NULL;
}
