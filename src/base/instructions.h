/* Which instructions this processor has. */
#ifndef STENCIL_BASE_INSTRUCTIONS_H
#define STENCIL_BASE_INSTRUCTIONS_H

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

/* glibc has asked the processor before the program began. The compiler's function would ask again
 * at every start: thirteen questions, of 15 us each in some virtual machines. */
#ifdef CPU_FEATURE_ACTIVE /* it shifts a signed 1 to bit 31, which the sanitizer reports */
static inline int instructions_active(unsigned feature)
{
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(feature / 128);
    return leaf->active_array[feature % 128 / 32] >> feature % 32 & 1;
}
#define HAS_INSTRUCTIONS(glibc, compiler) instructions_active(x86_cpu_##glibc)
#else
#define HAS_INSTRUCTIONS(glibc, compiler) __builtin_cpu_supports(compiler)
#endif

#endif
