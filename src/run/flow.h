/* The tasks of a pipeline and the threads that take them. The work has steps (bands of a picture,
 * or pages); each is read, filtered once or several times, and written. These are the stages:
 *
 *      0            read        one step at a time, in order
 *      1 .. n       filter      as many at a time as there are threads (for a device in order)
 *      n + 1        write       one step at a time, in order
 *
 * A thread takes any task that is ready: no thread belongs to a stage, and a single thread does all
 * in turn. This file knows neither pictures nor memory: run/pipeline.c and run/frames.c do the
 * tasks. */
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
};

/* A task is a stage's number, or opening the device, which has no step. */
enum { FLOW_OPEN = -1, FLOW_READ = 0 };

/* The steps are not known before the input ends. */
#define FLOW_ENDLESS INT64_MAX

struct flow_stage {
    /* How many steps the memory behind the stage holds: steps that the stage makes and that the
     * next stage has not used. Set before flow_run, for all stages but the last. */
    int slots;
    /* The rest belongs to run/flow.c. */
    int64_t next, complete; /* the next step to begin; all steps before `complete` are made */
    bool *made;             /* per slot: its step is made */
};

struct flow {
    /* Set before flow_run: */
    struct flow_stage *stage; /* filters + 2 */
    int filters;              /* >= 1 */
    int workers;
    int64_t count;            /* of steps, or FLOW_ENDLESS */
    bool one_slot;            /* a step keeps its first slot until it is written */
    bool whole_in, whole_out; /* all steps are read, or written, by one task */
    bool device;              /* FLOW_OPEN comes first, and steps are filtered in order */
    struct source *source;    /* stopped after a failure: reading may wait for a silent pipe */
    struct progress *progress;
    void *context;
    /* Do a task, without the lock. `wait` comes before and is no work; it may be NULL. */
    bool (*wait)(void *context, int task, int64_t step, struct error *err);
    bool (*run)(void *context, int task, int64_t step, struct error *err);

    bool ended;                  /* set by reading a step that does not exist */
    struct pipeline_times times; /* `device` and `ends` are the tasks' own */

    /* The rest belongs to run/flow.c. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool opening, opened, reading, writing, failed;
    int waiting;
    struct error *err;
};

/* The number of the stage that writes. */
static inline int flow_last(const struct flow *flow)
{
    return flow->filters + 1;
}

/* Does all steps. On failure ERR holds the first error of any task, and all tasks have ended. */
bool flow_run(struct flow *flow, struct error *err);

#endif
