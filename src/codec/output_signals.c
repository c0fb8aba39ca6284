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

/* Faults of the process itself: blocking them would only hide them. */
static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};

/* Signals that end no process, or that no process can handle. */
static const int others[] = {SIGCHLD, SIGCONT, SIGURG,  SIGWINCH, SIGTSTP,
                             SIGTTIN, SIGTTOU, SIGSTOP, SIGKILL};

static sigset_t all_but(const int *numbers, size_t count)
{
    sigset_t set;

    sigfillset(&set);
    for (size_t i = 0; i < count; i++)
        sigdelset(&set, numbers[i]);
    return set;
}

static sigset_t all_but_faults(void)
{
    return all_but(faults, sizeof faults / sizeof *faults);
}

/* Another thread is ending the process: does nothing until the process ends. */
void signals_wait_if_dying(void)
{
    while (atomic_load(&dying))
        pause();
}

sigset_t signals_hold(void)
{
    sigset_t set = all_but_faults(), before;

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
void output_remove_temporaries(void)
{
    atomic_store(&dying, true);
    for (int i = 0; i < 1000 && atomic_load(&creating) > 0; i++)
        poll(NULL, 0, 1);
    temporary_unlink_all();
}

static void die_of(int number)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t set;

    output_remove_temporaries();
    sigaction(number, &action, NULL);
    raise(number);
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void output_install_signal_handlers(void)
{
    const sigset_t deadly = all_but(others, sizeof others / sizeof *others);
    struct sigaction action = {.sa_handler = die_of, .sa_mask = all_but_faults()}, before;

    for (int n = 1; n <= SIGRTMAX; n++) /* under nohup SIGHUP stays ignored */
        if (sigismember(&deadly, n) == 1 && sigaction(n, NULL, &before) == 0 &&
            before.sa_handler == SIG_DFL)
            sigaction(n, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL); /* write(2) returns EPIPE instead */
    sigaction(SIGXFSZ, &action, NULL); /* write(2) returns EFBIG instead, if ulimit -f is set */
}

sigset_t output_deadly_signals(void)
{
    sigset_t set = all_but_faults();
    struct sigaction now;

    for (int n = 1; n <= SIGRTMAX; n++)
        if (sigaction(n, NULL, &now) != 0 || now.sa_handler != die_of)
            sigdelset(&set, n);
    return set;
}
