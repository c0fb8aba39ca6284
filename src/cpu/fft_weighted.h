/* Colour weighted by alpha under large masks: the sums of products with alpha by way of Fourier
 * transforms, so that a sample costs about the same whatever the mask's size. 8 and 16 bits, masks
 * of whole numbers that are not too large: the sums are exact, and so are the quotients. */
#ifndef STENCIL_CPU_FFT_WEIGHTED_H
#define STENCIL_CPU_FFT_WEIGHTED_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

/* Can the plan go this way? Only those with ALPHA_WEIGHTED. */
bool cpu_fft_weighted_can(const struct plan *plan);

/* About the nanoseconds of a thread for such a plan; see kernel/cpu_path.h. */
double cpu_fft_weighted_cost(const struct plan *plan, int width, int height);

/* One pass of such a plan. */
bool cpu_fft_weighted_run(const struct kernel_job *job, const struct cpu_ops *ops,
                          struct error *err);

#endif
