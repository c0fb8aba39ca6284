/* Copies and fills: see fake_cuda.h. */
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"

struct copy {
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, width, height;
    enum cudaMemcpyKind kind;
    char *kept; /* content of pageable memory at the call */
};

static size_t extent(size_t pitch, size_t width, size_t height)
{
    return height ? (height - 1) * pitch + width : 0;
}

static void run_copy(const void *arguments, int device)
{
    const struct copy *c = arguments;
    char *to = c->to;
    const char *from = c->kept ? c->kept : c->from;

    if (c->kind != cudaMemcpyDeviceToHost)
        to = fake_device_memory(to, extent(c->to_pitch, c->width, c->height), device);
    if (c->kind != cudaMemcpyHostToDevice)
        from = fake_device_memory(from, extent(c->from_pitch, c->width, c->height), device);
    for (size_t y = 0; y < c->height; y++)
        memcpy(to + y * c->to_pitch, from + y * c->from_pitch, c->width);
    free(c->kept);
}

/* A copy reads or writes pinned memory later, but pageable memory before the call returns. */
static void queue_copy(struct copy *c, cudaStream_t stream)
{
    bool up = c->kind == cudaMemcpyHostToDevice, down = c->kind == cudaMemcpyDeviceToHost;
    const char *host = up ? c->from : down ? c->to : NULL;
    size_t bytes = extent(up ? c->from_pitch : c->to_pitch, c->width, c->height);
    bool pinned = host && bytes && fake_is_pinned(host, bytes);

    if (up && !pinned && bytes) {
        c->kept = malloc(bytes);
        if (!c->kept)
            abort();
        memcpy(c->kept, host, bytes);
    }
    fake_queue(stream, run_copy, c, sizeof *c, pinned ? host : NULL, bytes);
    if (down && !pinned)
        fake_drain(stream);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    struct copy copy = {to, from, to_pitch, from_pitch, width, height, kind, NULL};
    cudaError_t error = cudaSuccess;

    fake_lock();
    if (!fake_refused("cudaMemcpy2DAsync", &error)) {
        if (height > 1 && (to_pitch < width || (from_pitch < width && from_pitch != 0)))
            error = cudaErrorInvalidValue;
        else
            queue_copy(&copy, stream);
        fake_count_copy();
    }
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

struct fill {
    char *to;
    size_t pitch, width, height;
    int value;
};

static void run_fill(const void *arguments, int device)
{
    const struct fill *f = arguments;
    char *to = fake_device_memory(f->to, extent(f->pitch, f->width, f->height), device);
    for (size_t y = 0; y < f->height; y++)
        memset(to + y * f->pitch, f->value, f->width);
}

cudaError_t cudaMemset2DAsync(void *memory, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    struct fill fill = {memory, pitch, width, height, value};
    cudaError_t error = cudaSuccess;

    fake_lock();
    if (!fake_refused("cudaMemsetAsync", &error))
        fake_queue(stream, run_fill, &fill, sizeof fill, NULL, 0);
    fake_unlock();
    return fake_error(error);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    return cudaMemset2DAsync(memory, bytes, value, bytes, 1, stream);
}
