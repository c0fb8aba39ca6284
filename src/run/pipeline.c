/* The band pipeline: see run/pipeline.h. How bands are cut is run/bands.c.
 *
 * A band is some rows of output; rows are decoded in steps of as many. What is
 * ready follows from a few counters under one lock:
 *
 *      0        next_encode   oldest   next_filter     rows_read            height
 *      | written | in slots   | being filtered | in the ring | not yet decoded |
 *
 * A slot is free again when its band is written, a ring row when no band from `oldest`
 * on reads it. The ring holds enough for one band with its halo and one step more, so
 * that some task is always ready and nothing waits for itself. */
#include "run/pipeline.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/memory.h"
#include "run/bands.h"

/* Below this a thread costs more than it brings. */
#define SMALL_BYTES ((uint64_t)128 * 1024)

#define MAX_WORKERS 256

enum task { TASK_NONE, TASK_DECODE, TASK_FILTER, TASK_ENCODE };

struct pipeline {
    struct pipeline_job job;
    struct image_info info;
    struct bands bands;
    int workers;
    bool stream_in, stream_out;
    struct row_ring ring;    /* the input, if it streams */
    struct image picture_in; /* else */
    struct image *slot;      /* outputs of bands, if they stream: band i in slot i % slots */
    struct image picture_out;
    int slots;
    bool *filtered; /* per slot: its band is complete */
    struct kernel_state *state;

    struct sink *sink;
    pthread_mutex_t lock; /* for all below */
    pthread_cond_t changed;
    int rows_read, next_filter, oldest, next_encode;
    bool decoding, encoding, failed;
    int waiting;
    struct pipeline_times times;
    struct error *err;
};

/* ---- does it apply, and what memory does it take ---- */

/* As a whole number of rows close to each other: encoders that need no gaps write them at once. */
static bool slot_alloc(struct image *slot, const struct pipeline *p)
{
    const struct image_info *info = &p->info;

    *slot = (struct image){.width = info->width,
                           .height = p->bands.rows,
                           .channels = info->channels,
                           .type = info->type};
    slot->pitch = image_row_bytes(slot);
    return slot->pitch <= SIZE_MAX / 2 / (size_t)p->bands.rows &&
           posix_memalign(&slot->data, IMAGE_ROW_ALIGN, slot->pitch * (size_t)p->bands.rows) == 0;
}

static bool alloc(struct pipeline *p)
{
    const struct image_info *info = &p->info;
    /* One band waiting to be written beside those in work; one thread needs only its own. */
    int more = p->workers > 1 ? p->workers + 1 : 1;
    int64_t ring_rows = (int64_t)p->bands.rows * (more + 1) + p->bands.above + p->bands.below;

    if (ring_rows > info->height)
        ring_rows = info->height;
    p->slots = p->stream_out && more < p->bands.count ? more : p->bands.count;
    p->filtered = calloc((size_t)p->slots, sizeof *p->filtered);
    if (!p->filtered)
        return false;
    if (p->stream_in &&
        !row_ring_alloc(&p->ring, info->width, info->channels, info->type, (int)ring_rows))
        return false;
    if (!p->stream_out)
        return true;
    p->slot = calloc((size_t)p->slots, sizeof *p->slot);
    for (int i = 0; p->slot && i < p->slots; i++)
        if (!slot_alloc(&p->slot[i], p))
            return false;
    return p->slot != NULL;
}

static void pipeline_free(struct pipeline *p)
{
    row_ring_free(&p->ring);
    image_free(&p->picture_in);
    image_free(&p->picture_out);
    for (int i = 0; p->slot && i < p->slots; i++)
        image_free(&p->slot[i]);
    free(p->slot);
    free(p->filtered);
    if (p->state)
        kernel_close(p->job.kernel, p->state);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

struct pipeline *pipeline_open(const struct pipeline_job *job)
{
    const struct image_info *info = source_info(job->source);
    const struct bands_use use = {job->plan, job->kernel, job->method};
    struct pipeline *p;
    struct error ignored; /* whoever does the picture whole will say it */
    /* below 2^31 * 2^31; with channels and sample bytes it could leave 64 bits */
    uint64_t pixels = (uint64_t)info->width * (uint64_t)info->height;
    bool small = pixels < SMALL_BYTES / ((uint64_t)info->channels * (uint64_t)info->type);

    if (job->plan->repeat > 1 || (small && job->band_rows <= 0))
        return NULL;
    p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->job = *job;
    p->info = *info;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->stream_in = source_streams(job->source);
    p->stream_out = sink_streams(job->output, info, job->sink);
    if ((p->stream_in || p->stream_out) &&
        bands_make(&p->bands, &use, info, job->threads, job->band_rows) && p->bands.count > 1) {
        p->workers = job->threads < MAX_WORKERS ? job->threads : MAX_WORKERS;
        if (p->workers > p->bands.count)
            p->workers = p->bands.count;
        if (alloc(p) && kernel_open(job->kernel, job->plan, info->width, p->bands.rows, job->method,
                                    &p->state, &ignored)) {
            if (p->workers > 1)
                source_read_ahead(job->source);
            return p;
        }
    }
    pipeline_free(p);
    return NULL;
}

const char *pipeline_method(const struct pipeline *p)
{
    return p->state ? p->state->method : NULL;
}

/* ---- the rows of a band or a task ---- */

static struct image band_output(const struct pipeline *p, int band)
{
    int first = bands_first(&p->bands, band), rows = bands_end(&p->bands, band) - first;
    return p->stream_out ? image_rows(&p->slot[band % p->slots], 0, rows)
                         : image_rows(&p->picture_out, first, rows);
}

/* The rows that the next decoding task reads. */
static int decode_rows(const struct pipeline *p)
{
    int left = p->info.height - p->rows_read;
    return p->stream_in && left > p->bands.rows ? p->bands.rows : left;
}

/* ---- the tasks; each runs without the lock ---- */

static bool decode(struct pipeline *p, int first, int rows, struct error *err)
{
    struct image into;
    if (!p->stream_in)
        return source_read_all(p->job.source, &p->picture_in, err);
    into = row_ring_rows(&p->ring, first, rows);
    return source_read(p->job.source, &into, err);
}

static bool filter(struct pipeline *p, int band, struct error *err)
{
    int from = bands_needs_from(&p->bands, band), rows = bands_needs_to(&p->bands, band) - from;
    struct image in =
        p->stream_in ? row_ring_rows(&p->ring, from, rows) : image_rows(&p->picture_in, from, rows);
    struct image out = band_output(p, band);
    struct kernel_job job = {.plan = p->job.plan,
                             .in = &in,
                             .out = &out,
                             .picture_height = p->info.height,
                             .in_first_row = from,
                             .out_first_row = bands_first(&p->bands, band),
                             .threads = 1, /* the bands are what runs beside each other */
                             .tile = p->job.tile,
                             .state = p->state};
    return kernel_run(p->job.kernel, &job, err);
}

static bool encode(struct pipeline *p, int band, struct error *err)
{
    struct image rows = band_output(p, band);
    return sink_write(p->sink, p->stream_out ? &rows : &p->picture_out, err);
}

/* ---- who does what next; with the lock held ---- */

static bool can_encode(const struct pipeline *p)
{
    if (p->encoding || p->next_encode == p->bands.count)
        return false;
    return p->stream_out ? p->next_encode < p->next_filter && p->filtered[p->next_encode % p->slots]
                         : p->oldest == p->bands.count;
}

static bool can_filter(const struct pipeline *p)
{
    return p->next_filter < p->bands.count && p->next_filter - p->next_encode < p->slots &&
           bands_needs_to(&p->bands, p->next_filter) <= p->rows_read;
}

static bool can_decode(const struct pipeline *p)
{
    if (p->decoding || p->rows_read == p->info.height)
        return false;
    return !p->stream_in ||
           p->rows_read + decode_rows(p) - bands_needs_from(&p->bands, p->oldest) <=
               p->ring.image.height;
}

/* Writing frees memory and goes first. Reading comes before filtering where others can filter
 * meanwhile, since it is the stage that cannot be shared out; a thread alone filters what it has
 * just read. */
static enum task next_task(const struct pipeline *p)
{
    if (can_encode(p))
        return TASK_ENCODE;
    if (p->workers > 1 && can_decode(p))
        return TASK_DECODE;
    if (can_filter(p))
        return TASK_FILTER;
    return can_decode(p) ? TASK_DECODE : TASK_NONE;
}

static void complete(struct pipeline *p, enum task task, int band, int rows, double ms)
{
    switch (task) {
    case TASK_DECODE:
        p->decoding = false;
        p->rows_read += rows;
        p->times.decode_ms += ms;
        break;
    case TASK_FILTER:
        p->filtered[band % p->slots] = true;
        while (p->oldest < p->next_filter && p->filtered[p->oldest % p->slots])
            p->oldest++;
        p->times.filter_ms += ms;
        break;
    case TASK_ENCODE:
        p->encoding = false;
        p->next_encode = p->stream_out ? band + 1 : p->bands.count;
        p->times.encode_ms += ms;
        break;
    case TASK_NONE:
        break;
    }
}

/* Claims the task, does it with the lock released, and notes its completion. */
static void perform(struct pipeline *p, enum task task)
{
    int band = task == TASK_ENCODE ? p->next_encode : p->next_filter;
    int first = p->rows_read, rows = decode_rows(p);
    struct error err;
    double start;
    bool ok;

    if (task == TASK_DECODE) {
        p->decoding = true;
    } else if (task == TASK_ENCODE) {
        p->encoding = true;
    } else {
        p->next_filter++;
        p->filtered[band % p->slots] = false;
    }
    /* Threads wake each other one by one, and only for a task that is there. */
    if (p->waiting > 0 && next_task(p) != TASK_NONE)
        pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    start = clock_ms();
    ok = task == TASK_DECODE   ? decode(p, first, rows, &err)
         : task == TASK_FILTER ? filter(p, band, &err)
                               : encode(p, band, &err);
    start = clock_ms() - start;
    pthread_mutex_lock(&p->lock);
    if (!ok && !p->failed) {
        p->failed = true;
        *p->err = err;
        source_stop(p->job.source); /* the decoder may be waiting for a pipe that stays silent */
    }
    if (ok)
        complete(p, task, band, rows, start);
}

static void work(void *context, int piece, int worker)
{
    struct pipeline *p = context;

    (void)piece, (void)worker;
    pthread_mutex_lock(&p->lock);
    while (!p->failed && p->next_encode < p->bands.count) {
        enum task task = next_task(p);
        if (task != TASK_NONE) {
            perform(p, task);
            continue;
        }
        p->waiting++;
        pthread_cond_wait(&p->changed, &p->lock);
        p->waiting--;
    }
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

bool pipeline_run(struct pipeline *p, struct pipeline_times *times, struct error *err)
{
    double start = clock_ms();
    bool ok = sink_open(&p->sink, p->job.output, &p->info, p->job.sink, err);

    p->err = err;
    if (ok && !p->stream_out)
        ok = image_alloc(&p->picture_out, p->info.width, p->info.height, p->info.channels,
                         p->info.type, p->job.input, err);
    p->times.encode_ms = clock_ms() - start;
    if (ok) {
        large_alloc_keep_small(); /* kernels and codecs allocate their buffers once a band */
        parallel_for(p->workers, p->workers, work, p);
        ok = !p->failed;
    }
    start = clock_ms();
    if (ok)
        ok = sink_finish(p->sink, err);
    else
        sink_abort(p->sink);
    p->times.encode_ms += clock_ms() - start;
    *times = p->times;
    pipeline_free(p);
    return ok;
}
