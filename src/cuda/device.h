/* A CUDA device as the kernels' host code sees it: a lane of one, which is a stream, events
 * and buffers of its own. Small pictures of several threads run beside each other, each in a lane;
 * what needs the device for itself has it alone. Only in builds with CUDA.
 *
 *      lane 0   | up | kernel | down |   | up | kernel | down |
 *      lane 1        | up | kernel | down |                        alone:   lane 0, the
 *      lane 2             | up | kernel | down |                   others wait
 *
 * Who asks first gets it first, lanes and the whole device alike, so nobody waits for ever. A
 * device of CUDA_LANES lanes keeps at most CUDA_LANES * CUDA_LANE_BYTES for pictures beside each
 * other. */
#ifndef STENCIL_CUDA_DEVICE_H
#define STENCIL_CUDA_DEVICE_H

#include <cuda_runtime_api.h>

#include "base/error.h"

/* The newest compute capability that the kernels are compiled for, times 10. A newer GPU makes
 * machine code of that one's PTX, where what needs more is left out. */
#ifndef CUDA_NEWEST_ARCH
#define CUDA_NEWEST_ARCH 999
#endif

#define CUDA_MAX_DEVICES 16
#define CUDA_BUFFERS     9

/* A picture that takes 10 ms of a core and more has the device for some tenths: more lanes would
 * stay empty. */
#define CUDA_LANES      8
#define CUDA_LANE_BYTES ((size_t)128 << 20)

/* A lane, for who has taken it. */
struct cuda_device {
    int index, lane;
    bool ready;
    bool alone; /* it has the other lanes too */
    cudaStream_t stream;
    /* Before and after upload, kernel and download. Who waits for the last sleeps: to be woken
     * takes tens of microseconds that a busy wait would not, but the core is free meanwhile for
     * those who decode and encode, also where only a share of its time is ours. To spin for a
     * moment first would not help: the two copies of a megapixel alone take 0.1 ms. */
    cudaEvent_t mark[4];
    size_t shared_limit; /* shared memory that one block may ask for, bytes */
    void *buffer[CUDA_BUFFERS];
    size_t buffer_bytes[CUDA_BUFFERS];
    /* What cuda_device_fill put into a buffer. */
    void *filled;
    size_t filled_bytes;
    int filled_number;
};

enum cuda_use {
    CUDA_SHARED, /* a lane, beside others */
    CUDA_ALONE,  /* the device; for kernels with weights in constant memory, which all lanes share,
                    for large buffers, and for measuring */
};

/* Takes a lane of device INDEX, or the device, for the caller, who may have to wait, and makes it
 * the thread's current device, starting it if need be. NULL and EXIT_DEVICE when it is not there.
 */
struct cuda_device *cuda_device_lock(int index, enum cuda_use use, struct error *err);
void cuda_device_unlock(struct cuda_device *device);

/* True when there is nothing left to start; INDEX -1: when any device has been started. */
bool cuda_device_is_ready(int index);

/* Around launches that say before how much shared memory a block may have, which is kept once for
 * all streams. */
void cuda_launch_lock(void);
void cuda_launch_unlock(void);

/* At least BYTES in buffer NUMBER; its contents are lost when it grows. Returns CUDA's status,
 * cudaErrorMemoryAllocation (cleared) where the device has no room. */
cudaError_t cuda_device_reserve(struct cuda_device *device, int number, size_t bytes);

/* Exchanges two buffers. */
void cuda_device_swap(struct cuda_device *device, int first, int second);

/* Buffer NUMBER holds BYTES of *CONTENT, which is malloc'ed and now the device's; *content becomes
 * what stays until the next call or release. The copy is queued, unless they are there already. */
cudaError_t cuda_device_fill(struct cuda_device *device, int number, void **content, size_t bytes);

/* After a failure: nothing is under way any more, and what buffers hold is not relied on. */
void cuda_device_settle(struct cuda_device *device);

/* Gives all buffers back but KEEP; who has the device alone, also those of all other lanes. */
void cuda_device_release(struct cuda_device *device, int keep);

/* Bytes free for buffers: what the device has free plus what those buffers hold already that
 * cuda_device_release gives back. */
size_t cuda_device_free_bytes(struct cuda_device *device);

/* STATUS as a sentence: "cuda:0: WHAT: out of memory"; EXIT_INPUT. */
bool cuda_device_error(struct error *err, const struct cuda_device *device, cudaError_t status,
                       const char *what);

/* 0 and why, or the number of devices (at most CUDA_MAX_DEVICES). */
int cuda_device_count(char *why, size_t why_bytes);

#endif
