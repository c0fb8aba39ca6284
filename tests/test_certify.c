/* Certified sums where they are hardest: sums that are exact ties, or one
 * beside them, over the very samples that carry the approximation farthest off. A bound that
 * is too small shows as a wrong sample. Every CPU kernel, byte for byte. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../src/cpu_certify.h"
#include "../src/cpu_certify16.h"
#include "../src/cpu_near8.h"
#include "../src/kernel.h"
#include "random.h"
#include "test.h"

__extension__ typedef __int128 int128;

#define MAX_SIDE  16
#define MAX_CELLS (MAX_SIDE * MAX_SIDE)

enum shape { ANY, NEAR_RANK_1, NEAR_RANK_2, PEAK, PEAK_OF_RANK_1 };
enum { NO, YES, EITHER };

static const struct {
    const char *name;
    int width, height;
    enum shape shape;
    double low,
        high; /* of the weights before they are divided by their sum's size and multiplied */
    double gain;
    int terms, groups; /* what must come of it; groups: of taps, yes or no */
} MASKS[] = {
    {"sharpening 3x3", 3, 3, ANY, -1, 0.4, 1, 0, NO},
    {"positive 3x3", 3, 3, ANY, 0, 1, 1, 0, NO},
    {"gain 2x3", 2, 3, ANY, -1, 9, 30, 0, EITHER},
    {"faint 3x2", 3, 2, ANY, -1, 2, 1e-4, 0, NO},
    {"signed 7x7", 7, 7, ANY, -1, 2, 1, 0, EITHER},
    {"positive 9x9", 9, 9, ANY, 0, 1, 1, 0, YES},
    {"signed 15x15", 15, 15, ANY, -1, 2, 1, 0, YES},
    {"even 16x10", 16, 10, ANY, -1, 4, 3, 0, YES},
    {"column 1x9", 1, 9, ANY, -1, 2, 1, 0, NO},
    {"bell 5x5", 5, 5, NEAR_RANK_1, 0, 1, 1, 1, EITHER},
    {"signed rank 11x9", 11, 9, NEAR_RANK_1, -1, 1, 2, 1, EITHER},
    {"bell 15x15", 15, 15, NEAR_RANK_1, 0, 1, 1, 1, EITHER},
    {"rank 2 15x15", 15, 15, NEAR_RANK_2, 0.3, 1, 1, 2, EITHER},
    {"gain of rank 2 15x14", 15, 14, NEAR_RANK_2, 0.3, 1, 8, 2, EITHER},
    {"unsharp 13x13", 13, 13, PEAK_OF_RANK_1, 0.1, 1, 3, 2, EITHER},
};

/* The same at 8 bits, by row and column. */
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

/* The same by every cell; of a peak the largest weights are in two parts. */
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
};

static uint64_t state = 1;

static double random_within(double low, double high)
{
    return low + (high - low) * (double)(random_next(&state) >> 11) * 0x1p-53;
}

/* Numbers from low to high, in any shape or as an outer product, over their sum's size, times gain.
 * Twelve decimals leave room for offsets; the outer product is rounded to them. */
static bool plan_make(struct plan *plan, enum sample_type type, const char *name, int width,
                      int height, enum shape shape, double low, double high, double gain)
{
    int length = 0;
    double value[MAX_CELLS], first[MAX_SIDE], row[MAX_SIDE], column[2][MAX_SIDE], size = 0;
    char text[MAX_CELLS * 24];
    struct plan_overrides none = {0};
    struct mask mask;
    struct error err;
    bool ok;

    for (int i = 0; i < height; i++)
        column[0][i] = random_within(low, high);
    for (int i = 0; i < width + height && shape == NEAR_RANK_2; i++)
        *(i < width ? &row[i] : &column[1][i - width]) = random_within(low, high);
    for (int i = 0; i < width * height; i++) {
        bool peak = i == height / 2 * width + width / 2;
        value[i] = i < width || shape == ANY || shape == PEAK
                       ? random_within(low, high)
                       : first[i % width] * column[0][i / width];
        if (i < width)
            first[i] = value[i];
        if (shape == NEAR_RANK_2)
            value[i] -= row[i % width] * column[1][i / width] / 2;
        if ((shape == PEAK || shape == PEAK_OF_RANK_1) && peak)
            value[i] *= -30;
        size += fabs(value[i]);
    }
    for (int i = 0; i < width * height; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%.12f%c",
                           value[i] / size * gain, (i + 1) % width ? ' ' : '\n');
    *plan = (struct plan){.masks = 1,
                          .border = BORDER_ZERO,
                          .max = type == SAMPLE_U8 ? 255 : 65535,
                          .type = type,
                          .channels = 1,
                          .alpha = ALPHA_PLAIN,
                          .filtered = 1,
                          .repeat = 1};
    if (!mask_parse(&mask, name, text, (size_t)length, &err))
        return false;
    ok = plan_mask_make(&plan->mask[0], &mask, &none, plan->max, &err);
    mask_free(&mask);
    return ok;
}

/* Both halves of a pair of weights. */
static int64_t half_of(const uint32_t *pairs, int width, int i)
{
    uint32_t pair = pairs[i / width / 2 * width + i % width];
    return (int16_t)(uint16_t)(i / width % 2 ? pair >> 16 : pair);
}

static int64_t joined(const struct cpu_two_masks *m, int width, int i, int k)
{
    return half_of(m->weight[0], width, i) * ((int64_t)1 << k) + half_of(m->weight[1], width, i);
}

/* What the approximation leaves out of weight i: its sign, as exact numbers tell it. */
static int rest_sign(const struct cpu_certify16 *c, const struct plan_mask *m, int i)
{
    int point = c->bounds.high_shift + c->bounds.bits, e, k;
    int128 rest, integer;
    if (c->terms > 0) {
        int bits = c->join[0].bits;
        e = 0;
        for (int t = 0; t < c->terms; t++)
            e = c->join[t].low_shift > e ? c->join[t].low_shift : e;
        integer = 0;
        for (int t = 0; t < c->terms; t++) {
            int j = t * m->width + i % m->width;
            int128 row = (int16_t)(uint16_t)(c->sums.weight[0][j] >> 16) * ((int64_t)1 << bits) +
                         (int16_t)(uint16_t)(c->sums.weight[1][j] >> 16);
            k = c->join[t].low_shift - c->join[t].high_shift;
            integer += joined(&c->column[t], 1, i / m->width, k) * row *
                       ((int128)1 << (e - c->join[t].low_shift));
        }
        e += point + 2 * bits;
    } else {
        e = c->bounds.low_shift + c->bounds.bits + (c->group > 0 ? CPU_PART_SHIFT : 0);
        k = e - point;
        integer = joined(&c->sums, m->width, i, k);
    }
    rest = (int128)m->weight[i] * ((int128)1 << e) - integer * m->divisor;
    if (c->terms == 0)
        CHECKF(2 * rest <= m->divisor && 2 * rest >= -m->divisor, "weight %d is off", i);
    return rest < 0 ? -1 : rest > 0;
}

static int near_sign(const struct cpu_near8 *near, const struct plan_mask *m, int i)
{
    int128 integer = half_of(near->column.weight[0], 1, i / m->width), rest;
    uint32_t pair = near->row.weight[i % m->width / 2];
    integer *= (int16_t)(uint16_t)(i % m->width % 2 ? pair >> 16 : pair);
    rest = (int128)m->weight[i] * ((int128)1 << (near->bounds.bits + near->row.shift)) -
           integer * m->divisor;
    return rest < 0 ? -1 : rest > 0;
}

/* 0 and 1: all rests of one sign; then all 0, all max, and random samples, of all and of two
 * values. */
static void fill(uint16_t *sample, const int *sign, const struct plan *plan, int pattern)
{
    uint16_t max = (uint16_t)plan->max;
    for (int i = 0; i < plan->mask[0].width * plan->mask[0].height; i++) {
        uint16_t value = (uint16_t)random_next(&state) & max;
        switch (pattern) {
        case 0:
        case 1:
            sample[i] = sign[i] == (pattern ? -1 : 1) ? max : 0;
            break;
        case 2:
        case 3:
            sample[i] = pattern == 2 ? 0 : max;
            break;
        default:
            sample[i] = pattern % 2 ? value : value & 1 ? max : 0;
        }
    }
}

/* Every kernel on a picture of the mask's size, where the anchor's sample sees all of it. */
static void check_kernels(const struct plan *plan, const uint16_t *sample, const char *name,
                          int pattern)
{
    const struct plan_mask *m = &plan->mask[0];
    uint16_t given[MAX_CELLS], expected[MAX_CELLS], got[MAX_CELLS];
    size_t pitch = (size_t)m->width * plan->type;
    struct image in = {m->width, m->height, 1, pitch, plan->type, given};
    struct image want = {m->width, m->height, 1, pitch, plan->type, expected};
    struct image out = {m->width, m->height, 1, pitch, plan->type, got};
    struct kernel_job job = kernel_job_whole(plan, &in, &want);
    const struct kernel *table;
    struct error err;
    char why[256];
    int count;

    for (int i = 0; i < m->width * m->height; i++)
        if (plan->type == SAMPLE_U8)
            ((uint8_t *)given)[i] = (uint8_t)sample[i];
        else
            given[i] = sample[i];
    table = kernel_table(&count);
    CHECK(table[0].run(&job, &err));
    job.out = &out;
    for (int k = 1; k < count; k++) {
        if (table[k].dims != 2 || table[k].device != DEVICE_CPU ||
            !table[k].supports(plan, why, sizeof why))
            continue;
        CHECK(table[k].run(&job, &err));
        CHECKF(memcmp(expected, got, pitch * (size_t)m->height) == 0,
               "%s: %s, pattern %d, offset %lld", table[k].name, name, pattern,
               (long long)m->offset);
    }
}

/* S + floor(d/2) = level * d + beside at the anchor. */
static void check_ties(struct plan *plan, const uint16_t *sample, const char *name, int pattern)
{
    struct plan_mask *m = &plan->mask[0];
    const int levels[] = {1, 2, (int)plan->max / 2 + 1, (int)plan->max};
    int64_t sum = 0;
    for (int i = 0; i < m->width * m->height; i++)
        sum += m->weight[i] * sample[i];
    for (int level = 0; level < 4; level++)
        for (int beside = -1; beside <= 1; beside++) {
            m->offset = levels[level] * m->divisor - m->divisor / 2 - sum + beside;
            m->bound = m->sum_abs * plan->max + llabs(m->offset) + m->divisor;
            CHECK(m->bound < (int64_t)1 << 62);
            check_kernels(plan, sample, name, pattern);
        }
}

static void check_patterns(struct plan *plan, const int *sign, const char *name)
{
    for (int pattern = 0; pattern < 16; pattern++) {
        uint16_t sample[MAX_CELLS];
        fill(sample, sign, plan, pattern);
        check_ties(plan, sample, name, pattern);
    }
}

static void check_16(int i)
{
    struct plan plan;
    struct plan_mask *m = &plan.mask[0];
    struct cpu_certify16 certify;
    int sign[MAX_CELLS];
    bool made = plan_make(&plan, SAMPLE_U16, MASKS[i].name, MASKS[i].width, MASKS[i].height,
                          MASKS[i].shape, MASKS[i].low, MASKS[i].high, MASKS[i].gain);

    CHECKF(made && m->accumulator == ACCUMULATOR_I64, "%s", MASKS[i].name);
    if (!made)
        return;
    made = cpu_certify16_make(&certify, &plan);
    CHECKF(made, "%s", MASKS[i].name);
    CHECKF(certify.terms == MASKS[i].terms &&
               (MASKS[i].groups == EITHER || MASKS[i].groups == (certify.group > 0)),
           "%s: %d terms, groups of %d", MASKS[i].name, certify.terms, certify.group);
    for (int k = 0; made && k < m->width * m->height; k++)
        sign[k] = rest_sign(&certify, m, k);
    if (made)
        check_patterns(&plan, sign, MASKS[i].name);
    cpu_certify16_free(&certify);
    plan_free(&plan);
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

static void ties_are_exact_at_16_bits(void)
{
    for (int i = 0; i < (int)(sizeof MASKS / sizeof *MASKS); i++)
        for (int weights = 0; weights < 4; weights++)
            check_16(i);
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

int main(void)
{
    TEST(ties_are_exact_at_16_bits);
    TEST(ties_are_exact_at_8_bits);
    TEST(ties_are_exact_by_every_cell);
    return test_finish();
}
