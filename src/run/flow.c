/* The threads of a pipeline: see run/flow.h. Step i of a stage can be made when step i of the stage
 * before is complete. Two counters for each stage, under one lock, tell which task is ready:
 *
 *      0             complete         next                                        count
 *      | complete      | being made     | not yet begun                             |
 *
 * The memory of a step is free again when the next stage has used it. Each stage can hold at least
 * one step, so some task is always ready. A device gets one step at a time; a step that it got
 * counts as complete. */
#include "run/flow.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"

#define NO_TASK (-2)

/* ---- who does what next; with the lock held ---- */

/* The memory behind the stage has room for its next step. */
static bool has_room(const struct flow *f, int s)
{
    const struct flow_stage *user = &f->stage[s == FLOW_READ && f->one_slot ? flow_last(f) : s + 1];

    return f->stage[s].next < f->count && f->stage[s].next - user->complete < f->stage[s].slots;
}

static bool can_read(const struct flow *f)
{
    return !f->reading && has_room(f, FLOW_READ);
}

static bool can_filter(const struct flow *f, int s)
{
    const struct flow_stage *stage = &f->stage[s];

    return has_room(f, s) && stage->next < f->stage[s - 1].complete &&
           (!f->device || (f->opened && stage->next == stage->complete));
}

static bool can_write(const struct flow *f)
{
    int64_t there = f->stage[f->filters].complete;

    return !f->writing && f->stage[flow_last(f)].next < there &&
           (!f->whole_out || there == f->count);
}

/* The later stage goes first: it frees memory. But with several threads reading goes before
 * filtering: only one thread at a time can read. A single thread filters what it has just read. */
static int next_task(const struct flow *f)
{
    if (can_write(f))
        return flow_last(f);
    if (f->device && !f->opening)
        return FLOW_OPEN;
    if (f->workers > 1 && can_read(f))
        return FLOW_READ;
    for (int s = f->filters; s > 0; s--)
        if (can_filter(f, s))
            return s;
    return can_read(f) ? FLOW_READ : NO_TASK;
}

/* Claims the task; returns its step. */
static int64_t claim(struct flow *f, int task)
{
    struct flow_stage *stage;

    if (task == FLOW_OPEN) {
        f->opening = true;
        return 0;
    }
    stage = &f->stage[task];
    f->reading |= task == FLOW_READ;
    f->writing |= task == flow_last(f);
    if (task != flow_last(f))
        stage->made[stage->next % stage->slots] = false;
    return stage->next++;
}

/* Reading and writing make one step after the other, or all at once. */
static void count_made(struct flow *f, int s, int64_t step)
{
    struct flow_stage *stage = &f->stage[s];

    if (s == FLOW_READ && f->ended) {
        f->count = stage->next = step;
    } else if (s == FLOW_READ || s == flow_last(f)) {
        bool whole = s == FLOW_READ ? f->whole_in : f->whole_out;
        stage->next = stage->complete = whole ? f->count : step + 1;
    } else {
        stage->made[step % stage->slots] = true;
        while (stage->complete < stage->next && stage->made[stage->complete % stage->slots])
            stage->complete++;
    }
}

static void complete(struct flow *f, int task, int64_t step, double start)
{
    struct pipeline_times *times = &f->times;
    double now = clock_ms();

    if (task == FLOW_OPEN) {
        f->opened = true;
        times->at.opened = now;
        times->start_ms = now - start;
        return;
    }
    count_made(f, task, step);
    if (task == FLOW_READ) {
        f->reading = false;
        times->at.decoded = now;
        times->decode_ms += now - start;
    } else if (task == flow_last(f)) {
        f->writing = false;
        times->at.last_band = start;
        if (step == 0)
            times->at.first_band = start;
        times->encode_ms += now - start;
    } else {
        times->filter_ms += now - start;
    }
}

/* The progress of an endless flow is not known. */
static void tell_progress(const struct flow *f)
{
    int done = 0;

    if (f->count == FLOW_ENDLESS)
        return;
    for (int s = 0; s <= flow_last(f); s++)
        done += (int)f->stage[s].complete;
    f->progress->all = (f->filters + 2) * (int)f->count;
    f->progress->done = done;
}

/* Claims the task, does it with the lock released, and notes its completion. */
static void perform(struct flow *f, int task)
{
    int64_t step = claim(f, task);
    struct error err;
    double start;
    bool ok;

    /* A thread wakes one other thread, and only if a task is ready. */
    if (f->waiting > 0 && next_task(f) != NO_TASK)
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
    while (!f->failed && f->stage[flow_last(f)].complete < f->count) {
        int task = next_task(f);
        if (task != NO_TASK) {
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
    bool ok = true;

    f->err = err;
    for (int s = 0; s <= f->filters; s++) {
        f->stage[s].made = calloc((size_t)f->stage[s].slots, sizeof(bool));
        ok = ok && f->stage[s].made;
    }
    if (ok) {
        pthread_mutex_init(&f->lock, NULL);
        pthread_cond_init(&f->changed, NULL);
        parallel_for(f->workers, f->workers, work, f);
        pthread_cond_destroy(&f->changed);
        pthread_mutex_destroy(&f->lock);
    } else {
        error_set(err, EXIT_INPUT, "no memory for the pipeline");
    }
    for (int s = 0; s <= f->filters; s++)
        free(f->stage[s].made);
    return ok && !f->failed;
}
