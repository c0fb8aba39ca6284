/* The filter `bilateral`: the weights for differences of samples, one table for all devices.
 *
 *   range[d] = floor(2048 * exp(-d^2 / (2 R^2)) + 1/2)
 *
 * R is --range in sample values. */
#include "plan/bilateral.h"

#include <math.h>
#include <stdlib.h>

#include "plan/rational.h"

#define RANGE_UNITS   2048 /* the weight of the difference 0 */
#define RANGE_DEFAULT "10%"

/* Reads --range for samples up to MAX. */
static bool read_range(const struct filter_request *request, uint32_t max, double *range,
                       struct error *err)
{
    const char *text = request->range ? request->range : RANGE_DEFAULT;
    mpq_t value, whole;
    bool percent, good;

    mpq_inits(value, whole, NULL);
    good = rational_option(value, "--range", text, &percent, err);
    if (good && mpq_sgn(value) <= 0)
        good = error_set(err, EXIT_USAGE,
                         "--range %.80s: expected a number greater than 0, or a percentage", text);
    mpq_set_ui(whole, percent ? max : 1, 1);
    mpq_mul(value, value, whole);
    *range = mpq_get_d(value);
    mpq_clears(value, whole, NULL);
    return good;
}

bool bilateral_check(const struct filter_request *request, struct error *err)
{
    const struct mask *mask = &request->masks[0];
    double range;

    if (request->overrides.has_anchor)
        return error_set(err, EXIT_USAGE,
                         "bilateral takes no --anchor: samples are compared with the middle one");
    if (mask->width > MASK_MAX_SIDE)
        return error_set(err, EXIT_USAGE,
                         "bilateral has a radius of at most %d, not %d: a smaller --radius cuts "
                         "the mask off there",
                         MASK_MAX_SIDE / 2, mask->width / 2);
    return read_range(request, 1, &range, err);
}

/* The weight of the difference D. R may be so small that R * R is 0. */
static uint16_t weight_of(int d, double r)
{
    const double away = d / r;
    return (uint16_t)floor(RANGE_UNITS * exp(-away * away / 2) + 0.5);
}

bool bilateral_make_range(struct plan *plan, const struct filter_request *request,
                          struct error *err)
{
    const int most = __builtin_popcount(plan_compared(plan)) * (int)plan->max;
    double range;
    int last = 0;

    if (plan->kind != PLAN_BILATERAL)
        return true;
    if (!read_range(request, plan->max, &range, err))
        return false;
    while (last < most && weight_of(last + 1, range) > 0)
        last++;
    plan->range = malloc(((size_t)last + 1) * sizeof *plan->range);
    if (!plan->range)
        return error_set(err, EXIT_INPUT, "no memory for the weights of --range");
    plan->range_last = last;
    for (int d = 0; d <= last; d++)
        plan->range[d] = weight_of(d, range);
    return true;
}
