/* Blocks, warps and threads: see soft_gpu.h. */
#include "soft_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

#define MAX_THREADS  1024
#define SHARED_BYTES (227 * 1024)
#define GUARD_BYTES  1024

enum state { READY, POLLING, AT_WARP, AT_BLOCK, DONE };

struct thread {
    struct soft_fiber fiber;
    struct soft_index index;
    enum state state;
    int exchanges;
};

struct warp {
    uint32_t words[2][32][SOFT_WORDS]; /* what lanes bring, by turns */
};

struct soft_index soft_thread_index, soft_block_index, soft_block_size, soft_grid_size;

static struct thread threads[MAX_THREADS], *running;
static struct warp warps[MAX_THREADS / 32];
static _Alignas(1024) unsigned char shared[SHARED_BYTES + GUARD_BYTES];
static int count, device_now;
static unsigned seed = 7;
static void (*thread_run)(const void *arguments);
static const void *thread_arguments;

void soft_misuse(const char *what)
{
    fprintf(stderr, "GPU in software: %s (block %u %u of %u %u, thread %u %u of %u %u)\n", what,
            soft_block_index.x, soft_block_index.y, soft_grid_size.x, soft_grid_size.y,
            soft_thread_index.x, soft_thread_index.y, soft_block_size.x, soft_block_size.y);
    abort();
}

unsigned soft_pick(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % below;
}

int soft_thread_number(void)
{
    return (int)(running - threads);
}

int soft_device(void)
{
    return device_now;
}

/* ---- for the threads ---- */

static void wait_as(enum state state)
{
    running->state = state;
    soft_fiber_leave(&running->fiber);
}

void soft_block_wait(void)
{
    wait_as(AT_BLOCK);
}

void soft_warp_wait(void)
{
    wait_as(AT_WARP);
}

void soft_thread_poll(void)
{
    wait_as(POLLING);
}

soft_words *soft_exchange(const uint32_t *words, int n)
{
    const int number = soft_thread_number();
    struct warp *warp = &warps[number / 32];
    const int turn = running->exchanges++ % 2;

    memcpy(warp->words[turn][number % 32], words, (size_t)n * sizeof *words);
    wait_as(AT_WARP);
    return (soft_words *)warp->words[turn];
}

void *soft_shared(void)
{
    return shared;
}

uint32_t soft_shared_address(const void *at)
{
    return (uint32_t)((const unsigned char *)at - shared);
}

void *soft_shared_at(uint32_t address)
{
    return shared + (int32_t)address;
}

static void thread_main(void)
{
    thread_run(thread_arguments);
    soft_copies_thread_ends(soft_thread_number());
    wait_as(DONE);
}

/* ---- a block ---- */

static void step(struct thread *thread)
{
    running = thread;
    soft_thread_index = thread->index;
    soft_fiber_enter(&thread->fiber);
}

/* Runs a warp's threads until all of them wait for others; did any get further? */
static bool run_warp(int first)
{
    const int lanes = count - first < 32 ? count - first : 32;
    bool further = false;

    for (;;) {
        int order = soft_pick(2) ? 31 : 0, at_warp = 0, done = 0;

        for (int i = 0; i < 32; i++) {
            struct thread *thread = &threads[first + (i ^ order)];
            if ((i ^ order) >= lanes)
                continue;
            if (thread->state == READY) {
                step(thread);
                further |= thread->state != POLLING;
            }
            at_warp += thread->state == AT_WARP;
            done += thread->state == DONE;
        }
        if (at_warp == 0 || at_warp + done < lanes)
            return further;
        for (int i = 0; i < lanes; i++)
            if (threads[first + i].state == AT_WARP)
                threads[first + i].state = READY;
    }
}

static int count_in(enum state state)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        n += threads[i].state == state;
    return n;
}

static void set_ready(enum state from)
{
    for (int i = 0; i < count; i++)
        if (threads[i].state == from)
            threads[i].state = READY;
}

static void run_block(size_t shared_bytes)
{
    const int in_block = (count + 31) / 32;

    memset(shared, 0x80 + (int)soft_pick(64), shared_bytes);
    memset(shared + shared_bytes, 0x5A, GUARD_BYTES);
    soft_copies_begin();
    for (int i = 0; i < count; i++) {
        threads[i].state = READY;
        threads[i].exchanges = 0;
        soft_fiber_make(&threads[i].fiber, thread_main);
    }
    while (count_in(DONE) < count) {
        const int first = (int)soft_pick((unsigned)in_block);
        bool further = false;

        for (int i = 0; i < in_block; i++)
            further |= run_warp((first + i) % in_block * 32);
        if (count_in(AT_BLOCK) > 0 && count_in(AT_BLOCK) + count_in(DONE) == count)
            set_ready(AT_BLOCK);
        else if (!further)
            soft_misuse("threads wait for what cannot come");
        set_ready(POLLING);
    }
    soft_copies_end();
    for (int i = 0; i < GUARD_BYTES; i++)
        if (shared[shared_bytes + (size_t)i] != 0x5A)
            soft_misuse("shared memory is written behind its end");
}

void soft_run(const struct soft_grid *grid, void (*thread)(const void *arguments),
              const void *arguments, int device)
{
    const struct soft_index *blocks = &grid->blocks, *size = &grid->threads;

    count = (int)(size->x * size->y * size->z);
    if (count < 1 || count > MAX_THREADS || grid->shared > SHARED_BYTES ||
        blocks->x * blocks->y * blocks->z == 0)
        soft_misuse("a launch that no GPU takes");
    thread_run = thread;
    thread_arguments = arguments;
    device_now = device;
    soft_block_size = *size;
    soft_grid_size = *blocks;
    for (int i = 0; i < count; i++)
        threads[i].index =
            (struct soft_index){(unsigned)i % size->x, (unsigned)i / size->x % size->y,
                                (unsigned)i / size->x / size->y};
    soft_constants_show(device);
    fake_open_device(device, true);
    for (unsigned z = 0; z < blocks->z; z++)
        for (unsigned y = 0; y < blocks->y; y++)
            for (unsigned x = 0; x < blocks->x; x++) {
                soft_block_index = (struct soft_index){x, y, z};
                run_block(grid->shared);
            }
    fake_open_device(device, false);
}
