/* The separable kernel's packed factors: which masks take which form, to the very ends of what a
 * form holds; and sums as halves, multiplied out in the kernel's steps for samples that drive them
 * as far as they go: what comes out must be the mask's own sums, and everything on the way a whole
 * number that a 32-bit float holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../kernels/image_job.h"
#include "random.h"
#include "test.h"

#define MOST 40

static uint64_t state = 11;

struct factors {
    int64_t row[MOST], column[MOST];
    struct separable_mask mask;
};

static void set(struct factors *f, int width, int height, int64_t divisor)
{
    f->mask = (struct separable_mask){f->row, f->column, width, height, divisor, divisor / 2};
}

/* ---- forms ---- */

static enum separable_form form_of_pairs(int64_t row, int64_t more, int64_t column, int64_t below,
                                         int64_t divisor)
{
    struct factors f = {.row = {row, more}, .column = {column, below}};
    set(&f, 2, 2, divisor);
    return separable_form_of(&f.mask);
}

static void test_forms(void)
{
    static const struct {
        int64_t row[2], column[2], divisor;
        enum separable_form form;
    } cases[] = {
        {{127, 127}, {127, -128}, 7, SEPARABLE_1_2_1},
        {{127, -1}, {127, -128}, 7, SEPARABLE_HALVES_1_8},
        {{128, 127}, {1, 2}, 7, SEPARABLE_HALVES_1_10},
        {{128, -127}, {1, 2}, 7, SEPARABLE_HALVES_2_10},
        {{127, 126}, {2000, 48}, 7, SEPARABLE_HALVES_1_8},
        {{127, 126}, {2000, -49}, 7, SEPARABLE_2_3_2},
        {{2112, 2000}, {1, 2}, 7, SEPARABLE_HALVES_2_10},
        {{2113, 2000}, {1, 2}, 7, SEPARABLE_2_3_2},
        {{-2108, 2000}, {1, 2}, 7, SEPARABLE_HALVES_2_10},
        {{-2112, 2002}, {1, 2}, 7, SEPARABLE_2_3_2},
        {{1000, 1048}, {2000, 48}, 4194304, SEPARABLE_UPPER_2},
        {{1000, 1048}, {2000, 48}, 4194303, SEPARABLE_HALVES_2_10},
        {{500, 524}, {1000, 24}, 1048576, SEPARABLE_UPPER_2},
        {{100, 28}, {200, 56}, 32768, SEPARABLE_UPPER_2},
        {{1000, 1049}, {2000, 48}, 4194304, SEPARABLE_HALVES_2_10},
        {{32767, 0}, {1, 2}, 7, SEPARABLE_2_3_2},
        {{32768, 0}, {1, 2}, 7, SEPARABLE_NONE},
        {{1, 2}, {32768, 0}, 7, SEPARABLE_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum separable_form form =
            form_of_pairs(cases[i].row[0], cases[i].row[1], cases[i].column[0], cases[i].column[1],
                          cases[i].divisor);
        CHECKF(form == cases[i].form, "case %zu: form %d", i, form);
    }
}

/* An offset keeps a sample from being a sum's upper byte; so does another rounding. */
static void test_start(void)
{
    struct factors f = {.row = {1000, 1048}, .column = {2000, 48}};
    set(&f, 2, 2, 4194304);
    CHECK(separable_form_of(&f.mask) == SEPARABLE_UPPER_2);
    f.mask.start++;
    CHECK(separable_form_of(&f.mask) == SEPARABLE_HALVES_2_10);
}

/* ---- halves, multiplied out ---- */

static double value_of_half(uint32_t half)
{
    double value = ldexp(1024 + (half & 1023), (int)(half >> 10 & 31) - 25);
    return (half & 32767) == 0 ? 0 : half & 32768 ? -value : value;
}

struct sums {
    double low, high, most; /* of a column; and the largest on the way, in whatever order */
};

/* Output row g's products of one column of sums T. */
static struct sums multiply(const struct separable_shape *s, const uint32_t *words,
                            const struct separable_halves *start, const int64_t *T, int g)
{
    const bool upper = s->upper;
    struct sums sums = {upper ? 0 : start->low[0], upper ? 0 : start->high[0], 0};
    double above = fmax(sums.low, sums.high), below = fmin(sums.low, sums.high);

    for (int i = 0; i < s->blocks * 8; i++) {
        const uint32_t word = words[i / 8 * 64 + (4 * g + i % 8 / 2) * 2];
        const uint32_t next =
            words[((i / 8 + s->blocks - 1) % s->blocks) * 64 + (4 * g + i % 8 / 2) * 2 + 1];
        const double v = value_of_half(word >> i % 2 * 16 & 65535);
        uint32_t low, high;
        if (s->lower_bits == 8) {
            const uint32_t bits = (uint32_t)T[i] + start->sums[0];
            low = bits >> 24 << 8 | (bits & 255);
            high = bits >> 8 & 65535;
        } else {
            low = ((uint32_t)T[i] & 1023) | (start->exponents[0] & 65535);
            high = (64 * (uint32_t)T[i] + start->sums[0]) >> 16;
        }
        CHECK(word == next);
        CHECK(low >> 10 == 25 && high >> 10 == 25);
        sums.low += v * value_of_half(low);
        sums.high += v * value_of_half(high);
        above += v > 0 ? v * 2047 : 0;
        below += v < 0 ? v * 2047 : 0;
    }
    sums.most = fmax(above, -below);
    return sums;
}

static uint32_t bits_of(double value)
{
    const float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

static void check_output(const struct factors *f, const struct separable_shape *s,
                         const char *fragments, const int64_t *T, int64_t scale)
{
    const uint32_t *words = (const uint32_t *)fragments + separable_column_words(s);
    struct separable_halves start;

    memcpy(&start, words + s->blocks * 64, sizeof start);
    for (int g = 0; g < 8; g++) {
        const struct sums sums = multiply(s, words, &start, T, g);
        const bool down = s->lower_bits == 8;
        const uint32_t high = bits_of(sums.high) << s->lower_bits;
        const uint32_t sum = bits_of(sums.low) + (down ? -high : high);
        int64_t S = 0;
        for (int i = 0; i < f->mask.height; i++)
            S += f->column[i] * T[g + i];
        CHECK(sums.most <= 1 << 24);
        if (s->upper) {
            S = (S / scale + f->mask.start) / f->mask.divisor;
            CHECKF(sum >> 24 == S, "%u in place of %d", sum >> 24, (int)S);
        } else {
            /* up to 2^29 more, too */
            CHECK(sums.low >= 1 << 23 && sums.most + (down ? 255 : 1023) < 1 << 24);
            CHECK(down ? sums.high + (1 << 21) <= -(1 << 23)
                       : sums.high >= 1 << 23 && sums.high + (1 << 19) < 1 << 24);
            CHECKF(sum == (uint32_t)S, "%u in place of %d", sum, (int)S);
        }
    }
}

/* Sums of the row factor: at random, all the least, all the largest, and each as drives S up or
 * down. */
static void check_halves(struct factors *f, enum separable_form expected)
{
    const struct separable_mask *m = &f->mask;
    const enum separable_form form = separable_form_of(m);
    const struct separable_shape s = separable_shape_of(m->width, m->height, 3, form, 0);
    char *fragments = malloc((size_t)separable_fragment_bytes(&s));
    int64_t least = 0, most = 0, scale = 1, T[MOST + 8];

    CHECKF(form == expected, "form %d in place of %d", form, expected);
    if (!fragments || !s.lower_bits)
        abort();
    separable_pack(&s, m, fragments);
    for (int i = 0; i < m->height; i++)
        scale += s.upper ? f->column[i] : 0;
    scale = s.upper ? (scale - 1) * 2048 / m->divisor : 1;
    for (int i = 0; i < m->width; i++)
        *(f->row[i] < 0 ? &least : &most) += f->row[i] * 255 * scale;
    for (int n = 0; n < 60; n++) {
        for (int i = 0; i < s.blocks * 8; i++) {
            const bool up = i < m->height && (f->column[i] > 0) == (n < 4);
            T[i] = n % 4 == 0   ? least
                   : n % 4 == 1 ? most
                   : n < 8      ? (up ? most : least)
                                : least + (int64_t)(random_next(&state) % (uint64_t)(most - least));
            T[i] -= s.upper ? T[i] % scale : 0;
        }
        check_output(f, &s, fragments, T, scale);
    }
    free(fragments);
}

static void fill(struct factors *f, int width, int height, int64_t low, int64_t high)
{
    for (int i = 0; i < width; i++)
        f->row[i] = low + (int64_t)(random_next(&state) % (uint64_t)(high - low + 1));
    for (int i = 0; i < height; i++)
        f->column[i] = low + (int64_t)(random_next(&state) % (uint64_t)(high - low + 1));
    set(f, width, height, 1000);
}

static void test_halves(void)
{
    struct factors f = {.row = {127, 0}, .column = {0}};
    fill(&f, 9, 9, 60, 90);
    check_halves(&f, SEPARABLE_HALVES_1_8);
    fill(&f, 12, 17, -90, 90);
    f.row[3] = -7;
    check_halves(&f, SEPARABLE_HALVES_1_8);
    fill(&f, 8, 9, 128, 227);
    check_halves(&f, SEPARABLE_HALVES_1_10);
    fill(&f, 9, 20, 128, 227);
    f.column[0] = -1; /* too large a sum */
    CHECK(separable_form_of(&f.mask) == SEPARABLE_2_3_2);
    fill(&f, 8, 8, -256, 255);
    f.row[0] = -300;
    check_halves(&f, SEPARABLE_HALVES_2_10);
}

/* Both factors as large as halves hold, of either sign. */
static void test_limits(void)
{
    for (int sign = -1; sign < 2; sign += 2) {
        struct factors f = {.row = {127, 127, 127, 127, 127, 127, 127, 127, 12},
                            .column = {sign * 2047, -sign}};
        set(&f, 9, 2, 7);
        check_halves(&f, SEPARABLE_HALVES_1_8);
        f = (struct factors){.row = {4112, 0}, .column = {sign * 2048, 0}};
        set(&f, 2, 2, 7);
        check_halves(&f, SEPARABLE_HALVES_2_10);
        f = (struct factors){.row = {-4108, 0}, .column = {sign * 2048, 0}};
        set(&f, 2, 2, 7);
        check_halves(&f, SEPARABLE_HALVES_2_10);
    }
}

/* Factors that add up to powers of two, with divisors for which the row factor is scaled. */
static void test_upper(void)
{
    for (int n = 0; n < 12; n++)
        for (int scale = 0; scale < 3 && scale <= n; scale++) {
            struct factors f = {.row = {0}, .column = {0}};
            fill(&f, 7, 15, 0, 1 << n >> 4);
            for (int i = 1; i < 15; i++)
                f.column[0] = (i == 1 ? 1 << n : f.column[0]) - f.column[i];
            for (int i = 1; i < 7; i++)
                f.row[0] = (i == 1 ? 2048 >> scale : f.row[0]) - f.row[i];
            set(&f, 7, 15, (int64_t)2048 >> scale << n);
            check_halves(&f, SEPARABLE_UPPER_2);
        }
}

int main(void)
{
    TEST(test_forms);
    TEST(test_start);
    TEST(test_halves);
    TEST(test_limits);
    TEST(test_upper);
    return test_finish();
}
