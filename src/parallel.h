/* Work in pieces on threads. */
#ifndef STENCIL_PARALLEL_H
#define STENCIL_PARALLEL_H

#include "error.h"

/* Calls work(context, piece, worker) once for every piece in 0..pieces-1, from up to THREADS
 * threads (the caller is one of them); worker is 0..threads-1 and each worker runs one piece at a
 * time. Pieces are handed out in order. Threads that cannot be started are done without. */
void parallel_for(int threads, int pieces, void (*work)(void *context, int piece, int worker),
                  void *context);

/* The most threads that are ever used. */
#define PARALLEL_MOST 1024

/* The CPUs that this process may use, at least 1: the least of its affinity, the quotas of its
 * cgroups, SLURM_CPUS_PER_TASK and OMP_NUM_THREADS. (parallel_cpus.c) */
int parallel_cpus(void);

#endif
