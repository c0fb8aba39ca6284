/* Loops whose pieces are shared by threads. */
#ifndef STENCIL_BASE_PARALLEL_H
#define STENCIL_BASE_PARALLEL_H

#include "base/error.h"

/* Calls work(context, piece, worker) once for every piece in 0..pieces-1, on up to THREADS threads,
 * of which the caller is one. Worker is 0..threads-1, and each worker runs one piece at a time.
 * Pieces are handed out in order. If a thread cannot be started, the others do its work. */
void parallel_for(int threads, int pieces, void (*work)(void *context, int piece, int worker),
                  void *context);

/* The largest number of threads. */
#define PARALLEL_MOST 1024

#endif
