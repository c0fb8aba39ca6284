/* Certified sums where they are hardest: sums that are exact ties, or one
 * beside them, over the very samples that carry the approximation farthest off. A bound that
 * is too small shows as a wrong sample. Every CPU kernel, byte for byte. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/certify16.h"
#include "tests/cpu/certify_ties.h"
#include "tests/test.h"

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

static void ties_are_exact_at_16_bits(void)
{
    for (int i = 0; i < (int)(sizeof MASKS / sizeof *MASKS); i++)
        for (int weights = 0; weights < 4; weights++)
            check_16(i);
}

int main(void)
{
    TEST(ties_are_exact_at_16_bits);
    return test_finish();
}
