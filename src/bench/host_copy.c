/* The CPU's copy, which is the 1.00 of its table, and a way to empty its caches. */
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/parallel.h"
#include "bench/bench.h"

/* Where the caches' size is not told. */
#define CACHE_GUESS ((size_t)32 << 20)

/* Bytes to copy that are worth starting a thread. */
#define COPY_EACH ((size_t)512 << 10)

/* ---- copies ---- */

struct copy_run {
    const struct image *from;
    struct image *to;
    int pieces;
};

static void copy_piece(void *context, int piece, int worker)
{
    const struct copy_run *run = context;
    int64_t height = run->from->height;
    int first = (int)(height * piece / run->pieces);
    int end = (int)(height * (piece + 1) / run->pieces);
    (void)worker;
    if (end > first) /* rows and what pads them: both images are of one shape */
        memcpy(image_row(run->to, first), image_row(run->from, first),
               (size_t)(end - first - 1) * run->from->pitch + image_row_bytes(run->from));
}

void bench_cpu_copy(const struct image *from, struct image *to, int threads)
{
    size_t useful = from->pitch * (size_t)from->height / COPY_EACH + 1;
    struct copy_run run = {from, to, useful < (size_t)threads ? (int)useful : threads};
    parallel_for(run.pieces, run.pieces, copy_piece, &run);
}

/* ---- empty caches ---- */

struct scrub_run {
    unsigned char *block;
    size_t bytes;
    int pieces;
};

static void scrub_piece(void *context, int piece, int worker)
{
    const struct scrub_run *run = context;
    size_t each = run->bytes / (size_t)run->pieces;
    (void)worker;
    memset(run->block + each * (size_t)piece, piece, each);
}

void bench_cpu_scrub(int threads)
{
    /* Kept to the end: touching new memory would cost more than overwriting it. */
    static struct scrub_run run;
    if (!run.block) {
        run.bytes = 2 * (machine_cache_bytes() ? machine_cache_bytes() : CACHE_GUESS);
        run.block = malloc(run.bytes);
    }
    run.pieces = threads;
    if (run.block)
        parallel_for(threads, threads, scrub_piece, &run);
}
