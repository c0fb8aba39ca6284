/* Private to cpu/real.c and cpu/real_bounds.c. The method `real`: sums in floating point with a
 * proven bound, float for 8-bit samples and double for 16-bit ones. Samples whose two bounds round
 * to different values are recomputed exactly in integers. It takes linear plans whose exact sums
 * need 64 bits, such as masks of 19 digits, and every plan with colour weighted by alpha. Sums go
 * over all cells of the mask, or over a few columns and rows if the mask is close to a sum of their
 * products. */
#ifndef STENCIL_CPU_REAL_H
#define STENCIL_CPU_REAL_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

#define CPU_REAL_TERMS 4  /* columns with their rows, at most */
#define CPU_REAL_GROUP 96 /* taps that are added up before they are added to the rest */

/* A column of weights and a row of weights, at a place within the mask. */
struct cpu_real_term {
    int top, left;
    struct cpu_real_mask column, row; /* of width 1, of height 1 */
};

/* Made once a picture, and then only read, by any thread. */
struct cpu_real {
    bool wide;  /* double, else float */
    bool whole; /* weighted by alpha: the sums are exact, so they are divided again */
    int centre; /* lines hold samples minus this */
    int terms;  /* 0: every cell */
    struct cpu_real_term term[CPU_REAL_TERMS];
    struct cpu_real_mask cells;
    struct cpu_real_bounds bounds; /* of a sample; weighted by alpha: of its quotient */
    struct cpu_real_bounds plain;  /* weighted by alpha: if there is no alpha at all */
    double doubt;                  /* about the share of samples that are recomputed */
    double sample_ns;              /* nanoseconds per sample */
    void *weights;                 /* owned: all that the masks point at */
};

/* For linear plans that are weighted by alpha or whose sums need 64 bits. NULL: no memory, or the
 * bounds are too wide. */
struct cpu_real *cpu_real_make(const struct plan *plan);
void cpu_real_free(struct cpu_real *real);

#endif
