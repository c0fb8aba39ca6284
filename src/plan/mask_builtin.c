/* The built-in masks. The files of masks/ are compiled into the program, so that it needs none of
 * them. Gaussians, boxes of any radius and unsharp are computed.
 *
 * A gauss mask consists of integers over 2048 or 65536 in each direction, so that a flat area stays
 * exactly flat. exp() below is the only floating-point arithmetic of the program that can change an
 * output; a test checks the resulting weights. */
#include "plan/mask.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/masks.h"

#define MAX_RADIUS      ((MASK_MAX_SIDE - 1) / 2)
#define MAX_RADIUS_LONG ((MASK_LONGEST - 1) / 2)

/* ---- masks as text ---- */

const char *mask_builtin_name(int number)
{
    return number < (int)(sizeof texts / sizeof texts[0]) ? texts[number].name : NULL;
}

bool mask_builtin(struct mask *mask, const char *name, struct error *err)
{
    size_t i = 0;
    while (strcmp(texts[i].name, name) != 0)
        i++;
    return mask_parse(mask, name, texts[i].text, strlen(texts[i].text), err);
}

/* ---- the struct ---- */

static void init(struct mask *mask, int width, int height, bool outer)
{
    int numbers;

    memset(mask, 0, sizeof *mask);
    mask->outer = outer;
    mask->width = width;
    mask->height = height;
    mask->anchor_x = width / 2;
    mask->anchor_y = height / 2;
    numbers = mask_numbers(mask);
    mask->weight = malloc((size_t)numbers * sizeof *mask->weight);
    if (!mask->weight) {
        memset(mask, 0, sizeof *mask);
        return;
    }
    for (int i = 0; i < numbers; i++)
        mpq_init(mask->weight[i]);
    mpq_inits(mask->divisor, mask->offset, mask->centre, NULL);
    mpq_set_ui(mask->divisor, 1, 1);
}

void mask_init(struct mask *mask, int width, int height)
{
    init(mask, width, height, false);
}

void mask_init_outer(struct mask *mask, int width, int height)
{
    init(mask, width, height, true);
}

void mask_free(struct mask *mask)
{
    if (mask->weight) {
        for (int i = 0; i < mask_numbers(mask); i++)
            mpq_clear(mask->weight[i]);
        mpq_clears(mask->divisor, mask->offset, mask->centre, NULL);
        free(mask->weight);
    }
    free(mask->title);
    free(mask->name);
    memset(mask, 0, sizeof *mask);
}

int mask_flatten(struct mask *mask)
{
    int count = 0;

    for (int i = 0; i < mask_numbers(mask); i++) {
        bool in = mpq_sgn(mask->weight[i]) != 0;
        mpq_set_ui(mask->weight[i], in, 1);
        count += in;
    }
    mpq_set_ui(mask->divisor, 1, 1);
    mpq_set_ui(mask->offset, 0, 1);
    mask->offset_percent = false;
    return count;
}

static void reverse(mpq_t *number, int count)
{
    for (int i = 0; i < count / 2; i++)
        mpq_swap(number[i], number[count - 1 - i]);
}

/* Built masks have odd sides: the centre stays where it is. */
void mask_flip(struct mask *mask)
{
    if (mask->outer) {
        reverse(mask->weight, mask->height);
        reverse(mask->weight + mask->height, mask->width);
    } else {
        reverse(mask->weight, mask_numbers(mask));
    }
    mask->anchor_x = mask->width - 1 - mask->anchor_x;
    mask->anchor_y = mask->height - 1 - mask->anchor_y;
}

/* ---- the sum ---- */

/* Sums of up to this many limbs are kept in lowest terms. For longer sums, greatest common divisors
 * cost more than long numbers. */
#define CANONICAL_LIMBS 2048

/* The sum of COUNT weights, by halves, so that only a few additions have long numbers. */
static void sum_range(mpq_t sum, mpq_srcptr weight, size_t count)
{
    mpq_t other;

    if (count == 1) {
        mpq_set(sum, weight);
        return;
    }
    mpq_init(other);
    sum_range(sum, weight, count / 2);
    sum_range(other, weight + count / 2, count - count / 2);
    mpz_ptr n = mpq_numref(sum), d = mpq_denref(sum);
    if (mpz_size(d) <= CANONICAL_LIMBS && mpz_size(mpq_denref(other)) <= CANONICAL_LIMBS) {
        mpq_add(sum, sum, other);
    } else {
        mpz_mul(n, n, mpq_denref(other));
        mpz_addmul(n, mpq_numref(other), d);
        mpz_mul(d, d, mpq_denref(other));
    }
    mpq_clear(other);
}

void mask_sum(mpq_t sum, const struct mask *mask)
{
    mpq_t row;

    if (!mask->outer) {
        sum_range(sum, mask->weight[0], (size_t)mask_numbers(mask));
        return;
    }
    mpq_init(row);
    sum_range(sum, mask->weight[0], (size_t)mask->height);
    sum_range(row, mask->weight[mask->height], (size_t)mask->width);
    mpq_mul(sum, sum, row);
    mpq_add(sum, sum, mask->centre);
    mpq_clear(row);
}

/* A sum of more bits than this would make the plan of a 255x255 mask take seconds. Only hundreds of
 * unrelated denominators lead to such a sum. */
#define NORMALIZE_MAX_BITS 32768

const char *mask_normalize(struct mask *mask)
{
    mask_sum(mask->divisor, mask);
    if (mpz_sizeinbase(mpq_numref(mask->divisor), 2) > NORMALIZE_MAX_BITS ||
        mpz_sizeinbase(mpq_denref(mask->divisor), 2) > NORMALIZE_MAX_BITS)
        return "the weights' denominators have too little in common to be summed: write decimals";
    return mpq_sgn(mask->divisor) == 0 ? "cannot normalize: the weights sum to 0" : NULL;
}

/* ---- gauss ---- */

void mask_gauss_weights(double sigma, int radius, enum mask_units units, int *weight)
{
    double g[MAX_RADIUS_LONG + 1], rest[MAX_RADIUS_LONG + 1], sum = 0;
    int *centre = weight + radius, missing = units;

    /* Adds from small to large. sigma*sigma may underflow: i = 0 must not compute 0/0. */
    for (int i = radius; i >= 0; i--) {
        g[i] = i == 0 ? 1 : exp(-(double)i * i / (2 * sigma * sigma));
        sum += i == 0 ? g[i] : 2 * g[i];
    }
    for (int i = 0; i <= radius; i++) {
        double exact = (int)units * g[i] / sum;
        centre[i] = centre[-i] = (int)exact;
        rest[i] = exact - (int)exact;
        missing -= i == 0 ? centre[i] : 2 * centre[i];
    }
    /* If an odd number of units is missing, the centre gets one; the largest rests get the others
     * in pairs. Each of the 2*radius+1 floors lost less than one unit, so missing <= 2*radius:
     * there are enough pairs. */
    if (missing % 2 != 0)
        centre[0]++;
    for (int pairs = missing / 2; pairs > 0; pairs--) {
        int largest = 1;
        for (int i = 2; i <= radius; i++)
            if (rest[i] > rest[largest])
                largest = i;
        centre[largest]++;
        centre[-largest]++;
        rest[largest] = -1;
    }
}

static int most_radius(enum mask_shape shape)
{
    return shape == MASK_SQUARE ? MAX_RADIUS_LONG : MAX_RADIUS;
}

/* Replaces a negative radius by ceil(3 * sigma). */
static bool gauss_radius(double sigma, int *radius, enum mask_shape shape, struct error *err)
{
    const int most = most_radius(shape);

    if (!isfinite(sigma) || sigma <= 0)
        return error_set(err, EXIT_USAGE, "sigma must be a number greater than 0");
    if (*radius > most)
        return error_set(err, EXIT_USAGE, "a radius of %d is too large: a mask reaches %d cells",
                         *radius, most);
    if (*radius >= 0)
        return true;
    if (ceil(3 * sigma) > most)
        return error_set(err, EXIT_USAGE,
                         "sigma %g needs a radius of %.0f, and a mask reaches %d cells; "
                         "a smaller --radius cuts it off there",
                         sigma, ceil(3 * sigma), most);
    *radius = (int)ceil(3 * sigma);
    return true;
}

/* A mask of 2*radius+1 columns whose weights are 0. */
static bool build_empty(struct mask *mask, int radius, enum mask_shape shape, struct error *err)
{
    const int side = 2 * radius + 1;
    init(mask, side, shape == MASK_ROW ? 1 : side, side > MASK_MAX_SIDE);
    return mask->weight || error_set(err, EXIT_INPUT, "no memory for a mask of radius %d", radius);
}

/* The end of a mask's title: long masks are the same for all pictures. */
static const char *units_title(const struct mask *mask, enum mask_units units)
{
    return units == MASK_UNITS_65536 && !mask->outer ? ", for 16-bit pictures" : "";
}

bool mask_build_gauss(struct mask *mask, double sigma, int radius, enum mask_shape shape,
                      enum mask_units units, struct error *err)
{
    int weight[MASK_LONGEST];

    memset(mask, 0, sizeof *mask);
    if (!gauss_radius(sigma, &radius, shape, err) || !build_empty(mask, radius, shape, err))
        return false;
    if (asprintf(&mask->title, "gauss, sigma %.10g, radius %d%s", sigma, radius,
                 units_title(mask, units)) < 0)
        mask->title = NULL;
    if (mask->outer) /* with 2048 its middle weights would be 19 and less */
        units = MASK_UNITS_65536;
    mask_gauss_weights(sigma, radius, units, weight);
    for (int k = 0; k < mask_numbers(mask); k++) {
        long value = weight[k % mask->width];
        if (!mask->outer && shape == MASK_SQUARE)
            value *= weight[k / mask->width];
        mpq_set_si(mask->weight[k], value, 1);
    }
    mpq_set_ui(mask->divisor, (unsigned long)units * (shape == MASK_ROW ? 1 : units), 1);
    return true;
}

/* Does the cell, counted from the middle, belong to the shape? */
static bool is_in_shape(enum mask_shape shape, int x, int y, int radius)
{
    return shape == MASK_DISC    ? x * x + y * y <= radius * radius
           : shape == MASK_CROSS ? x == 0 || y == 0
                                 : true;
}

bool mask_build_box(struct mask *mask, int radius, enum mask_shape shape, struct error *err)
{
    memset(mask, 0, sizeof *mask);
    if (radius < 0 || radius > most_radius(shape))
        return error_set(err, EXIT_USAGE, "a box has a radius from 0 to %d", most_radius(shape));
    if (!build_empty(mask, radius, shape, err))
        return false;
    if (asprintf(&mask->title, "box, radius %d", radius) < 0)
        mask->title = NULL;
    unsigned long cells = 0;
    for (int i = 0; i < mask_numbers(mask); i++) {
        bool in = is_in_shape(shape, i % mask->width - radius, i / mask->width - radius, radius);
        mpq_set_ui(mask->weight[i], in, 1);
        cells += in;
    }
    if (mask->outer)
        cells = (unsigned long)(mask->width * mask->height);
    mpq_set_ui(mask->divisor, cells, 1);
    return true;
}

bool mask_build_unsharp(struct mask *mask, double sigma, int radius, const char *amount,
                        enum mask_units units, struct error *err)
{
    mpq_t factor, identity; /* identity: its one weight, over the gauss mask's divisor */
    char text[RATIONAL_MAX_CHARS + 1];
    bool good;

    memset(mask, 0, sizeof *mask);
    mpq_inits(factor, identity, NULL);
    good = rational_option(factor, "--amount", amount, NULL, err) &&
           mask_build_gauss(mask, sigma, radius, MASK_SQUARE, units, err);
    if (good) {
        int cells = mask->width * mask->height;
        mpq_ptr middle = mask->outer ? mask->centre : mask->weight[cells / 2];
        mpq_set_ui(identity, 1, 1);
        mpq_add(identity, identity, factor);
        mpq_mul(identity, identity, mask->divisor);
        for (int i = 0; i < (mask->outer ? mask->height : cells); i++) {
            mpq_mul(mask->weight[i], mask->weight[i], factor);
            mpq_neg(mask->weight[i], mask->weight[i]);
        }
        mpq_add(middle, middle, identity);
        free(mask->title);
        if (asprintf(&mask->title, "unsharp, sigma %.10g, radius %d, amount %s%s", sigma,
                     mask->width / 2, rational_print(text, factor) ? text : "as given",
                     units_title(mask, units)) < 0)
            mask->title = NULL;
    }
    mpq_clears(factor, identity, NULL);
    return good;
}
