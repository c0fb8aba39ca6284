/* 16-bit samples under a mask that is a column times a row of numbers of 16 bits, as every Gaussian
 * by --sigma is: exact sums in two halves of 32 bits, by multiplications of 16 bits, of which the
 * processor makes more at a time than of doubles. */
#ifndef STENCIL_CPU_OUTER16_H
#define STENCIL_CPU_OUTER16_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

bool cpu_outer16_can(const struct plan *plan);

/* About the nanoseconds of a sample. */
double cpu_outer16_cost(const struct plan *plan);

/* One pass of such a plan. */
bool cpu_outer16_run(const struct kernel_job *job, const struct cpu_ops *ops, struct error *err);

#endif
