/* Sums of a signal, by a kernel or, past 62 bits, by one plain loop over rationals:
 * see signal/sums.h. Splitting numbers for a kernel is signal/split.c's. */
#include "signal/sums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/reference.h"

static bool fits(uint128 size, uint64_t largest, int bits)
{
    return largest == 0 || size <= (((uint64_t)1 << bits) - 1) / largest;
}

enum signal_sum_type signal_sums_type(uint128 size, uint64_t largest)
{
    /* Beside a mask or a signal of zeros the others may be larger than all sums. */
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

bool signal_sums_run(const struct signal_runner *runner, struct signal_job *job, struct error *err)
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
    good = signal_sums_run(runner, job, err);
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
    return signal_sums_run(runner, job, err);
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

/* The way over split numbers, and the other one beside it where that is asked for. */
static bool split_sums(const struct signal_runner *runner, const struct series *in,
                       const struct signal_mask *mask, struct series *out, struct error *err)
{
    struct series expected;
    bool good = true;

    if (!signal_split_sums(runner, in, mask, out, err) || !runner->verify)
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
