/* How a picture is cut into pieces and tiles, and the threads' workers with their memory. */
#include "cpu/tiles.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"

#define MIN_ROWS    16
#define PIECES_EACH 4 /* pieces per thread: evens out threads that lose their core for a while */
#define HALO_PARTS  4 /* with fewer rows than so many times the halo, a piece is mostly halo */
#define MOST_BLOCKS 24

#define CACHE_LINE 64 /* bytes */
#define ROWS_AHEAD 4

/* Unused bytes behind each block. The processor fetches up to 20 cache lines ahead of those that
 * are read. If another thread writes these lines, each core takes them from the other again and
 * again. Without the gap, --sigma 1 takes 1.3 times as long on two threads. */
#define GAP_BYTES 2048

/* Smaller outputs stay in the caches for the next step. */
#define STREAM_BYTES (16u << 20)

struct cpu_memory {
    void *block[MOST_BLOCKS];
    int blocks;
    bool missing;
};

static int pieces_of(const struct kernel_job *job)
{
    const int halo = job->plan->mask[0].height - 1;
    int each = job->threads == 1 ? 1 : PIECES_EACH;

    while (each > 1 && job->out->height / (job->threads * each) < HALO_PARTS * halo)
        each--;
    return job->threads * each;
}

struct cpu_tiles cpu_tiles_cut(const struct kernel_job *job, int pixels)
{
    struct cpu_tiles s = {.job = job, .tile_pixels = pixels};
    int height = job->out->height, pieces = pieces_of(job);

    if (s.tile_pixels < CPU_TILE_MIN)
        s.tile_pixels = CPU_TILE_MIN;
    if (s.tile_pixels > job->out->width)
        s.tile_pixels = job->out->width;
    s.piece_rows = (height - 1) / pieces + 1;
    if (s.piece_rows < MIN_ROWS)
        s.piece_rows = MIN_ROWS;
    s.pieces = (height - 1) / s.piece_rows + 1;
    s.streams = job->plan->filtered == (1u << job->plan->channels) - 1 &&
                job->out->pitch * (size_t)height >= STREAM_BYTES &&
                (s.tile_pixels == job->out->width || s.tile_pixels % CPU_TILE_MIN == 0) &&
                job->out->pitch % CPU_STREAM_ALIGN == 0 &&
                (uintptr_t)job->out->data % CPU_STREAM_ALIGN == 0;
    return s;
}

/* ---- workers ---- */

void *cpu_memory_take(struct cpu_memory *memory, size_t bytes)
{
    void *block = memory->blocks < MOST_BLOCKS ? large_alloc_cleared(bytes + GAP_BYTES) : NULL;

    if (block)
        memory->block[memory->blocks++] = block;
    else
        memory->missing = true;
    return block;
}

/* Repeats the first DONE bytes, up to BYTES: twice as many each time. */
static void repeat(char *out, size_t done, size_t bytes)
{
    for (size_t more; done < bytes; done += more) {
        more = done < bytes - done ? done : bytes - done;
        memcpy(out + done, out, more);
    }
}

void cpu_tiles_put_ghosts(const struct plan *plan, void *out, size_t n)
{
    const size_t channels = (size_t)plan->channels, bytes = n * channels * (size_t)plan->type;
    size_t done = channels * (size_t)plan->type;

    for (size_t c = 0; n > 0 && c < channels; c++)
        image_put_sample(out, plan->type, c, plan_ghost(plan, (int)c));
    repeat(out, done, bytes);
}

void *cpu_memory_ghosts(struct cpu_memory *memory, const struct kernel_job *job)
{
    const struct plan *plan = job->plan;
    const bool constant = plan->border == BORDER_ZERO || plan->border == BORDER_CONSTANT;
    size_t pixels = constant ? (size_t)job->in->width + 1 : 1; /* else nothing is read */
    void *row = cpu_memory_take(memory, pixels * (size_t)plan->channels * (size_t)plan->type);

    if (row)
        cpu_tiles_put_ghosts(plan, row, pixels);
    return row;
}

struct workers {
    size_t worker_bytes;
    void (*make)(const void *pass, void *worker, struct cpu_memory *memory);
    void (*run)(const void *pass, void *worker, int piece);
    const void *pass;
    struct cpu_memory *memory; /* of each worker; its first block is the worker */
    atomic_bool missing;
};

/* A thread makes its worker: fresh pages cost 0.5 ms a thread. */
static void run_piece(void *context, int piece, int worker)
{
    struct workers *w = context;
    struct cpu_memory *memory = &w->memory[worker];

    if (memory->blocks == 0 && cpu_memory_take(memory, w->worker_bytes))
        w->make(w->pass, memory->block[0], memory);
    if (memory->missing)
        atomic_store(&w->missing, true);
    else
        w->run(w->pass, memory->block[0], piece);
}

bool cpu_workers_run(int workers, int pieces, size_t worker_bytes,
                     void (*make)(const void *pass, void *worker, struct cpu_memory *memory),
                     void (*run)(const void *pass, void *worker, int piece), const void *pass,
                     struct error *err)
{
    struct workers w = {worker_bytes, make, run, pass, NULL, false};

    workers = workers < pieces ? workers : pieces;
    w.memory = calloc((size_t)workers, sizeof *w.memory);
    if (w.memory)
        parallel_for(workers, pieces, run_piece, &w);
    for (int i = 0; w.memory && i < workers; i++)
        while (w.memory[i].blocks > 0)
            free(w.memory[i].block[--w.memory[i].blocks]);
    free(w.memory);
    return (w.memory && !w.missing) ||
           error_set(err, EXIT_INPUT, "no memory for the rows of %d threads", workers);
}

/* ---- tiles ---- */

struct tiles_pass {
    const struct cpu_tiles *tiles;
    const struct cpu_tile_hooks *hooks;
    const void *pass;
};

static void make_worker(const void *context, void *worker, struct cpu_memory *memory)
{
    const struct tiles_pass *p = context;
    p->hooks->make(p->pass, worker, memory);
}

static void run_tiles(const void *context, void *worker, int piece)
{
    const struct tiles_pass *p = context;
    const struct cpu_tiles *s = p->tiles;
    const struct plan_mask *m = &s->job->plan->mask[0];
    int width = s->job->out->width, end = s->job->out_first_row + s->job->out->height;
    struct cpu_tile tile = {.first = s->job->out_first_row + piece * s->piece_rows, .end = end};

    if (end - tile.first > s->piece_rows)
        tile.end = tile.first + s->piece_rows;
    tile.top = tile.first - m->anchor_y;
    tile.bottom = tile.end - 1 - m->anchor_y + m->height - 1;
    for (; tile.first_pixel < width; tile.first_pixel += s->tile_pixels) {
        int left = width - tile.first_pixel;
        tile.pixels = left < s->tile_pixels ? left : s->tile_pixels;
        p->hooks->run(p->pass, worker, &tile);
    }
    if (s->streams)
        atomic_thread_fence(memory_order_seq_cst);
}

bool cpu_tiles_run(const struct cpu_tiles *tiles, const struct cpu_tile_hooks *hooks,
                   const void *pass, struct error *err)
{
    struct tiles_pass p = {tiles, hooks, pass};
    return cpu_workers_run(tiles->job->threads, tiles->pieces, hooks->worker_bytes, make_worker,
                           run_tiles, &p, err);
}

void cpu_tile_fetch(const struct kernel_job *job, const struct cpu_tile *tile, int v)
{
    const char *row = cpu_tile_row(job, tile, v + ROWS_AHEAD, NULL);
    const size_t pixel = (size_t)job->plan->channels * (size_t)job->plan->type;

    if (!row || tile->pixels == job->out->width)
        return;
    for (size_t i = 0; i < (size_t)(tile->pixels + job->plan->mask[0].width) * pixel;
         i += CACHE_LINE)
        __builtin_prefetch(row + (size_t)tile->first_pixel * pixel + i, 0, 2); /* into L2 */
}

void cpu_tiles_copy(const struct kernel_job *job, const void *row, int from, int to, void *out)
{
    const struct plan *plan = job->plan;
    size_t pixel = (size_t)plan->channels * (size_t)plan->type;
    const int width = job->in->width;
    struct cpu_span span;
    char *at = out;

    for (int x = from; x < to; x += span.pixels) {
        span = cpu_span_at(job, x, to);
        if (row && plan->border == BORDER_REPLICATE && (x < 0 || x >= width)) {
            span.pixels = (x >= 0 || to < 0 ? to : 0) - x;
            memcpy(at, (const char *)row + (size_t)span.cell * pixel, pixel);
            repeat(at, pixel, (size_t)span.pixels * pixel);
        } else if (row && span.cell != BORDER_OUTSIDE) {
            memcpy(at, (const char *)row + (size_t)span.cell * pixel, (size_t)span.pixels * pixel);
        } else {
            cpu_tiles_put_ghosts(plan, at, (size_t)span.pixels);
        }
        at += (size_t)span.pixels * pixel;
    }
}
