/* A CUDA runtime without a GPU, for tests of the host code: as hostile as CUDA's rules allow. The
 * kernels run on the GPU in software, tests/soft_gpu.
 *
 *   streams    Queued work runs as late as possible, when a thread waits for it, and in any
 *              order that streams and events allow: a missing wait gives wrong bytes.
 *   memory     A device pointer points to a page that may not be accessed; the content of
 *              device memory is elsewhere on the heap and is rubbish at first. A copy or a
 *              kernel that leaves its allocation or its device aborts with a message.
 *   host       Pinned memory is read and written when the copy runs, pageable memory at
 *              the call. Freeing memory that a queued copy uses aborts.
 *
 * One lock protects everything; any number of threads may call. */
#ifndef STENCIL_FAKE_CUDA_H
#define STENCIL_FAKE_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#define FAKE_DEVICES 4

/* ---- for tests ---- */

/* The number of devices (2 at first), and the memory of each (1 GB). */
void fake_cuda_devices(int count);
void fake_cuda_memory(size_t bytes);

/* Lets the NTH call from now on of the function with this name (NULL: any that may fail; "launch":
 * a kernel launch) fail with ERROR, once; 0: none fails. A function that waits or frees still does
 * so. */
void fake_cuda_fail(const char *call, int nth, cudaError_t error);
bool fake_cuda_failed(void); /* the call has failed */

/* Once, a thread that waits for a stream waits until STREAMS streams have work, or for MS
 * milliseconds. */
void fake_cuda_gather(int streams, int ms);

struct fake_cuda_counts {
    int streams, events;          /* numbers of existing ones */
    int allocations, pinned;      /* of device memory and of host memory */
    int calls;                    /* calls so far of functions that may fail */
    int mallocs, pins, mem_infos; /* among these, the slow ones */
    int launches, copies;
    int most_at_once; /* most streams of a device with work at a time since the last question */
};
struct fake_cuda_counts fake_cuda_count(void);

/* ---- for files in this folder; called with the lock held, unless stated otherwise ---- */

struct fake_op;
typedef void fake_run(const void *arguments, int device);

void fake_lock(void);
void fake_unlock(void);
/* Sets the thread's last error and returns it. */
cudaError_t fake_error(cudaError_t error);
/* Counts the call and returns whether it must fail. */
bool fake_refused(const char *call, cudaError_t *error);
/* Launches a kernel; called without the lock. Keeps a copy of SIZE bytes of ARGUMENTS. */
cudaError_t fake_launch(cudaStream_t stream, fake_run *run, const void *arguments, size_t size);
/* Queues work. A copy passes its host memory, which must stay until then; other work passes
 * NULL. */
void fake_queue(cudaStream_t stream, fake_run *run, const void *arguments, size_t size,
                const void *host, size_t host_bytes);
void fake_drain(cudaStream_t stream);
void fake_drain_device(int device);
bool fake_is_pinned(const void *host, size_t bytes);
/* Aborts if a queued copy uses the memory. */
void fake_check_unused(const void *host, size_t bytes);
int fake_stream_device(cudaStream_t stream);
void fake_count_copy(void);
int fake_current_device(void); /* needs no lock */
/* The content of BYTES bytes of a device's memory. */
void *fake_device_memory(const void *memory, size_t bytes, int device);
/* Lets kernels follow pointers into a device's memory, or ends this. */
void fake_open_device(int device, bool open);
#ifdef __cplusplus
[[noreturn]]
#else
_Noreturn
#endif
void fake_misuse(const char *what);

#endif
