/* The built-in masks. Sobel, Prewitt, Scharr, sharpen, edge, Laplace, emboss and the default blur
 * and box are text in this file, so that the program needs no mask files; masks/ holds the same
 * masks for people to copy and to change, and a test compares the two. Gaussians, boxes of any
 * radius and unsharp are computed.
 *
 * A gauss mask consists of integers over 2048 in each direction, so that a flat area stays exactly
 * flat. exp() below is the only floating-point arithmetic of the program that can change an output;
 * a test checks the resulting weights. */
#include "plan/mask.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAUSS_UNITS 2048
#define MAX_RADIUS  ((MASK_MAX_SIDE - 1) / 2)

/* ---- masks as text ---- */

static const struct {
    const char *name, *text;
} texts[] = {
    {"gauss5", "divisor 256; 1 4 6 4 1; 4 16 24 16 4; 6 24 36 24 6; 4 16 24 16 4; 1 4 6 4 1"},
    {"box3", "divisor 9; 1 1 1; 1 1 1; 1 1 1"},
    {"sharpen", "0 -1 0; -1 5 -1; 0 -1 0"},
    {"edge8", "-1 -1 -1; -1 8 -1; -1 -1 -1"},
    {"laplace5", "0 0 -1 0 0; 0 -1 -2 -1 0; -1 -2 16 -2 -1; 0 -1 -2 -1 0; 0 0 -1 0 0"},
    {"emboss", "-2 -1 0; -1 1 1; 0 1 2"},
    {"sobel_x", "-1 0 1; -2 0 2; -1 0 1"},
    {"sobel_y", "-1 -2 -1; 0 0 0; 1 2 1"},
    {"prewitt_x", "-1 0 1; -1 0 1; -1 0 1"},
    {"prewitt_y", "-1 -1 -1; 0 0 0; 1 1 1"},
    {"scharr_x", "-3 0 3; -10 0 10; -3 0 3"},
    {"scharr_y", "-3 -10 -3; 0 0 0; 3 10 3"},
};

bool mask_builtin(struct mask *mask, const char *name, struct error *err)
{
    size_t i = 0;
    while (strcmp(texts[i].name, name) != 0)
        i++;
    return mask_parse(mask, name, texts[i].text, strlen(texts[i].text), err);
}

/* ---- the struct ---- */

void mask_init(struct mask *mask, int width, int height)
{
    size_t cells = (size_t)width * (size_t)height;

    memset(mask, 0, sizeof *mask);
    mask->weight = malloc(cells * sizeof *mask->weight);
    if (!mask->weight)
        return;
    for (size_t i = 0; i < cells; i++)
        mpq_init(mask->weight[i]);
    mpq_inits(mask->divisor, mask->offset, NULL);
    mpq_set_ui(mask->divisor, 1, 1);
    mask->width = width;
    mask->height = height;
    mask->anchor_x = width / 2;
    mask->anchor_y = height / 2;
}

void mask_free(struct mask *mask)
{
    if (mask->weight) {
        size_t cells = (size_t)mask->width * (size_t)mask->height;
        for (size_t i = 0; i < cells; i++)
            mpq_clear(mask->weight[i]);
        mpq_clears(mask->divisor, mask->offset, NULL);
        free(mask->weight);
    }
    free(mask->title);
    free(mask->name);
    memset(mask, 0, sizeof *mask);
}

void mask_flip(struct mask *mask)
{
    size_t cells = (size_t)mask->width * (size_t)mask->height;
    for (size_t i = 0; i < cells / 2; i++)
        mpq_swap(mask->weight[i], mask->weight[cells - 1 - i]);
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
    sum_range(sum, mask->weight[0], (size_t)mask->width * (size_t)mask->height);
}

/* ---- gauss ---- */

void mask_gauss_weights(double sigma, int radius, int *weight)
{
    double g[MAX_RADIUS + 1], rest[MAX_RADIUS + 1], sum = 0;
    int *centre = weight + radius, missing = GAUSS_UNITS;

    /* Adds from small to large. sigma*sigma may underflow: i = 0 must not compute 0/0. */
    for (int i = radius; i >= 0; i--) {
        g[i] = i == 0 ? 1 : exp(-(double)i * i / (2 * sigma * sigma));
        sum += i == 0 ? g[i] : 2 * g[i];
    }
    for (int i = 0; i <= radius; i++) {
        double exact = GAUSS_UNITS * g[i] / sum;
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

/* Replaces a negative radius by ceil(3 * sigma). */
static bool gauss_radius(double sigma, int *radius, struct error *err)
{
    if (!isfinite(sigma) || sigma <= 0)
        return error_set(err, EXIT_USAGE, "sigma must be a number greater than 0");
    if (*radius > MAX_RADIUS)
        return error_set(err, EXIT_USAGE, "a radius of %d is too large: a mask reaches %d cells",
                         *radius, MAX_RADIUS);
    if (*radius >= 0)
        return true;
    if (ceil(3 * sigma) > MAX_RADIUS)
        return error_set(err, EXIT_USAGE,
                         "sigma %g needs a radius of %.0f, and a mask reaches %d cells; "
                         "a smaller --radius cuts it off there",
                         sigma, ceil(3 * sigma), MAX_RADIUS);
    *radius = (int)ceil(3 * sigma);
    return true;
}

/* A mask of 2*radius+1 columns whose weights are 0. */
static bool build_empty(struct mask *mask, int radius, enum mask_shape shape, struct error *err)
{
    mask_init(mask, 2 * radius + 1, shape == MASK_ROW ? 1 : 2 * radius + 1);
    return mask->weight || error_set(err, EXIT_USAGE, "no memory for a mask of radius %d", radius);
}

bool mask_build_gauss(struct mask *mask, double sigma, int radius, enum mask_shape shape,
                      struct error *err)
{
    bool row = shape == MASK_ROW;
    int weight[MASK_MAX_SIDE];

    memset(mask, 0, sizeof *mask);
    if (!gauss_radius(sigma, &radius, err) || !build_empty(mask, radius, shape, err))
        return false;
    if (asprintf(&mask->title, "gauss, sigma %.10g, radius %d", sigma, radius) < 0)
        mask->title = NULL;
    mask_gauss_weights(sigma, radius, weight);
    for (int i = 0; i < mask->height; i++)
        for (int j = 0; j < mask->width; j++)
            mpq_set_si(mask->weight[i * mask->width + j],
                       row ? weight[j] : (long)weight[i] * weight[j], 1);
    mpq_set_ui(mask->divisor, row ? GAUSS_UNITS : GAUSS_UNITS * GAUSS_UNITS, 1);
    return true;
}

bool mask_build_box(struct mask *mask, int radius, enum mask_shape shape, struct error *err)
{
    memset(mask, 0, sizeof *mask);
    if (radius < 0 || radius > MAX_RADIUS)
        return error_set(err, EXIT_USAGE, "a box has a radius from 0 to %d", MAX_RADIUS);
    if (!build_empty(mask, radius, shape, err))
        return false;
    if (asprintf(&mask->title, "box, radius %d", radius) < 0)
        mask->title = NULL;
    int cells = mask->width * mask->height;
    for (int i = 0; i < cells; i++)
        mpq_set_ui(mask->weight[i], 1, 1);
    mpq_set_ui(mask->divisor, (unsigned long)cells, 1);
    return true;
}

bool mask_build_unsharp(struct mask *mask, double sigma, int radius, const char *amount,
                        struct error *err)
{
    mpq_t factor, identity; /* identity: its one weight, over the gauss mask's divisor */
    char text[RATIONAL_MAX_CHARS + 1];
    bool good;

    memset(mask, 0, sizeof *mask);
    mpq_inits(factor, identity, NULL);
    good = rational_option(factor, "--amount", amount, NULL, err) &&
           mask_build_gauss(mask, sigma, radius, MASK_SQUARE, err);
    if (good) {
        int cells = mask->width * mask->height;
        mpq_set_ui(identity, 1, 1);
        mpq_add(identity, identity, factor);
        mpq_mul(identity, identity, mask->divisor);
        for (int i = 0; i < cells; i++) {
            mpq_mul(mask->weight[i], mask->weight[i], factor);
            mpq_neg(mask->weight[i], mask->weight[i]);
        }
        mpq_add(mask->weight[cells / 2], mask->weight[cells / 2], identity);
        free(mask->title);
        if (asprintf(&mask->title, "unsharp, sigma %.10g, radius %d, amount %s", sigma,
                     mask->width / 2, rational_print(text, factor) ? text : "as given") < 0)
            mask->title = NULL;
    }
    mpq_clears(factor, identity, NULL);
    return good;
}
