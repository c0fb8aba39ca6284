/* Streams and events: see fake_cuda.h. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_cuda.h"

struct fake_op {
    fake_run *run; /* NULL: an event, or a wait for an event */
    void *arguments;
    const char *host;
    size_t host_bytes;
    cudaEvent_t event;
    int version;
    bool waits;
    struct fake_op *next;
};

struct CUstream_st {
    int device;
    struct fake_op *first, *last;
    struct CUstream_st *next;
};

struct CUevent_st {
    int device, recorded, done; /* how often the event was queued, and how often it is done */
    unsigned flags;
    long long at; /* the clock when it was done */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gathered = PTHREAD_COND_INITIALIZER;
static struct CUstream_st *streams;
static unsigned seed = 1;
static long long ticks;
static int gather, gather_ms, launches, at_once;
static int stream_count, event_count;

void fake_lock(void)
{
    pthread_mutex_lock(&lock);
}

void fake_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void fake_misuse(const char *what)
{
    fprintf(stderr, "fake CUDA: %s\n", what);
    abort();
}

static unsigned pick(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % below;
}

/* ---- running ---- */

static bool ready(const struct CUstream_st *stream)
{
    const struct fake_op *op = stream->first;
    return op && (!op->waits || op->event->done >= op->version);
}

/* Runs one step of any stream that can continue; false if there is none. */
static bool advance(void)
{
    struct CUstream_st *chosen = NULL;
    struct fake_op *op;
    unsigned count = 0;

    for (struct CUstream_st *s = streams; s; s = s->next)
        if (ready(s) && pick(++count) == 0)
            chosen = s;
    if (!chosen)
        return false;
    op = chosen->first;
    ticks++;
    if (op->run) {
        op->run(op->arguments, chosen->device);
    } else if (!op->waits) {
        if (op->version > op->event->done)
            op->event->done = op->version;
        op->event->at = ticks;
    }
    chosen->first = op->next;
    if (!op->next)
        chosen->last = NULL;
    free(op->arguments);
    free(op);
    return true;
}

static int busy_streams(int device)
{
    int busy = 0;
    for (struct CUstream_st *s = streams; s; s = s->next)
        busy += s->first && (device < 0 || s->device == device);
    return busy;
}

static void append(cudaStream_t stream, struct fake_op *op)
{
    int busy;

    if (stream->last)
        stream->last->next = op;
    else
        stream->first = op;
    stream->last = op;
    busy = busy_streams(stream->device);
    at_once = busy > at_once ? busy : at_once;
    pthread_cond_broadcast(&gathered);
    while (gather == 0 && pick(4) == 0 && advance())
        ;
}

static struct fake_op *op_make(void)
{
    struct fake_op *op = calloc(1, sizeof *op);
    if (!op)
        abort();
    return op;
}

void fake_queue(cudaStream_t stream, fake_run *run, const void *arguments, size_t size,
                const void *host, size_t host_bytes)
{
    struct fake_op *op = op_make();
    op->run = run;
    op->arguments = malloc(size);
    if (!op->arguments)
        abort();
    memcpy(op->arguments, arguments, size);
    op->host = host;
    op->host_bytes = host_bytes;
    append(stream, op);
}

/* Waits for other threads, so that much work is queued at once. */
static void gather_streams(void)
{
    struct timespec until;
    int rc = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)gather_ms % 1000 * 1000000;
    until.tv_sec += gather_ms / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (rc == 0 && busy_streams(-1) < gather)
        rc = pthread_cond_timedwait(&gathered, &lock, &until);
    gather = 0;
    pthread_cond_broadcast(&gathered);
}

void fake_drain(cudaStream_t stream)
{
    if (stream->first)
        gather_streams();
    while (stream->first)
        if (!advance())
            fake_misuse("streams wait for each other");
}

void fake_drain_device(int device)
{
    for (struct CUstream_st *s = streams; s; s = s->next)
        while (s->device == device && s->first)
            if (!advance())
                fake_misuse("streams wait for each other");
}

void fake_check_unused(const void *host, size_t bytes)
{
    const char *begin = host;
    for (struct CUstream_st *s = streams; s; s = s->next)
        for (const struct fake_op *op = s->first; op; op = op->next)
            if (op->host && op->host < begin + bytes && begin < op->host + op->host_bytes)
                fake_misuse("host memory is given back while a copy uses it");
}

int fake_stream_device(cudaStream_t stream)
{
    return stream->device;
}

cudaError_t fake_launch(cudaStream_t stream, fake_run *run, const void *arguments, size_t size)
{
    cudaError_t error = cudaSuccess;

    fake_lock();
    launches++;
    if (fake_refused("launch", &error)) {
        fake_error(error);
    } else if (stream->device != fake_current_device()) {
        fake_error(cudaErrorInvalidResourceHandle);
    } else {
        fake_queue(stream, run, arguments, size, NULL, 0);
    }
    fake_unlock();
    return cudaGetLastError(); /* as kernel launches do */
}

/* ---- streams ---- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    cudaError_t error = cudaSuccess;

    fake_lock();
    if (!fake_refused("cudaStreamCreateWithFlags", &error)) {
        if (flags != cudaStreamNonBlocking)
            fake_misuse("a stream that waits for the default one");
        *stream = calloc(1, sizeof **stream);
        if (!*stream)
            abort();
        (*stream)->device = fake_current_device();
        (*stream)->next = streams;
        streams = *stream;
        stream_count++;
    }
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    fake_lock();
    fake_drain(stream);
    fake_refused("cudaStreamSynchronize", &error);
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    struct CUstream_st **place = &streams;

    fake_lock();
    fake_drain(stream);
    while (*place != stream)
        place = &(*place)->next;
    *place = stream->next;
    stream_count--;
    fake_unlock();
    free(stream);
    return cudaSuccess;
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    cudaError_t error = cudaSuccess;

    fake_lock();
    if (!fake_refused("cudaEventCreateWithFlags", &error)) {
        *event = calloc(1, sizeof **event);
        if (!*event)
            abort();
        (*event)->device = fake_current_device();
        (*event)->flags = flags;
        event_count++;
    }
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    fake_lock();
    for (struct CUstream_st *s = streams; s; s = s->next)
        for (const struct fake_op *op = s->first; op; op = op->next)
            if (op->event == event)
                fake_misuse("an event is destroyed while it is queued");
    event_count--;
    fake_unlock();
    free(event);
    return cudaSuccess;
}

/* With the lock held. */
static void queue_event(cudaStream_t stream, cudaEvent_t event, bool waits)
{
    struct fake_op *op = op_make();
    op->event = event;
    op->version = event->recorded;
    op->waits = waits;
    append(stream, op);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;

    fake_lock();
    if (event->device != stream->device) {
        error = cudaErrorInvalidResourceHandle;
    } else if (!fake_refused("cudaEventRecord", &error)) {
        event->recorded++;
        queue_event(stream, event, false);
    }
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t error = cudaSuccess;

    (void)flags;
    fake_lock();
    if (!fake_refused("cudaStreamWaitEvent", &error))
        queue_event(stream, event, true);
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t error = cudaSuccess;
    int version;

    fake_lock();
    version = event->recorded;
    gather_streams();
    while (event->done < version)
        if (!advance())
            fake_misuse("an event is waited for that cannot come");
    fake_refused("cudaEventSynchronize", &error);
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t error = cudaSuccess;

    fake_lock();
    if (!fake_refused("cudaEventElapsedTime", &error)) {
        if (((start->flags | end->flags) & cudaEventDisableTiming) || start->recorded == 0 ||
            end->recorded == 0)
            error = cudaErrorInvalidResourceHandle;
        else if (start->done < start->recorded || end->done < end->recorded)
            error = cudaErrorNotReady;
        else
            *ms = (float)(end->at - start->at) * 1e-3f;
    }
    fake_unlock();
    return fake_error(error);
}

/* ---- for tests ---- */

void fake_cuda_gather(int wanted, int ms)
{
    fake_lock();
    gather = wanted;
    gather_ms = ms;
    fake_unlock();
}

void fake_stream_counts(struct fake_cuda_counts *counts);

void fake_stream_counts(struct fake_cuda_counts *counts)
{
    counts->streams = stream_count;
    counts->events = event_count;
    counts->launches = launches;
    counts->most_at_once = at_once;
    at_once = 0;
}
