/* The CUDA rows of the kernel table for signals. Only in builds with CUDA. */
#ifndef STENCIL_CUDA_SIGNAL_H
#define STENCIL_CUDA_SIGNAL_H

#include "kernel.h"

/* The rows, from slow to fast; *count is set. */
const struct kernel *cuda_signal_kernels(int *count);

#endif
