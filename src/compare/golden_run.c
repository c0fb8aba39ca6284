/* Runs all cases of a suite. A thread handles one case at a time: its folder, command, picture and
 * verdict. Another thread waits for signals that end the program: it ends the commands and removes
 * the scratch folder first, even while a large picture is being read. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "codec/input.h"
#include "codec/output.h"
#include "compare/golden.h"

/* Ends no program. */
#define WAKE SIGURG

struct run {
    struct golden_job *job;
    char scratch[PATH_MAX]; /* golden_scratch_make's folder */
    sigset_t waited;        /* blocked in all threads; `watch` waits for them */
    atomic_bool stopped;    /* a signal that ends the program has come */
    atomic_bool over;       /* `watch` ends at the signal WAKE */
    atomic_int busy;        /* cases whose folder is being made or whose command runs */
};

/* One case. */
struct work {
    struct run *run;
    const struct golden_case *one;
    struct golden_result *result;
    struct input_limit limit;   /* for the command and for reading its files */
    char folder[PATH_MAX + 16]; /* the command's working folder */
};

/* ---- the verdict of one case ---- */

/* Always returns false. If the message begins with a file in the case's folder, the folder is cut
 * off. */
__attribute__((format(printf, 2, 3))) static bool fail(struct work *work, const char *format, ...)
{
    char *why = work->result->why;
    size_t length = strlen(work->folder);
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof work->result->why, format, args);
    va_end(args);
    if (strncmp(why, work->folder, length) == 0 && why[length] == '/')
        memmove(why, why + length + 1, strlen(why + length));
    work->result->state = GOLDEN_FAILED;
    return false;
}

/* For an error of reading. */
static bool fail_reading(struct work *work, const struct error *err)
{
    return clock_ms() >= work->limit.end_ms
               ? fail(work, "still reading after %d s", work->one->timeout_s)
               : fail(work, "%s", err->text);
}

/* False if PATH is a pipe or a device: reading it may never end. For a file that is not there,
 * opening it will give the reason. */
static bool is_file(struct work *work, const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode) ||
           fail(work, "%s: is no regular file", path);
}

/* Compares a picture with another checksum with the expected picture. */
static void compare_expected(struct work *work, const char *expected)
{
    const struct golden_case *one = work->one;
    struct golden_result *result = work->result;
    const struct compare_result *numbers = &result->numbers;
    char text[PICTURE_CHECKSUM_CHARS + 1];
    struct error err;
    bool good;

    result->state = GOLDEN_DIFFERENT;
    snprintf(result->why, sizeof result->why, "the checksum is %s, not %s", result->checksum,
             one->checksum);
    if (access(expected, F_OK) != 0) {
        if (one->reason)
            fail(work, "there is no expected picture to compare with: record the suite again");
        return;
    }
    if (!is_file(work, expected))
        return;
    good = picture_checksum(expected, text, &err);
    if (good && strcmp(text, one->checksum) != 0)
        good = error_set(&err, EXIT_INPUT, "%s: its checksum is %s", expected, text);
    if (!good ||
        !compare_files(expected, result->path, &one->limits, 1, NULL, &result->numbers, &err)) {
        fail_reading(work, &err);
        return;
    }
    result->compared = true;
    if (one->reason && numbers->passed)
        result->state = GOLDEN_TOLERATED;
    snprintf(result->why, sizeof result->why, "%s%s%s", numbers->why,
             result->state == GOLDEN_TOLERATED ? "; tolerated: " : "",
             result->state == GOLDEN_TOLERATED ? one->reason : "");
}

static void look_at(struct work *work)
{
    const struct golden_job *job = work->run->job;
    struct golden_result *result = work->result;
    const char *recorded = work->one->checksum;
    char expected[GOLDEN_PATH];
    struct error err;

    snprintf(result->checksum, sizeof result->checksum, "-");
    if (result->path[0] && !is_file(work, result->path))
        return;
    if (result->path[0] && !picture_checksum(result->path, result->checksum, &err)) {
        fail_reading(work, &err);
        return;
    }
    golden_expected_path(job->suite, work->one, recorded, expected);
    if (job->recording || strcmp(result->checksum, recorded) == 0) {
        result->state = GOLDEN_SAME;
    } else if (strcmp(recorded, "0") == 0) {
        result->state = GOLDEN_UNRECORDED;
        snprintf(result->why, sizeof result->why, "not recorded yet");
    } else {
        compare_expected(work, expected);
    }
    if (!job->pictures || !result->path[0] || result->state == GOLDEN_FAILED)
        return;
    work->run->busy++; /* writes to the scratch folder */
    if (!golden_pictures_make(result, expected, &work->one->limits, work->folder, &err))
        fail_reading(work, &err);
    work->run->busy--;
}

/* ---- one command ---- */

/* Starts sh in its own process group, so that all its processes can be ended; its messages go to
 * the file ERRORS. Returns 0 or an errno. */
static int start(const struct work *work, const char *errors, pid_t *pid)
{
    char *const argv[] = {"sh", "-c", work->one->command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    int code = ENOMEM;

    sigemptyset(&none);
    sigfillset(&usual); /* reset signals that this program ignores or handles */
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    pthread_mutex_lock(&golden_copy_lock); /* until the shell runs with the other files closed */
    if (posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, 0, 1) == 0 &&
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT, 0600) == 0 &&
        posix_spawn_file_actions_addchdir_np(&actions, work->folder) == 0)
        code = posix_spawn(pid, "/bin/sh", &actions, &attributes, argv, environ);
    pthread_mutex_unlock(&golden_copy_lock);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* Waits in steps of 2 ms. False if the command was killed, because of a timeout or because the run
 * is stopped. On return all processes that the command started are gone. */
static bool wait_for(const struct work *work, pid_t pid, int *status)
{
    const struct timespec pause = {0, 2000000};
    bool in_time = true;

    while (waitpid(pid, status, WNOHANG) == 0) {
        if (work->run->stopped || clock_ms() >= work->limit.end_ms) {
            in_time = false;
            kill(-pid, SIGKILL);
        }
        nanosleep(&pause, NULL);
    }
    kill(-pid, SIGKILL); /* processes that the command has left running */
    return in_time;
}

/* Copies the file's last line that is not empty; a command may have written gigabytes. */
static void last_line(const char *path, char *line, size_t room)
{
    FILE *file = fopen(path, "re");
    char text[2048];
    size_t end = 0, begin;

    if (file) {
        if (fseek(file, -(long)sizeof text, SEEK_END) != 0)
            rewind(file); /* it is shorter */
        end = fread(text, 1, sizeof text, file);
        fclose(file);
    }
    while (end > 0 && text[end - 1] == '\n')
        end--;
    for (begin = end; begin > 0 && text[begin - 1] != '\n';)
        begin--;
    snprintf(line, room, "%.*s", (int)(end - begin), text + begin);
}

/* Runs the command in its folder and waits. False, with the reason in the result, if it did not
 * end by itself. */
static bool run_to_end(struct work *work, const char *errors, int *status)
{
    struct error err;
    pid_t pid;

    if (work->run->stopped)
        return fail(work, "stopped");
    if (!golden_folder_make(work->run->job->suite, work->one, work->folder, &err))
        return fail_reading(work, &err);
    int code = start(work, errors, &pid);
    if (code)
        return fail(work, "cannot start sh: %s", strerror(code));
    if (!wait_for(work, pid, status))
        return work->run->stopped ? fail(work, "stopped")
                                  : fail(work, "still running after %d s", work->one->timeout_s);
    return true;
}

/* Runs the command. False, with the reason in the result, if the exit status was not 0. */
static bool run_command(struct work *work)
{
    const struct golden_case *one = work->one;
    char errors[PATH_MAX + 24], line[512], stray[NAME_MAX + 1];
    int status = 0;

    snprintf(errors, sizeof errors, "%s.err", work->folder);
    work->run->busy++;
    bool ended = run_to_end(work, errors, &status);
    work->run->busy--;
    if (!ended)
        return false;
    if (!WIFEXITED(status))
        return fail(work, "ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) != 0) {
        last_line(errors, line, sizeof line);
        return fail(work, "exit %d%s%s", WEXITSTATUS(status), line[0] ? ": " : "", line);
    }
    if (one->strict && golden_folder_stray(work->run->job->suite, one, work->folder, stray))
        return fail(work, "it has left '%s' behind", stray);
    return true;
}

/* ---- all of them ---- */

static void run_case(void *context, int piece, int worker)
{
    struct run *run = context;
    const struct golden_job *job = run->job;
    const struct golden_case *one = &job->suite->cases[piece];
    const double begin_ms = clock_ms();
    struct work work = {.run = run,
                        .one = one,
                        .result = &job->result[piece],
                        .limit = {begin_ms + one->timeout_s * 1e3, &run->stopped}};

    (void)worker;
    if (run->stopped)
        return;
    snprintf(work.folder, sizeof work.folder, "%s/%d", run->scratch, one->line);
    if (strcmp(one->file, "-") != 0)
        snprintf(work.result->path, GOLDEN_PATH, "%s%s%s",
                 one->command ? work.folder : job->suite->folder, one->command ? "/" : "",
                 one->file);
    input_set_limit(&work.limit);
    if (!one->command || run_command(&work))
        look_at(&work);
    input_set_limit(NULL);
    if (!job->recording && one->command)
        golden_folder_remove(work.folder);
    work.result->seconds = (clock_ms() - begin_ms) * 1e-3;
}

/* Waits for a signal that ends the program, and lets it do so when nothing would be left behind. */
static void *watch(void *context)
{
    struct run *run = context;
    const struct timespec pause = {0, 2000000};
    int number;

    while (sigwait(&run->waited, &number) != 0 || number == WAKE)
        if (run->over)
            return NULL;
    run->stopped = true;
    while (run->busy > 0) /* wait_for kills the commands */
        nanosleep(&pause, NULL);
    golden_folder_remove(run->scratch);
    pthread_sigmask(SIG_UNBLOCK, &run->waited, NULL);
    raise(number); /* the handlers of codec/output.c remove temporaries */
    return NULL;
}

static bool run_all(struct run *run, struct error *err)
{
    struct golden_job *job = run->job;
    pthread_t watcher;

    if (!golden_scratch_make(run->scratch, err))
        return false;
    bool good = pthread_create(&watcher, NULL, watch, run) == 0 ||
                error_set(err, EXIT_INPUT, "%s: cannot start a thread", job->suite->path);
    if (good) {
        parallel_for(job->threads, (int)job->suite->count, run_case, run);
        good = !job->recording || run->stopped || golden_record(job, err);
        run->over = true;
        pthread_kill(watcher, WAKE);
        pthread_join(watcher, NULL);
    }
    golden_folder_remove(run->scratch);
    return good;
}

bool golden_run(struct golden_job *job, struct error *err)
{
    struct run run = {.job = job, .waited = output_deadly_signals()};
    sigset_t before;
    bool good;

    job->result = calloc(job->suite->count, sizeof *job->result);
    if (!job->result)
        return error_set(err, EXIT_INPUT, "%s: no memory to run it", job->suite->path);
    signal(SIGCHLD, SIG_DFL); /* if SIGCHLD is ignored, exit statuses are lost */
    sigaddset(&run.waited, WAKE);
    pthread_sigmask(SIG_BLOCK, &run.waited, &before);
    good = run_all(&run, err);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
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
    for (size_t i = 0; result && i < count; i++)
        golden_pictures_free(&result[i]);
    free(result);
}
