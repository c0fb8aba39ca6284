/* Makes masks of integers from masks of rationals, exactly.
 *
 * Weights and offset get the smallest common denominator d. A mask that needs more
 * than 62 bits so goes to plan/quantise.c. The search for the denominator ends as
 * soon as it must be too large, so that a mask of 65025 unrelated denominators takes
 * no longer than any other. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "plan/steps.h"

__extension__ typedef __int128 int128;

/* ---- overrides ---- */

static bool override_number(mpq_t value, const char *option, const char *text, bool *percent,
                            struct error *err)
{
    const char *why;
    bool good = percent ? rational_parse_percent(value, text, strlen(text), percent, &why)
                        : rational_parse(value, text, strlen(text), &why);
    if (good)
        return true;
    return error_set(err, EXIT_USAGE, "%s %.80s: %s", option, text, why);
}

static bool input_override(struct plan_input *input, const struct plan_overrides *overrides,
                           struct error *err)
{
    if (overrides->divisor) {
        if (!override_number(input->divisor, "--divisor", overrides->divisor, NULL, err))
            return false;
        if (mpq_sgn(input->divisor) == 0)
            return error_set(err, EXIT_USAGE, "--divisor %.80s: a divisor cannot be 0",
                             overrides->divisor);
    }
    if (overrides->offset &&
        !override_number(input->offset, "--offset", overrides->offset, &input->offset_percent, err))
        return false;
    if (overrides->has_anchor) {
        input->anchor_x = overrides->anchor_x;
        input->anchor_y = overrides->anchor_y;
        if (input->anchor_x < 0 || input->anchor_x >= input->mask->width || input->anchor_y < 0 ||
            input->anchor_y >= input->mask->height)
            return error_set(
                err, EXIT_USAGE, "--anchor %d,%d: the anchor lies outside the mask of %d x %d",
                input->anchor_x, input->anchor_y, input->mask->width, input->mask->height);
    }
    input->flip = overrides->flip;
    return true;
}

static void input_free(struct plan_input *input)
{
    mpq_clears(input->divisor, input->offset, NULL);
}

/* MASK with the overrides, which may be NULL. Free on success. */
static bool input_make(struct plan_input *input, const struct mask *mask,
                       const struct plan_overrides *overrides, struct error *err)
{
    *input = (struct plan_input){.mask = mask,
                                 .cells = (size_t)mask->width * (size_t)mask->height,
                                 .offset_percent = mask->offset_percent,
                                 .anchor_x = mask->anchor_x,
                                 .anchor_y = mask->anchor_y};
    mpq_inits(input->divisor, input->offset, NULL);
    mpq_set(input->divisor, mask->divisor);
    mpq_set(input->offset, mask->offset);
    if (!overrides || input_override(input, overrides, err))
        return true;
    input_free(input);
    return false;
}

bool plan_mask_override(struct mask *mask, const struct plan_overrides *overrides,
                        struct error *err)
{
    struct plan_input input;

    if (!input_make(&input, mask, overrides, err))
        return false;
    mpq_swap(mask->divisor, input.divisor);
    mpq_swap(mask->offset, input.offset);
    mask->offset_percent = input.offset_percent;
    mask->anchor_x = input.anchor_x;
    mask->anchor_y = input.anchor_y;
    if (input.flip)
        mask_flip(mask);
    input_free(&input);
    return true;
}

/* ---- the exact integers ---- */

/* Stores VALUE, if it is below the plan's bound at all. */
static bool store(int64_t *place, const mpz_t value)
{
    if (mpz_sizeinbase(value, 2) > PLAN_BITS)
        return false;
    *place = mpz_get_si(value);
    return true;
}

/* Computes the least common multiple L of the weights' denominators; false when no d below 2^62 can
 * exist. Proof of the two limits: for any weight n/m that is not 0 and the divisor N/M, d is a
 * multiple of the denominator of nM/(mN): at least N/n, and over all weights at least L/M. */
static bool common_denominator(mpz_t lcm, const struct plan_input *input)
{
    size_t divisor_bits = mpz_sizeinbase(mpq_numref(input->divisor), 2);
    size_t limit = PLAN_BITS + mpz_sizeinbase(mpq_denref(input->divisor), 2);

    mpz_set_ui(lcm, 1);
    for (size_t k = 0; k < input->cells; k++) {
        mpq_srcptr weight = plan_input_weight(input, k);
        if (mpq_sgn(weight) == 0)
            continue;
        if (divisor_bits > PLAN_BITS + mpz_sizeinbase(mpq_numref(weight), 2))
            return false;
        if (!mpz_divisible_p(lcm, mpq_denref(weight)))
            mpz_lcm(lcm, lcm, mpq_denref(weight));
        if (mpz_sizeinbase(lcm, 2) > limit)
            return false;
    }
    return true;
}

/* The weight over the common denominator: an integer. */
static void scaled_weight(mpz_t result, const struct plan_input *input, size_t k, const mpz_t lcm)
{
    mpq_srcptr weight = plan_input_weight(input, k);
    mpz_divexact(result, lcm, mpq_denref(weight));
    mpz_mul(result, result, mpq_numref(weight));
}

/* Why d is the smallest: with L as above, W_k = weight_k * L and G = gcd of the W_k, every weight
 * is an integer multiple W_k / G of one unit, G / L; divided by the divisor the unit is a/b in
 * lowest terms. So b is the weights' smallest common denominator, and d that of weights and offset.
 */
static bool make_exact(struct plan_mask *plan, const struct plan_input *input)
{
    mpz_t lcm, gcd, w, d;
    mpq_t unit;
    bool good = false;

    mpz_inits(lcm, gcd, w, d, NULL);
    mpq_init(unit);
    if (!common_denominator(lcm, input))
        goto out;
    for (size_t k = 0; k < input->cells && mpz_cmp_ui(gcd, 1) != 0; k++) {
        scaled_weight(w, input, k, lcm);
        mpz_gcd(gcd, gcd, w);
    }
    mpz_set(mpq_numref(unit), gcd);
    mpz_set(mpq_denref(unit), lcm);
    mpq_canonicalize(unit);
    mpq_div(unit, unit, input->divisor);
    mpz_lcm(d, mpq_denref(unit), mpq_denref(input->offset));
    if (!store(&plan->divisor, d))
        goto out;

    mpz_divexact(w, d, mpq_denref(input->offset));
    mpz_mul(w, w, mpq_numref(input->offset));
    if (!store(&plan->offset, w))
        goto out;
    /* From here d holds the value of one unit: a * (d/b). */
    mpz_divexact(d, d, mpq_denref(unit));
    mpz_mul(d, d, mpq_numref(unit));
    for (size_t k = 0; k < input->cells; k++) {
        scaled_weight(w, input, k, lcm);
        if (mpz_sgn(w) != 0)
            mpz_divexact(w, w, gcd);
        mpz_mul(w, w, d);
        if (!store(&plan->weight[k], w))
            goto out;
    }
    good = plan_mask_settle(plan, input->max);
out:
    mpz_clears(lcm, gcd, w, d, NULL);
    mpq_clear(unit);
    return good;
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

static bool make_integers(struct plan_mask *plan, const struct plan_input *input, struct error *err)
{
    const struct mask *mask = input->mask;
    bool no_memory = false;

    plan->quantised_bits = -1;
    if (!make_exact(plan, input) && !plan_mask_quantise(plan, input, &no_memory) && !no_memory)
        return error_set(err, EXIT_USAGE,
                         "%s: numbers too large: the sums they can make must stay below 2^62",
                         mask->name    ? mask->name
                         : mask->title ? mask->title
                                       : "the mask");
    if (no_memory || !plan_mask_factor(plan) || !plan_terms_make(plan))
        return error_set(err, EXIT_USAGE, "no memory for the mask's plan");
    return true;
}

bool plan_mask_make(struct plan_mask *plan, const struct mask *mask,
                    const struct plan_overrides *overrides, uint32_t max, struct error *err)
{
    struct plan_input input;
    bool good;

    memset(plan, 0, sizeof *plan);
    if (!input_make(&input, mask, overrides, err))
        return false;
    input.max = max;
    if (input.offset_percent) {
        mpz_mul_ui(mpq_numref(input.offset), mpq_numref(input.offset), max);
        mpq_canonicalize(input.offset);
    }
    plan->width = mask->width;
    plan->height = mask->height;
    plan->anchor_x = input.flip ? mask->width - 1 - input.anchor_x : input.anchor_x;
    plan->anchor_y = input.flip ? mask->height - 1 - input.anchor_y : input.anchor_y;
    plan->weight = malloc(input.cells * sizeof *plan->weight);
    good = plan->weight ? make_integers(plan, &input, err)
                        : error_set(err, EXIT_USAGE, "no memory for the mask's plan");
    if (!good)
        plan_mask_free(plan);
    input_free(&input);
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

void plan_free(struct plan *plan)
{
    for (int i = 0; i < plan->masks; i++)
        plan_mask_free(&plan->mask[i]);
    memset(plan, 0, sizeof *plan);
}

const char *plan_alpha_text(const struct plan *plan)
{
    if (!image_has_alpha(plan->channels))
        return "none";
    return plan->alpha == ALPHA_WEIGHTED ? "weighted"
           : plan->alpha == ALPHA_IGNORE ? "ignore"
                                         : "plain";
}
