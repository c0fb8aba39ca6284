/* One picture in bands: decoder rows -> filters with halo rows -> encoder rows, the stages
 * overlapped. Memory is a few bands for each stage whatever the picture's height, and a band is
 * filtered and written while it is still in cache.
 *
 *      decoder      | ring of input rows (base/memory.h)        one task at a time, in order
 *      filter       |   band i with its halo -> ring of rows  as many tasks as there are threads
 *      last filter  |   band i with its halo -> output slot   as many tasks as there are threads
 *      encoder      |   slot i -> file                        one task at a time, in order
 *
 * The output is as for the whole picture in one piece, because a band holds every row that its sums
 * read. Each pass of a repeated filter is a stage of its own.
 *
 * If decoder or encoder handles only whole pictures, the pipeline holds a whole picture there.
 *
 * For a device the input is in slots, too. Decoding begins while the device starts, and goes on as
 * long as slots are free. A submitted band counts as filtered; the encoder waits for its output. */
#ifndef STENCIL_RUN_PIPELINE_H
#define STENCIL_RUN_PIPELINE_H

#include "plan/filter.h"
#include "run/flow.h"

/* Up to AHEAD_BYTES the slots hold a whole picture, decoded while the device starts. From
 * PINNED_BYTES on the slots are pinned, and few. */
#define DEVICE_BANDS_AHEAD_BYTES  ((double)(128 << 20))
#define DEVICE_BANDS_PINNED_BYTES (4 * DEVICE_BANDS_AHEAD_BYTES)

struct pipeline_job {
    const struct plan *plan;             /* of one step, or of a chain */
    const struct kernel *const *kernels; /* of the CPU, one for each step; NULL: through a device */
    const char *method;                  /* of the kernels, NULL: the fastest */
    struct source *source;               /* nothing read from it yet */
    const char *input;                   /* for sentences */
    const char *output;
    const struct sink_options *sink;
    int threads, tile;
    int workers;   /* of the threads, those that filter on the CPU; all if bands are forced */
    int band_rows; /* 0: chosen here; tests force small bands */
    /* Chooses the device's kernels, one for each step. Called while decoding goes on, because the
     * device may start slowly. */
    bool (*choose)(void *context, const struct kernel *kernels[CHAIN_MOST], struct error *err);
    void *choose_context;
    int device_index;
    /* Gets the samples that are 0 or max: in the input, and after each step. They are counted
     * before and after the steps of plan_changes_brightness. NULL: nobody looks. */
    _Atomic uint64_t *ends;
    struct progress *progress; /* NULL: nobody looks */
};

struct pipeline;

/* NULL if the picture must be filtered whole: the sums need distant rows (wrap, a mirror as tall as
 * the picture), or there is no memory for the bands. On the CPU also if the picture is too small,
 * if neither end streams, or if the bands of all passes would take more memory than whole pictures.
 * On a device also if a step is surrounded (kernel/around.h), if `ends` between two steps are
 * wanted, or if the halo of all passes is larger than the picture. NULL does not mean that the
 * picture is damaged. */
struct pipeline *pipeline_open(const struct pipeline_job *job);

/* The name of the first step's method, or NULL if it has none; the name stays valid. */
const char *pipeline_method(const struct pipeline *pipeline);

/* The bytes of the rows that it holds at once, on the host. */
uint64_t pipeline_bytes(const struct pipeline *pipeline);

/* Frees a pipeline that does not run. */
void pipeline_free(struct pipeline *pipeline);

/* Does everything from the first row to the renamed output. On failure ERR holds the first error of
 * any stage, all stages have ended and nothing is left behind. Frees the pipeline. */
bool pipeline_run(struct pipeline *pipeline, struct pipeline_times *times, struct error *err);

#endif
