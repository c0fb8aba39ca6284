/* AVX-512 intrinsics on any processor, for tests: src/cpu_avx512.c includes this file instead
 * of the compiler's where it is compiled with -DCPU_EMULATED. SIMDe does nearly all of it in
 * portable C; what its version 0.7.4 lacks stands here, after the instructions' definitions. */
#ifndef STENCIL_EMULATED_AVX512_H
#define STENCIL_EMULATED_AVX512_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#endif
