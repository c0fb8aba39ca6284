/* The weights of one factor of a rank-1 mask in the form of the inner loops, and their common
 * divisor. False: no memory. Free is harmless on a zeroed struct. */
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

#endif
