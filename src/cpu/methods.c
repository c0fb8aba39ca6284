/* The table of CPU methods, and the choice of the fastest. */
#include "cpu/method.h"

#include <math.h>
#include <string.h>

#include "plan/filter.h"

static const struct cpu_method *const METHODS[] = {
    &cpu_method_direct, &cpu_method_bytes,      &cpu_method_outer16,   &cpu_method_separable,
    &cpu_method_runs,   &cpu_method_certified8, &cpu_method_real,      &cpu_method_fft,
    &cpu_method_long,   &cpu_method_extremes,   &cpu_method_network,   &cpu_method_columns,
    &cpu_method_ranks,  &cpu_method_histogram,  &cpu_method_bilateral, &cpu_method_wide,
};

#define COUNT ((int)(sizeof METHODS / sizeof *METHODS))

const struct cpu_method *const *cpu_methods(int *count)
{
    *count = COUNT;
    return METHODS;
}

const struct cpu_method *cpu_method_find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(METHODS[i]->name, name) == 0)
            return METHODS[i];
    return NULL;
}

const char *cpu_method_refusal(const struct cpu_method *method, const struct plan *plan,
                               const struct cpu_ops *ops)
{
    if (!(method->kinds & KERNEL_KIND(plan->kind)))
        return filter_kind_refusal(plan->kind);
    if (plan_is_wide(plan) && method != &cpu_method_wide)
        return "its sums are too short for --nodata and 16-bit --light";
    return method->refusal ? method->refusal(plan, ops) : NULL;
}

double cpu_method_cost(const struct cpu_method *method, const struct plan *plan,
                       const struct cpu_ops *ops, int width, int height)
{
    const bool wide = ops->vector_bytes == 64 && method->wide_cost > 0;

    return (method->kinds & KERNEL_KIND(plan->kind)) &&
                   (!plan_is_wide(plan) || method == &cpu_method_wide)
               ? method->cost(plan, ops, width, height) * (wide ? method->wide_cost : 1)
               : HUGE_VAL;
}

const struct cpu_method *cpu_method_fastest(const struct plan *plan, const struct cpu_ops *ops,
                                            int width, int height, unsigned left_out)
{
    const struct cpu_method *best = NULL;
    double least = HUGE_VAL;

    for (int i = 0; i < COUNT; i++) {
        double cost =
            left_out >> i & 1 ? HUGE_VAL : cpu_method_cost(METHODS[i], plan, ops, width, height);
        if (cost < least) {
            least = cost;
            best = METHODS[i];
        }
    }
    return best;
}

bool cpu_weights_fit(const int64_t *weight, int count, int64_t max)
{
    for (int k = 0; k < count; k++)
        if (weight[k] < -max - 1 || weight[k] > max)
            return false;
    return true;
}
