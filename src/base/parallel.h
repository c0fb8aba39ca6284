/* Work in pieces on threads. */
#ifndef STENCIL_BASE_PARALLEL_H
#define STENCIL_BASE_PARALLEL_H

#include "base/error.h"

/* Calls work(context, piece, worker) once for every piece in 0..pieces-1, from up to THREADS
 * threads (the caller is one of them); worker is 0..threads-1 and each worker runs one piece at a
 * time. Pieces are handed out in order. Threads that cannot be started are done without. */
void parallel_for(int threads, int pieces, void (*work)(void *context, int piece, int worker),
                  void *context);

/* The most threads that are ever used. */
#define PARALLEL_MOST 1024

#endif
