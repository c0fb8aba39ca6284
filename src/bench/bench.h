/* `stencilcli bench`: its measurements and its report. bench/run.c runs kernels, calls
 * bench/measure.c to time them, and fills a report. bench/statistics.c computes statistics and
 * rates from the times. bench/print.c and bench/plots.c only read the report. Times are in
 * milliseconds, a plane's or picture's size in bytes. */
#ifndef STENCIL_BENCH_BENCH_H
#define STENCIL_BENCH_BENCH_H

#include <stdio.h>
#include <time.h>

#include "base/image.h"
#include "codec/output.h"
#include "kernel/backend.h"
#include "kernel/kernel.h"

/* ---- measuring (bench/measure.c) ---- */

/* How long to measure: at least RUNS runs and MS milliseconds, but no longer than CAP_MS. A warm-up
 * comes first and does not count. */
struct bench_limits {
    int warmup_runs, runs;
    double warmup_ms, ms, cap_ms;
};

/* RUNS is the number given by --runs; 0 means at least 10 runs and at least a second. */
struct bench_limits bench_limits_make(int runs);

/* Whether RUNS runs in ELAPSED_MS are enough: for the warm-up; for a report. */
bool bench_warm(const struct bench_limits *limits, int runs, double elapsed_ms);
bool bench_enough(const struct bench_limits *limits, int runs, double elapsed_ms);

/* The times of one measurement. Before use, set limits and zero the rest. */
struct bench_samples {
    struct bench_limits limits;
    double *ms; /* malloc'ed; the caller frees it */
    int runs, warmed;
    bool warm;
    double begun_ms; /* start of the warm-up, later of the counted runs; 0: not started */
};

/* Keeps one time. False: no more times are wanted. Can be the `more` of a kernel_trial, with the
 * samples as its context. */
bool bench_samples_more(double ms, void *samples);

/* ---- statistics (bench/statistics.c) ---- */

struct bench_stats {
    int runs;
    double median_ms;
    double mad_ms; /* the median of the distances to the median */
    double p10_ms, p90_ms, least_ms;
    int outliers; /* runs far from the median: see BENCH_OUTLIER */
};

/* Replaces MS by the sorted distances to the median. RUNS >= 1. */
void bench_stats_make(struct bench_stats *stats, double *ms, int runs);

/* mad / median */
double bench_spread(const struct bench_stats *stats);

/* ---- the report ---- */

enum bench_sweep { SWEEP_NONE, SWEEP_TILE, SWEEP_MASK };

/* A copy on the device that reads and writes BYTES in total; its speed is 1.00 in the table. */
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
    const char *method; /* the kernel's method; NULL: it has none */
    int device;         /* index into the report's devices */
    int tile;           /* output tile width; 0: no tile */
    int mask_width, mask_height;
    enum bench_state state;
    char why[256]; /* the reason if it was not timed */
    struct bench_stats stats;
    double end_to_end_ms; /* median, from a picture in memory to a picture in memory */
    int rows;         /* rows of the picture made by one run; the times are scaled to all rows */
    bool capped;      /* stopped before there were enough runs */
    uint64_t bytes;   /* compulsory bytes: input read once and output written once */
    double copy_ms;   /* time to copy as many bytes; 0: unknown */
    int inputs;       /* number of inputs, used in turn */
    double predicted; /* loads of basic for one load of this kernel; 0: no prediction */
};

struct bench_report {
    time_t date;
    const char *input; /* NULL: generated */
    int width, height, channels;
    uint32_t max;
    const char *mask; /* as the user asked for it */
    int mask_width, mask_height;
    const char *border;
    const char *alpha; /* how alpha is treated, see plan_alpha_text */
    bool cold, quiet;  /* quiet: no advice below the table */
    int threads;
    enum bench_sweep sweep;
    struct bench_device device[2];
    int devices;
    struct bench_result *result; /* in a sweep: all kernels at one place, then at the next */
    int results;
    int64_t verified_rows; /* rows, of `height`, that were compared, in bands */
    int bands;
    char no_cuda[256]; /* the reason if a CUDA device was welcome and there is none, else "" */
};

/* Rates computed from a result's time; 0: not available. */
struct bench_rates {
    double gpixels; /* 10^9 pixels a second */
    double gbytes;  /* compulsory bytes, 10^9 a second */
    double share;   /* time of the device copy / this time */
    double gflops;  /* two operations a tap */
    double speedup; /* relative to bench_baseline */
    double flops_per_byte;
};
struct bench_rates bench_rates_make(const struct bench_report *report,
                                    const struct bench_result *result);

bool bench_is_basic(const struct kernel *kernel);

/* The reference is timed on fewer rows and with fewer runs. */
bool bench_is_reference(const struct kernel *kernel);

/* The result with RESULT's mask and tile that speed-ups refer to: `basic` if it was timed, else the
 * reference; NULL if neither was timed. */
const struct bench_result *bench_baseline(const struct bench_report *report,
                                          const struct bench_result *result);

/* The speed of the fastest copy on a device, in 10^9 bytes a second; 0: none was timed. */
double bench_copy_gbytes(const struct bench_device *device);

/* The width of the tile or mask at which a result of a sweep was measured. */
int bench_sweep_place(const struct bench_report *report, const struct bench_result *result);

/* The number of kernels in a sweep: result[p * kernels + k] is kernel k at place p. Places rise. */
int bench_sweep_kernels(const struct bench_report *report);

/* The most kernels in a report, and the most places in a sweep. */
#define BENCH_KERNELS 32
#define BENCH_PLACES  16

/* ---- the whole bench (bench/run.c) ---- */

struct bench_request {
    struct image in;
    const char *kernels; /* names separated by commas; NULL: all that can run */
    const char *method;  /* for the CPU kernels; NULL: the fastest */
    bool device_auto;
    enum device device;
    int device_index;
    int tile, threads, runs;
    bool cold;
    /* Makes the plan for a mask of WIDTH x WIDTH cells (0: the user's mask); false ends the
     * bench. */
    bool (*plan)(struct plan *plan, int width, void *context, struct error *err);
    void *context;
    void (*progress)(const char *text, void *context); /* NULL: no progress is shown */
};

/* Before a picture is read, refuses kernels for signals or for another device, and a missing
 * device. */
bool bench_check(const struct bench_request *request, enum bench_sweep sweep, struct error *err);

/* Fills devices and results of REPORT; its other fields are set already. If a kernel fails or
 * differs, its result says so; false means that the bench cannot continue. The caller frees the
 * results in any case. */
bool bench_run(struct bench_report *report, const struct bench_request *request, struct error *err);

/* Times JOB on KERNEL and fills the result's times, bytes, tile and inputs. */
bool bench_time_kernel(struct bench_result *result, const struct bench_request *request,
                       const struct kernel_job *job, struct error *err);

/* Times a copy of result->bytes on the device; the time is kept for the following kernels. OUT is a
 * whole picture to copy to, if the CPU copies. */
bool bench_time_copy(struct bench_result *result, struct bench_device *device,
                     const struct bench_request *request, const struct kernel_job *job,
                     struct image *out, struct error *err);

/* The number of loads of `basic` for one load of a kernel that keeps STAGED in shared memory,
 * counted as in bench/reuse.h for an internal tile; 0: no prediction. If STAGED is the internal
 * cells only, every load from outside the tile counts, even if L2 has the cell. CUT is how the
 * kernel really cuts tiles, or NULL. */
double bench_predict(enum kernel_tile staged, const struct plan_mask *m, int tile,
                     const struct kernel_shape *cut);

/* Makes a picture that resembles a photograph, always equal for equal sizes: clouds at every scale
 * and a sensor's noise. 1 to 4 channels; 8-bit samples are 1 to 254, and so are the high bytes of
 * 16-bit samples. IMAGE has its size, channels and type set; its memory is allocated here. */
bool bench_picture_make(struct image *image, int threads, struct error *err);

/* The reference's output in bands of the picture; a single band is the whole picture, if that is
 * quick. */
#define BENCH_BANDS 3
struct bench_bands {
    int count, each; /* `each`: rows of a band */
    int first[BENCH_BANDS];
    struct image want; /* the bands, one below the other; free with image_free */
};
bool bench_bands_make(struct bench_bands *bands, const struct plan *plan, const struct image *in,
                      int threads, struct error *err);
/* Compares OUT, the rows from FIRST on. False with EXIT_DIFFERENT and the place of a difference. */
bool bench_bands_check(const struct bench_bands *bands, const struct image *out, int first,
                       const char *name, struct error *err);

/* ---- printing (bench/print.c, bench/plots.c) ---- */

/* Prints a line for each kernel, or the tables of a sweep. */
void bench_print(FILE *out, const struct bench_report *report);
void bench_print_json(FILE *out, const struct bench_report *report);

/* The INDEX-th sentence about the reliability of the numbers; false past the last. */
bool bench_advice(const struct bench_report *report, int index, char *text, size_t bytes);

/* VALUE * 10^9 with its unit's prefix: "62.1 T", "4.2 G". */
void bench_giga_text(char *text, size_t bytes, double value);

/* A date like "2026-11-23T15:04:05Z". */
#define BENCH_DATE_CHARS 32
void bench_date_text(char text[BENCH_DATE_CHARS], const struct bench_report *report);

/* Draws the roofline, or the lines of a sweep, as SVG. */
bool bench_plot(const struct bench_report *report, struct output *output, struct error *err);

#endif
