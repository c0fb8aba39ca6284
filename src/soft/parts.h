/* Shared by the files of the GPU in software: see soft_gpu.h. */
#ifndef STENCIL_SOFT_PARTS_H
#define STENCIL_SOFT_PARTS_H

#include "fake_cuda.h"
#include "soft/gpu.h"

/* ---- fibers: soft_fibers.c ---- */

struct soft_fiber {
    void *stack;   /* SOFT_STACK_BYTES, below them a page that may not be accessed */
    void *context; /* where it continues */
};
#define SOFT_STACK_BYTES (64 * 1024)

void soft_fiber_make(struct soft_fiber *fiber, void (*run)(void)); /* its stack may exist already */
void soft_fiber_enter(struct soft_fiber *fiber); /* returns when the fiber leaves */
void soft_fiber_leave(struct soft_fiber *fiber);

/* ---- threads: soft_syncthreads.c ---- */

#define SOFT_MAX_THREADS 1024 /* of a block */

/* Makes SIZE threads, each of which calls RUN; soft_threads_run runs them once, until all have
 * ended. */
void soft_threads_make(const struct soft_index *size, void (*run)(const void *arguments),
                       const void *arguments);
void soft_threads_run(void);
int soft_thread_number(void); /* the running thread's number in its block */
void soft_thread_poll(void);  /* lets other threads run */

/* ---- soft_gpu.c ---- */

int soft_device(void);
unsigned soft_pick(unsigned below);
_Noreturn void soft_misuse(const char *what);

/* ---- copies: soft_copies.c ---- */

void soft_copies_begin(void);             /* when a block begins */
void soft_copies_thread_ends(int thread); /* a thread must have waited for its outgoing copies */
void soft_copies_end(void);               /* when a block ends */

#endif
