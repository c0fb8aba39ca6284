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

/* ---- kept threads ---- */

/* Threads that wait between loops. Starting a thread takes about 30 us, waking one a few. A team
 * has no threads until a loop wants some. Its threads take no signals of the process. After fork, a
 * team in the child begins again without threads. */
struct team;

/* NULL: there is no memory. */
struct team *team_new(void);

/* Ends the threads of a team that no loop uses. NULL is harmless. */
void team_free(struct team *team);

/* From now on the loops of this thread use TEAM, or start their threads anew if TEAM is NULL.
 * Returns the team before. A loop within a piece of a loop of several threads starts its threads
 * anew. */
struct team *team_use(struct team *team);

#endif
