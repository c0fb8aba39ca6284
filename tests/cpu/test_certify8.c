/* Certified sums of 8-bit samples where they are hardest: see tests/cpu/test_certify.c. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "cpu/certify.h"
#include "cpu/lowrank8.h"
#include "cpu/near8.h"
#include "cpu/window8.h"
#include "tests/cpu/certify_ties.h"
#include "tests/test.h"

/* Close to rank 1: by row and column. */
static const struct {
    const char *name;
    int width, height;
    double low, high, gain;
} NEAR_MASKS[] = {
    {"bell 3x3 of 8 bits", 3, 3, 0.2, 1, 1},     {"bell 5x5 of 8 bits", 5, 5, 0, 1, 1},
    {"even 4x6 of 8 bits", 4, 6, 0, 1, 0.7},     {"signed 7x4 of 8 bits", 7, 4, -1, 1, 2},
    {"gain 2x3 of 8 bits", 2, 3, -0.2, 1, 2.5},  {"faint 3x2 of 8 bits", 3, 2, -1, 2, 1e-3},
    {"bell 15x15 of 8 bits", 15, 15, 0.1, 1, 1}, {"signed 16x9 of 8 bits", 16, 9, -1, 2, 1},
};

/* By every cell; of a peak the largest weights are in two parts. */
static const struct {
    const char *name;
    int width, height;
    enum shape shape;
    double low, high, gain;
} ROUNDED_MASKS[] = {
    {"signed 3x3 of 8 bits", 3, 3, ANY, -1, 2, 1},
    {"positive 5x5 of 8 bits", 5, 5, ANY, 0, 1, 1},
    {"faint 3x2 of 8 bits", 3, 2, ANY, -1, 2, 1e-3},
    {"sharpening 5x5 of 8 bits", 5, 5, PEAK, -1, -0.1, 2},
    {"peak 6x7 of 8 bits", 6, 7, PEAK, -1, 1, 3},
    {"column 1x9 of 8 bits", 1, 9, ANY, -1, 2, 1},
    {"peak 15x4 of 8 bits", 15, 4, PEAK, 0.4, 1, 1},
    {"signed 15x15 of 8 bits", 15, 15, PEAK, -1, 1, 1},
    {"positive 9x9 of 8 bits", 9, 9, ANY, 0, 1, 1},
    {"signed 16x13 of 8 bits", 16, 13, ANY, -1, 2, 3},
};

/* By columns and rows of floats. */
static const struct {
    const char *name;
    int width, height;
    enum shape shape;
    double low, high, gain;
    int terms;
} LOWRANK_MASKS[] = {
    {"rank 2, 15x15 of 8 bits", 15, 15, NEAR_RANK_2, -1, 1, 1, 2},
    {"rank 2, 16x11 of 8 bits", 16, 11, NEAR_RANK_2, -1, 2, 9, 2},
    {"rank 2, 13x16 of 8 bits", 13, 16, NEAR_RANK_2, 0.1, 1, 1e-3, 2},
    {"sharpening 15x15 of 8 bits", 15, 15, NEAR_RANK_1_BUT_ONE, 0.2, 1, 1, 2},
    {"sharpening 9x16 of 8 bits", 9, 16, NEAR_RANK_1_BUT_ONE, -1, 1, 20, 2},
};

static int near_sign(const struct cpu_near8 *near, const struct plan_mask *m, int i)
{
    int128 integer = half_of(near->column.weight[0], 1, i / m->width), rest;
    uint32_t pair = near->row.weight[i % m->width / 2];
    integer *= (int16_t)(uint16_t)(i % m->width % 2 ? pair >> 16 : pair);
    rest = (int128)m->weight[i] * ((int128)1 << (near->bounds.bits + near->row.shift)) -
           integer * m->divisor;
    return rest < 0 ? -1 : rest > 0;
}

static void check_8(int i)
{
    struct plan plan;
    struct plan_mask *m = &plan.mask[0];
    struct cpu_near8 near;
    int sign[MAX_CELLS];
    bool made =
        plan_make(&plan, SAMPLE_U8, NEAR_MASKS[i].name, NEAR_MASKS[i].width, NEAR_MASKS[i].height,
                  NEAR_RANK_1, NEAR_MASKS[i].low, NEAR_MASKS[i].high, NEAR_MASKS[i].gain);

    CHECKF(made && cpu_near8_can(&plan), "%s", NEAR_MASKS[i].name);
    if (!made)
        return;
    made = cpu_near8_make(&near, &plan);
    CHECKF(made && near.share < 0.05, "%s: %g doubtful", NEAR_MASKS[i].name, near.share);
    for (int k = 0; made && k < m->width * m->height; k++)
        sign[k] = near_sign(&near, m, k);
    if (made)
        check_patterns(&plan, sign, NEAR_MASKS[i].name);
    cpu_near8_free(&near);
    plan_free(&plan);
}

static void check_rounded(int i)
{
    struct plan plan;
    struct plan_mask *m = &plan.mask[0];
    struct cpu_rounded rounded = {0};
    const char *name = ROUNDED_MASKS[i].name;
    int64_t sum[2] = {0, 0};
    int sign[MAX_CELLS];
    bool large = false,
         made = plan_make(&plan, SAMPLE_U8, name, ROUNDED_MASKS[i].width, ROUNDED_MASKS[i].height,
                          ROUNDED_MASKS[i].shape, ROUNDED_MASKS[i].low, ROUNDED_MASKS[i].high,
                          ROUNDED_MASKS[i].gain);

    CHECKF(made && m->accumulator == ACCUMULATOR_I64, "%s", name);
    if (!made)
        return;
    made = cpu_rounded_make(&rounded, &plan);
    CHECKF(made && rounded.test.high - rounded.test.low < 0.1F, "%s: %g doubtful", name,
           (double)(rounded.test.high - rounded.test.low));
    for (int k = 0; made && k < m->width * m->height; k++) {
        int64_t w = rounded.weight[k], rest = m->weight[k] - w * rounded.unit;
        int64_t upper = cpu_certify_upper(w), size = llabs(w);
        sign[k] = rest < 0 ? -1 : rest > 0;
        large |= size > INT16_MAX;
        sum[w < 0] += size;
        CHECKF(2 * llabs(rest) <= rounded.unit + rounded.unit / 1024, "%s: weight %d is off", name,
               k);
        CHECKF(size <= INT16_MAX || (llabs(upper) <= INT16_MAX && llabs(w - 256 * upper) <= 128),
               "%s: weight %d is too large", name, k);
    }
    CHECKF(sum[0] * 255 < (int64_t)1 << 31 && sum[1] * 255 < (int64_t)1 << 31, "%s", name);
    CHECKF(large == (ROUNDED_MASKS[i].shape == PEAK), "%s: %d", name, large);
    if (made)
        check_patterns(&plan, sign, name);
    cpu_rounded_free(&rounded);
    plan_free(&plan);
}

/* What the two parts of its weights leave out of weight i. */
static int64_t window_rest(const struct cpu_window8 *window, const struct plan_mask *m, int i)
{
    int64_t rest = m->weight[i];
    for (int part = 0; part < 2; part++)
        rest -= window->unit[part] *
                window->taps.weight[cpu_window_at(&window->taps, i / m->width, i % m->width, part)];
    return rest;
}

static void check_window(int i)
{
    struct plan plan;
    struct plan_mask *m = &plan.mask[0];
    struct cpu_window8 window;
    const char *name = ROUNDED_MASKS[i].name;
    int64_t sum[2] = {0, 0};
    int sign[MAX_CELLS];

    if (!plan_make(&plan, SAMPLE_U8, name, ROUNDED_MASKS[i].width, ROUNDED_MASKS[i].height,
                   ROUNDED_MASKS[i].shape, ROUNDED_MASKS[i].low, ROUNDED_MASKS[i].high,
                   ROUNDED_MASKS[i].gain) ||
        !cpu_window8_make(&window, &plan)) {
        CHECKF(false, "%s", name);
        return;
    }
    for (int k = 0; k < m->width * m->height; k++) {
        int64_t rest = window_rest(&window, m, k);
        sign[k] = rest < 0 ? -1 : rest > 0;
        sum[rest > 0] += rest * (int64_t)plan.max;
    }
    CHECKF(sum[0] == window.low && sum[1] == window.high, "%s", name);
    CHECKF((double)(window.high - window.low) < 1e-5 * (double)m->divisor, "%s", name);
    check_patterns(&plan, sign, name);
    cpu_window8_free(&window);
    plan_free(&plan);
}

/* The sum of the terms' products there. */
static double product_at(const struct cpu_lowrank8 *l, int width, int i, int j)
{
    double sum = 0;
    for (int k = 0; k < l->terms; k++)
        for (int a = 0; a < l->column[k].count; a++)
            for (int b = 0; b < l->row.count; b++)
                if (l->line[k][a] == i && l->cell[b] == k * width + j)
                    sum += (double)l->column[k].weight[a] * (double)l->row.weight[b];
    return sum;
}

static void check_lowrank(int i)
{
    struct plan plan;
    struct plan_mask *m = &plan.mask[0];
    struct cpu_lowrank8 lowrank;
    const char *name = LOWRANK_MASKS[i].name;
    int sign[MAX_CELLS];
    bool made = plan_make(&plan, SAMPLE_U8, name, LOWRANK_MASKS[i].width, LOWRANK_MASKS[i].height,
                          LOWRANK_MASKS[i].shape, LOWRANK_MASKS[i].low, LOWRANK_MASKS[i].high,
                          LOWRANK_MASKS[i].gain);

    CHECKF(made && cpu_lowrank8_can(&plan), "%s", name);
    if (!made)
        return;
    made = cpu_lowrank8_make(&lowrank, &plan);
    CHECKF(made && lowrank.terms == LOWRANK_MASKS[i].terms, "%s", name);
    for (int k = 0; made && k < m->width * m->height; k++) {
        double rest = (double)m->weight[k] / (double)m->divisor -
                      product_at(&lowrank, m->width, k / m->width, k % m->width);
        sign[k] = rest < 0 ? -1 : rest > 0;
    }
    if (made) {
        check_patterns(&plan, sign, name);
        cpu_lowrank8_free(&lowrank);
    }
    plan_free(&plan);
}

static void ties_are_exact_at_8_bits(void)
{
    for (int i = 0; i < (int)(sizeof NEAR_MASKS / sizeof *NEAR_MASKS); i++)
        for (int weights = 0; weights < 4; weights++)
            check_8(i);
}

static void ties_are_exact_by_every_cell(void)
{
    for (int i = 0; i < (int)(sizeof ROUNDED_MASKS / sizeof *ROUNDED_MASKS); i++)
        for (int weights = 0; weights < 4; weights++)
            check_rounded(i);
}

static void ties_are_exact_by_windows(void)
{
    for (int i = 0; i < (int)(sizeof ROUNDED_MASKS / sizeof *ROUNDED_MASKS); i++)
        check_window(i);
}

static void ties_are_exact_by_floats(void)
{
    for (int i = 0; i < (int)(sizeof LOWRANK_MASKS / sizeof *LOWRANK_MASKS); i++)
        for (int weights = 0; weights < 2; weights++)
            check_lowrank(i);
}

int main(void)
{
    TEST(ties_are_exact_at_8_bits);
    TEST(ties_are_exact_by_every_cell);
    TEST(ties_are_exact_by_windows);
    TEST(ties_are_exact_by_floats);
    return test_finish();
}
