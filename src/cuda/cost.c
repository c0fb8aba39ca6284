/* The cost model of the CUDA kernels, for --device auto: with T taps, N samples and the rates of
 * kernel/rates.h a pass takes T / rate + N / rate. Which kernel would run follows from the plan, or
 * about so: no device is asked, and a build without CUDA estimates the same. */
#include "kernel/backend.h"
#include "kernel/rates.h"

/* Past this a mask does not fit the tile of the kernels on int8 matrix units, or about so. */
#define CUDA_INT8_SIDE 31
/* Past this so many samples are in doubt that certified does not pay. */
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

/* Does the kernel separable run it on samples of 16 bits, or about so? */
static bool separable_in_16_bits(const struct plan_mask *m)
{
    return m->row && (factors_within(m, INT8_MIN, INT8_MAX) || factors_within(m, 0, UINT16_MAX)) &&
           (m->accumulator != ACCUMULATOR_I64 || m->divisor % 65536 == 0);
}

/* The kernels banded and int8: 8 bits under weights of 8 or 16 bits, 16 bits under those of 8;
 * separable, whose two factors may be of 16 bits; and certified: 8 bits, sums of 64. */
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

/* The kernel weighted: planes of bytes that its weights take, 0 where it does not run the plan, or
 * about so. */
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

/* Milliseconds of a sample. */
static double sample_ms(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    double taps = (double)m->width * (double)m->height * (double)plan->masks;
    bool two_passes =
        plan->type == SAMPLE_U8 ? m->row && taps > 25 : separable_in_16_bits(m) && taps > 1;
    bool weighted = plan->alpha == ALPHA_WEIGHTED; /* the plain sum, and the products' */
    int planes = weighted_in_one_pass(plan);

    if (planes)
        return (double)planes * taps / CUDA_TAPS_WEIGHTED + 1 / CUDA_SAMPLES_WEIGHTED;

    if (on_matrix_units(plan)) { /* samples of 16 bits are two of 8 */
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
    return (double)width * (double)height * (double)plan->channels * sample_ms(plan);
}
