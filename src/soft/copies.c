/* Copies and fills: see soft/runtime.h. */
#include <stdlib.h>
#include <string.h>

#include "soft/parts.h"

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
        to = soft_device_memory(to, extent(c->to_pitch, c->width, c->height), device);
    if (c->kind != cudaMemcpyHostToDevice)
        from = soft_device_memory(from, extent(c->from_pitch, c->width, c->height), device);
    for (size_t y = 0; to && from && y < c->height; y++)
        memcpy(to + y * c->to_pitch, from + y * c->from_pitch, c->width);
    free(c->kept);
}

/* A copy reads or writes pinned memory later, but pageable memory before the call returns. */
static cudaError_t queue_copy(struct copy *c, cudaStream_t stream)
{
    bool up = c->kind == cudaMemcpyHostToDevice, down = c->kind == cudaMemcpyDeviceToHost;
    const char *host = up ? c->from : down ? c->to : NULL;
    size_t bytes = extent(up ? c->from_pitch : c->to_pitch, c->width, c->height);
    bool pinned = host && bytes && soft_is_pinned(host, bytes);
    cudaError_t error;

    if (up && !pinned && bytes) {
        c->kept = malloc(bytes);
        if (!c->kept)
            return cudaErrorMemoryAllocation;
        memcpy(c->kept, host, bytes);
    }
    error = soft_queue(stream, run_copy, c, sizeof *c, pinned ? host : NULL, bytes);
    if (down && !pinned)
        soft_drain(stream);
    return error;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    struct copy copy = {to, from, to_pitch, from_pitch, width, height, kind, NULL};
    cudaError_t error = cudaSuccess;

    soft_lock();
    if (!soft_refused("cudaMemcpy2DAsync", &error)) {
        if (height > 1 && (to_pitch < width || (from_pitch < width && from_pitch != 0)))
            error = cudaErrorInvalidValue;
        else
            error = queue_copy(&copy, stream);
    }
    soft_unlock();
    return soft_error(error);
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
    char *to = soft_device_memory(f->to, extent(f->pitch, f->width, f->height), device);
    for (size_t y = 0; to && y < f->height; y++)
        memset(to + y * f->pitch, f->value, f->width);
}

cudaError_t cudaMemset2DAsync(void *memory, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    struct fill fill = {memory, pitch, width, height, value};
    cudaError_t error = cudaSuccess;

    soft_lock();
    if (!soft_refused("cudaMemsetAsync", &error))
        error = soft_queue(stream, run_fill, &fill, sizeof fill, NULL, 0);
    soft_unlock();
    return soft_error(error);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    return cudaMemset2DAsync(memory, bytes, value, bytes, 1, stream);
}
