/* Streams and events: see soft/runtime.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "soft/parts.h"

struct operation {
    soft_work *run; /* NULL: an event, or a wait for an event */
    void *arguments;
    const char *host;
    size_t host_bytes;
    cudaEvent_t event;
    int version;
    bool waits;
    struct operation *next;
};

struct CUstream_st {
    int device;
    struct operation *first, *last;
    struct CUstream_st *next;
};

struct CUevent_st {
    int device, recorded, done; /* how often the event was queued, and how often it is done */
    unsigned flags;
    double at_ms; /* the clock when it was done */
};

pthread_mutex_t soft_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct CUstream_st *streams;
static unsigned seed = 1;
static int event_count;

void soft_lock(void)
{
    pthread_mutex_lock(&soft_mutex);
}

void soft_unlock(void)
{
    pthread_mutex_unlock(&soft_mutex);
}

static unsigned pick(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % below;
}

/* ---- running ---- */

static bool ready(const struct CUstream_st *stream)
{
    const struct operation *op = stream->first;
    return op && (!op->waits || op->event->done >= op->version);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Runs one step of any stream that can continue; false if there is none. After a broken rule
 * nothing runs any more. */
static bool advance(void)
{
    struct CUstream_st *chosen = NULL;
    struct operation *op;
    unsigned count = 0;

    for (struct CUstream_st *s = streams; s; s = s->next)
        if (ready(s) && pick(++count) == 0)
            chosen = s;
    if (!chosen)
        return false;
    op = chosen->first;
    if (op->run) {
        if (!soft_is_broken())
            op->run(op->arguments, chosen->device);
    } else if (!op->waits) {
        if (op->version > op->event->done)
            op->event->done = op->version;
        op->event->at_ms = now_ms();
    }
    chosen->first = op->next;
    if (!op->next)
        chosen->last = NULL;
    free(op->arguments);
    free(op);
    return true;
}

int soft_busy_streams(int device)
{
    int busy = 0;
    for (struct CUstream_st *s = streams; s; s = s->next)
        busy += s->first && (device < 0 || s->device == device);
    return busy;
}

static void append(cudaStream_t stream, struct operation *op)
{
    if (stream->last)
        stream->last->next = op;
    else
        stream->first = op;
    stream->last = op;
    if (soft_settings.queued && soft_settings.queued(soft_busy_streams(stream->device)))
        return;
    while (pick(4) == 0 && advance())
        ;
}

cudaError_t soft_queue(cudaStream_t stream, soft_work *run, const void *arguments, size_t size,
                       const void *host, size_t host_bytes)
{
    struct operation *op = calloc(1, sizeof *op);
    void *kept = malloc(size);

    if (!op || !kept) {
        free(op);
        free(kept);
        return cudaErrorMemoryAllocation;
    }
    memcpy(kept, arguments, size);
    op->run = run;
    op->arguments = kept;
    op->host = host;
    op->host_bytes = host_bytes;
    append(stream, op);
    return cudaSuccess;
}

void soft_drain(cudaStream_t stream)
{
    if (stream->first && soft_settings.waits)
        soft_settings.waits();
    while (stream->first && advance())
        ;
    if (stream->first)
        soft_break("streams wait for each other");
}

void soft_drain_device(int device)
{
    for (struct CUstream_st *s = streams; s; s = s->next) {
        while (s->device == device && s->first && advance())
            ;
        if (s->device == device && s->first)
            soft_break("streams wait for each other");
    }
}

bool soft_check_unused(const void *host, size_t bytes)
{
    const char *begin = host;
    bool used = false;
    for (struct CUstream_st *s = streams; s; s = s->next)
        for (const struct operation *op = s->first; op; op = op->next)
            used |= op->host && op->host < begin + bytes && begin < op->host + op->host_bytes;
    if (used)
        soft_break("host memory is given back while a copy uses it");
    return !used;
}

cudaError_t soft_launch_work(cudaStream_t stream, soft_work *run, const void *arguments,
                             size_t size)
{
    cudaError_t error = cudaSuccess;

    soft_lock();
    if (soft_refused("launch", &error)) {
        soft_error(error);
    } else if (stream->device != soft_current_device()) {
        soft_error(cudaErrorInvalidResourceHandle);
    } else {
        soft_error(soft_queue(stream, run, arguments, size, NULL, 0));
    }
    soft_unlock();
    return cudaGetLastError(); /* as kernel launches do */
}

/* ---- streams ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    cudaError_t error = cudaSuccess;

    soft_lock();
    if (!soft_refused("cudaStreamCreateWithFlags", &error)) {
        if (flags != cudaStreamNonBlocking)
            soft_break("a stream is made that waits for the default one");
        *stream = calloc(1, sizeof **stream);
        if (*stream) {
            (*stream)->device = soft_current_device();
            (*stream)->next = streams;
            streams = *stream;
        } else {
            error = cudaErrorMemoryAllocation;
        }
    }
    soft_unlock();
    return soft_error(error);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    soft_lock();
    soft_drain(stream);
    soft_refused("cudaStreamSynchronize", &error);
    soft_unlock();
    return soft_error(error);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    struct CUstream_st **place = &streams;

    soft_lock();
    soft_drain(stream);
    while (*place != stream)
        place = &(*place)->next;
    *place = stream->next;
    soft_unlock();
    free(stream);
    return cudaSuccess;
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    cudaError_t error = cudaSuccess;

    soft_lock();
    if (!soft_refused("cudaEventCreateWithFlags", &error)) {
        *event = calloc(1, sizeof **event);
        if (*event) {
            (*event)->device = soft_current_device();
            (*event)->flags = flags;
            event_count++;
        } else {
            error = cudaErrorMemoryAllocation;
        }
    }
    soft_unlock();
    return soft_error(error);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    bool queued = false;

    soft_lock();
    for (struct CUstream_st *s = streams; s; s = s->next)
        for (const struct operation *op = s->first; op; op = op->next)
            queued |= op->event == event;
    if (queued)
        soft_break("an event is destroyed while it is queued");
    else
        event_count--;
    soft_unlock();
    if (!queued)
        free(event);
    return cudaSuccess;
}

/* Queues the event as it will be recorded for the VERSION-th time, or a wait for it. With the lock
 * held. */
static cudaError_t queue_event(cudaStream_t stream, cudaEvent_t event, int version, bool waits)
{
    struct operation *op = calloc(1, sizeof *op);

    if (!op)
        return cudaErrorMemoryAllocation;
    op->event = event;
    op->version = event->recorded = version;
    op->waits = waits;
    append(stream, op);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    soft_lock();
    if (!stream) { /* the default one, which holds no work here */
        event->done = ++event->recorded;
        event->at_ms = now_ms();
    } else if (event->device != stream->device) {
        error = cudaErrorInvalidResourceHandle;
    } else if (!soft_refused("cudaEventRecord", &error)) {
        error = queue_event(stream, event, event->recorded + 1, false);
    }
    soft_unlock();
    return soft_error(error);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t error = cudaSuccess;

    (void)flags;
    soft_lock();
    if (soft_refused("cudaStreamWaitEvent", &error))
        ;
    else if (!stream) /* the default one */
        while (event->done < event->recorded && advance())
            ;
    else
        error = queue_event(stream, event, event->recorded, true);
    soft_unlock();
    return soft_error(error);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t error = cudaSuccess;
    int version;

    soft_lock();
    version = event->recorded;
    if (soft_settings.waits)
        soft_settings.waits();
    while (event->done < version && advance())
        ;
    if (event->done < version)
        soft_break("an event is waited for that cannot come");
    soft_refused("cudaEventSynchronize", &error);
    soft_unlock();
    return soft_error(error);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t error = cudaSuccess;

    soft_lock();
    if (!soft_refused("cudaEventElapsedTime", &error)) {
        if (((start->flags | end->flags) & cudaEventDisableTiming) || start->recorded == 0 ||
            end->recorded == 0)
            error = cudaErrorInvalidResourceHandle;
        else if (start->done < start->recorded || end->done < end->recorded)
            error = cudaErrorNotReady;
        else
            *ms = (float)(end->at_ms - start->at_ms);
    }
    soft_unlock();
    return soft_error(error);
}

void soft_count_streams(struct soft_counts *counts)
{
    for (const struct CUstream_st *s = streams; s; s = s->next)
        counts->streams++;
    counts->events = event_count;
}
