/* Certified sums for 16-bit samples: see cpu/certify16.h.
 *
 * Samples are centred, y = x - 32768, so that they fit int16. Weights v = w/d become integers of
 * two planes of int16,
 *
 *   v * 2^e = v' + r,  |r| <= 1/2,     v' = high * 2^k + low,  |low| <= 2^(k-1)
 *
 * with as many bits as let H = sum of high*y and L = sum of low*y stay below 2^31: sum|high| and
 * sum|low| are at most 65535. For more than a few weights that would leave few bits to `low`; then
 * the products of groups of taps are added up first, as many as let that hold for the group, and
 * shifted right by 8 before they are added to L, each time short by less than 1: sum|low| may be
 * 2^8 times as large, less what the roundings could add up to. What is wanted is then
 *
 *   (S + floor(d/2)) / d = 2^-e * (2^k * H + L + 32768 * sum v' + sum r*x) + (o + floor(d/2)) / d
 *   max * (sum of r < 0)  <=  sum r*x  <=  max * (sum of r > 0)
 *
 * It is worked out in units of 2^-bits, in integers: (H >> a) + (L >> b) falls short by less than
 * 1 for every shift. All that does not depend on samples is a constant for the lower bound and
 * one for the upper bound. Where the floors of both, clamped, are equal, that is the sample.
 *
 * The constants come from doubles: rests are right to 2^-50 of the weights (three roundings), and
 * with everything that they are added to, to less than one unit in the end; one more unit each way
 * covers that. Masks of low rank: cpu/certify16_terms.c. */
#include "cpu/certify16.h"

#include <stdlib.h>
#include <string.h>

#include "cpu/certify16_ways.h"

/* Nanoseconds a sample. */
#define COST_TERM   0.4 /* and of each tap of a column and a row */
#define COST_TAP    0.05
#define COST_CELL   0.035
#define COST_GROUP  0.06
#define COST_DOUBT  40.0 /* of a sample in doubt, and each cell of it */
#define COST_EXACT  0.26
#define MOST_LEFT   0.25 /* in sample values: more certifies little */
#define LITTLE_LEFT 1e-4 /* one more term would not help */

static double terms_cost(const struct plan_mask *m, int terms)
{
    return terms * (COST_TERM + COST_TAP * (m->width + m->height));
}

double cpu_certify16_cost(const struct cpu_certify16 *c, const struct plan_mask *m)
{
    double cells = (double)m->width * m->height, cost = terms_cost(m, c->terms);

    if (c->terms == 0)
        cost = COST_CELL * 2 * c->sums.pairs * m->width;
    if (c->group > 0)
        cost += COST_GROUP * c->sums.pairs * ((m->width + c->group - 1) / c->group);
    return cost + c->share * (COST_DOUBT + COST_EXACT * cells);
}

/* ---- the mask as it is ---- */

static bool make_cells(struct cpu_certify16 *c, const struct cpu_certify16_ways *ways, int group)
{
    const struct plan *plan = ways->plan;
    const struct plan_mask *m = &plan->mask[0];
    int pairs = (m->height + 1) / 2, bits = cpu_bounds16_bits(plan), low_shift;
    uint32_t *to[2] = {c->weights, c->weights + pairs * m->width};
    struct cpu_span span = {0, 0};
    struct cpu_planes p = {.n = m->width * m->height,
                           .value = ways->value,
                           .high = ways->plane,
                           .low = ways->plane + m->width * m->height,
                           .rows = 2,
                           .width = m->width,
                           .group = group};

    if (!cpu_planes_make(&p))
        return false;
    if (bits > p.e - p.k)
        bits = p.e - p.k;
    for (int i = 0; i < p.n; i++) {
        double rest = ldexp(p.value[i], p.e) - (double)cpu_planes_whole(&p, i);
        cpu_span_add(&span, ldexp(rest, -p.e) * plan->max);
        cpu_planes_put(to, &p, m->width, i);
    }
    span.low += ldexp(p.sum, -p.e) * CPU_CENTRE16;
    span.high += ldexp(p.sum, -p.e) * CPU_CENTRE16;
    c->sums = (struct cpu_two_masks){pairs, m->width, plan->channels, {to[0], to[1]}};
    low_shift = p.e - bits;
    if (group > 0) { /* every group is short by less than 1 of 2^-(e - 8) */
        span.high += ldexp(pairs * ((m->width + group - 1) / group), CPU_PART_SHIFT - p.e);
        low_shift -= CPU_PART_SHIFT;
    }
    return low_shift >= 0 &&
           cpu_bounds16_make(&c->bounds, plan, span, bits, p.e - p.k - bits, low_shift, 2);
}

/* ---- the choice ---- */

/* By so many columns and rows; TERMS 0: by every cell. In groups of so many taps. What it costs,
 * INFINITY where it cannot be used. */
static double make_way(struct cpu_certify16 *c, const struct cpu_certify16_ways *ways, int terms,
                       int group)
{
    bool ok;

    memset(c->weights, 0, c->weights_bytes);
    c->terms = terms;
    c->group = group;
    ok = terms > 0 ? cpu_certify16_make_terms(c, ways, terms, group) : make_cells(c, ways, group);
    c->share = ok ? ldexp(c->bounds.width, -c->bounds.bits) : 1;
    return ok ? cpu_certify16_cost(c, &ways->plan->mask[0]) : INFINITY;
}

struct way {
    int terms, group;
    double cost;
};

/* The best of one number of terms, over lines of WIDTH: smaller groups leave less in doubt. */
static void try_groups(struct cpu_certify16 *c, const struct cpu_certify16_ways *ways, int terms,
                       struct way *best)
{
    int width = ways->plan->mask[0].width;
    double before = INFINITY;

    for (int group = 0, next = width; next > 0;
         group = next, next = next > 1 ? (next + 1) / 2 : 0) {
        double cost = make_way(c, ways, terms, group);
        if (cost < best->cost)
            *best = (struct way){terms, group, cost};
        if (group < width && cost > before) /* none, and whole lines, may be the same */
            break;
        before = cost;
    }
}

/* The way that costs least. */
static bool make_best(struct cpu_certify16 *c, struct cpu_certify16_ways *ways)
{
    const struct plan_mask *m = &ways->plan->mask[0];
    double cells = COST_CELL * (m->height + 1) / 2 * 2 * m->width;
    struct way best = {0, 0, INFINITY};
    double left;

    for (int t = 1; t <= CPU_CERTIFY16_TERMS && terms_cost(m, t) < fmin(cells, best.cost); t++) {
        if (!cpu_certify16_add_term(ways))
            break;
        left = ways->left * ways->plan->max;
        if (left < MOST_LEFT)
            try_groups(c, ways, t, &best);
        if (left < LITTLE_LEFT)
            break;
    }
    if (cells < best.cost)
        try_groups(c, ways, 0, &best);
    return best.cost < INFINITY && make_way(c, ways, best.terms, best.group) < INFINITY;
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

static bool ways_alloc(struct cpu_certify16_ways *ways, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    size_t n = (size_t)m->width * (size_t)m->height;
    size_t sides = CPU_CERTIFY16_TERMS * (size_t)(m->width + m->height);

    *ways = (struct cpu_certify16_ways){.plan = plan};
    ways->value = malloc((2 * n + 2 * sides) * sizeof *ways->value);
    ways->plane = malloc(2 * (n + sides) * sizeof *ways->plane);
    if (!ways->value || !ways->plane)
        return false;
    ways->rest = ways->value + n;
    ways->column = ways->rest + n;
    ways->row = ways->column + CPU_CERTIFY16_TERMS * m->height;
    ways->scaled = ways->column + sides;
    for (size_t i = 0; i < n; i++)
        ways->rest[i] = ways->value[i] = (double)m->weight[i] / (double)m->divisor;
    return true;
}

bool cpu_certify16_make(struct cpu_certify16 *c, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    size_t taps = (size_t)m->width * (size_t)((m->height + 1) / 2);
    size_t sides = CPU_CERTIFY16_TERMS * (size_t)(m->width + m->height + 1);
    struct cpu_certify16_ways ways;
    bool ok;

    *c = (struct cpu_certify16){.weights_bytes = 2 * (taps + sides) * sizeof *c->weights};
    c->weights = malloc(c->weights_bytes);
    c->digits = calloc(CPU_DIGITS * taps, sizeof *c->digits);
    ok = ways_alloc(&ways, plan) && c->weights && c->digits && make_best(c, &ways);
    if (ok)
        exact_make(c, plan);
    free(ways.value);
    free(ways.plane);
    return ok;
}

void cpu_certify16_free(struct cpu_certify16 *c)
{
    free(c->weights);
    free(c->digits);
    c->weights = c->digits = NULL;
}
