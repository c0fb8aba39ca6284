/* The packed test of the certified kernel must be correct and tight. For masks of many digits, and
 * for samples that maximise the errors of the rounded weights, the exact quotient lies in the
 * range that the packed test assumes; it reaches both ends of this range, so no narrower test
 * would do. */
#include <stdlib.h>
#include <string.h>

#include "kernels/image_job.h"
#include "tests/random.h"
#include "tests/test.h"

__extension__ typedef __int128 int128;

#define CELLS 121

static uint64_t state = 7;

struct packed {
    struct certified_mask mask;
    struct certified_head head;
    int64_t rounded[CELLS];
    int128 error[CELLS]; /* the error of a weight, times d * 2^32 */
};

static int64_t rounded(int128 w, int128 unit)
{
    int128 twice = 2 * w * ((int128)1 << 32) + unit, quotient = twice / (2 * unit);
    return (int64_t)(quotient - (twice % (2 * unit) < 0));
}

/* Reads the head and the exact weights from the packed data, and the packed weights before them,
 * whose number the header gives. */
static bool pack(struct packed *p, const struct certified_mask *mask)
{
    struct banded_shape shape = banded_shape_of(mask->width, mask->height, 3, 1, 2, 0);
    size_t bytes = certified_fragment_bytes(&shape, mask), weights;
    char *fragments = calloc(1, bytes), *behind = fragments + banded_fragment_bytes(&shape);
    bool same;

    if (!fragments)
        abort();
    certified_pack(&shape, mask, fragments);
    memcpy(&p->head, behind, sizeof p->head);
    weights = (size_t)mask->width * (size_t)mask->height * sizeof *mask->weight;
    same = memcmp(behind + sizeof p->head, mask->weight, weights) == 0 &&
           bytes == (size_t)(behind - fragments) + sizeof p->head + weights;
    free(fragments);
    p->mask = *mask;
    for (int i = 0; i < mask->width * mask->height; i++) {
        int128 unit = (int128)p->head.test.multiplier * mask->divisor;
        p->rounded[i] = rounded(mask->weight[i], unit);
        p->error[i] = mask->weight[i] * ((int128)1 << 32) - p->rounded[i] * unit;
    }
    return same && p->head.divisor == mask->divisor && p->head.start == mask->start;
}

/* The exact quotient, times 2^32 and rounded down, less P. */
static int128 from_p(const struct packed *p, const uint32_t *sample)
{
    int128 sum = p->mask.start, t = 0, exact;
    int128 one = (int128)1 << 32, d = p->mask.divisor;

    for (int i = 0; i < p->mask.width * p->mask.height; i++) {
        sum += (int128)p->mask.weight[i] * sample[i];
        t += (int128)p->rounded[i] * sample[i];
    }
    if (t < INT32_MIN || t > INT32_MAX)
        return -1;
    exact = sum / d * one; /* in two steps, although 2^62 * 2^32 * 2^8 would fit, too */
    sum %= d;
    exact += sum * one / d - (sum * one % d < 0);
    return exact - (t * p->head.test.multiplier + p->head.test.from);
}

static void check_mask(const char *name, const struct certified_mask *mask)
{
    struct packed p;
    const char *why;
    uint32_t sample[CELLS];
    int128 width, least, most;
    bool inside = true;

    CHECKF(certified_can(mask, &why), "%s: %s", name, why ? why : "");
    CHECKF(pack(&p, mask), "%s: what is packed", name);
    width = UINT32_MAX - p.head.test.limit;
    CHECKF(p.head.test.multiplier >= 1 && (double)width / 4294967296.0 <= CERTIFIED_DOUBT,
           "%s: the share in doubt", name);
    for (int i = 0; i < mask->width * mask->height; i++)
        inside = inside && p.rounded[i] >= INT16_MIN && p.rounded[i] <= INT16_MAX;
    CHECKF(inside, "%s: weights of 16 bits", name);
    for (int n = 0; n < 2000; n++) {
        for (int i = 0; i < CELLS; i++)
            sample[i] = (uint32_t)(random_next(&state) % (n % 2 ? 2 : mask->max + 1)) *
                        (n % 2 ? mask->max : 1);
        int128 at = from_p(&p, sample);
        inside = inside && at >= 0 && at <= width;
    }
    CHECKF(inside, "%s: random samples", name);
    for (int i = 0; i < mask->width * mask->height; i++)
        sample[i] = p.error[i] < 0 ? mask->max : 0;
    least = from_p(&p, sample);
    for (int i = 0; i < mask->width * mask->height; i++)
        sample[i] = p.error[i] > 0 ? mask->max : 0;
    most = from_p(&p, sample);
    CHECKF(least >= 0 && least <= 1 && most <= width && most >= width - 2,
           "%s: the worst samples lie %lld and %lld of %lld from P", name, (long long)least,
           (long long)most, (long long)width);
}

static int64_t weight[CELLS];

static void many_digits(void)
{
    const int64_t divisors[] = {(int64_t)1 << 53, 999999999999989, 1000003, 7};
    struct certified_mask mask = {.weight = weight};

    for (int d = 0; d < 4; d++)
        for (int n = 0; n < 6; n++) {
            char name[64];
            mask.width = 1 + (int)(random_next(&state) % 11);
            mask.height = 1 + (int)(random_next(&state) % 11);
            mask.divisor = divisors[d];
            mask.max = n == 3 ? 7 : 255;
            mask.start = (n == 2 ? -3 : n == 4 ? 117 : 0) * mask.divisor + mask.divisor / 2;
            for (int i = 0; i < mask.width * mask.height; i++)
                weight[i] = (int64_t)(random_next(&state) % (uint64_t)mask.divisor) /
                                (mask.width * mask.height / 2 + 1) -
                            (n % 2 ? mask.divisor / 90 : 0);
            snprintf(name, sizeof name, "%dx%d of %lld", mask.width, mask.height,
                     (long long)mask.divisor);
            check_mask(name, &mask);
        }
}

static void refused(void)
{
    struct certified_mask mask = {weight, 11, 11, 1, 0, 255};
    const char *why;

    for (int i = 0; i < CELLS; i++)
        weight[i] = 1003 + i; /* rounded to 16 bits, these weights are wrong by whole samples */
    CHECK(!certified_can(&mask, &why) && why);
    for (int i = 0; i < CELLS; i++)
        weight[i] = (int64_t)1 << 40;
    CHECK(!certified_can(&mask, &why) && why);
    weight[0] = 1;
    mask = (struct certified_mask){weight, 1, 1, 1, (int64_t)1 << 40, 255};
    CHECK(!certified_can(&mask, &why) && why);
}

int main(void)
{
    TEST(many_digits);
    TEST(refused);
    return test_finish();
}
