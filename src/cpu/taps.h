/* The weights of a mask, and of one factor of a rank-1 mask, as the inner loops want them, and what
 * they have in common. False: no memory. Free is harmless on a zeroed struct. */
#ifndef STENCIL_CPU_TAPS_H
#define STENCIL_CPU_TAPS_H

#include "cpu/ops.h"
#include "plan/plan.h"

/* In every form; *block, for free(), holds them. */
bool cpu_mask_make(struct cpu_mask *mask, void **block, const struct plan_mask *m, int channels);

bool cpu_taps_make(struct cpu_taps *taps, const int64_t *weight, int count, int step);
void cpu_taps_free(struct cpu_taps *taps);

/* The weights times FACTOR. */
bool cpu_taps64_make(struct cpu_taps64 *taps, const int64_t *weight, int count, int step,
                     int64_t factor);
void cpu_taps64_free(struct cpu_taps64 *taps);

/* The greatest common divisor of the weights; at least 1. */
int64_t cpu_taps_common(const int64_t *weight, int count);

/* Are all weights the same? */
bool cpu_taps_alike(const int64_t *weight, int count);

#endif
