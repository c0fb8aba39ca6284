/* Sums over lines of two rows side by side, as a part of the method `direct`: plans whose weights
 * fit int16 and whose sums fit 32 bits, gradients too. */
#ifndef STENCIL_CPU_PAIRS_H
#define STENCIL_CPU_PAIRS_H

#include "cpu/method.h"

bool cpu_pairs_fit(const struct plan *plan);

/* As the functions of struct cpu_method. */
void *cpu_pairs_make(const struct plan *plan, const struct cpu_ops *ops, int width, int height);
bool cpu_pairs_run(const void *state, const struct kernel_job *job, struct error *err);
void cpu_pairs_free(void *state);

#endif
