/* Pinned memory of the host, which a CUDA device copies from and to by itself: kept and
 * handed out again, since pinning takes about 0.3 ms a MB. For any threads; only in builds
 * with CUDA. */
#ifndef STENCIL_CUDA_HOST_H
#define STENCIL_CUDA_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* The most that is pinned at a time, and of that in one piece. */
#define CUDA_HOST_BYTES       ((size_t)512 << 20)
#define CUDA_HOST_PIECE_BYTES ((size_t)128 << 20)

/* BYTES for device INDEX, with rows of images aligned; NULL where the device has not been started
 * yet, where too much is in use, or where there is none. */
void *cuda_host_take(int index, size_t bytes);

/* Back; false: MEMORY is not from here. */
bool cuda_host_give(void *memory);

/* Unpins what nobody uses. */
void cuda_host_release(void);

#endif
