/* Outputs that are not regular files: devices, pipes and the process's own stdout. They are written
 * directly, their errors are reported, and they are never replaced. */
#include <fcntl.h>
#include <signal.h>

#include "tests/codec/test_pictures.h"

#define LARGE_BYTES ((size_t)1000 * 1000) /* larger than every buffer */

static bool is_still(const char *path, mode_t type)
{
    struct stat status;

    return lstat(path, &status) == 0 && (status.st_mode & S_IFMT) == type;
}

static void full_disk(void)
{
    struct image image = make_picture(10, 10, 3, 255, 0, 1);
    struct sink_options options = {.quality = 90, .threads = 1, .format = FORMAT_PPM};
    struct output *output = NULL;
    char *large = calloc(1, LARGE_BYTES);
    struct error err = {0};

    CHECK(!put_text("/dev/full", "x", &err));
    CHECKF(strcmp(err.text, "/dev/full: cannot write: No space left on device") == 0, "%s",
           err.text);
    CHECK(symlink("/dev/full", "out.ppm") == 0);
    CHECK(!write_picture("out.ppm", &image, 255, &options, 10, &err));
    CHECKF(strcmp(err.text, "out.ppm: cannot write: No space left on device") == 0, "%s", err.text);
    CHECK(output_open(&output, "out.ppm", &err));
    CHECK(!output_write(output, large, LARGE_BYTES, &err));
    output_discard(output);
    CHECK(unlink("out.ppm") == 0);
    CHECK(put_text("/dev/null", "gone", &err) && is_still("/dev/null", S_IFCHR));
    free(large);
    free(image.data);
}

static void fifo(void)
{
    char got[8] = "";
    struct error err;
    int fd;

    CHECK(mkfifo("fifo", 0666) == 0);
    fd = open("fifo", O_RDWR); /* opened as the reader too, so that the pipe stays open */
    CHECK(put_text("fifo", "piped", &err));
    CHECK(read(fd, got, sizeof got - 1) == 5 && strcmp(got, "piped") == 0);
    CHECK(is_still("fifo", S_IFIFO));
    close(fd);
    CHECK(unlink("fifo") == 0);
}

/* Every name of the process's own stdout writes at its current position and never replaces the
 * file. */
static void standard_output(void)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    int saved, fd, i, failed = 0;
    struct error err;

    write_file("log", "before ", 7);
    fflush(stdout);
    saved = dup(STDOUT_FILENO);
    fd = open("log", O_WRONLY | O_APPEND);
    dup2(fd, STDOUT_FILENO);
    for (i = 0; i < 4; i++)
        failed += !put_text(names[i], "x", &err);
    dup2(saved, STDOUT_FILENO);
    close(fd);
    CHECK(failed == 0 && file_holds("log", "before xxxx", 11));
    close(saved);
}

static void broken_pipe(void)
{
    struct error err = {0};
    int saved, ends[2];
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);

    fflush(stdout);
    saved = dup(STDOUT_FILENO);
    CHECK(pipe(ends) == 0);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    put_text("-", "x", &err);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    CHECKF(strcmp(err.text, "standard output: cannot write: Broken pipe") == 0, "%s", err.text);
    signal(SIGPIPE, before);
}

int main(void)
{
    char folder[64];

    if (!enter_test_folder(folder))
        return 1;
    TEST(full_disk);
    TEST(fifo);
    TEST(standard_output);
    TEST(broken_pipe);
    return test_finish() || !leave_test_folder(folder);
}
