/* What a kernel makes once for all jobs of one plan: the bands of a picture, on any threads, or
 * repeated passes. Whoever runs the jobs owns it: opened before the first, closed after the last
 * one. What it is only the kernel knows: each part is of one kind, made when it is first asked for.
 */
#ifndef STENCIL_KERNEL_KEPT_H
#define STENCIL_KERNEL_KEPT_H

#include <pthread.h>

enum kernel_kept_part {
    KEPT_PATH,
    KEPT_PATH_WEIGHTED, /* rows that are opaque go the other way */
    KEPT_FFT,
    KEPT_FFT_PRODUCTS,
    KEPT_REAL,
    KEPT_REAL_WEIGHTED,
    KEPT_ROUNDED,
    KEPT_PARTS
};

struct kernel_kept {
    pthread_mutex_t lock; /* held while a part is made; from then on it does not change */
    struct {
        void *data; /* NULL: not made yet */
        void (*release)(void *data);
    } part[KEPT_PARTS];
};

void kernel_kept_open(struct kernel_kept *kept);

/* That of the run, made by the first job that asks; NULL: no memory. */
void *kernel_kept_get(struct kernel_kept *kept, enum kernel_kept_part part,
                      void *(*make)(void *context), void *context, void (*release)(void *data));
void kernel_kept_close(struct kernel_kept *kept);

#endif
