/* Sums of a signal: by a kernel on floats or 64-bit integers, and past 62 bits by one plain
 * loop over rationals, or by a kernel on numbers that are split for it. */
#include "signal/sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"

static bool fits(uint128 size, uint64_t largest, int bits)
{
    return largest == 0 || size <= (((uint64_t)1 << bits) - 1) / largest;
}

enum signal_sum_type signal_sums_type(uint128 size, uint64_t largest)
{
    /* Where the mask or the signal is zero, all sums are 0, but the other's numbers may be too
     * large for floats. */
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

static int64_t sum_at(const struct signal_job *job, const void *sums, int i)
{
    return job->type == SIGNAL_F32 ? (int64_t)((const float *)sums)[i] : ((const int64_t *)sums)[i];
}

static bool report_difference(const struct signal_runner *runner, const struct signal_job *job,
                              const void *expected, struct error *err)
{
    char channel[32] = "";
    int i = 0;

    while (sum_at(job, job->out, i) == sum_at(job, expected, i))
        i++;
    if (runner->channel >= 0)
        snprintf(channel, sizeof channel, "channel %d, ", runner->channel);
    return error_set(err, EXIT_DIFFERENT,
                     "%s: the output differs from the reference at %ssample %d: a sum of %" PRId64
                     " where the reference has %" PRId64,
                     runner->name, channel, i, sum_at(job, job->out, i), sum_at(job, expected, i));
}

static bool verify(const struct signal_runner *runner, const struct signal_job *job,
                   struct error *err)
{
    size_t bytes = (size_t)job->n * signal_cell_bytes(job->type);
    struct signal_job again = *job;
    bool good;

    again.out = malloc(bytes);
    if (!again.out)
        return error_set(err, EXIT_INPUT, "%s: no memory to verify it", runner->name);
    good = kernel_signal_reference.run_signal(&again, err);
    if (good && memcmp(job->out, again.out, bytes) != 0)
        good = report_difference(runner, job, again.out, err);
    free(again.out);
    return good;
}

/* Runs JOB (threads, tile, device and times are the runner's) and compares it with the reference
 * if the runner says so. */
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
    float *sums, *weights;
    bool good;

    if (!cells)
        return error_set(err, EXIT_INPUT, "%s: no memory for its samples", runner->name);
    sums = cells + n;
    weights = sums + n;
    for (size_t i = 0; i < n; i++)
        cells[i] = (float)in[i];
    for (size_t j = 0; j < width; j++)
        weights[j] = (float)weight[j];
    job->type = SIGNAL_F32;
    job->in = cells;
    job->out = sums;
    job->weight = weights;
    good = run_job(runner, job, err);
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

/* ---- split numbers ---- */

/* Numbers and weights are cut into limbs of so few bits that sums of their products fit:
 *
 *      N[i] = sum over k of  Nk[i] * 2^(bits*k)        M[j] = sum over l of  Ml[j] * 2^(bits*l)
 *
 * Every pair of limbs is one run of the kernel, and the sums are put together:
 *
 *      P[i] = sum over k and l of  Pkl[i] * 2^(bits*(k+l))
 *
 * This is for users who ask for a kernel by name; one loop over rationals is faster on the CPU. */

/* Decimals of 64 characters have a unit of 10^-127, which is 422 bits, and reach 10^128 from
 * there. Only unrelated fractions pass this. */
#define UNIT_BITS 1024

/* The numbers of a series as integers over a unit, and one limb of all of them. */
struct limb {
    const struct series *series;
    mpq_t unit;
    size_t all_bits; /* of the largest integer */
    size_t shift;    /* where the limb begins */
    size_t bits;     /* of a limb */
};

/* A series_get; the context is the limb. Limbs have the signs of their numbers. */
static void get_limb(void *context, int i, mpq_t value)
{
    const struct limb *limb = context;
    series_number(limb->series, i, value);
    mpq_div(value, value, limb->unit); /* an integer */
    mpz_tdiv_q_2exp(mpq_numref(value), mpq_numref(value), limb->shift);
    mpz_tdiv_r_2exp(mpq_numref(value), mpq_numref(value), limb->bits);
}

/* Finds the unit, and how many bits the integers have. */
static bool limb_init(struct limb *limb, const char *name, struct error *err)
{
    const struct series *series = limb->series;
    mpq_t value;

    if (!series_unit(limb->unit, series->n, series_get_number, (void *)series, UNIT_BITS) ||
        mpz_sizeinbase(mpq_denref(limb->unit), 2) > UNIT_BITS)
        return error_set(err, EXIT_USAGE,
                         "%s: numbers without a common denominator below 2^%d, which a kernel "
                         "cannot take; without --kernel and --device they are summed exactly",
                         name, UNIT_BITS);
    mpq_init(value);
    for (int i = 0; i <= series->n; i++) {
        series_number(series, i, value);
        mpq_div(value, value, limb->unit);
        size_t bits = mpz_sizeinbase(mpq_numref(value), 2);
        limb->all_bits = bits > limb->all_bits ? bits : limb->all_bits;
    }
    mpq_clear(value);
    return true;
}

/* Adds SUMS * 2^SHIFT to the numbers of OUT; all of them are integers. */
static void add_sums(struct series *out, const struct series *sums, size_t shift)
{
    mpq_t sum;

    mpq_init(sum);
    for (int i = 0; i < out->n; i++) {
        series_number(sums, i, sum);
        mpz_mul_2exp(mpq_numref(sum), mpq_numref(sum), shift);
        mpz_add(mpq_numref(out->exact[i]), mpq_numref(out->exact[i]), mpq_numref(sum));
    }
    mpq_clear(sum);
}

/* Adds the sums of one limb of the cells under all limbs of the weights. */
static bool sum_limb(const struct signal_runner *runner, struct limb *cells, struct limb *weights,
                     const struct signal_mask *mask, struct series *out, struct error *err)
{
    struct signal_mask part = {.anchor = mask->anchor, .border = mask->border};
    struct series limb, sums;
    bool good = series_make(&limb, out->n, get_limb, cells, runner->name, err);

    if (!good)
        return false;
    mpq_init(part.offset);
    weights->shift = 0;
    while (good && limb.largest > 0 && weights->shift < weights->all_bits) {
        good = series_make(&part.weights, mask->weights.n, get_limb, weights, runner->name, err) &&
               signal_sums_exact(runner, &limb, &part, &sums, err);
        if (good) {
            add_sums(out, &sums, cells->shift + weights->shift);
            series_free(&sums);
        }
        series_free(&part.weights);
        weights->shift += weights->bits;
    }
    mpq_clear(part.offset);
    series_free(&limb);
    return good;
}

static bool sum_split(const struct signal_runner *runner, const struct series *in,
                      const struct signal_mask *mask, struct series *out, struct error *err)
{
    size_t bits = SIGNAL_INTEGER_BITS / 2;
    bool good;

    while ((uint64_t)mask->weights.n > (uint64_t)1 << (SIGNAL_INTEGER_BITS - 2 * bits))
        bits--;
    struct limb cells = {.series = in, .bits = bits};
    struct limb weights = {.series = &mask->weights, .bits = bits};
    if (!series_alloc(out, in->n, true, runner->name, err))
        return false;
    mpq_inits(cells.unit, weights.unit, NULL);
    good = limb_init(&cells, runner->name, err) && limb_init(&weights, runner->name, err);
    for (; good && cells.shift < cells.all_bits; cells.shift += bits)
        good = sum_limb(runner, &cells, &weights, mask, out, err);
    mpq_mul(cells.unit, cells.unit, weights.unit);
    for (int i = 0; good && i < in->n; i++) {
        mpq_mul(out->exact[i], out->exact[i], cells.unit);
        mpq_add(out->exact[i], out->exact[i], mask->offset);
    }
    series_number(in, in->n, out->exact[in->n]);
    mpq_clears(cells.unit, weights.unit, NULL);
    if (!good)
        series_free(out);
    return good;
}

/* ---- rationals ---- */

/* The formula over rationals: each sum has the denominators of its own window only. */
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

/* Sums over split numbers, compared with sums over rationals where the runner says so. */
static bool split_sums(const struct signal_runner *runner, const struct series *in,
                       const struct signal_mask *mask, struct series *out, struct error *err)
{
    struct series expected;
    bool good = true;

    if (!sum_split(runner, in, mask, out, err) || !runner->verify)
        return out->exact != NULL;
    if (!series_alloc(&expected, in->n, true, runner->name, err)) {
        series_free(out);
        return false;
    }
    rational_sums(in, mask, &expected);
    for (int i = 0; good && i < in->n; i++)
        if (!mpq_equal(out->exact[i], expected.exact[i]))
            good = error_set(err, EXIT_DIFFERENT,
                             "%s: the output differs from the reference at sample %d", runner->name,
                             i);
    series_free(&expected);
    if (!good)
        series_free(out);
    return good;
}

bool signal_sums_exact(const struct signal_runner *runner, const struct series *in,
                       const struct signal_mask *mask, struct series *out, struct error *err)
{
    const struct series *weights = &mask->weights;
    enum signal_sum_type type = signal_sums_type_of(in, weights);
    struct signal_job job = {
        .n = in->n, .mask_width = weights->n, .anchor = mask->anchor, .border = mask->border};

    if (type == SIGNAL_SUM_RATIONAL && runner->split)
        return split_sums(runner, in, mask, out, err);
    if (!series_alloc(out, in->n, type == SIGNAL_SUM_RATIONAL, runner->name, err))
        return false;
    if (type == SIGNAL_SUM_RATIONAL) {
        rational_sums(in, mask, out);
        return true;
    }
    job.ghost = in->cell[in->n];
    mpq_mul(out->unit, in->unit, weights->unit);
    mpq_set(out->offset, mask->offset);
    if (signal_sums_integers(runner, &job, type, in->cell, out->cell, weights->cell, err))
        return true;
    series_free(out);
    return false;
}
