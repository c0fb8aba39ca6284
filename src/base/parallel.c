/* Threads for one loop (base/parallel.h). They are started anew for each call, which takes about
 * 30 us a thread: little compared with an image, and no state is left behind. */
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
