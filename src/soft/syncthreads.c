/* The threads of a block and their barriers: __syncthreads (soft_block_wait), __syncwarp
 * (soft_warp_wait), and the exchange between a warp's lanes. Threads are fibers; each runs until it
 * waits, and the next one is chosen at random. */
#include <string.h>

#include "soft/threads.h"

enum state { READY, POLLING, AT_WARP, AT_BLOCK, DONE, BROKEN };

struct thread {
    struct soft_fiber fiber;
    struct soft_index index;
    enum state state;
    int exchanges;
    bool worked; /* soft_thread_works */
    int line;    /* AT_BLOCK: of the barrier */
};

struct warp {
    uint32_t words[2][32][SOFT_WORDS]; /* words given by lanes, in alternating buffers */
};

struct soft_index soft_thread_index;

static struct thread threads[SOFT_MAX_THREADS], *running;
static struct warp warps[SOFT_MAX_THREADS / 32];
static int count;
static void (*thread_run)(const void *arguments);
static const void *thread_arguments;
static _Thread_local bool in_thread;

void (*soft_barrier_watch)(const struct soft_barrier *barrier);

int soft_thread_number(void)
{
    return (int)(running - threads);
}

bool soft_in_thread(void)
{
    return in_thread;
}

const void *soft_thread_stack(void)
{
    return running->fiber.stack;
}

void soft_thread_works(void)
{
    running->worked = true;
}

/* ---- for the threads ---- */

static void wait_as(enum state state)
{
    running->state = state;
    soft_fiber_leave(&running->fiber);
}

void soft_block_wait_at(int line)
{
    running->line = line;
    wait_as(AT_BLOCK);
}

void soft_block_wait(void)
{
    soft_block_wait_at(0);
}

void soft_warp_wait(void)
{
    wait_as(AT_WARP);
}

void soft_thread_poll(void)
{
    wait_as(POLLING);
}

void soft_thread_break(void)
{
    for (;;) /* it is never entered again */
        wait_as(BROKEN);
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

static void thread_main(void)
{
    thread_run(thread_arguments);
    soft_copies_thread_ends(soft_thread_number());
    wait_as(DONE);
}

/* ---- for a block ---- */

static void step(struct thread *thread)
{
    running = thread;
    soft_thread_index = thread->index;
    in_thread = true;
    soft_fiber_enter(&thread->fiber);
    in_thread = false;
}

/* Runs a warp's threads until all of them wait, or until one breaks a rule; returns whether any
 * thread advanced. */
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
                if (thread->state == BROKEN)
                    return further;
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

/* Shows the barrier at which threads wait. */
static void watch_barrier(void)
{
    struct soft_barrier it = {.waiting = count_in(AT_BLOCK),
                              .ended = count_in(DONE),
                              .thread = -1,
                              .other = -1,
                              .left = -1};

    for (int i = 0; i < count; i++) {
        if (threads[i].state == AT_BLOCK && it.thread < 0) {
            it.thread = i;
            it.line = threads[i].line;
        }
    }
    for (int i = 0; i < count && it.other < 0; i++) {
        const bool left = threads[i].state == DONE && !threads[i].worked;
        if (left && it.left < 0)
            it.left = i;
        if (!left && (threads[i].state != AT_BLOCK || threads[i].line != it.line)) {
            it.other = i;
            it.other_line = threads[i].state == AT_BLOCK ? threads[i].line : 0;
        }
    }
    soft_barrier_watch(&it);
}

void soft_threads_make(const struct soft_index *size, void (*run)(const void *arguments),
                       const void *arguments)
{
    count = (int)(size->x * size->y * size->z);
    thread_run = run;
    thread_arguments = arguments;
    for (int i = 0; i < count; i++)
        threads[i].index =
            (struct soft_index){(unsigned)i % size->x, (unsigned)i / size->x % size->y,
                                (unsigned)i / size->x / size->y};
}

void soft_threads_run(void)
{
    const int in_block = (count + 31) / 32;

    for (int i = 0; i < count; i++) {
        threads[i].state = READY;
        threads[i].exchanges = 0;
        threads[i].worked = false;
        if (!soft_fiber_make(&threads[i].fiber, thread_main))
            soft_break("there is no memory for the threads of a block");
    }
    while (!soft_is_broken() && count_in(DONE) < count) {
        const int first = (int)soft_pick((unsigned)in_block);
        bool further = false;

        for (int i = 0; i < in_block && !soft_is_broken(); i++)
            further |= run_warp((first + i) % in_block * 32);
        const bool opens = count_in(AT_BLOCK) > 0 && count_in(AT_BLOCK) + count_in(DONE) == count;

        if (soft_barrier_watch && count_in(AT_BLOCK) > 0 && (opens || !further))
            watch_barrier();
        if (opens)
            set_ready(AT_BLOCK);
        else if (!further)
            soft_block_break("threads wait for each other, at barriers that not all reach");
        set_ready(POLLING);
    }
}
