/* The manifest of a batch while several runs with several threads append to it: every line is
 * complete and appears once, even if runs are killed and leave partial lines. */
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include "base/parallel.h"
#include "batch/manifest.h"
#include "tests/codec/test_pictures.h"

#define RUNS    4
#define THREADS 3
#define LINES   400 /* for each thread */

static const struct stat status = {.st_size = 9};
static const struct shard whole_folder = {.index = 1, .count = 1};

/* Long names make lines that cross pages. */
static void name_of(char name[1600], int run, int thread, int line)
{
    int n = sprintf(name, "%d/%d/%d-", run, thread, line);
    memset(name + n, 'x', 1500);
    name[n + line * 7 % 1500] = '\0';
}

struct run {
    struct manifest *manifest;
    int number;
    bool failed[THREADS];
};

static void add_lines(void *context, int piece, int worker)
{
    struct run *run = context;
    char name[1600];
    struct error err;

    (void)worker;
    for (int line = 0; line < LINES; line++) {
        name_of(name, run->number, piece, line);
        if (!manifest_add(run->manifest, name, &status, name, &status, &err))
            run->failed[piece] = true;
    }
}

static pid_t start_run(int number)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        struct run run = {.number = number};
        struct error err;
        bool ok = manifest_open(&run.manifest, ".", &whole_folder, "recipe", false, &err);
        if (ok)
            parallel_for(THREADS, THREADS, add_lines, &run);
        for (int i = 0; i < THREADS; i++)
            ok = ok && !run.failed[i];
        _exit(!ok);
    }
    return child;
}

/* Counts complete lines and others. */
static void count_lines(int *whole, int *other)
{
    FILE *file = fopen(".stencilcli-manifest.jsonl", "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t n;

    *whole = *other = 0;
    CHECK(file != NULL);
    while (file && (n = getline(&line, &room, file)) > 0) {
        bool ends = n > 3 && strcmp(line + n - 3, "\"}\n") == 0;
        bool begins =
            strncmp(line, "{\"output\":\"", 11) == 0 || strncmp(line, "{\"recipe\":\"", 11) == 0;
        int braces = 0;
        for (char *c = line; *c; c++)
            braces += *c == '{';
        *(ends && begins && braces == 1 ? whole : other) += 1;
    }
    free(line);
    if (file)
        fclose(file);
}

static int missing_of(int run, struct manifest *m)
{
    char name[1600];
    int missing = 0;

    for (int thread = 0; thread < THREADS; thread++)
        for (int line = 0; line < LINES; line++) {
            name_of(name, run, thread, line);
            missing += !manifest_has(m, name, &status, name, &status);
        }
    return missing;
}

static void runs_at_once(void)
{
    pid_t child[RUNS];
    struct manifest *m;
    struct error err;
    int code, whole, other;

    for (int i = 0; i < RUNS; i++)
        child[i] = start_run(i);
    for (int i = 0; i < RUNS; i++)
        CHECK(waitpid(child[i], &code, 0) == child[i] && code == 0);
    count_lines(&whole, &other);
    CHECKF(other == 0, "%d", other);
    CHECKF(whole == RUNS * (THREADS * LINES + 1), "%d", whole);
    CHECK(manifest_open(&m, ".", NULL, "recipe", false, &err));
    for (int i = 0; i < RUNS; i++)
        CHECKF(missing_of(i, m) == 0, "%d of run %d", missing_of(i, m), i);
    manifest_close(m);
    unlink(".stencilcli-manifest.jsonl");
}

/* Waits until a started run has made its manifest. */
static bool wait_for_manifest(void)
{
    for (int i = 0; i < 20000; i++) {
        if (access(".stencilcli-manifest.jsonl", F_OK) == 0)
            return true;
        usleep(1000);
    }
    return false;
}

/* Leaves the partial line of a killed write, while the dying writer still holds the lock. */
static int tear(void)
{
    int fd = open(".stencilcli-manifest.jsonl", O_WRONLY | O_APPEND);
    bool ok =
        fd >= 0 && flock(fd, LOCK_EX) == 0 && write(fd, BYTES("{\"output\":\"torn\",\"by")) > 0;

    CHECK(ok);
    close(fd);
    return ok;
}

/* A dying writer and its partial line damage no line of another run. */
static void killed_runs(void)
{
    pid_t survivor = start_run(0);
    struct manifest *m;
    struct error err;
    int code, whole, other;
    int torn = 0;

    CHECK(wait_for_manifest()); /* otherwise a child may be killed before it has made one */
    for (int i = 1; i <= 10; i++) {
        pid_t child = start_run(i);
        usleep((useconds_t)(i * 1000));
        kill(child, SIGKILL);
        CHECK(waitpid(child, &code, 0) == child);
        torn += tear();
    }
    CHECK(waitpid(survivor, &code, 0) == survivor && code == 0);
    CHECK(manifest_open(&m, ".", &whole_folder, "recipe", false,
                        &err)); /* ends the last partial line */
    CHECKF(missing_of(0, m) == 0, "%d", missing_of(0, m));
    manifest_close(m);
    count_lines(&whole, &other);
    CHECKF(whole >= THREADS * LINES, "%d", whole);
    CHECKF(other >= 1 && other <= torn + 10, "%d", other);
    unlink(".stencilcli-manifest.jsonl");
}

int main(void)
{
    char folder[64];

    if (!enter_test_folder(folder))
        return 1;
    TEST(runs_at_once);
    TEST(killed_runs);
    return test_finish() || !leave_test_folder(folder);
}
