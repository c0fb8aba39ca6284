/* One piece of work for a 1D kernel: a whole signal in, all its sums out.
 *
 *      sums:  P[i] = sum over j of  weight[j] * in[i - anchor + j]     i = 0 ... n-1
 *
 * Cells outside 0...n-1 are ghost cells (plan/border.h). Nothing is divided or rounded here: text
 * samples and audio use the sums in different ways.
 *
 * The code that fills a job has checked its bound: sum|weight| * largest |cell|, ghost value
 * included, is below 2^24 for floats and below 2^62 for integers. So every partial sum is exact in
 * any order. */
#ifndef STENCIL_KERNEL_SIGNAL_JOB_H
#define STENCIL_KERNEL_SIGNAL_JOB_H

#include <stdint.h>

#include "base/error.h"
#include "kernel/kernel.h"
#include "plan/border.h"

/* A signal's cells are counted in ints, and a kernel folds them over a period of 2n. */
#define SIGNAL_MAX_CELLS (1 << 30)

/* Float sums are exact below 2^24, integer sums below 2^62. */
#define SIGNAL_FLOAT_BITS   24
#define SIGNAL_INTEGER_BITS 62

enum signal_type { SIGNAL_F32, SIGNAL_I64 };

static inline size_t signal_cell_bytes(enum signal_type type)
{
    return type == SIGNAL_F32 ? sizeof(float) : sizeof(int64_t);
}

struct signal_job {
    enum signal_type type; /* of in, out and weight */
    const void *in;        /* n cells */
    void *out;             /* n sums; does not overlap in */
    int n;                 /* 1 to SIGNAL_MAX_CELLS */
    const void *weight;    /* mask_width cells */
    int mask_width;        /* any width: the kernels know no limit */
    int anchor;            /* 0 to mask_width-1 */
    enum border border;
    int64_t ghost;              /* ghost cells' value for zero (0) and constant */
    int threads;                /* CPU threads to use, >= 1 */
    int tile;                   /* threads of a CUDA block, 32 to 1024; 0: the kernel's choice */
    int device_index;           /* for DEVICE_CUDA */
    size_t device_bytes_limit;  /* 0: what the device has free; tests force pieces with it */
    struct kernel_times *times; /* added to; may be NULL */
};

#endif
