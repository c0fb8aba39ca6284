/* The CUDA backend: finds the devices, hands out their lanes, starts them and keeps their buffers.
 * A machine without a driver has no devices. */
#include "cuda/device.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/planes.h"
#include "kernel/backend.h"

/* Device memory that stays free, because the context may still need it. */
#define SPARE_BYTES ((size_t)64 << 20)

static struct cuda_device devices[CUDA_MAX_DEVICES][CUDA_LANES];
static atomic_bool ready[CUDA_MAX_DEVICES];

bool cuda_worked(cudaError_t status)
{
    if (status != cudaSuccess)
        cudaGetLastError();
    return status == cudaSuccess;
}

int cuda_device_count(char *why, size_t why_bytes)
{
    static atomic_int known; /* devices do not change; a batch asks several times per file */
    int count = atomic_load(&known);
    cudaError_t status = count > 0 ? cudaSuccess : cudaGetDeviceCount(&count);

    if (!cuda_worked(status)) {
        int version = 0; /* stays 0 without a driver; CUDA's text then speaks of an old one */
        bool driver = cudaDriverGetVersion(&version) == cudaSuccess && version > 0;
        snprintf(why, why_bytes, "%s", driver ? cudaGetErrorString(status) : "no NVIDIA driver");
        return 0;
    }
    if (count == 0)
        snprintf(why, why_bytes, "no CUDA device");
    atomic_store(&known, count);
    return count < CUDA_MAX_DEVICES ? count : CUDA_MAX_DEVICES;
}

bool cuda_device_done(struct error *err, const struct cuda_device *device, cudaError_t status,
                      const char *format, ...)
{
    char what[128];
    va_list arguments;

    if (cuda_worked(status))
        return true;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(err, EXIT_INPUT, CUDA_NAME ":%d: %s: %s", device->index, what,
                     cudaGetErrorString(status));
}

/* ---- lanes ---- */

/* Every request draws a ticket. The lowest ticket is served as soon as enough lanes are free, and
 * all others wait: so many small jobs cannot block a large one, nor the other way round. A lane is
 * held for some tenths of a millisecond. */
struct door {
    uint64_t next_ticket, turn;
    bool taken[CUDA_LANES];
    int lanes; /* lanes taken; a holder of the whole device takes all */
};

static struct door doors[CUDA_MAX_DEVICES];
/* One lock for all devices is enough: it is held only for a moment. */
static pthread_mutex_t door_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t door_changed = PTHREAD_COND_INITIALIZER;

static int lanes_of(enum cuda_use use)
{
    return use == CUDA_ALONE ? CUDA_LANES : 1;
}

/* Waits for the caller's turn and for a free lane, and takes the lowest one. A caller that wants to
 * be alone waits until no lane is taken, and gets lane 0. */
static int lane_take(int index, enum cuda_use use)
{
    struct door *door = &doors[index];
    uint64_t ticket;
    int lane = 0;

    pthread_mutex_lock(&door_lock);
    ticket = door->next_ticket++;
    while (ticket != door->turn || door->lanes + lanes_of(use) > CUDA_LANES)
        pthread_cond_wait(&door_changed, &door_lock);
    door->turn++;
    while (door->taken[lane])
        lane++;
    door->taken[lane] = true;
    door->lanes += lanes_of(use);
    if (door->turn < door->next_ticket) /* there may be a lane for the next one too */
        pthread_cond_broadcast(&door_changed);
    pthread_mutex_unlock(&door_lock);
    return lane;
}

/* ---- devices ---- */

static bool device_start(struct cuda_device *device, int index, struct error *err)
{
    int shared = 0;
    cudaError_t status = cudaSuccess;

    if (!device->stream)
        status = cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking);
    for (int i = 0; status == cudaSuccess && i < 4; i++)
        if (!device->mark[i])
            status = cudaEventCreateWithFlags(&device->mark[i],
                                              i == 3 ? cudaEventBlockingSync : cudaEventDefault);
    if (!cuda_device_done(err, device, status, "cannot start"))
        return false;
    status = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, index);
    if (!cuda_device_done(err, device, status, "cannot ask for its shared memory"))
        return false;
    device->shared_limit = (size_t)shared;
    return true;
}

struct cuda_device *cuda_device_lock(int index, enum cuda_use use, struct error *err)
{
    struct cuda_device *device;
    cudaError_t status;

    if (!backend_check_cuda(index, NULL, err))
        return NULL;
    device = &devices[index][lane_take(index, use)];
    device->lane = (int)(device - devices[index]);
    device->use = use;
    device->index = index;
    status = cudaSetDevice(index);
    if (!cuda_worked(status)) {
        error_set(err, EXIT_DEVICE, CUDA_NAME ":%d cannot be used: %s", index,
                  cudaGetErrorString(status));
    } else if (device->shared_limit || device_start(device, index, err)) {
        atomic_store(&ready[index], true);
        return device;
    }
    cuda_device_unlock(device);
    return NULL;
}

void cuda_device_unlock(struct cuda_device *device)
{
    struct door *door = &doors[device->index];

    pthread_mutex_lock(&door_lock);
    door->taken[device->lane] = false;
    door->lanes -= lanes_of(device->use);
    if (door->turn < door->next_ticket)
        pthread_cond_broadcast(&door_changed);
    pthread_mutex_unlock(&door_lock);
}

bool cuda_device_is_ready(int index)
{
    bool any = false;

    for (int i = 0; i < CUDA_MAX_DEVICES; i++)
        any = any || ((index < 0 || i == index) && atomic_load(&ready[i]));
    return any;
}

/* ---- buffers ---- */

static void buffer_free(struct cuda_device *device, int number)
{
    cudaFree(device->buffer[number]);
    device->buffer[number] = NULL;
    device->buffer_bytes[number] = 0;
}

static cudaError_t buffer_reserve(struct cuda_device *device, int number, size_t bytes)
{
    cudaError_t status;
    if (device->buffer_bytes[number] >= bytes)
        return cudaSuccess;
    buffer_free(device, number);
    status = cudaMalloc(&device->buffer[number], bytes);
    if (cuda_worked(status)) /* a refused allocation does not spoil the context */
        device->buffer_bytes[number] = bytes;
    return status;
}

cudaError_t cuda_device_reserve(struct cuda_device *device, const size_t bytes[CUDA_BUFFERS])
{
    cudaError_t status = cudaErrorMemoryAllocation;
    for (int again = 0; again < 2 && status == cudaErrorMemoryAllocation; again++) {
        status = cudaSuccess;
        for (int i = 0; i < CUDA_BUFFERS; i++)
            CUDA_NEXT(status, buffer_reserve(device, i, bytes[i]));
        if (status == cudaErrorMemoryAllocation)
            cuda_device_release(device, true);
    }
    return status;
}

cudaError_t cuda_device_send_mask(struct cuda_device *device, size_t at, const void *weights,
                                  size_t bytes)
{
    size_t room[CUDA_BUFFERS] = {[BUFFER_MASK] = at + bytes};
    cudaError_t status = cuda_device_reserve(device, room);

    CUDA_NEXT(status, cudaMemcpyAsync((char *)device->buffer[BUFFER_MASK] + at, weights, bytes,
                                      cudaMemcpyHostToDevice, device->stream));
    return status;
}

void cuda_device_release(struct cuda_device *device, bool keep_mask)
{
    struct cuda_device *lane = device->use == CUDA_ALONE ? devices[device->index] : device;

    for (int k = 0; k < lanes_of(device->use); k++)
        for (int i = 0; i < CUDA_BUFFERS; i++)
            if (!keep_mask || i != BUFFER_MASK || &lane[k] != device)
                buffer_free(&lane[k], i);
}

size_t cuda_device_room(struct cuda_device *device, size_t limit)
{
    size_t available = 0, total;

    if (limit || device->use != CUDA_ALONE)
        return limit ? limit : CUDA_LANE_BYTES;
    cuda_worked(cudaMemGetInfo(&available, &total));
    for (int k = 0; k < CUDA_LANES; k++)
        for (int i = 0; i < CUDA_BUFFERS; i++)
            available += devices[device->index][k].buffer_bytes[i];
    return available > 2 * SPARE_BYTES ? available - SPARE_BYTES : available / 2;
}

/* ---- marks ---- */

cudaError_t cuda_device_finish(struct cuda_device *device, cudaError_t status,
                               struct kernel_times *times)
{
    float ms[3] = {0};

    CUDA_NEXT(status, cudaEventRecord(device->mark[3], device->stream));
    CUDA_NEXT(status, cudaEventSynchronize(device->mark[3]));
    for (int i = 0; i < 3; i++)
        CUDA_NEXT(status, cudaEventElapsedTime(&ms[i], device->mark[i], device->mark[i + 1]));
    if (status != cudaSuccess) /* copies may still use the host's memory */
        cuda_worked(cudaStreamSynchronize(device->stream));
    if (times) {
        times->upload_ms += (double)ms[0];
        times->kernel_ms += (double)ms[1];
        times->download_ms += (double)ms[2];
    }
    return status;
}

/* ---- the row of the backend table ---- */

static void describe(int index, char *text, size_t text_bytes)
{
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess) {
        snprintf(text, text_bytes, "%s", cudaGetErrorString(cudaGetLastError()));
        return;
    }
    snprintf(text, text_bytes, "%s, %.1f GB, compute capability %d.%d, %d multiprocessors",
             properties.name, (double)properties.totalGlobalMem * 1e-9, properties.major,
             properties.minor, properties.multiProcessorCount);
}

static bool start(int index, struct error *err)
{
    struct cuda_device *device = cuda_device_lock(index, CUDA_SHARED, err);
    if (!device)
        return false;
    cuda_device_unlock(device);
    return true;
}

/* ---- memory for pictures of the library ---- */

int cuda_device_enter(int index)
{
    int callers = index;

    cuda_worked(cudaGetDevice(&callers));
    if (callers != index)
        cuda_worked(cudaSetDevice(index));
    return callers;
}

void cuda_device_leave(int index, int callers)
{
    if (callers != index)
        cuda_worked(cudaSetDevice(callers));
}

static void *memory_take(int index, size_t bytes)
{
    const int callers = cuda_device_enter(index);
    void *memory = NULL;

    cuda_worked(cudaMalloc(&memory, bytes));
    cuda_device_leave(index, callers);
    return memory;
}

static void memory_give(int index, void *memory)
{
    const int callers = cuda_device_enter(index);

    cuda_worked(cudaFree(memory));
    cuda_device_leave(index, callers);
}

static bool memory_has(int index, const void *data)
{
    struct cudaPointerAttributes found;

    return cuda_worked(cudaPointerGetAttributes(&found, data)) && found.device == index &&
           (found.type == cudaMemoryTypeDevice || found.type == cudaMemoryTypeManaged);
}

static void release(void)
{
    struct error ignored;

    for (int i = 0; i < CUDA_MAX_DEVICES; i++) {
        struct cuda_device *device =
            cuda_device_is_ready(i) ? cuda_device_lock(i, CUDA_ALONE, &ignored) : NULL;
        if (!device)
            continue;
        cuda_device_release(device, false);
        cuda_device_unlock(device);
    }
    cuda_host_release();
}

const struct backend backend_cuda = {
    .device = DEVICE_CUDA,
    .name = CUDA_NAME,
    .software = CUDA_IN_SOFTWARE,
    .in_build = true,
    .devices = cuda_device_count,
    .describe = describe,
    .start = start,
    .is_ready = cuda_device_is_ready,
    .host_take = cuda_host_take,
    .host_give = cuda_host_give,
    .memory_take = memory_take,
    .memory_give = memory_give,
    .memory_has = memory_has,
    .release = release,
    .pass_ms = cuda_pass_ms,
    .probe = cuda_probe,
    .note = cuda_note,
};
