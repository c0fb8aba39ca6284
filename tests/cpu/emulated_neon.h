/* NEON intrinsics on any processor, for tests: with -DCPU_EMULATED, src/cpu/arm/vector_neon.h
 * includes this file instead of the compiler's header. SIMDe provides nearly all of them in
 * portable C; this file adds what SIMDe 0.7.4 lacks. */
#ifndef STENCIL_TESTS_CPU_EMULATED_NEON_H
#define STENCIL_TESTS_CPU_EMULATED_NEON_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <math.h>
#include <simde/arm/neon.h>

static inline float32x4_t vsqrtq_f32(float32x4_t v)
{
    for (int i = 0; i < 4; i++)
        v[i] = sqrtf(v[i]);
    return v;
}

static inline float64x2_t vsqrtq_f64(float64x2_t v)
{
    for (int i = 0; i < 2; i++)
        v[i] = sqrt(v[i]);
    return v;
}

#endif
