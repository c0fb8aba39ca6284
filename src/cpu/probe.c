/* What the bench asks of the CPU: its name, and how fast it multiplies and adds. The
 * ceiling is that of what the CPU kernels do most: pairs of 16-bit products (vpmaddwd, vpdpwssd,
 * smlal) added up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(HAVE_AVX2) || defined(HAVE_AVX512)
#include <immintrin.h>
#elif defined(HAVE_NEON)
#include <arm_neon.h>
#endif

#include "cpu/probe.h"
#include "base/text.h"
#include "base/clock.h"
#include "base/machine.h"
#include "base/parallel.h"
#include "cpu/sets.h"

/* Enough chains to hide the latency of both instructions, few enough for 16 registers; more where
 * there are 32. */
#define CHAINS        6
#define CHAINS_AVX512 12
#define ROUNDS        500000
#define TRIES         40

/* ---- multiply and add ---- */

/* Of an instruction set. */
struct chains {
    const struct cpu_ops *ops;
    const char *name;
    double operations;   /* of one run */
    double (*run)(void); /* the value that it returns has no meaning */
};

#ifdef HAVE_AVX2
/* 16 products and 16 additions a chain and round: a sum of pairs is 8 additions, adding it 8. */
#define AVX2_OPERATIONS 32

__attribute__((target("avx2"))) static double chains_avx2(void)
{
    __m256i sum[CHAINS], cells[CHAINS], weights = _mm256_set1_epi16(3);
    for (int i = 0; i < CHAINS; i++) {
        sum[i] = _mm256_setzero_si256();
        cells[i] = _mm256_set1_epi16((short)i);
    }
    for (int r = 0; r < ROUNDS; r++) {
        __asm__ volatile("" : "+x"(weights)); /* or the products would be taken once for all */
        for (int i = 0; i < CHAINS; i++)
            sum[i] = _mm256_add_epi32(sum[i], _mm256_madd_epi16(cells[i], weights));
    }
    for (int i = 1; i < CHAINS; i++)
        sum[0] = _mm256_add_epi32(sum[0], sum[i]);
    return _mm256_cvtsi256_si32(sum[0]);
}
#endif

#ifdef HAVE_AVX512
/* One instruction: two products and two additions in each of 16 lanes. */
#define AVX512_OPERATIONS 64

__attribute__((target("avx512f,avx512vnni"))) static double chains_avx512(void)
{
    __m512i sum[CHAINS_AVX512], cells[CHAINS_AVX512], weights = _mm512_set1_epi32(0x30003);
    for (int i = 0; i < CHAINS_AVX512; i++) {
        sum[i] = _mm512_setzero_si512();
        cells[i] = _mm512_set1_epi32(i << 16 | i);
    }
    for (int r = 0; r < ROUNDS; r++) {
        __asm__ volatile("" : "+v"(weights));
        for (int i = 0; i < CHAINS_AVX512; i++)
            sum[i] = _mm512_dpwssd_epi32(sum[i], cells[i], weights);
    }
    for (int i = 1; i < CHAINS_AVX512; i++)
        sum[0] = _mm512_add_epi32(sum[0], sum[i]);
    return _mm_cvtsi128_si32(_mm512_castsi512_si128(sum[0]));
}
#endif

#ifdef HAVE_NEON
/* Two instructions a chain and round: a product and an addition in each of four lanes. */
#define CHAINS_NEON     8
#define NEON_OPERATIONS 16

static double chains_neon(void)
{
    int32x4_t low[CHAINS_NEON], high[CHAINS_NEON];
    int16x8_t cells[CHAINS_NEON], weights = vdupq_n_s16(3);
    for (int i = 0; i < CHAINS_NEON; i++) {
        low[i] = high[i] = vdupq_n_s32(0);
        cells[i] = vdupq_n_s16((int16_t)i);
    }
    for (int r = 0; r < ROUNDS; r++) {
        __asm__ volatile("" : "+w"(weights));
        for (int i = 0; i < CHAINS_NEON; i++) {
            low[i] = vmlal_s16(low[i], vget_low_s16(cells[i]), vget_low_s16(weights));
            high[i] = vmlal_high_s16(high[i], cells[i], weights);
        }
    }
    for (int i = 0; i < CHAINS_NEON; i++)
        low[0] = vaddq_s32(low[0], vaddq_s32(low[i], high[i]));
    return vgetq_lane_s32(low[0], 0);
}
#endif

/* A product and a sum in each of four lanes. */
#define PLAIN_OPERATIONS 8
typedef float lanes __attribute__((vector_size(16)));

static double chains_plain(void)
{
    volatile float hidden = 0.999F; /* unknown to the compiler */
    float factor = hidden;
    lanes sum[CHAINS] = {{0}};
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < CHAINS; i++)
            sum[i] = sum[i] * factor + (float)(i + 1);
    for (int i = 1; i < CHAINS; i++)
        sum[0] += sum[i];
    return sum[0][0];
}

static void run_chains(void *context, int piece, int worker)
{
    const struct chains *chains = context;
    double sum = chains->run();
    (void)piece, (void)worker;
    __asm__ volatile("" : : "m"(sum)); /* or all of it would be left out as unused */
}

/* From slow to fast. */
static const struct chains CHAINS_OF[] = {
    {&cpu_ops_scalar, "float multiply and add in C", (double)ROUNDS *CHAINS *PLAIN_OPERATIONS,
     chains_plain},
#ifdef HAVE_NEON
    {&cpu_ops_neon, "16-bit smlal", (double)ROUNDS *CHAINS_NEON *NEON_OPERATIONS, chains_neon},
#endif
#ifdef HAVE_AVX2
    {&cpu_ops_avx2, "16-bit vpmaddwd", (double)ROUNDS *CHAINS *AVX2_OPERATIONS, chains_avx2},
#endif
#ifdef HAVE_AVX512
    {&cpu_ops_avx512, "16-bit vpdpwssd", (double)ROUNDS *CHAINS_AVX512 *AVX512_OPERATIONS,
     chains_avx512},
#endif
};

static struct device_ceiling ceiling_measure(int threads)
{
    const struct chains *last = CHAINS_OF + sizeof CHAINS_OF / sizeof *CHAINS_OF - 1;
    struct chains chains;
    double least = 0;

    while (!last->ops->available())
        last--;
    chains = *last;
    for (int i = 0; i < TRIES; i++) {
        double start = clock_ms(), ms;
        parallel_for(threads, threads, run_chains, &chains);
        ms = clock_ms() - start;
        least = i == 0 || ms < least ? ms : least;
    }
    return (struct device_ceiling){chains.name, chains.operations * threads / least * 1e-6};
}

/* ---- names and sizes ---- */

/* "model name : AMD EPYC 7763" of Linux's list, without what only fills the line. */
static void cpu_name(char *text, size_t bytes)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    snprintf(text, bytes, "CPU");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        clean_text_copy(text, bytes, colon, strcspn(colon, "\n"));
        break;
    }
    if (file)
        fclose(file);
}

bool cpu_probe(int index, int threads, struct device_probe *probe, struct error *err)
{
    char name[96];
    (void)index, (void)err;
    memset(probe, 0, sizeof *probe);
    cpu_name(name, sizeof name);
    snprintf(probe->name, sizeof probe->name, "%s, %d thread%s", name, threads,
             threads == 1 ? "" : "s");
    probe->cache_bytes = machine_cache_bytes();
    probe->ceiling[probe->ceilings++] = ceiling_measure(threads);
    return true;
}
