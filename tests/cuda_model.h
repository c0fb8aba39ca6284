/* A model of CUDA's streams on the CPU, as hostile as the rules allow: what is queued
 * runs as late as possible and in any order that streams and events leave open. The
 * code under test is included after this header, which renames what it calls; so a
 * missing wait shows as wrong bytes on any machine. For one test program. */
#ifndef STENCIL_CUDA_MODEL_H
#define STENCIL_CUDA_MODEL_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../src/cuda_planes.h"

enum model_what { MODEL_COPY, MODEL_FILTER, MODEL_RECORD, MODEL_WAIT };

struct model_event {
    int recorded, done; /* how often: queued, and over */
};

struct model_step {
    enum model_what what;
    char *to; /* copy, and filter */
    const char *from;
    size_t to_pitch, from_pitch, width;
    int rows;
    struct model_event *event;
    int version;
    struct planes_strip strip;
    const struct kernel_job *job;
    struct model_step *next;
};

struct model_stream {
    struct model_step *first, *last;
    struct model_stream *next;
};

static pthread_mutex_t model_lock = PTHREAD_MUTEX_INITIALIZER;
static struct model_stream *model_streams;
static unsigned model_seed = 1;
static int model_pin_failures; /* of 100 */
static int model_pinned, model_launches, model_events;
static struct cuda_device model_device;

static unsigned model_random(unsigned below)
{
    model_seed = model_seed * 1664525u + 1013904223u;
    return (model_seed >> 16) % below;
}

/* ---- running ---- */

static void model_filter(const struct model_step *s)
{
    const struct kernel_job *whole = s->job;
    struct image in = *whole->in, out = *whole->in;
    struct kernel_job job = *whole;
    struct error err;

    in.data = (char *)(uintptr_t)s->from;
    out.data = s->to;
    in.pitch = out.pitch = s->to_pitch;
    in.height = s->strip.in_rows;
    out.height = s->strip.out_rows;
    job.in = &in;
    job.out = &out;
    job.in_first_row = s->strip.in_first;
    job.out_first_row = s->strip.out_first;
    if (!kernel_find("reference")->run(&job, &err))
        abort();
}

static bool model_ready(const struct model_stream *stream)
{
    const struct model_step *s = stream->first;
    return s && (s->what != MODEL_WAIT || s->event->done >= s->version);
}

/* One step of any stream that can go on; false: there is none. */
static bool model_advance(void)
{
    struct model_stream *ready[64];
    unsigned count = 0;
    struct model_step *s;

    for (struct model_stream *stream = model_streams; stream; stream = stream->next)
        if (model_ready(stream) && count < 64)
            ready[count++] = stream;
    if (count == 0)
        return false;
    struct model_stream *chosen = ready[model_random(count)];
    s = chosen->first;
    chosen->first = s->next;
    if (!s->next)
        chosen->last = NULL;
    if (s->what == MODEL_COPY)
        for (int y = 0; y < s->rows; y++)
            memmove(s->to + (size_t)y * s->to_pitch, s->from + (size_t)y * s->from_pitch, s->width);
    else if (s->what == MODEL_FILTER)
        model_filter(s);
    else if (s->what == MODEL_RECORD)
        s->event->done = s->version;
    free(s);
    return true;
}

static cudaError_t model_queue(cudaStream_t handle, const struct model_step *step)
{
    struct model_stream *stream = (struct model_stream *)handle;
    struct model_step *s = malloc(sizeof *s);
    if (!s)
        abort();
    *s = *step;
    s->next = NULL;
    if (stream->last)
        stream->last->next = s;
    else
        stream->first = s;
    stream->last = s;
    while (model_random(4) == 0 && model_advance())
        ;
    return cudaSuccess;
}

static void model_drain(const struct model_stream *stream)
{
    while (stream->first)
        if (!model_advance())
            abort(); /* streams wait for each other */
}

/* ---- the runtime's functions ---- */

static cudaError_t model_stream_create(cudaStream_t *handle, unsigned flags)
{
    struct model_stream *stream = calloc(1, sizeof *stream);
    (void)flags;
    pthread_mutex_lock(&model_lock);
    stream->next = model_streams;
    model_streams = stream;
    pthread_mutex_unlock(&model_lock);
    *handle = (cudaStream_t)stream;
    return cudaSuccess;
}

static cudaError_t model_stream_sync(cudaStream_t handle)
{
    pthread_mutex_lock(&model_lock);
    model_drain((struct model_stream *)handle);
    pthread_mutex_unlock(&model_lock);
    return cudaSuccess;
}

static cudaError_t model_stream_destroy(cudaStream_t handle)
{
    struct model_stream *stream = (struct model_stream *)handle, **place = &model_streams;
    pthread_mutex_lock(&model_lock);
    model_drain(stream);
    while (*place != stream)
        place = &(*place)->next;
    *place = stream->next;
    pthread_mutex_unlock(&model_lock);
    free(stream);
    return cudaSuccess;
}

static cudaError_t model_event_create(cudaEvent_t *event, unsigned flags)
{
    (void)flags;
    *event = (cudaEvent_t)calloc(1, sizeof(struct model_event));
    model_events++;
    return cudaSuccess;
}

static cudaError_t model_event_destroy(cudaEvent_t event)
{
    free(event);
    model_events--;
    return cudaSuccess;
}

static cudaError_t model_record(cudaEvent_t handle, cudaStream_t stream)
{
    struct model_event *event = (struct model_event *)handle;
    pthread_mutex_lock(&model_lock);
    model_queue(stream, &(struct model_step){
                            .what = MODEL_RECORD, .event = event, .version = ++event->recorded});
    pthread_mutex_unlock(&model_lock);
    return cudaSuccess;
}

static cudaError_t model_wait(cudaStream_t stream, cudaEvent_t handle, unsigned flags)
{
    struct model_event *event = (struct model_event *)handle;
    (void)flags;
    pthread_mutex_lock(&model_lock);
    model_queue(stream, &(struct model_step){
                            .what = MODEL_WAIT, .event = event, .version = event->recorded});
    pthread_mutex_unlock(&model_lock);
    return cudaSuccess;
}

static cudaError_t model_event_sync(cudaEvent_t handle)
{
    const struct model_event *event = (const struct model_event *)handle;
    int version;
    pthread_mutex_lock(&model_lock);
    version = event->recorded;
    while (event->done < version)
        if (!model_advance())
            abort();
    pthread_mutex_unlock(&model_lock);
    return cudaSuccess;
}

static cudaError_t model_elapsed(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
    const struct model_event *a = (const struct model_event *)begin,
                             *b = (const struct model_event *)end;
    bool over;
    pthread_mutex_lock(&model_lock);
    over = a->done == a->recorded && b->done == b->recorded && b->done > 0;
    pthread_mutex_unlock(&model_lock);
    *ms = 1;
    return over ? cudaSuccess : cudaErrorNotReady;
}

/* With one slot pinned all memory is taken for pinned: pageable memory leaves less open. */
static cudaError_t model_register(void *memory, size_t bytes, unsigned flags)
{
    bool refused;
    (void)memory, (void)bytes, (void)flags;
    pthread_mutex_lock(&model_lock);
    refused = (int)model_random(100) < model_pin_failures;
    model_pinned += !refused;
    pthread_mutex_unlock(&model_lock);
    return refused ? cudaErrorNotSupported : cudaSuccess;
}

static cudaError_t model_unregister(void *memory)
{
    (void)memory;
    pthread_mutex_lock(&model_lock);
    model_pinned--;
    pthread_mutex_unlock(&model_lock);
    return cudaSuccess;
}

/* Pageable memory has been read or written when the call returns. */
static cudaError_t model_copy(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t rows, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    pthread_mutex_lock(&model_lock);
    model_queue(stream, &(struct model_step){.what = MODEL_COPY,
                                             .to = to,
                                             .from = from,
                                             .to_pitch = to_pitch,
                                             .from_pitch = from_pitch,
                                             .width = width,
                                             .rows = (int)rows});
    if (kind != cudaMemcpyDeviceToDevice && model_pinned == 0)
        model_drain((struct model_stream *)stream);
    pthread_mutex_unlock(&model_lock);
    return cudaSuccess;
}

static cudaError_t model_filter_strip(const struct planes *planes, const struct planes_strip *strip)
{
    pthread_mutex_lock(&model_lock);
    model_launches++;
    model_queue(planes->device->stream,
                &(struct model_step){.what = MODEL_FILTER,
                                     .to = planes_device_image(planes, BUFFER_OUT, 0).data,
                                     .from = planes_device_image(planes, BUFFER_IN, 0).data,
                                     .to_pitch = planes->image_pitch,
                                     .strip = *strip,
                                     .job = planes->job});
    pthread_mutex_unlock(&model_lock);
    return cudaSuccess;
}

/* ---- the device ---- */

static struct cuda_device *model_device_lock(int index, struct error *err)
{
    if (index > 0) {
        error_set(err, EXIT_DEVICE, "cuda:%d is not there: a model", index);
        return NULL;
    }
    if (!model_device.stream && model_stream_create(&model_device.stream, 0) != cudaSuccess)
        abort();
    return &model_device;
}

static cudaError_t model_reserve(struct cuda_device *device, int number, size_t bytes)
{
    free(device->buffer[number]);
    device->buffer[number] = malloc(bytes + 1);
    memset(device->buffer[number], 0xAB, bytes + 1);
    return cudaSuccess;
}

static bool model_planes_init(struct planes *planes, struct error *err)
{
    (void)err;
    planes->image_pitch = (image_row_bytes(planes->job->in) + 32 + 255) / 256 * 256;
    planes->pad[0] = 14; /* even, for samples of 16 bits */
    planes->pad[1] = 6;
    return true;
}

#define cudaEventCreate(event)      model_event_create(event, 0)
#define cudaEventCreateWithFlags    model_event_create
#define cudaEventDestroy            model_event_destroy
#define cudaEventElapsedTime        model_elapsed
#define cudaEventRecord             model_record
#define cudaEventSynchronize        model_event_sync
#define cudaGetLastError()          ((void)0)
#define cudaHostRegister            model_register
#define cudaHostUnregister          model_unregister
#define cudaMemcpy2DAsync           model_copy
#define cudaSetDevice(index)        ((void)(index), cudaSuccess)
#define cudaStreamCreateWithFlags   model_stream_create
#define cudaStreamDestroy           model_stream_destroy
#define cudaStreamSynchronize       model_stream_sync
#define cudaStreamWaitEvent         model_wait
#define cuda_device_lock            model_device_lock
#define cuda_device_unlock(device)  ((void)(device))
#define cuda_device_reserve         model_reserve
#define planes_init                 model_planes_init
#define planes_free(planes)         ((void)(planes))
#define planes_filter_strip         model_filter_strip
#define cuda_strips_open            model_strips_open
#define cuda_strips_submit          model_strips_submit
#define cuda_strips_wait_uploaded   model_strips_wait_uploaded
#define cuda_strips_wait_downloaded model_strips_wait_downloaded
#define cuda_strips_close           model_strips_close

#endif
