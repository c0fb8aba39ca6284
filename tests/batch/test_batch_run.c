/* Tests of a whole batch that the command line cannot make: the memory of files in flight, the
 * order in which results are reported, and an output that another run replaces. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "batch/batch.h"
#include "tests/codec/test_pictures.h"

/* Defined only in programs built with a sanitizer. */
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

#define FILES  8
#define WIDTH  2000
#define HEIGHT 1500

/* BMP is decoded as a whole, so each file in flight holds its pixels twice. */
static void write_bmp(const char *path)
{
    uint32_t bytes = WIDTH * HEIGHT * 3;
    uint32_t header[] = {54 + bytes, 0, 54, 40, WIDTH, HEIGHT, 1 | 24 << 16, 0, bytes, 0, 0, 0, 0};
    FILE *file = fopen(path, "wb");

    CHECK(file && fwrite("BM", 1, 2, file) == 2 && fwrite(header, 1, 52, file) == 52);
    for (uint32_t i = 0; file && i < bytes; i++)
        fputc((int)(i * 7 % 251), file);
    CHECK(file && fclose(file) == 0);
}

struct log {
    int told, done;
    bool in_order;
};

static void told(void *context, const struct batch_result *result)
{
    struct log *log = context;
    char name[32];

    snprintf(name, sizeof name, "in/%d.bmp", log->told++);
    log->in_order = log->in_order && strcmp(result->input, name) == 0;
    log->done += result->status == BATCH_DONE;
}

/* Peak memory in MiB of a child that runs the batch on 8 threads; -1 on failure. */
static long peak_of(uint64_t memory)
{
    struct rusage usage;
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        large_alloc_keep_small(); /* as the program does */
        struct picture_request request = {
            .filter = {.filter = filter_find("blur"), .radius = -1, .repeat = 1},
            .sink = {.quality = 90},
            .device = DEVICE_CPU,
            .band_rows = -1}; /* whole pictures */
        struct log log = {.in_order = true};
        struct batch_job job = {.request = &request,
                                .tree = {.input = "in", .output = "out"},
                                .shard = {.index = 1, .count = 1},
                                .threads = 8,
                                .memory = memory,
                                .force = true,
                                .told = told,
                                .context = &log};
        struct batch_counts counts;
        struct error err;
        bool ok = filter_load(&request.filter, &err) && batch_run(&job, &counts, &err);
        _exit(!(ok && log.told == FILES && log.done == FILES && log.in_order &&
                counts.done == FILES && counts.pixels == (uint64_t)FILES * WIDTH * HEIGHT));
    }
    if (wait4(child, &status, 0, &usage) != child || status != 0)
        return -1;
    return usage.ru_maxrss / 1024;
}

/* A file takes 17 MiB of samples; the estimate is 31, with 4 channels and the file itself. */
static void memory_is_bounded(void)
{
    long one, two, all;

    mkdir("in", 0777);
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "in/%d.bmp", i);
        write_bmp(name);
    }
    one = peak_of(1);
    two = peak_of((uint64_t)70 << 20);
    all = peak_of((uint64_t)1 << 40);
    CHECKF(one > 0 && one < 60, "%ld MiB for one file at a time", one);
    CHECKF(two > 0 && two < 100, "%ld MiB within 70", two);
    CHECKF(all > two, "%ld MiB for all at once, %ld within 70", all, two);
    printf("# peaks: %ld MiB one at a time, %ld within 70, %ld without a bound\n", one, two, all);
}

/* The work of another run: a file that replaces each output as soon as the output exists. */
static const char *intruder;

/* Replaces the C library's rename. */
int rename(const char *from, const char *to)
{
    long code = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);

    if (code == 0 && intruder)
        code = syscall(SYS_renameat2, AT_FDCWD, intruder, AT_FDCWD, to, 0);
    return (int)code;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static struct batch_counts run_small(void)
{
    struct picture_request request = {
        .filter = {.filter = filter_find("blur"), .radius = -1, .repeat = 1},
        .sink = {.quality = 90},
        .device = DEVICE_CPU};
    struct batch_job job = {.request = &request,
                            .tree = {.input = "small", .output = "small.out"},
                            .shard = {.index = 1, .count = 1},
                            .threads = 1};
    struct batch_counts counts = {0};
    struct error err;

    CHECKF(filter_load(&request.filter, &err) && batch_run(&job, &counts, &err), "%s", err.text);
    filter_unload(&request.filter);
    return counts;
}

static void replaced_outputs_are_done_again(void)
{
    struct batch_counts counts;

    mkdir("small", 0777);
    write_text("small/a.pgm", "P2 2 1 255 1 2");
    write_text("other.pgm", "P2 2 1 255 3 4");
    intruder = "other.pgm";
    setenv("STENCILCLI_NAMED_TEMPORARIES", "1", 1); /* others are linked, not renamed */
    counts = run_small();
    CHECK(counts.done == 1);
    CHECK(access(intruder, F_OK) != 0);
    intruder = NULL;
    unsetenv("STENCILCLI_NAMED_TEMPORARIES");
    counts = run_small();
    CHECKF(counts.done == 1 && counts.skipped == 0, "%zu done, %zu skipped", counts.done,
           counts.skipped);
    counts = run_small();
    CHECKF(counts.done == 0 && counts.skipped == 1, "%zu done, %zu skipped", counts.done,
           counts.skipped);
}

static void remove_tree(const char *folder)
{
    char old[512];
    CHECK(getcwd(old, sizeof old) && chdir(folder) == 0);
    DIR *entries = opendir(".");
    struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        unlink(entry->d_name);
    closedir(entries);
    CHECK(chdir(old) == 0 && rmdir(folder) == 0);
}

int main(void)
{
    char folder[64];

    if (!enter_test_folder(folder))
        return 1;
    if (__asan_init || __tsan_init) {
        test_skip("memory_is_bounded", "a sanitizer keeps what is freed");
    } else {
        TEST(memory_is_bounded);
        remove_tree("in");
        remove_tree("out");
    }
    TEST(replaced_outputs_are_done_again);
    remove_tree("small");
    remove_tree("small.out");
    return test_finish() || !leave_test_folder(folder);
}
