/* Certified sums in their hardest cases: sums that are exact ties, or one unit beside, of the
 * samples for which the approximation is worst. If a bound is too small, a sample is wrong. Every
 * CPU kernel runs with its chosen method and with each certified method, even if that would not be
 * chosen; the comparison is byte for byte. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/rounded.h"
#include "cpu/real.h"
#include "tests/cpu/certify_ties.h"
#include "tests/test.h"

enum { ANY_TERMS = -1 };

static const struct {
    const char *name;
    enum sample_type type;
    int width, height;
    enum shape shape;
    double low, high; /* of the weights, before they are divided by their number and multiplied */
    double gain;
    int terms; /* the number of terms expected */
} MASKS[] = {
    {"bell 3x3", SAMPLE_U8, 3, 3, NEAR_RANK_1, 0.2, 1, 1, ANY_TERMS},
    {"bell 5x5", SAMPLE_U8, 5, 5, NEAR_RANK_1, 0, 1, 1, 1},
    {"even 4x6", SAMPLE_U8, 4, 6, NEAR_RANK_1, 0, 1, 0.7, 1},
    {"signed 7x4", SAMPLE_U8, 7, 4, NEAR_RANK_1, -1, 1, 2, 1},
    {"gain 2x3", SAMPLE_U8, 2, 3, NEAR_RANK_1, -0.2, 1, 2.5, ANY_TERMS},
    {"faint 3x2", SAMPLE_U8, 3, 2, NEAR_RANK_1, -1, 2, 1e-3, ANY_TERMS},
    {"bell 15x15", SAMPLE_U8, 15, 15, NEAR_RANK_1, 0.1, 1, 1, 1},
    {"signed 16x9", SAMPLE_U8, 16, 9, NEAR_RANK_1, -1, 2, 1, 1},
    {"signed 3x3", SAMPLE_U8, 3, 3, ANY, -1, 2, 1, ANY_TERMS},
    {"positive 5x5", SAMPLE_U8, 5, 5, ANY, 0, 1, 1, 0},
    {"sharpening 5x5", SAMPLE_U8, 5, 5, PEAK, -1, -0.1, 2, 0},
    {"peak 6x7", SAMPLE_U8, 6, 7, PEAK, -1, 1, 3, 0},
    {"column 1x9", SAMPLE_U8, 1, 9, ANY, -1, 2, 1, 0},
    {"peak 15x4", SAMPLE_U8, 15, 4, PEAK, 0.4, 1, 1, ANY_TERMS},
    {"signed 15x15", SAMPLE_U8, 15, 15, ANY, -1, 1, 1, 0},
    {"positive 9x9", SAMPLE_U8, 9, 9, ANY, 0, 1, 1, 0},
    {"signed 16x13", SAMPLE_U8, 16, 13, ANY, -1, 2, 3, 0},
    {"rank 2, 15x15", SAMPLE_U8, 15, 15, NEAR_RANK_2, -1, 1, 1, 2},
    {"rank 2, 16x11", SAMPLE_U8, 16, 11, NEAR_RANK_2, -1, 2, 9, 2},
    {"rank 2, 13x16", SAMPLE_U8, 13, 16, NEAR_RANK_2, 0.1, 1, 1e-3, 2},
    {"unsharp 15x15", SAMPLE_U8, 15, 15, NEAR_RANK_1_BUT_ONE, 0.2, 1, 1, 2},
    {"unsharp 9x16", SAMPLE_U8, 9, 16, NEAR_RANK_1_BUT_ONE, -1, 1, 20, 2},
    {"sharpening 3x3", SAMPLE_U16, 3, 3, ANY, -1, 0.4, 1, ANY_TERMS},
    {"gain 2x3", SAMPLE_U16, 2, 3, ANY, -1, 9, 30, ANY_TERMS},
    {"faint 3x2", SAMPLE_U16, 3, 2, ANY, -1, 2, 1e-4, ANY_TERMS},
    {"signed 7x7", SAMPLE_U16, 7, 7, ANY, -1, 2, 1, 0},
    {"positive 9x9", SAMPLE_U16, 9, 9, ANY, 0, 1, 1, 0},
    {"signed 15x15", SAMPLE_U16, 15, 15, ANY, -1, 2, 1, 0},
    {"even 16x10", SAMPLE_U16, 16, 10, ANY, -1, 4, 3, 0},
    {"column 1x9", SAMPLE_U16, 1, 9, ANY, -1, 2, 1, 0},
    {"bell 5x5", SAMPLE_U16, 5, 5, NEAR_RANK_1, 0, 1, 1, ANY_TERMS},
    {"signed rank 11x9", SAMPLE_U16, 11, 9, NEAR_RANK_1, -1, 1, 2, 1},
    {"bell 15x15", SAMPLE_U16, 15, 15, NEAR_RANK_1, 0, 1, 1, 1},
    {"rank 2 15x15", SAMPLE_U16, 15, 15, NEAR_RANK_2, 0.3, 1, 1, 2},
    {"gain of rank 2 15x14", SAMPLE_U16, 15, 14, NEAR_RANK_2, 0.3, 1, 8, 2},
    {"unsharp 13x13", SAMPLE_U16, 13, 13, PEAK_OF_RANK_1, 0.1, 1, 3, ANY_TERMS},
};

static double number_at(const struct cpu_real *real, const void *weights, int i)
{
    return real->wide ? ((const double *)weights)[i] : (double)((const float *)weights)[i];
}

/* The approximation of weight I. */
static double weight_of(const struct cpu_real *real, int width, int i)
{
    double sum = 0;
    if (real->terms == 0)
        return number_at(real, real->cells.weight, i);
    for (int k = 0; k < real->terms; k++) {
        const struct cpu_real_term *t = &real->term[k];
        int y = i / width - t->top, x = i % width - t->left;
        if (y >= 0 && y < t->column.height && x >= 0 && x < t->row.width)
            sum += number_at(real, t->column.weight, y) * number_at(real, t->row.weight, x);
    }
    return sum;
}

static bool of_terms(int expected, int terms)
{
    return expected == ANY_TERMS || expected == terms;
}

static void check_mask(int k)
{
    struct plan plan;
    struct plan_mask *m = &plan.mask[0];
    struct cpu_real *real;
    int sign[MAX_CELLS];

    if (!plan_make(&plan, MASKS[k].type, MASKS[k].name, MASKS[k].width, MASKS[k].height,
                   MASKS[k].shape, MASKS[k].low, MASKS[k].high, MASKS[k].gain)) {
        CHECKF(false, "%s", MASKS[k].name);
        return;
    }
    real = cpu_real_make(&plan);
    CHECKF(real && of_terms(MASKS[k].terms, real->terms), "%s: %d terms", MASKS[k].name,
           real ? real->terms : -1);
    CHECKF(real && real->doubt < 0.05, "%s: %g doubtful", MASKS[k].name, real ? real->doubt : 1);
    for (int i = 0; real && i < m->width * m->height; i++) {
        double rest = (double)m->weight[i] / (double)m->divisor - weight_of(real, m->width, i);
        sign[i] = rest < 0 ? -1 : rest > 0;
    }
    if (real)
        check_patterns(&plan, sign, MASKS[k].name);
    cpu_real_free(real);
    plan_free(&plan);
}

static void ties_are_exact(void)
{
    for (int i = 0; i < (int)(sizeof MASKS / sizeof *MASKS); i++)
        for (int weights = 0; weights < 3; weights++)
            check_mask(i);
}

/* 8 bits with rounded weights: the exact error of the rounding. */
static void ties_are_exact_by_rounded_weights(void)
{
    for (int i = 0; i < (int)(sizeof MASKS / sizeof *MASKS); i++) {
        struct plan plan;
        struct plan_mask *m = &plan.mask[0];
        struct cpu_rounded rounded;
        int sign[MAX_CELLS];

        if (MASKS[i].type != SAMPLE_U8 || MASKS[i].shape != ANY)
            continue;
        CHECK(plan_make(&plan, SAMPLE_U8, MASKS[i].name, MASKS[i].width, MASKS[i].height, ANY,
                        MASKS[i].low, MASKS[i].high, MASKS[i].gain));
        if (cpu_rounded_make(&rounded, &plan)) {
            int64_t sum = 0;
            for (int k = 0; k < m->width * m->height; k++) {
                int64_t w = rounded.weight[k], rest = m->weight[k] - w * rounded.unit;
                sign[k] = rest < 0 ? -1 : rest > 0;
                sum += llabs(w);
                CHECKF(2 * llabs(rest) <= rounded.unit && llabs(w) <= INT16_MAX,
                       "%s: weight %d is off", MASKS[i].name, k);
            }
            CHECKF(sum * 255 < (int64_t)1 << 31, "%s", MASKS[i].name);
            check_patterns(&plan, sign, MASKS[i].name);
            cpu_rounded_free(&rounded);
        }
        plan_free(&plan);
    }
}

/* 16-bit sums of a column and a row reach 2^31 exactly, or one more or less. */
static void halves_hold_their_sums(void)
{
    static const char *const TEXTS[] = {"1 65534 1\n65534 4294705156 65534\n1 65534 1\n",
                                        ("268402689 536870910 268402689\n"
                                         "536870910 1073872900 536870910\n"
                                         "268402689 536870910 268402689\n"),
                                        "-1073741823 1073741823\n1073741823 -1073741823\n",
                                        "-1073741824 3221225472\n-1073676289 3221028867\n"};
    const int none[9] = {0};
    int halves = 0;

    for (int i = 0; i < (int)(sizeof TEXTS / sizeof *TEXTS); i++) {
        struct plan plan = {.masks = 1,
                            .border = BORDER_ZERO,
                            .max = 65535,
                            .type = SAMPLE_U16,
                            .channels = 1,
                            .alpha = ALPHA_PLAIN,
                            .filtered = 1,
                            .repeat = 1};
        struct plan_overrides overrides = {.divisor = "4294967296"};
        struct mask mask;
        struct error err;
        CHECK(mask_parse(&mask, "halves", TEXTS[i], strlen(TEXTS[i]), &err) &&
              plan_mask_override(&mask, &overrides, &err) &&
              plan_mask_make(&plan.mask[0], &mask, plan.max, &err));
        mask_free(&mask);
        halves += !cpu_method_refusal(&cpu_method_outer16, &plan, &cpu_ops_scalar);
        check_patterns(&plan, none, TEXTS[i]);
        plan_free(&plan);
    }
    CHECKF(halves >= 2, "%d", halves);
}

int main(void)
{
    TEST(ties_are_exact);
    TEST(ties_are_exact_by_rounded_weights);
    TEST(halves_hold_their_sums);
    return test_finish();
}
