/* Threads for one loop: see parallel.h. They are started per call (about 30 us
 * each), which is nothing beside an image and leaves no state behind. */
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_THREADS 1024

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
    pthread_t handle[MAX_THREADS];
    int started = 0;

    if (threads > pieces)
        threads = pieces;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    while (started < threads - 1 && pthread_create(&handle[started], NULL, loop_run, &loop) == 0)
        started++;
    loop_run(&loop);
    while (started > 0)
        pthread_join(handle[--started], NULL);
}

/* cgroup v2's "QUOTA PERIOD" or "max PERIOD"; 0 when there is no limit. */
static int cgroup_cpus(void)
{
    char line[64], *end;
    long long quota, period;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    bool have_line = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    if (!have_line)
        return 0;
    quota = strtoll(line, &end, 10);
    if (end == line || quota <= 0)
        return 0;
    period = strtoll(end, NULL, 10);
    if (period <= 0)
        return 0;
    return (int)((quota + period - 1) / period);
}

int parallel_cpus(void)
{
    cpu_set_t set;
    int cpus = 1, limit = cgroup_cpus();
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        cpus = CPU_COUNT(&set);
    if (limit > 0 && limit < cpus)
        cpus = limit;
    return cpus < 1 ? 1 : cpus;
}
