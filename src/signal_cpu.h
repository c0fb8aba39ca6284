/* The 1D kernels of the CPU: their rows of the kernel table. */
#ifndef STENCIL_SIGNAL_CPU_H
#define STENCIL_SIGNAL_CPU_H

#include "signal_job.h"

extern const struct kernel kernel_signal_reference, kernel_signal_scalar;

/* Always: what the CPU's rows answer. */
bool signal_cpu_supports(const struct plan *plan, char *why, size_t why_bytes);

#endif
