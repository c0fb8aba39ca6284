/* 8-bit samples on the CPU under masks whose exact sums need 64 bits and that are close to a sum of
 * a few columns times rows, as the Laplacian of a Gaussian printed with 19 digits is: by columns
 * and rows of floats, with a proven bound (cpu/lowrank8_make.c), so that only the few samples which
 * that leaves in doubt are summed exactly. */
#ifndef STENCIL_CPU_LOWRANK8_H
#define STENCIL_CPU_LOWRANK8_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

#define CPU_LOWRANK8_TERMS 4 /* at most */

struct cpu_lowrank8 {
    float *weights; /* owned: all that the taps point at */
    int *places;    /* owned: what the places below point at */
    int terms;
    struct cpu_float_taps column[CPU_LOWRANK8_TERMS];
    const int *line[CPU_LOWRANK8_TERMS]; /* the mask's row of each of their taps */
    struct cpu_float_taps row;           /* of all terms' sums */
    const int *cell;                     /* term * width + the mask's column */
    struct cpu_certify test;
    double cost; /* ns a sample */
};

bool cpu_lowrank8_can(const struct plan *plan);

/* False where the mask is not close enough to such a sum, or every cell takes less time (or there
 * is no memory): there is then nothing to free. */
bool cpu_lowrank8_make(struct cpu_lowrank8 *lowrank, const struct plan *plan);
void cpu_lowrank8_free(struct cpu_lowrank8 *lowrank);

#endif
