/* Series of exact numbers, and the sums of a signal by a kernel of the table, for numbers of any
 * size. Text samples and audio share this file: both pass a signal_runner and get sums.
 *
 * A series holds numbers in a form that the 1D kernels accept: integers over one common unit if
 * they fit, else plain rationals. Text samples, the weights of their mask and the outputs are
 * series.
 *
 *      number i = cell[i] * unit + offset            every cell below 2^62
 *               = exact[i]                           else */
#ifndef STENCIL_SIGNAL_SUMS_H
#define STENCIL_SIGNAL_SUMS_H

#include <gmp.h>
#include <stdint.h>

#include "kernel/signal_job.h"

__extension__ typedef unsigned __int128 uint128;

/* ---- series ---- */

struct series {
    int n;
    /* n+1 places: the last one holds the value of the ghost cells, so that this value is an integer
     * over the same unit. */
    int64_t *cell; /* NULL: the numbers are exact[] */
    mpq_t *exact;  /* NULL: the numbers are cell[] */
    mpq_t unit, offset;
    uint64_t largest; /* largest |cell|, with the ghost value */
    uint128 size;     /* sum of |cell|, ghost value excluded; size * |sample| bounds the sums */
};

/* Sets VALUE to number I of a new series. I runs from 0 to n-1, once or more than once. */
typedef void series_get(void *context, int i, mpq_t value);

/* Makes a series of N numbers and their ghost value (NULL: 0), over the largest unit for which all
 * are integers; the offset is 0. NAME is the file's, for sentences. Free with series_free. */
bool series_make(struct series *series, int n, series_get *get, void *context, mpq_srcptr ghost,
                 const char *name, struct error *err);

void series_free(struct series *series); /* harmless on a zeroed one */

/* Number I as a rational (VALUE is initialised by the caller). */
void series_number(const struct series *series, int i, mpq_t value);

/* series_number as a series_get; the context is the series. */
void series_get_number(void *series, int i, mpq_t value);

/* Sets largest and size from the cells. */
void series_measure(struct series *series);

/* ---- sums ---- */

/* How sums are made; the size of the numbers decides. */
enum signal_sum_type {
    SIGNAL_SUM_F32,      /* below 2^24: floats, on any kernel */
    SIGNAL_SUM_I64,      /* below 2^62: 64-bit integers, on any kernel */
    SIGNAL_SUM_RATIONAL, /* larger: one plain loop over rationals on the CPU */
};

/* What runs, and where; the same for all passes and channels. */
struct signal_runner {
    const struct kernel *kernel; /* a 1D row; for sums up to 62 bits */
    bool verify;
    int threads, tile, device_index;
    struct kernel_times *times;
    const char *name; /* the file's, for sentences */
    int channel;      /* for sentences about a difference; -1: there is only one */
};

/* The mask of a pass, and the border outside the signal. */
struct signal_mask {
    struct series weights; /* divided by the divisor */
    mpq_t offset;
    int anchor;
    enum border border;
};

/* F32, I64 or RATIONAL for sums of at most size * largest: SIZE is the sum of |weight|, LARGEST the
 * largest |cell|. */
enum signal_sum_type signal_sums_type(uint128 size, uint64_t largest);

/* Sums of integers, TYPE F32 or I64 as signal_sums_type says. The job's type, in, out and weight
 * are set here. */
bool signal_sums_integers(const struct signal_runner *runner, struct signal_job *job,
                          enum signal_sum_type type, const int64_t *in, int64_t *out,
                          const int64_t *weight, struct error *err);

/* F32, I64 or RATIONAL for one pass over IN. */
enum signal_sum_type signal_sums_type_of(const struct series *in, const struct series *weights);

/* Makes OUT by one pass over exact numbers; its offset is the mask's. IN's offset must be 0. Free
 * OUT with series_free. */
bool signal_sums_exact(const struct signal_runner *runner, const struct series *in,
                       const struct signal_mask *mask, struct series *out, struct error *err);

#endif
