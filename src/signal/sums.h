/* Sums of a signal by a kernel of the table, however large its numbers are. This is
 * where text samples and audio meet: both bring a signal_runner and get sums. */
#ifndef STENCIL_SIGNAL_SUMS_H
#define STENCIL_SIGNAL_SUMS_H

#include "kernel/signal_job.h"
#include "signal/series.h"

/* Which way sums go, by the size of the numbers. */
enum signal_sum_type {
    SIGNAL_SUM_F32,      /* below 2^24: floats, on any kernel */
    SIGNAL_SUM_I64,      /* below 2^62: 64-bit integers, on any kernel */
    SIGNAL_SUM_RATIONAL, /* past that: one plain loop over rationals on the CPU, ... */
    SIGNAL_SUM_SPLIT,    /* ... or a kernel on split numbers, where it was asked for */
};

/* What runs, and where; the same for all passes and channels. */
struct signal_runner {
    const struct kernel *kernel; /* a 1D row */
    bool split; /* past 62 bits: KERNEL on split numbers; else rationals on the CPU */
    bool verify;
    int threads, tile, device_index;
    struct kernel_times *times;
    const char *name; /* the file's, for sentences */
    int channel;      /* which one a difference is in, -1: the only one */
};

/* The mask of a pass, and what is outside the signal. */
struct signal_mask {
    struct series weights; /* divided by the divisor */
    mpq_t offset;
    int anchor;
    enum border border;
};

/* Runs JOB (threads, tile, device and times are the runner's) and compares it with the reference
 * if the runner says so: a difference is EXIT_DIFFERENT. */
bool signal_sums_run(const struct signal_runner *runner, struct signal_job *job, struct error *err);

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

/* One pass over exact numbers: OUT is made (free it with series_free), its offset is the mask's.
 * IN's offset is 0. */
bool signal_sums_exact(const struct signal_runner *runner, const struct series *in,
                       const struct signal_mask *mask, struct series *out, struct error *err);

/* The same past 62 bits, by a kernel that was asked for: numbers are split into limbs that kernels
 * can take, and their sums put together (signal/split.c). */
bool signal_split_sums(const struct signal_runner *runner, const struct series *in,
                       const struct signal_mask *mask, struct series *out, struct error *err);

#endif
