/* How far the bench's numbers can be believed, in words, and what would make them
 * better. Only about what was seen in this run; a good measurement gets no advice.
 * Each sentence is one rule below; a rule that holds for several kernels names them
 * all. */
#include <string.h>

#include "bench/bench.h"

/* A pair of events, or of clock readings, is good to about a tenth of a microsecond, and starting
 * a kernel takes some: below this the number is about that. */
#define SHORT_MS 0.005

/* The median's distance of 5 % is more than most kernels differ by from one version to the next. */
#define NOISY 0.05

/* Threads are started for every run of a CPU kernel. */
#define THREADS_MS 0.2

typedef bool rule(const struct bench_report *report, const struct bench_result *result);

static bool is_short(const struct bench_report *report, const struct bench_result *result)
{
    (void)report;
    return result->stats.median_ms < SHORT_MS;
}

static bool is_mostly_threads(const struct bench_report *report, const struct bench_result *result)
{
    return result->kernel->device == DEVICE_CPU && report->threads > 1 &&
           result->stats.median_ms >= SHORT_MS && result->stats.median_ms < THREADS_MS;
}

static bool is_noisy(const struct bench_report *report, const struct bench_result *result)
{
    (void)report;
    return result->stats.runs > 2 && bench_spread(&result->stats) > NOISY;
}

static bool has_outliers(const struct bench_report *report, const struct bench_result *result)
{
    (void)report;
    return !is_noisy(report, result) && result->stats.runs >= 10 &&
           result->stats.outliers * 10 > result->stats.runs;
}

static bool is_capped(const struct bench_report *report, const struct bench_result *result)
{
    (void)report;
    return result->capped;
}

static bool is_partial(const struct bench_report *report, const struct bench_result *result)
{
    return result->rows < report->height;
}

/* What a run reads and writes stays in the device's cache. */
static bool is_cached(const struct bench_report *report, const struct bench_result *result)
{
    size_t cache = report->device[result->device].probe.cache_bytes;
    return !report->cold && cache > 0 && result->bytes <= cache;
}

static bool is_cached_cpu(const struct bench_report *report, const struct bench_result *result)
{
    return result->kernel->device == DEVICE_CPU && is_cached(report, result);
}

static bool is_cached_cuda(const struct bench_report *report, const struct bench_result *result)
{
    return result->kernel->device == DEVICE_CUDA && is_cached(report, result);
}

static const struct {
    rule *holds;
    const char *sentence; /* after the kernels' names */
} RULES[] = {
    {is_short, "runs of less than 5 us are about starting them: take a larger picture (--size)"},
    {is_mostly_threads, "much of the time goes into starting threads: take a larger picture "
                        "(--size), or --threads 1"},
    {is_noisy, "the times scatter by more than 5 %: is the machine busy with something else?"},
    {has_outliers, "more than one run in ten lies far outside: is the machine busy with something "
                   "else?"},
    {is_capped, "stopped after 20 s with fewer runs than wanted: a smaller picture (--size) "
                "gives a firmer number"},
    {is_partial, "timed in one thread on some rows of the picture, the time scaled to all of them"},
    {is_cached_cpu, "input and output fit in the last cache, so this is not the memory's speed: "
                    "--cold, or a larger picture (--size)"},
    {is_cached_cuda, "inputs are taken in turn, but what a run reads and writes fits in L2, so "
                     "writes may stay there: --cold, or a larger picture (--size)"},
};
#define RULE_COUNT ((int)(sizeof RULES / sizeof RULES[0]))

/* Adds NAME to a list that may have it already. */
static void add_name(char *list, size_t bytes, const char *name)
{
    size_t used = strlen(list), length = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, " ,"), at += strspn(at, " ,"))
        if (strcspn(at, ", ") == length && memcmp(at, name, length) == 0)
            return;
    snprintf(list + used, bytes - used, "%s%s", used ? ", " : "", name);
}

/* The names of the kernels for which a rule holds; "" for none. */
static void kernels_of(char *list, size_t bytes, const struct bench_report *report, rule *holds)
{
    list[0] = '\0';
    for (int i = 0; i < report->results; i++) {
        const struct bench_result *result = &report->result[i];
        if (result->state == BENCH_TIMED && holds(report, result))
            add_name(list, bytes, result->kernel->name);
    }
}

bool bench_advice(const struct bench_report *report, int index, char *text, size_t bytes)
{
    if (report->no_cuda[0] && index-- == 0) {
        snprintf(text, bytes, "no CUDA device (%s): only the CPU was timed", report->no_cuda);
        return true;
    }
    for (int i = 0; i < RULE_COUNT; i++) {
        char names[256];
        kernels_of(names, sizeof names, report, RULES[i].holds);
        if (names[0] && index-- == 0) {
            snprintf(text, bytes, "%s: %s", names, RULES[i].sentence);
            return true;
        }
    }
    return false;
}
