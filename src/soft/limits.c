/* Limits and constant memory of a device of the software GPU: how much shared memory a launch's
 * blocks may have, and the constants that it sees. See soft/gpu.h. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "soft/parts.h"

/* ---- shared memory ---- */

#define MAX_LIMITS     2048
#define SHARED_DEFAULT (48 * 1024)
#define SHARED_MOST    (227 * 1024)

static struct limit {
    const void *kernel;
    int device;
    size_t bytes;
} limits[MAX_LIMITS];
static int limit_count;

/* NULL: too many kernels. Call with the lock held. */
static struct limit *limit_of(const void *kernel, int device)
{
    for (int i = 0; i < limit_count; i++)
        if (limits[i].kernel == kernel && limits[i].device == device)
            return &limits[i];
    if (limit_count == MAX_LIMITS)
        return NULL;
    limits[limit_count] = (struct limit){kernel, device, SHARED_DEFAULT};
    return &limits[limit_count++];
}

cudaError_t soft_shared_allow(const void *kernel, int bytes)
{
    struct limit *limit;

    if (bytes < 0 || bytes > SHARED_MOST)
        return cudaErrorInvalidValue;
    soft_lock();
    limit = limit_of(kernel, soft_current_device());
    if (limit)
        limit->bytes = (size_t)bytes;
    soft_unlock();
    return limit ? cudaSuccess : cudaErrorMemoryAllocation;
}

void soft_shared_check(const void *kernel, size_t bytes)
{
    const struct limit *limit;

    sched_yield();
    soft_lock();
    limit = limit_of(kernel, soft_current_device());
    if (bytes > (limit ? limit->bytes : SHARED_DEFAULT))
        soft_break("a block asks for more shared memory than it may have");
    soft_unlock();
}

/* ---- constant memory ---- */

#define MAX_SYMBOLS    16
#define CONSTANT_BYTES 65536

/* A kernel's symbol holds the constant memory of the visible device; `of` stores that of all
 * devices. */
static struct symbol {
    void *at;
    unsigned char of[SOFT_DEVICES][CONSTANT_BYTES];
    size_t bytes; /* the bytes that were ever written */
} * symbols[MAX_SYMBOLS];
static int symbol_count, shown;

struct constant_copy {
    void *symbol;
    size_t offset, bytes;
    unsigned char kept[CONSTANT_BYTES];
};

/* NULL: too many symbols. */
static struct symbol *symbol_of(void *at)
{
    for (int i = 0; i < symbol_count; i++)
        if (symbols[i]->at == at)
            return symbols[i];
    if (symbol_count == MAX_SYMBOLS || !(symbols[symbol_count] = calloc(1, sizeof **symbols)))
        return NULL;
    symbols[symbol_count]->at = at;
    return symbols[symbol_count++];
}

static void run_constant_copy(const void *arguments, int device)
{
    const struct constant_copy *copy = arguments;
    struct symbol *symbol = symbol_of(copy->symbol);
    const size_t end = copy->offset + copy->bytes;

    if (!symbol) {
        soft_break("there are more arrays in constant memory than the software GPU has room for");
        return;
    }
    memcpy(symbol->of[device] + copy->offset, copy->kept, copy->bytes);
    symbol->bytes = end > symbol->bytes ? end : symbol->bytes;
    if (device == shown)
        memcpy((char *)copy->symbol + copy->offset, copy->kept, copy->bytes);
}

cudaError_t soft_constant_copy(void *symbol, size_t offset, const void *from, size_t bytes,
                               cudaStream_t stream)
{
    struct constant_copy *copy = calloc(1, sizeof *copy);
    cudaError_t status;

    if (!copy || offset > CONSTANT_BYTES || bytes > CONSTANT_BYTES - offset) {
        free(copy);
        return soft_error(copy ? cudaErrorInvalidValue : cudaErrorMemoryAllocation);
    }
    copy->symbol = symbol;
    copy->offset = offset;
    copy->bytes = bytes;
    memcpy(copy->kept, from, bytes);
    status = soft_launch_work(stream, run_constant_copy, copy, sizeof *copy);
    free(copy);
    return soft_error(status);
}

void soft_constants_show(int device)
{
    if (device == shown)
        return;
    for (int i = 0; i < symbol_count; i++)
        memcpy(symbols[i]->at, symbols[i]->of[device], symbols[i]->bytes);
    shown = device;
}
