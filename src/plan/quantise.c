/* Quantises masks whose exact integers need more than 62 bits: weights become multiples of
 * 1/2^q, always in the same way, with the largest q that fits.
 *
 *   w = floor(v * 2^q); the units that are missing to round(sum v * 2^q) go one each to
 *   the largest fractional parts, ties in row-major order
 *
 * Decimals with many places (NumPy prints 18 digits) are quantised. */
#include <math.h>
#include <stdlib.h>

#include "plan/steps.h"

__extension__ typedef unsigned __int128 uint128;

/* The fractional part of one cell's v * 2^q. */
struct part {
    uint64_t rest; /* its first 64 bits */
    size_t cell;
};

struct quantiser {
    struct plan_mask *plan;
    const struct mask *mask;
    size_t cells;
    mpq_srcptr offset;
    uint32_t max;
    int q;
    struct part *part; /* the cells whose fractional part is not 0 */
    size_t parts;
};

/* Cell K's v * 2^q minus its floor. */
static void exact_rest(mpq_t rest, const struct quantiser *z, size_t k)
{
    mpq_t floor;

    mpq_init(floor);
    mpq_set_si(floor, z->plan->weight[k], 1);
    mpq_mul_2exp(rest, z->mask->weight[k], (mp_bitcnt_t)z->q);
    mpq_div(rest, rest, z->mask->divisor);
    mpq_sub(rest, rest, floor);
    mpq_clear(floor);
}

/* The largest rest first. */
static int compare_parts(const void *a, const void *b, void *context)
{
    const struct part *first = a, *second = b;
    const struct quantiser *z = context;
    int order = 0;

    if (first->rest != second->rest)
        return first->rest > second->rest ? -1 : 1;
    if (!mpq_equal(z->mask->weight[first->cell], z->mask->weight[second->cell])) {
        mpq_t x, y;
        mpq_inits(x, y, NULL);
        exact_rest(x, z, first->cell);
        exact_rest(y, z, second->cell);
        order = mpq_cmp(y, x);
        mpq_clears(x, y, NULL);
    }
    return order ? order : first->cell < second->cell ? -1 : 1;
}

/* Sets weight = floor(v * 2^q) for every cell, and the parts. False if one exceeds 62 bits. */
static bool take_floors(struct quantiser *z)
{
    mpz_t n, d, rest;
    bool good = true;

    mpz_inits(n, d, rest, NULL);
    z->parts = 0;
    for (size_t k = 0; k < z->cells && good; k++) {
        mpq_srcptr weight = z->mask->weight[k];
        mpz_mul(n, mpq_numref(weight), mpq_denref(z->mask->divisor));
        mpz_mul(d, mpq_denref(weight), mpq_numref(z->mask->divisor));
        /* The quotient holds the floor and 64 bits of the fraction. */
        mpz_mul_2exp(n, n, (mp_bitcnt_t)z->q + 64);
        mpz_fdiv_qr(n, rest, n, d);
        mpz_fdiv_r_2exp(d, n, 64);
        mpz_fdiv_q_2exp(n, n, 64);
        good = mpz_sizeinbase(n, 2) <= PLAN_BITS;
        z->plan->weight[k] = good ? mpz_get_si(n) : 0;
        if (mpz_sgn(d) != 0 || mpz_sgn(rest) != 0)
            z->part[z->parts++] = (struct part){mpz_get_ui(d), k};
    }
    mpz_clears(n, d, rest, NULL);
    return good;
}

/* round(sum v * 2^q) - sum of the floors, from the exact sum: may be slow. */
static size_t count_missing_exactly(const struct quantiser *z)
{
    mpq_t sum;
    mpz_t total;
    uint64_t missing; /* at most 65025: exact modulo 2^64, whatever the sums are */

    mpq_init(sum);
    mpz_init(total);
    mask_sum(sum, z->mask);
    mpz_mul(mpq_numref(sum), mpq_numref(sum), mpq_denref(z->mask->divisor));
    mpz_mul(mpq_denref(sum), mpq_denref(sum), mpq_numref(z->mask->divisor));
    mpz_mul_2exp(mpq_numref(sum), mpq_numref(sum), (mp_bitcnt_t)z->q);
    rational_round(total, sum);
    mpz_fdiv_r_2exp(total, total, 64);
    missing = mpz_get_ui(total);
    for (size_t k = 0; k < z->cells; k++)
        missing -= (uint64_t)z->plan->weight[k];
    mpq_clear(sum);
    mpz_clear(total);
    return (size_t)missing;
}

/* The units that the floors lack: the sum of the fractional parts, rounded half up. */
static size_t count_missing(const struct quantiser *z)
{
    uint128 low = (uint128)1 << 63, high; /* low begins with one half */

    for (size_t i = 0; i < z->parts; i++)
        low += z->part[i].rest;
    /* With 64 bits of each part the rounding of the sum is almost always certain. */
    high = low + z->parts;
    return low >> 64 == high >> 64 ? (size_t)(low >> 64) : count_missing_exactly(z);
}

/* The largest difference that the rounded weights and offset can make in a sample. */
static double largest_effect(const struct quantiser *z, size_t missing, const mpq_t offset_error)
{
    double units = 0;
    for (size_t i = 0; i < z->parts; i++) {
        /* The weight is rounded up or down. The rest may have more than 64 bits. */
        uint64_t part = i < missing ? UINT64_MAX - z->part[i].rest : z->part[i].rest;
        units += ldexp((double)part, -64) + 0x1p-64;
    }
    units = units * z->max + fabs(mpq_get_d(offset_error));
    return ldexp(units, -z->q);
}

/* Makes the plan with weights in units of 1/2^q; false if it exceeds the bound. */
static bool quantise_at(struct quantiser *z, int q)
{
    struct plan_mask *plan = z->plan;
    bool good = false;
    mpq_t offset;
    mpz_t rounded;

    z->q = q;
    mpq_init(offset);
    mpz_init(rounded);
    mpq_mul_2exp(offset, z->offset, (mp_bitcnt_t)q);
    rational_round(rounded, offset);
    if (mpz_sizeinbase(rounded, 2) > PLAN_BITS || !take_floors(z))
        goto out;
    size_t missing = count_missing(z);
    if (missing > 0)
        qsort_r(z->part, z->parts, sizeof *z->part, compare_parts, z);
    for (size_t i = 0; i < missing; i++)
        plan->weight[z->part[i].cell]++;

    plan->divisor = (int64_t)1 << q;
    plan->offset = mpz_get_si(rounded);
    mpz_submul(mpq_numref(offset), rounded, mpq_denref(offset));
    plan->quantised_bits = q;
    plan->quantised_error = largest_effect(z, missing, offset);
    good = plan_mask_settle(plan, z->max);
out:
    mpq_clear(offset);
    mpz_clear(rounded);
    return good;
}

bool plan_mask_quantise(struct plan_mask *plan, const struct mask *mask, const mpq_t offset,
                        uint32_t max, struct error *err)
{
    struct quantiser z = {.plan = plan, .mask = mask, .offset = offset, .max = max};
    double size = 0; /* sum|v| * max + |offset| + 1, to a part in 10^10 */
    bool good = false;

    z.cells = (size_t)mask->width * (size_t)mask->height;
    for (size_t k = 0; k < z.cells; k++)
        size += fabs(mpq_get_d(mask->weight[k]));
    size = size / fabs(mpq_get_d(mask->divisor)) * max + fabs(mpq_get_d(offset)) + 1;
    /* The bound requires size * 2^q below 2^62. The error is 65025 roundings times max (below
     * 2^32), a part in 2^30: starting a millionth higher is certainly enough. Going down from
     * there, the first q that fits is the largest. */
    double start = PLAN_BITS - log2(size) + 1e-6;
    if (start >= 0) {
        z.part = malloc(z.cells * sizeof *z.part);
        if (!z.part)
            return error_set(err, EXIT_INPUT, PLAN_NO_MEMORY);
        for (int q = start < PLAN_BITS ? (int)start : PLAN_BITS - 1; q >= 0 && !good; q--)
            good = quantise_at(&z, q);
        free(z.part);
    }
    return good || plan_too_large(mask, err);
}
