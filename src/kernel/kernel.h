/* The kernel table: everything that can execute a plan on an image. The command line lists it, the
 * tests walk it and compare every row with the reference by memcmp, the bench times it. A new
 * kernel needs only a row. */
#ifndef STENCIL_KERNEL_KERNEL_H
#define STENCIL_KERNEL_KERNEL_H

#include "base/clock.h"
#include "plan/plan.h"

enum device { DEVICE_CPU, DEVICE_CUDA };

/* Milliseconds. A phase that a backend cannot time separately stays 0. */
struct kernel_times {
    double upload_ms, kernel_ms, download_ms;
};

static inline void kernel_times_add(struct kernel_times *sum, const struct kernel_times *times)
{
    sum->upload_ms += times->upload_ms;
    sum->kernel_ms += times->kernel_ms;
    sum->download_ms += times->download_ms;
}

/* Data that a kernel makes once for all jobs of one plan (the bands of a picture, on any threads,
 * or repeated passes). Only the kernel knows the members that follow `method`. */
struct kernel_state {
    const char *method; /* the chosen method of summing, named as in --method */
};

/* One piece of work: rows of the output, and the rows of the input that they need.
 * For a whole picture first_row is 0 and picture_height is in.height.
 *
 *   in   holds rows [in_first_row, in_first_row + in.height) of the picture
 *   out  receives rows [out_first_row, out_first_row + out.height)
 *
 * Every picture row that a ghost or halo row folds to must be inside `in`.
 * in and out do not overlap. Shapes and types agree with the plan.
 *
 * With on_device both lie in the memory of a CUDA device. Then `out` may be `in`. */
struct kernel_job {
    const struct plan *plan;
    const struct image *in;
    struct image *out;
    int picture_height;
    int in_first_row, out_first_row;
    int threads;      /* CPU threads to use, >= 1 */
    int tile;         /* output tile width for tiled kernels; 0: the kernel's choice */
    int device_index; /* for DEVICE_CUDA */
    bool on_device;   /* whole pictures only, of a plan without around_is_needed() */
    void *stream;     /* with on_device: a CUDA stream whose work comes first */
    /* With on_device: the run may return when its work is queued. Later work of `stream` waits. */
    bool queued;
    size_t device_bytes_limit;  /* 0: what the device has free; tests force bands with it */
    struct kernel_state *state; /* of kernel_open; NULL: kernel_run makes one for this job */
    struct kernel_times *times; /* may be NULL */
    struct progress *progress;  /* counts finished passes; may be NULL */
};

/* How a tiled kernel cuts a picture, for --plan. Lengths in cells. */
struct kernel_shape {
    int tile_width, tile_height; /* the output tile */
    int halo_left, halo_right, halo_above, halo_below;
    int block_x, block_y; /* threads of a block */
    int mask_rows;        /* mask rows staged at a time */
    size_t shared_bytes;
    double loads_per_output; /* cells loaded from memory for one output of an internal tile */
};

/* What --tile sets for a kernel, and which cells the kernel stages in shared memory. */
enum kernel_tile {
    TILE_NONE,     /* --tile is ignored */
    TILE_BLOCK,    /* the width of a block; every cell comes from global memory */
    TILE_INTERNAL, /* the output tile; its own cells are staged, its halo cells are not */
    TILE_HALO,     /* the output tile, staged with its halo cells */
};

/* What a trial times: the kernel, or a copy of as many bytes. */
enum kernel_trial_what { TRIAL_KERNEL, TRIAL_COPY_ENGINE, TRIAL_COPY_KERNEL };

/* A measurement of a kernel alone, on data that lies on its device; for the bench. */
struct kernel_trial {
    enum kernel_trial_what what;
    bool cold; /* the device's cache is scrubbed before each run */
    /* Receives the time of each run. Returns false to end the trial. */
    bool (*more)(double ms, void *context);
    void *context;
    /* Set by the kernel. */
    uint64_t bytes; /* that a run must move: every cell read once and every output written once */
    int inputs;     /* copies of the input, used in turn to keep the input out of the cache */
    int tile;       /* width of the output tile; 0: no tile */
};

struct signal_job;    /* kernel/signal_job.h */
struct band_device;   /* kernel/band_device.h */
struct cpu_ops;       /* cpu/ops.h */
struct planes_method; /* cuda/planes.h */

/* The kinds of plan that a row knows, as bits. A kind that is not named is refused. */
#define KERNEL_KIND(kind) (1U << (kind))

/* The book whose ladder of kernels is here: its third edition has their figures. */
#define TEXTBOOK                                                                                   \
    "D. B. Kirk and W. W. Hwu, Programming Massively Parallel Processors, 3rd edition, chapter 7"

struct kernel {
    const char *name; /* unique among the kernels of the same dims */
    int dims;         /* 1 or 2 */
    enum device device;
    const char *idea; /* one line */
    unsigned kinds;   /* of plan; a 1D row has none */
    /* Of a CPU row: does this processor have its instructions? NULL: any processor does. */
    bool (*available)(void);
    /* Can the kernel run a plan of its `kinds` on this machine? If not, writes the reason into why.
     * Only kernel_supports calls it. NULL: the kernel runs any plan, or signal. */
    bool (*supports)(const struct kernel *kernel, const struct plan *plan, char *why,
                     size_t why_bytes);
    /* Is it worth choosing for a plan that it supports? Else only --kernel selects it. NULL:
     * yes. */
    bool (*pays)(const struct plan *plan);
    /* Runs the whole plan, all `repeat` passes included. To be called by kernel_run. */
    bool (*run)(const struct kernel *kernel, const struct kernel_job *job, struct error *err);
    /* For a kernel with a state, else NULL: see kernel_open and kernel_close. */
    struct kernel_state *(*open)(const struct kernel *kernel, const struct plan *plan, int width,
                                 int height, const char *method, struct error *err);
    void (*close)(struct kernel_state *state);
    /* How many rows a band should have: ROWS by default, at most MOST. NULL: ROWS. */
    int (*rows)(const struct kernel *kernel, const struct plan *plan, const char *method, int width,
                int rows, int most);
    const struct cpu_ops *ops;        /* of a CPU row: the loops of its instruction set */
    const struct planes_method *cuda; /* of a 2D row of CUDA: how its kernel is launched */
    /* Fills shape for the job (its plan and tile; no picture is needed). NULL: nothing to say. */
    void (*shape)(const struct kernel_job *job, struct kernel_shape *shape);
    bool only_weighted; /* it runs only colour weighted by alpha */
    enum kernel_tile tile;
    /* Runs and times the kernel repeatedly on the whole picture job->in. job->out is not written.
     * NULL: run() is timed from outside. */
    bool (*time)(const struct kernel *kernel, const struct kernel_job *job,
                 struct kernel_trial *trial, struct error *err);
    /* Runs one pass in bands that overlap with decoding and encoding. CUDA's 2D rows have it. */
    const struct band_device *bands;
    /* A 1D row has these two in place of run and shape. */
    bool (*run_signal)(const struct signal_job *job, struct error *err);
    void (*shape_signal)(const struct signal_job *job, struct kernel_shape *shape);
};

/* The table: the 2D rows, then the 1D rows, each group with its reference first. *count is set. The
 * table includes kernels that this machine cannot run (no AVX2, no GPU). */
const struct kernel *kernel_table(int *count);

/* The row called NAME; NULL if there is none. 2D kernels run pictures, 1D kernels signals. */
const struct kernel *kernel_find(const char *name);
const struct kernel *kernel_find_signal(const char *name);

/* Can KERNEL run PLAN here? If not, WHY gets the reason. PLAN may be NULL for a 1D row. */
bool kernel_supports(const struct kernel *kernel, const struct plan *plan, char *why,
                     size_t why_bytes);

/* Makes the kernel's state for all jobs of the plan, for outputs of about WIDTH x HEIGHT; *state is
 * NULL for a kernel without a state. METHOD is the name of a method; NULL: the fastest. EXIT_USAGE
 * if the kernel has no such method, or if the method cannot run the plan. The plan must stay valid.
 * kernel_close accepts NULL. */
bool kernel_open(const struct kernel *kernel, const struct plan *plan, int width, int height,
                 const char *method, struct kernel_state **state, struct error *err);
void kernel_close(const struct kernel *kernel, struct kernel_state *state);

/* Runs the whole plan, all `repeat` passes included. */
bool kernel_run(const struct kernel *kernel, const struct kernel_job *job, struct error *err);

/* The fastest kernel of DEVICE that supports PLAN; never NULL for the CPU. */
const struct kernel *kernel_choose(enum device device, const struct plan *plan);

/* The fastest 1D kernel of DEVICE; NULL if the device does not exist. */
const struct kernel *kernel_choose_signal(enum device device);

/* A job for a whole picture, one thread, kernel's own tile. */
struct kernel_job kernel_job_whole(const struct plan *plan, const struct image *in,
                                   struct image *out);

/* --repeat: whole passes, each rounded and clamped, over two pictures in turn. Runs the plan's
 * steps plan->repeat times from job->in to job->out, each by a call of PASS, whose job has the step
 * as its plan. More than one pass needs the whole picture in job->in and job->out (each pass uses
 * up halo rows of a band); the steps of one pass work on bands, too. */
typedef bool passes_function(const struct kernel_job *job, const void *context, struct error *err);
bool passes_run(const struct kernel_job *job, passes_function *pass, const void *context,
                struct error *err);

/* FIRST and END hold the output rows of a pass, as first row and the row after the last. They
 * become those that STEP must make: the same rows if it is the last step, else the rows that the
 * next step reads, also for its ghost rows. */
void passes_find_rows(const struct plan *step, int height, int *first, int *end);

/* ---- the rows of the table, each defined in its own room; others ask the table ---- */

/* The rows of src/cpu, one per instruction set of the processor's family, and of src/cuda, ordered
 * from slow to fast. *count is set. */
const struct kernel *cpu_kernels(int *count);
const struct kernel *cuda_kernels(int *count);
const struct kernel *cuda_signal_kernels(int *count);
extern const struct kernel kernel_signal_scalar;

/* kernel/reference.c: the formula as plain C functions, never optimised. All other kernels are
 * compared with it byte for byte. */
extern const struct kernel kernel_reference, kernel_signal_reference;

/* Sample (x, y, c) of the output of one step. */
uint32_t reference_sample(const struct kernel_job *job, int y, int x, int c);

/* Makes all rows of job->out in one pass on THREADS threads; plan->repeat is ignored. */
void reference_rows(const struct kernel_job *job, int threads);

/* Compares row GOT_ROW of GOT with row WANT_ROW of WANT, the reference's output; both are row Y of
 * the picture. A difference sets EXIT_DIFFERENT and a sentence with its place and both samples. The
 * sentence begins with NAME and WHAT. */
bool reference_check_row(const struct image *got, int got_row, const struct image *want,
                         int want_row, int y, const char *name, const char *what,
                         struct error *err);

#endif
