/* Weights in the form of the inner loops: those of one factor of a rank-1 mask, and their common
 * divisor; and the changes of weights. False: no memory. Free is harmless on a zeroed struct. */
#ifndef STENCIL_CPU_TAPS_H
#define STENCIL_CPU_TAPS_H

#include "cpu/ops.h"
#include "plan/plan.h"

/* Makes the weights, divided by COMMON, which divides all of them. */
bool cpu_taps_make(struct cpu_taps *taps, const int64_t *weight, int count, int step,
                   int64_t common);
void cpu_taps_free(struct cpu_taps *taps);

/* The greatest common divisor of the weights; at least 1. */
int64_t cpu_taps_common(const int64_t *weight, int count);

/* Are all weights the same? */
bool cpu_taps_alike(const int64_t *weight, int count);

/* Counts the changes of ROWS rows of LENGTH weights, and makes steps of them. STRIDE: elements from
 * one weight's cell to the next. */
int cpu_steps_count(const int64_t *weight, int rows, int length);
bool cpu_steps_make(struct cpu_steps *steps, const int64_t *weight, int rows, int length,
                    int stride);
void cpu_steps_free(struct cpu_steps *steps);

#endif
