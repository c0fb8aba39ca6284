/* One picture in bands: decoder rows -> filter with halo rows -> encoder rows, the three
 * stages overlapped. Memory is a few bands whatever the picture's height, and a band
 * is filtered and written while it is still in cache.
 *
 *      decoder      | ring of input rows (base/memory.h)        one task at a time, in order
 *      filter       |   band i with its halo -> output slot  as many tasks as there are threads
 *      encoder      |   slot i -> file                       one task at a time, in order
 *
 * The threads take whichever task is ready, so that none of them belongs to a stage
 * and one thread alone does all three in turn. The bytes are those of the whole
 * picture in one piece: a band holds every row that its sums read.
 *
 * Where the decoder or the encoder knows whole pictures only, that end holds one.
 *
 * Through a device the input comes in slots, too. Decoding begins while the device starts, and
 * goes ahead as far as there are slots; a band is filtered when it is submitted, and the encoder
 * waits for it. */
#ifndef STENCIL_RUN_PIPELINE_H
#define STENCIL_RUN_PIPELINE_H

#include "codec/codec.h"
#include "kernel/kernel.h"

/* A picture of so many bytes waits in the slots as a whole while the device starts; from so many on
 * the slots are pinned, and few. */
#define DEVICE_BANDS_AHEAD_BYTES  ((double)(128 << 20))
#define DEVICE_BANDS_PINNED_BYTES (4 * DEVICE_BANDS_AHEAD_BYTES)

struct pipeline_job {
    const struct plan *plan;
    const struct kernel *kernel; /* of the CPU; NULL: through a device */
    const char *method;          /* of the kernel, NULL: the fastest */
    struct source *source;       /* nothing read from it yet */
    const char *input;           /* for sentences */
    const char *output;
    const struct sink_options *sink;
    int threads, tile;
    int band_rows; /* 0: chosen here; tests force small ones */
    /* Asked for the device's kernel beside decoding: the device may be slow to say what it can. */
    const struct kernel *(*choose)(void *context, struct error *err);
    void *choose_context;
    int device_index;
};

/* When something was over that others waited for, by clock_ms. */
struct pipeline_moments {
    double started; /* the device, without memory; not told by run/pipeline.c */
    double opened;  /* the device with all that it takes for the bands; 0: no device */
    double decoded, first_band, last_band, encoded; /* a band: it is back from the device */
};

/* Milliseconds of work in each stage, added up over threads: overlapped stages are busy for more
 * than the time that passes. */
struct pipeline_times {
    double decode_ms, filter_ms, encode_ms;
    double start_ms;            /* until a device was ready, beside decoding */
    struct kernel_times device; /* what the device tells */
    struct pipeline_moments at;
};

struct pipeline;

/* NULL where the picture has to be done whole: rows far away are needed (wrap, a mirror as tall as
 * the picture, repeated passes), or there is no memory for the bands; on the CPU also where it is
 * too small to be worth it, or neither end streams. Says nothing about the picture's soundness. */
struct pipeline *pipeline_open(const struct pipeline_job *job);

/* The method that the kernel takes, or NULL where it has none; a word that stays. */
const char *pipeline_method(const struct pipeline *pipeline);

/* Everything from the first row to the renamed output. On failure the first error of any stage is
 * told, all stages have ended and nothing is left behind. Frees the pipeline. */
bool pipeline_run(struct pipeline *pipeline, struct pipeline_times *times, struct error *err);

#endif
