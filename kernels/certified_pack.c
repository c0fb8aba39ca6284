/* Host side of kernels/certified.cu: weights are rounded to 16 bits, and it is computed how far
 * that can move a sum.
 *
 * Proved: the bounds on a sum's error that certified_test.h uses. All in integers. With m the
 * multiplier, R = w * 2^32 - w' * m * d is a weight's error times d * 2^32, and for samples x in
 * 0..max
 *
 *   2^32 * (S + floor(d/2)) / d = m * T + (2^32 * start + sum of R*x) / d
 *   max * (sum of R < 0)  <=  sum of R*x  <=  max * (sum of R > 0)
 *
 * Any m that leaves w' 16 bits is right; of several the one with the smallest errors is taken.
 * 16 bits of the largest weight are m about 2^17 * w / d: |R| <= m * d / 2, so that all sums
 * of R*x stay below 2^32 * 2^62 * 2^16 cells * 2^8. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "image_job.h"

__extension__ typedef __int128 int128;

#define W_MOST     32767
#define SUM_MOST   ((double)(1 << 30)) /* of |w'| * max: a quarter of what 32 bits hold */
#define CANDIDATES 65536
#define TRIALS     262144 /* different weights that are looked at for all candidates together */

static int cells_of(const struct certified_mask *mask)
{
    return mask->width * mask->height;
}

/* Whole, at or below a/b; b > 0. */
static int128 divide_down(int128 a, int128 b)
{
    return a / b - (a % b < 0);
}

/* w' of weight w. */
static int64_t rounded(const struct certified_mask *mask, int64_t w, int64_t multiplier)
{
    int128 unit = (int128)multiplier * mask->divisor;
    return (int64_t)divide_down((int128)w * ((int128)2 << 32) + unit, 2 * unit);
}

/* A weight without its sign, and how many cells have it. */
struct distinct {
    double weight, cells;
};

static int compare_weights(const void *a, const void *b)
{
    const double x = ((const struct distinct *)a)->weight, y = ((const struct distinct *)b)->weight;
    return (x > y) - (x < y);
}

/* Returns how many there are. */
static int distinct_weights(const struct certified_mask *mask, struct distinct *distinct)
{
    int n = 0;
    for (int i = 0; i < cells_of(mask); i++)
        distinct[i] = (struct distinct){fabs((double)mask->weight[i]), 1};
    qsort(distinct, (size_t)cells_of(mask), sizeof *distinct, compare_weights);
    for (int i = 1; i < cells_of(mask); i++) {
        if (distinct[i].weight == distinct[n].weight)
            distinct[n].cells++;
        else
            distinct[++n] = distinct[i];
    }
    return n + 1;
}

/* The errors of all weights added up, in units of the quotient. */
static double errors(const struct distinct *distinct, int n, int64_t divisor, int64_t multiplier)
{
    const double scale = ldexp(1, 32) / (double)multiplier / (double)divisor;
    const double whole = ldexp(1.5, 52); /* added and taken away it rounds */
    double sum = 0;

    for (int i = 0; i < n; i++) {
        double w = distinct[i].weight * scale;
        sum += distinct[i].cells * fabs(w - ((w + whole) - whole));
    }
    return sum * (double)multiplier;
}

/* The smallest multiplier that leaves w' 16 bits and their sums 31; 0: none. */
static int64_t least_multiplier(const struct certified_mask *mask)
{
    double largest = 0, sum = 0, least;

    for (int i = 0; i < cells_of(mask); i++) {
        double w = fabs((double)mask->weight[i]) / (double)mask->divisor;
        largest = w > largest ? w : largest;
        sum += w;
    }
    least = ldexp(fmax(largest / W_MOST, sum * mask->max / SUM_MOST), 32);
    return least < INT32_MAX / 2 ? (int64_t)(least * 1.0001) + 1 : 0;
}

static int64_t best_multiplier(const struct certified_mask *mask, int64_t least)
{
    struct distinct *distinct = malloc((size_t)cells_of(mask) * sizeof *distinct);
    int64_t best = least, step;
    double fewest;
    int n, trials;

    if (!distinct)
        return least;
    n = distinct_weights(mask, distinct);
    trials = TRIALS / n < CANDIDATES ? TRIALS / n : CANDIDATES;
    fewest = errors(distinct, n, mask->divisor, least);
    step = trials > 0 && least > trials ? least / trials : 1;
    for (int64_t m = least + step; m < 2 * least && trials-- > 0; m += step) {
        double e = errors(distinct, n, mask->divisor, m);
        if (e < fewest) {
            fewest = e;
            best = m;
        }
    }
    free(distinct);
    return best;
}

/* The test of sums with this multiplier; false where they do not fit. Sets the share of quotients
 * that are in doubt. */
static bool test_of(const struct certified_mask *mask, int64_t multiplier,
                    struct certified_test *test, double *share)
{
    int128 below = (int128)mask->start * ((int128)1 << 32), above = below, from, to;

    for (int i = 0; i < cells_of(mask); i++) {
        int64_t w = rounded(mask, mask->weight[i], multiplier);
        int128 error =
            (int128)mask->weight[i] * ((int128)1 << 32) - (int128)w * multiplier * mask->divisor;
        *(error < 0 ? &below : &above) += error * mask->max;
    }
    from = divide_down(below, mask->divisor);
    to = -divide_down(-above, mask->divisor);
    *share = ldexp((double)(to - from), -32);
    if (from <= INT64_MIN / 2 || to >= INT64_MAX / 2 || to - from > UINT32_MAX)
        return false;
    *test = (struct certified_test){
        .from = (int64_t)from,
        .multiplier = (int32_t)multiplier,
        .limit = UINT32_MAX - (uint32_t)(to - from),
    };
    return true;
}

bool certified_can(const struct certified_mask *mask, const char **why)
{
    int64_t multiplier = least_multiplier(mask);
    struct certified_test test;
    double share = 0;

    *why = NULL;
    if (multiplier == 0)
        *why = "sums that are large beside the divisor";
    else if (!test_of(mask, multiplier, &test, &share))
        *why = "an offset, or errors of rounded weights, too large to certify samples";
    else if (share > CERTIFIED_DOUBT)
        *why = "too many samples would be in doubt";
    return *why == NULL;
}

size_t certified_fragment_bytes(const struct banded_shape *shape, const struct certified_mask *mask)
{
    return (size_t)banded_fragment_bytes(shape) + sizeof(struct certified_head) +
           (size_t)cells_of(mask) * sizeof *mask->weight;
}

void certified_pack(const struct banded_shape *shape, const struct certified_mask *mask,
                    void *fragments)
{
    struct certified_head head = {.divisor = mask->divisor, .start = mask->start};
    char *behind = (char *)fragments + banded_fragment_bytes(shape);
    int64_t *weight = (int64_t *)(behind + sizeof head);
    int64_t least = least_multiplier(mask), multiplier = best_multiplier(mask, least);
    double share;

    if (!test_of(mask, multiplier, &head.test, &share))
        test_of(mask, least, &head.test, &share);
    for (int i = 0; i < cells_of(mask); i++)
        weight[i] = rounded(mask, mask->weight[i], head.test.multiplier);
    banded_pack(shape, weight, mask->width, mask->height, fragments);
    memcpy(behind, &head, sizeof head);
    memcpy(weight, mask->weight, (size_t)cells_of(mask) * sizeof *weight);
}
