/* The band pipeline (run/pipeline.h): the memory of the bands, and the tasks. run/flow.c has the
 * threads that take them; a step is a band.
 *
 * Step i of decoding reads the rows that band i needs and no earlier band needs. A ring row is free
 * when no band from `oldest` on reads it. The ring holds at least one band with its halo and one
 * more step, so that some task is always ready and no deadlock is possible. The input slots of the
 * bands that a device got are free once they are uploaded. */
#include "run/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
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
    struct flow flow;
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
    kernel_close(p->job.kernel, p->state);
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
    if (job->plan->repeat == 1 && bands_find_reach(&p->bands, job->plan, info->height) &&
        (on_device(p) ? lay_out_device(p) : lay_out_cpu(p))) {
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
    p->band.times = &p->flow.times.device;
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
        count_ends(p, &p->picture_in, &p->flow.times.ends_in);
        return true;
    }
    if (rows == 0)
        return true;
    into = on_device(p) ? image_rows(&p->in.image[band % p->in.count], 0, rows)
                        : row_ring_rows(&p->ring, first, rows);
    if (!source_read(p->job.source, &into, err))
        return false;
    count_ends(p, &into, &p->flow.times.ends_in);
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

    count_ends(p, &rows, &p->flow.times.ends_out);
    return sink_write(p->sink, &rows, err);
}

/* Waits until the device has read the slot to decode into, or has filled the slot to encode. */
static bool wait_for_device(void *context, enum flow_task task, int64_t step, struct error *err)
{
    struct pipeline *p = context;
    const int band = (int)step;

    if (on_device(p) && task == TASK_DECODE && band >= p->in.count)
        return p->device->wait_uploaded(p->device_state, band - p->in.count, err);
    if (on_device(p) && task == TASK_ENCODE)
        return p->device->wait_downloaded(p->device_state, band, err);
    return true;
}

static bool run_task(void *context, enum flow_task task, int64_t step, struct error *err)
{
    struct pipeline *p = context;
    const int band = (int)step;

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

/* ---- the whole ---- */

bool pipeline_run(struct pipeline *p, struct pipeline_times *times, struct error *err)
{
    double start = clock_ms();
    bool ok;

    p->flow = (struct flow){.workers = p->workers,
                            .count = p->bands.count,
                            .in_slots = p->in.count,
                            .out_slots = p->out.count,
                            .whole_in = !p->stream_in,
                            .whole_out = !p->stream_out,
                            .device = on_device(p),
                            .source = p->job.source,
                            .progress = p->job.progress,
                            .context = p,
                            .wait = wait_for_device,
                            .run = run_task};
    ok = sink_open(&p->sink, p->job.output, &p->info, p->job.sink, err);

    if (ok && !p->stream_out)
        ok = image_alloc(&p->picture_out, p->info.width, p->info.height, p->info.channels,
                         p->info.type, p->job.input, err);
    p->flow.times.encode_ms = clock_ms() - start;
    if (ok) {
        ok = flow_run(&p->flow, err);
        if (p->device_state)
            p->device->close(p->device_state);
    }
    start = clock_ms();
    if (ok)
        ok = sink_finish_page(p->sink, p->job.source, err);
    else
        sink_abort(p->sink);
    p->flow.times.at.encoded = clock_ms();
    p->flow.times.encode_ms += p->flow.times.at.encoded - start;
    *times = p->flow.times;
    pipeline_free(p);
    return ok;
}
