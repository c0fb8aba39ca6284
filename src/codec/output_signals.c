/* Signals that end a process: temporaries are removed before the program dies of the signal.
 *
 * A signal handler may use only atomics and a fixed table, so the temporaries' names are in a table
 * (codec/output_temporary.c). While the handler runs, another thread may create a file, and must
 * not do so after the handler has walked the table. Therefore the handler waits for threads that
 * are creating a file (`creating`), and no thread starts creating once the handler has begun
 * (`dying`). Creating threads block signals, so no handler waits for its own thread. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "codec/output.h"
#include "codec/output_temporary.h"

static atomic_int creating;
static atomic_bool dying;

/* All that a program can handle, but for faults of its own (SIGSEGV and its kin) and SIGPROF and
 * SIGVTALRM, which are for profilers. */
static const int deadly[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGALRM,  SIGUSR1,
                             SIGUSR2, SIGXCPU, SIGPOLL, SIGPWR,  SIGSTKFLT};

sigset_t output_deadly_signals(void)
{
    struct sigaction now;
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        if (sigaction(deadly[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, deadly[i]);
    return set;
}

/* Another thread is ending the process: does nothing until the process ends. */
void signals_wait_if_dying(void)
{
    while (atomic_load(&dying))
        pause();
}

sigset_t signals_hold(void)
{
    sigset_t set = output_deadly_signals(), before;

    pthread_sigmask(SIG_BLOCK, &set, &before);
    atomic_fetch_add(&creating, 1);
    if (atomic_load(&dying)) {
        atomic_fetch_sub(&creating, 1);
        signals_wait_if_dying();
    }
    return before;
}

void signals_release(const sigset_t *before)
{
    int error = errno;

    atomic_fetch_sub(&creating, 1);
    pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = error;
}

/* From here on only async-signal-safe calls and lock-free atomics. The handler waits at most one
 * second for a thread that is stuck in open(2) on a dead network drive. */
static void die_of(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t set;

    atomic_store(&dying, true);
    for (int i = 0; i < 1000 && atomic_load(&creating) > 0; i++)
        poll(NULL, 0, 1);
    temporary_unlink_all();
    sigaction(number, &action, NULL);
    raise(number);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void output_install_signal_handlers(void)
{
    struct sigaction action = {.sa_handler = die_of}, before;

    action.sa_mask = output_deadly_signals();
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        if (sigaction(deadly[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(deadly[i], &action, NULL); /* under nohup SIGHUP stays ignored */
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL); /* write(2) returns EPIPE instead */
    sigaction(SIGXFSZ, &action, NULL); /* write(2) returns EFBIG instead, if ulimit -f is set */
}
