/* Runs all cases of a suite. A thread does one case at a time: its folder, its command, its
 * picture, its verdict. Another thread waits for signals, so that the scratch folder is removed
 * before a signal ends the program. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* ---- one case ---- */

static bool run_command(struct run *run, const struct golden_case *one, const char *folder,
                        struct golden_result *result)
{
    char out[FOLDER_BYTES + 8], errors[FOLDER_BYTES + 8];
    struct golden_process process = {.folder = folder,
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
    if (!golden_process_run(&process, one->command, result->why, sizeof result->why))
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
