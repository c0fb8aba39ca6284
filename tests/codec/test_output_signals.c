/* Death by signal: forked children with open outputs are killed. No temporary may remain, even if
 * the signal meets threads that are just creating temporaries. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "codec/output.h"
#include "tests/codec/test_pictures.h"

static int count_entries(void)
{
    DIR *folder = opendir(".");
    struct dirent *entry;
    int count = -2; /* . and .. */

    while ((entry = readdir(folder)))
        count++;
    closedir(folder);
    return count;
}

/* The signal that ended the child, or -1 - its exit code. */
static int end_of(pid_t child)
{
    int status = 0;

    CHECK(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -1 - WEXITSTATUS(status);
}

static void temporaries_are_removed(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU, SIGVTALRM};
    static const char large[300000];
    size_t i;

    write_file("old.bin", "old", 3);
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        pid_t child;
        uint8_t *bytes = NULL;
        fflush(stdout);
        child = fork();
        if (child == 0) {
            struct output *first, *second, *third;
            struct error err;
            output_install_signal_handlers();
            if (!output_open(&first, "old.bin", &err) || !output_open(&second, "new.bin", &err) ||
                !output_open(&third, "third.bin", &err) || count_entries() != 4)
                _exit(1);
            output_write(first, large, sizeof large, &err);
            output_write(second, "few", 3, &err);
            output_discard(third);
            raise(numbers[i]);
            _exit(2);
        }
        CHECK(end_of(child) == numbers[i]);
        CHECK(count_entries() == 1 && read_file("old.bin", &bytes) == 3 && bytes[0] == 'o');
        free(bytes);
    }
    CHECK(unlink("old.bin") == 0);
}

static void ignored_signals_stay_ignored(void)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        signal(SIGHUP, SIG_IGN); /* nohup */
        output_install_signal_handlers();
        raise(SIGHUP);
        raise(SIGPIPE);
        _exit(7);
    }
    CHECK(end_of(child) == -1 - 7);
}

/* ---- threads ---- */

struct worker {
    int number;
    int rounds; /* -1: without end */
    bool failed;
};

/* Makes outputs one after another: every third is discarded, the others replace one file. */
static void *work(void *context)
{
    struct worker *worker = context;
    char name[32];
    struct error err;
    int i;

    snprintf(name, sizeof name, "out%d", worker->number);
    for (i = 0; i != worker->rounds; i++) {
        struct output *output;
        if (!output_open(&output, name, &err) || !output_write(output, "text", 4, &err)) {
            worker->failed = true;
            break;
        }
        if (i % 3 == 2)
            output_discard(output);
        else if (!output_commit(output, &err))
            worker->failed = true;
    }
    return NULL;
}

static bool run_workers(int rounds)
{
    struct worker workers[4];
    pthread_t threads[4];
    bool ok = true;
    int i;

    for (i = 0; i < 4; i++) {
        workers[i] = (struct worker){.number = i, .rounds = rounds};
        ok = ok && pthread_create(&threads[i], NULL, work, &workers[i]) == 0;
    }
    for (i = 0; ok && i < 4; i++) {
        pthread_join(threads[i], NULL);
        ok = ok && !workers[i].failed;
    }
    return ok;
}

static void remove_outputs(void)
{
    char name[32];
    int i;

    for (i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "out%d", i);
        unlink(name);
    }
}

static void threads_share_the_table(void)
{
    CHECK(run_workers(60));
    CHECK(count_entries() == 4);
    remove_outputs();
    CHECK(count_entries() == 0);
}

static void killed_while_creating(void)
{
    int round;

    for (round = 0; round < 25; round++) {
        int number = round % 2 ? SIGTERM : SIGINT, ended;
        pid_t child;
        fflush(stdout);
        child = fork();
        if (child == 0) {
            output_install_signal_handlers();
            run_workers(-1);
            _exit(1);
        }
        usleep((useconds_t)(2000 + 317 * round)); /* any moment */
        kill(child, number);
        ended = end_of(child);
        CHECKF(ended == number, "round %d: %d", round, ended);
        remove_outputs();
        CHECKF(count_entries() == 0, "round %d: %d temporaries", round, count_entries());
    }
}

int main(void)
{
    char folder[64];

    if (!enter_test_folder(folder))
        return 1;
    setenv("STENCILCLI_NAMED_TEMPORARIES", "1", 1);
    for (int i = 0; i < 3; i++) /* jobs in the background ignore them, and so would this program */
        signal((const int[]){SIGINT, SIGQUIT, SIGHUP}[i], SIG_DFL);
    TEST(temporaries_are_removed);
    TEST(ignored_signals_stay_ignored);
    TEST(threads_share_the_table);
    TEST(killed_while_creating);
    return test_finish() || !leave_test_folder(folder);
}
