/* Times reading and writing PNG files on one thread, samples in memory and files in the page cache,
 * beside other libraries. All alternate, times are the thread's CPU time, and a ratio is the median
 * of the ratios of neighbouring runs. Samples are compared once.
 *
 *   time_png [--peer NAME=SHARED_LIBRARY]... [--runs N] [--level fast|small] FILE.png...
 *
 * This program writes to a file in memory, so the file that a peer makes is written to one, too. A
 * peer exports one of these functions, or both; samples are without gaps, 16 bits in the order of a
 * PNG's bytes:
 *
 *   int peer_decode(const uint8_t *file, size_t bytes, uint8_t *samples, size_t room);   0: read
 *   size_t peer_encode(const uint8_t *samples, int width, int height, int channels, int bits,
 *                      uint8_t *file, size_t room);              the file's bytes; 0: not written
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "codec/codec.h"

#define MAX_RUNS  1000
#define MAX_TOOLS 16

typedef int decode_function(const uint8_t *file, size_t bytes, uint8_t *samples, size_t room);
typedef size_t encode_function(const uint8_t *samples, int width, int height, int channels,
                               int bits, uint8_t *file, size_t room);

struct tool {
    const char *name;
    decode_function *decode; /* NULL of the first: this program */
    encode_function *encode;
    double ms[MAX_RUNS];
};

struct job {
    const char *path;
    uint8_t *file, *wire, *out; /* the file; samples as in a PNG; room for a peer's results */
    size_t bytes, room;
    struct image image;
    enum png_level level;
};

static _Noreturn void fail(const char *name, const char *text)
{
    fprintf(stderr, "time_png: %s: %s\n", name, text);
    exit(1);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double median(const double *values, int count)
{
    double sorted[MAX_RUNS];

    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return sorted[count / 2];
}

static uint8_t *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *all = NULL;
    long size;

    if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 ||
        !(all = malloc((size_t)size + 1)))
        fail(path, "cannot be read");
    rewind(file);
    *bytes = fread(all, 1, (size_t)size, file);
    fclose(file);
    return all;
}

/* ---- this program ---- */

static void read_own(const char *path, struct image *image, bool first)
{
    struct source *source;
    struct error err;
    bool ok = source_open(&source, path, &err);

    if (ok && first) {
        const struct image_info *info = source_info(source);
        ok = image_alloc(image, info->width, info->height, info->channels, info->type, path, &err);
    }
    if (!ok || !source_read(source, image, &err))
        fail(path, err.text);
    source_close(source);
}

static size_t write_own(const struct job *job, int fd)
{
    const struct image *image = &job->image;
    struct image_info info = {.width = image->width,
                              .height = image->height,
                              .channels = image->channels,
                              .type = image->type,
                              .max = image->type == SAMPLE_U8 ? 255 : 65535,
                              .format = FORMAT_PNG};
    struct sink_options options = {.format = FORMAT_PNG, .threads = 1, .png_level = job->level};
    char path[64];
    struct sink *sink;
    struct error err;
    struct image rows = *image;

    if (lseek(fd, 0, SEEK_SET) != 0)
        fail("output", "cannot be written again");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!sink_open(&sink, path, &info, &options, &err))
        fail(path, err.text);
    for (int y = 0; y < image->height; y += rows.height) { /* bands, as the pipeline has them */
        rows.height = image->height - y < 64 ? image->height - y : 64;
        rows.data = image_row(image, y);
        if (!sink_write(sink, &rows, &err))
            fail(path, err.text);
    }
    if (!sink_finish(sink, &err))
        fail(path, err.text);
    return (size_t)lseek(fd, 0, SEEK_END);
}

/* ---- the two jobs ---- */

static void to_wire(const struct image *image, uint8_t *wire)
{
    size_t samples = (size_t)image->width * (size_t)image->channels;

    for (int y = 0; y < image->height; y++) {
        const void *row = image_row(image, y);
        const uint16_t *wide = row;
        if (image->type == SAMPLE_U8)
            wire = (uint8_t *)memcpy(wire, row, samples) + samples;
        for (size_t i = 0; image->type == SAMPLE_U16 && i < samples; i++) {
            *wire++ = (uint8_t)(wide[i] >> 8);
            *wire++ = (uint8_t)wide[i];
        }
    }
}

static void report(const char *what, struct tool *tools, int count, int runs, const size_t *bytes)
{
    printf("  %s:", what);
    for (int t = 0; t < count; t++) {
        double ratio[MAX_RUNS];
        if (tools[t].ms[0] < 0)
            continue;
        for (int i = 0; i < runs; i++)
            ratio[i] = tools[0].ms[i] / tools[t].ms[i];
        printf("  %s %.1f ms", tools[t].name, median(tools[t].ms, runs));
        if (bytes)
            printf(" %zu bytes", bytes[t]);
        if (t > 0)
            printf(" (%.2f)", median(ratio, runs));
    }
    printf("\n");
}

static void time_decode(struct job *job, struct tool *tools, int count, int runs)
{
    for (int i = 0; i < runs; i++)
        for (int t = 0; t < count; t++) {
            double start = now_ms();
            if (t == 0)
                read_own(job->path, &job->image, false);
            else if (!tools[t].decode ||
                     tools[t].decode(job->file, job->bytes, job->out, job->room))
                start = now_ms() + 1;
            tools[t].ms[i] = now_ms() - start;
            if (t > 0 && tools[t].ms[i] >= 0 && i == 0 && memcmp(job->out, job->wire, job->room))
                fail(tools[t].name, "other samples");
        }
    report("decode", tools, count, runs, NULL);
}

/* Makes a file as this program does, and writes it. */
static size_t write_peer(const struct tool *tool, const struct job *job, int fd)
{
    const struct image *image = &job->image;
    size_t bytes = tool->encode(job->wire, image->width, image->height, image->channels,
                                8 * (int)image->type, job->out, 2 * job->room);

    if (pwrite(fd, job->out, bytes, 0) != (ssize_t)bytes)
        fail("output", "cannot be written");
    return bytes;
}

static void time_encode(struct job *job, struct tool *tools, int count, int runs)
{
    size_t bytes[MAX_TOOLS] = {0};
    int fd[MAX_TOOLS];

    for (int t = 0; t < count; t++)
        fd[t] = memfd_create("time_png", 0);
    for (int i = 0; i < runs; i++)
        for (int t = 0; t < count; t++) {
            double start = now_ms();
            if (t == 0)
                bytes[t] = write_own(job, fd[t]);
            else if (tools[t].encode)
                bytes[t] = write_peer(&tools[t], job, fd[t]);
            tools[t].ms[i] = bytes[t] ? now_ms() - start : -1;
        }
    for (int t = 0; t < count; t++)
        close(fd[t]);
    report("encode", tools, count, runs, bytes);
}

static void time_file(const char *path, enum png_level level, struct tool *tools, int count,
                      int runs)
{
    struct job job = {.path = path, .level = level};

    job.file = read_file(path, &job.bytes);
    read_own(path, &job.image, true);
    job.room = (size_t)job.image.height * (size_t)job.image.width * (size_t)job.image.channels *
               (size_t)job.image.type;
    job.wire = malloc(job.room);
    job.out = malloc(2 * job.room + 65536);
    if (!job.wire || !job.out)
        fail(path, "no memory");
    to_wire(&job.image, job.wire);
    printf("%s\n", path);
    time_decode(&job, tools, count, runs);
    time_encode(&job, tools, count, runs);
    image_free(&job.image);
    free(job.file);
    free(job.wire);
    free(job.out);
}

static void add_peer(struct tool *tools, int *count, char *option)
{
    char *path = strchr(option, '=');
    void *library;

    if (!path || *count == MAX_TOOLS)
        fail(option, "--peer is NAME=SHARED_LIBRARY, at most 15 times");
    *path++ = 0;
    library = dlopen(path, RTLD_NOW);
    if (!library)
        fail(option, dlerror());
    tools[*count].name = option;
    *(void **)&tools[*count].decode = dlsym(library, "peer_decode");
    *(void **)&tools[*count].encode = dlsym(library, "peer_encode");
    ++*count;
}

int main(int argc, char **argv)
{
    static struct tool tools[MAX_TOOLS] = {{.name = "this program"}};
    enum png_level level = PNG_LEVEL_DEFAULT;
    int count = 1, runs = 9, i;

    for (i = 1; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        if (strcmp(argv[i], "--peer") == 0)
            add_peer(tools, &count, argv[i + 1]);
        else if (strcmp(argv[i], "--runs") == 0)
            runs = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--level") == 0)
            level = strcmp(argv[i + 1], "fast") == 0 ? PNG_LEVEL_FAST : PNG_LEVEL_SMALL;
        else
            fail(argv[i], "no such option");
    }
    if (i >= argc || runs < 1 || runs > MAX_RUNS)
        fail("usage", "time_png [--peer NAME=LIBRARY]... [--runs N] [--level L] FILE.png...");
    for (; i < argc; i++)
        time_file(argv[i], level, tools, count, runs);
    return 0;
}
