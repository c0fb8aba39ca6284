/* Direct sums of 8-bit samples on the CPU, two rows of output at a time: any mask
 * whose weights fit int16, and masks whose exact sums need 64 bits by way of an
 * approximation in int16 that knows how far it can be off (cpu/certify.h). Which
 * plans go this way is decided here and nowhere else. */
#ifndef STENCIL_CPU_DIRECT8_H
#define STENCIL_CPU_DIRECT8_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

bool cpu_direct8_can(const struct plan *plan);

/* One pass of such a plan. False with *cannot where a 64-bit mask cannot be approximated. */
bool cpu_direct8_run(const struct kernel_job *job, const struct cpu_ops *ops, bool *cannot,
                     struct error *err);

#endif
