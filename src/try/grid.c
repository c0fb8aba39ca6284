/* The GPU of `stencilcli try`: runs the grids that a student's file launches, one block after the
 * other, and stops at the first thing that no GPU does. The threads of a block are those of
 * soft/threads.h. Runs in the child process. See probe.h. */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "soft/threads.h"
#include "try/probe.h"

#define SHARED_STATIC  (48 * 1024)
#define SHARED_DYNAMIC (227 * 1024)
#define MOST_BLOCKS    (1 << 20)

struct soft_index soft_block_index, soft_block_size, soft_grid_size;
enum try_end grid_end;
char grid_sentence[200];

static enum try_order order;
static unsigned number;
static struct try_array *dynamic;

#define EXPORT __attribute__((visibility("default"), used))
EXPORT void *try_array(int kind, const char *name, size_t bytes, size_t element);
EXPORT void *try_shared_dynamic(const char *name, size_t element);
EXPORT void try_run_grid(const unsigned *grid, const unsigned *block, size_t shared,
                         void (*thread)(const void *), const void *arguments);

void grid_begin(enum try_order in_order, unsigned seed)
{
    order = in_order;
    number = seed;
    grid_end = END_DONE;
    grid_sentence[0] = '\0';
}

long long grid_block(void)
{
    return soft_block_index.x +
           (long long)soft_grid_size.x *
               (soft_block_index.y + (long long)soft_grid_size.y * soft_block_index.z);
}

void grid_stop(enum try_end end, const char *format, ...)
{
    va_list args;

    if (grid_end == END_DONE) {
        va_start(args, format);
        vsnprintf(grid_sentence, sizeof grid_sentence, format, args);
        va_end(args);
        grid_end = end;
    }
    if (soft_in_thread())
        soft_thread_break();
}

/* ---- for soft/syncthreads.c ---- */

unsigned soft_pick(unsigned below)
{
    if (order == ORDER_FORWARD)
        return 0;
    if (order == ORDER_BACKWARD)
        return below - 1;
    number = number * 1664525u + 1013904223u;
    return (number >> 16) % below;
}

bool soft_is_broken(void)
{
    return grid_end != END_DONE;
}

void soft_break(const char *sentence)
{
    if (grid_end == END_DONE) {
        snprintf(grid_sentence, sizeof grid_sentence, "%s", sentence);
        grid_end = END_STOPPED;
    }
}

void soft_block_break(const char *what)
{
    soft_break(what);
}

void soft_copies_thread_ends(int thread)
{
    (void)thread;
    if (probe.watching)
        probe_settle();
}

static void watch_barrier(const struct soft_barrier *barrier)
{
    const int width = (int)soft_block_size.x;
    const int other = barrier->other >= 0 ? barrier->other : barrier->left;

    probe_settle();
    probe.turn++;
    if (probe.counts)
        probe.counts->barriers++;
    if (other < 0)
        return;
    soft_thread_index = (struct soft_index){(unsigned)(barrier->thread % width),
                                            (unsigned)(barrier->thread / width), 0};
    struct try_place *place =
        probe_note(barrier->other >= 0 ? FAULT_DIVERGES : FAULT_LEFT, NULL, 0);
    if (!place)
        return;
    place->line = barrier->line;
    place->other_line = barrier->other_line;
    place->other[0] = other % width;
    place->other[1] = other / width;
}

/* ---- arrays of the file ---- */

void *try_array(int kind, const char *name, size_t bytes, size_t element)
{
    const bool shared = kind == 0;
    struct try_array *array;

    if (shared && (bytes > SHARED_STATIC || arrays_shared_bytes() + bytes > SHARED_STATIC))
        grid_stop(END_REFUSED,
                  "asks for %zu bytes of shared memory in %s: the arrays of a block may have %d",
                  bytes, name, SHARED_STATIC);
    if (!shared && bytes > 65536)
        grid_stop(END_REFUSED, "asks for %zu bytes of constant memory: there are 65536", bytes);
    array = grid_end == END_DONE
                ? array_add(shared ? ARRAY_SHARED : ARRAY_M, name, bytes, (int)element)
                : NULL;
    if (array)
        return array->begin;
    grid_stop(END_REFUSED, "has more arrays than there is room for");
    _exit(1); /* before a kernel runs there is no thread that could be stopped */
}

void *try_shared_dynamic(const char *name, size_t element)
{
    if (!dynamic && !(dynamic = array_add(ARRAY_SHARED, name, SHARED_DYNAMIC, (int)element)))
        _exit(1);
    if (dynamic->element > (int)element) {
        dynamic->unit = element < 4 ? (int)element : 4;
        dynamic->element = (int)element;
    }
    return dynamic->begin;
}

void *soft_shared(void)
{
    return try_shared_dynamic("the dynamic shared array", 4);
}

/* ---- device memory ---- */

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    struct try_array *array = array_add(ARRAY_OTHER, "an array of cudaMalloc", bytes, 1);

    *memory = array ? array->begin : NULL;
    if (array)
        array_fill(array, 0x4B);
    return array ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *memory)
{
    (void)memory;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return grid_end == END_DONE ? cudaSuccess : cudaErrorLaunchFailure;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : grid_sentence;
}

cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = NULL;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    (void)event, (void)stream;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    (void)event;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    (void)start, (void)end;
    *ms = 1;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

/* ---- grids ---- */

static bool check_launch(const unsigned *grid, const unsigned *block, size_t shared)
{
    const double blocks = (double)grid[0] * grid[1] * grid[2];
    const double threads = (double)block[0] * block[1] * block[2];

    if (threads < 1 || threads > SOFT_MAX_THREADS || block[2] > 64)
        grid_stop(END_REFUSED, "launches blocks of %u x %u x %u threads: a block may have %d",
                  block[0], block[1], block[2], SOFT_MAX_THREADS);
    else if (grid[1] > 65535 || grid[2] > 65535)
        grid_stop(END_REFUSED, "launches a grid of %u x %u x %u blocks, which no GPU runs", grid[0],
                  grid[1], grid[2]);
    else if (shared > SHARED_DYNAMIC)
        grid_stop(END_REFUSED, "asks for %zu bytes of dynamic shared memory: a block may have %d",
                  shared, SHARED_DYNAMIC);
    else if (blocks > MOST_BLOCKS)
        grid_stop(END_REFUSED, "launches %.0f blocks, too many for the software GPU", blocks);
    return grid_end == END_DONE;
}

static void run_block(void)
{
    probe.turn++;
    probe.block++;
    arrays_shared_rubbish(0x40 + (int)(probe.block * 7 % 11));
    soft_threads_run();
    probe_settle();
    if (probe.counts)
        counts_block_ends();
}

void try_run_grid(const unsigned *grid, const unsigned *block, size_t shared,
                  void (*thread)(const void *), const void *arguments)
{
    const unsigned count = grid[0] * grid[1] * grid[2];

    if (grid_end != END_DONE || !check_launch(grid, block, shared) || count == 0)
        return; /* a grid of no blocks writes nothing */
    soft_block_size = (struct soft_index){block[0], block[1], block[2]};
    soft_grid_size = (struct soft_index){grid[0], grid[1], grid[2]};
    if (dynamic)
        array_resize(dynamic, shared);
    soft_barrier_watch = watch_barrier;
    soft_threads_make(&soft_block_size, thread, arguments);
    if (probe.counts) {
        probe.counts->blocks += count;
        probe.counts->threads += (long long)count * block[0] * block[1] * block[2];
    }
    probe.watching = probe.it != NULL;
    for (unsigned i = 0; i < count && grid_end == END_DONE; i++) {
        const unsigned at = order == ORDER_BACKWARD ? count - 1 - i : i;
        soft_block_index =
            (struct soft_index){at % grid[0], at / grid[0] % grid[1], at / grid[0] / grid[1]};
        run_block();
    }
    probe.watching = false;
}
