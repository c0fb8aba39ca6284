/* The table of instruction sets, and the detection of the sets that this processor has.
 * EMULATED_...: a set is compiled for tests on any processor (tests/meson.build). */
#include "cpu/processor.h"

#ifdef HAVE_NEON_DOT
#include <sys/auxv.h>
#endif
#include "base/instructions.h"

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

#ifdef HAVE_AVX2
static bool has_avx2(void)
{
    return HAS_INSTRUCTIONS(AVX2, "avx2") && HAS_INSTRUCTIONS(FMA, "fma") &&
           HAS_INSTRUCTIONS(BMI2, "bmi2");
}
#endif

#ifdef EMULATED_AVX512
#define has_avx512 always
#elif defined(HAVE_AVX512)
static bool has_avx512(void)
{
    return HAS_INSTRUCTIONS(AVX512F, "avx512f") && HAS_INSTRUCTIONS(AVX512BW, "avx512bw") &&
           HAS_INSTRUCTIONS(AVX512VL, "avx512vl") && HAS_INSTRUCTIONS(AVX512DQ, "avx512dq") &&
           HAS_INSTRUCTIONS(AVX512_VNNI, "avx512vnni") && HAS_INSTRUCTIONS(BMI2, "bmi2");
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
