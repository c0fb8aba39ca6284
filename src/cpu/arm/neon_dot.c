/* The inner loops for NEON with dot products (FEAT_DotProd, most 64-bit Arm processors since 2018):
 * the loops of NEON, with four taps of bytes in one instruction. Nothing here may run before the
 * processor was checked (cpu/processor.c). CPU_EMULATED: compiled for tests on any processor. */
#include "cpu/arm/vector_neon.h"

#define QUADS_SIGNED true /* signed bytes */

/* Adds four products of int8 to sums of 32 bits. */
INLINE void add_quads(pair_sum *sum, v_u32 samples, v_u32 weights)
{
    sum->low = vdotq_s32(sum->low, (int8x16_t)samples, (int8x16_t)weights);
}

INLINE v_u32 quad_total(const pair_sum *sum)
{
    return (v_u32)sum->low;
}

#ifdef CPU_EMULATED
#define NETWORKS scalar
#else
#define NETWORKS neon
#endif

#define OPS_VECTORS
#define OPS_SUFFIX neon_dot
#include "cpu/ops_template.h"
