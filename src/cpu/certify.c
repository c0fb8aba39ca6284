/* Certified sums: see cpu/certify.h.
 *
 * The weights are w = w' * q + r for an integer q, with |r| hardly more than q/2. For samples x in
 * 0..max
 *
 *   S + d/2 = q * T + (sum of r*x) + o + floor(d/2),   T = sum of w'*x  (32 bits)
 *   max * (sum of r < 0)  <=  sum of r*x  <=  max * (sum of r > 0)
 *
 * so that (S + d/2) / d lies between T * q/d + low and T * q/d + high, both of which are
 * worked out in float. The float's error: T, q/d, their product, the constant and the last sum
 * are each rounded, by at most 2^-24 of a value not above
 *
 *   size = max|T| * q/d + |low| + |high| + 1,
 *
 * so together by less than 8 * 2^-24 * size (the doubles that the constants come from are right to
 * 2^-50 and lost in that). low and high are moved apart by this much. Where both bounds, clamped,
 * have the same floor, that is the sample; the others are summed exactly.
 *
 * The finer the unit q, the fewer samples are in doubt, and the more weights are large. How well
 * the weights fit a unit differs from one to the next, the more so the fewer values they have. */
#include "cpu/certify.h"

#include <math.h>
#include <stdlib.h>

#include "cpu/window8.h"

#define MOST_WEIGHT (((int64_t)INT16_MAX << CPU_LARGE_SHIFT) - (1 << (CPU_LARGE_SHIFT - 1)))

/* Of samples that may be doubtful; past it sums over every cell are faster. */
#define MOST_DOUBTFUL 0.25
#define TRIED         16384 /* roundings */
#define MOST_UNITS    128   /* from one power of two to the next */

/* ns a sample: a cell of the sums, and of the large weights' sums */
#define COST_CELL  0.02
#define COST_LARGE 0.014

/* Rounds to multiples of the unit. False where w' or T is too large for that. */
static bool round_weights(struct cpu_rounded *rounded, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int left = m->width, right = -1, top = m->height, bottom = -1;
    double over = 1 / (double)rounded->unit;
    int64_t sum[2] = {0, 0}; /* of positive weights, of negative ones */

    for (int i = 0; i < m->height; i++)
        for (int j = 0; j < m->width; j++) {
            double value = (double)m->weight[i * m->width + j] * over;
            int64_t w = (int64_t)rint(value), size = w < 0 ? -w : w;
            rounded->weight[i * m->width + j] = w;
            sum[w < 0] += size;
            if (size > MOST_WEIGHT || sum[w < 0] * plan->max >= (int64_t)1 << 31)
                return false;
            if (size <= INT16_MAX)
                continue;
            left = j < left ? j : left;
            right = j > right ? j : right;
            top = i < top ? i : top;
            bottom = i;
        }
    rounded->large = (struct cpu_certify_large){0};
    if (bottom >= 0)
        rounded->large = (struct cpu_certify_large){left, top, right - left + 1, bottom - top + 1};
    return true;
}

/* The test of such sums, and what they cost. */
static void test_make(struct cpu_rounded *rounded, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct cpu_certify_large *large = &rounded->large;
    double below = 0, above = 0, reach = 0, cells = (double)m->width * m->height;
    double constant, scale, low, high, slack;

    for (int k = 0; k < m->width * m->height; k++) {
        int64_t rest = m->weight[k] - rounded->weight[k] * rounded->unit;
        below += rest < 0 ? (double)rest : 0;
        above += rest > 0 ? (double)rest : 0;
        reach += fabs((double)rounded->weight[k]);
    }
    scale = (double)rounded->unit / (double)m->divisor;
    constant = ((double)m->offset + (double)(m->divisor / 2)) / (double)m->divisor;
    low = constant + below * plan->max / (double)m->divisor;
    high = constant + above * plan->max / (double)m->divisor;
    slack = ldexp(8, -24) * (reach * plan->max * scale + fabs(low) + fabs(high) + 1);
    rounded->test = (struct cpu_certify){.scale = (float)scale,
                                         .low = (float)(low - slack),
                                         .high = (float)(high + slack),
                                         .max = (float)plan->max};
    rounded->cost = 0.6 + COST_CELL * cells + cpu_window8_cost(m) * (high - low + 2 * slack);
    if (large->width > 0)
        rounded->cost += 0.2 + COST_LARGE * large->width * (large->height + 1);
}

static bool try_unit(struct cpu_rounded *rounded, const struct plan *plan, int64_t unit,
                     double *least, int64_t *best)
{
    rounded->unit = unit;
    if (!round_weights(rounded, plan))
        return false;
    test_make(rounded, plan);
    if (rounded->cost < *least) {
        *least = rounded->cost;
        *best = unit;
    }
    return true;
}

/* The best unit, or 0. */
static int64_t search(struct cpu_rounded *rounded, const struct plan *plan)
{
    int cells = plan->mask[0].width * plan->mask[0].height, first = 0, last = 1, units;
    double least = HUGE_VAL;
    int64_t best = 0;

    for (; last < 61; last++) {
        if (!try_unit(rounded, plan, (int64_t)1 << last, &least, &best))
            continue;
        first = first ? first : last;
        if (rounded->large.width == 0)
            break;
    }
    if (first == 0)
        return 0;
    units = TRIED / cells / (last - first + 2);
    units = units > MOST_UNITS ? MOST_UNITS : units;
    for (int s = first - 1; s <= last; s++)
        for (int i = 1; i < units; i++)
            try_unit(rounded, plan, (int64_t)(ldexp(1, s) * (1 + (double)i / units)), &least,
                     &best);
    return best;
}

bool cpu_rounded_make(struct cpu_rounded *rounded, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    size_t cells = (size_t)m->width * (size_t)m->height;

    *rounded = (struct cpu_rounded){.weight = malloc(cells * sizeof *rounded->weight)};
    if (rounded->weight)
        rounded->unit = search(rounded, plan);
    if (rounded->unit > 0) {
        round_weights(rounded, plan);
        test_make(rounded, plan);
        if ((double)(rounded->test.high - rounded->test.low) <= MOST_DOUBTFUL)
            return true;
    }
    cpu_rounded_free(rounded);
    return false;
}

void cpu_rounded_free(struct cpu_rounded *rounded)
{
    free(rounded->weight);
    rounded->weight = NULL;
}

void cpu_certify_factors(const double *value, int width, int height, double *column, double *row)
{
    int at = 0;
    for (int i = 1; i < width * height; i++)
        if (fabs(value[i]) > fabs(value[at]))
            at = i;
    for (int j = 0; j < width; j++)
        row[j] = value[at / width * width + j];
    for (int i = 0; i < height; i++)
        column[i] = value[i * width + at % width] / value[at];
}
