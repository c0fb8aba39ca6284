/* Colour weighted by alpha on the CPU, whatever the weights' size: sums in floating point with a
 * proven bound, from which nearly all samples follow; those in doubt are summed exactly. 8 and 16
 * bits. Why that is right: cpu/weighted_plan.h. */
#ifndef STENCIL_CPU_WEIGHTED_H
#define STENCIL_CPU_WEIGHTED_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

/* One pass of a plan with ALPHA_WEIGHTED. */
bool cpu_weighted_run(const struct kernel_job *job, const struct cpu_ops *ops, struct error *err);

#endif
