/* Masks of many digits with 8-bit samples, by sums of rounded weights: the weights and bounds.
 *
 * The exact value of a sample, before it is rounded down, lies between two bounds made from its
 * approximate sum T. If both bounds have the same floor, this floor is the sample (proof:
 * docs/methods.md). Below, w = w' * unit + rest, and T = sum of w'*x. */
#include "cpu/rounded.h"

#include <math.h>
#include <stdlib.h>

/* Largest share of doubtful samples; past it floats are faster. */
#define MOST_DOUBT 0.05

/* ns: per sample, per cell of its sum; per doubtful sample, per cell of its exact sum */
#define SAMPLE_NS     0.25
#define CELL_NS       0.0165
#define EXACT_NS      37
#define EXACT_CELL_NS 0.5

/* The largest 256 * a + b for int8 a and b. */
#define WEIGHT_MAX (256 * INT8_MAX + INT8_MAX)

/* The unit for which weights are at most WEIGHT_MAX and their sums with samples fit 32 bits.
 * Rounding adds at most cells / 2 to the sum of |weight|. */
static int64_t unit_of(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int cells = m->width * m->height;
    int64_t most = 0, unit = m->sum_abs / ((INT32_MAX - 1) / plan->max - cells) + 1;

    for (int k = 0; k < cells; k++)
        most = llabs(m->weight[k]) > most ? llabs(m->weight[k]) : most;
    return most / WEIGHT_MAX + 1 > unit ? most / WEIGHT_MAX + 1 : unit;
}

/* Rounds to the nearest; ties to either. */
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
