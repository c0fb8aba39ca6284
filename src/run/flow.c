/* The threads of a pipeline: see run/flow.h. A few counters of steps, under one lock, tell which
 * task is ready:
 *
 *      0        next_encode    oldest       next_filter      decoded              count
 *      | written  | in slots     | being filtered | its rows are there | not yet decoded |
 *
 * An output slot is free again when its step is written, an input slot when no step from `oldest`
 * on reads it. A device gets one step at a time, and `oldest` counts the submitted ones. */
#include "run/flow.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"

/* ---- who does what next; with the lock held ---- */

static bool can_encode(const struct flow *f)
{
    int64_t ready = !f->whole_out || f->oldest == f->count ? f->oldest : 0;
    return !f->encoding && f->next_encode < ready;
}

static bool can_filter(const struct flow *f)
{
    return f->next_filter < f->decoded && f->next_filter - f->next_encode < f->out_slots &&
           (!f->device || (f->opened && f->next_filter == f->oldest));
}

static bool can_decode(const struct flow *f)
{
    return !f->decoding && f->decoded < f->count &&
           f->decoded - (f->one_slot ? f->next_encode : f->oldest) < f->in_slots;
}

/* Encoding frees memory and goes first. With several threads decoding goes before filtering: only
 * one thread at a time can decode. A single thread filters what it has just decoded. */
static enum flow_task next_task(const struct flow *f)
{
    if (can_encode(f))
        return TASK_ENCODE;
    if (f->device && !f->opening)
        return TASK_OPEN;
    if (f->workers > 1 && can_decode(f))
        return TASK_DECODE;
    if (can_filter(f))
        return TASK_FILTER;
    return can_decode(f) ? TASK_DECODE : TASK_NONE;
}

/* Claims the task; returns its step. */
static int64_t claim(struct flow *f, enum flow_task task)
{
    switch (task) {
    case TASK_OPEN:
        f->opening = true;
        break;
    case TASK_DECODE:
        f->decoding = true;
        return f->decoded;
    case TASK_FILTER:
        f->filtered[f->next_filter % f->out_slots] = false;
        return f->next_filter++;
    case TASK_ENCODE:
        f->encoding = true;
        return f->next_encode;
    case TASK_NONE:
        break;
    }
    return 0;
}

static void complete(struct flow *f, enum flow_task task, int64_t step, double start)
{
    struct pipeline_times *times = &f->times;
    double now = clock_ms();

    switch (task) {
    case TASK_OPEN:
        f->opened = true;
        times->at.opened = now;
        times->start_ms = now - start;
        break;
    case TASK_DECODE:
        f->decoding = false;
        if (f->ended)
            f->count = step;
        else
            f->decoded = f->whole_in ? f->count : step + 1;
        times->at.decoded = now;
        times->decode_ms += now - start;
        break;
    case TASK_FILTER:
        f->filtered[step % f->out_slots] = true;
        while (f->oldest < f->next_filter && f->filtered[f->oldest % f->out_slots])
            f->oldest++;
        times->filter_ms += now - start;
        break;
    case TASK_ENCODE:
        f->encoding = false;
        f->next_encode = f->whole_out ? f->count : step + 1;
        times->at.last_band = start;
        if (step == 0)
            times->at.first_band = start;
        times->encode_ms += now - start;
        break;
    case TASK_NONE:
        break;
    }
}

/* The progress of an endless flow is not known. */
static void tell_progress(const struct flow *f)
{
    if (f->count == FLOW_ENDLESS)
        return;
    f->progress->all = 3 * (int)f->count;
    f->progress->done = (int)(f->decoded + f->oldest + f->next_encode);
}

/* Claims the task, does it with the lock released, and notes its completion. */
static void perform(struct flow *f, enum flow_task task)
{
    int64_t step = claim(f, task);
    struct error err;
    double start;
    bool ok;

    /* A thread wakes one other thread, and only if a task is ready. */
    if (f->waiting > 0 && next_task(f) != TASK_NONE)
        pthread_cond_signal(&f->changed);
    pthread_mutex_unlock(&f->lock);
    ok = !f->wait || f->wait(f->context, task, step, &err);
    start = clock_ms();
    ok = ok && f->run(f->context, task, step, &err);
    pthread_mutex_lock(&f->lock);
    if (!ok && !f->failed) {
        f->failed = true;
        *f->err = err;
        source_stop(f->source);
    }
    if (ok)
        complete(f, task, step, start);
    if (ok && f->progress)
        tell_progress(f);
}

static void work(void *context, int piece, int worker)
{
    struct flow *f = context;

    (void)piece, (void)worker;
    pthread_mutex_lock(&f->lock);
    while (!f->failed && f->next_encode < f->count) {
        enum flow_task task = next_task(f);
        if (task != TASK_NONE) {
            perform(f, task);
            continue;
        }
        f->waiting++;
        pthread_cond_wait(&f->changed, &f->lock);
        f->waiting--;
    }
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

bool flow_run(struct flow *f, struct error *err)
{
    f->err = err;
    f->filtered = calloc((size_t)f->out_slots, sizeof *f->filtered);
    if (!f->filtered)
        return error_set(err, EXIT_INPUT, "no memory for the pipeline");
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
    large_alloc_keep_small(); /* kernels and codecs allocate their buffers once a step */
    parallel_for(f->workers, f->workers, work, f);
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->lock);
    free(f->filtered);
    return !f->failed;
}
