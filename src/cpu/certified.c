/* The costs of the certified methods. */
#include "cpu/certified.h"

#include <math.h>

#include "cpu/certify.h"
#include "cpu/certify16.h"
#include "cpu/direct16.h"
#include "cpu/lowrank8.h"
#include "cpu/method.h"
#include "cpu/near8.h"
#include "cpu/separable.h"

/* By the row and the column. Where the mask is of rank 1 the method `terms` is the one that is
 * compared with. */
static bool is_near8(const struct plan *plan, double *cost)
{
    const struct plan_mask *m = &plan->mask[0];
    struct cpu_near8 near = {0};
    bool can = cpu_near8_can(plan) && cpu_near8_make(&near, plan);

    cpu_near8_free(&near);
    *cost = cpu_separable_wins(plan) ? fmin(cpu_cells(plan), cpu_terms_taps(m)) / CPU_RATE_TERMS
                                     : (m->width + m->height) / CPU_RATE_TERMS +
                                           near.share * cpu_cells(plan) / CPU_RATE_64 + 0.5;
    return can;
}

static bool is_lowrank8(const struct plan *plan, double *cost)
{
    struct cpu_lowrank8 lowrank;

    if (!cpu_lowrank8_can(plan) || !cpu_lowrank8_make(&lowrank, plan))
        return false;
    *cost = lowrank.cost;
    cpu_lowrank8_free(&lowrank);
    return true;
}

static bool is_direct8(const struct plan *plan, double *cost)
{
    struct cpu_rounded rounded;

    *cost = cpu_cells(plan) / CPU_RATE_64 + 1;
    if (cpu_cells(plan) > CPU_ROUNDED_CELLS)
        return true;
    if (!cpu_rounded_make(&rounded, plan))
        return false;
    *cost = rounded.cost;
    cpu_rounded_free(&rounded);
    return true;
}

static bool is_direct16(const struct plan *plan, double *cost)
{
    struct cpu_certify16 certify = {0};
    bool can = cpu_certify16_make(&certify, plan);

    if (can)
        *cost = cpu_certify16_cost(&certify, &plan->mask[0]) + 1;
    cpu_certify16_free(&certify);
    return can;
}

double cpu_certified_cost(const struct plan *plan, enum cpu_certified way, int width, int height)
{
    bool deep = plan->type == SAMPLE_U16, can = false;
    double cost = 0;

    if (plan->alpha == ALPHA_WEIGHTED || plan->mask[0].accumulator != ACCUMULATOR_I64 ||
        deep != (way == CERTIFIED_DIRECT16))
        return HUGE_VAL;
    /* Where the mask is of rank 1, or close to it, only its row and its column are worth it. */
    if (way == CERTIFIED_NEAR8)
        can = is_near8(plan, &cost);
    else if (deep)
        can = is_direct16(plan, &cost);
    else if (!cpu_separable_wins(plan) && !is_near8(plan, &cost))
        can = way == CERTIFIED_LOWRANK8 ? is_lowrank8(plan, &cost) : is_direct8(plan, &cost);
    return can ? cpu_samples(plan, width, height) * cost : HUGE_VAL;
}
