/* The CPU's side of the bench: its name, how fast it multiplies and adds, how fast
 * it copies, and a way to empty its caches. The ceiling is that of what the CPU
 * kernels do most: pairs of 16-bit products (vpmaddwd) added up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef HAVE_AVX2
#include <immintrin.h>
#endif

#include "bench.h"
#include "clean_text.h"
#include "cpu_ops.h"
#include "parallel.h"

/* Enough chains to hide the latency of both instructions, few enough for 16 registers. */
#define CHAINS 6
#define ROUNDS 500000
#define TRIES  40

/* Where the caches' size is not told. */
#define CACHE_GUESS ((size_t)32 << 20)

/* Bytes to copy that are worth starting a thread. */
#define COPY_EACH ((size_t)512 << 10)

/* ---- multiply and add ---- */

#ifdef HAVE_AVX2
/* 16 products and 16 additions a chain and round: a sum of pairs is 8 additions, adding it 8. */
#define AVX2_OPERATIONS 32

__attribute__((target("avx2"))) static int chains_avx2(void)
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

/* A product and a sum in each of four lanes. */
#define PLAIN_OPERATIONS 8
typedef float lanes __attribute__((vector_size(16)));

static float chains_plain(void)
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
    const bool *avx2 = context;
    double sum;
    (void)piece, (void)worker;
#ifdef HAVE_AVX2
    sum = *avx2 ? (double)chains_avx2() : (double)chains_plain();
#else
    (void)avx2;
    sum = (double)chains_plain();
#endif
    __asm__ volatile("" : : "m"(sum)); /* or all of it would be left out as unused */
}

static struct device_ceiling ceiling_measure(int threads)
{
    bool avx2 = false;
    double operations = PLAIN_OPERATIONS, least = 0;
    const char *name = "float multiply and add in C";
#ifdef HAVE_AVX2
    if (cpu_ops_avx2.available()) {
        avx2 = true;
        operations = AVX2_OPERATIONS;
        name = "16-bit vpmaddwd";
    }
#endif
    for (int i = 0; i < TRIES; i++) {
        double start = bench_now_ms(), ms;
        parallel_for(threads, threads, run_chains, &avx2);
        ms = bench_now_ms() - start;
        least = i == 0 || ms < least ? ms : least;
    }
    operations *= (double)CHAINS * ROUNDS * (double)threads;
    return (struct device_ceiling){name, operations / least * 1e-6};
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

/* What the kernel says about the cache that this core shares, which inside a virtual machine is
 * nearer to the truth than what the processor says. */
static size_t cache_bytes(void)
{
    char line[32] = "", *end = line;
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "re");
    long bytes;
    if (file) {
        if (!fgets(line, sizeof line, file))
            line[0] = '\0';
        fclose(file);
    }
    bytes = strtol(line, &end, 10);
    if (bytes > 0 && *end == 'K')
        return (size_t)bytes << 10;
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? (size_t)bytes : 0;
}

bool bench_cpu_probe(int index, int threads, struct device_probe *probe, struct error *err)
{
    char name[96];
    (void)index, (void)err;
    memset(probe, 0, sizeof *probe);
    cpu_name(name, sizeof name);
    snprintf(probe->name, sizeof probe->name, "%s, %d thread%s", name, threads,
             threads == 1 ? "" : "s");
    probe->cache_bytes = cache_bytes();
    probe->ceiling[probe->ceilings++] = ceiling_measure(threads);
    return true;
}

/* ---- copies ---- */

struct copy_run {
    const struct image *from;
    struct image *to;
    int pieces;
};

static void copy_piece(void *context, int piece, int worker)
{
    const struct copy_run *run = context;
    int64_t height = run->from->height;
    int first = (int)(height * piece / run->pieces);
    int end = (int)(height * (piece + 1) / run->pieces);
    (void)worker;
    if (end > first) /* rows and what pads them: both images are of one shape */
        memcpy(image_row(run->to, first), image_row(run->from, first),
               (size_t)(end - first - 1) * run->from->pitch + image_row_bytes(run->from));
}

void bench_cpu_copy(const struct image *from, struct image *to, int threads)
{
    size_t useful = from->pitch * (size_t)from->height / COPY_EACH + 1;
    struct copy_run run = {from, to, useful < (size_t)threads ? (int)useful : threads};
    parallel_for(run.pieces, run.pieces, copy_piece, &run);
}

/* ---- empty caches ---- */

struct scrub_run {
    unsigned char *block;
    size_t bytes;
    int pieces;
};

static void scrub_piece(void *context, int piece, int worker)
{
    const struct scrub_run *run = context;
    size_t each = run->bytes / (size_t)run->pieces;
    (void)worker;
    memset(run->block + each * (size_t)piece, piece, each);
}

void bench_cpu_scrub(int threads)
{
    /* Kept to the end: touching new memory would cost more than overwriting it. */
    static struct scrub_run run;
    if (!run.block) {
        run.bytes = 2 * (cache_bytes() ? cache_bytes() : CACHE_GUESS);
        run.block = malloc(run.bytes);
    }
    run.pieces = threads;
    if (run.block)
        parallel_for(threads, threads, scrub_piece, &run);
}
