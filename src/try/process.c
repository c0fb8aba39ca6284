/* Child processes and the scratch folder: see process.h. */
#include "try/process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

static volatile sig_atomic_t asked;
static volatile pid_t running;

static void handle(int number)
{
    asked = number;
    if (running > 0)
        kill(-running, SIGKILL);
}

double process_cpu_seconds(void)
{
    struct timespec used = {0};
    clockid_t clock;

    if (running > 0 && clock_getcpuclockid(running, &clock) == 0)
        clock_gettime(clock, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

int process_signal(void)
{
    return asked;
}

void process_install(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = handle};
    struct sigaction before;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* it waits for its grandchildren, too */
}

static void run_child(const struct process *process, int out)
{
    const int null = open("/dev/null", O_RDONLY);

    setpgid(0, 0);
    dup2(null, 0);
    dup2(out, 1);
    dup2(out, 2);
    for (int fd = 3; fd < 256; fd++)
        close(fd);
    process->run(process->context);
    _exit(0);
}

/* Reads what there is; false at its end. */
static bool read_output(struct process *process, int from)
{
    char text[4096];
    const ssize_t n = read(from, text, sizeof text);

    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    if (process->printed && (size_t)n > process->most)
        fwrite(text, 1, process->most, process->printed);
    else if (process->printed)
        fwrite(text, 1, (size_t)n, process->printed);
    process->most -= (size_t)n > process->most ? process->most : (size_t)n;
    return n > 0;
}

/* Ends what the child may have left, and waits for its end, for at most two seconds. */
static void reap(void)
{
    for (int i = 0; i < 200; i++) {
        kill(-running, SIGKILL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        if (waitpid(-1, NULL, WNOHANG) < 0)
            return;
        poll(NULL, 0, 10);
    }
}

static enum process_end wait_for(struct process *process, int from)
{
    const double start = clock_ms();
    enum process_end end = PROCESS_ENDED;
    bool open = true;

    for (int pause = 1;; pause = pause < 20 ? pause + 1 : 20) {
        struct pollfd fd = {.fd = open ? from : -1, .events = POLLIN};
        const pid_t ended = waitpid(running, &process->status, WNOHANG);
        if (ended == running)
            break;
        if (poll(&fd, 1, pause) > 0 && fd.revents)
            open = open && read_output(process, from);
        if (asked || process->too_long(process->context, (clock_ms() - start) / 1e3)) {
            end = asked ? PROCESS_INTERRUPTED : PROCESS_TOO_LONG;
            kill(-running, SIGKILL);
            waitpid(running, &process->status, 0);
            break;
        }
    }
    reap();
    running = 0;
    if (open) {
        fcntl(from, F_SETFL, O_NONBLOCK);
        for (int i = 0; i < 64 && read_output(process, from) && errno != EAGAIN; i++)
            errno = 0;
    }
    return asked ? PROCESS_INTERRUPTED : end;
}

enum process_end process_run(struct process *process)
{
    int ends[2];
    enum process_end end;

    if (asked)
        return PROCESS_INTERRUPTED;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return PROCESS_FAILED;
    fflush(NULL);
    running = fork();
    if (running == 0)
        run_child(process, ends[1]);
    close(ends[1]);
    if (running > 0) {
        setpgid(running, running);
        end = wait_for(process, ends[0]);
    } else {
        end = PROCESS_FAILED;
    }
    close(ends[0]);
    return end;
}

/* ---- the scratch folder ---- */

bool process_folder_make(char *path, size_t room, struct error *err)
{
    const char *in = getenv("TMPDIR");

    snprintf(path, room, "%s/stencilcli-try-XXXXXX", in && in[0] == '/' ? in : "/tmp");
    return mkdtemp(path) || error_errno(err, path, "make the folder");
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info, (void)kind, (void)walk;
    remove(path);
    return 0;
}

void process_folder_remove(const char *path)
{
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
