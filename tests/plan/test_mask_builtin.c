/* Masks made from numbers: the Gaussian weights compared with a table computed in long decimals,
 * box, unsharp, flip, and the sum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/mask.h"
#include "tests/plan/gauss_table.h"
#include "tests/test.h"

#define ROWS(table) (int)(sizeof table / sizeof table[0])

/* ---- gauss ---- */

static void gauss_against_the_table(void)
{
    int weight[MASK_LONGEST];
    for (int i = 0; i < ROWS(gauss_checksums); i++) {
        int radius = gauss_checksums[i].radius;
        uint64_t checksum = UINT64_C(0xcbf29ce484222325);
        mask_gauss_weights(gauss_checksums[i].sigma, radius, gauss_checksums[i].units, weight);
        for (int k = 0; k <= 2 * radius; k++)
            checksum = (checksum ^ (uint64_t)weight[k]) * UINT64_C(0x100000001b3);
        CHECKF(checksum == gauss_checksums[i].checksum, "sigma %g, radius %d, sum %d",
               gauss_checksums[i].sigma, radius, (int)gauss_checksums[i].units);
    }
    for (int i = 0; i < ROWS(gauss_rows); i++) {
        mask_gauss_weights(gauss_rows[i].sigma, gauss_rows[i].radius, gauss_rows[i].units, weight);
        for (int k = 0; k <= 2 * gauss_rows[i].radius; k++)
            CHECKF(weight[k] == gauss_rows[i].weight[k], "sigma %g: weight %d is %d",
                   gauss_rows[i].sigma, k, weight[k]);
    }
}

/* For any sigma and radius: flat areas stay flat, the mask is symmetric, and weights do not grow
 * outwards by more than the one unit that goes to the largest rests. */
static void sound_weights(bool deep)
{
    int weight[MASK_LONGEST];
    for (int radius = 0; radius <= 3000; radius += radius < 130 ? 1 : 410)
        for (double sigma = 0.01; sigma < 1e300; sigma *= sigma < 100 ? 1.3 : 1e50) {
            const enum mask_units units = deep ? MASK_UNITS_65536 : MASK_UNITS_2048;
            int sum = 0;
            mask_gauss_weights(sigma, radius, units, weight);
            for (int k = 0; k <= 2 * radius; k++) {
                sum += weight[k];
                CHECKF(weight[k] == weight[2 * radius - k] && weight[k] >= 0,
                       "sigma %g, radius %d, weight %d", sigma, radius, k);
                CHECKF(k >= radius || weight[k] <= weight[k + 1] + 1,
                       "sigma %g, radius %d, weight %d", sigma, radius, k);
            }
            CHECKF(sum == (int)units, "sigma %g, radius %d: sum %d", sigma, radius, sum);
        }
}

static void gauss_weights_are_sound(void)
{
    sound_weights(false);
    sound_weights(true);
}

/* With an extremely large sigma each weight is 2048 / 255: 8, and 8 units are missing. All rests
 * are equal, so the four pairs nearest the centre get the units. */
static void gauss_ties(void)
{
    int weight[MASK_LONGEST];
    mask_gauss_weights(1e300, 127, MASK_UNITS_2048, weight);
    for (int k = 0; k < 255; k++) {
        bool near = k != 127 && abs(k - 127) <= 4;
        CHECKF(weight[k] == 8 + near, "weight %d is %d", k, weight[k]);
    }
}

static void gauss_masks(void)
{
    struct mask mask;
    struct error err;
    int weight[MASK_LONGEST];
    CHECK(mask_build_gauss(&mask, 1.5, -1, MASK_SQUARE, MASK_UNITS_2048, &err));
    CHECK(mask.width == 11 && mask.height == 11 && mask.anchor_x == 5 && mask.anchor_y == 5);
    CHECK(mpq_cmp_ui(mask.divisor, 2048 * 2048, 1) == 0);
    mask_gauss_weights(1.5, 5, MASK_UNITS_2048, weight);
    for (int k = 0; k < 121; k++)
        CHECK(mpq_cmp_si(mask.weight[k], (long)weight[k / 11] * weight[k % 11], 1) == 0);
    mask_free(&mask);
    /* 3 * 42.33 is the largest radius; a given radius may have any sigma. */
    CHECK(mask_build_gauss(&mask, 42.33, -1, MASK_SQUARE, MASK_UNITS_2048, &err) &&
          mask.width == 255);
    mask_free(&mask);
    CHECK(mask_build_gauss(&mask, 1e6, 1, MASK_SQUARE, MASK_UNITS_2048, &err) && mask.width == 3);
    mask_free(&mask);
    CHECK(mask_build_gauss(&mask, 1e-200, -1, MASK_SQUARE, MASK_UNITS_2048, &err) &&
          mask.width == 3);
    CHECK(mpq_cmp_ui(mask.weight[4], 2048 * 2048, 1) == 0);
    mask_free(&mask);
}

static void check_refused(double sigma, int radius, const char *sentence)
{
    struct mask mask;
    struct error err = {EXIT_DONE, ""};
    CHECK(!mask_build_gauss(&mask, sigma, radius, MASK_SQUARE, MASK_UNITS_2048, &err) &&
          !mask.weight);
    CHECK(err.code == EXIT_USAGE);
    CHECKF(strcmp(err.text, sentence) == 0, "%s", err.text);
}

static void gauss_refused(void)
{
    check_refused(0, -1, "sigma must be a number greater than 0");
    check_refused(-1, -1, "sigma must be a number greater than 0");
    check_refused((double)NAN, -1, "sigma must be a number greater than 0");
    check_refused((double)INFINITY, 3, "sigma must be a number greater than 0");
    check_refused(1, 3001, "a radius of 3001 is too large: a mask reaches 3000 cells");
    check_refused(1000.1, -1,
                  "sigma 1000.1 needs a radius of 3001, and a mask reaches 3000 cells; a smaller "
                  "--radius cuts it off there");
}

/* ---- box, unsharp, flip, sum ---- */

static void box_masks(void)
{
    struct mask mask;
    struct error err;
    for (int radius = 0; radius <= 127; radius += 127) {
        int side = 2 * radius + 1;
        CHECK(mask_build_box(&mask, radius, MASK_SQUARE, &err));
        CHECK(mask.width == side && mask.height == side && mask.anchor_x == radius);
        CHECK(mpq_cmp_ui(mask.divisor, (unsigned long)(side * side), 1) == 0);
        for (int k = 0; k < side * side; k++)
            CHECK(mpq_cmp_ui(mask.weight[k], 1, 1) == 0);
        mask_free(&mask);
    }
    CHECK(!mask_build_box(&mask, 3001, MASK_SQUARE, &err) &&
          !mask_build_box(&mask, -1, MASK_SQUARE, &err));
    CHECK(!mask_build_box(&mask, 128, MASK_ROW, &err));
}

/* Masks of more than 255 cells along an axis: a column, a row and a centre. */
static void long_masks(void)
{
    struct mask mask;
    struct error err;
    int weight[MASK_LONGEST];
    mpq_t sum;

    mpq_init(sum);
    CHECK(mask_build_gauss(&mask, 43, -1, MASK_SQUARE, MASK_UNITS_2048, &err) && mask.outer &&
          mask.width == 259);
    CHECK(mask_numbers(&mask) == 2 * 259 && mask.anchor_x == 129 && mask.anchor_y == 129);
    mask_gauss_weights(43, 129, MASK_UNITS_65536, weight);
    for (int k = 0; k < 2 * 259; k++)
        CHECK(mpq_cmp_si(mask.weight[k], weight[k % 259], 1) == 0);
    mask_sum(sum, &mask);
    CHECK(mpq_equal(sum, mask.divisor) && mpq_cmp_ui(sum, 1UL << 32, 1) == 0);
    mask_free(&mask);

    CHECK(mask_build_box(&mask, 128, MASK_SQUARE, &err) && mask.outer);
    mask_sum(sum, &mask);
    CHECK(mpq_equal(sum, mask.divisor) && mpq_cmp_ui(sum, 257 * 257, 1) == 0);
    mask_free(&mask);

    /* (1 + amount) * identity - amount * gauss: the sum is the divisor for any amount. */
    CHECK(mask_build_unsharp(&mask, 50, -1, "0.3", MASK_UNITS_2048, &err) && mask.outer &&
          mask.width == 301);
    mask_sum(sum, &mask);
    CHECK(mpq_equal(sum, mask.divisor) && mpq_sgn(mask.centre) > 0);
    CHECK(mpq_sgn(mask.weight[150]) < 0 && mpq_sgn(mask.weight[301 + 150]) > 0);
    mask.anchor_x = 7;
    mask_flip(&mask);
    CHECK(mask.anchor_x == 301 - 1 - 7 && mask.anchor_y == 150);
    mask_free(&mask);
    mpq_clear(sum);
}

/* weight / divisor = (1 + amount) * identity - amount * gauss, cell by cell */
static void unsharp_masks(void)
{
    static const char *const amounts[] = {"1", "0", "-1/3", "0.6", "7/11"};
    for (int n = 0; n < ROWS(amounts); n++) {
        struct mask gauss, mask;
        struct error err;
        mpq_t amount, wanted, got;
        mpq_inits(amount, wanted, got, NULL);
        const char *why;
        CHECK(rational_parse(amount, amounts[n], strlen(amounts[n]), &why));
        CHECK(mask_build_gauss(&gauss, 0.8, -1, MASK_SQUARE, MASK_UNITS_2048, &err));
        CHECK(mask_build_unsharp(&mask, 0.8, -1, amounts[n], MASK_UNITS_2048, &err));
        CHECK(mask.width == gauss.width && mask.height == gauss.height);
        for (int k = 0; k < mask.width * mask.height; k++) {
            mpq_div(wanted, gauss.weight[k], gauss.divisor);
            mpq_mul(wanted, wanted, amount);
            mpq_neg(wanted, wanted);
            if (k == mask.width * mask.height / 2) {
                mpq_set_ui(got, 1, 1);
                mpq_add(wanted, wanted, got);
                mpq_add(wanted, wanted, amount);
            }
            mpq_div(got, mask.weight[k], mask.divisor);
            CHECKF(mpq_equal(got, wanted), "amount %s, cell %d", amounts[n], k);
        }
        mpq_clears(amount, wanted, got, NULL);
        mask_free(&gauss);
        mask_free(&mask);
    }
}

static void flip(void)
{
    static const char text[] = "anchor 0 1; 1 2 3 4; 5 6 7 8; 9 10 11 12";
    struct mask mask;
    struct error err;
    CHECK(mask_parse(&mask, "m", text, strlen(text), &err));
    mask_flip(&mask);
    CHECK(mask.anchor_x == 3 && mask.anchor_y == 1);
    for (int k = 0; k < 12; k++)
        CHECK(mpq_cmp_si(mask.weight[k], 12 - k, 1) == 0);
    mask_flip(&mask);
    CHECK(mask.anchor_x == 0 && mask.anchor_y == 1 && mpq_cmp_si(mask.weight[0], 1, 1) == 0);
    mask_free(&mask);
}

/* 1/2 + 1/6 + ... + 1/(n(n+1)) = n/(n+1): long sums with a known result. */
static void sum(void)
{
    struct mask mask;
    mpq_t total;
    mpq_init(total);
    for (int side = 1; side <= 201; side += 50) {
        int cells = side * side;
        mask_init(&mask, side, side);
        for (int k = 0; k < cells; k++) {
            mpz_set_si(mpq_denref(mask.weight[k]), k + 1);
            mpz_mul_si(mpq_denref(mask.weight[k]), mpq_denref(mask.weight[k]), k + 2);
            mpz_set_si(mpq_numref(mask.weight[k]), 1);
        }
        mask_sum(total, &mask);
        /* Long sums are not in lowest terms. */
        mpq_canonicalize(total);
        CHECKF(mpq_cmp_si(total, cells, (unsigned long)cells + 1) == 0, "%d x %d", side, side);
        mask_free(&mask);
    }
    mpq_clear(total);
}

/* Terms far too long for lowest terms, in pairs that cancel, except the middle cell. */
static void long_sum(void)
{
    enum { SIDE = 45, CELLS = SIDE * SIDE };
    struct mask mask;
    mpq_t total;
    mpq_init(total);
    mask_init(&mask, SIDE, SIDE);
    for (int k = 0; k < CELLS / 2; k++) {
        mpz_ui_pow_ui(mpq_denref(mask.weight[k]), 10, 60);
        mpz_add_ui(mpq_denref(mask.weight[k]), mpq_denref(mask.weight[k]), 2ul * (unsigned)k + 1);
        mpz_set_si(mpq_numref(mask.weight[k]), k + 7);
        mpq_canonicalize(mask.weight[k]);
        mpq_neg(mask.weight[CELLS - 1 - k], mask.weight[k]);
    }
    mpq_set_ui(mask.weight[CELLS / 2], 1, 3);
    mask_sum(total, &mask);
    CHECKF(mpz_sizeinbase(mpq_denref(total), 2) > 200000, "the sum is not long");
    mpq_canonicalize(total);
    CHECK(mpq_cmp_ui(total, 1, 3) == 0);
    mask_free(&mask);
    mpq_clear(total);
}

int main(void)
{
    TEST(gauss_against_the_table);
    TEST(gauss_weights_are_sound);
    TEST(gauss_ties);
    TEST(gauss_masks);
    TEST(gauss_refused);
    TEST(box_masks);
    TEST(long_masks);
    TEST(unsharp_masks);
    TEST(flip);
    TEST(sum);
    TEST(long_sum);
    return test_finish();
}
