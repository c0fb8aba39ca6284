/* A clock for measuring how long something takes, and how far it is. */
#ifndef STENCIL_BASE_CLOCK_H
#define STENCIL_BASE_CLOCK_H

#include <stdatomic.h>
#include <time.h>

/* Milliseconds since some fixed moment. */
static inline double clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* How much of some work is done; another thread may read it at any time. */
struct progress {
    atomic_int done, all;
};

#endif
