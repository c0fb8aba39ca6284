/* Pinned memory of the host, kept for the next picture. Of a few pieces the smallest that
 * will do is taken. When the most is pinned, pieces that nobody uses give way to a larger
 * one: so they end up as large as the pictures are, however these come mixed. */
#include "cuda/device.h"

#include <pthread.h>
#include <stdint.h>

#define PIECES 64

struct piece {
    void *memory; /* NULL: the place is free */
    size_t bytes;
    bool used;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct piece pieces[PIECES];
static size_t total; /* of all pieces, and of those being pinned */
static bool refused; /* there is none to be had: it takes long to be told so again */

/* Sizes that are near are one, an eighth of a power of two apart: pictures are not all alike. */
static size_t round_up(size_t bytes)
{
    size_t step = 4096;
    while (step * 16 < bytes)
        step *= 2;
    return (bytes + step - 1) / step * step;
}

/* With the lock held: the smallest piece for BYTES that nobody uses; NULL: none. */
static struct piece *find(size_t bytes)
{
    struct piece *best = NULL;
    for (int i = 0; i < PIECES; i++)
        if (pieces[i].memory && !pieces[i].used && pieces[i].bytes >= bytes &&
            (!best || pieces[i].bytes < best->bytes))
            best = &pieces[i];
    return best;
}

static struct piece *find_place(void)
{
    for (int i = 0; i < PIECES; i++)
        if (!pieces[i].memory)
            return &pieces[i];
    return NULL;
}

/* With the lock held. No copy uses it: who gave it back had waited for the last one. */
static void unpin(struct piece *piece)
{
    if (cudaFreeHost(piece->memory) != cudaSuccess)
        cudaGetLastError();
    total -= piece->bytes;
    *piece = (struct piece){0};
}

/* With the lock held: is there room for BYTES more? */
static bool make_room(size_t bytes)
{
    for (int i = 0; i < PIECES && (total + bytes > CUDA_HOST_BYTES || !find_place()); i++)
        if (pieces[i].memory && !pieces[i].used)
            unpin(&pieces[i]);
    return total + bytes <= CUDA_HOST_BYTES && find_place();
}

/* Without the lock: others need not wait for pinning. */
static void *pin(int index, size_t bytes)
{
    void *memory = NULL;
    if (cudaSetDevice(index) == cudaSuccess &&
        cudaHostAlloc(&memory, bytes, cudaHostAllocPortable) == cudaSuccess)
        return memory;
    cudaGetLastError();
    return NULL;
}

/* What was pinned without the lock is entered; room was made for it, but perhaps its place is gone.
 */
static void *enter(void *memory, size_t bytes)
{
    struct piece *place = memory ? find_place() : NULL;

    if (place) {
        *place = (struct piece){memory, bytes, true};
        return memory;
    }
    if (memory && cudaFreeHost(memory) != cudaSuccess)
        cudaGetLastError();
    refused = refused || !memory;
    total -= bytes;
    return NULL;
}

void *cuda_host_take(int index, size_t bytes)
{
    struct piece *piece;
    void *memory = NULL;

    if (bytes > CUDA_HOST_PIECE_BYTES || !cuda_device_is_ready(index))
        return NULL;
    bytes = round_up(bytes);
    pthread_mutex_lock(&lock);
    piece = find(bytes);
    if (piece) {
        piece->used = true;
        memory = piece->memory;
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
    for (int i = 0; i < PIECES && !found; i++)
        if (memory && pieces[i].memory == memory) {
            pieces[i].used = false;
            found = true;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

void cuda_host_release(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < PIECES; i++)
        if (pieces[i].memory && !pieces[i].used)
            unpin(&pieces[i]);
    pthread_mutex_unlock(&lock);
}
