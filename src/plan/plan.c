/* Makes masks of integers from masks of rationals, exactly: weights and offset get their smallest
 * common denominator d. If this needs more than 62 bits, plan/quantise.c makes the mask. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "plan/steps.h"

__extension__ typedef __int128 int128;

/* ---- overrides ---- */

bool plan_mask_override(struct mask *mask, const struct plan_overrides *overrides,
                        struct error *err)
{
    const char *divisor = overrides->divisor, *offset = overrides->offset, *why;

    if (divisor && !rational_option(mask->divisor, "--divisor", divisor, NULL, err))
        return false;
    if (divisor && mpq_sgn(mask->divisor) == 0)
        return error_set(err, EXIT_USAGE, "--divisor %.80s: a divisor cannot be 0", divisor);
    if (divisor && overrides->normalize)
        return error_set(err, EXIT_USAGE, "--divisor and --normalize exclude each other");
    if (overrides->normalize && (why = mask_normalize(mask)))
        return error_set(err, EXIT_USAGE, "--normalize: %s", why);
    if (offset && !rational_option(mask->offset, "--offset", offset, &mask->offset_percent, err))
        return false;
    if (overrides->has_anchor) {
        int x = overrides->anchor_x, y = overrides->anchor_y;
        if (x < 0 || x >= mask->width || y < 0 || y >= mask->height)
            return error_set(err, EXIT_USAGE,
                             "--anchor %d,%d: the anchor lies outside the mask of %d x %d", x, y,
                             mask->width, mask->height);
        mask->anchor_x = x;
        mask->anchor_y = y;
    }
    if (overrides->flip)
        mask_flip(mask);
    return true;
}

/* ---- the exact integers ---- */

bool plan_too_large(const struct mask *mask, struct error *err)
{
    return error_set(err, EXIT_USAGE,
                     "%s: numbers too large: the sums they can make must stay below 2^62",
                     mask->name    ? mask->name
                     : mask->title ? mask->title
                                   : "the mask");
}

bool plan_store(int64_t *place, const mpz_t value)
{
    if (mpz_sizeinbase(value, 2) > PLAN_BITS)
        return false;
    *place = mpz_get_si(value);
    return true;
}

/* Fills weight, divisor and offset with the exact integers and settles; false if they are too
 * large. */
static bool make_exact(struct plan_mask *plan, const struct mask *mask, const mpq_t offset,
                       uint32_t max)
{
    size_t cells = (size_t)mask->width * (size_t)mask->height, k = 0;
    mpz_t d;
    mpq_t v, factor;
    bool good;

    mpz_init_set(d, mpq_denref(offset));
    mpq_inits(v, factor, NULL);
    good = rational_common_denominator(d, mask->weight[0], cells, mask->divisor, PLAN_BITS) &&
           plan_store(&plan->divisor, d);
    mpq_set_z(factor, d);
    mpq_mul(v, offset, factor);
    good = good && plan_store(&plan->offset, mpq_numref(v));
    mpq_div(factor, factor, mask->divisor);
    for (; k < cells && good; k++) {
        mpq_mul(v, mask->weight[k], factor);
        good = plan_store(&plan->weight[k], mpq_numref(v));
    }
    mpz_clear(d);
    mpq_clears(v, factor, NULL);
    return good && plan_mask_settle(plan, max);
}

bool plan_mask_settle(struct plan_mask *plan, uint32_t max)
{
    size_t cells = (size_t)plan->width * (size_t)plan->height;
    int128 sum = 0, sum_abs = 0;

    plan->has_negative = false;
    for (size_t k = 0; k < cells; k++) {
        int64_t w = plan->weight[k];
        sum += w;
        sum_abs += w < 0 ? -w : w;
        plan->has_negative |= w < 0;
    }
    /* 65025 cells below 2^62 times max: below 2^94 */
    int128 reach = sum_abs * max + (plan->offset < 0 ? -plan->offset : plan->offset);
    if (reach + plan->divisor >= (int128)1 << PLAN_BITS)
        return false;
    plan->sum = (int64_t)sum;
    plan->sum_abs = (int64_t)sum_abs;
    plan->bound = (int64_t)(reach + plan->divisor);
    plan->accumulator = plan->bound < (int64_t)1 << 31 ? ACCUMULATOR_I32 : ACCUMULATOR_I64;
    plan->float_exact = reach < 1 << 24;
    return true;
}

/* ---- the whole ---- */

/* Makes a mask whose cells are listed. */
static bool make_listed(struct plan_mask *plan, const struct mask *mask, const mpq_t offset,
                        uint32_t max, struct error *err)
{
    plan->weight = malloc((size_t)mask_numbers(mask) * sizeof *plan->weight);
    if (!plan->weight)
        return error_set(err, EXIT_INPUT, PLAN_NO_MEMORY);
    if (!make_exact(plan, mask, offset, max) && !plan_mask_quantise(plan, mask, offset, max, err))
        return false;
    return (plan_mask_is_long(plan) ? plan_mask_split_line(plan) : plan_mask_factor(plan)) ||
           error_set(err, EXIT_INPUT, PLAN_NO_MEMORY);
}

bool plan_mask_make(struct plan_mask *plan, const struct mask *mask, uint32_t max,
                    struct error *err)
{
    mpq_t offset; /* in sample values */
    bool good;

    *plan = (struct plan_mask){.width = mask->width,
                               .height = mask->height,
                               .anchor_x = mask->anchor_x,
                               .anchor_y = mask->anchor_y,
                               .quantised_bits = -1};
    mpq_init(offset);
    mpq_set_ui(offset, mask->offset_percent ? max : 1, 1);
    mpq_mul(offset, offset, mask->offset);
    good = (mask->outer ? plan_mask_make_outer : make_listed)(plan, mask, offset, max, err);
    mpq_clear(offset);
    if (!good)
        plan_mask_free(plan);
    return good;
}

void plan_mask_free(struct plan_mask *plan)
{
    free(plan->weight);
    free(plan->column);
    free(plan->row);
    plan_terms_free(plan);
    memset(plan, 0, sizeof *plan);
}

bool plan_mask_copy(struct plan_mask *copy, const struct plan_mask *window, bool turned)
{
    const int cells = window->width * window->height;

    *copy = *window;
    copy->column = copy->row = NULL;
    copy->terms = 0;
    memset(copy->term, 0, sizeof copy->term);
    copy->weight = malloc((size_t)cells * sizeof *copy->weight);
    if (!copy->weight)
        return false;
    for (int k = 0; k < cells; k++)
        copy->weight[k] = window->weight[turned ? cells - 1 - k : k];
    copy->anchor_x = turned ? window->width - 1 - window->anchor_x : window->anchor_x;
    copy->anchor_y = turned ? window->height - 1 - window->anchor_y : window->anchor_y;
    return true;
}

void plan_free(struct plan *plan)
{
    if (plan->then)
        plan_free(plan->then);
    free(plan->then);
    free(plan->range);
    for (int i = 0; i < plan->masks; i++)
        plan_mask_free(&plan->mask[i]);
    if (plan->next)
        plan_free(plan->next);
    free(plan->next);
    memset(plan, 0, sizeof *plan);
}

const char *plan_alpha_text(const struct plan *plan)
{
    static const char *const words[] = {"weighted", "ignore", "plain"};
    if (!image_has_alpha(plan->channels))
        return "none";
    return words[plan->alpha];
}
