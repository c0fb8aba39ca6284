/* The CPU kernels' rows of the kernel table. */
#ifndef STENCIL_CPU_H
#define STENCIL_CPU_H

#include "kernel.h"

extern const struct kernel kernel_scalar;
#ifdef HAVE_NEON
extern const struct kernel kernel_neon;
#endif
#ifdef HAVE_NEON_DOT
extern const struct kernel kernel_neon_dot;
#endif
#ifdef HAVE_AVX2
extern const struct kernel kernel_avx2;
#endif
#ifdef HAVE_AVX512
extern const struct kernel kernel_avx512;
#endif

#endif
