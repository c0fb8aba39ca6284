/* Rationals become integers over one unit.
 *
 * The numbers are asked for twice: once for the unit, once for the integers over
 * it. So nothing is stored but the integers, 8 bytes a number however it was
 * written. The unit's growth stops as soon as integers cannot fit 62 bits: a file
 * of unrelated fractions costs no more than any other, and its numbers stay
 * rationals. */
#include "signal/sums.h"

#include <stdlib.h>
#include <string.h>

static bool no_memory(const char *name, struct error *err)
{
    return error_set(err, EXIT_INPUT, "%s: no memory for its numbers", name);
}

bool series_alloc(struct series *series, int n, bool exact, const char *name, struct error *err)
{
    size_t places = (size_t)n + 1;

    memset(series, 0, sizeof *series);
    series->n = n;
    if (exact)
        series->exact = malloc(places * sizeof *series->exact);
    else
        series->cell = calloc(places, sizeof *series->cell);
    if (!series->exact && !series->cell)
        return no_memory(name, err);
    for (size_t i = 0; exact && i < places; i++)
        mpq_init(series->exact[i]);
    mpq_inits(series->unit, series->offset, NULL);
    mpq_set_ui(series->unit, 1, 1);
    return true;
}

void series_free(struct series *series)
{
    if (series->exact)
        for (int i = 0; i <= series->n; i++)
            mpq_clear(series->exact[i]);
    if (series->exact || series->cell)
        mpq_clears(series->unit, series->offset, NULL);
    free(series->exact);
    free(series->cell);
    memset(series, 0, sizeof *series);
}

void series_measure(struct series *series)
{
    series->largest = series->size = 0;
    for (int i = 0; i <= series->n; i++) {
        int64_t cell = series->cell[i];
        uint64_t magnitude = cell < 0 ? -(uint64_t)cell : (uint64_t)cell;
        if (magnitude > series->largest)
            series->largest = magnitude;
        if (i < series->n)
            series->size += magnitude;
    }
}

/* Number I of a series that is being made; the N-th is the ghost value. */
static void get_place(int i, int n, series_get *get, void *context, mpq_srcptr ghost, mpq_t value)
{
    if (i < n)
        get(context, i, value);
    else if (ghost)
        mpq_set(value, ghost);
    else
        mpq_set_ui(value, 0, 1);
}

/* Over the unit gcd/lcm, the fraction n/d is the integer (n/gcd) * (lcm/d), which has at least the
 * bits of lcm/d. So once lcm has more than BITS bits beyond the shortest d, no unit fits. */
bool series_unit(mpq_t unit, int n, series_get *get, void *context, mpq_srcptr ghost, size_t bits)
{
    mpz_ptr gcd = mpq_numref(unit), lcm = mpq_denref(unit);
    size_t least_bits = SIZE_MAX - bits; /* of a denominator */
    bool fits = true;
    mpq_t value;

    mpq_init(value);
    mpz_set_ui(gcd, 0);
    mpz_set_ui(lcm, 1);
    for (int i = 0; i <= n && fits; i++) {
        get_place(i, n, get, context, ghost, value);
        if (mpq_sgn(value) == 0)
            continue;
        size_t below = mpz_sizeinbase(mpq_denref(value), 2);
        if (below < least_bits)
            least_bits = below;
        if (mpz_cmp_ui(gcd, 1) != 0)
            mpz_gcd(gcd, gcd, mpq_numref(value));
        if (!mpz_divisible_p(lcm, mpq_denref(value)))
            mpz_lcm(lcm, lcm, mpq_denref(value));
        fits = mpz_sizeinbase(lcm, 2) <= bits + least_bits;
    }
    if (mpz_sgn(gcd) == 0) /* all are 0, over any unit */
        mpz_set_ui(gcd, 1);
    mpq_clear(value);
    return fits;
}

/* Fills the cells; false where an integer leaves 62 bits. */
static bool make_integers(struct series *series, series_get *get, void *context, mpq_srcptr ghost)
{
    bool fits = series_unit(series->unit, series->n, get, context, ghost, SIGNAL_INTEGER_BITS);
    mpq_t value;

    mpq_init(value);
    for (int i = 0; i <= series->n && fits; i++) {
        get_place(i, series->n, get, context, ghost, value);
        mpq_div(value, value, series->unit);
        fits = mpz_sizeinbase(mpq_numref(value), 2) <= SIGNAL_INTEGER_BITS;
        series->cell[i] = fits ? mpz_get_si(mpq_numref(value)) : 0;
    }
    mpq_clear(value);
    if (fits)
        series_measure(series);
    return fits;
}

bool series_make(struct series *series, int n, series_get *get, void *context, mpq_srcptr ghost,
                 const char *name, struct error *err)
{
    if (!series_alloc(series, n, false, name, err))
        return false;
    if (make_integers(series, get, context, ghost))
        return true;
    series_free(series);
    if (!series_alloc(series, n, true, name, err))
        return false;
    for (int i = 0; i <= n; i++)
        get_place(i, n, get, context, ghost, series->exact[i]);
    return true;
}

void series_number(const struct series *series, int i, mpq_t value)
{
    if (series->exact) {
        mpq_set(value, series->exact[i]);
        return;
    }
    mpz_set_si(mpq_numref(value), series->cell[i]);
    mpz_set_ui(mpq_denref(value), 1);
    mpq_mul(value, value, series->unit);
    mpq_add(value, value, series->offset);
}

void series_get_number(void *series, int i, mpq_t value)
{
    series_number(series, i, value);
}
