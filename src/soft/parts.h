/* Private to src/soft: shared by the files of the software GPU (gpu.h) and of CUDA's runtime on
 * it (runtime.h). */
#ifndef STENCIL_SOFT_PARTS_H
#define STENCIL_SOFT_PARTS_H

#include "soft/gpu.h"
#include "soft/runtime.h"
#include "soft/threads.h"

/* ---- the grid: gpu.c ---- */

int soft_device(void);
/* The running thread breaks a rule: soft_break with its place, and then soft_thread_break. */
SOFT_NORETURN void soft_misuse(const char *what);

/* ---- bulk copies: bulk_copies.c ---- */

void soft_copies_begin(void); /* when a block begins */
void soft_copies_end(void);   /* when a block ends */

/* ---- the runtime: streams.c, memory.c, copies.c; called with the lock held, unless stated
 * otherwise ---- */

typedef void soft_work(const void *arguments, int device);

void soft_lock(void);
void soft_unlock(void);
/* Sets the thread's last error and returns it. Needs no lock. */
cudaError_t soft_error(cudaError_t error);
/* Whether the call must fail: after a broken rule, or because soft_settings refuses it. */
bool soft_refused(const char *call, cudaError_t *error);
/* Launches a kernel; called without the lock. Keeps a copy of SIZE bytes of ARGUMENTS. */
cudaError_t soft_launch_work(cudaStream_t stream, soft_work *run, const void *arguments,
                             size_t size);
/* Queues work. A copy passes its host memory, which must stay until then; other work passes
 * NULL. */
cudaError_t soft_queue(cudaStream_t stream, soft_work *run, const void *arguments, size_t size,
                       const void *host, size_t host_bytes);
void soft_drain(cudaStream_t stream);
void soft_drain_device(int device);
bool soft_is_pinned(const void *host, size_t bytes);
/* Whether no queued copy uses the memory; if one does, a rule is broken. */
bool soft_check_unused(const void *host, size_t bytes);
int soft_current_device(void); /* needs no lock */
/* The content of BYTES bytes of a device's memory; NULL if that breaks a rule. */
void *soft_device_memory(const void *memory, size_t bytes, int device);
/* Lets kernels follow pointers into a device's memory, or ends this. */
void soft_open_device(int device, bool open);
void soft_count_streams(struct soft_counts *counts);

#endif
