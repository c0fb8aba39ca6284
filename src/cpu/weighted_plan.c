/* Weights and bounds of colour weighted by alpha: see cpu/weighted_plan.h. */
#include "cpu/weighted_plan.h"

#include <math.h>
#include <stdlib.h>

/* More than this of a sample is doubt that a column and a row bring: they are not taken. */
#define MOST_DOUBT 0.01
/* A second pass over a line costs as much as so many taps. */
#define PASS_TAPS 4
/* One cell of an exact sample as much as so many taps of float; taps of double twice theirs. */
#define EXACT_TAPS 32

static double weight_put(struct cpu_weighted_plan *weighted, int at, double value)
{
    if (weighted->wide)
        return ((double *)weighted->weights)[at] = value;
    return (double)(((float *)weighted->weights)[at] = (float)value);
}

/* The column and the row through the largest weight; *rest: how far their products are off. */
static bool factors_make(struct cpu_weighted_plan *weighted, const struct plan_mask *m,
                         double *rest)
{
    double column[MASK_MAX_SIDE], row[MASK_MAX_SIDE], sum = (double)m->sum;
    int largest = 0, top, left;

    for (int k = 0; k < m->width * m->height; k++)
        if (m->weight[k] > m->weight[largest])
            largest = k;
    top = largest / m->width;
    left = largest % m->width;
    for (int i = 0; i < m->height; i++)
        column[i] = weight_put(weighted, i, (double)m->weight[i * m->width + left] / sum);
    for (int j = 0; j < m->width; j++)
        row[j] = weight_put(weighted, m->height + j,
                            (double)m->weight[top * m->width + j] / (double)m->weight[largest]);
    *rest = 0;
    for (int k = 0; k < m->width * m->height; k++) {
        double product = column[k / m->width] * row[k % m->width], w = (double)m->weight[k] / sum;
        if ((w > 0) != (product > 0))
            return false;
        if (w > 0)
            *rest = fmax(*rest, fabs(product / w - 1) + 0x1p-50);
    }
    return true;
}

static void channel_set(struct cpu_quotients *q, int c, bool divided, double scale, double constant,
                        double error)
{
    q->divided[c] = divided;
    q->scale[c] = scale;
    q->low[c] = constant - error;
    q->high[c] = constant + error;
}

static void quotients_make(struct cpu_weighted_plan *weighted, const struct plan *plan,
                           double error)
{
    const struct plan_mask *m = &plan->mask[0];
    double unit = weighted->wide ? 0x1p-53 : 0x1p-24, offset, gain, relative, off[2];

    offset = (double)m->offset / (double)m->divisor;
    gain = (double)m->sum / (double)m->divisor;
    relative = 1.05 * (2 * error + 16 * unit) * plan->max;
    off[0] = relative * gain + 8 * unit * (fabs(offset) + 1);
    off[1] = relative + 8 * unit;
    weighted->weighted = (struct cpu_quotients){.channels = plan->channels, .max = plan->max};
    weighted->plain = weighted->weighted;
    for (int c = 0; c < 4; c++) {
        bool alpha = c % plan->channels == plan->channels - 1;
        if (alpha)
            channel_set(&weighted->weighted, c, false, 1, 0.5, off[1]);
        else
            channel_set(&weighted->weighted, c, true, gain, offset + 0.5, off[0]);
        channel_set(&weighted->plain, c, false, gain, offset + 0.5, off[0]);
    }
}

/* The column and the row in float or double: what their sums are off by, *error, and about the
 * share of samples that it leaves in doubt; false where that is too much. */
static bool separable_make(struct cpu_weighted_plan *weighted, const struct plan *plan, bool wide,
                           double *error, double *doubt)
{
    const struct plan_mask *m = &plan->mask[0];
    double gain = fmax(1, (double)m->sum / (double)m->divisor), rest;

    weighted->wide = wide;
    if (!factors_make(weighted, m, &rest) || 4 * rest * plan->max * gain >= MOST_DOUBT)
        return false;
    *error = (m->width + m->height + 2) * (wide ? 0x1p-53 : 0x1p-24) + rest;
    *doubt = 4 * *error * plan->max * gain;
    return true;
}

bool cpu_weighted_plan_make(struct cpu_weighted_plan *weighted, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int cells = m->width * m->height, sides = m->width + m->height;
    bool deep = plan->type == SAMPLE_U16;
    double error, doubt;

    *weighted = (struct cpu_weighted_plan){.wide = deep};
    weighted->weights = malloc((size_t)(cells + sides) * sizeof(double));
    if (!weighted->weights)
        return false;
    weighted->mask = (struct cpu_real_mask){m->width, m->height, plan->channels, weighted->weights};
    if (cells > sides + PASS_TAPS) {
        weighted->separable = separable_make(weighted, plan, deep, &error, &doubt);
        if (!deep && (!weighted->separable || doubt * cells * EXACT_TAPS > sides))
            weighted->separable = separable_make(weighted, plan, true, &error, &doubt);
    }
    if (weighted->separable) {
        const char *weights = weighted->weights;
        size_t size = weighted->wide ? sizeof(double) : sizeof(float);
        weighted->mask.width = 1;
        weighted->row =
            (struct cpu_real_mask){m->width, 1, plan->channels, weights + (size_t)m->height * size};
        quotients_make(weighted, plan, error);
        return true;
    }
    weighted->wide = deep;
    for (int k = 0; k < cells; k++)
        weight_put(weighted, k, (double)m->weight[k] / (double)m->sum);
    quotients_make(weighted, plan, (sides + 5) * (deep ? 0x1p-53 : 0x1p-24));
    return true;
}

void cpu_weighted_plan_free(struct cpu_weighted_plan *weighted)
{
    free(weighted->weights);
    weighted->weights = NULL;
}
