/* Failures of the band pipeline: each must end all stages, report the first error and leave no
 * file, for any number of threads. */
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "tests/run/pipeline_inputs.h"

struct feeder {
    int fd;
    const uint8_t *bytes;
    size_t count;
    bool stay_silent; /* do not end, but wait until the reader has gone */
};

static void *feed(void *argument)
{
    struct feeder *feeder = argument;
    size_t done = 0;
    while (done < feeder->count) {
        ssize_t n = write(feeder->fd, feeder->bytes + done, feeder->count - done);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (feeder->stay_silent)
        poll(&(struct pollfd){.fd = feeder->fd}, 1, 60000);
    close(feeder->fd);
    return NULL;
}

/* Filters the first COUNT bytes of the file "in", read from a pipe. */
static bool filter_pipe(size_t count, bool stay_silent, const char *output, int threads,
                        struct error *err)
{
    struct picture_request request = request_of("blur", NULL);
    struct picture_report report;
    struct feeder feeder = {.count = count, .stay_silent = stay_silent};
    uint8_t *bytes;
    pthread_t thread;
    int ends[2], old = dup(0);
    bool ok;

    read_file("in", &bytes);
    CHECK(pipe(ends) == 0 && dup2(ends[0], 0) == 0);
    close(ends[0]);
    feeder.fd = ends[1];
    feeder.bytes = bytes;
    pthread_create(&thread, NULL, feed, &feeder);
    request.threads = threads;
    request.band_rows = 5;
    request.sink.format = FORMAT_PPM;
    ok = picture_filter(&request, "-", output, &report, err);
    dup2(old, 0);
    close(old); /* closes the reading end, which ends the feeder */
    pthread_join(thread, NULL);
    free(bytes);
    return ok;
}

static int files_here(void)
{
    DIR *folder = opendir(".");
    int count = 0;
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count - 2;
}

static void truncated_late(void)
{
    struct shape s = {100, 400, 3, 255, FORMAT_PPM};
    struct error err;
    int before;

    write_input("in", &s, false);
    unlink("whole");
    unlink("out.ppm");
    before = files_here();
    for (int threads = 1; threads <= 3; threads++) {
        CHECK(!filter_pipe(15 + 300 * 397 + 10, false, "out.ppm", threads, &err));
        CHECKF(strcmp(err.text, "standard input: truncated PPM: 397 of 400 rows") == 0, "%s",
               err.text);
        CHECK(err.code == EXIT_INPUT);
        CHECK(files_here() == before);
        CHECKF(filter_pipe(15 + 300 * 400, false, "out.ppm", threads, &err), "%s", err.text);
        unlink("out.ppm");
    }
}

/* A sample above maxval in the last band: the decoder finds it when most rows are written. */
static void damaged_late(void)
{
    struct shape s = {50, 300, 1, 100, FORMAT_PGM};
    struct picture_request request = request_of("blur", NULL);
    struct picture_report report;
    struct error err;
    uint8_t *bytes;
    size_t count;

    write_input("in", &s, false);
    count = read_file("in", &bytes);
    bytes[count - 1] = 101;
    write_file("in", bytes, count);
    free(bytes);
    write_file("old.pgm", "old", 3);
    request.band_rows = 4;
    for (request.threads = 1; request.threads <= 3; request.threads++) {
        CHECK(!picture_filter(&request, "in", "old.pgm", &report, &err));
        CHECKF(strstr(err.text, "in: damaged PGM: sample 101 at row 300") == err.text, "%s",
               err.text);
        CHECK(file_holds("old.pgm", "old", 3));
    }
}

static void full_disk(void)
{
    struct shape s = {300, 900, 3, 255, FORMAT_PPM};
    struct picture_request request = request_of("blur", NULL);
    struct picture_report report;
    struct error err;

    write_input("in", &s, false);
    request.band_rows = 8;
    request.sink.format = FORMAT_PPM;
    for (request.threads = 1; request.threads <= 3; request.threads++) {
        CHECK(!picture_filter(&request, "in", "/dev/full", &report, &err));
        CHECKF(strcmp(err.text, "/dev/full: cannot write: No space left on device") == 0, "%s",
               err.text);
    }
}

/* The reader of the output has gone while the writer of the input sends nothing: no thread may
 * wait. */
static void failure_while_reading_waits(void)
{
    /* Output is written when 128 KiB are full: 146 rows. The input's 160 rows suffice for no
     * more. */
    struct shape s = {300, 900, 3, 255, FORMAT_PPM};
    time_t start = time(NULL);
    struct error err;

    write_input("in", &s, false);
    for (int threads = 1; threads <= 3; threads++) {
        CHECK(!filter_pipe(15 + 900 * 160, true, "/dev/full", threads, &err));
        CHECKF(strcmp(err.text, "/dev/full: cannot write: No space left on device") == 0, "%s",
               err.text);
    }
    CHECK(time(NULL) - start < 50);
}

int main(void)
{
    char folder[64];

    output_install_signal_handlers(); /* ignores SIGPIPE, as the program does */
    if (!enter_test_folder(folder))
        return 1;
    TEST(truncated_late);
    TEST(damaged_late);
    TEST(full_disk);
    TEST(failure_while_reading_waits);
    CHECK(leave_test_folder(folder));
    return test_finish();
}
