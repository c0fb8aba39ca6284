/* The band pipeline (run/pipeline.h): the memory of the bands, the tasks, and the threads that take
 * them.
 *
 * Step i of decoding reads the rows that band i needs and no earlier band needs. A few counters of
 * bands, under one lock, tell which task is ready:
 *
 *      0        next_encode    oldest       next_filter      decoded              count
 *      | written  | in slots     | being filtered | its rows are there | not yet decoded |
 *
 * An output slot is free again when its band is written. A ring row is free when no band from
 * `oldest` on reads it. The ring holds at least one band with its halo and one more step, so that
 * some task is always ready and no deadlock is possible. A device gets one band at a time, and
 * `oldest` counts the submitted bands: their input slots are free once they are uploaded. */
#include "run/pipeline.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernel/band_device.h"

/* For smaller pictures a thread costs more than it saves. */
#define SMALL_BYTES ((uint64_t)128 * 1024)

/* A device has three threads: one decodes, one encodes, one prepares the device and submits. The
 * limit holds for the slots on the host, and for the slots with halo rows on the device. */
#define DEVICE_WORKERS      3
#define DEVICE_OUTPUT_SLOTS 6
#define DEVICE_MAX_BYTES    ((uint64_t)768 << 20)

/* For tests that force the height of bands: few slots, so that slots are reused. */
#define FORCED_INPUT_SLOTS  3
#define FORCED_OUTPUT_SLOTS 2

/* Pinning takes 0.3 ms per MB. Pageable memory loses 0.1 ms per MB at each use. */
#define USES_WORTH_PINNING (int)(DEVICE_BANDS_PINNED_BYTES / DEVICE_BANDS_AHEAD_BYTES)
#define PINNED_INPUT_SLOTS 8

#define PAGE 4096

/* A band of input and its output stay in cache: each takes most of a 512 KiB L2 cache, and both fit
 * an L3 slice. Twice this size was no faster, half of it was slower. */
#define BAND_BYTES ((size_t)384 * 1024)
/* A kernel prepares its buffers and the halo once per band, so bands of few rows cost more. */
#define MIN_ROWS       16
#define MAX_BAND_BYTES ((size_t)4 << 20)
/* Rows of megabytes: as many as the halo has, so that its sums are made twice and not once a row.
 */
#define WIDE_BAND_BYTES ((size_t)16 << 20)

/* Least number of bands per thread: evens out threads that lose their core for a while. */
#define BANDS_EACH 4
/* Least number of bands per thread if the kernel wants higher bands. */
#define WANTED_EACH 2

/* Bands for a device: large enough for the bus and for few calls, small enough for stages to
 * overlap early. */
#define DEVICE_BAND_BYTES     ((size_t)4 << 20)
#define DEVICE_MAX_BAND_BYTES ((size_t)64 << 20)

enum task { TASK_NONE, TASK_OPEN, TASK_DECODE, TASK_FILTER, TASK_ENCODE };

/* Band i is in image[i % count]. */
struct slots {
    int count;
    struct image *image;
    void *memory;
};

struct pipeline {
    struct pipeline_job job;
    struct image_info info;
    struct image shape; /* of the picture, without memory */
    struct bands bands;
    int workers;
    bool stream_in, stream_out;
    struct slots in, out;       /* in: for a device only; its count holds for the ring, too */
    struct row_ring ring;       /* the input on the CPU, if it streams */
    struct image picture_in;    /* the input on the CPU, if it does not stream */
    struct image picture_out;   /* the output, if it does not stream */
    struct kernel_state *state; /* of the CPU's kernel */

    struct band_job band; /* for the device */
    const struct band_device *device;
    void *device_state;

    struct sink *sink;
    pthread_mutex_t lock; /* for all below */
    pthread_cond_t changed;
    int decoded, next_filter, oldest, next_encode;
    bool *filtered; /* per slot: its band is complete */
    bool opening, opened, decoding, encoding, failed;
    int waiting;
    struct pipeline_times times;
    struct error *err;
};

static bool on_device(const struct pipeline *p)
{
    return !p->job.kernel;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* ---- how high the bands are ---- */

/* Cuts into bands of ROWS rows. */
static void cut(struct bands *bands, int rows)
{
    bands->rows = smaller(rows, bands->height);
    bands->count = (bands->height - 1) / bands->rows + 1;
}

/* How many rows a band should have for the threads of the CPU. */
static int rows_on_cpu(const struct pipeline *p)
{
    const struct pipeline_job *job = &p->job;
    const int threads = job->threads, height = p->info.height;
    size_t row = image_row_bytes(&p->shape);
    int rows = (int)(BAND_BYTES / row), most = (int)(MAX_BAND_BYTES / row);
    const int halo = p->bands.above + p->bands.below;
    int least = larger(2 * (halo + 1), MIN_ROWS);

    most = larger(most, smaller(halo, (int)(WIDE_BAND_BYTES / row)));

    if (threads > 1)
        rows = smaller(rows, height / threads / BANDS_EACH);
    rows = larger(larger(rows, smaller(least, most)), 1);
    if (threads > 1)
        most = smaller(most, height / threads / WANTED_EACH);
    if (most < rows || !job->kernel->rows)
        return rows;
    return job->kernel->rows(job->kernel, job->plan, job->method, p->info.width, rows, most);
}

static int rows_on_device(const struct pipeline *p)
{
    size_t row = image_row_bytes(&p->shape);
    int rows = larger((int)(DEVICE_BAND_BYTES / row), p->bands.above + p->bands.below + 1);

    return larger(smaller(rows, (int)(DEVICE_MAX_BAND_BYTES / row)), 1);
}

/* ---- does it apply, and what memory does it take ---- */

/* Allocates slots->count slots of ROWS rows without gaps, because some encoders then write them in
 * one call. Each slot begins on a page: pinned slots must not share a page. */
static bool slots_alloc(struct slots *slots, const struct image *shape, int rows)
{
    size_t count = (size_t)slots->count, pitch = image_row_bytes(shape), each;
    unsigned char *first;

    if (pitch > SIZE_MAX / 2 / (size_t)rows / count)
        return false;
    each = (pitch * (size_t)rows + PAGE - 1) / PAGE * PAGE;
    slots->image = calloc(count, sizeof *slots->image);
    slots->memory = large_alloc(each * count + PAGE);
    if (!slots->image || !slots->memory)
        return false;
    first = (unsigned char *)slots->memory + (PAGE - (uintptr_t)slots->memory % PAGE) % PAGE;
    for (size_t i = 0; i < count; i++) {
        slots->image[i] = *shape;
        slots->image[i].height = rows;
        slots->image[i].pitch = pitch;
        slots->image[i].data = first + each * i;
    }
    return true;
}

static bool lay_out_cpu(struct pipeline *p)
{
    const struct pipeline_job *job = &p->job;
    struct bands *bands = &p->bands;
    struct error ignored; /* the run of the whole picture reports it */
    /* below 2^31 * 2^31; times channels and sample bytes it could overflow 64 bits */
    uint64_t pixels = (uint64_t)p->info.width * (uint64_t)p->info.height;
    bool small = pixels < SMALL_BYTES / ((uint64_t)p->info.channels * (uint64_t)p->info.type);
    int more;
    int64_t ring_rows;

    p->stream_in = source_streams(job->source);
    p->stream_out = sink_streams(job->output, &p->info, job->sink);
    if (!(p->stream_in || p->stream_out) || (small && job->band_rows <= 0))
        return false;
    cut(bands, job->band_rows > 0 ? job->band_rows : rows_on_cpu(p));
    if (bands->count == 1)
        return false;
    p->workers = smaller(job->threads, bands->count);
    /* One band per thread and one that waits to be written; a single thread needs only its own. */
    more = p->workers > 1 ? p->workers + 1 : 1;
    p->in.count = !p->stream_in ? bands->count : p->workers > 1 ? more + 1 : 1;
    p->out.count = p->stream_out ? smaller(more, bands->count) : bands->count;
    ring_rows = (int64_t)bands->rows * p->in.count + bands->above + bands->below;
    if (ring_rows > p->info.height)
        ring_rows = p->info.height;
    return (!p->stream_in || row_ring_alloc(&p->ring, p->info.width, p->info.channels, p->info.type,
                                            (int)ring_rows)) &&
           (!p->stream_out || slots_alloc(&p->out, &p->shape, bands->rows)) &&
           kernel_open(job->kernel, job->plan, p->info.width, bands->rows, job->method, &p->state,
                       &ignored);
}

/* Returns false if the slots would take too much memory. */
static bool lay_out_device(struct pipeline *p)
{
    struct bands *bands = &p->bands;
    bool forced = p->job.band_rows > 0;
    uint64_t row = image_row_bytes(&p->shape), in, out, halo, slots;

    cut(bands, forced ? p->job.band_rows : rows_on_device(p));
    p->workers = DEVICE_WORKERS;
    p->stream_in = p->stream_out = true;
    out = (uint64_t)bands->rows * row;
    in = out + (uint64_t)bands->below * row;
    halo = ((uint64_t)bands->above + (uint64_t)bands->below) * row;
    if (in > DEVICE_MAX_BYTES || halo > DEVICE_MAX_BYTES)
        return false;
    slots = forced ? FORCED_INPUT_SLOTS : (uint64_t)DEVICE_BANDS_AHEAD_BYTES / in;
    p->in.count = smaller(slots < 2 ? 2 : (int)slots, bands->count);
    p->out.count = smaller(forced ? FORCED_OUTPUT_SLOTS : DEVICE_OUTPUT_SLOTS, bands->count);
    p->band.pin = forced || bands->count >= USES_WORTH_PINNING * p->in.count;
    if (p->band.pin) /* only a small part of such a picture is decoded while the device starts */
        p->in.count = smaller(p->in.count, PINNED_INPUT_SLOTS);
    return in * (uint64_t)p->in.count + out * (uint64_t)p->out.count <= DEVICE_MAX_BYTES &&
           (halo + 2 * out) * (uint64_t)p->out.count <= DEVICE_MAX_BYTES &&
           slots_alloc(&p->in, &p->shape, bands->rows + bands->below) &&
           slots_alloc(&p->out, &p->shape, bands->rows);
}

static void pipeline_free(struct pipeline *p)
{
    row_ring_free(&p->ring);
    image_free(&p->picture_in);
    image_free(&p->picture_out);
    free(p->in.image);
    free(p->in.memory);
    free(p->out.image);
    free(p->out.memory);
    free(p->filtered);
    kernel_close(p->job.kernel, p->state);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

struct pipeline *pipeline_open(const struct pipeline_job *job)
{
    const struct image_info *info = source_info(job->source);
    struct pipeline *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->job = *job;
    p->info = *info;
    p->shape = (struct image){.width = info->width,
                              .height = info->height,
                              .channels = info->channels,
                              .type = info->type};
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (job->plan->repeat == 1 && bands_find_reach(&p->bands, job->plan, info->height) &&
        (on_device(p) ? lay_out_device(p) : lay_out_cpu(p)) &&
        (p->filtered = calloc((size_t)p->out.count, sizeof *p->filtered))) {
        if (p->workers > 1)
            source_read_ahead(job->source);
        return p;
    }
    pipeline_free(p);
    return NULL;
}

const char *pipeline_method(const struct pipeline *p)
{
    return p->state ? p->state->method : NULL;
}

/* ---- the tasks; each runs without the lock ---- */

static bool device_open(struct pipeline *p, struct error *err)
{
    const struct kernel *kernel = p->job.choose(p->job.choose_context, err);

    if (!kernel)
        return false;
    p->band.kernel = kernel;
    p->band.plan = p->job.plan;
    p->band.bands = &p->bands;
    p->band.shape = &p->shape;
    p->band.tile = p->job.tile;
    p->band.device_index = p->job.device_index;
    p->band.in = p->in.image;
    p->band.out = p->out.image;
    p->band.in_slots = p->in.count;
    p->band.out_slots = p->out.count;
    p->band.times = &p->times.device;
    p->device = kernel->bands;
    p->device_state = p->device->open(&p->band, err);
    return p->device_state != NULL;
}

/* One thread at a time decodes, and one encodes. */
static void count_ends(const struct pipeline *p, const struct image *rows, uint64_t *count)
{
    if (p->job.count_ends)
        *count += image_count_ends(rows, p->info.max);
}

static bool decode(struct pipeline *p, int band, struct error *err)
{
    int first = bands_new_from(&p->bands, band), rows = bands_needs_to(&p->bands, band) - first;
    struct image into;

    if (!p->stream_in) {
        if (!source_read_all(p->job.source, &p->picture_in, err))
            return false;
        count_ends(p, &p->picture_in, &p->times.ends_in);
        return true;
    }
    if (rows == 0)
        return true;
    into = on_device(p) ? image_rows(&p->in.image[band % p->in.count], 0, rows)
                        : row_ring_rows(&p->ring, first, rows);
    if (!source_read(p->job.source, &into, err))
        return false;
    count_ends(p, &into, &p->times.ends_in);
    return true;
}

static struct image band_output(const struct pipeline *p, int band)
{
    int first = bands_first(&p->bands, band), rows = bands_end(&p->bands, band) - first;
    return p->stream_out ? image_rows(&p->out.image[band % p->out.count], 0, rows)
                         : image_rows(&p->picture_out, first, rows);
}

static bool filter(struct pipeline *p, int band, struct error *err)
{
    int from = bands_needs_from(&p->bands, band), rows = bands_needs_to(&p->bands, band) - from;
    struct image in, out = band_output(p, band);
    struct kernel_job job = {.plan = p->job.plan,
                             .in = &in,
                             .out = &out,
                             .picture_height = p->info.height,
                             .in_first_row = from,
                             .out_first_row = bands_first(&p->bands, band),
                             .threads = 1, /* the bands run in parallel */
                             .tile = p->job.tile,
                             .state = p->state};

    if (on_device(p))
        return p->device->submit(p->device_state, band, err);
    in =
        p->stream_in ? row_ring_rows(&p->ring, from, rows) : image_rows(&p->picture_in, from, rows);
    return kernel_run(p->job.kernel, &job, err);
}

static bool encode(struct pipeline *p, int band, struct error *err)
{
    struct image rows = p->stream_out ? band_output(p, band) : p->picture_out;

    count_ends(p, &rows, &p->times.ends_out);
    return sink_write(p->sink, &rows, err);
}

/* Waits until the device has read the slot to decode into, or has filled the slot to encode. */
static bool wait_for_device(struct pipeline *p, enum task task, int band, struct error *err)
{
    if (on_device(p) && task == TASK_DECODE && band >= p->in.count)
        return p->device->wait_uploaded(p->device_state, band - p->in.count, err);
    if (on_device(p) && task == TASK_ENCODE)
        return p->device->wait_downloaded(p->device_state, band, err);
    return true;
}

static bool run_task(struct pipeline *p, enum task task, int band, struct error *err)
{
    switch (task) {
    case TASK_OPEN:
        return device_open(p, err);
    case TASK_DECODE:
        return decode(p, band, err);
    case TASK_FILTER:
        return filter(p, band, err);
    case TASK_ENCODE:
        return encode(p, band, err);
    case TASK_NONE:
        break;
    }
    return true;
}

/* ---- who does what next; with the lock held ---- */

static bool can_encode(const struct pipeline *p)
{
    int ready = p->stream_out || p->oldest == p->bands.count ? p->oldest : 0;
    return !p->encoding && p->next_encode < ready;
}

static bool can_filter(const struct pipeline *p)
{
    return p->next_filter < p->decoded && p->next_filter - p->next_encode < p->out.count &&
           (!on_device(p) || (p->opened && p->next_filter == p->oldest));
}

static bool can_decode(const struct pipeline *p)
{
    return !p->decoding && p->decoded < p->bands.count && p->decoded - p->oldest < p->in.count;
}

/* Encoding frees memory and goes first. With several threads decoding goes before filtering: only
 * one thread at a time can decode. A single thread filters what it has just decoded. */
static enum task next_task(const struct pipeline *p)
{
    if (can_encode(p))
        return TASK_ENCODE;
    if (on_device(p) && !p->opening)
        return TASK_OPEN;
    if (p->workers > 1 && can_decode(p))
        return TASK_DECODE;
    if (can_filter(p))
        return TASK_FILTER;
    return can_decode(p) ? TASK_DECODE : TASK_NONE;
}

/* Claims the task; returns its band, or its step of decoding. */
static int claim(struct pipeline *p, enum task task)
{
    switch (task) {
    case TASK_OPEN:
        p->opening = true;
        break;
    case TASK_DECODE:
        p->decoding = true;
        return p->decoded;
    case TASK_FILTER:
        p->filtered[p->next_filter % p->out.count] = false;
        return p->next_filter++;
    case TASK_ENCODE:
        p->encoding = true;
        return p->next_encode;
    case TASK_NONE:
        break;
    }
    return 0;
}

static void complete(struct pipeline *p, enum task task, int band, double start)
{
    struct pipeline_times *times = &p->times;
    double now = clock_ms();

    switch (task) {
    case TASK_OPEN:
        p->opened = true;
        times->at.opened = now;
        times->start_ms = now - start;
        break;
    case TASK_DECODE:
        p->decoding = false;
        p->decoded = p->stream_in ? band + 1 : p->bands.count;
        times->at.decoded = now;
        times->decode_ms += now - start;
        break;
    case TASK_FILTER:
        p->filtered[band % p->out.count] = true;
        while (p->oldest < p->next_filter && p->filtered[p->oldest % p->out.count])
            p->oldest++;
        times->filter_ms += now - start;
        break;
    case TASK_ENCODE:
        p->encoding = false;
        p->next_encode = p->stream_out ? band + 1 : p->bands.count;
        times->at.last_band = start;
        if (band == 0)
            times->at.first_band = start;
        times->encode_ms += now - start;
        break;
    case TASK_NONE:
        break;
    }
}

static void tell_progress(const struct pipeline *p)
{
    p->job.progress->all = 3 * p->bands.count;
    p->job.progress->done = p->decoded + p->oldest + p->next_encode;
}

/* Claims the task, does it with the lock released, and notes its completion. */
static void perform(struct pipeline *p, enum task task)
{
    int band = claim(p, task);
    struct error err;
    double start;
    bool ok;

    /* A thread wakes one other thread, and only if a task is ready. */
    if (p->waiting > 0 && next_task(p) != TASK_NONE)
        pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    ok = wait_for_device(p, task, band, &err);
    start = clock_ms();
    ok = ok && run_task(p, task, band, &err);
    pthread_mutex_lock(&p->lock);
    if (!ok && !p->failed) {
        p->failed = true;
        *p->err = err;
        source_stop(p->job.source); /* the decoder may be waiting for a pipe that stays silent */
    }
    if (ok)
        complete(p, task, band, start);
    if (ok && p->job.progress)
        tell_progress(p);
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
        if (p->device_state)
            p->device->close(p->device_state);
    }
    start = clock_ms();
    if (ok)
        ok = sink_finish_page(p->sink, p->job.source, err);
    else
        sink_abort(p->sink);
    p->times.at.encoded = clock_ms();
    p->times.encode_ms += p->times.at.encoded - start;
    *times = p->times;
    pipeline_free(p);
    return ok;
}
