/* The rows of the kernel table, each defined in its own room (the references: kernel/reference.h).
 * For the table and for the files that define the rows; others ask the table. */
#ifndef STENCIL_KERNEL_ROWS_H
#define STENCIL_KERNEL_ROWS_H

#include "kernel/kernel.h"

/* src/cpu: a row for each instruction set of the processor's family, from slow to fast; *count is
 * set. */
const struct kernel *cpu_kernels(int *count);
extern const struct kernel kernel_signal_scalar;

/* src/cuda: the rows, from slow to fast; *count is set. Only in builds with CUDA. */
const struct kernel *cuda_kernels(int *count);
const struct kernel *cuda_signal_kernels(int *count);

#endif
