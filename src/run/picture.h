/* One picture through the tool: open, plan, choose device and kernel, decode,
 * filter, check if asked, encode. The command files decide what to print; a batch
 * calls this once a file. */
#ifndef STENCIL_RUN_PICTURE_H
#define STENCIL_RUN_PICTURE_H

#include "codec/codec.h"
#include "kernel/kernel.h"
#include "plan/filter.h"
#include "run/pipeline.h"

/* What is asked for; the same for every picture of a batch. */
struct picture_request {
    struct filter_request filter; /* loaded: filter_load */
    struct sink_options sink;
    bool device_auto;
    enum device device; /* when not auto */
    int device_index;
    const struct kernel *kernel; /* NULL: the fastest */
    const char *method;          /* of the kernel; it asks for the CPU. NULL: the fastest */
    int tile, threads;           /* 0: the kernel's choice; as many as the process may use */
    bool verify;
    /* Other pictures wait for the GPU: it is held while it filters, not while this one is decoded
     * and encoded. */
    bool device_shared;
    /* For tests: rows of a band; 0: chosen (see run/pipeline.h), -1: the picture in one piece. */
    int band_rows;
};

/* What the cost model behind --device auto estimates, in milliseconds: how long it takes until the
 * last row is filtered, on the CPU and with CUDA, and what CUDA adds to the end of the process. */
struct picture_cost {
    double cpu_ms, cuda_ms; /* what is compared */
    /* What they are made of: decoding on one thread; filtering on all CPU threads added up; CUDA's
     * start, loading the kernel, the slower direction of the bus, the kernels, CUDA's end. */
    double decode_ms, work_ms, start_ms, load_ms, bus_ms, kernel_ms, end_ms;
};

/* How it runs, once the picture's header is known. */
struct picture_choice {
    enum device device;
    const struct kernel *kernel;
    int tile, threads;
    struct picture_cost cost; /* the estimates behind --device auto */
    char note[256];           /* why, for -v; empty: nothing to say */
};

struct picture_report {
    struct image_info info;
    struct picture_choice choice;
    const char *method; /* of the kernel; NULL: it has none */
    char warning[512];  /* what the codec dropped; empty: nothing */
    /* Work in each stage; filter is upload, kernel, download and waits. Stages that overlap (in
     * bands) are busy for more than the total, and the filter's threads are added up. */
    double decode_ms, filter_ms, encode_ms, total_ms;
    double start_ms;            /* of CUDA, beside decoding; in bands only */
    struct pipeline_moments at; /* counted from the beginning of the picture */
    struct kernel_times times;
};

/* Refuses, without opening a picture, devices and kernels that do not go together and unknown
 * formats of the output; filter_load does so for the filter's options. */
bool picture_check(const struct picture_request *request, const char *output, struct error *err);

/* Reads INPUT's header and makes plan and choice; for --plan. Free the plan with plan_free. */
bool picture_plan(const struct picture_request *request, const char *input, struct plan *plan,
                  struct picture_report *report, struct error *err);

/* The whole way. On failure nothing is left behind at OUTPUT. */
bool picture_filter(const struct picture_request *request, const char *input, const char *output,
                    struct picture_report *report, struct error *err);

/* ---- run/choose.c ---- */

/* True where a device of CUDA is asked for by name, its own or a kernel's. */
bool picture_asks_for_cuda(const struct picture_request *request);

struct picture_cost picture_cost_of(const struct plan *plan, const struct image_info *info,
                                    int threads);

/* What needs no device: threads, tile and the estimates. */
void picture_estimate(const struct picture_request *request, const struct plan *plan,
                      const struct image_info *info, struct picture_choice *choice);

/* The rest, after the estimate. EXIT_DEVICE when the device asked for is not there, EXIT_USAGE when
 * the kernel asked for cannot run the plan. With CUDA this waits for the driver. */
bool picture_choose(const struct picture_request *request, const struct plan *plan,
                    struct picture_choice *choice, struct error *err);

#endif
