/* One picture through the tool: open, plan, choose device and kernel, decode,
 * filter, check if asked, encode. The command files decide what to print; a batch
 * calls this once a file. */
#ifndef STENCIL_RUN_PICTURE_H
#define STENCIL_RUN_PICTURE_H

#include "codec/codec.h"
#include "kernel/kernel.h"
#include "plan/filter.h"
#include "run/pipeline.h"

/* What the user asks for; the same for every picture of a batch. */
struct picture_request {
    struct filter_request filter; /* loaded: filter_load */
    struct sink_options sink;
    bool device_auto;
    enum device device; /* when not auto */
    int device_index;
    const struct kernel *kernel; /* NULL: the fastest */
    const char *method;          /* of a CPU kernel; NULL: the fastest */
    int tile, threads; /* tile 0: the kernel's choice; threads 0: all that the process may use */
    bool verify;
    /* Other pictures wait for the GPU: this picture holds it only for filtering, not for decoding
     * and encoding. */
    bool device_shared;
    struct progress *progress; /* NULL: nobody looks */
    /* For tests: rows of a band; 0: chosen (see run/pipeline.h), -1: the picture in one piece. */
    int band_rows;
};

/* The estimates of the cost model behind --device auto, in milliseconds: the time until the last
 * row is filtered, on the CPU and with CUDA, plus CUDA's part of the end of the process. */
struct picture_cost {
    double cpu_ms, cuda_ms; /* the two totals that are compared */
    /* Parts of both: decoding on one thread; filtering, added up over the CPU's threads; CUDA's
     * start, loading the kernel, the slower direction of the bus, the kernels, CUDA's end. */
    double decode_ms, work_ms, start_ms, load_ms, bus_ms, kernel_ms, end_ms;
};

/* How the picture runs; known once its header is read. */
struct picture_choice {
    enum device device;
    const struct kernel *kernel; /* of the first step: see picture_kernel */
    int tile, threads;
    struct picture_cost cost; /* the estimates behind --device auto */
    char note[256];           /* why, for -v; empty: nothing to say */
};

struct picture_report {
    struct image_info info;
    uint64_t samples; /* of all pages */
    uint64_t bytes;   /* of the rows that are held at once; set by picture_plan for a chain */
    struct picture_choice choice;
    const char *method; /* of the first step's kernel; NULL: it has none */
    char warning[512];  /* what the codec dropped; empty: nothing */
    char clipped[256];  /* that the mask's sum makes samples 0 or max, and the way out; or empty */
    /* Work in each stage; filter_ms is upload, kernel, download and waits, added up over all
     * threads. Overlapping stages (in bands) add up to more than total_ms. */
    double decode_ms, filter_ms, encode_ms, total_ms;
    double start_ms;            /* CUDA's start, during decoding; in bands only */
    struct pipeline_moments at; /* counted from the beginning of the picture */
    struct kernel_times times;
};

/* Refuses a kernel that does not run on the device, and unknown output formats, without opening a
 * picture. filter_load checks the filter's options. */
bool picture_check(const struct picture_request *request, const char *output, struct error *err);

/* filter_load, and reads the pictures of --where; undone by picture_unload. */
bool picture_load(struct filter_request *request, struct error *err);
void picture_unload(struct filter_request *request);

/* Reads INPUT's header and makes plan and choice, and report->bytes; for --plan. Free the plan with
 * plan_free. */
bool picture_plan(const struct picture_request *request, const char *input, const char *output,
                  struct plan *plan, struct picture_report *report, struct error *err);

/* The rows above and below a row that a step reads for it; false: rows anywhere. */
bool picture_reach(const struct plan *step, const struct picture_report *report, int *above,
                   int *below);

/* The method with which a step's kernel filters the picture REPORT->info; NULL: the kernel has
 * none. EXIT_USAGE: the method that the request names cannot run the step. */
bool picture_method(const struct picture_request *request, const struct picture_report *report,
                    const struct plan *step, const char **method, struct error *err);

/* Filters INPUT into OUTPUT. On failure nothing is left behind at OUTPUT. */
bool picture_filter(const struct picture_request *request, const char *input, const char *output,
                    struct picture_report *report, struct error *err);

/* ---- for pages (run/frames.c) ---- */

/* Makes the plan, and the part of the choice that needs no device. */
bool picture_prepare(const struct picture_request *request, const struct image_info *info,
                     struct plan *plan, struct picture_choice *choice, struct error *err);

/* Runs the reference and compares OUT with it, for --verify. */
bool picture_verify(const struct picture_request *request, const struct plan *plan,
                    const struct image *in, const struct image *out, int threads, const char *name,
                    struct error *err);

/* Pinned memory (see kernel/backend.h), or NULL; picture_memory_free frees any memory. */
void *picture_pinned(enum device device, int index, size_t bytes);
void picture_memory_free(void *memory);

/* Keep the first warning: about metadata that an output in this format lacks; that many samples of
 * the picture report->info became 0 or max in a step, with ENDS as in struct pipeline_job, which
 * picture_count_ends sets for a picture before and after STEP. */
void picture_keep_warning(struct picture_report *report, struct source *source, enum format output);
void picture_note_clipped(struct picture_report *report, const char *input, const struct plan *plan,
                          const _Atomic uint64_t *ends);
void picture_count_ends(const struct plan *step, const struct image *image, uint32_t max,
                        _Atomic uint64_t *ends);

/* ---- run/choose.c ---- */

/* True if the request names the device CUDA or a kernel of CUDA. */
bool picture_asks_for_cuda(const struct picture_request *request);

struct picture_cost picture_cost_of(const struct plan *plan, const struct image_info *info,
                                    int threads);

/* Makes the part of the choice that needs no device: threads, tile and the estimates. */
void picture_estimate(const struct picture_request *request, const struct plan *plan,
                      const struct image_info *info, struct picture_choice *choice);

/* How many threads filtering the picture is worth. */
int picture_threads_worth(const struct picture_choice *choice);

/* The kernel for a step, once the device is chosen; NULL: CUDA has none. */
const struct kernel *picture_kernel(const struct picture_request *request,
                                    const struct picture_choice *choice, const struct plan *step);

/* Makes the rest of the choice, after picture_estimate. EXIT_DEVICE: the requested device does not
 * exist. EXIT_USAGE: the requested kernel cannot run the plan. Waits for CUDA's driver. */
bool picture_choose(const struct picture_request *request, const struct plan *plan,
                    struct picture_choice *choice, struct error *err);

#endif
