/* The table of instruction sets, and the detection of the sets that this processor has.
 * EMULATED_...: a set is compiled for tests on any processor (tests/meson.build). */
#include "cpu/processor.h"

#ifdef HAVE_NEON_DOT
#include <sys/auxv.h>
#endif
#if defined(HAVE_AVX2) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

/* ---- what this processor has ---- */

static bool always(void)
{
    return true;
}

#ifdef EMULATED_NEON_DOT
#define has_neon_dot always
#elif defined(HAVE_NEON_DOT)
static bool has_neon_dot(void)
{
    const unsigned long asimddp = 1UL << 20; /* HWCAP_ASIMDDP of Linux */
    return (getauxval(AT_HWCAP) & asimddp) != 0;
}
#endif

/* glibc has asked the processor before the program began. The compiler's function would ask again:
 * ten questions, of 10 us each in some virtual machines. */
#ifdef CPU_FEATURE_ACTIVE /* it shifts a signed 1 to bit 31, which the sanitizer reports */
static bool is_active(unsigned feature)
{
    const struct cpuid_feature *leaf = __x86_get_cpuid_feature_leaf(feature / 128);
    return leaf->active_array[feature % 128 / 32] >> feature % 32 & 1;
}
#define HAS(glibc, compiler) is_active(x86_cpu_##glibc)
#else
#define HAS(glibc, compiler) __builtin_cpu_supports(compiler)
#endif

#ifdef HAVE_AVX2
static bool has_avx2(void)
{
    return HAS(AVX2, "avx2") && HAS(FMA, "fma") && HAS(BMI2, "bmi2");
}
#endif

#ifdef EMULATED_AVX512
#define has_avx512 always
#elif defined(HAVE_AVX512)
static bool has_avx512(void)
{
    return HAS(AVX512F, "avx512f") && HAS(AVX512BW, "avx512bw") && HAS(AVX512VL, "avx512vl") &&
           HAS(AVX512DQ, "avx512dq") && HAS(AVX512_VNNI, "avx512vnni") && HAS(BMI2, "bmi2");
}
#endif

/* ---- the table ---- */

extern const struct cpu_ops cpu_ops_neon, cpu_ops_neon_dot, cpu_ops_avx2, cpu_ops_avx512;

static const struct cpu_set SETS[] = {
    {"plain C", "plain C, on all cores", "16-bit products in C", always, &cpu_ops_scalar},
#ifdef HAVE_NEON
    {"NEON", "NEON instructions, on all cores", "16-bit smlal", always, &cpu_ops_neon},
#endif
#ifdef HAVE_NEON_DOT
    {"NEON with dot products", "NEON instructions with dot products, on all cores", "16-bit smlal",
     has_neon_dot, &cpu_ops_neon_dot},
#endif
#ifdef HAVE_AVX2
    {"AVX2", "AVX2 instructions, on all cores", "16-bit vpmaddwd", has_avx2, &cpu_ops_avx2},
#endif
#ifdef HAVE_AVX512
    {"AVX-512 with VNNI", "AVX-512 and VNNI instructions, on all cores", "16-bit vpdpwssd",
     has_avx512, &cpu_ops_avx512},
#endif
};

const struct cpu_set *cpu_sets(int *count)
{
    *count = (int)(sizeof SETS / sizeof *SETS);
    return SETS;
}

const struct cpu_set *cpu_set_best(void)
{
    int count;
    const struct cpu_set *sets = cpu_sets(&count);
    while (!sets[count - 1].available())
        count--;
    return &sets[count - 1];
}
