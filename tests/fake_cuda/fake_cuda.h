/* For tests of CUDA's host half: settings of CUDA's runtime on the software GPU (soft/runtime.h)
 * that it has nowhere else: two devices, calls that fail on request, threads that wait for each
 * other, and counts of what is called. A broken rule ends the test. */
#ifndef STENCIL_FAKE_CUDA_H
#define STENCIL_FAKE_CUDA_H

#include "soft/runtime.h"

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

#endif
