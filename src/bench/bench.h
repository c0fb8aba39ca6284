/* `stencilcli bench`: what is measured and what is reported of it. bench/run.c runs
 * kernels, has them timed by bench/measure.c and fills a report; bench/statistics.c makes
 * the numbers that follow from times; bench/print.c and bench/plots.c only read the
 * report. Times are in milliseconds, a plane's or picture's size in bytes. */
#ifndef STENCIL_BENCH_BENCH_H
#define STENCIL_BENCH_BENCH_H

#include <stdio.h>
#include <time.h>

#include "base/image.h"
#include "codec/output.h"
#include "kernel/backend.h"
#include "kernel/kernel.h"

/* ---- measuring (bench/measure.c) ---- */

/* How long to measure: at least RUNS runs and MS milliseconds, but no longer than CAP_MS. The
 * warm-up before it is not counted. */
struct bench_limits {
    int warmup_runs, runs;
    double warmup_ms, ms, cap_ms;
};

/* RUNS is the number of --runs; 0 means at least 10 runs and at least a second. */
struct bench_limits bench_limits_make(int runs);

/* Whether RUNS runs in ELAPSED_MS are enough of a warm-up; whether they are enough to report. */
bool bench_warm(const struct bench_limits *limits, int runs, double elapsed_ms);
bool bench_enough(const struct bench_limits *limits, int runs, double elapsed_ms);

/* The times of one measurement. Zeroed but for limits before use. */
struct bench_samples {
    struct bench_limits limits;
    double *ms; /* malloced; the caller's to free */
    int runs, warmed;
    bool warm;
    double begun_ms; /* of the warm-up, then of what is counted; 0: not yet */
};

/* Keeps one time. False: no more times are wanted. It can be the `more` of a kernel_trial, with the
 * samples as its context. */
bool bench_samples_more(double ms, void *samples);

/* ---- statistics (bench/statistics.c) ---- */

struct bench_stats {
    int runs;
    double median_ms;
    double mad_ms; /* the median of the distances to the median */
    double p10_ms, p90_ms, least_ms;
    int outliers; /* runs that lie far outside: see BENCH_OUTLIER */
};

/* Leaves in MS the distances to the median, sorted. RUNS >= 1. */
void bench_stats_make(struct bench_stats *stats, double *ms, int runs);

/* mad / median */
double bench_spread(const struct bench_stats *stats);

/* ---- the report ---- */

enum bench_sweep { SWEEP_NONE, SWEEP_TILE, SWEEP_MASK };

/* A copy on the device that reads and writes BYTES in all: the 1.00 of the table. */
struct bench_copy {
    uint64_t bytes;
    double ms;
    const char *how;
};
#define BENCH_COPIES 4

struct bench_device {
    enum device device;
    char name[32]; /* "cpu", "cuda:0" */
    struct device_probe probe;
    struct bench_copy copy[BENCH_COPIES];
    int copies;
};

enum bench_state { BENCH_TIMED, BENCH_UNSUPPORTED, BENCH_DIFFERS, BENCH_FAILED };

/* One kernel with one tile and one mask. */
struct bench_result {
    const struct kernel *kernel;
    const char *method; /* of the kernel; NULL: it has none */
    int device;         /* index into the report's devices */
    int tile;           /* output tile width; 0: it has none */
    int mask_width, mask_height;
    enum bench_state state;
    char why[256]; /* when not timed: the sentence */
    struct bench_stats stats;
    double end_to_end_ms; /* median, from a picture in memory to a picture in memory */
    int rows;         /* of the picture that one run made; the times are scaled to all of them */
    bool capped;      /* stopped before there were enough runs */
    uint64_t bytes;   /* compulsory: read once and written once */
    double copy_ms;   /* of as many bytes; 0: unknown */
    int inputs;       /* taken in turn */
    double predicted; /* basic's loads for one of this kernel's; 0: no prediction */
};

struct bench_report {
    time_t date;
    const char *input; /* NULL: generated */
    int width, height, channels;
    uint32_t max;
    const char *mask; /* as it was asked for */
    int mask_width, mask_height;
    const char *border;
    const char *alpha; /* what is done with it, see plan_alpha_text */
    bool cold, quiet;  /* quiet: no advice below the table */
    int threads;
    enum bench_sweep sweep;
    struct bench_device device[2];
    int devices;
    struct bench_result *result; /* of a sweep all kernels at one place, then at the next */
    int results;
    int64_t verified_rows; /* of `height` that were compared, in bands */
    int bands;
    char no_cuda[256]; /* why there is no CUDA device, where any was welcome; "": there is one */
};

/* Rates that follow from a result's time; 0 where there is none. */
struct bench_rates {
    double gpixels; /* 10^9 pixels a second */
    double gbytes;  /* compulsory bytes, 10^9 a second */
    double share;   /* of the device copy: its time / this time */
    double gflops;  /* two operations a tap */
    double speedup; /* over bench_baseline */
    double flops_per_byte;
};
struct bench_rates bench_rates_make(const struct bench_report *report,
                                    const struct bench_result *result);

bool bench_is_basic(const struct kernel *kernel);

/* The reference is timed on fewer rows and less often. */
bool bench_is_reference(const struct kernel *kernel);

/* The result that speed-ups refer to, with the mask and tile of RESULT: `basic` where it was timed,
 * else the reference; NULL where neither was timed. */
const struct bench_result *bench_baseline(const struct bench_report *report,
                                          const struct bench_result *result);

/* The bytes per second of the fastest copy on a device, 10^9; 0: none. */
double bench_copy_gbytes(const struct bench_device *device);

/* The width of the tile or of the mask that a result of a sweep was measured with. */
int bench_sweep_place(const struct bench_report *report, const struct bench_result *result);

/* How many kernels a sweep has: result[p * kernels + k] is kernel k's at place p. Places rise. */
int bench_sweep_kernels(const struct bench_report *report);

/* Kernels in a report, and places in a sweep, at most. */
#define BENCH_KERNELS 32
#define BENCH_PLACES  16

/* ---- the whole bench (bench/run.c) ---- */

struct bench_request {
    struct image in;
    const char *kernels; /* names with commas between; NULL: all that can run */
    const char *method;  /* of the CPU kernels; NULL: the fastest */
    bool device_auto;
    enum device device;
    int device_index;
    int tile, threads, runs;
    bool cold;
    /* Makes the plan for a mask of WIDTH x WIDTH cells (0: the one asked for); a false answer ends
     * the bench. */
    bool (*plan)(struct plan *plan, int width, void *context, struct error *err);
    void *context;
    void (*progress)(const char *text, void *context); /* NULL: no progress is shown */
};

/* Refuses, before a picture is read, kernels that are for signals or for another device, and a
 * device that is not there. */
bool bench_check(const struct bench_request *request, enum bench_sweep sweep, struct error *err);

/* Fills devices and results of the REPORT, whose other fields are set. A kernel that fails or
 * differs is noted in its result; false means that the bench cannot go on. The results are the
 * caller's to free in any case. */
bool bench_run(struct bench_report *report, const struct bench_request *request, struct error *err);

/* Times JOB on KERNEL and fills the result's times, bytes, tile and inputs. */
bool bench_time_kernel(struct bench_result *result, const struct bench_request *request,
                       const struct kernel_job *job, struct error *err);

/* The time of a copy of result->bytes on the device, kept from one kernel to the next. OUT is a
 * whole picture to copy to, where that is done by the CPU. */
bool bench_time_copy(struct bench_result *result, struct bench_device *device,
                     const struct bench_request *request, const struct kernel_job *job,
                     struct image *out, struct error *err);

/* The loads of `basic` for one load of a kernel that keeps STAGED in shared memory, as
 * bench/reuse.h counts them for an internal tile; 0: no prediction. Where STAGED is the internal
 * cells only, every load from outside the tile counts, though it comes from L2. CUT says how the
 * kernel really cuts tiles, or is NULL. */
double bench_predict(enum kernel_tile staged, const struct plan_mask *m, int tile,
                     const struct kernel_shape *cut);

/* A picture like a photograph, the same for the same size: clouds at every scale and a sensor's
 * noise. 1 to 4 channels, samples of 8 bits from 1 to 254, those of 16 bits as well in their high
 * byte. IMAGE comes with its size, channels and type; its memory is allocated here. */
bool bench_picture_make(struct image *image, int threads, struct error *err);

/* The reference's output in bands of the picture; one band holds the whole picture where that is
 * quick. */
#define BENCH_BANDS 3
struct bench_bands {
    int count, each; /* rows of each */
    int first[BENCH_BANDS];
    struct image want; /* one band below the other; to be freed by image_free */
};
bool bench_bands_make(struct bench_bands *bands, const struct plan *plan, const struct image *in,
                      int threads, struct error *err);
/* False with EXIT_DIFFERENT and the place when OUT, rows from FIRST on, is not as expected. */
bool bench_bands_check(const struct bench_bands *bands, const struct image *out, int first,
                       const char *name, struct error *err);

/* ---- printing (bench/print.c, bench/plots.c) ---- */

/* A line a kernel, or the tables of a sweep. */
void bench_print(FILE *out, const struct bench_report *report);
void bench_print_json(FILE *out, const struct bench_report *report);

/* The INDEX-th sentence about how far the numbers can be believed; false past the last. */
bool bench_advice(const struct bench_report *report, int index, char *text, size_t bytes);

/* VALUE * 10^9 with its unit's prefix: "62.1 T", "4.2 G". */
void bench_giga_text(char *text, size_t bytes, double value);

/* "2026-11-23T15:04:05Z" */
#define BENCH_DATE_CHARS 32
void bench_date_text(char text[BENCH_DATE_CHARS], const struct bench_report *report);

/* The roofline, or for a sweep its lines, as SVG. */
bool bench_plot(const struct bench_report *report, struct output *output, struct error *err);

#endif
