/* The threads of a block as fibers, and what they need of the software GPU that runs them. Two
 * programs have such a GPU: stencilcli-soft (soft/gpu.c, for kernels that are trusted), and
 * stencilcli-try (src/try, for a student's kernels). */
#ifndef STENCIL_SOFT_THREADS_H
#define STENCIL_SOFT_THREADS_H

#include "soft/gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SOFT_NORETURN __attribute__((noreturn)) /* for C and C++ */

/* ---- fibers: fibers.c ---- */

struct soft_fiber {
    void *stack;   /* SOFT_STACK_BYTES, below them a page that may not be accessed */
    void *context; /* where it continues */
};
#define SOFT_STACK_BYTES (64 * 1024)

/* Its stack may exist already. False: no memory. */
bool soft_fiber_make(struct soft_fiber *fiber, void (*run)(void));
void soft_fiber_enter(struct soft_fiber *fiber); /* returns when the fiber leaves */
void soft_fiber_leave(struct soft_fiber *fiber);

/* ---- threads: syncthreads.c ---- */

#define SOFT_MAX_THREADS 1024 /* of a block */

/* Makes SIZE threads, each of which calls RUN; soft_threads_run runs them once, until all have
 * ended or a rule is broken. */
void soft_threads_make(const struct soft_index *size, void (*run)(const void *arguments),
                       const void *arguments);
void soft_threads_run(void);
int soft_thread_number(void);        /* the running thread's number in its block */
bool soft_in_thread(void);           /* does the caller run as one of these threads? */
const void *soft_thread_stack(void); /* the lowest byte of the running thread's stack */
/* The running thread has a part in the block's work. A barrier does not wait for threads that have
 * returned: those that never worked are no fault there. */
void soft_thread_works(void);
void soft_thread_poll(void);                /* lets other threads run */
SOFT_NORETURN void soft_thread_break(void); /* ends the running thread after soft_break */

/* ---- barriers ---- */

/* __syncthreads in the source's line LINE. */
void soft_block_wait_at(int line);

/* A barrier at which a block's threads wait, when it opens or when no thread can go on. */
struct soft_barrier {
    int waiting, ended;    /* threads that wait at it, threads that have returned */
    int line, thread;      /* where the first of the waiting threads waits */
    int other_line, other; /* a thread that waits elsewhere, or has worked and returned (0); -1:
                              there is none */
    int left;              /* a thread that has returned and never worked; -1: there is none */
};
/* NULL at first. Called before the threads go on. */
extern void (*soft_barrier_watch)(const struct soft_barrier *barrier);

/* ---- provided by the GPU ---- */

unsigned soft_pick(unsigned below); /* a number that chooses who runs next */
/* A rule is broken: the GPU's work ends. Only the first sentence is kept. */
void soft_break(const char *sentence);
bool soft_is_broken(void);
void soft_block_break(const char *what);  /* the running block breaks a rule: with its place */
void soft_copies_thread_ends(int thread); /* a thread must have waited for its outgoing copies */

#ifdef __cplusplus
}
#endif
#endif
