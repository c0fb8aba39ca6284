/* The CPU as a device: its row of the backend table. */
#include "kernel/backend.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cpu/method.h"
#include "cpu/processor.h"

/* For --device auto. */
static double cpu_pass_ms(const struct plan *plan, int width, int height)
{
    const struct cpu_ops *ops = cpu_set_best()->ops;
    double ms = 0;

    for (; plan; plan = plan->then)
        ms += cpu_method_cost(cpu_method_fastest(plan, ops, width, height, 0), plan, ops, width,
                              height) /
              1e6;
    return ms;
}

/* ---- the fastest multiply-adds ----
 *
 * The rate of the CPU kernels' most frequent operation: sums of pairs of 16-bit products (vpmaddwd,
 * vpdpwssd, smlal). */

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

/* ---- what the bench reports ---- */

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

static bool cpu_probe(int index, int threads, struct device_probe *probe, struct error *err)
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

/* ---- the row of the table ---- */

static int cpu_devices(char *why, size_t why_bytes)
{
    (void)why, (void)why_bytes;
    return 1;
}

static void cpu_describe(int index, char *text, size_t text_bytes)
{
    (void)index;
    snprintf(text, text_bytes, "%d threads, %s", machine_cpus(), cpu_set_best()->title);
}

static bool cpu_start(int index, struct error *err)
{
    (void)index, (void)err;
    return true;
}

static const char *cpu_method_idea(const char *method)
{
    return cpu_method_find(method)->idea;
}

const struct backend backend_cpu = {
    .device = DEVICE_CPU,
    .name = "cpu",
    .in_build = true,
    .devices = cpu_devices,
    .describe = cpu_describe,
    .start = cpu_start,
    .pass_ms = cpu_pass_ms,
    .probe = cpu_probe,
    .method_idea = cpu_method_idea,
};
