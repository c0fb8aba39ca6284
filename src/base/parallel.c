/* Threads for one loop, started anew or kept in a team (base/parallel.h). */
#include "base/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

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

/* ---- teams ---- */

struct team {
    pthread_mutex_t lock;
    pthread_cond_t begun, left; /* a loop begins, or the team ends; the last thread left a loop */
    struct loop *loop;
    int seats;   /* threads that may still join the loop */
    int inside;  /* threads that run its pieces */
    bool ended;  /* the threads end */
    pid_t owner; /* the process in which the threads run */
    int threads; /* how many there are */
    pthread_t thread[PARALLEL_MOST];
};

static _Thread_local struct team *used;

/* Joins loop after loop until the team ends. */
static void *member_run(void *argument)
{
    struct team *team = argument;

    pthread_mutex_lock(&team->lock);
    while (!team->ended) {
        if (team->seats == 0) {
            pthread_cond_wait(&team->begun, &team->lock);
            continue;
        }
        team->seats--;
        team->inside++;
        pthread_mutex_unlock(&team->lock);
        loop_run(team->loop);
        pthread_mutex_lock(&team->lock);
        if (--team->inside == 0)
            pthread_cond_signal(&team->left);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

static void team_begin(struct team *team)
{
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begun, NULL);
    pthread_cond_init(&team->left, NULL);
    team->owner = getpid();
    team->threads = 0;
    team->seats = team->inside = 0;
}

/* Starts threads until there are THREADS, or one cannot be started. */
static void team_grow(struct team *team, int threads)
{
    sigset_t all, before;

    if (team->owner != getpid())
        team_begin(team);
    if (team->threads >= threads)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (team->threads < threads &&
           pthread_create(&team->thread[team->threads], NULL, member_run, team) == 0)
        team->threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Runs LOOP on THREADS threads of the team besides the caller. A thread that wakes when all pieces
 * are handed out finds no seat, so the caller does not wait for it. */
static void team_run(struct team *team, struct loop *loop, int threads)
{
    team_grow(team, threads);
    pthread_mutex_lock(&team->lock);
    team->loop = loop;
    team->seats = threads;
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->lock);
    loop_run(loop);
    pthread_mutex_lock(&team->lock);
    team->seats = 0;
    while (team->inside > 0)
        pthread_cond_wait(&team->left, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

struct team *team_new(void)
{
    struct team *team = calloc(1, sizeof *team);

    if (team)
        team_begin(team);
    return team;
}

void team_free(struct team *team)
{
    if (!team)
        return;
    if (team->owner == getpid()) {
        pthread_mutex_lock(&team->lock);
        team->ended = true;
        pthread_cond_broadcast(&team->begun);
        pthread_mutex_unlock(&team->lock);
        while (team->threads > 0)
            pthread_join(team->thread[--team->threads], NULL);
        pthread_cond_destroy(&team->begun);
        pthread_cond_destroy(&team->left);
        pthread_mutex_destroy(&team->lock);
    }
    free(team);
}

struct team *team_use(struct team *team)
{
    struct team *before = used;

    used = team;
    return before;
}

/* ---- loops ---- */

static void run_on_new_threads(struct loop *loop, int threads)
{
    pthread_t handle[PARALLEL_MOST];
    int started = 0;

    while (started < threads && pthread_create(&handle[started], NULL, loop_run, loop) == 0)
        started++;
    loop_run(loop);
    while (started > 0)
        pthread_join(handle[--started], NULL);
}

void parallel_for(int threads, int pieces, void (*work)(void *context, int piece, int worker),
                  void *context)
{
    struct loop loop = {.work = work, .context = context, .pieces = pieces};
    struct team *team = used;

    if (threads > pieces)
        threads = pieces;
    if (threads > PARALLEL_MOST)
        threads = PARALLEL_MOST;
    if (threads <= 1) {
        loop_run(&loop);
        return;
    }
    used = NULL; /* the pieces that the caller runs must not use the team */
    if (team)
        team_run(team, &loop, threads - 1);
    else
        run_on_new_threads(&loop, threads - 1);
    used = team;
}
