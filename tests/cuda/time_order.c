/* Times the order filters' kernels alone on a GPU, beside a device copy of the same bytes;
 * scripts/bench_gpu_peers --order builds and runs it. No result is checked (the checker does that).
 *
 *   time_order [--size N] [--runs N] [--kernel NAME] [CASE...]
 *
 * CASE: only cases with this word in their name. Prints one JSON line for each case: the medians of
 * the kernel's runs and of the copy's, in milliseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "bench/bench.h"
#include "kernel/kernel.h"
#include "plan/filter.h"

#define MAX_RUNS 200

struct timed_case {
    const char *name, *filter;
    int radius;
    const char *shape;
    int channels;
    enum sample_type type;
};

#define RGB8(filter, radius)                                                                       \
    {                                                                                              \
        filter " " #radius, filter, radius, "square", 3, SAMPLE_U8                                 \
    }
#define RGB16(filter, radius)                                                                      \
    {                                                                                              \
        filter " " #radius " 16 bits", filter, radius, "square", 3, SAMPLE_U16                     \
    }
#define DISC(filter, radius)                                                                       \
    {                                                                                              \
        filter " disc " #radius, filter, radius, "disc", 3, SAMPLE_U8                              \
    }

static const struct timed_case CASES[] = {
    RGB8("erode", 1),
    RGB8("erode", 2),
    RGB8("erode", 3),
    RGB8("erode", 5),
    RGB8("erode", 15),
    RGB8("erode", 31),
    RGB8("erode", 127),
    RGB8("open", 5),
    RGB8("tophat", 5),
    DISC("erode", 5),
    DISC("erode", 15),
    RGB8("median", 1),
    RGB8("median", 2),
    RGB8("median", 3),
    RGB8("median", 4),
    RGB8("median", 7),
    RGB16("erode", 1),
    RGB16("erode", 5),
    RGB16("erode", 31),
    RGB16("median", 1),
    RGB16("median", 2),
    RGB16("median", 3),
    {"erode 5 gray", "erode", 5, "square", 1, SAMPLE_U8},
};

struct laps {
    double ms[MAX_RUNS];
    int count, most;
};

static bool more(double ms, void *context)
{
    struct laps *laps = context;

    laps->ms[laps->count++] = ms;
    return laps->count < laps->most;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of all runs but the first ones, which warm up; negative: a failure, which is printed.
 */
static double time_of(const struct kernel *kernel, const struct kernel_job *job,
                      enum kernel_trial_what what, int runs)
{
    struct laps laps = {.most = runs + runs / 4};
    struct kernel_trial trial = {.what = what, .more = more, .context = &laps};
    struct error err;

    if (!kernel->time(kernel, job, &trial, &err)) {
        fprintf(stderr, "time_order: %s\n", err.text);
        return -1;
    }
    qsort(laps.ms + runs / 4, (size_t)runs, sizeof *laps.ms, compare);
    return laps.ms[runs / 4 + runs / 2];
}

static bool time_case(const struct timed_case *c, int size, int runs, const char *name)
{
    struct filter_request request = {
        .filter = filter_find(c->filter), .shape = c->shape, .radius = c->radius, .repeat = 1};
    struct image in = {.width = size, .height = size, .channels = c->channels, .type = c->type};
    struct plan plan = {0};
    struct error err;
    const struct kernel *kernel;
    double ms = -1, copy_ms = -1;

    if (!bench_picture_make(&in, machine_cpus(), &err) ||
        !filter_plan(&request, c->channels, c->type, c->type == SAMPLE_U8 ? 255 : 65535, &plan,
                     &err)) {
        fprintf(stderr, "time_order: %s\n", err.text);
        image_free(&in);
        return false;
    }
    kernel = name ? kernel_find(name) : kernel_choose(DEVICE_CUDA, &plan);
    if (kernel && kernel->time) {
        const struct kernel_job job = kernel_job_whole(&plan, &in, &in);
        copy_ms = time_of(kernel, &job, TRIAL_COPY_KERNEL, runs);
        ms = time_of(kernel, &job, TRIAL_KERNEL, runs);
        printf("{\"case\":\"%s\",\"kernel\":\"%s\",\"ms\":%.6f,\"copy_ms\":%.6f}\n", c->name,
               kernel->name, ms, copy_ms);
        fflush(stdout);
    } else {
        fprintf(stderr, "time_order: no CUDA kernel runs %s\n", c->name);
    }
    plan_free(&plan);
    image_free(&in);
    return ms >= 0 && copy_ms >= 0;
}

static bool wanted(const char *name, char **words, int count)
{
    for (int i = 0; i < count; i++)
        if (strstr(name, words[i]))
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    int size = 8192, runs = 40, first = 1;
    const char *kernel = NULL;
    bool ok = true;

    for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
        if (strcmp(argv[first], "--size") == 0)
            size = (int)strtol(argv[first + 1], NULL, 10);
        else if (strcmp(argv[first], "--runs") == 0)
            runs = (int)strtol(argv[first + 1], NULL, 10);
        else if (strcmp(argv[first], "--kernel") == 0)
            kernel = argv[first + 1];
    }
    if (size < 1 || runs < 1 || runs + runs / 4 > MAX_RUNS) {
        fprintf(stderr, "time_order: --size is at least 1, --runs 1 to %d\n", MAX_RUNS * 4 / 5);
        return 2;
    }
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        if (wanted(CASES[i].name, argv + first, argc - first))
            ok &= time_case(&CASES[i], size, runs, kernel);
    return ok ? 0 : 1;
}
