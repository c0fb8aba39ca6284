/* The CUDA kernels' rows of the kernel table. Only in builds with CUDA. */
#ifndef STENCIL_CUDA_KERNELS_H
#define STENCIL_CUDA_KERNELS_H

#include "kernel.h"

/* The rows, from slow to fast; *count is set. */
const struct kernel *cuda_kernels(int *count);

#endif
