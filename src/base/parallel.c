/* Threads for one loop: see base/parallel.h. They are started per call (about 30 us
 * each), which is nothing beside an image and leaves no state behind. */
#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

struct loop {
    void (*work)(void *context, int piece, int worker);
    void *context;
    int pieces;
    atomic_int next_piece;
    atomic_int next_worker;
};

static void *loop_run(void *argument)
{
    struct loop *loop = argument;
    int worker = atomic_fetch_add(&loop->next_worker, 1);
    int piece;
    while ((piece = atomic_fetch_add(&loop->next_piece, 1)) < loop->pieces)
        loop->work(loop->context, piece, worker);
    return NULL;
}

void parallel_for(int threads, int pieces, void (*work)(void *context, int piece, int worker),
                  void *context)
{
    struct loop loop = {.work = work, .context = context, .pieces = pieces};
    pthread_t handle[PARALLEL_MOST];
    int started = 0;

    if (threads > pieces)
        threads = pieces;
    if (threads > PARALLEL_MOST)
        threads = PARALLEL_MOST;
    while (started < threads - 1 && pthread_create(&handle[started], NULL, loop_run, &loop) == 0)
        started++;
    loop_run(&loop);
    while (started > 0)
        pthread_join(handle[--started], NULL);
}
