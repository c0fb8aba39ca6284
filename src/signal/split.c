/* Sums past 62 bits by kernels that know 64-bit integers: numbers and weights are
 * cut into limbs of so few bits that sums of their products fit,
 *
 *      N[i] = sum over k of  Nk[i] * 2^(bits*k)        M[j] = sum over l of  Ml[j] * 2^(bits*l)
 *
 * every pair of limbs is one run of the kernel, and the sums are put together:
 *
 *      P[i] = sum over k and l of  Pkl[i] * 2^(bits*(k+l))
 *
 * For who asks for a kernel by name; one loop over rationals is faster on the CPU. */
#include <stdlib.h>

#include "signal/sums.h"

/* Decimals of 64 characters have a unit of 10^-127, which is 422 bits, and reach 10^128 from
 * there. Only unrelated fractions pass this. */
#define UNIT_BITS 1024

/* The numbers of a series as integers of any size, and the limb that is looked at. */
struct wide {
    int n;
    mpz_t *number; /* n+1, as in a series */
    mpq_t unit;
    size_t bits;   /* of the largest number */
    int64_t *limb; /* n+1 */
    uint64_t largest;
    uint128 size;
};

static void wide_free(struct wide *wide)
{
    for (int i = 0; wide->number && i <= wide->n; i++)
        mpz_clear(wide->number[i]);
    if (wide->number)
        mpq_clear(wide->unit);
    free(wide->number);
    free(wide->limb);
}

static bool wide_make(struct wide *wide, const struct series *series, const char *name,
                      struct error *err)
{
    size_t places = (size_t)series->n + 1;
    mpq_t value;
    bool fits;

    *wide = (struct wide){.n = series->n,
                          .number = malloc(places * sizeof *wide->number),
                          .limb = malloc(places * sizeof *wide->limb)};
    for (size_t i = 0; wide->number && i < places; i++)
        mpz_init(wide->number[i]);
    if (wide->number)
        mpq_init(wide->unit);
    if (!wide->number || !wide->limb)
        return error_set(err, EXIT_INPUT, "%s: no memory to split its numbers", name);
    fits = series_unit(wide->unit, series->n, series_get_number, (void *)series, UNIT_BITS);
    if (!fits || mpz_sizeinbase(mpq_denref(wide->unit), 2) > UNIT_BITS)
        return error_set(err, EXIT_USAGE,
                         "%s: numbers without a common denominator below 2^%d, which a kernel "
                         "cannot take; without --kernel and --device they are summed exactly",
                         name, UNIT_BITS);
    mpq_init(value);
    for (size_t i = 0; i < places; i++) {
        series_number(series, (int)i, value);
        mpq_div(value, value, wide->unit);
        mpz_swap(wide->number[i], mpq_numref(value));
        size_t bits = mpz_sizeinbase(wide->number[i], 2);
        wide->bits = bits > wide->bits ? bits : wide->bits;
    }
    mpq_clear(value);
    return true;
}

/* The limb of BITS bits that begins at bit SHIFT, with the numbers' signs. */
static void wide_cut(struct wide *wide, size_t shift, int bits)
{
    mpz_t rest;

    mpz_init(rest);
    wide->largest = 0;
    wide->size = 0;
    for (int i = 0; i <= wide->n; i++) {
        mpz_tdiv_q_2exp(rest, wide->number[i], shift);
        uint64_t limb = mpz_get_ui(rest) & (((uint64_t)1 << bits) - 1); /* of the magnitude */
        wide->limb[i] = mpz_sgn(rest) < 0 ? -(int64_t)limb : (int64_t)limb;
        wide->largest = limb > wide->largest ? limb : wide->largest;
        wide->size += i < wide->n ? limb : 0;
    }
    mpz_clear(rest);
}

/* Adds sums * 2^SHIFT to the numerators of OUT. */
static void add_sums(struct series *out, const int64_t *sums, size_t shift)
{
    mpz_t sum;

    mpz_init(sum);
    for (int i = 0; i < out->n; i++) {
        mpz_set_si(sum, sums[i]);
        mpz_mul_2exp(sum, sum, shift);
        mpz_add(mpq_numref(out->exact[i]), mpq_numref(out->exact[i]), sum);
    }
    mpz_clear(sum);
}

/* Sums of all pairs of limbs into the numerators of OUT. */
static bool sum_limbs(const struct signal_runner *runner, struct signal_job *job,
                      struct wide *cells, struct wide *weights, int64_t *sums, struct series *out,
                      struct error *err)
{
    int bits = SIGNAL_INTEGER_BITS / 2;

    while ((uint64_t)weights->n > (uint64_t)1 << (SIGNAL_INTEGER_BITS - 2 * bits))
        bits--;
    for (size_t k = 0; k < cells->bits; k += (size_t)bits) {
        wide_cut(cells, k, bits);
        job->ghost = cells->limb[cells->n];
        for (size_t l = 0; l < weights->bits && cells->largest > 0; l += (size_t)bits) {
            wide_cut(weights, l, bits);
            if (weights->largest == 0)
                continue;
            if (!signal_sums_integers(runner, job, signal_sums_type(weights->size, cells->largest),
                                      cells->limb, sums, weights->limb, err))
                return false;
            add_sums(out, sums, k + l);
        }
    }
    return true;
}

bool signal_split_sums(const struct signal_runner *runner, const struct series *in,
                       const struct signal_mask *mask, struct series *out, struct error *err)
{
    struct signal_job job = {
        .n = in->n, .mask_width = mask->weights.n, .anchor = mask->anchor, .border = mask->border};
    struct wide cells = {0}, weights = {0};
    int64_t *sums = malloc((size_t)in->n * sizeof *sums);
    bool good;

    if (!series_alloc(out, in->n, true, runner->name, err)) {
        free(sums);
        return false;
    }
    good = sums || error_set(err, EXIT_INPUT, "%s: no memory to split its numbers", runner->name);
    good = good && wide_make(&cells, in, runner->name, err) &&
           wide_make(&weights, &mask->weights, runner->name, err) &&
           sum_limbs(runner, &job, &cells, &weights, sums, out, err);
    if (good)
        mpq_mul(cells.unit, cells.unit, weights.unit);
    for (int i = 0; good && i < in->n; i++) {
        mpq_mul(out->exact[i], out->exact[i], cells.unit);
        mpq_add(out->exact[i], out->exact[i], mask->offset);
    }
    if (good)
        series_number(in, in->n, out->exact[in->n]);
    wide_free(&weights);
    wide_free(&cells);
    free(sums);
    if (!good)
        series_free(out);
    return good;
}
