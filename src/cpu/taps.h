/* The weights of one factor of a rank-1 mask as the inner loops want them, and what they have in
 * common. False: no memory. Free is harmless on a zeroed struct. */
#ifndef STENCIL_CPU_TAPS_H
#define STENCIL_CPU_TAPS_H

#include "cpu/ops.h"
#include "plan/plan.h"

/* The weights over COMMON, which divides them all. */
bool cpu_taps_make(struct cpu_taps *taps, const int64_t *weight, int count, int step,
                   int64_t common);
void cpu_taps_free(struct cpu_taps *taps);

/* The greatest common divisor of the weights; at least 1. */
int64_t cpu_taps_common(const int64_t *weight, int count);

/* Are all weights the same? */
bool cpu_taps_alike(const int64_t *weight, int count);

#endif
