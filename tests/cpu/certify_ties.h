/* Shared by the tests of certified sums: masks of many digits, and samples whose sums are exact
 * ties, or one unit beside a tie. */
#ifndef STENCIL_TESTS_CPU_CERTIFY_TIES_H
#define STENCIL_TESTS_CPU_CERTIFY_TIES_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/method.h"
#include "kernel/kernel.h"
#include "plan/mask.h"
#include "plan/plan.h"
#include "tests/random.h"
#include "tests/test.h"

__extension__ typedef __int128 int128;

#define MAX_SIDE      16
#define MAX_CELLS     (MAX_SIDE * MAX_SIDE)
#define MAX_SAMPLES   (MAX_SIDE * PICTURE_WIDTH)
#define PICTURE_WIDTH 32 /* a full vector */

enum shape { ANY, NEAR_RANK_1, NEAR_RANK_1_BUT_ONE, NEAR_RANK_2, PEAK, PEAK_OF_RANK_1 };

static uint64_t state = 1;

static double random_within(double low, double high)
{
    return low + (high - low) * (double)(random_next(&state) >> 11) * 0x1p-53;
}

/* Makes random numbers from LOW to HIGH, in any shape or as an outer product, divided by their
 * number and multiplied by GAIN. Twelve decimals leave room for offsets; the outer product is
 * rounded to them. */
static bool plan_make(struct plan *plan, enum sample_type type, const char *name, int width,
                      int height, enum shape shape, double low, double high, double gain)
{
    int length = 0;
    double value[MAX_CELLS], first[MAX_SIDE], row[MAX_SIDE], column[2][MAX_SIDE], size = 0;
    char text[MAX_CELLS * 24];
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
        if (shape == NEAR_RANK_1_BUT_ONE && peak)
            value[i] += 30;
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
    ok = plan_mask_make(&plan->mask[0], &mask, plan->max, &err);
    mask_free(&mask);
    return ok;
}

/* Patterns 0 and 1 give all rests one sign; the next are all 0, all max, and random samples, of all
 * values and of two values. */
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

/* Whether the method needs a proof: its sums are near the exact ones or made of halves. The checker
 * tests the other methods. */
static bool is_certified(const struct cpu_method *method)
{
    return method == &cpu_method_real || method == &cpu_method_certified8 ||
           method == &cpu_method_outer16;
}

/* Runs every kernel, with its chosen method and with each certified method, on a picture of the
 * mask's height, in which the anchor's output sample uses every sample; the picture is repeated to
 * the right. */
static void check_kernels(const struct plan *plan, const uint16_t *sample, const char *name,
                          int pattern)
{
    const struct plan_mask *m = &plan->mask[0];
    uint16_t given[MAX_SAMPLES], expected[MAX_SAMPLES], got[MAX_SAMPLES];
    int width = PICTURE_WIDTH;
    size_t pitch = (size_t)width * plan->type;
    struct image in = {width, m->height, 1, pitch, plan->type, given};
    struct image want = {width, m->height, 1, pitch, plan->type, expected};
    struct image out = {width, m->height, 1, pitch, plan->type, got};
    struct kernel_job job = kernel_job_whole(plan, &in, &want);
    const struct kernel *table;
    struct error err;
    char why[256];
    const char *chosen = "";
    bool can[32];
    int count, methods;
    const struct cpu_method *const *method = cpu_methods(&methods);

    for (int i = 0; i < width * m->height; i++) {
        int at = i / width * m->width + i % width % m->width;
        if (plan->type == SAMPLE_U8)
            ((uint8_t *)given)[i] = (uint8_t)sample[at];
        else
            given[i] = sample[at];
    }
    table = kernel_table(&count);
    CHECK(kernel_run(&table[0], &job, &err));
    for (int i = 0; i < methods; i++)
        can[i] = is_certified(method[i]) && !cpu_method_refusal(method[i], plan, &cpu_ops_scalar);
    job.out = &out;
    for (int k = 1; k < count; k++) {
        if (table[k].dims != 2 || table[k].device != DEVICE_CPU ||
            !kernel_supports(&table[k], plan, why, sizeof why))
            continue;
        for (int i = -1; i < methods; i++) { /* -1: the chosen method */
            if (i >= 0 && (!can[i] || strcmp(method[i]->name, chosen) == 0))
                continue;
            CHECK(kernel_open(&table[k], plan, width, m->height, i < 0 ? NULL : method[i]->name,
                              &job.state, &err));
            CHECK(kernel_run(&table[k], &job, &err));
            CHECKF(memcmp(expected, got, pitch * (size_t)m->height) == 0,
                   "%s, %s: %s, pattern %d, offset %lld", table[k].name, job.state->method, name,
                   pattern, (long long)m->offset);
            chosen = i < 0 ? job.state->method : chosen;
            kernel_close(&table[k], job.state);
        }
    }
}

/* Sets samples so that S + floor(d/2) = level * d + beside at the anchor. */
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

#endif
