/* Calls that fail on request, threads that wait for each other, counts: see fake_cuda.h. */
#include "fake_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *fail_call;
static int fail_nth;
static cudaError_t fail_error;
static bool fail_done;
static struct fake_cuda_counts counts;
static pthread_cond_t gathered = PTHREAD_COND_INITIALIZER;
static int gather, gather_ms;

static void lock(void)
{
    pthread_mutex_lock(&soft_mutex);
}

static void unlock(void)
{
    pthread_mutex_unlock(&soft_mutex);
}

/* ---- called by the runtime, with the lock held ---- */

static void count_call(const char *call)
{
    const struct {
        const char *call;
        int *count;
    } counted[] = {{"cudaMalloc", &counts.mallocs},       {"cudaHostAlloc", &counts.pins},
                   {"cudaHostRegister", &counts.pins},    {"cudaMemGetInfo", &counts.mem_infos},
                   {"cudaMemcpy2DAsync", &counts.copies}, {"launch", &counts.launches}};

    counts.calls++;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        *counted[i].count += strcmp(call, counted[i].call) == 0;
}

static bool refuses(const char *call, cudaError_t *error)
{
    count_call(call);
    if (fail_nth == 0 || (fail_call && strcmp(fail_call, call) != 0) || --fail_nth > 0)
        return false;
    fail_done = true;
    *error = fail_error;
    return true;
}

static bool queued(int busy)
{
    counts.most_at_once = busy > counts.most_at_once ? busy : counts.most_at_once;
    pthread_cond_broadcast(&gathered);
    return gather != 0;
}

/* Waits for other threads, so that much work is queued at once. */
static void waits(void)
{
    struct timespec until;
    int rc = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)gather_ms % 1000 * 1000000;
    until.tv_sec += gather_ms / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (rc == 0 && soft_busy_streams(-1) < gather)
        rc = pthread_cond_timedwait(&gathered, &soft_mutex, &until);
    gather = 0;
    pthread_cond_broadcast(&gathered);
}

static void broken(const char *sentence)
{
    fprintf(stderr, "the software GPU: %s\n", sentence);
    abort();
}

__attribute__((constructor)) static void set(void)
{
    soft_settings.devices = 2;
    soft_settings.refuses = refuses;
    soft_settings.queued = queued;
    soft_settings.waits = waits;
    soft_settings.broken = broken;
}

/* ---- for tests ---- */

void fake_cuda_devices(int count)
{
    lock();
    soft_settings.devices = count;
    unlock();
}

void fake_cuda_memory(size_t bytes)
{
    lock();
    soft_settings.memory_bytes = bytes;
    unlock();
}

void fake_cuda_fail(const char *call, int nth, cudaError_t error)
{
    lock();
    fail_call = call;
    fail_nth = nth;
    fail_error = error;
    fail_done = false;
    unlock();
}

bool fake_cuda_failed(void)
{
    bool done;
    lock();
    done = fail_done;
    unlock();
    return done;
}

void fake_cuda_gather(int streams, int ms)
{
    lock();
    gather = streams;
    gather_ms = ms;
    unlock();
}

struct fake_cuda_counts fake_cuda_count(void)
{
    struct fake_cuda_counts now;
    struct soft_counts existing;

    lock();
    existing = soft_count();
    counts.streams = existing.streams;
    counts.events = existing.events;
    counts.allocations = existing.allocations;
    counts.pinned = existing.pinned;
    now = counts;
    counts.most_at_once = 0;
    unlock();
    return now;
}
