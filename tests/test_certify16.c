/* Certified sums of 16-bit samples where they are hardest: sums that are exact ties, or one
 * beside them, over the very samples that carry the approximation farthest off. A bound that
 * is too small shows as a wrong sample. Every CPU kernel, byte for byte. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../src/cpu_certify16.h"
#include "../src/kernel.h"
#include "test.h"

__extension__ typedef __int128 int128;

#define MAX_SIDE  16
#define MAX_CELLS (MAX_SIDE * MAX_SIDE)

enum shape { ANY, NEAR_RANK_1 };

static const struct {
    const char *name;
    int width, height;
    enum shape shape;
    double low,
        high; /* of the weights before they are divided by their sum's size and multiplied */
    double gain;
    bool separable, parts; /* what must come of it */
} MASKS[] = {
    {"sharpening 3x3", 3, 3, ANY, -1, 0.4, 1, false, false},
    {"positive 3x3", 3, 3, ANY, 0, 1, 1, false, false},
    {"gain 2x3", 2, 3, ANY, -1, 9, 30, false, false},
    {"faint 3x2", 3, 2, ANY, -1, 2, 1e-4, false, false},
    {"signed 7x7", 7, 7, ANY, -1, 2, 1, false, false},
    {"positive 9x9", 9, 9, ANY, 0, 1, 1, false, true},
    {"signed 15x15", 15, 15, ANY, -1, 2, 1, false, true},
    {"even 16x10", 16, 10, ANY, -1, 4, 3, false, true},
    {"column 1x9", 1, 9, ANY, -1, 2, 1, false, false},
    {"bell 5x5", 5, 5, NEAR_RANK_1, 0, 1, 1, true, false},
    {"signed rank 7x4", 7, 4, NEAR_RANK_1, -1, 1, 2, true, false},
    {"bell 15x15", 15, 15, NEAR_RANK_1, 0, 1, 1, true, false},
};

static uint64_t state = 1;

/* splitmix64 */
static uint64_t random_next(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static double random_within(double low, double high)
{
    return low + (high - low) * (double)(random_next() >> 11) * 0x1p-53;
}

/* Twelve decimals leave room for offsets; the outer product is rounded to them. */
static bool plan_make(struct plan *plan, int index)
{
    int width = MASKS[index].width, height = MASKS[index].height, length = 0;
    double value[MAX_CELLS], column[MAX_SIDE], size = 0;
    char text[MAX_CELLS * 24];
    struct plan_overrides none = {0};
    struct mask mask;
    struct error err;
    bool ok;

    for (int i = 0; i < height; i++)
        column[i] = random_within(MASKS[index].low, MASKS[index].high);
    for (int i = 0; i < width * height; i++) {
        value[i] = i < width || MASKS[index].shape == ANY
                       ? random_within(MASKS[index].low, MASKS[index].high)
                       : value[i % width] * column[i / width];
        size += fabs(value[i]);
    }
    for (int i = 0; i < width * height; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%.12f%c",
                           value[i] / size * MASKS[index].gain, (i + 1) % width ? ' ' : '\n');
    *plan = (struct plan){.masks = 1,
                          .border = BORDER_ZERO,
                          .max = 65535,
                          .type = SAMPLE_U16,
                          .channels = 1,
                          .alpha = ALPHA_PLAIN,
                          .filtered = 1,
                          .repeat = 1};
    if (!mask_parse(&mask, MASKS[index].name, text, (size_t)length, &err))
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
    if (c->separable) {
        int t = c->join.bits, j = i % m->width;
        k = c->join.low_shift - c->join.high_shift;
        e = c->join.low_shift + point + 2 * t;
        integer = joined(&c->sums, 1, i / m->width, k);
        integer *= (int16_t)(uint16_t)(c->row.weight[0][j] >> 16) * ((int64_t)1 << t) +
                   (int16_t)(uint16_t)(c->row.weight[1][j] >> 16);
    } else {
        e = c->bounds.low_shift + c->bounds.bits + (c->parts ? CPU_PART_SHIFT : 0);
        k = e - point;
        integer = joined(&c->sums, m->width, i, k);
    }
    rest = (int128)m->weight[i] * ((int128)1 << e) - integer * m->divisor;
    if (!c->separable)
        CHECKF(2 * rest <= m->divisor && 2 * rest >= -m->divisor, "weight %d is off", i);
    return rest < 0 ? -1 : rest > 0;
}

/* 0 and 1: all rests of one sign; then all 0, all max, and random samples, of all and of two
 * values. */
static void fill(uint16_t *sample, const struct cpu_certify16 *c, const struct plan_mask *m,
                 int pattern)
{
    for (int i = 0; i < m->width * m->height; i++) {
        uint16_t value = (uint16_t)random_next();
        switch (pattern) {
        case 0:
        case 1:
            sample[i] = rest_sign(c, m, i) == (pattern ? -1 : 1) ? 65535 : 0;
            break;
        case 2:
        case 3:
            sample[i] = pattern == 2 ? 0 : 65535;
            break;
        default:
            sample[i] = pattern % 2 ? value : value & 1 ? 65535 : 0;
        }
    }
}

/* Every kernel on a picture of the mask's size, where the anchor's sample sees all of it. */
static void check_kernels(const struct plan *plan, uint16_t *sample, const char *name, int pattern)
{
    const struct plan_mask *m = &plan->mask[0];
    uint16_t expected[MAX_CELLS], got[MAX_CELLS];
    size_t pitch = (size_t)m->width * sizeof *sample;
    struct image in = {m->width, m->height, 1, pitch, SAMPLE_U16, sample};
    struct image want = {m->width, m->height, 1, pitch, SAMPLE_U16, expected};
    struct image out = {m->width, m->height, 1, pitch, SAMPLE_U16, got};
    struct kernel_job job = kernel_job_whole(plan, &in, &want);
    const struct kernel *table;
    struct error err;
    char why[256];
    int count;

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
static void check_ties(struct plan *plan, uint16_t *sample, const char *name, int pattern)
{
    static const int LEVELS[] = {1, 2, 32768, 65535};
    struct plan_mask *m = &plan->mask[0];
    int64_t sum = 0;
    for (int i = 0; i < m->width * m->height; i++)
        sum += m->weight[i] * sample[i];
    for (int level = 0; level < 4; level++)
        for (int beside = -1; beside <= 1; beside++) {
            m->offset = LEVELS[level] * m->divisor - m->divisor / 2 - sum + beside;
            m->bound = m->sum_abs * 65535 + llabs(m->offset) + m->divisor;
            CHECK(m->bound < (int64_t)1 << 62);
            check_kernels(plan, sample, name, pattern);
        }
}

static void ties_are_exact(void)
{
    for (int i = 0; i < (int)(sizeof MASKS / sizeof *MASKS); i++)
        for (int weights = 0; weights < 4; weights++) {
            struct plan plan;
            struct plan_mask *m = &plan.mask[0];
            struct cpu_certify16 certify;
            bool made = plan_make(&plan, i);
            CHECKF(made && m->accumulator == ACCUMULATOR_I64, "%s", MASKS[i].name);
            if (!made)
                continue;
            made = cpu_certify16_make(&certify, &plan);
            CHECKF(made, "%s", MASKS[i].name);
            CHECKF(certify.separable == MASKS[i].separable && certify.parts == MASKS[i].parts, "%s",
                   MASKS[i].name);
            for (int pattern = 0; made && pattern < 16; pattern++) {
                uint16_t sample[MAX_CELLS];
                fill(sample, &certify, m, pattern);
                check_ties(&plan, sample, MASKS[i].name, pattern);
            }
            cpu_certify16_free(&certify);
            plan_free(&plan);
        }
}

int main(void)
{
    TEST(ties_are_exact);
    return test_finish();
}
