/* The CUDA backend: which devices there are, getting one ready, and the buffers
 * kept on it. A machine without a driver is a machine without devices. */
#include "cuda_device.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "cuda_bench.h"

static struct cuda_device devices[CUDA_MAX_DEVICES];
static pthread_mutex_t locks[CUDA_MAX_DEVICES];
static pthread_once_t locks_once = PTHREAD_ONCE_INIT;

static void locks_init(void)
{
    for (int i = 0; i < CUDA_MAX_DEVICES; i++)
        pthread_mutex_init(&locks[i], NULL);
}

int cuda_device_count(char *why, size_t why_bytes)
{
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess) {
        cudaGetLastError();
        snprintf(why, why_bytes, "%s", cudaGetErrorString(status));
        return 0;
    }
    if (count == 0)
        snprintf(why, why_bytes, "no CUDA device");
    return count < CUDA_MAX_DEVICES ? count : CUDA_MAX_DEVICES;
}

bool cuda_device_error(struct error *err, const struct cuda_device *device, cudaError_t status,
                       const char *what)
{
    return error_set(err, EXIT_INPUT, "cuda:%d: %s: %s", device->index, what,
                     cudaGetErrorString(status));
}

static bool device_start(struct cuda_device *device, int index, struct error *err)
{
    int shared = 0;
    cudaError_t status = cudaSuccess;

    device->index = index;
    if ((status = cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking)) != cudaSuccess)
        return cuda_device_error(err, device, status, "cannot start");
    for (int i = 0; i < 4; i++)
        if ((status = cudaEventCreate(&device->mark[i])) != cudaSuccess)
            return cuda_device_error(err, device, status, "cannot start");
    status = cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, index);
    if (status != cudaSuccess)
        return cuda_device_error(err, device, status, "cannot ask for its shared memory");
    device->shared_limit = (size_t)shared;
    device->ready = true;
    return true;
}

struct cuda_device *cuda_device_lock(int index, struct error *err)
{
    char why[256] = "";
    int count = cuda_device_count(why, sizeof why);
    cudaError_t status;

    if (count == 0) {
        error_set(err, EXIT_DEVICE, "cuda:%d is not there: %s", index, why);
        return NULL;
    }
    if (index < 0 || index >= count) {
        error_set(err, EXIT_DEVICE, "cuda:%d is not there: this machine has %d CUDA device%s",
                  index, count, count == 1 ? "" : "s");
        return NULL;
    }
    pthread_once(&locks_once, locks_init);
    pthread_mutex_lock(&locks[index]);
    status = cudaSetDevice(index);
    if (status != cudaSuccess) {
        error_set(err, EXIT_DEVICE, "cuda:%d cannot be used: %s", index,
                  cudaGetErrorString(status));
    } else if (devices[index].ready || device_start(&devices[index], index, err)) {
        return &devices[index];
    }
    pthread_mutex_unlock(&locks[index]);
    return NULL;
}

void cuda_device_unlock(struct cuda_device *device)
{
    pthread_mutex_unlock(&locks[device->index]);
}

cudaError_t cuda_device_reserve(struct cuda_device *device, int number, size_t bytes)
{
    cudaError_t status;
    if (device->buffer_bytes[number] >= bytes)
        return cudaSuccess;
    cudaFree(device->buffer[number]);
    device->buffer[number] = NULL;
    device->buffer_bytes[number] = 0;
    status = cudaMalloc(&device->buffer[number], bytes);
    if (status == cudaSuccess)
        device->buffer_bytes[number] = bytes;
    else
        cudaGetLastError(); /* a refused allocation does not spoil the context */
    return status;
}

void cuda_device_swap(struct cuda_device *device, int first, int second)
{
    void *buffer = device->buffer[first];
    size_t bytes = device->buffer_bytes[first];
    device->buffer[first] = device->buffer[second];
    device->buffer_bytes[first] = device->buffer_bytes[second];
    device->buffer[second] = buffer;
    device->buffer_bytes[second] = bytes;
}

void cuda_device_release(struct cuda_device *device, int keep)
{
    for (int i = 0; i < CUDA_BUFFERS; i++) {
        if (i == keep)
            continue;
        cudaFree(device->buffer[i]);
        device->buffer[i] = NULL;
        device->buffer_bytes[i] = 0;
    }
}

size_t cuda_device_free_bytes(struct cuda_device *device)
{
    size_t available = 0, total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess)
        cudaGetLastError();
    for (int i = 0; i < CUDA_BUFFERS; i++)
        available += device->buffer_bytes[i];
    return available;
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
    struct cuda_device *device = cuda_device_lock(index, err);
    if (!device)
        return false;
    cuda_device_unlock(device);
    return true;
}

static void release(void)
{
    for (int i = 0; i < CUDA_MAX_DEVICES; i++)
        if (devices[i].ready && cudaSetDevice(i) == cudaSuccess)
            cuda_device_release(&devices[i], -1);
}

const struct backend backend_cuda = {
    .device = DEVICE_CUDA,
    .name = "cuda",
    .devices = cuda_device_count,
    .describe = describe,
    .start = start,
    .release = release,
    .probe = cuda_bench_probe,
};
