/* Bands through a device: see run/device_bands.h. Three counters under one lock say how far each
 * stage is; what the device itself has done yet, it is asked for.
 *
 *      0          encoded       submitted         decoded            count
 *      | written  | on the device | waiting for it | not yet decoded | */
#include "run/device_bands.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/memory.h"
#include "kernel/band_device.h"
#include "run/bands.h"

/* Large enough for the bus and for few calls, small enough for stages to overlap early. */
#define BAND_BYTES     ((uint64_t)4 << 20)
#define MAX_BAND_BYTES ((uint64_t)64 << 20)

#define OUTPUT_SLOTS 6
/* The slots with their halo rows on the device, and the host's. */
#define MAX_BYTES ((uint64_t)768 << 20)

/* Tests that force the height of bands want slots to be used again. */
#define FORCED_INPUT_SLOTS  3
#define FORCED_OUTPUT_SLOTS 2

/* Pinning takes 0.3 ms a MB, what pageable memory loses is 0.1 ms a MB and use. */
#define USES_WORTH_PINNING (int)(DEVICE_BANDS_PINNED_BYTES / DEVICE_BANDS_AHEAD_BYTES)
#define PINNED_INPUT_SLOTS 8

#define PAGE 4096

struct device_bands {
    struct pipeline_job job;
    struct image_info info;
    struct band_job band;
    struct image *slots; /* of input, then of output */
    unsigned char *memory;
    size_t input_bytes, output_bytes; /* of memory */
    const struct band_device *device;
    void *state;
    struct sink *sink;
    struct pipeline_times times;
    struct kernel_times device_times;

    pthread_mutex_t lock; /* for all below */
    pthread_cond_t changed;
    int decoded, submitted, encoded; /* bands */
    int users;                       /* threads that may ask the device */
    bool failed;
    struct error *err;
};

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* ---- the layout, and the memory for it ---- */

static uint64_t row_bytes(const struct image_info *info)
{
    return (uint64_t)info->width * (uint64_t)info->channels * (uint64_t)info->type;
}

static int choose_rows(const struct bands *bands, const struct image_info *info)
{
    uint64_t row = row_bytes(info), rows = BAND_BYTES / row;
    uint64_t least = (uint64_t)bands->above + (uint64_t)bands->below + 1; /* as much as the halo */

    if (rows < least)
        rows = least;
    if (rows > MAX_BAND_BYTES / row)
        rows = MAX_BAND_BYTES / row;
    if (rows > (uint64_t)info->height)
        rows = (uint64_t)info->height;
    return rows < 1 ? 1 : (int)rows;
}

/* False where sums read rows that may be anywhere. */
static bool lay_out(struct device_bands *p)
{
    struct band_layout *l = &p->band.layout;
    int forced = p->job.band_rows > 0 ? p->job.band_rows : 0;
    struct bands_use use = {.plan = p->job.plan};
    struct bands bands;

    if (p->job.plan->repeat > 1 || !bands_make(&bands, &use, &p->info, 1, 1))
        return false;
    *l = (struct band_layout){.height = p->info.height, .above = bands.above, .below = bands.below};
    l->rows = forced ? smaller(forced, l->height) : choose_rows(&bands, &p->info);
    l->count = (l->height - 1) / l->rows + 1;
    return true;
}

/* How many slots; false where they would be too much. */
static bool count_slots(struct device_bands *p)
{
    struct band_job *job = &p->band;
    const struct band_layout *l = &job->layout;
    uint64_t row = row_bytes(&p->info), in = (uint64_t)l->rows * row;
    uint64_t out = ((uint64_t)l->rows + (uint64_t)l->below) * row;
    uint64_t halo = ((uint64_t)l->above + (uint64_t)l->below) * row, slots;
    bool forced = p->job.band_rows > 0;

    if (in > MAX_BYTES || out > MAX_BYTES || halo > MAX_BYTES)
        return false;
    slots = forced ? FORCED_INPUT_SLOTS : (uint64_t)DEVICE_BANDS_AHEAD_BYTES / in;
    job->in_slots = smaller(slots < 2 ? 2 : (int)slots, l->count);
    job->out_slots = smaller(forced ? FORCED_OUTPUT_SLOTS : OUTPUT_SLOTS, l->count);
    job->pin = forced || l->count >= USES_WORTH_PINNING * job->in_slots;
    if (job->pin) /* what can wait while the device starts is little of such a picture */
        job->in_slots = smaller(job->in_slots, PINNED_INPUT_SLOTS);
    p->input_bytes = (size_t)((in + PAGE - 1) / PAGE * PAGE) * (size_t)job->in_slots;
    p->output_bytes = (size_t)((out + PAGE - 1) / PAGE * PAGE) * (size_t)job->out_slots;
    return p->input_bytes + p->output_bytes <= MAX_BYTES &&
           (halo + in + out) * (uint64_t)job->out_slots <= MAX_BYTES;
}

static void slots_make(struct device_bands *p, struct image *slot, int count, int rows,
                       unsigned char *memory, size_t bytes)
{
    for (int i = 0; i < count; i++) {
        slot[i] = (struct image){.width = p->info.width,
                                 .height = rows,
                                 .channels = p->info.channels,
                                 .type = p->info.type,
                                 .data = memory + bytes / (size_t)count * (size_t)i};
        slot[i].pitch = image_row_bytes(&slot[i]);
    }
}

static bool alloc(struct device_bands *p)
{
    struct band_job *job = &p->band;
    int rows = job->layout.rows;

    p->slots = calloc((size_t)(job->in_slots + job->out_slots), sizeof *p->slots);
    /* malloc's alignment is not a page's; pinning wants slots that share none. */
    p->memory = large_alloc(p->input_bytes + p->output_bytes + PAGE);
    if (!p->slots || !p->memory)
        return false;
    job->in = p->slots;
    job->out = p->slots + job->in_slots;
    unsigned char *first = p->memory + (PAGE - (uintptr_t)p->memory % PAGE) % PAGE;
    slots_make(p, job->in, job->in_slots, rows, first, p->input_bytes);
    slots_make(p, job->out, job->out_slots, rows + job->layout.below, first + p->input_bytes,
               p->output_bytes);
    return true;
}

static void device_bands_free(struct device_bands *p)
{
    free(p->slots);
    free(p->memory);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

struct device_bands *device_bands_open(const struct pipeline_job *job)
{
    struct device_bands *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->job = *job;
    p->info = *source_info(job->source);
    p->band = (struct band_job){.plan = job->plan,
                                .width = p->info.width,
                                .tile = job->tile,
                                .device_index = job->device_index};
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (lay_out(p) && count_slots(p) && alloc(p)) {
        source_read_ahead(job->source);
        return p;
    }
    device_bands_free(p);
    return NULL;
}

/* ---- what the threads tell each other ---- */

static bool set(struct device_bands *p, int *counter, int value)
{
    pthread_mutex_lock(&p->lock);
    *counter = value;
    bool go_on = !p->failed;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return go_on;
}

/* Waits until *counter is at least `least`; false after a failure. */
static bool reached(struct device_bands *p, const int *counter, int least)
{
    pthread_mutex_lock(&p->lock);
    while (!p->failed && *counter < least)
        pthread_cond_wait(&p->changed, &p->lock);
    bool go_on = !p->failed;
    pthread_mutex_unlock(&p->lock);
    return go_on;
}

/* No band is on its way to the encoder yet. */
static bool has_time(struct device_bands *p)
{
    pthread_mutex_lock(&p->lock);
    bool early = !p->failed && p->submitted == 0;
    pthread_mutex_unlock(&p->lock);
    return early;
}

/* The first error is told. */
static void fail(struct device_bands *p, const struct error *err)
{
    pthread_mutex_lock(&p->lock);
    if (!p->failed) {
        p->failed = true;
        *p->err = *err;
        source_stop(p->job.source); /* the decoder may be waiting for a pipe that stays silent */
    }
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* The device is closed when nobody asks it any more. */
static void leave(struct device_bands *p)
{
    pthread_mutex_lock(&p->lock);
    p->users--;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* ---- the three stages ---- */

static void decode(struct device_bands *p)
{
    const struct band_job *job = &p->band;
    struct error err;

    for (int i = 0; i < job->layout.count; i++) {
        int rows = band_in_end(&job->layout, i) - band_in_first(&job->layout, i);
        struct image into = image_rows(&job->in[i % job->in_slots], 0, rows);
        int before = i - job->in_slots;
        bool ok = true;

        if (before >= 0) {
            if (!reached(p, &p->submitted, before + 1))
                return;
            ok = p->device->wait_uploaded(p->state, before, &err);
        }
        double start = clock_ms();
        if (!ok || !source_read(p->job.source, &into, &err)) {
            fail(p, &err);
            return;
        }
        p->times.decode_ms += clock_ms() - start;
        if (!set(p, &p->decoded, i + 1))
            return;
    }
    p->times.at.decoded = clock_ms();
}

static void *encode(void *argument)
{
    struct device_bands *p = argument;
    const struct band_job *job = &p->band;
    struct error err;

#ifdef MADV_POPULATE_WRITE
    /* There is nothing to write yet, and page faults cost less now than then. */
    madvise(job->out[0].data, p->output_bytes, MADV_POPULATE_WRITE);
#endif
    while (has_time(p) && sink_prepare(p->sink))
        ; /* and pages of the output */
    for (int i = 0; i < job->layout.count && reached(p, &p->submitted, i + 1); i++) {
        int rows = band_out_end(&job->layout, i) - band_out_first(&job->layout, i);
        struct image from = image_rows(&job->out[i % job->out_slots], 0, rows);
        bool ok = p->device->wait_downloaded(p->state, i, &err);
        double start = p->times.at.last_band = clock_ms();

        if (i == 0)
            p->times.at.first_band = start;
        if (!ok || (rows > 0 && !sink_write(p->sink, &from, &err))) {
            fail(p, &err);
            break;
        }
        p->times.encode_ms += clock_ms() - start;
        if (!set(p, &p->encoded, i + 1))
            break;
    }
    leave(p);
    return NULL;
}

static bool device_open(struct device_bands *p, struct error *err)
{
    const struct kernel *kernel = p->job.kernel;

    if (!kernel)
        kernel = p->job.choose(p->job.choose_context, err);
    if (!kernel)
        return false;
    p->device = kernel->bands;
    p->state = p->device->open(&p->band, err);
    return p->state != NULL;
}

static void *run_device(void *argument)
{
    struct device_bands *p = argument;
    const struct band_job *job = &p->band;
    struct error err;
    double begun = clock_ms();
    bool ok = device_open(p, &err);
    p->times.at.opened = clock_ms();
    p->times.start_ms = p->times.at.opened - begun;
    if (!ok)
        fail(p, &err);
    for (int i = 0; ok && i < job->layout.count; i++) {
        if (!reached(p, &p->decoded, i + 1) || !reached(p, &p->encoded, i + 1 - job->out_slots))
            break;
        double start = clock_ms();
        ok = p->device->submit(p->state, i, &err);
        p->times.filter_ms += clock_ms() - start;
        if (!ok)
            fail(p, &err);
        else if (!set(p, &p->submitted, i + 1))
            break;
    }
    pthread_mutex_lock(&p->lock);
    while (p->users > 0)
        pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    if (p->state)
        p->device->close(p->state, &p->device_times);
    return NULL;
}

/* ---- all of it ---- */

static void no_thread(struct device_bands *p)
{
    struct error err;
    error_set(&err, EXIT_INPUT, "no thread can be started");
    fail(p, &err);
}

static void run_stages(struct device_bands *p)
{
    pthread_t device, encoder;

    p->users = 2;
    if (pthread_create(&device, NULL, run_device, p) != 0) {
        no_thread(p);
        return;
    }
    bool encoding = pthread_create(&encoder, NULL, encode, p) == 0;
    if (encoding) {
        decode(p);
    } else {
        no_thread(p);
        leave(p);
    }
    leave(p);
    if (encoding)
        pthread_join(encoder, NULL);
    pthread_join(device, NULL);
}

bool device_bands_run(struct device_bands *p, struct pipeline_times *times,
                      struct kernel_times *device, struct error *err)
{
    double start = clock_ms();
    bool ok = sink_open(&p->sink, p->job.output, &p->info, p->job.sink, err);

    p->err = err;
    p->times.encode_ms = clock_ms() - start;
    if (ok) {
        run_stages(p);
        ok = !p->failed;
    }
    start = clock_ms();
    if (ok)
        ok = sink_finish(p->sink, err);
    else
        sink_abort(p->sink);
    p->times.at.encoded = clock_ms();
    p->times.encode_ms += p->times.at.encoded - start;
    *times = p->times;
    *device = p->device_times;
    device_bands_free(p);
    return ok;
}
