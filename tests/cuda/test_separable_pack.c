/* The separable kernel's packed factors: the form chosen for each mask, up to the exact limits of a
 * form; and sums with halves, multiplied in the kernel's steps for samples that maximise them: the
 * results must be the mask's own sums, and every intermediate value must be a whole number that a
 * 32-bit float holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/image_job.h"
#include "tests/random.h"
#include "tests/test.h"

#define MOST 40

static uint64_t state = 11;

struct factors {
    int64_t row[MOST], column[MOST];
    struct separable_mask mask;
};

static void set(struct factors *f, int width, int height, int64_t divisor)
{
    f->mask = (struct separable_mask){f->row, f->column, width, height, divisor, divisor / 2, 255};
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
        {{127, 127}, {127, -128}, 7, SEPARABLE_WHOLE},
        {{127, -1}, {127, -128}, 7, SEPARABLE_WHOLE},
        {{127, -1}, {255, -256}, 17, SEPARABLE_WHOLE},
        {{127, -1}, {256, -1}, 17, SEPARABLE_HALVES_1_8},
        {{127, 127}, {127, 126}, 64772, SEPARABLE_WHOLE}, /* 2^2 * odd */
        {{127, 127}, {255, 255}, 131072, SEPARABLE_WHOLE},
        {{127, 127}, {255, 255}, 4194304, SEPARABLE_HALVES_1_8}, /* too far from the middle */
        {{127, 127}, {127, 126}, 65152, SEPARABLE_WHOLE},        /* 2^7 * odd */
        {{127, 127}, {127, 126}, 65024, SEPARABLE_1_2_1},        /* 2^9 * odd */
        {{127, 127}, {255, 255}, 100, SEPARABLE_HALVES_1_8},     /* quotients exceed 2^16 */
        {{128, 127}, {1, 2}, 7, SEPARABLE_HALVES_1_10},
        {{128, -127}, {1, 2}, 7, SEPARABLE_HALVES_2_10},
        {{127, 126}, {2000, 48}, 7, SEPARABLE_HALVES_1_8},
        {{127, 126}, {-2048, 2047}, 7, SEPARABLE_HALVES_1_8},
        {{127, 126}, {2048, 1}, 7, SEPARABLE_2_3_2},
        {{4112, 4112}, {1, 2}, 7, SEPARABLE_HALVES_2_10},
        {{4113, 4112}, {1, 2}, 7, SEPARABLE_2_3_2},
        {{-4112, 4112}, {1, 2}, 7, SEPARABLE_HALVES_2_10},
        {{-4112, 4117}, {1, 2}, 7, SEPARABLE_2_3_2},
        {{1000, 1048}, {2000, 48}, 4194304, SEPARABLE_UPPER_2},
        {{1000, 1048}, {2000, 48}, 4194303, SEPARABLE_HALVES_2_10},
        {{500, 524}, {1000, 24}, 1048576, SEPARABLE_UPPER_2},
        {{100, 28}, {200, 56}, 32768, SEPARABLE_WHOLE},
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

/* With an offset a sample is not a sum's upper byte; nor with another rounding. */
static void test_start(void)
{
    struct factors f = {.row = {1000, 1048}, .column = {2000, 48}};
    set(&f, 2, 2, 4194304);
    CHECK(separable_form_of(&f.mask) == SEPARABLE_UPPER_2);
    f.mask.start++;
    CHECK(separable_form_of(&f.mask) == SEPARABLE_HALVES_2_10);
}

/* ---- sums with halves ---- */

static double value_of_half(uint32_t half)
{
    const int exponent = (int)(half >> 10 & 31);
    const double value =
        ldexp((exponent ? 1024 : 0) + (half & 1023), (exponent ? exponent : 1) - 25);
    return half & 32768 ? -value : value;
}

struct sums {
    double low, high, most; /* sums of a column; and the largest intermediate value, in any order */
};

/* Output row G's products with one column of sums T. WHOLE adds both up and does not use `high`. */
static struct sums multiply(const struct separable_shape *s, const uint32_t *words,
                            const struct separable_halves *start, const int64_t *T, int g)
{
    const bool upper = s->upper;
    const uint32_t *for_high = words + (s->whole ? s->blocks * 64 : 0);
    struct sums sums = {upper ? 0 : start->low[0], upper || s->whole ? 0 : start->high[0], 0};
    struct sums above = sums, below = sums;

    for (int i = 0; i < s->blocks * 8; i++) {
        const uint32_t word = words[i / 8 * 64 + (4 * g + i % 8 / 2) * 2];
        const uint32_t next =
            words[((i / 8 + s->blocks - 1) % s->blocks) * 64 + (4 * g + i % 8 / 2) * 2 + 1];
        const double v = value_of_half(word >> i % 2 * 16 & 65535);
        const double w =
            value_of_half(for_high[i / 8 * 64 + (4 * g + i % 8 / 2) * 2] >> i % 2 * 16 & 65535);
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
        if (upper)
            CHECK(low >> 10 == 25 && high >> 10 == 25);
        else
            CHECK(low < 2048 && high < 2048);
        (v > 0 ? &above : &below)->low += v * value_of_half(low);
        (v > 0 ? &above : &below)->high += w * value_of_half(high);
        sums.low += v * value_of_half(low);
        sums.high += w * value_of_half(high);
        CHECK(w == (s->whole ? 256 * v : v));
    }
    if (s->whole) {
        sums.low += sums.high;
        above.low += above.high;
        below.low += below.high;
        above.high = below.high = 0;
    }
    sums.most = fmax(fmax(above.low, above.high), -fmin(below.low, below.high));
    return sums;
}

static uint32_t bits_of(double value)
{
    const float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return bits;
}

/* The result of WHOLE's multiply-add for F, the products' sum, in whole numbers: the 24 bits of a
 * float times F, shifted down, plus the addend. Its bits, clamped, are 256 times the sample and
 * more. */
static void check_quotient(const struct separable_mask *mask, const struct separable_halves *start,
                           double F, int64_t S)
{
    const int64_t d = mask->divisor;
    int exponent;
    const int64_t scale = (int64_t)ldexp(frexp(start->high[0], &exponent), 24);
    const int64_t product = scale * (int64_t)ldexp(F, 48); /* in 2^(exponent - 72) */
    const int64_t down = (int64_t)1 << (72 - 149 - exponent);
    int64_t bits = (product >= 0 ? product / down : -((-product + down - 1) / down)) +
                   (int64_t)ldexp(start->high[1], 149);
    int64_t sum = S + mask->start, q = sum >= 0 ? sum / d : -((-sum + d - 1) / d);

    CHECK(down > 1);
    bits = bits < 0 ? 0 : bits > 65535 ? 65535 : bits;
    q = q < 0 ? 0 : q > 255 ? 255 : q;
    CHECKF(bits / 256 == q, "%d in place of %d of %d / %d", (int)bits / 256, (int)q, (int)sum,
           (int)d);
}

/* The addend, up to 2^29, that keeps sums from being negative. */
static int64_t added(const struct factors *f)
{
    const int64_t d = f->mask.divisor;
    int64_t below = 0, adds;
    for (int i = 0; i < f->mask.height; i++)
        for (int j = 0; j < f->mask.width; j++)
            below += f->column[i] * f->row[j] < 0 ? -f->column[i] * f->row[j] : 0;
    adds = f->mask.start + (below * 255 + d - 1) / d * d;
    return adds < 1 << 29 ? adds : 1 << 29;
}

static void check_output(const struct factors *f, const struct separable_shape *s,
                         const char *fragments, const int64_t *T, int64_t scale)
{
    const uint32_t *words = (const uint32_t *)fragments + separable_column_words(s);
    struct separable_halves start;

    memcpy(&start, words + s->blocks * (s->whole ? 128 : 64), sizeof start);
    for (int g = 0; g < 8; g++) {
        const struct sums sums = multiply(s, words, &start, T, g);
        const bool down = s->lower_bits == 8;
        const uint32_t high = bits_of(sums.high) << s->lower_bits;
        const uint32_t sum = bits_of(sums.low) + (down ? -high : high);
        int64_t S = 0;
        for (int i = 0; i < f->mask.height; i++)
            S += f->column[i] * T[g + i];
        CHECK(sums.most <= (s->upper ? 1 << 24 : s->whole ? ldexp(1, -24) : 1));
        if (s->whole) {
            check_quotient(&f->mask, &start, sums.low, S);
        } else if (s->upper) {
            S = (S / scale + f->mask.start) / f->mask.divisor;
            CHECKF(sum >> 24 == S, "%u in place of %d", sum >> 24, (int)S);
        } else {
            /* and the division's own addend */
            const int64_t adds = added(f);
            const double low = ldexp(sums.low, 24), highest = ldexp(sums.high, 24);
            CHECK(low >= 1 << 23 && low + (down ? 255 : 1023) < 1 << 24);
            CHECK(down ? highest + (double)(adds >> 8) <= -(1 << 23)
                       : highest >= 1 << 23 && highest + (double)(adds >> 10) < 1 << 24);
            CHECKF(sum == (uint32_t)S, "%u in place of %d", sum, (int)S);
        }
    }
}

/* For WHOLE: checks the sums just below and at each quotient. */
static void check_quotients(const struct factors *f, const struct separable_shape *s,
                            const char *fragments, int64_t least, int64_t most)
{
    const struct separable_mask *m = &f->mask;
    struct separable_halves start;
    int64_t down = 0, lowest = 0, highest = 0;

    memcpy(&start, (const uint32_t *)fragments + separable_column_words(s) + s->blocks * 128,
           sizeof start);
    for (int i = 0; i < m->height; i++) {
        down += f->column[i];
        lowest += f->column[i] * (f->column[i] < 0 ? most : least);
        highest += f->column[i] * (f->column[i] < 0 ? least : most);
    }
    for (int i = 0; i < 512; i++) {
        const int64_t S = i / 2 * m->divisor - i % 2 - m->start;
        const double F = start.low[0] + ldexp((double)(S + start.sums[0] * down), -48);
        if (S >= lowest && S <= highest)
            check_quotient(m, &start, F, S);
    }
}

/* Tries sums of the row factor: random, all least, all largest, and those that maximise or minimise
 * S. */
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
    if (s.whole)
        check_quotients(f, &s, fragments, least, most);
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
    fill(&f, 31, 31, -1, 126);
    f.row[3] = f.row[4] = 127;
    f.row[5] = -128;
    check_halves(&f, SEPARABLE_HALVES_SIGNED_10);
    fill(&f, 20, 9, 128, 227);
    check_halves(&f, SEPARABLE_HALVES_1_10);
    fill(&f, 9, 30, 128, 227); /* too large a sum */
    CHECK(separable_form_of(&f.mask) == SEPARABLE_2_3_2);
    fill(&f, 8, 8, -256, 255);
    f.row[0] = -300;
    check_halves(&f, SEPARABLE_HALVES_2_10);
}

static void test_whole(void)
{
    for (int i = 0; i < 2000; i++) {
        struct factors f = {.row = {0}, .column = {0}};
        const int64_t low = i % 3 == 0 ? -40 : 1, high = 60 + i % 40;
        fill(&f, 3 + i % 4, 3 + i % 3, low, high);
        set(&f, f.mask.width, f.mask.height, 1000 + (int64_t)(random_next(&state) % 200000));
        f.mask.start += (i % 5 - 2) * f.mask.divisor * 3;
        f.mask.divisor += i % 7 == 0 ? f.mask.divisor % 64 : 0;
        if (separable_form_of(&f.mask) == SEPARABLE_WHOLE)
            check_halves(&f, SEPARABLE_WHOLE);
        else
            CHECKF(f.mask.divisor % 256 == 0 || i % 4 > 1, "divisor %d", (int)f.mask.divisor);
    }
}

/* Both factors as large as halves can hold, of either sign. */
static void test_limits(void)
{
    for (int sign = -1; sign < 2; sign += 2) {
        struct factors f = {.row = {127, 127, 127, 127, 127, 127, 127, 127, 12},
                            .column = {sign * 2047, sign * 2004}};
        set(&f, 9, 2, 7);
        check_halves(&f, SEPARABLE_HALVES_1_8);
        f.column[1] += sign;
        CHECK(separable_form_of(&f.mask) ==
              (sign > 0 ? SEPARABLE_HALVES_1_10 : SEPARABLE_HALVES_1_8));
        f = (struct factors){.row = {4112, 4112}, .column = {sign > 0 ? 2047 : -1542, 0}};
        set(&f, 2, 2, 7);
        check_halves(&f, SEPARABLE_HALVES_2_10);
        f.column[0]--;
        CHECK(sign > 0 || separable_form_of(&f.mask) == SEPARABLE_2_3_2);
        f = (struct factors){.row = {-8216, 0}, .column = {sign > 0 ? 1543 : -2047, 0}};
        set(&f, 2, 2, 7);
        check_halves(&f, SEPARABLE_HALVES_2_10);
        f.column[0]++;
        CHECK(sign < 0 || separable_form_of(&f.mask) == SEPARABLE_2_3_2);
        f = (struct factors){.row = {1500, 0}, .column = {sign * 2047, sign * 2047, sign * 5}};
        set(&f, 2, 3, 7);
        check_halves(&f, SEPARABLE_HALVES_2_10);
        f.column[2] += sign;
        CHECK(separable_form_of(&f.mask) == SEPARABLE_2_3_2);
    }
    struct factors f = {.row = {4112, 4112}, .column = {2047, 508}};
    set(&f, 2, 2, 7);
    check_halves(&f, SEPARABLE_HALVES_2_10);
    f.column[1]++;
    CHECK(separable_form_of(&f.mask) == SEPARABLE_2_3_2);
    f = (struct factors){.row = {127, 127, 127, 127, 127, 127, 127, 127, 12},
                         .column = {-2047, -2047, -54}};
    set(&f, 9, 3, 7);
    check_halves(&f, SEPARABLE_HALVES_1_8);
    f.column[2]--;
    CHECK(separable_form_of(&f.mask) == SEPARABLE_2_3_2);
}

/* Factors whose sums are powers of two, with divisors for which the row factor is scaled. */
static void test_upper(void)
{
    for (int n = 0; n < 12; n++)
        for (int scale = 0; scale < 3 && scale <= n; scale++) {
            struct factors f = {.row = {0}, .column = {0}};
            fill(&f, 7, 15, 0, 1 << n >> 4);
            for (int i = 1; i < 15; i++)
                f.column[0] = (i == 1 ? 1 << n : f.column[0]) - f.column[i];
            for (int i = 1; i < 7; i++) {
                f.row[i] %= 80;
                f.row[0] = (i == 1 ? 2048 >> scale : f.row[0]) - f.row[i];
            }
            set(&f, 7, 15, (int64_t)2048 >> scale << n);
            check_halves(&f, SEPARABLE_UPPER_2);
        }
}

int main(void)
{
    TEST(test_forms);
    TEST(test_start);
    TEST(test_halves);
    TEST(test_whole);
    TEST(test_limits);
    TEST(test_upper);
    return test_finish();
}
