/* Times the only part of reading a PNG that cannot be shared among threads: inflating its picture
 * data on one thread, from memory to a window that stays in cache, with the Adler-32. No command
 * that reads the file can be faster, whatever the number of cores. scripts/bench_peers shows this
 * time beside its job 96m.
 *
 *   time_inflate FILE.png [RUNS]      prints the median in ms of 5 runs or RUNS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "codec/png/png.h"
#include "codec/zlib/stream.h"

#define WINDOW_BYTES ((size_t)1 << 16)
#define MAX_RUNS     1000

struct piece {
    const uint8_t *data;
    size_t bytes;
};

static const uint8_t *whole(void *context, size_t *bytes)
{
    struct piece *piece = context;
    const uint8_t *data = piece->data;

    *bytes = piece->bytes;
    piece->data = NULL;
    return data;
}

static int compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Returns milliseconds; negative if the data is damaged. */
static double inflate_once(const uint8_t *data, size_t bytes)
{
    static uint8_t window[WINDOW_BYTES];
    struct piece piece = {data, bytes};
    struct zlib_reader *reader = zlib_reader_new(whole, &piece);
    double start = now_ms();
    const char *why;
    size_t got = WINDOW_BYTES;
    bool ok = reader != NULL;

    while (ok && got == WINDOW_BYTES)
        ok = zlib_reader_read(reader, window, WINDOW_BYTES, &got, &why);
    start = now_ms() - start;
    zlib_reader_free(reader);
    return ok ? start : -1;
}

/* All pieces of the picture data joined; malloc'ed. */
static uint8_t *gather(const struct png_file *png)
{
    struct png_pieces pieces = png_pieces_begin(png);
    uint8_t *all = malloc(png->data_bytes), *to = all;
    const uint8_t *data;
    size_t bytes;

    for (; all && (data = png_pieces_next(&pieces, &bytes)); to += bytes)
        memcpy(to, data, bytes);
    return all;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    long runs = argc > 2 ? strtol(argv[2], &end, 10) : 5;
    struct input *input = NULL;
    struct png_file png;
    uint8_t *data = NULL;
    double ms[MAX_RUNS];
    struct error err;
    bool ok;

    if (argc < 2 || argc > 3 || (end && (end == argv[2] || *end)) || runs < 1 || runs > MAX_RUNS) {
        fprintf(stderr, "usage: time_inflate FILE.png [RUNS]\n");
        return 2;
    }
    ok = input_open(&input, argv[1], &err) && png_chunks_walk(&png, input, &err);
    if (ok && !(data = gather(&png)))
        ok = error_set(&err, EXIT_INPUT, "%s: no memory", argv[1]);
    for (long i = 0; ok && i < runs; i++) {
        ms[i] = inflate_once(data, png.data_bytes);
        if (ms[i] < 0)
            ok = error_set(&err, EXIT_INPUT, "%s: its picture data is damaged", argv[1]);
    }
    if (ok) {
        qsort(ms, (size_t)runs, sizeof *ms, compare);
        printf("%.1f\n", ms[runs / 2]);
    } else {
        fprintf(stderr, "time_inflate: %s\n", err.text);
    }
    free(data);
    input_close(input);
    return ok ? 0 : 1;
}
