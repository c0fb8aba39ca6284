/* The CPU as a device: its row of the backend table, and its cost model. */
#include "kernel/backend.h"

#include <math.h>
#include <stdio.h>

#include "base/machine.h"
#include "cpu/method.h"
#include "cpu/probe.h"
#include "cpu/processor.h"

/* ---- the cost model, for --device auto ----
 *
 * Methods that sum every cell, or columns and rows, take T / rate + N / rate for T taps and N
 * samples, with the measured rates of kernel/rates.h. All other methods, and sums of 64 bits, take
 * the cost in their row of the table. */

static double rate_of(const struct plan *plan, const struct cpu_rates *rates)
{
    const struct plan_mask *m = &plan->mask[0];
    bool narrow = cpu_mask_fits(m, INT16_MAX), wide = m->accumulator == ACCUMULATOR_I64;

    if (plan->alpha == ALPHA_WEIGHTED)
        return rates->weighted / (plan->type == SAMPLE_U8 ? 1 : 2); /* 16 bits: doubles */
    if (plan->type == SAMPLE_U8 && (wide || narrow))
        return rates->of_8_bits; /* 64-bit sums are approximated and certified */
    if (wide)                    /* in doubles, with a proven bound */
        return plan->kind == PLAN_LINEAR ? rates->of_16_bits / 2 : rates->of_64;
    return narrow ? rates->of_16_bits : rates->of_32;
}

/* Milliseconds of one thread per sample of a pass. */
static double sample_ms(const struct plan *plan, const struct cpu_rates *rates)
{
    const struct plan_mask *m = &plan->mask[0];
    double once = 1 / rates->samples;

    if (cpu_separable_wins(plan))
        return (m->width + m->height) / rates->rank1 + once;
    return cpu_cells(plan) * plan->masks / rate_of(plan, rates) + once;
}

static double step_ms(const struct plan *plan, int width, int height)
{
    const struct cpu_set *set = cpu_set_best();
    const struct cpu_method *method = cpu_method_fastest(plan, set->ops, width, height, 0);
    double ms = cpu_method_cost(method, plan, set->ops, width, height) / 1e6, cells;

    if (!method->per_cell)
        return ms;
    cells = cpu_samples(plan, width, height) * sample_ms(plan, set->rates);
    /* Sums of 64 bits need not take every cell: see cpu/real.h. */
    return plan->mask[0].accumulator == ACCUMULATOR_I64 ? fmin(cells, ms) : cells;
}

static double cpu_pass_ms(const struct plan *plan, int width, int height)
{
    double ms = 0;

    for (; plan; plan = plan->then)
        ms += step_ms(plan, width, height);
    return ms;
}

/* ---- the row of the table ---- */

static int cpu_devices(char *why, size_t why_bytes)
{
    (void)why, (void)why_bytes;
    return 1;
}

static void cpu_describe(int index, char *text, size_t text_bytes)
{
    (void)index;
    snprintf(text, text_bytes, "%d threads, %s", machine_cpus(), cpu_set_best()->title);
}

static bool cpu_start(int index, struct error *err)
{
    (void)index, (void)err;
    return true;
}

static const char *cpu_method_idea(const char *method)
{
    return cpu_method_find(method)->idea;
}

const struct backend backend_cpu = {
    .device = DEVICE_CPU,
    .name = "cpu",
    .in_build = true,
    .devices = cpu_devices,
    .describe = cpu_describe,
    .start = cpu_start,
    .pass_ms = cpu_pass_ms,
    .probe = cpu_probe,
    .method_idea = cpu_method_idea,
};
