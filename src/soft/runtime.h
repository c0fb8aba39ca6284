/* CUDA's runtime on the software GPU (soft/gpu.h): as hostile as CUDA's rules allow.
 *
 *   streams    Queued work runs as late as possible, when a thread waits for it, and in any
 *              order that streams and events allow: a missing wait gives wrong bytes.
 *   memory     A device pointer points to a page that may not be accessed; the content of
 *              device memory is elsewhere and is rubbish at first. A copy or a kernel that
 *              leaves its allocation or its device breaks a rule.
 *   host       Pinned memory is read and written when the copy runs, pageable memory at
 *              the call. Freeing memory that a queued copy uses breaks a rule.
 *   rules      A broken rule ends the GPU's work for good: nothing more runs, every call fails
 *              with cudaErrorLaunchFailure, and cudaGetErrorString returns a sentence that
 *              names the rule.
 *
 * One lock protects everything; any number of threads may call. The program uses this runtime
 * through CUDA's own interface; this header is for tests, which make calls fail. */
#ifndef STENCIL_SOFT_RUNTIME_H
#define STENCIL_SOFT_RUNTIME_H

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>

#define SOFT_DEVICES 4 /* at most */

/* A test may change these with the lock held. The functions are called with the lock held, and may
 * be NULL. */
struct soft_settings {
    int devices;                    /* 1 at first */
    size_t memory_bytes;            /* of each device: 1 GB at first */
    int capability[SOFT_DEVICES];   /* a device's compute capability times 10: 90 at first */
    bool short_adder[SOFT_DEVICES]; /* its adder of products of halves keeps only 21 bits */
    /* Called by every function that may fail, with its name ("launch": a kernel launch). Returns
     * whether it fails, with *error. A function that waits or frees still does so. */
    bool (*refuses)(const char *call, cudaError_t *error);
    /* Work was queued, and BUSY streams of its device have work. Returns whether all of it must
     * wait until a thread waits for it. */
    bool (*queued)(int busy);
    void (*waits)(void);                  /* a thread is going to wait for a stream or an event */
    void (*broken)(const char *sentence); /* a rule was broken */
};
extern struct soft_settings soft_settings;
extern pthread_mutex_t soft_mutex; /* the lock */

/* The rest is called with the lock held. */

int soft_busy_streams(int device); /* streams of the device (-1: of all) that have work */

struct soft_counts {
    int streams, events, allocations, pinned; /* that exist; pinned: pieces of host memory */
};
struct soft_counts soft_count(void);

#endif
