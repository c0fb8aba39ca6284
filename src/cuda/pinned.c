/* Pinned memory of the host, kept for the next picture. A request gets the smallest free chunk that
 * is large enough. At the limit, unused chunks are unpinned to make room for a larger one: so chunk
 * sizes adapt to any mix of pictures. */
#include "cuda/device.h"

#include <pthread.h>
#include <stdint.h>

#define CHUNKS 64
/* Chunk sizes are multiples of this, so that pictures of similar size can use one chunk. */
#define STEP ((size_t)1 << 20)

struct chunk {
    void *memory; /* NULL: the place is free, or its memory is being pinned */
    size_t bytes;
    bool used;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct chunk chunks[CHUNKS];
static size_t total; /* bytes of all chunks, also of chunks being pinned */
static bool refused; /* pinning failed once; failing again would take long */

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
        if (!chunks[i].memory && !chunks[i].used)
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

/* With the lock held: a place for BYTES more; NULL: there is no room. */
static struct chunk *make_room(size_t bytes)
{
    for (int i = 0; i < CHUNKS && (total + bytes > CUDA_HOST_BYTES || !find_place()); i++)
        if (chunks[i].memory && !chunks[i].used)
            unpin(&chunks[i]);
    return total + bytes <= CUDA_HOST_BYTES ? find_place() : NULL;
}

/* Pins memory for the caller's chunk, without the lock: other threads need not wait. */
static void pin(struct chunk *chunk, int index)
{
    void *memory = NULL;
    bool done = cuda_worked(cudaSetDevice(index)) &&
                cuda_worked(cudaHostAlloc(&memory, chunk->bytes, cudaHostAllocPortable));

    pthread_mutex_lock(&lock);
    if (done) {
        chunk->memory = memory;
    } else {
        refused = true;
        total -= chunk->bytes;
        *chunk = (struct chunk){0};
    }
    pthread_mutex_unlock(&lock);
}

void *cuda_host_take(int index, size_t bytes)
{
    struct chunk *chunk;

    if (bytes > CUDA_HOST_CHUNK_BYTES || !cuda_device_is_ready(index))
        return NULL;
    bytes = (bytes + STEP - 1) / STEP * STEP;
    pthread_mutex_lock(&lock);
    chunk = find(bytes);
    if (!chunk && !refused && (chunk = make_room(bytes))) {
        chunk->bytes = bytes;
        total += bytes;
    }
    if (chunk)
        chunk->used = true;
    pthread_mutex_unlock(&lock);
    if (chunk && !chunk->memory)
        pin(chunk, index);
    return chunk ? chunk->memory : NULL;
}

bool cuda_host_give(void *memory)
{
    bool found = false;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < CHUNKS && memory && !found; i++) {
        found = chunks[i].memory == memory;
        chunks[i].used = chunks[i].used && !found;
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
