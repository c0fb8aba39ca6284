/* Large masks of any weights on the CPU: the picture in tiles, each by way of its Fourier
 * transform, so that a sample costs about the same whatever the mask's size. Linear masks, 8 and
 * 16 bits, sums of 32 and of 64 bits; colour weighted by alpha: cpu/fft_weighted.h. */
#ifndef STENCIL_CPU_FFT_H
#define STENCIL_CPU_FFT_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

struct cpu_fft_plan; /* cpu/fft_plan.h */

/* The sums alone, without the offset, where fft->error is below 1/4: one for each sample of
 * job->out, whose rows are not touched and whose width and height are taken from it; without gaps
 * between the rows. */
bool cpu_fft_sums(const struct kernel_job *job, const struct cpu_ops *ops,
                  const struct cpu_fft_plan *fft, int64_t *sums, struct error *err);

#endif
