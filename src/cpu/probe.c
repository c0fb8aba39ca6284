/* What the bench reports about the CPU: its name, and its peak rate of multiply-adds. The rate is
 * that of the CPU kernels' most frequent operation: sums of pairs of 16-bit products (vpmaddwd,
 * vpdpwssd, smlal). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/probe.h"
#include "base/text.h"
#include "base/clock.h"
#include "base/machine.h"
#include "base/parallel.h"
#include "cpu/processor.h"

/* ---- multiply and add ---- */

#define ROUNDS 500000
#define TRIES  40

static void run_chains(void *context, int piece, int worker)
{
    const struct cpu_set *set = context;
    (void)piece, (void)worker;
    set->ops->multiply_adds(ROUNDS);
}

static struct device_ceiling ceiling_measure(int threads)
{
    struct cpu_set set = *cpu_set_best();
    double least = 0, operations = set.ops->multiply_adds(1) * ROUNDS * threads;

    for (int i = 0; i < TRIES; i++) {
        double start = clock_ms(), ms;
        parallel_for(threads, threads, run_chains, &set);
        ms = clock_ms() - start;
        least = i == 0 || ms < least ? ms : least;
    }
    return (struct device_ceiling){set.multiply_adds, operations / least * 1e-6};
}

/* ---- names and sizes ---- */

/* The CPU's name from the line "model name : AMD EPYC 7763" of /proc/cpuinfo. */
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
