/* One CUDA device as the kernels' host code sees it: a stream, events, what a
 * block may use, and device buffers that are kept from one picture to the next.
 * Only in builds with CUDA. */
#ifndef STENCIL_CUDA_DEVICE_H
#define STENCIL_CUDA_DEVICE_H

#include <cuda_runtime_api.h>

#include "error.h"

#define CUDA_MAX_DEVICES 16
#define CUDA_BUFFERS     9

struct cuda_device {
    int index;
    bool ready;
    cudaStream_t stream;
    cudaEvent_t mark[4]; /* before and after upload, kernel and download */
    size_t shared_limit; /* shared memory that one block may ask for, bytes */
    void *buffer[CUDA_BUFFERS];
    size_t buffer_bytes[CUDA_BUFFERS];
};

/* Locks device INDEX for the caller (one picture at a time on a device) and makes it the
 * thread's current device, starting it if need be. NULL and EXIT_DEVICE when it is not there. */
struct cuda_device *cuda_device_lock(int index, struct error *err);
void cuda_device_unlock(struct cuda_device *device);

/* At least BYTES in buffer NUMBER; its contents are lost when it grows. Returns CUDA's status,
 * cudaErrorMemoryAllocation (cleared) where the device has no room. */
cudaError_t cuda_device_reserve(struct cuda_device *device, int number, size_t bytes);

/* Exchanges two buffers. */
void cuda_device_swap(struct cuda_device *device, int first, int second);

/* Gives all buffers back but KEEP. */
void cuda_device_release(struct cuda_device *device, int keep);

/* Bytes free for buffers: what the device has free plus what the buffers hold already. */
size_t cuda_device_free_bytes(struct cuda_device *device);

/* STATUS as a sentence: "cuda:0: WHAT: out of memory"; EXIT_INPUT. */
bool cuda_device_error(struct error *err, const struct cuda_device *device, cudaError_t status,
                       const char *what);

/* 0 and why, or the number of devices (at most CUDA_MAX_DEVICES). */
int cuda_device_count(char *why, size_t why_bytes);

#endif
