/* The cost model of the CUDA kernels, for --device auto: with T taps, N samples and the rates of
 * kernel/rates.h a pass takes T / rate + N / rate. The model guesses from the plan which kernel
 * would run. It asks no device, and a build without CUDA gives the same estimates. */
#include <math.h>

#include "kernel/backend.h"
#include "kernel/rates.h"

/* Masks up to about this size fit the tile of the kernels on int8 matrix units. */
#define CUDA_INT8_SIDE 31
/* With larger masks too many samples are doubtful for the kernel "certified" to pay. */
#define CUDA_CERTIFIED_SIDE 9

static bool within(const int64_t *cell, int cells, int64_t least, int64_t most)
{
    for (int i = 0; i < cells; i++)
        if (cell[i] < least || cell[i] > most)
            return false;
    return true;
}

static bool weights_within(const struct plan_mask *m, int64_t least, int64_t most)
{
    return within(m->weight, m->width * m->height, least, most);
}

static bool factors_within(const struct plan_mask *m, int64_t least, int64_t most)
{
    return within(m->row, m->width, least, most) && within(m->column, m->height, least, most);
}

/* Would the kernel "separable" run the mask on samples of 16 bits? A close guess. */
static bool separable_in_16_bits(const struct plan_mask *m)
{
    return m->row && (factors_within(m, INT8_MIN, INT8_MAX) || factors_within(m, 0, UINT16_MAX)) &&
           (m->accumulator != ACCUMULATOR_I64 || m->divisor % 65536 == 0);
}

/* Kernels "banded" and "int8": samples of 8 bits with weights of 8 or 16 bits, samples of 16 bits
 * with weights of 8; "separable": factors up to 16 bits; "certified": 8 bits, sums of 64 bits. */
static bool on_matrix_units(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    const bool in_64_bits = m->accumulator == ACCUMULATOR_I64, deep = plan->type == SAMPLE_U16;
    const int side = in_64_bits && !deep ? CUDA_CERTIFIED_SIDE : CUDA_INT8_SIDE;
    return plan->kind == PLAN_LINEAR && plan->alpha != ALPHA_WEIGHTED && m->width <= side &&
           m->height <= side &&
           (deep ? separable_in_16_bits(m) || (!in_64_bits && weights_within(m, INT8_MIN, INT8_MAX))
                 : m->row || in_64_bits || weights_within(m, INT16_MIN, INT16_MAX));
}

/* How many planes of bytes the weights take in the kernel "weighted"; 0: it does not run the plan.
 * A close guess. */
static int weighted_in_one_pass(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    if (plan->alpha != ALPHA_WEIGHTED || plan->type != SAMPLE_U8 || m->sum != m->divisor ||
        m->offset != 0 || m->accumulator != ACCUMULATOR_I32 || m->width > CUDA_INT8_SIDE ||
        m->height > CUDA_INT8_SIDE)
        return 0;
    return weights_within(m, 0, UINT8_MAX)    ? 1
           : weights_within(m, 0, UINT16_MAX) ? 2
           : weights_within(m, 0, 0xffffff)   ? 3
                                              : 0;
}

/* Would the kernel "dp4a" make the gradient? A close guess. */
static bool gradient_in_one_pass(const struct plan *plan)
{
    return plan->kind == PLAN_GRADIENT && plan->type == SAMPLE_U8 && plan->mask[0].width == 3 &&
           plan->mask[0].height == 3 && weights_within(&plan->mask[0], INT8_MIN, INT8_MAX) &&
           weights_within(&plan->mask[1], INT8_MIN, INT8_MAX);
}

/* Milliseconds per sample of a step of an order filter, by the kernel that would run it: extremes
 * of rectangles and of other windows, network, bisect. A sample of 16 bits counts
 * as two. */
static double order_ms(const struct plan *step)
{
    const struct plan_mask *m = &step->mask[0];
    const double cells = (double)m->sum;
    const bool whole = m->sum == (int64_t)m->width * m->height;
    const bool extreme = step->order == 0 || step->order == m->sum - 1;
    const bool square = whole && m->width == m->height && m->width % 2 == 1;
    const double comparisons = extreme && whole ? (square && m->width == 3 ? 5 : 12)
                               : extreme        ? 8 * (double)m->height
                               : square && m->width <= 7 && step->order == m->sum / 2
                                   ? 1.4 * cells
                                   : 21 * cells * (double)step->type;
    return (double)step->type * (1 / CUDA_SAMPLES_INT8 + comparisons / CUDA_COMPARISONS);
}

/* Milliseconds per sample. */
static double sample_ms(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    double taps = (double)m->width * (double)m->height * (double)plan->masks;
    bool two_passes =
        plan->type == SAMPLE_U8 ? m->row && taps > 25 : separable_in_16_bits(m) && taps > 1;
    bool weighted = plan->alpha == ALPHA_WEIGHTED; /* plain sums, and sums of products */
    int planes = weighted_in_one_pass(plan);

    if (plan->kind == PLAN_BILATERAL)
        return taps / CUDA_TAPS_BILATERAL + 1 / CUDA_SAMPLES_INT8;
    if (gradient_in_one_pass(plan))
        return 1 / CUDA_SAMPLES_WEIGHTED;
    if (planes)
        return (double)planes * taps / CUDA_TAPS_WEIGHTED + 1 / CUDA_SAMPLES_WEIGHTED;

    if (on_matrix_units(plan)) { /* a sample of 16 bits counts as two of 8 */
        taps = two_passes ? (double)(m->width + m->height) : taps;
        return (double)plan->type * (taps / CUDA_TAPS_INT8 + 1 / CUDA_SAMPLES_INT8);
    }
    return (weighted ? 2 : 1) * (taps / (m->accumulator == ACCUMULATOR_I64 ? CUDA_TAPS_64
                                         : m->float_exact && !weighted     ? CUDA_TAPS_FLOAT
                                                                           : CUDA_TAPS_32) +
                                 1 / CUDA_SAMPLES_PLANES);
}

double cuda_pass_ms(const struct plan *plan, int width, int height)
{
    double ms = 0;

    if (plan->kind == PLAN_LONG || plan_is_wide(plan) || /* no kernel runs it */
        (uint64_t)width * (uint64_t)plan->channels * plan->type > CUDA_MOST_ROW_BYTES)
        return HUGE_VAL;
    for (const struct plan *step = plan; step; step = step->then)
        ms += step->kind == PLAN_ORDER ? order_ms(step) : sample_ms(step);
    return (double)width * (double)height * (double)plan->channels * ms;
}
