/* The strips form a ring. The caller fills the strip at `filled`, threads take the strip at
 * `taken`, and the caller writes the strip at `written` as soon as it is compressed. The three
 * count strips from the beginning, and written <= taken <= filled. A caller that finds the ring
 * full compresses a strip itself, so that --threads N counts the caller too, and 1 starts no
 * thread. Threads start when there is a second strip for them, so small pictures start none. */
#include "codec/strips.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* 256 KiB fits in a core's L2 cache, gives work to two threads for pictures of 300 x 300 RGB pixels
 * and more, and costs about 100 bytes of code per strip. */
#define STRIP_BYTES ((size_t)1 << 18)

#define MAX_THREADS 256

struct strips {
    struct sink *sink;
    const struct strip_maker *maker;
    size_t row_bytes;
    struct strip *ring;
    int rows, slots, threads; /* rows of a full strip; `threads` includes the caller */
    int rows_given;
    void *own; /* the caller's worker; made at the first use */
    pthread_t handle[MAX_THREADS];
    int started;
    pthread_mutex_t lock; /* protects the members below and every strip's `done` */
    pthread_cond_t work, made;
    long long filled, taken, written;
    int idle;
    bool stopping;
};

int strip_rows(const struct sink *sink, size_t row_bytes)
{
    size_t rows = STRIP_BYTES / row_bytes, height = (size_t)sink->info.height;

    return rows < 1 ? 1 : rows > height ? sink->info.height : (int)rows;
}

/* ---- threads ---- */

static struct strip *strip_at(const struct strips *strips, long long i)
{
    return &strips->ring[i % strips->slots];
}

/* Compresses the next strip; the caller holds the lock, before and after. */
static void make_next(struct strips *strips, void *worker)
{
    struct strip *strip = strip_at(strips, strips->taken++);

    pthread_mutex_unlock(&strips->lock);
    strip->failed = !strips->maker->compress(worker, strip);
    pthread_mutex_lock(&strips->lock);
    strip->done = true;
    pthread_cond_signal(&strips->made);
}

/* A thread without memory for its worker ends; the other threads do the work. */
static void *run(void *argument)
{
    struct strips *strips = argument;
    void *worker = strips->maker->worker_new(strips->sink);

    pthread_mutex_lock(&strips->lock);
    while (worker && !strips->stopping) {
        if (strips->taken < strips->filled) {
            make_next(strips, worker);
        } else {
            strips->idle++;
            pthread_cond_wait(&strips->work, &strips->lock);
            strips->idle--;
        }
    }
    pthread_mutex_unlock(&strips->lock);
    if (worker)
        strips->maker->worker_free(worker);
    return NULL;
}

/* ---- strips through the ring ---- */

/* Writes finished strips, and makes strips that no thread has taken, until at most KEEP strips are
 * left in the ring. If KEEP is the ring's size, it only writes finished strips. */
static bool drain(struct strips *strips, int keep, struct error *err)
{
    bool ok = true;

    pthread_mutex_lock(&strips->lock);
    while (ok && strips->written < strips->filled) {
        struct strip *strip = strip_at(strips, strips->written);
        if (strip->done) {
            pthread_mutex_unlock(&strips->lock);
            ok = strip->failed ? sink_no_memory(strips->sink, err)
                               : strips->maker->write(strips->sink, strip, err);
            pthread_mutex_lock(&strips->lock);
            strip->done = false;
            strips->written++;
        } else if (strips->filled - strips->written <= keep) {
            break;
        } else if (strips->taken < strips->filled) {
            if (!strips->own)
                strips->own = strips->maker->worker_new(strips->sink);
            if (strips->own)
                make_next(strips, strips->own);
            else
                ok = sink_no_memory(strips->sink, err);
        } else {
            pthread_cond_wait(&strips->made, &strips->lock);
        }
    }
    pthread_mutex_unlock(&strips->lock);
    return ok;
}

/* Marks the strip at `filled` as complete, so that a thread may take it. Starts another thread if
 * all are busy. */
static void submit(struct strips *strips)
{
    bool more = strips->rows_given < strips->sink->info.height;

    pthread_mutex_lock(&strips->lock);
    strips->filled++;
    if (strips->idle == 0 && more && strips->started < strips->threads - 1 &&
        pthread_create(&strips->handle[strips->started], NULL, run, strips) == 0)
        strips->started++;
    pthread_cond_signal(&strips->work);
    pthread_mutex_unlock(&strips->lock);
}

/* Allocates memory for the next strip and copies the row above it. */
static bool strip_begin(struct strips *strips, struct error *err)
{
    size_t row = strips->row_bytes;
    struct strip *strip = strip_at(strips, strips->filled);

    if (!strip->rows)
        strip->rows = large_alloc(row * ((size_t)strips->rows + 1));
    if (!strip->out)
        strip->out = large_alloc(strips->maker->out_bytes);
    if (!strip->rows || !strip->out)
        return sink_no_memory(strips->sink, err);
    strip->number = (int)strips->filled;
    strip->count = 0;
    if (strip->number == 0) {
        memset(strip->rows, 0, row);
    } else {
        const struct strip *before = strip_at(strips, strips->filled - 1);
        memmove(strip->rows, before->rows + (size_t)strips->rows * row, row);
    }
    return true;
}

bool strips_add(struct strips *strips, const struct image *rows, struct error *err)
{
    const size_t row = strips->row_bytes;
    int count;

    for (int y = 0; y < rows->height; y += count) {
        int in_strip = strips->rows_given % strips->rows;
        int room = strips->rows - in_strip, left = rows->height - y;
        struct strip *strip;
        count = rows->pitch != row ? 1 : room < left ? room : left;
        if (in_strip == 0 && (!drain(strips, strips->slots - 1, err) || !strip_begin(strips, err)))
            return false;
        strip = strip_at(strips, strips->filled);
        strips->maker->copy(strip->rows + ((size_t)in_strip + 1) * row, image_row(rows, y),
                            row * (size_t)count, rows->type);
        strip->count += count;
        strips->rows_given += count;
        if (strip->count == strips->rows || strips->rows_given == strips->sink->info.height)
            submit(strips);
    }
    return true;
}

bool strips_finish(struct strips *strips, struct error *err)
{
    return drain(strips, 0, err);
}

/* ---- opening and closing ---- */

struct strips *strips_new(struct sink *sink, const struct strip_maker *maker, int rows)
{
    const struct image_info *info = &sink->info;
    struct strips *strips = calloc(1, sizeof *strips);

    if (!strips)
        return NULL;
    strips->sink = sink;
    strips->maker = maker;
    strips->row_bytes = (size_t)info->width * (size_t)info->channels * (size_t)info->type;
    strips->rows = rows;
    strips->threads = sink->options.threads < MAX_THREADS ? sink->options.threads : MAX_THREADS;
    strips->slots = strips->threads > 1 ? 2 * strips->threads : 1;
    pthread_mutex_init(&strips->lock, NULL);
    pthread_cond_init(&strips->work, NULL);
    pthread_cond_init(&strips->made, NULL);
    strips->ring = calloc((size_t)strips->slots, sizeof *strips->ring);
    if (strips->ring)
        return strips;
    strips_free(strips);
    return NULL;
}

void strips_free(struct strips *strips)
{
    if (!strips)
        return;
    pthread_mutex_lock(&strips->lock);
    strips->stopping = true;
    pthread_cond_broadcast(&strips->work);
    pthread_mutex_unlock(&strips->lock);
    for (int i = 0; i < strips->started; i++)
        pthread_join(strips->handle[i], NULL);
    for (int i = 0; strips->ring && i < strips->slots; i++) {
        free(strips->ring[i].rows);
        free(strips->ring[i].out);
    }
    free(strips->ring);
    if (strips->own)
        strips->maker->worker_free(strips->own);
    pthread_cond_destroy(&strips->work);
    pthread_cond_destroy(&strips->made);
    pthread_mutex_destroy(&strips->lock);
    free(strips);
}
