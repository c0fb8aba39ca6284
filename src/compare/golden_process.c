/* Runs one command of a suite: sh in a process group of its own, so that all its processes can be
 * ended. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "compare/golden.h"

extern char **environ;

/* 0, or an errno. */
static int start(const struct golden_process *process, const char *command, pid_t *pid)
{
    char *const argv[] = {"sh", "-c", (char *)command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    int code;

    sigemptyset(&none);
    sigfillset(&usual); /* signals that this program ignores or handles */
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!code)
        code = posix_spawn_file_actions_addopen(&actions, 1, process->out,
                                                O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!code)
        code = posix_spawn_file_actions_addopen(&actions, 2, process->err,
                                                O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!code)
        code = posix_spawn_file_actions_addchdir_np(&actions, process->folder);
    golden_spawn_begin(); /* posix_spawn returns when the shell runs, its other files closed */
    if (!code)
        code = posix_spawn(pid, "/bin/sh", &actions, &attributes, argv, environ);
    golden_spawn_end();
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* Waits in steps that grow to 10 ms. False when the command was killed, because the time was up or
 * the run is stopped. */
static bool wait_for(const struct golden_process *process, pid_t pid, int *status)
{
    const double begin_ms = clock_ms();
    struct timespec pause = {0, 500000};
    bool in_time = true;

    while (waitpid(pid, status, WNOHANG) == 0) {
        double seconds = (clock_ms() - begin_ms) * 1e-3;
        if (atomic_load(process->stop) || seconds >= process->timeout_s) {
            in_time = false;
            kill(-pid, SIGKILL);
        }
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < 8000000 ? pause.tv_nsec * 5 / 4 : 10000000;
    }
    kill(-pid, SIGKILL); /* processes that it has left running */
    return in_time;
}

/* The last line of the file that is not empty. */
static void last_line(const char *path, char *line, size_t room)
{
    char tail[4096];
    size_t bytes = 0;
    FILE *file = fopen(path, "re");

    line[0] = '\0';
    if (!file)
        return;
    if (fseek(file, -(long)(sizeof tail - 1), SEEK_END) != 0)
        rewind(file);
    bytes = fread(tail, 1, sizeof tail - 1, file);
    fclose(file);
    while (bytes > 0 && (tail[bytes - 1] == '\n' || tail[bytes - 1] == '\0'))
        bytes--;
    tail[bytes] = '\0';
    const char *newline = memrchr(tail, '\n', bytes);
    snprintf(line, room, "%.*s", (int)room - 1, newline ? newline + 1 : tail);
}

bool golden_process_run(const struct golden_process *process, const char *command, char *why,
                        size_t room)
{
    char line[512];
    pid_t pid;
    int status = 0, code = start(process, command, &pid);

    if (code) {
        snprintf(why, room, "cannot start sh: %s", strerror(code));
    } else if (!wait_for(process, pid, &status)) {
        code = ETIMEDOUT;
        if (atomic_load(process->stop))
            snprintf(why, room, "stopped");
        else
            snprintf(why, room, "still running after %d s", process->timeout_s);
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        code = ECHILD;
        last_line(process->err, line, sizeof line);
        if (WIFEXITED(status))
            snprintf(why, room, "exit %d%s%s", WEXITSTATUS(status), line[0] ? ": " : "", line);
        else
            snprintf(why, room, "ended by signal %d", WTERMSIG(status));
    }
    return code == 0;
}
