/* Loops on several threads, and teams of kept threads (base/parallel.h). */
#include "base/parallel.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"

#define PIECES  97
#define THREADS 4

static atomic_int runs[PIECES];

static void count_run(void *context, int piece, int worker)
{
    atomic_int *wrong_workers = context;

    atomic_fetch_add(&runs[piece], 1);
    if (worker < 0 || worker >= THREADS)
        atomic_fetch_add(wrong_workers, 1);
}

/* Does a loop run each piece once? */
static bool loop_is_right(int threads, int pieces)
{
    atomic_int wrong_workers = 0;
    bool right = true;

    for (int i = 0; i < PIECES; i++)
        atomic_store(&runs[i], 0);
    parallel_for(threads, pieces, count_run, &wrong_workers);
    for (int i = 0; i < PIECES; i++)
        right = right && atomic_load(&runs[i]) == (i < pieces);
    return right && wrong_workers == 0;
}

static void each_piece_runs_once(void)
{
    struct team *const teams[] = {NULL, team_new()};

    for (int t = 0; t < 2; t++) {
        team_use(teams[t]);
        for (int threads = 1; threads <= THREADS; threads++)
            for (int pieces = 0; pieces <= PIECES; pieces++)
                CHECKF(loop_is_right(threads, pieces), "%d threads, %d pieces, team %d", threads,
                       pieces, t);
    }
    CHECK(team_use(NULL) == teams[1]);
    team_free(teams[1]);
    team_free(NULL);
}

static int threads_of_process(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;

    if (!folder)
        return -1;
    for (struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void threads_are_kept(void)
{
    struct team *team = team_new();
    const int before = threads_of_process();

    team_use(team);
    CHECK(threads_of_process() == before); /* none until a loop wants some */
    for (int i = 0; i < 200; i++) {
        CHECK(loop_is_right(THREADS, PIECES));
        CHECK(before < 0 || threads_of_process() == before + THREADS - 1);
    }
    team_use(NULL);
    team_free(team);
}

/* Waits until all workers of a loop are inside. */
static void meet(void *context, int piece, int worker)
{
    (void)piece;
    (void)worker;
    pthread_barrier_wait(context);
}

/* A loop that stalls unless the team's threads run beside the caller. */
static void threads_run_side_by_side(void)
{
    struct team *team = team_new();
    pthread_barrier_t barrier;

    pthread_barrier_init(&barrier, NULL, THREADS);
    team_use(team);
    for (int i = 0; i < 50; i++)
        parallel_for(THREADS, THREADS, meet, &barrier);
    team_use(NULL);
    team_free(team);
    pthread_barrier_destroy(&barrier);
    CHECK(true);
}

static void add_one(void *context, int piece, int worker)
{
    (void)piece;
    (void)worker;
    atomic_fetch_add((atomic_int *)context, 1);
}

static void run_inner(void *context, int piece, int worker)
{
    (void)piece;
    (void)worker;
    parallel_for(2, 5, add_one, context);
}

static void loops_within_loops(void)
{
    struct team *team = team_new();
    atomic_int sum = 0;

    team_use(team);
    for (int i = 0; i < 20; i++)
        parallel_for(THREADS, 7, run_inner, &sum);
    CHECK(team_use(NULL) == team);
    CHECK(sum == 20 * 7 * 5);
    team_free(team);
}

struct masked {
    pthread_barrier_t barrier; /* of both workers */
    bool blocked[2];
};

static void note_mask(void *context, int piece, int worker)
{
    struct masked *masked = context;
    sigset_t mask;

    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    masked->blocked[worker] = sigismember(&mask, SIGINT);
    meet(&masked->barrier, piece, worker);
}

/* A signal of the program must not run its handler on a thread of the library. */
static void threads_take_no_signals(void)
{
    struct team *team = team_new();
    struct masked masked = {.blocked = {false}};

    pthread_barrier_init(&masked.barrier, NULL, 2);
    team_use(team);
    parallel_for(2, 2, note_mask, &masked);
    CHECK(masked.blocked[0] != masked.blocked[1]);
    team_use(NULL);
    team_free(team);
    pthread_barrier_destroy(&masked.barrier);
}

static void a_child_begins_again(void)
{
    struct team *team = team_new();
    int status = -1;

    team_use(team);
    CHECK(loop_is_right(THREADS, PIECES));
    pid_t child = fork();
    if (child == 0) {
        bool right = loop_is_right(THREADS, PIECES) && threads_of_process() != 1;
        team_use(NULL);
        team_free(team);
        _exit(right ? 0 : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    CHECK(loop_is_right(THREADS, PIECES));
    team_use(NULL);
    team_free(team);

    team_use(team = team_new());
    CHECK(loop_is_right(THREADS, PIECES));
    child = fork();
    if (child == 0) {
        team_free(team); /* the threads are the parent's */
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    team_use(NULL);
    team_free(team);
}

int main(void)
{
    TEST(each_piece_runs_once);
    TEST(threads_are_kept);
    TEST(threads_run_side_by_side);
    TEST(loops_within_loops);
    TEST(threads_take_no_signals);
#ifdef __SANITIZE_THREAD__
    test_skip("a_child_begins_again", "the thread sanitizer does not support it");
#else
    TEST(a_child_begins_again);
#endif
    return test_finish();
}
