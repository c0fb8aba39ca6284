/* The band pipeline (run/pipeline.h): the memory of the bands, the tasks, and the threads that take
 * them.
 *
 * Stage 0 decodes, the stages 1 to n filter, the last one encodes. Every stage makes band after
 * band: band i of a stage is the rows that band i of the next stage needs and no earlier band. So
 * band i of a stage can be made when band i of the stage before is complete. A few counters of
 * bands for each stage, under one lock, tell which task is ready:
 *
 *      0             complete         next                                        count
 *      | complete      | being made     | not yet begun                             |
 *
 * A row that a stage has made is free again when no band from `complete` on of the next stage reads
 * it; an output slot, when its band is written. The memory behind each stage holds at least one
 * band with its halo, so that some task is always ready and no deadlock is possible. A device gets
 * one band at a time, and its stage counts the submitted bands: their input slots are free once
 * they are uploaded. */
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

/* A stage's number, or one of these. */
enum { NO_TASK = -1, OPEN_DEVICE = -2, DECODE = 0 };

/* Band i is in image[i % count]. */
struct slots {
    int count;
    struct image *image;
    void *memory;
};

/* One stage, and the memory behind it, which the next stage reads. */
struct stage {
    const struct pipeline_step *step; /* of a filter */
    const struct plan *plan;          /* the step's, for one pass */
    struct kernel_state *state;       /* of a filter on the CPU; repeated passes share it */
    int above, below;                 /* rows beyond a filter's band that its sums may read */
    int ahead;            /* rows beyond the output's bands that later stages' sums may read */
    struct row_ring ring; /* on the CPU, if the stage makes rows for a filter and streams */
    int capacity;         /* bands that the memory holds, from the next stage's `complete` on */
    int next, complete;
    bool *made; /* band i is made[i % capacity], for the bands from `complete` on */
};

struct pipeline {
    struct pipeline_job job;
    struct image_info info;
    struct image shape; /* of the picture, without memory */
    struct bands bands; /* of the output */
    struct plan *once;  /* for each step: its plan with one pass */
    int workers;
    bool stream_in, stream_out;
    struct slots in, out;     /* in: for a device only */
    struct image picture_in;  /* the input on the CPU, if it does not stream */
    struct image picture_out; /* the output, if it does not stream */

    struct band_job band; /* for the device */
    const struct band_device *device;
    void *device_state;

    struct sink *sink;
    pthread_mutex_t lock; /* for all below */
    pthread_cond_t changed;
    struct stage *stage; /* 0: decoding, 1 .. last - 1: filters, last: encoding */
    int last;
    bool opening, opened, decoding, encoding, failed;
    int waiting;
    struct pipeline_times times;
    struct error *err;
};

static bool on_device(const struct pipeline *p)
{
    return !p->job.steps[0].kernel;
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

    for (int s = 1; s < p->last; s++)
        halo = larger(halo, p->stage[s].above + p->stage[s].below);
    return halo;
}

/* How many rows a band should have for the threads of the CPU. */
static int rows_on_cpu(const struct pipeline *p)
{
    const struct pipeline_step *step = p->job.steps;
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
    if (most < rows || !step->kernel->rows || p->last > 2)
        return rows;
    return step->kernel->rows(step->kernel, step->plan, step->method, p->info.width, rows, most);
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

    for (int s = p->stream_in ? 0 : 1; s < p->last - 1; s++) {
        const struct stage *reader = &p->stage[s + 1];
        int64_t band = (int64_t)p->bands.rows * p->stage[s].capacity, ahead = p->stage[s].ahead;
        int64_t rows = band + larger(reader->above + reader->below, (int)ahead);

        rows = rows < shape->height ? rows : shape->height;
        all += rows;
        if ((p->last > 2 && all > 2 * (int64_t)shape->height) ||
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

    for (int s = 1; s < p->last; s++) {
        const struct pipeline_step *step = p->stage[s].step;
        if (step == p->stage[s - 1].step)
            p->stage[s].state = p->stage[s - 1].state;
        else if (!kernel_open(step->kernel, p->stage[s].plan, p->info.width, p->bands.rows,
                              step->method, &p->stage[s].state, &ignored))
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
    p->workers = smaller(job->threads, bands->count);
    /* One band per thread and one that waits to be written; a single thread needs only its own. */
    more = p->workers > 1 ? p->workers + 1 : 1;
    for (int s = 0; s < p->last - 1; s++)
        p->stage[s].capacity = p->workers > 1 ? more + 1 : 1;
    if (!p->stream_in)
        p->stage[0].capacity = bands->count;
    p->out.count = p->stage[p->last - 1].capacity =
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
    p->stage[0].capacity = p->in.count;
    p->stage[1].capacity = p->out.count;
    return in * (uint64_t)p->in.count + out * (uint64_t)p->out.count <= DEVICE_MAX_BYTES &&
           (halo + 2 * out) * (uint64_t)p->out.count <= DEVICE_MAX_BYTES &&
           slots_alloc(&p->in, &p->shape, bands->rows + bands->below) &&
           slots_alloc(&p->out, &p->shape, bands->rows);
}

static void pipeline_free(struct pipeline *p)
{
    for (int s = 0; p->stage && s <= p->last; s++) {
        const struct pipeline_step *step = p->stage[s].step;
        if (step && step != p->stage[s - 1].step)
            kernel_close(step->kernel, p->stage[s].state);
        row_ring_free(&p->stage[s].ring);
        free(p->stage[s].made);
    }
    free(p->stage);
    free(p->once);
    image_free(&p->picture_in);
    image_free(&p->picture_out);
    free(p->in.image);
    free(p->in.memory);
    free(p->out.image);
    free(p->out.memory);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

/* Makes the stages: a filter for each pass of each step. False: the sums of a band may read rows
 * anywhere in the picture, a device has several passes to do, or there is no memory. */
static bool stages_make(struct pipeline *p)
{
    size_t passes = 0;
    int s = 1;

    for (int i = 0; i < p->job.step_count; i++)
        passes += (size_t)p->job.steps[i].plan->repeat;
    p->last = (int)passes + 1;
    p->stage = calloc(passes + 2, sizeof *p->stage);
    p->once = calloc((size_t)p->job.step_count, sizeof *p->once);
    if (!p->stage || !p->once || (on_device(p) && passes > 1))
        return false;
    for (int i = 0; i < p->job.step_count; i++) {
        const struct pipeline_step *step = &p->job.steps[i];
        p->once[i] = *step->plan;
        p->once[i].repeat = 1;
        if (!bands_find_reach(&p->bands, step->plan, p->info.height))
            return false;
        for (int pass = 0; pass < step->plan->repeat; pass++, s++) {
            p->stage[s].step = step;
            p->stage[s].plan = &p->once[i];
            p->stage[s].above = p->bands.above;
            p->stage[s].below = p->bands.below;
        }
    }
    for (s = p->last - 1; s > 0; s--)
        p->stage[s - 1].ahead = smaller(p->stage[s].ahead + p->stage[s].below, p->info.height);
    return true;
}

static bool made_alloc(struct pipeline *p)
{
    bool ok = true;

    for (int s = 0; ok && s < p->last; s++) {
        p->stage[s].made = calloc((size_t)p->stage[s].capacity, sizeof(bool));
        ok = p->stage[s].made != NULL;
    }
    return ok;
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
    if (stages_make(p) && (on_device(p) ? lay_out_device(p) : lay_out_cpu(p)) && made_alloc(p)) {
        if (p->workers > 1)
            source_read_ahead(job->source);
        return p;
    }
    pipeline_free(p);
    return NULL;
}

const char *pipeline_method(const struct pipeline *p)
{
    return p->stage[1].state ? p->stage[1].state->method : NULL;
}

/* ---- the tasks; each runs without the lock ---- */

static bool device_open(struct pipeline *p, struct error *err)
{
    const struct kernel *kernel = p->job.choose(p->job.choose_context, err);

    if (!kernel)
        return false;
    p->band.kernel = kernel;
    p->band.plan = p->once;
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
    int first = made_from(p, DECODE, band), rows = made_to(p, DECODE, band) - first;
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
                        : row_ring_rows(&p->stage[DECODE].ring, first, rows);
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

/* Rows [FROM, TO) of what stage S makes, on the CPU. */
static struct image rows_behind(const struct pipeline *p, int s, int from, int to)
{
    return s == DECODE && !p->stream_in ? image_rows(&p->picture_in, from, to - from)
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
    out = s == p->last - 1 ? band_output(p, band) : rows_behind(p, s, first, end);
    return kernel_run(stage->step->kernel, &job, err);
}

static bool encode(struct pipeline *p, int band, struct error *err)
{
    struct image rows = p->stream_out ? band_output(p, band) : p->picture_out;

    count_ends(p, &rows, &p->times.ends_out);
    return sink_write(p->sink, &rows, err);
}

/* Waits until the device has read the slot to decode into, or has filled the slot to encode. */
static bool wait_for_device(struct pipeline *p, int task, int band, struct error *err)
{
    if (on_device(p) && task == DECODE && band >= p->in.count)
        return p->device->wait_uploaded(p->device_state, band - p->in.count, err);
    if (on_device(p) && task == p->last)
        return p->device->wait_downloaded(p->device_state, band, err);
    return true;
}

static bool run_task(struct pipeline *p, int task, int band, struct error *err)
{
    if (task == OPEN_DEVICE)
        return device_open(p, err);
    if (task == DECODE)
        return decode(p, band, err);
    return task == p->last ? encode(p, band, err) : filter(p, task, band, err);
}

/* ---- who does what next; with the lock held ---- */

/* The memory behind the stage has room for its next band. */
static bool has_room(const struct pipeline *p, int s)
{
    return p->stage[s].next < p->bands.count &&
           p->stage[s].next - p->stage[s + 1].complete < p->stage[s].capacity;
}

static bool can_decode(const struct pipeline *p)
{
    return !p->decoding && has_room(p, DECODE);
}

static bool can_filter(const struct pipeline *p, int s)
{
    const struct stage *stage = &p->stage[s];

    return has_room(p, s) && stage->next < p->stage[s - 1].complete &&
           (!on_device(p) || (p->opened && stage->next == stage->complete));
}

static bool can_encode(const struct pipeline *p)
{
    int there = p->stage[p->last - 1].complete;

    return !p->encoding && p->stage[p->last].next < there &&
           (p->stream_out || there == p->bands.count);
}

/* The later stage goes first: it frees memory. But with several threads decoding goes before
 * filtering: only one thread at a time can decode. A single thread filters what it has just
 * decoded. */
static int next_task(const struct pipeline *p)
{
    if (can_encode(p))
        return p->last;
    if (on_device(p) && !p->opening)
        return OPEN_DEVICE;
    if (p->workers > 1 && can_decode(p))
        return DECODE;
    for (int s = p->last - 1; s > 0; s--)
        if (can_filter(p, s))
            return s;
    return can_decode(p) ? DECODE : NO_TASK;
}

/* Claims the task; returns its band. */
static int claim(struct pipeline *p, int task)
{
    struct stage *stage;

    if (task == OPEN_DEVICE) {
        p->opening = true;
        return 0;
    }
    stage = &p->stage[task];
    p->decoding |= task == DECODE;
    p->encoding |= task == p->last;
    if (task < p->last)
        stage->made[stage->next % stage->capacity] = false;
    return stage->next++;
}

/* The bands that a task makes at once: all, where a picture is read or written whole. */
static int bands_made(const struct pipeline *p, int task)
{
    bool whole = (task == DECODE && !p->stream_in) || (task == p->last && !p->stream_out);

    return whole ? p->bands.count : 1;
}

/* Notes that the stage has made BAND. */
static void count_made(struct pipeline *p, int s, int band)
{
    struct stage *stage = &p->stage[s];

    if (s == DECODE || s == p->last) { /* one band after the other, or all */
        stage->next = stage->complete = band + bands_made(p, s);
        return;
    }
    stage->made[band % stage->capacity] = true;
    while (stage->complete < stage->next && stage->made[stage->complete % stage->capacity])
        stage->complete++;
}

static void complete(struct pipeline *p, int task, int band, double start)
{
    struct pipeline_times *times = &p->times;
    double now = clock_ms();

    if (task == OPEN_DEVICE) {
        p->opened = true;
        times->at.opened = now;
        times->start_ms = now - start;
        return;
    }
    count_made(p, task, band);
    if (task == DECODE) {
        p->decoding = false;
        times->at.decoded = now;
        times->decode_ms += now - start;
    } else if (task == p->last) {
        p->encoding = false;
        times->at.last_band = start;
        if (band == 0)
            times->at.first_band = start;
        times->encode_ms += now - start;
    } else {
        times->filter_ms += now - start;
    }
}

static void tell_progress(const struct pipeline *p)
{
    int done = 0;

    for (int s = 0; s <= p->last; s++)
        done += p->stage[s].complete;
    p->job.progress->all = (p->last + 1) * p->bands.count;
    p->job.progress->done = done;
}

/* Claims the task, does it with the lock released, and notes its completion. */
static void perform(struct pipeline *p, int task)
{
    int band = claim(p, task);
    struct error err;
    double start;
    bool ok;

    /* A thread wakes one other thread, and only if a task is ready. */
    if (p->waiting > 0 && next_task(p) != NO_TASK)
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
    while (!p->failed && p->stage[p->last].complete < p->bands.count) {
        int task = next_task(p);
        if (task != NO_TASK) {
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
        ok = sink_finish(p->sink, err);
    else
        sink_abort(p->sink);
    p->times.at.encoded = clock_ms();
    p->times.encode_ms += p->times.at.encoded - start;
    *times = p->times;
    pipeline_free(p);
    return ok;
}
