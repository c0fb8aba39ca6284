/* Pieces, tiles and workers: see cpu/tiles.h. */
#include "cpu/tiles.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

#define MIN_ROWS    16
#define PIECES_EACH 4 /* pieces a thread: evens out threads that lose their core for a while */
#define MOST_BLOCKS 16

struct cpu_memory {
    void *block[MOST_BLOCKS];
    int blocks;
    bool missing;
};

struct run {
    const struct cpu_tiles *tiles;
    const struct cpu_tile_hooks *hooks;
    const void *pass;
    char *worker; /* workers of hooks->worker_bytes */
    struct cpu_memory *memory;
};

struct cpu_tiles cpu_tiles_cut(const struct kernel_job *job, int pixels)
{
    struct cpu_tiles s = {.job = job, .tile_pixels = pixels, .workers = job->threads};
    int height = job->out->height, pieces = job->threads == 1 ? 1 : job->threads * PIECES_EACH;

    if (s.tile_pixels < CPU_TILE_MIN)
        s.tile_pixels = CPU_TILE_MIN;
    if (s.tile_pixels > job->out->width)
        s.tile_pixels = job->out->width;
    s.piece_rows = (height + pieces - 1) / pieces;
    if (s.piece_rows < MIN_ROWS)
        s.piece_rows = MIN_ROWS;
    s.pieces = (height + s.piece_rows - 1) / s.piece_rows;
    if (s.workers > s.pieces)
        s.workers = s.pieces;
    return s;
}

/* ---- workers ---- */

void *cpu_memory_keep(struct cpu_memory *memory, void *block)
{
    if (block && memory->blocks < MOST_BLOCKS)
        return memory->block[memory->blocks++] = block;
    free(block);
    memory->missing = true;
    return NULL;
}

void *cpu_memory_ghosts(struct cpu_memory *memory, const struct kernel_job *job)
{
    const struct plan *plan = job->plan;
    size_t pixel = (size_t)plan->channels * (size_t)plan->type;
    size_t bytes = ((size_t)job->in->width + 1) * pixel;
    char *row = cpu_memory_keep(memory, malloc(bytes));

    for (int c = 0; row && c < plan->channels; c++)
        if (plan->type == SAMPLE_U8)
            ((uint8_t *)row)[c] = (uint8_t)plan_ghost(plan, c);
        else
            ((uint16_t *)(void *)row)[c] = (uint16_t)plan_ghost(plan, c);
    for (size_t at = pixel; row && at < bytes; at *= 2)
        memcpy(row + at, row, at < bytes - at ? at : bytes - at);
    return row;
}

static bool workers_make(struct run *run)
{
    int count = run->tiles->workers;
    bool ok;

    run->worker = calloc((size_t)count, run->hooks->worker_bytes);
    run->memory = calloc((size_t)count, sizeof *run->memory);
    ok = run->worker && run->memory;
    for (int i = 0; ok && i < count; i++) {
        run->hooks->make(run->pass, run->worker + (size_t)i * run->hooks->worker_bytes,
                         &run->memory[i]);
        ok = !run->memory[i].missing;
    }
    return ok;
}

static void workers_free(struct run *run)
{
    for (int i = 0; run->memory && i < run->tiles->workers; i++)
        while (run->memory[i].blocks > 0)
            free(run->memory[i].block[--run->memory[i].blocks]);
    free(run->memory);
    free(run->worker);
}

/* ---- tiles ---- */

static void run_piece(void *context, int piece, int worker)
{
    const struct run *run = context;
    const struct cpu_tiles *s = run->tiles;
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
        run->hooks->run(run->pass, run->worker + (size_t)worker * run->hooks->worker_bytes, &tile);
    }
}

bool cpu_tiles_run(const struct cpu_tiles *tiles, const struct cpu_tile_hooks *hooks,
                   const void *pass, struct error *err)
{
    struct run run = {.tiles = tiles, .hooks = hooks, .pass = pass};
    bool ok = workers_make(&run);

    if (ok)
        parallel_for(tiles->workers, tiles->pieces, run_piece, &run);
    else
        error_set(err, EXIT_INPUT, "no memory for the rows of %d threads", tiles->workers);
    workers_free(&run);
    return ok;
}

void cpu_tiles_copy(const struct kernel_job *job, const void *row, int from, int to, void *out)
{
    const struct plan *plan = job->plan;
    size_t pixel = (size_t)plan->channels * (size_t)plan->type;
    struct cpu_span span;
    char *at = out;
    uint16_t words[4];
    uint8_t bytes[4];

    for (int c = 0; c < plan->channels; c++) {
        words[c] = (uint16_t)plan_ghost(plan, c);
        bytes[c] = (uint8_t)words[c];
    }
    for (int x = from; x < to; x += span.pixels) {
        span = cpu_span_at(job, x, to);
        if (row && span.cell != BORDER_OUTSIDE)
            memcpy(at, (const char *)row + (size_t)span.cell * pixel, (size_t)span.pixels * pixel);
        else
            for (int k = 0; k < span.pixels; k++)
                memcpy(at + (size_t)k * pixel,
                       plan->type == SAMPLE_U8 ? (const void *)bytes : (const void *)words, pixel);
        at += (size_t)span.pixels * pixel;
    }
}
