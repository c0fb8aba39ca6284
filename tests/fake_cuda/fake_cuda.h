/* A CUDA runtime without a GPU, for tests of the host's half: as hostile as CUDA's rules allow.
 * The kernels run on the GPU in software, tests/soft_gpu.
 *
 *   streams    What is queued runs as late as possible, when somebody waits, and in any
 *              order that streams and events leave open: a missing wait shows as wrong bytes.
 *   memory     A device pointer leads to a page that nobody may touch; what a device
 *              holds stands elsewhere, on the heap, and begins as rubbish. A copy, or a
 *              kernel, that leaves its allocation or its device aborts with a sentence.
 *   host       Pinned memory is read and written when the copy runs, pageable memory at
 *              the call. Giving back memory that a queued copy uses aborts.
 *
 * One lock guards it; it may be used from any number of threads. */
#ifndef STENCIL_FAKE_CUDA_H
#define STENCIL_FAKE_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#define FAKE_DEVICES 4

/* ---- for tests ---- */

/* How many devices there are (2 at the start), and what each can hold (1 GB). */
void fake_cuda_devices(int count);
void fake_cuda_memory(size_t bytes);

/* The NTH call from now on of the function of that name (NULL: of any that may fail; "launch": of a
 * kernel) fails with ERROR, once; 0: none does. Those that wait or give back do so all the same. */
void fake_cuda_fail(const char *call, int nth, cudaError_t error);
bool fake_cuda_failed(void); /* it has come to that */

/* Once, who waits for a stream does so until STREAMS have work, or MS milliseconds are over. */
void fake_cuda_gather(int streams, int ms);

struct fake_cuda_counts {
    int streams, events;          /* that are there */
    int allocations, pinned;      /* of a device's and of the host's memory */
    int calls;                    /* of functions that may fail, so far */
    int mallocs, pins, mem_infos; /* of those: the slow ones */
    int launches, copies;
    int most_at_once; /* streams of a device that had work at a time, since the last question */
};
struct fake_cuda_counts fake_cuda_count(void);

/* ---- for its own files; with the lock held unless it says otherwise ---- */

struct fake_op;
typedef void fake_run(const void *arguments, int device);

void fake_lock(void);
void fake_unlock(void);
/* Sets the thread's last error and returns it. */
cudaError_t fake_error(cudaError_t error);
/* Is this call to fail? Counts it. */
bool fake_refused(const char *call, cudaError_t *error);
/* Without the lock: what every kernel's launch does. SIZE bytes of ARGUMENTS are kept. */
cudaError_t fake_launch(cudaStream_t stream, fake_run *run, const void *arguments, size_t size);
/* A copy is told its host memory, which must stay until then; else NULL. */
void fake_queue(cudaStream_t stream, fake_run *run, const void *arguments, size_t size,
                const void *host, size_t host_bytes);
void fake_drain(cudaStream_t stream);
void fake_drain_device(int device);
bool fake_is_pinned(const void *host, size_t bytes);
/* Aborts where a queued copy uses the memory. */
void fake_check_unused(const void *host, size_t bytes);
int fake_stream_device(cudaStream_t stream);
void fake_count_copy(void);
int fake_current_device(void); /* needs no lock */
/* What stands behind BYTES of a device's memory. */
void *fake_device_memory(const void *memory, size_t bytes, int device);
/* Lets kernels follow pointers into a device's memory, and ends it. */
void fake_open_device(int device, bool open);
#ifdef __cplusplus
[[noreturn]]
#else
_Noreturn
#endif
void fake_misuse(const char *what);

#endif
