/* The band pipeline (run/pipeline.h): the memory of the bands, and the tasks. run/flow.c has the
 * threads that take them; a step is a band.
 *
 * Band i of a stage is the rows that band i of the next stage needs and no earlier band. A row that
 * a stage has made is free again when no later band of the next stage reads it. The memory behind
 * each stage holds at least one band with its halo. The input slots of the bands that a device got
 * are free once they are uploaded. */
#include "run/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "kernel/around.h"
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

/* A stage of the flow, and the memory behind it, which the next stage reads. */
struct stage {
    /* Of a filter: */
    const struct plan *plan;     /* its step's, for one pass; the passes of a step share it */
    const struct kernel *kernel; /* of the CPU */
    struct kernel_state *state;  /* of the kernel; the passes of a step share it */
    int above, below;            /* rows beyond a filter's band that its sums may read */
    _Atomic uint64_t *ends;      /* counts in what the stage makes; NULL: nobody does */
    int ahead;            /* rows beyond the output's bands that later stages' sums may read */
    struct row_ring ring; /* on the CPU, if the stage makes rows for a filter and streams */
};

struct pipeline {
    struct pipeline_job job;
    struct image_info info;
    struct image shape;  /* of the picture, without memory */
    struct bands bands;  /* of the output */
    struct stage *stage; /* as many as the flow has */
    struct plan *once;   /* for each step: its plan alone; for the CPU with one pass */
    int workers;
    bool stream_in, stream_out;
    struct slots in, out;     /* in: for a device only */
    struct image picture_in;  /* the input on the CPU, if it does not stream */
    struct image picture_out; /* the output, if it does not stream */

    struct band_job band; /* for the device, with its kernels */
    const struct kernel *kernels[CHAIN_MOST];
    const struct band_device *device;
    void *device_state;

    struct sink *sink;
    struct flow flow;
};

static bool on_device(const struct pipeline *p)
{
    return !p->job.kernels;
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

static int largest_halo(const struct pipeline *p)
{
    int halo = 0;

    for (int s = 1; s <= p->flow.filters; s++)
        halo = larger(halo, p->stage[s].above + p->stage[s].below);
    return halo;
}

/* How many rows a band should have for the threads of the CPU. */
static int rows_on_cpu(const struct pipeline *p)
{
    const struct kernel *kernel = p->job.kernels[0];
    const int threads = p->job.threads, height = p->info.height;
    size_t row = image_row_bytes(&p->shape);
    int rows = (int)(BAND_BYTES / row), most = (int)(MAX_BAND_BYTES / row);
    const int halo = largest_halo(p);
    int least = larger(2 * (halo + 1), MIN_ROWS);

    most = larger(most, smaller(halo, (int)(WIDE_BAND_BYTES / row)));

    if (threads > 1)
        rows = smaller(rows, height / threads / BANDS_EACH);
    rows = larger(larger(rows, smaller(least, most)), 1);
    if (threads > 1)
        most = smaller(most, height / threads / WANTED_EACH);
    if (most < rows || !kernel->rows || p->flow.filters > 1)
        return rows;
    return kernel->rows(kernel, p->once, p->job.method, p->info.width, rows, most);
}

static int rows_on_device(const struct pipeline *p)
{
    size_t row = image_row_bytes(&p->shape);
    int rows = larger((int)(DEVICE_BAND_BYTES / row), p->bands.above + p->bands.below + 1);

    return larger(smaller(rows, (int)(DEVICE_MAX_BAND_BYTES / row)), 1);
}

/* ---- the rows of a stage's band ---- */

/* The row after the last one that stage S makes in BAND. */
static int made_to(const struct pipeline *p, int s, int band)
{
    int end = bands_end(&p->bands, band), left = p->info.height - end;

    return end + smaller(p->stage[s].ahead, left);
}

static int made_from(const struct pipeline *p, int s, int band)
{
    return band == 0 ? 0 : made_to(p, s, band - 1);
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

/* Memory for what the stages before the last filter make. With several filters the rings may take
 * no more than two whole pictures, because the filters need as much one after the other. */
static bool rings_alloc(struct pipeline *p)
{
    const struct image *shape = &p->shape;
    int64_t all = 0;

    for (int s = p->stream_in ? 0 : 1; s < p->flow.filters; s++) {
        const struct stage *reader = &p->stage[s + 1];
        int64_t band = (int64_t)p->bands.rows * p->flow.stage[s].slots, ahead = p->stage[s].ahead;
        int64_t rows = band + larger(reader->above + reader->below, (int)ahead);

        rows = rows < shape->height ? rows : shape->height;
        all += rows;
        if ((p->flow.filters > 1 && all > 2 * (int64_t)shape->height) ||
            !row_ring_alloc(&p->stage[s].ring, shape->width, shape->channels, shape->type,
                            (int)rows))
            return false;
    }
    return true;
}

/* Makes the kernels' states; a pass of the same step as the one before shares its state. */
static bool states_open(struct pipeline *p)
{
    struct error ignored; /* the run of the whole picture reports it */

    for (int s = 1; s <= p->flow.filters; s++) {
        struct stage *stage = &p->stage[s];
        if (stage->plan == p->stage[s - 1].plan)
            stage->state = p->stage[s - 1].state;
        else if (!kernel_open(stage->kernel, stage->plan, p->info.width, p->bands.rows,
                              p->job.method, &stage->state, &ignored))
            return false;
    }
    return true;
}

static bool lay_out_cpu(struct pipeline *p)
{
    const struct pipeline_job *job = &p->job;
    struct bands *bands = &p->bands;
    /* below 2^31 * 2^31; times channels and sample bytes it could overflow 64 bits */
    uint64_t pixels = (uint64_t)p->info.width * (uint64_t)p->info.height;
    bool small = pixels < SMALL_BYTES / ((uint64_t)p->info.channels * (uint64_t)p->info.type);
    int more;

    p->stream_in = source_streams(job->source);
    p->stream_out = sink_streams(job->output, &p->info, job->sink);
    if (!(p->stream_in || p->stream_out) || (small && job->band_rows <= 0))
        return false;
    cut(bands, job->band_rows > 0 ? job->band_rows : rows_on_cpu(p));
    if (bands->count == 1)
        return false;
    p->workers = smaller(job->band_rows > 0 ? job->threads : job->workers, bands->count);
    if (job->threads > 1) /* before memory is taken, which needs as long as the first rows */
        source_read_ahead(job->source);
    /* One band per thread and one that waits to be written; a single thread needs only its own. */
    more = p->workers > 1 ? p->workers + 1 : 1;
    for (int s = 0; s < p->flow.filters; s++)
        p->flow.stage[s].slots = p->workers > 1 ? more + 1 : 1;
    if (!p->stream_in)
        p->flow.stage[FLOW_READ].slots = bands->count;
    p->out.count = p->flow.stage[p->flow.filters].slots =
        p->stream_out ? smaller(more, bands->count) : bands->count;
    return rings_alloc(p) && (!p->stream_out || slots_alloc(&p->out, &p->shape, bands->rows)) &&
           states_open(p);
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
    source_read_ahead(p->job.source);
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
    p->flow.stage[0].slots = p->in.count;
    p->flow.stage[1].slots = p->out.count;
    return in * (uint64_t)p->in.count + out * (uint64_t)p->out.count <= DEVICE_MAX_BYTES &&
           (halo + 2 * out) * (uint64_t)p->out.count <= DEVICE_MAX_BYTES &&
           slots_alloc(&p->in, &p->shape, bands->rows + bands->below) &&
           slots_alloc(&p->out, &p->shape, bands->rows);
}

void pipeline_free(struct pipeline *p)
{
    for (int s = 0; p->stage && s <= p->flow.filters; s++) {
        if (s > 0 && p->stage[s].plan != p->stage[s - 1].plan)
            kernel_close(p->stage[s].kernel, p->stage[s].state);
        row_ring_free(&p->stage[s].ring);
    }
    free(p->stage);
    free(p->flow.stage);
    free(p->once);
    image_free(&p->picture_in);
    image_free(&p->picture_out);
    free(p->in.image);
    free(p->in.memory);
    free(p->out.image);
    free(p->out.memory);
    free(p);
}

/* Adds the halos of a step's passes to those of all passes. False: with several passes they are
 * larger than the picture. */
static bool add_reach(struct bands *all, const struct bands *one, int passes, bool several)
{
    const int64_t above = all->above + (int64_t)one->above * passes;
    const int64_t below = all->below + (int64_t)one->below * passes;

    if (several && (above > all->height || below > all->height))
        return false;
    all->above = (int)above;
    all->below = (int)below;
    return true;
}

/* Makes the filter of a device, which does all passes of a band in one task. False: a step is
 * surrounded, or its clipped samples are counted between two steps; or see add_reach. */
static bool device_stage_make(struct pipeline *p, size_t passes)
{
    const bool chain = p->job.plan->next != NULL;
    struct bands one;
    int i = 0;

    for (const struct plan *step = p->job.plan; step; step = step->next, i++) {
        const bool counts = p->job.ends && plan_changes_brightness(step);
        p->once[i] = *step;
        p->once[i].next = NULL;
        if (around_is_needed(step) || (chain && counts) ||
            !bands_find_reach(&one, step, p->info.height) ||
            !add_reach(&p->bands, &one, step->repeat, passes > 1))
            return false;
        if (counts) {
            p->stage[0].ends = &p->job.ends[0];
            p->stage[1].ends = &p->job.ends[1];
        }
    }
    p->stage[1].plan = p->once;
    p->stage[1].above = p->bands.above;
    p->stage[1].below = p->bands.below;
    return true;
}

/* Makes a filter for each pass of each step. */
static bool cpu_stages_make(struct pipeline *p)
{
    struct bands reach;
    int s = 1, i = 0;

    for (const struct plan *step = p->job.plan; step; step = step->next, i++) {
        const int before = s - 1;
        p->once[i] = *step;
        p->once[i].repeat = 1;
        p->once[i].next = NULL;
        if (!bands_find_reach(&reach, step, p->info.height))
            return false;
        for (int pass = 0; pass < step->repeat; pass++, s++) {
            p->stage[s].plan = &p->once[i];
            p->stage[s].kernel = p->job.kernels[i];
            p->stage[s].above = reach.above;
            p->stage[s].below = reach.below;
        }
        if (p->job.ends && plan_changes_brightness(step)) {
            p->stage[before].ends = &p->job.ends[i];
            p->stage[s - 1].ends = &p->job.ends[i + 1];
        }
    }
    return true;
}

/* False: the sums of a band may read rows anywhere in the picture, the device cannot do it in
 * bands, or there is no memory. */
static bool stages_make(struct pipeline *p)
{
    size_t passes = 0, steps = 0, filters;

    for (const struct plan *step = p->job.plan; step; step = step->next, steps++)
        passes += (size_t)step->repeat;
    filters = on_device(p) ? 1 : passes;
    p->stage = calloc(filters + 2, sizeof *p->stage);
    p->flow.stage = calloc(filters + 2, sizeof *p->flow.stage);
    p->flow.filters = (int)filters;
    p->once = calloc(steps, sizeof *p->once);
    p->bands.height = p->info.height;
    if (!p->stage || !p->flow.stage || !p->once ||
        !(on_device(p) ? device_stage_make(p, passes) : cpu_stages_make(p)))
        return false;
    for (int s = p->flow.filters; s > 0; s--)
        p->stage[s - 1].ahead = smaller(p->stage[s].ahead + p->stage[s].below, p->info.height);
    return true;
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
    if (stages_make(p) && (on_device(p) ? lay_out_device(p) : lay_out_cpu(p)))
        return p;
    pipeline_free(p);
    return NULL;
}

const char *pipeline_method(const struct pipeline *p)
{
    return p->stage[1].state ? p->stage[1].state->method : NULL;
}

static uint64_t slots_bytes(const struct slots *slots)
{
    return slots->image
               ? (uint64_t)slots->count * slots->image[0].pitch * (uint64_t)slots->image[0].height
               : 0;
}

uint64_t pipeline_bytes(const struct pipeline *p)
{
    const uint64_t whole = image_row_bytes(&p->shape) * (uint64_t)p->info.height;
    uint64_t bytes = slots_bytes(&p->in) + slots_bytes(&p->out);

    for (int s = 0; s <= p->flow.filters; s++)
        bytes += p->stage[s].ring.bytes;
    return bytes + (p->stream_in ? 0 : whole) + (p->stream_out ? 0 : whole);
}

/* ---- the tasks; each runs without the lock ---- */

static bool device_open(struct pipeline *p, struct error *err)
{
    if (!p->job.choose(p->job.choose_context, p->kernels, err))
        return false;
    p->band.kernels = p->kernels;
    p->band.plan = p->once;
    for (const struct plan *step = p->job.plan; step; step = step->next)
        p->band.steps++;
    p->band.bands = &p->bands;
    p->band.shape = &p->shape;
    p->band.tile = p->job.tile;
    p->band.device_index = p->job.device_index;
    p->band.in = p->in.image;
    p->band.out = p->out.image;
    p->band.in_slots = p->in.count;
    p->band.out_slots = p->out.count;
    p->band.times = &p->flow.times.device;
    p->device = p->kernels[0]->bands; /* that of all kernels of the device */
    p->device_state = p->device->open(&p->band, err);
    return p->device_state != NULL;
}

/* Counts in ROWS, which stage S has made. */
static void count_ends(const struct pipeline *p, int s, const struct image *rows)
{
    if (p->stage[s].ends)
        *p->stage[s].ends += image_count_ends(rows, p->info.max);
}

static bool decode(struct pipeline *p, int band, struct error *err)
{
    int first = made_from(p, FLOW_READ, band), rows = made_to(p, FLOW_READ, band) - first;
    struct image into;

    if (!p->stream_in) {
        if (!source_read_all(p->job.source, &p->picture_in, err))
            return false;
        count_ends(p, FLOW_READ, &p->picture_in);
        return true;
    }
    if (rows == 0)
        return true;
    into = on_device(p) ? image_rows(&p->in.image[band % p->in.count], 0, rows)
                        : row_ring_rows(&p->stage[FLOW_READ].ring, first, rows);
    if (!source_read(p->job.source, &into, err))
        return false;
    count_ends(p, FLOW_READ, &into);
    return true;
}

static struct image band_output(const struct pipeline *p, int band)
{
    int first = bands_first(&p->bands, band), rows = bands_end(&p->bands, band) - first;
    return p->stream_out ? image_rows(&p->out.image[band % p->out.count], 0, rows)
                         : image_rows(&p->picture_out, first, rows);
}

/* Rows [FROM, TO) of what stage S makes, on the CPU. */
static struct image rows_behind(const struct pipeline *p, int s, int from, int to)
{
    return s == FLOW_READ && !p->stream_in ? image_rows(&p->picture_in, from, to - from)
                                           : row_ring_rows(&p->stage[s].ring, from, to - from);
}

static bool filter(struct pipeline *p, int s, int band, struct error *err)
{
    const struct stage *stage = &p->stage[s];
    const int first = made_from(p, s, band), end = made_to(p, s, band);
    const int from = larger(first - stage->above, 0);
    struct image in, out;
    struct kernel_job job = {.plan = stage->plan,
                             .in = &in,
                             .out = &out,
                             .picture_height = p->info.height,
                             .in_first_row = from,
                             .out_first_row = first,
                             .threads = 1, /* the bands run in parallel */
                             .tile = p->job.tile,
                             .state = stage->state};

    if (on_device(p))
        return p->device->submit(p->device_state, band, err);
    if (first == end)
        return true;
    in = rows_behind(p, s - 1, from, made_to(p, s - 1, band));
    out = s == p->flow.filters ? band_output(p, band) : rows_behind(p, s, first, end);
    if (!kernel_run(stage->kernel, &job, err))
        return false;
    count_ends(p, s, &out);
    return true;
}

static bool encode(struct pipeline *p, int band, struct error *err)
{
    struct image rows = p->stream_out ? band_output(p, band) : p->picture_out;

    if (on_device(p))
        count_ends(p, p->flow.filters, &rows);
    return sink_write(p->sink, &rows, err);
}

/* Waits until the device has read the slot to decode into, or has filled the slot to encode. */
static bool wait_for_device(void *context, int task, int64_t step, struct error *err)
{
    struct pipeline *p = context;
    const int band = (int)step;

    if (on_device(p) && task == FLOW_READ && band >= p->in.count)
        return p->device->wait_uploaded(p->device_state, band - p->in.count, err);
    if (on_device(p) && task == flow_last(&p->flow))
        return p->device->wait_downloaded(p->device_state, band, err);
    return true;
}

static bool run_task(void *context, int task, int64_t step, struct error *err)
{
    struct pipeline *p = context;
    const int band = (int)step;

    if (task == FLOW_OPEN)
        return device_open(p, err);
    if (task == FLOW_READ)
        return decode(p, band, err);
    return task == flow_last(&p->flow) ? encode(p, band, err) : filter(p, task, band, err);
}

/* ---- the whole ---- */

bool pipeline_run(struct pipeline *p, struct pipeline_times *times, struct error *err)
{
    double start = clock_ms();
    bool ok;

    p->flow.workers = p->workers;
    p->flow.count = p->bands.count;
    p->flow.whole_in = !p->stream_in;
    p->flow.whole_out = !p->stream_out;
    p->flow.device = on_device(p);
    p->flow.source = p->job.source;
    p->flow.progress = p->job.progress;
    p->flow.context = p;
    p->flow.wait = wait_for_device;
    p->flow.run = run_task;
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
