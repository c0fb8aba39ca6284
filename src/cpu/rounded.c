/* Masks of many digits over 8-bit samples, by sums of rounded weights: the weights and the bounds.
 *
 * The exact value of a sample before it is rounded down lies between two numbers that follow from
 * its approximate sum T: where both have the same floor, that is the sample. docs/methods.md proves
 * it. Below, w = w' * unit + rest, and T = sum of w'*x. */
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

/* The largest 256 * a + b of two int8. */
#define WEIGHT_MAX (256 * INT8_MAX + INT8_MAX)

/* In which weights are at most WEIGHT_MAX, and their sums with samples 32 bits: rounded, the sizes
 * add up to at most cells / 2 more. */
static int64_t unit_of(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int cells = m->width * m->height;
    int64_t most = 0, unit = m->sum_abs / ((INT32_MAX - 1) / plan->max - cells) + 1;

    for (int k = 0; k < cells; k++)
        most = llabs(m->weight[k]) > most ? llabs(m->weight[k]) : most;
    return most / WEIGHT_MAX + 1 > unit ? most / WEIGHT_MAX + 1 : unit;
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
