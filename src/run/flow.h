/* The tasks of a pipeline and the threads that take them. The work has steps (bands of a picture,
 * or pages); each is read, filtered and written:
 *
 *      read         one at a time, in order
 *      filter       as many at a time as there are threads (for a device in order)
 *      write        one at a time, in order
 *
 * A thread takes any task that is ready: no thread belongs to a stage, and a single thread does all
 * three in turn. This file knows neither pictures nor memory: run/pipeline.c and run/frames.c do
 * the tasks. */
#ifndef STENCIL_RUN_FLOW_H
#define STENCIL_RUN_FLOW_H

#include <pthread.h>

#include "codec/codec.h"
#include "kernel/kernel.h"

/* When a step was done that others wait for, by clock_ms. */
struct pipeline_moments {
    double started; /* the device without its memory; not set by run/pipeline.c */
    double opened;  /* the device with its memory for the bands; 0: no device */
    double decoded, first_band, last_band, encoded; /* a band: back from the device */
};

/* Milliseconds of work in each stage, added up over threads: overlapped stages are busy for more
 * than the time that passes. */
struct pipeline_times {
    double decode_ms, filter_ms, encode_ms;
    double start_ms;            /* until a device was ready, during decoding */
    struct kernel_times device; /* reported by the device */
    struct pipeline_moments at;
    uint64_t ends_in, ends_out; /* samples that are 0 or max, if they are counted */
};

enum flow_task { TASK_NONE, TASK_OPEN, TASK_DECODE, TASK_FILTER, TASK_ENCODE };

/* The steps are not known before the input ends. */
#define FLOW_ENDLESS INT64_MAX

struct flow {
    /* Set before flow_run: */
    int workers;
    int64_t count;            /* of steps, or FLOW_ENDLESS */
    int in_slots, out_slots;  /* steps read and not filtered; filtered and not written */
    bool one_slot;            /* a step keeps its input slot until it is written */
    bool whole_in, whole_out; /* all steps are read, or written, by one task */
    bool device;              /* TASK_OPEN comes first, and steps are filtered in order */
    struct source *source;    /* stopped after a failure: reading may wait for a silent pipe */
    struct progress *progress;
    void *context;
    /* Do a task, without the lock. `wait` comes before and is no work; it may be NULL. */
    bool (*wait)(void *context, enum flow_task task, int64_t step, struct error *err);
    bool (*run)(void *context, enum flow_task task, int64_t step, struct error *err);

    bool ended;                  /* set by reading a step that does not exist */
    struct pipeline_times times; /* `device` and `ends` are the tasks' own */

    /* The rest belongs to run/flow.c. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t decoded, next_filter, oldest, next_encode;
    bool *filtered; /* per output slot: its step is complete */
    bool opening, opened, decoding, encoding, failed;
    int waiting;
    struct error *err;
};

/* Does all steps. On failure ERR holds the first error of any task, and all tasks have ended. */
bool flow_run(struct flow *flow, struct error *err);

#endif
