/* The table of instruction sets. */
#include "cpu/sets.h"

#include "kernel/rates.h"

/* With AVX2; all others but AVX-512 count as it. */
static const struct cpu_rates RATES = {
    CPU_TAPS_RANK1, CPU_TAPS_8_BITS,   CPU_TAPS_16_BITS, CPU_TAPS_32,
    CPU_TAPS_64,    CPU_TAPS_WEIGHTED, CPU_SAMPLES,
};
#ifdef HAVE_AVX512
static const struct cpu_rates RATES_AVX512 = {
    CPU_TAPS_RANK1_AVX512, CPU_TAPS_8_BITS_AVX512,   CPU_TAPS_16_BITS_AVX512, CPU_TAPS_32_AVX512,
    CPU_TAPS_64_AVX512,    CPU_TAPS_WEIGHTED_AVX512, CPU_SAMPLES_AVX512,
};
#endif

static const struct cpu_set SETS[] = {
    {"plain C", "tiles and rings of rows on all cores, plain C", &cpu_ops_scalar, &RATES},
#ifdef HAVE_NEON
    {"NEON", "the same with NEON: pairs of rows by smlal, sums in 16 registers", &cpu_ops_neon,
     &RATES},
#endif
#ifdef HAVE_NEON_DOT
    {"NEON with dot products", "the same with dot products: four rows of bytes by sdot",
     &cpu_ops_neon_dot, &RATES},
#endif
#ifdef HAVE_AVX2
    {"AVX2", "the same with AVX2: pairs of rows by vpmaddwd, 64 samples in registers",
     &cpu_ops_avx2, &RATES},
#endif
#ifdef HAVE_AVX512
    {"AVX-512 with VNNI",
     "the same with AVX-512 and VNNI: four rows of bytes by vpdpbusd, pairs by vpdpwssd",
     &cpu_ops_avx512, &RATES_AVX512},
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
    while (!sets[count - 1].ops->available())
        count--;
    return &sets[count - 1];
}
