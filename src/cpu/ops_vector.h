/* Vector types for the loops in portable C; a part of cpu/ops_template.h, included once per
 * instruction set. Functions take vectors by address, because vectors this wide have no calling
 * convention of their own without AVX. */
#ifndef STENCIL_CPU_OPS_VECTOR_H
#define STENCIL_CPU_OPS_VECTOR_H

#include <stdint.h>

typedef double v4f64 __attribute__((vector_size(32)));
typedef int64_t v4s64 __attribute__((vector_size(32)));
typedef int32_t v4s32 __attribute__((vector_size(16)));

#endif
