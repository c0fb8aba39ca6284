/* What the files of the GPU in software share: see soft_gpu.h. */
#ifndef STENCIL_SOFT_PARTS_H
#define STENCIL_SOFT_PARTS_H

#include "fake_cuda.h"
#include "soft_gpu.h"

/* ---- fibers: soft_fibers.c ---- */

struct soft_fiber {
    void *stack;   /* of SOFT_STACK_BYTES, below it a page that nobody may touch */
    void *context; /* where it goes on */
};
#define SOFT_STACK_BYTES (64 * 1024)

void soft_fiber_make(struct soft_fiber *fiber, void (*run)(void)); /* its stack may be there */
void soft_fiber_enter(struct soft_fiber *fiber);                   /* until it leaves */
void soft_fiber_leave(struct soft_fiber *fiber);

/* ---- threads: soft_syncthreads.c ---- */

#define SOFT_MAX_THREADS 1024 /* of a block */

/* SIZE threads, each of which calls RUN; the second runs them once, until all have ended. */
void soft_threads_make(const struct soft_index *size, void (*run)(const void *arguments),
                       const void *arguments);
void soft_threads_run(void);
int soft_thread_number(void); /* of the thread that runs, in its block */
void soft_thread_poll(void);  /* others first */

/* ---- soft_gpu.c ---- */

int soft_device(void);
unsigned soft_pick(unsigned below);
_Noreturn void soft_misuse(const char *what);

/* ---- copies: soft_copies.c ---- */

void soft_copies_begin(void);             /* a block */
void soft_copies_thread_ends(int thread); /* which must have waited for what it sent */
void soft_copies_end(void);               /* a block */

#endif
