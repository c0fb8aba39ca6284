/* Times the 1D CUDA kernels for kernels/README.md (scripts/kernel_table_1d): prints one JSON
 * object. A time is measured on the device, between CUDA events. The first run of each kernel is
 * left out. No result is checked (checker_1d does that).
 *
 *   time_1d [SAMPLES [RUNS]]      default 16777216 and 20 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/backend.h"
#include "kernel/signal_job.h"

static const struct {
    enum signal_type type;
    int width;
} CASES[] = {{SIGNAL_F32, 5}, {SIGNAL_F32, 31}, {SIGNAL_I64, 5}, {SIGNAL_I64, 255}};

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

/* 8-bit numbers, so that sums of 255 products stay below 2^24. */
static void fill(enum signal_type type, void *cells, int n)
{
    uint32_t state = 1;
    for (int i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        int value = (int)(state >> 24) - 128;
        if (type == SIGNAL_F32)
            ((float *)cells)[i] = (float)value;
        else
            ((int64_t *)cells)[i] = value;
    }
}

static bool time_kernel(const struct kernel *kernel, const struct signal_job *job, int runs,
                        bool first)
{
    double *ms = malloc((size_t)runs * sizeof *ms);
    struct error err;

    for (int i = -1; ms && i < runs; i++) { /* the first run loads the kernel */
        struct kernel_times times = {0};
        struct signal_job timed = *job;
        timed.times = &times;
        if (!kernel->run_signal(&timed, &err)) {
            fprintf(stderr, "time_1d: %s\n", err.text);
            free(ms);
            return false;
        }
        if (i >= 0)
            ms[i] = times.kernel_ms;
    }
    if (!ms)
        return false;
    qsort(ms, (size_t)runs, sizeof *ms, compare);
    printf("%s\n{\"kernel\":\"%s\",\"type\":\"%s\",\"width\":%d,\"median_ms\":%.6f,"
           "\"lowest_ms\":%.6f,\"highest_ms\":%.6f}",
           first ? "" : ",", kernel->name, job->type == SIGNAL_F32 ? "float" : "int64",
           job->mask_width, ms[runs / 2], ms[0], ms[runs - 1]);
    free(ms);
    return true;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1 << 24;
    int runs = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 20, count;
    const struct kernel *table = kernel_table(&count);
    const struct backend *cuda = backend_find(DEVICE_CUDA);
    char about[256] = "", date[16];
    time_t now = time(NULL);
    bool good = n > 0 && runs > 0, first = true;

    if (cuda->devices(about, sizeof about) == 0) {
        fprintf(stderr, "time_1d: no CUDA device: %s\n", about);
        return 77;
    }
    cuda->describe(0, about, sizeof about);
    about[strcspn(about, ",")] = '\0'; /* only the name */
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    printf("{\"device\":\"%s\",\"date\":\"%s\",\"samples\":%d,\"runs\":%d,\"times\":[", about, date,
           n, runs);
    for (size_t c = 0; good && c < sizeof CASES / sizeof *CASES; c++) {
        size_t bytes = (size_t)n * signal_cell_bytes(CASES[c].type);
        void *in = malloc(bytes), *out = malloc(bytes), *weight = malloc(256 * sizeof(int64_t));
        struct signal_job job = {.type = CASES[c].type,
                                 .in = in,
                                 .out = out,
                                 .n = n,
                                 .weight = weight,
                                 .mask_width = CASES[c].width,
                                 .anchor = CASES[c].width / 2,
                                 .border = BORDER_ZERO,
                                 .threads = 1};
        good = in && out && weight;
        if (good) {
            fill(job.type, in, n);
            fill(job.type, weight, job.mask_width);
        }
        for (int k = 0; good && k < count; k++)
            if (table[k].dims == 1 && table[k].device == DEVICE_CUDA) {
                good = time_kernel(&table[k], &job, runs, first);
                first = false;
            }
        free(in);
        free(out);
        free(weight);
    }
    printf("\n]}\n");
    return good ? 0 : 1;
}
