/* The software GPU as a whole: runs a grid's blocks one after the other, provides shared memory
 * and random numbers, and says where a kernel breaks a rule. soft/syncthreads.c runs the threads of
 * a block. */
#include "soft/gpu.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "soft/parts.h"

#define SHARED_BYTES (227 * 1024)
#define GUARD_BYTES  1024

struct soft_index soft_block_index, soft_block_size, soft_grid_size;

static _Alignas(1024) unsigned char shared[SHARED_BYTES + GUARD_BYTES];
static int device_now;
static unsigned seed = 7;

void soft_misuse(const char *what)
{
    char sentence[256];
    snprintf(sentence, sizeof sentence, "%s (block %u %u of %u %u, thread %u %u of %u %u)", what,
             soft_block_index.x, soft_block_index.y, soft_grid_size.x, soft_grid_size.y,
             soft_thread_index.x, soft_thread_index.y, soft_block_size.x, soft_block_size.y);
    soft_break(sentence);
    soft_thread_break();
}

unsigned soft_pick(unsigned below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % below;
}

int soft_device(void)
{
    return device_now;
}

bool soft_adder_is_short(void)
{
    return soft_settings.short_adder[device_now];
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

void soft_block_break(const char *what)
{
    char sentence[256];
    snprintf(sentence, sizeof sentence, "%s (block %u %u of %u %u)", what, soft_block_index.x,
             soft_block_index.y, soft_grid_size.x, soft_grid_size.y);
    soft_break(sentence);
}

/* Handles SIGSEGV: a kernel's thread that leaves the device's memory breaks a rule. Any other fault
 * comes again and ends the program. */
static void handle_fault(int number)
{
    if (soft_in_thread())
        soft_misuse("memory outside of every allocation is read or written");
    signal(number, SIG_DFL);
}

static void run_block(size_t shared_bytes)
{
    memset(shared, 0x80 + (int)soft_pick(64), shared_bytes);
    memset(shared + shared_bytes, 0x5A, GUARD_BYTES);
    soft_copies_begin();
    soft_threads_run();
    soft_copies_end();
    for (int i = 0; i < GUARD_BYTES; i++)
        if (shared[shared_bytes + (size_t)i] != 0x5A)
            soft_block_break("shared memory is written behind its end");
}

void soft_run(const struct soft_grid *grid, void (*thread)(const void *arguments),
              const void *arguments, int device)
{
    const struct soft_index *blocks = &grid->blocks, *size = &grid->threads;
    const int count = (int)(size->x * size->y * size->z);
    /* SA_NODEFER, because a thread that breaks a rule does not return from the handler. */
    struct sigaction fault = {.sa_handler = handle_fault, .sa_flags = SA_NODEFER}, before;

    if (count < 1 || count > SOFT_MAX_THREADS || grid->shared > SHARED_BYTES ||
        blocks->x * blocks->y * blocks->z == 0) {
        soft_break("a launch asks for a grid, a block or shared memory that no GPU has");
        return;
    }
    device_now = device;
    soft_block_size = *size;
    soft_grid_size = *blocks;
    soft_threads_make(size, thread, arguments);
    soft_constants_show(device);
    soft_open_device(device, true);
    sigaction(SIGSEGV, &fault, &before);
    for (unsigned z = 0; z < blocks->z; z++)
        for (unsigned y = 0; y < blocks->y; y++)
            for (unsigned x = 0; x < blocks->x && !soft_is_broken(); x++) {
                soft_block_index = (struct soft_index){x, y, z};
                run_block(grid->shared);
            }
    sigaction(SIGSEGV, &before, NULL);
    soft_open_device(device, false);
}
