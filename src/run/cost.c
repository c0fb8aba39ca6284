/* The cost model: see run/cost.h. With N samples, T taps and the rates of
 * kernel/rates.h:
 *
 *   decode  = bytes / rate of the format            on one thread, in both cases
 *   work    = T / rate + N / rate                   all CPU threads added up
 *   kernel  = T / rate + N / rate
 *   bus     = bytes / rate                          up and down at the same time
 *
 *   CPU     = max(decode, (decode + work) / threads)
 *   CUDA    = max(start, ahead * decode) + load + max((1 - ahead) * decode, bus, kernel) + end
 *
 * `ahead` is the part that is decoded while CUDA starts; `load` brings the kernel's code to the
 * device, `end` is what the driver takes for the context when the process leaves. Encoding is the
 * same in both cases, and left out. */
#include "run/cost.h"

#include <string.h>

#include "cpu/rank1.h"
#include "kernel/cpu_path.h"
#include "kernel/kernel.h"
#include "kernel/rates.h"
#include "run/strips.h"

/* Past this a mask does not fit the tile of the kernels on int8 matrix units, or about so. */
#define CUDA_INT8_SIDE 31
/* Past this so many samples are in doubt that certified does not pay. */
#define CUDA_CERTIFIED_SIDE 9

/* A rate of the kernel that would run. */
#define CPU_RATE(name, wide) ((wide) ? name##_AVX512 : name)

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double decode_rate(enum format format)
{
    switch (format) {
    case FORMAT_PNG:
        return DECODE_PNG;
    case FORMAT_JPEG:
        return DECODE_JPEG;
    case FORMAT_BMP:
        return DECODE_BMP;
    default:
        return DECODE_PNM;
    }
}

static bool weights_within(const struct plan_mask *m, int64_t least, int64_t most)
{
    for (int i = 0; i < m->width * m->height; i++)
        if (m->weight[i] < least || m->weight[i] > most)
            return false;
    return true;
}

static bool weights_fit_int16(const struct plan_mask *m)
{
    return weights_within(m, INT16_MIN, INT16_MAX);
}

static bool factors_within(const struct plan_mask *m, int64_t least, int64_t most)
{
    for (int i = 0; i < m->width; i++)
        if (m->row[i] < least || m->row[i] > most)
            return false;
    for (int i = 0; i < m->height; i++)
        if (m->column[i] < least || m->column[i] > most)
            return false;
    return true;
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
                 : m->row || in_64_bits || weights_fit_int16(m));
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

static double cpu_rate(const struct plan *plan, bool wide)
{
    const struct plan_mask *m = &plan->mask[0];

    if (plan->alpha == ALPHA_WEIGHTED)
        return CPU_RATE(CPU_TAPS_WEIGHTED, wide) / (plan->type == SAMPLE_U8 ? 1 : 2); /* doubles */
    if (plan->type == SAMPLE_U8 && (m->accumulator == ACCUMULATOR_I64 || weights_fit_int16(m)))
        return CPU_RATE(CPU_TAPS_8_BITS, wide); /* 64-bit sums are approximated and certified */
    if (m->accumulator == ACCUMULATOR_I64)      /* certified: sums of doubles */
        return plan->kind == PLAN_LINEAR ? CPU_RATE(CPU_TAPS_16_BITS, wide) / 2
                                         : CPU_RATE(CPU_TAPS_64, wide);
    return weights_fit_int16(m) ? CPU_RATE(CPU_TAPS_16_BITS, wide) : CPU_RATE(CPU_TAPS_32, wide);
}

/* Milliseconds of one thread for each sample of a pass. */
static double cpu_sample_ms(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    double taps = (double)m->width * (double)m->height * (double)plan->masks;
    const struct kernel *kernel = kernel_choose(DEVICE_CPU, plan);
    bool wide = kernel && strcmp(kernel->name, "avx512") == 0;
    double once = 1 / CPU_RATE(CPU_SAMPLES, wide);

    if (cpu_rank1_wins(plan))
        return (double)(m->width + m->height) / CPU_RATE(CPU_TAPS_RANK1, wide) + once;
    return taps / cpu_rate(plan, wide) + once;
}

static double cuda_sample_ms(const struct plan *plan)
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

static double cpu_work_ms(const struct plan *plan, const struct image_info *info, double samples)
{
    enum cpu_path path = cpu_path_fastest(plan, info->width, info->height);
    double cells = samples * cpu_sample_ms(plan), ms;

    if (path == CPU_PATH_DIRECT && plan->mask[0].accumulator != ACCUMULATOR_I64)
        return cells;
    ms = cpu_path_cost(path, plan, info->width, info->height) / 1e6;
    /* Sums of 64 bits need not take every cell: see cpu/real.h. */
    return path == CPU_PATH_DIRECT && cells < ms ? cells : ms;
}

struct picture_cost picture_cost_of(const struct plan *plan, const struct image_info *info,
                                    int threads)
{
    double samples = (double)info->width * (double)info->height * (double)info->channels;
    double bytes = samples * (double)info->type, passes = (double)plan->repeat;
    double ahead = bytes > STRIPS_PINNED_BYTES  ? 0
                   : bytes > STRIPS_AHEAD_BYTES ? STRIPS_AHEAD_BYTES / bytes
                                                : 1;
    struct picture_cost cost = {
        .decode_ms = bytes / decode_rate(info->format),
        .work_ms = passes * cpu_work_ms(plan, info, samples),
        .start_ms = CUDA_START_MS,
        .load_ms = CUDA_LOAD_MS,
        .end_ms = CUDA_END_MS,
        .bus_ms = bytes / (bytes > STRIPS_PINNED_BYTES ? CUDA_BYTES_PINNED : CUDA_BYTES_PAGEABLE),
        .kernel_ms = samples * passes * cuda_sample_ms(plan),
    };

    cost.cpu_ms = larger(cost.decode_ms, (cost.decode_ms + cost.work_ms) / (double)threads);
    cost.cuda_ms = larger(cost.start_ms, ahead * cost.decode_ms) + cost.load_ms +
                   larger((1 - ahead) * cost.decode_ms, larger(cost.bus_ms, cost.kernel_ms)) +
                   cost.end_ms;
    return cost;
}
