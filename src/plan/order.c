/* Order filters: their window, the place of the output among the window's sorted cells, and their
 * steps. What a filter consists of is in its row in plan/filter.c. */
#include "plan/order.h"

#include <stdlib.h>
#include <string.h>

/* ---- the window ---- */

#define MOST_RADIUS ((MASK_MAX_SIDE - 1) / 2)

const char *filter_shape_word(int index)
{
    static const char *const words[] = {"square", "disc", "cross"};
    return index < (int)(sizeof words / sizeof words[0]) ? words[index] : NULL;
}

bool order_build_window(struct mask *mask, const struct filter_request *request, struct error *err)
{
    static const enum mask_shape shapes[] = {MASK_SQUARE, MASK_DISC, MASK_CROSS};
    int radius = request->radius < 0 ? 1 : request->radius, shape = 0;

    while (request->shape && strcmp(request->shape, filter_shape_word(shape)) != 0)
        shape++;
    if (radius > MOST_RADIUS)
        return error_set(err, EXIT_USAGE,
                         "--radius %d is too large: a window has a radius of at most %d", radius,
                         MOST_RADIUS);
    return mask_build_box(mask, radius, shapes[shape], err);
}

bool order_flatten(struct mask *mask, struct error *err)
{
    if (mask->width > MASK_MAX_SIDE || mask->height > MASK_MAX_SIDE)
        return error_set(err, EXIT_USAGE,
                         "the mask has %d x %d cells: a window has at most %d along an axis",
                         mask->width, mask->height, MASK_MAX_SIDE);
    return mask_flatten(mask) > 0 ||
           error_set(err, EXIT_USAGE,
                     "the mask's cells are all 0: the window is the cells that are not 0");
}

/* ---- the place in the sorted window ---- */

/* min(count - 1, floor(P * count / 100)) for PERCENT, the text `P` or `P%`. */
static bool find_place(int *place, const char *percent, int64_t count, struct error *err)
{
    mpq_t part;
    bool of_hundred, good;

    mpq_init(part);
    good = rational_option(part, "--rank", percent, &of_hundred, err);
    /* 0.5 could be meant as a half. */
    if (good && !of_hundred && mpq_sgn(part) > 0 && mpq_cmp_ui(part, 1, 1) < 0)
        good = error_set(err, EXIT_USAGE,
                         "--rank %.80s: P is in percent, 50 is the middle: for less than 1%%, "
                         "write %.80s%%",
                         percent, percent);
    if (good && !of_hundred)
        mpz_mul_ui(mpq_denref(part), mpq_denref(part), 100);
    if (good && (mpq_sgn(part) < 0 || mpz_cmp(mpq_numref(part), mpq_denref(part)) > 0))
        good = error_set(err, EXIT_USAGE, "--rank %.80s: expected 0%% to 100%%", percent);
    if (good) {
        mpz_mul_ui(mpq_numref(part), mpq_numref(part), (unsigned long)count);
        mpz_fdiv_q(mpq_numref(part), mpq_numref(part), mpq_denref(part));
        *place = (int)mpz_get_si(mpq_numref(part));
        *place = *place < count ? *place : (int)count - 1;
    }
    mpq_clear(part);
    return good;
}

/* ---- the steps ---- */

bool order_makes_difference(const struct filter *filter)
{
    bool difference = false;

    for (int i = 0; i < filter->steps; i++)
        difference |= filter->step[i].minus != MINUS_NOTHING;
    return difference;
}

/* Fills PLAN, a copy of the first step but for its window, as STEP says. */
static bool set_step(struct plan *plan, const struct filter_step *step, const char *rank,
                     struct error *err)
{
    plan->of_picture = step->of_picture;
    plan->minus = step->minus;
    return find_place(&plan->order, step->rank ? step->rank : rank, plan->mask[0].sum, err);
}

/* Makes the step behind PLAN. TURNED: PLAN's window is not turned as this step's is. */
static bool add_step(struct plan *plan, const struct filter_step *step, bool turned,
                     struct error *err)
{
    struct plan *then = malloc(sizeof *then);

    if (then)
        *then = *plan;
    if (!then || !plan_mask_copy(&then->mask[0], &plan->mask[0], turned)) {
        free(then);
        return error_set(err, EXIT_INPUT, "no memory for the filter's steps");
    }
    plan->then = then;
    return set_step(then, step, NULL, err);
}

bool order_make_steps(struct plan *plan, const struct filter_request *request, struct error *err)
{
    const struct filter *filter = request->filter;
    const struct filter_step *step = filter->step;
    struct plan_mask turned;

    if (plan->kind != PLAN_ORDER)
        return true;
    if (!step->rank && !request->rank)
        return error_set(err, EXIT_USAGE,
                         "%s needs --rank P%%: 0%% is the least cell of the window, 100%% the "
                         "greatest",
                         filter->name);
    if (step->turned) {
        if (!plan_mask_copy(&turned, &plan->mask[0], true))
            return error_set(err, EXIT_INPUT, "no memory for the filter's steps");
        plan_mask_free(&plan->mask[0]);
        plan->mask[0] = turned;
    }
    return set_step(plan, step, request->rank, err) &&
           (filter->steps == 1 || add_step(plan, step + 1, step[0].turned != step[1].turned, err));
}
