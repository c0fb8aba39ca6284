/* Series of exact numbers, and sums of a signal: by a kernel on floats or 64-bit integers; past 62
 * bits by a plain loop over rationals. */
#include "signal/sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"

/* ---- series: rationals become integers over one unit ----
 *
 * The numbers are read twice: once for the unit, once for the integers. So only the integers are
 * stored, 8 bytes per number. The search for the unit stops as soon as integers cannot fit 62 bits:
 * a file of unrelated fractions costs no more than any other, and its numbers stay rationals. */

static bool no_memory(const char *name, struct error *err)
{
    return error_set(err, EXIT_INPUT, "%s: no memory for its numbers", name);
}

/* Allocates a series of N+1 zeros (EXACT: as rationals), with unit 1 and offset 0. */
static bool series_alloc(struct series *series, int n, bool exact, const char *name,
                         struct error *err)
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

/* Finds the largest unit of the numbers and their ghost value: gcd of the numerators over lcm of
 * the denominators. False, with UNIT undefined, if an integer over the unit certainly has more than
 * SIGNAL_INTEGER_BITS. Over the unit, the fraction n/d is the integer (n/gcd) * (lcm/d), which has
 * at least the bits of lcm/d. So once lcm has more than BITS bits beyond the shortest d, no unit
 * fits. */
static bool series_unit(mpq_t unit, int n, series_get *get, void *context, mpq_srcptr ghost)
{
    const size_t bits = SIGNAL_INTEGER_BITS;
    mpz_ptr gcd = mpq_numref(unit), lcm = mpq_denref(unit);
    size_t least_bits = SIZE_MAX - bits; /* of the shortest denominator */
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
    if (mpz_sgn(gcd) == 0) /* all numbers are 0: any unit will do */
        mpz_set_ui(gcd, 1);
    mpq_clear(value);
    return fits;
}

/* Fills the cells; false if an integer does not fit 62 bits. */
static bool make_integers(struct series *series, series_get *get, void *context, mpq_srcptr ghost)
{
    bool fits = series_unit(series->unit, series->n, get, context, ghost);
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

/* ---- the type of sums ---- */

static bool fits(uint128 size, uint64_t largest, int bits)
{
    return largest == 0 || size <= (((uint64_t)1 << bits) - 1) / largest;
}

enum signal_sum_type signal_sums_type(uint128 size, uint64_t largest)
{
    /* If the mask is zero or the signal is zero, all sums are 0. But the other one may hold numbers
     * too large for floats. */
    if (fits(size, largest ? largest : 1, SIGNAL_FLOAT_BITS) && largest < 1 << SIGNAL_FLOAT_BITS)
        return SIGNAL_SUM_F32;
    return fits(size, largest, SIGNAL_INTEGER_BITS) ? SIGNAL_SUM_I64 : SIGNAL_SUM_RATIONAL;
}

enum signal_sum_type signal_sums_type_of(const struct series *in, const struct series *weights)
{
    return in->cell && weights->cell ? signal_sums_type(weights->size, in->largest)
                                     : SIGNAL_SUM_RATIONAL;
}

/* ---- one job, verified ---- */

static int64_t sum_at(const struct signal_job *job, const void *sums, size_t i)
{
    return job->type == SIGNAL_F32 ? (int64_t)((const float *)sums)[i] : ((const int64_t *)sums)[i];
}

/* Compares the sums of JOB with the reference's sums. */
static bool verify(const struct signal_runner *runner, const struct signal_job *job,
                   struct error *err)
{
    struct signal_job again = *job;
    const size_t bytes = signal_cell_bytes(job->type);
    char channel[32] = "";
    bool good;
    size_t i = 0;

    if (runner->channel >= 0)
        snprintf(channel, sizeof channel, "channel %d, ", runner->channel);
    again.out = malloc((size_t)job->n * bytes);
    if (!again.out)
        return error_set(err, EXIT_INPUT, "%s: no memory to verify it", runner->name);
    good = kernel_signal_reference.run_signal(&again, err);
    while (good && i < (size_t)job->n &&
           memcmp((char *)job->out + i * bytes, (char *)again.out + i * bytes, bytes) == 0)
        i++;
    if (good && i < (size_t)job->n)
        good = error_set(err, EXIT_DIFFERENT,
                         "%s: the output differs from the reference at %ssample %zu: a sum of "
                         "%" PRId64 " where the reference has %" PRId64,
                         runner->name, channel, i, sum_at(job, job->out, i),
                         sum_at(job, again.out, i));
    free(again.out);
    return good;
}

/* Runs JOB with the runner's threads, tile, device and times; compares it with the reference if
 * runner->verify is set. */
static bool run_job(const struct signal_runner *runner, struct signal_job *job, struct error *err)
{
    job->threads = runner->threads;
    job->tile = runner->tile;
    job->device_index = runner->device_index;
    job->times = runner->times;
    return runner->kernel->run_signal(job, err) && (!runner->verify || verify(runner, job, err));
}

/* ---- integers ---- */

static bool run_floats(const struct signal_runner *runner, struct signal_job *job,
                       const int64_t *in, int64_t *out, const int64_t *weight, struct error *err)
{
    size_t n = (size_t)job->n, width = (size_t)job->mask_width;
    float *cells = malloc((2 * n + width) * sizeof *cells);

    if (!cells)
        return error_set(err, EXIT_INPUT, "%s: no memory for its samples", runner->name);
    float *sums = cells + n, *weights = sums + n;
    for (size_t i = 0; i < n; i++)
        cells[i] = (float)in[i];
    for (size_t j = 0; j < width; j++)
        weights[j] = (float)weight[j];
    job->type = SIGNAL_F32;
    job->in = cells;
    job->out = sums;
    job->weight = weights;
    bool good = run_job(runner, job, err);
    for (size_t i = 0; good && i < n; i++)
        out[i] = (int64_t)sums[i];
    free(cells);
    return good;
}

bool signal_sums_integers(const struct signal_runner *runner, struct signal_job *job,
                          enum signal_sum_type type, const int64_t *in, int64_t *out,
                          const int64_t *weight, struct error *err)
{
    if (type == SIGNAL_SUM_F32)
        return run_floats(runner, job, in, out, weight, err);
    job->type = SIGNAL_I64;
    job->in = in;
    job->out = out;
    job->weight = weight;
    return run_job(runner, job, err);
}

/* ---- rationals ---- */

/* The formula over rationals. A sum has only the denominators of its own window. */
static void rational_sums(const struct series *in, const struct signal_mask *mask,
                          struct series *out)
{
    mpq_t weight, number, sum;

    mpq_inits(weight, number, sum, NULL);
    for (int i = 0; i < in->n; i++) {
        mpq_set(sum, mask->offset);
        for (int j = 0; j < mask->weights.n; j++) {
            int at = border_fold(mask->border, i - mask->anchor + j, in->n);
            series_number(in, at == BORDER_OUTSIDE ? in->n : at, number);
            series_number(&mask->weights, j, weight);
            mpq_mul(number, number, weight);
            mpq_add(sum, sum, number);
        }
        mpq_set(out->exact[i], sum);
    }
    series_number(in, in->n, out->exact[in->n]);
    mpq_clears(weight, number, sum, NULL);
}

bool signal_sums_exact(const struct signal_runner *runner, const struct series *in,
                       const struct signal_mask *mask, struct series *out, struct error *err)
{
    const struct series *weights = &mask->weights;
    enum signal_sum_type type = signal_sums_type_of(in, weights);
    bool good = true;

    if (!series_alloc(out, in->n, type == SIGNAL_SUM_RATIONAL, runner->name, err))
        return false;
    if (type != SIGNAL_SUM_RATIONAL) {
        struct signal_job job = {.n = in->n,
                                 .mask_width = weights->n,
                                 .anchor = mask->anchor,
                                 .border = mask->border,
                                 .ghost = in->cell[in->n]};
        mpq_mul(out->unit, in->unit, weights->unit);
        mpq_set(out->offset, mask->offset);
        good = signal_sums_integers(runner, &job, type, in->cell, out->cell, weights->cell, err);
    } else {
        rational_sums(in, mask, out);
    }
    if (!good)
        series_free(out);
    return good;
}
