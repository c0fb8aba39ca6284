/* The inner loops for NEON, which every 64-bit Arm processor has: the portable C loops on vectors
 * of 16 bytes. CPU_EMULATED: compiled for tests on any processor (tests/cpu/emulated_neon.h). */
#include "cpu/arm/vector_neon.h"

#define OPS_VECTORS
#define OPS_SUFFIX neon
#include "cpu/ops_template.h"
