/* Runs all cases of a suite. A thread does one case at a time: its folder, its command, its
 * picture, its verdict. Another thread waits for signals, so that the scratch folder is removed
 * before a signal ends the program. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "compare/golden.h"

#define FOLDER_BYTES 4096

struct run {
    struct golden_job *job;
    char *scratch; /* golden_scratch_make's folder */
    atomic_bool stop, done;
    int signal; /* that stopped it; 0: none */
    sigset_t set;
};

/* ---- the verdict of one case ---- */

/* A message about a file in the case's folder gets its name without the folder. */
static void fail(struct golden_result *result, const char *why, const char *folder)
{
    size_t length = strlen(folder);
    if (strncmp(why, folder, length) == 0 && why[length] == '/')
        why += length + 1;
    result->state = GOLDEN_FAILED;
    snprintf(result->why, sizeof result->why, "%s", why);
}

/* For a picture with another checksum: compares it with the expected picture. */
static void compare_expected(const struct golden_case *one, const char *expected,
                             const char *folder, struct golden_result *result)
{
    struct error err;
    char text[PICTURE_CHECKSUM_CHARS + 1];
    bool good;

    snprintf(result->why, sizeof result->why, "the checksum is %s, not %s", result->checksum,
             one->checksum);
    if (!expected || access(expected, F_OK) != 0) {
        if (one->reason)
            fail(result, "there is no expected picture to compare with: record the suite again",
                 folder);
        return;
    }
    good = picture_checksum(expected, text, &err);
    if (good && strcmp(text, one->checksum) != 0)
        good = error_set(&err, EXIT_INPUT, "%s: its checksum is %s", expected, text);
    if (!good ||
        !compare_files(expected, result->path, &one->limits, 1, NULL, &result->numbers, &err)) {
        fail(result, err.text, folder);
        return;
    }
    result->compared = true;
    if (one->reason && result->numbers.passed)
        result->state = GOLDEN_TOLERATED;
    snprintf(result->why, sizeof result->why, "%s%s%s", result->numbers.why,
             result->state == GOLDEN_TOLERATED ? "; tolerated: " : "",
             result->state == GOLDEN_TOLERATED ? one->reason : "");
}

static void judge(const struct golden_case *one, const char *expected, const char *folder,
                  struct golden_result *result)
{
    if (strcmp(result->checksum, one->checksum) == 0) {
        result->state = GOLDEN_SAME;
    } else if (strcmp(one->checksum, "0") == 0) {
        result->state = GOLDEN_UNRECORDED;
        snprintf(result->why, sizeof result->why, "not recorded yet");
    } else {
        result->state = GOLDEN_DIFFERENT;
        compare_expected(one, expected, folder, result);
    }
}

static void look_at(const struct run *run, const struct golden_case *one, const char *folder,
                    struct golden_result *result)
{
    struct error err;

    snprintf(result->checksum, sizeof result->checksum, "-");
    if (strcmp(one->file, "-") != 0 && !picture_checksum(result->path, result->checksum, &err)) {
        fail(result, err.text, folder);
        return;
    }
    if (run->job->recording) {
        result->state = GOLDEN_SAME;
        return;
    }
    char *expected = golden_expected_path(run->job->suite, one, one->checksum);
    judge(one, expected, folder, result);
    bool there = expected && access(expected, F_OK) == 0;
    if (run->job->pictures && result->path && result->state != GOLDEN_FAILED &&
        !golden_pictures_make(result, there ? expected : NULL, run->scratch, &err))
        fail(result, err.text, folder);
    free(expected);
}

/* ---- one command: sh in a process group of its own, so that all its processes can be ended ----
 */

struct process {
    const char *folder;    /* it runs there */
    const char *out, *err; /* files for what it prints */
    int timeout_s;
    atomic_bool *stop; /* set by another thread: the command is killed */
};

/* Starts COMMAND; 0 or an errno. */
static int start(const struct process *process, const char *command, pid_t *pid)
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
static bool wait_for(const struct process *process, pid_t pid, int *status)
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

/* Runs COMMAND and waits; afterwards it and all processes that it started are gone. False with the
 * reason in WHY when it did not end with 0. */
static bool run_process(const struct process *process, const char *command, char *why, size_t room)
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

/* ---- one case ---- */

static bool run_command(struct run *run, const struct golden_case *one, const char *folder,
                        struct golden_result *result)
{
    char out[FOLDER_BYTES + 8], errors[FOLDER_BYTES + 8];
    struct process process = {.folder = folder,
                              .out = out,
                              .err = errors,
                              .timeout_s = one->timeout_s,
                              .stop = &run->stop};
    struct error err;

    result->state = GOLDEN_FAILED;
    snprintf(out, sizeof out, "%s.out", folder);
    snprintf(errors, sizeof errors, "%s.err", folder);
    if (!golden_folder_make(run->job->suite, one, folder, &err)) {
        fail(result, err.text, folder);
        return false;
    }
    if (!run_process(&process, one->command, result->why, sizeof result->why))
        return false;
    char *stray = one->strict ? golden_folder_stray(run->job->suite, one, folder) : NULL;
    if (stray)
        snprintf(result->why, sizeof result->why, "it has left '%s' behind", stray);
    free(stray);
    return stray == NULL;
}

static void run_case(void *context, int piece, int worker)
{
    struct run *run = context;
    const struct golden_case *one = &run->job->suite->cases[piece];
    struct golden_result *result = &run->job->result[piece];
    double begin_ms;
    char folder[FOLDER_BYTES];
    bool ran = true;

    (void)worker;
    if (atomic_load(&run->stop))
        return;
    begin_ms = clock_ms();
    snprintf(folder, sizeof folder, "%s/%d", run->scratch, one->line);
    if (strcmp(one->file, "-") != 0 &&
        asprintf(&result->path, "%s%s%s", one->command ? folder : run->job->suite->folder,
                 one->command ? "/" : "", one->file) < 0)
        result->path = NULL;
    if (one->command)
        ran = run_command(run, one, folder, result);
    if (ran)
        look_at(run, one, folder, result);
    if (!run->job->recording && one->command)
        golden_folder_remove(folder);
    result->seconds = (clock_ms() - begin_ms) * 1e-3;
}

/* ---- all of them ---- */

static void *watch_signals(void *context)
{
    struct run *run = context;
    const struct timespec step = {0, 50000000};

    while (!atomic_load(&run->done)) {
        int signal = sigtimedwait(&run->set, NULL, &step);
        if (signal > 0) {
            run->signal = signal;
            atomic_store(&run->stop, true);
        }
    }
    return NULL;
}

static bool run_all(struct run *run, struct error *err)
{
    struct golden_job *job = run->job;
    bool good = true;

    run->scratch = golden_scratch_make(err);
    if (!run->scratch)
        return false;
    parallel_for(job->threads, (int)job->suite->count, run_case, run);
    if (!atomic_load(&run->stop) && job->before_removal)
        good = job->before_removal(job, err);
    golden_folder_remove(run->scratch);
    free(run->scratch);
    return good;
}

bool golden_run(struct golden_job *job, struct error *err)
{
    struct run run = {.job = job};
    sigset_t before;
    pthread_t watcher;
    bool good, watched;

    job->result = calloc(job->suite->count, sizeof *job->result);
    if (!job->result)
        return error_set(err, EXIT_INPUT, "%s: no memory to run it", job->suite->path);
    sigemptyset(&run.set);
    sigaddset(&run.set, SIGINT);
    sigaddset(&run.set, SIGTERM);
    sigaddset(&run.set, SIGHUP);
    signal(SIGCHLD, SIG_DFL); /* where it is ignored, how a command has ended is lost */
    pthread_sigmask(SIG_BLOCK, &run.set, &before);
    watched = pthread_create(&watcher, NULL, watch_signals, &run) == 0;
    good = run_all(&run, err);
    atomic_store(&run.done, true);
    if (watched)
        pthread_join(watcher, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (run.signal)
        raise(run.signal); /* the handlers of codec/output.c end the program */
    return good;
}

const char *golden_state_name(enum golden_state state)
{
    static const char *const names[GOLDEN_STATES] = {"same", "tolerated", "unrecorded", "different",
                                                     "failed"};
    return names[state];
}

void golden_results_free(struct golden_result *result, size_t count)
{
    for (size_t i = 0; result && i < count; i++) {
        free(result[i].path);
        free(result[i].expected.png);
        free(result[i].actual.png);
        free(result[i].difference.png);
    }
    free(result);
}
