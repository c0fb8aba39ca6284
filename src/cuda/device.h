/* A CUDA device as the kernels' host code sees it. A lane of a device has a stream, events and
 * buffers of its own. Small pictures of several threads run at the same time, each in a lane; work
 * that needs the whole device runs alone. Only in builds with CUDA.
 *
 *      lane 0   | up | kernel | down |   | up | kernel | down |
 *      lane 1        | up | kernel | down |                        alone:   lane 0, the
 *      lane 2             | up | kernel | down |                   others wait
 *
 * Requests for a lane or for the whole device are served in order, so none waits forever. Pictures
 * in lanes take at most CUDA_LANES * CUDA_LANE_BYTES of a device. */
#ifndef STENCIL_CUDA_DEVICE_H
#define STENCIL_CUDA_DEVICE_H

#include <cuda_runtime_api.h>

#include "base/error.h"
#include "kernel/kernel.h"

/* Makes CALL unless an earlier call has failed. The result of CALL is the new STATUS. */
#define CUDA_NEXT(status, call) ((status) = (status) == cudaSuccess ? (call) : (status))

/* Has a call worked? Clears an error: else the next launch would report it again. */
bool cuda_worked(cudaError_t status);

/* The name of the backend. The software GPU (soft/gpu.h) runs these files too. */
#ifdef SOFT_GPU
#define CUDA_NAME        "soft"
#define CUDA_IN_SOFTWARE true
#else
#define CUDA_NAME        "cuda"
#define CUDA_IN_SOFTWARE false
#endif

/* The newest compute capability that the kernels are compiled for, times 10. A newer GPU compiles
 * the PTX of that capability, which lacks code for newer ones. */
#ifndef CUDA_NEWEST_ARCH
#define CUDA_NEWEST_ARCH 999
#endif

#define CUDA_MAX_DEVICES 16

/* A picture takes a core 10 ms and more, but the device only some tenths of a millisecond: more
 * lanes would stay empty. */
#define CUDA_LANES      8
#define CUDA_LANE_BYTES ((size_t)128 << 20)

/* The device's buffers. */
enum cuda_buffer {
    BUFFER_IN,       /* input pixels, or a signal's cells */
    BUFFER_OUT,      /* output pixels, in turn with IN and as large; or a signal's sums */
    BUFFER_STEP,     /* pixels: the output of a step that is not the last, as large as IN */
    BUFFER_PLANE,    /* one channel of the input */
    BUFFER_SUM,      /* sums of PLANE (gx of a gradient) */
    BUFFER_SUM2,     /* gy of a gradient */
    BUFFER_COVERAGE, /* weighted alpha: sums of w*a */
    BUFFER_LOW,      /* weighted alpha: sums of w*c*a, or of the low halves of c*a */
    BUFFER_MASK,     /* the weights, for kernels that read them from global memory */
    BUFFER_HIGH,     /* weighted alpha past 62 bits: sums of the high halves */
    CUDA_BUFFERS,
};

enum cuda_use {
    CUDA_SHARED, /* one lane; the others stay usable */
    CUDA_ALONE,  /* the device; for kernels with weights in constant memory, which all lanes share,
                    for large buffers, and for measuring */
};

/* A lane, as its holder sees it. */
struct cuda_device {
    int index, lane;
    enum cuda_use use; /* CUDA_ALONE: its holder has the other lanes too */
    cudaStream_t stream;
    /* Before the upload, before the kernel, before the download, and at the end. A thread that
     * waits for the last mark sleeps. Waking it takes tens of microseconds more than a busy wait,
     * but meanwhile its core can decode and encode. A short busy wait before would not help: the
     * two copies of a megapixel alone take 0.1 ms. */
    cudaEvent_t mark[4];
    size_t shared_limit; /* bytes of shared memory that a block may ask for; 0: not started */
    void *buffer[CUDA_BUFFERS];
    size_t buffer_bytes[CUDA_BUFFERS];
};

/* Takes a lane of device INDEX, or the whole device; the caller may have to wait. The device
 * becomes the thread's current device and is started if necessary. NULL and EXIT_DEVICE if the
 * device does not exist. */
struct cuda_device *cuda_device_lock(int index, enum cuda_use use, struct error *err);
void cuda_device_unlock(struct cuda_device *device);

/* Has the device been started? INDEX -1: has any device been started? */
bool cuda_device_is_ready(int index);

/* Makes buffer i at least bytes[i] large; a buffer that grows loses its contents. If the device has
 * no room, buffers of earlier pictures are freed first. Returns cudaErrorMemoryAllocation (cleared)
 * if there is still no room. */
cudaError_t cuda_device_reserve(struct cuda_device *device, const size_t bytes[CUDA_BUFFERS]);

/* Sends a mask's WEIGHTS to byte AT of BUFFER_MASK. */
cudaError_t cuda_device_send_mask(struct cuda_device *device, size_t at, const void *weights,
                                  size_t bytes);

/* Frees all buffers, with KEEP_MASK except BUFFER_MASK. A holder of the whole device also frees the
 * buffers of all other lanes. */
void cuda_device_release(struct cuda_device *device, bool keep_mask);

/* Bytes that a run's buffers may take together. LIMIT if it is not 0; else CUDA_LANE_BYTES in a
 * lane; else the memory of the device that is free or in its buffers, less a spare for the
 * context. */
size_t cuda_device_room(struct cuda_device *device, size_t limit);

/* Ends a run that began with mark 0; STATUS is its result so far. Waits for mark 3, after a failure
 * for the whole stream, and adds the times between the marks to TIMES (may be NULL). */
cudaError_t cuda_device_finish(struct cuda_device *device, cudaError_t status,
                               struct kernel_times *times);

/* Is STATUS success? If not, ERR gets a sentence such as "cuda:0: the basic kernel failed: out of
 * memory", with EXIT_INPUT. */
__attribute__((format(printf, 4, 5))) bool cuda_device_done(struct error *err,
                                                            const struct cuda_device *device,
                                                            cudaError_t status, const char *format,
                                                            ...);

/* Between these two, device INDEX is the thread's current device; afterwards it is the caller's
 * again. */
int cuda_device_enter(int index);
void cuda_device_leave(int index, int callers);

/* The number of devices, at most CUDA_MAX_DEVICES; if it is 0, WHY gets the reason. */
int cuda_device_count(char *why, size_t why_bytes);

/* ---- pinned memory of the host (cuda/pinned.c) ---- */

/* A device copies from and to pinned memory without the CPU. The memory is kept and reused, since
 * pinning takes about 0.3 ms per MB. Any thread may call. The limits hold for all memory pinned at
 * one time, and for one chunk. */
#define CUDA_HOST_BYTES       ((size_t)512 << 20)
#define CUDA_HOST_CHUNK_BYTES ((size_t)128 << 20)

/* Takes BYTES for device INDEX, aligned for rows of images. NULL if the device is not started, if
 * too much is in use, or if there is no memory. */
void *cuda_host_take(int index, size_t bytes);

/* Gives MEMORY back; false if it is not from here. */
bool cuda_host_give(void *memory);

/* Unpins all unused memory. */
void cuda_host_release(void);

#endif
