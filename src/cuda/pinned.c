/* Pinned memory of the host, kept for the next picture. Of a few chunks the smallest that
 * will do is taken. When the most is pinned, chunks that nobody uses give way to a larger
 * one: so they end up as large as the pictures are, however these come mixed. */
#include "cuda/device.h"

#include <pthread.h>
#include <stdint.h>

#define CHUNKS 64

struct chunk {
    void *memory; /* NULL: the place is free */
    size_t bytes;
    bool used;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct chunk chunks[CHUNKS];
static size_t total; /* of all chunks, and of those being pinned */
static bool refused; /* pinning failed once: it takes long to fail again */

/* Rounds sizes up to steps of an eighth of a power of two, so that pictures of nearly one size can
 * share a chunk. */
static size_t round_up(size_t bytes)
{
    size_t step = 4096;
    while (step * 16 < bytes)
        step *= 2;
    return (bytes + step - 1) / step * step;
}

/* With the lock held: the smallest chunk for BYTES that nobody uses; NULL: none. */
static struct chunk *find(size_t bytes)
{
    struct chunk *best = NULL;
    for (int i = 0; i < CHUNKS; i++)
        if (chunks[i].memory && !chunks[i].used && chunks[i].bytes >= bytes &&
            (!best || chunks[i].bytes < best->bytes))
            best = &chunks[i];
    return best;
}

static struct chunk *find_place(void)
{
    for (int i = 0; i < CHUNKS; i++)
        if (!chunks[i].memory)
            return &chunks[i];
    return NULL;
}

/* With the lock held. No copy uses the chunk: its user waited for the last one before giving it
 * back. */
static void unpin(struct chunk *chunk)
{
    cuda_worked(cudaFreeHost(chunk->memory));
    total -= chunk->bytes;
    *chunk = (struct chunk){0};
}

/* With the lock held: is there room for BYTES more? */
static bool make_room(size_t bytes)
{
    for (int i = 0; i < CHUNKS && (total + bytes > CUDA_HOST_BYTES || !find_place()); i++)
        if (chunks[i].memory && !chunks[i].used)
            unpin(&chunks[i]);
    return total + bytes <= CUDA_HOST_BYTES && find_place();
}

/* Without the lock: others need not wait for pinning. */
static void *pin(int index, size_t bytes)
{
    void *memory = NULL;
    return cuda_worked(cudaSetDevice(index)) &&
                   cuda_worked(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable))
               ? memory
               : NULL;
}

/* Enters memory that was pinned without the lock. There is room for it, but its place in the table
 * may have been taken meanwhile.
 */
static void *enter(void *memory, size_t bytes)
{
    struct chunk *place = memory ? find_place() : NULL;

    if (place) {
        *place = (struct chunk){memory, bytes, true};
        return memory;
    }
    if (memory)
        cuda_worked(cudaFreeHost(memory));
    refused = refused || !memory;
    total -= bytes;
    return NULL;
}

void *cuda_host_take(int index, size_t bytes)
{
    struct chunk *chunk;
    void *memory = NULL;

    if (bytes > CUDA_HOST_CHUNK_BYTES || !cuda_device_is_ready(index))
        return NULL;
    bytes = round_up(bytes);
    pthread_mutex_lock(&lock);
    chunk = find(bytes);
    if (chunk) {
        chunk->used = true;
        memory = chunk->memory;
    } else if (!refused && make_room(bytes)) {
        total += bytes;
        pthread_mutex_unlock(&lock);
        memory = pin(index, bytes);
        pthread_mutex_lock(&lock);
        memory = enter(memory, bytes);
    }
    pthread_mutex_unlock(&lock);
    return memory;
}

bool cuda_host_give(void *memory)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < CHUNKS && !found; i++)
        if (memory && chunks[i].memory == memory) {
            chunks[i].used = false;
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

void cuda_host_release(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < CHUNKS; i++)
        if (chunks[i].memory && !chunks[i].used)
            unpin(&chunks[i]);
    pthread_mutex_unlock(&lock);
}
