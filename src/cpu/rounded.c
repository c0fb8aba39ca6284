/* Masks of many digits over 8-bit samples, by sums of rounded weights: the weights and the bounds.
 *
 * Proved here: the exact value of a sample before it is rounded down lies between two numbers that
 * follow from its approximate sum. Where both, clamped, have the same floor, that is the sample.
 *
 * The weights are w = w' * q + r for an integer q, with |r| <= q/2. For samples x in 0..max
 *
 *   S + d/2 = q * T + (sum of r*x) + o + floor(d/2),   T = sum of w'*x  (32 bits)
 *   max * (sum of r < 0)  <=  sum of r*x  <=  max * (sum of r > 0)
 *
 * so that (S + d/2) / d lies between T * q/d + low and T * q/d + high, both of which are worked out
 * in float. The float's error: T, q/d, their product, the constant and the last sum are each
 * rounded, by at most 2^-24 of a value not above
 *
 *   size = max|T| * q/d + |low| + |high| + 1,
 *
 * so together by less than 8 * 2^-24 * size (the doubles that the constants come from are right to
 * 2^-50 and lost in that). low and high are moved apart by this much. */
#include "cpu/rounded.h"

#include <math.h>
#include <stdlib.h>

/* Of samples that may be in doubt; past it floats are faster. */
#define MOST_DOUBT 0.05

/* ns: of a sample, of a cell of its sum; of a sample in doubt, and of a cell of that */
#define SAMPLE_NS     0.6
#define CELL_NS       0.011
#define EXACT_NS      30
#define EXACT_CELL_NS 0.4

/* In which weights fit int16, and their sums with samples 32 bits: rounded, the sizes add up to at
 * most cells / 2 more. */
static int64_t unit_of(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int cells = m->width * m->height;
    int64_t most = 0, unit = m->sum_abs / ((INT32_MAX - 1) / plan->max - cells) + 1;

    for (int k = 0; k < cells; k++)
        most = llabs(m->weight[k]) > most ? llabs(m->weight[k]) : most;
    return most / INT16_MAX + 1 > unit ? most / INT16_MAX + 1 : unit;
}

/* To the nearest; ties to either. */
static int64_t rounded_to(int64_t value, int64_t unit)
{
    return (value + (value < 0 ? -unit / 2 : unit / 2)) / unit;
}

bool cpu_rounded_make(struct cpu_rounded *rounded, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int cells = m->width * m->height;
    double below = 0, above = 0, reach = 0, constant, scale, low, high, slack;

    *rounded = (struct cpu_rounded){.weight = malloc((size_t)cells * sizeof *rounded->weight)};
    if (!rounded->weight)
        return false;
    rounded->unit = unit_of(plan);
    for (int k = 0; k < cells; k++) {
        int64_t w = rounded_to(m->weight[k], rounded->unit),
                rest = m->weight[k] - w * rounded->unit;
        rounded->weight[k] = w;
        *(rest < 0 ? &below : &above) += (double)rest;
        reach += fabs((double)w);
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
    rounded->sample_ns =
        SAMPLE_NS + CELL_NS * cells + (high - low + 2 * slack) * (EXACT_NS + EXACT_CELL_NS * cells);
    if (high - low + 2 * slack <= MOST_DOUBT)
        return true;
    cpu_rounded_free(rounded);
    return false;
}

void cpu_rounded_free(struct cpu_rounded *rounded)
{
    free(rounded->weight);
    rounded->weight = NULL;
}
