/* The pages of a stream side by side (run/frames.h): the memory and the tasks. run/flow.c has the
 * threads that take them; a step is a page. */
#include "run/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/memory.h"
#include "run/flow.h"

/* Larger pages go in bands. A frame of 1920 x 1080 pixels in RGB is small. */
#define MOST_PAGE_BYTES ((uint64_t)8 << 20)

/* All slots together, and this part of the memory; fewer threads work if they need more. */
#define MOST_BYTES  ((uint64_t)512 << 20)
#define MEMORY_PART 4

/* A device has a few threads: one reads, one writes, the others wait for their lanes. */
#define DEVICE_WORKERS 5

/* What is made once for all pages of a shape. */
struct setup {
    struct image_info info; /* width 0: not made */
    struct plan plan;
    struct picture_choice choice;
    struct kernel_state *state[CHAIN_MOST]; /* of each step's kernel */
    int64_t last;                           /* the last step that uses it */
};

/* A page in flight. */
struct slot {
    const struct setup *setup;
    struct image in, out;
    size_t in_bytes, out_bytes; /* of their memory */
    uint8_t *own;               /* the page's own metadata */
    size_t own_size, own_room;
    _Atomic uint64_t ends[CHAIN_MOST + 1]; /* as in struct pipeline_job */
    struct kernel_times times;
};

struct frames {
    const struct frames_job *job;
    struct flow flow;
    int slots;
    struct slot *slot; /* page i is in slot i % slots */
    /* One more than there are slots, so that the one that was used longest ago is not in use. */
    struct setup *setup;
    bool more;   /* a page was found that is not small */
    bool unread; /* a page could not be read; the pages before it are written nevertheless */
    struct error err;
};

static uint64_t page_bytes(const struct image_info *info)
{
    return (uint64_t)info->width * (uint64_t)info->channels * info->type * (uint64_t)info->height;
}

/* A page of 2^31 x 2^31 pixels has more bytes than 64 bits can count. */
static bool is_small(const struct image_info *info)
{
    return (uint64_t)info->width * (uint64_t)info->height <= MOST_PAGE_BYTES &&
           page_bytes(info) <= MOST_PAGE_BYTES;
}

bool frames_can_run(const struct frames_job *job)
{
    return source_is_stream(job->source) && (job->pages->more || job->pages->sink) &&
           job->request->band_rows == 0 && is_small(source_info(job->source));
}

/* ---- what is made once ---- */

static bool same_shape(const struct image_info *a, const struct image_info *b)
{
    return a->width == b->width && a->height == b->height && a->channels == b->channels &&
           a->max == b->max && a->format == b->format;
}

static void states_close(struct setup *setup, const struct picture_request *request)
{
    int i = 0;

    for (const struct plan *step = &setup->plan; step; step = step->next, i++)
        kernel_close(picture_kernel(request, &setup->choice, step), setup->state[i]);
}

static bool states_open(struct setup *setup, const struct picture_request *request,
                        const struct image_info *info, struct error *err)
{
    int i = 0;

    for (const struct plan *step = &setup->plan; step; step = step->next, i++)
        if (!kernel_open(picture_kernel(request, &setup->choice, step), step, info->width,
                         info->height, request->method, &setup->state[i], err)) {
            states_close(setup, request);
            return false;
        }
    return true;
}

static void setup_free(struct setup *setup, const struct picture_request *request)
{
    if (setup->info.width == 0)
        return;
    states_close(setup, request);
    plan_free(&setup->plan);
    memset(setup, 0, sizeof *setup);
}

static bool setup_make(struct setup *setup, const struct frames_job *job,
                       const struct image_info *info, struct error *err)
{
    const struct picture_request *request = job->request;

    if (!picture_prepare(request, info, &setup->plan, &setup->choice, err))
        return false;
    if (!sink_check(job->output, info, &request->sink, err) ||
        !picture_choose(request, &setup->plan, &setup->choice, err) ||
        !states_open(setup, request, info, err)) {
        plan_free(&setup->plan);
        return false;
    }
    setup->info = *info;
    return true;
}

/* The setup for the page that the source is at; NULL with an error. */
static const struct setup *find_setup(struct frames *f, int64_t step, struct error *err)
{
    const struct image_info *info = source_info(f->job->source);
    struct setup *oldest = &f->setup[0];

    for (int i = 0; i <= f->slots; i++) {
        struct setup *setup = &f->setup[i];
        if (setup->info.width > 0 && same_shape(&setup->info, info)) {
            setup->last = step;
            return setup;
        }
        if (setup->info.width == 0 || (oldest->info.width > 0 && setup->last < oldest->last))
            oldest = setup;
    }
    setup_free(oldest, f->job->request);
    if (!setup_make(oldest, f->job, info, err))
        return NULL;
    oldest->last = step;
    return oldest;
}

/* ---- the memory of a slot ---- */

/* Exchanges the two pictures. */
static void swap(struct slot *slot)
{
    const struct image in = slot->in;
    const size_t in_bytes = slot->in_bytes;

    slot->in = slot->out;
    slot->in_bytes = slot->out_bytes;
    slot->out = in;
    slot->out_bytes = in_bytes;
}

/* Gives IMAGE the shape, and more memory if it has too little. Rows have no gaps, so that they are
 * read and written in one piece. */
static bool fit(struct frames *f, struct image *image, size_t *held, const struct setup *setup,
                struct error *err)
{
    const struct image_info *info = &setup->info;
    const size_t bytes = (size_t)page_bytes(info);
    void *memory = image->data;

    if (bytes > *held) {
        picture_memory_free(memory);
        memory = picture_pinned(setup->choice.device, f->job->request->device_index, bytes);
        memory = memory ? memory : large_alloc(bytes);
    }
    *image = (struct image){.width = info->width,
                            .height = info->height,
                            .channels = info->channels,
                            .type = info->type,
                            .data = memory};
    image->pitch = image_row_bytes(image);
    *held = memory ? (bytes > *held ? bytes : *held) : 0;
    return memory || error_set(err, EXIT_INPUT, "%s: no memory for %d x %d pixels", f->job->input,
                               info->width, info->height);
}

static bool keep_own(struct frames *f, struct slot *slot, struct error *err)
{
    const struct metadata_part *own = &source_metadata(f->job->source)->own;

    if (own->size > slot->own_room) {
        free(slot->own);
        slot->own = malloc(own->size);
        slot->own_room = slot->own ? own->size : 0;
        if (!slot->own)
            return error_set(err, EXIT_INPUT, "%s: no memory", f->job->input);
    }
    slot->own_size = own->size;
    if (own->size > 0)
        memcpy(slot->own, own->bytes, own->size);
    return true;
}

/* ---- the tasks ---- */

static bool read_page(struct frames *f, int64_t step, struct error *err)
{
    const struct frames_job *job = f->job;
    struct slot *slot = &f->slot[step % f->slots];
    struct picture_report *report = job->report;
    enum format format = sink_format(job->output, source_info(job->source), &job->request->sink);

    if (step > 0) {
        f->flow.ended = !source_has_more(job->source, format);
        if (f->flow.ended)
            return true;
        if (!source_next(job->source, err))
            return false;
        f->flow.ended = f->more = !is_small(source_info(job->source));
        if (f->flow.ended)
            return true;
    }
    slot->setup = find_setup(f, step, err);
    if (!slot->setup)
        return false;
    picture_keep_warning(report, job->source, format);
    report->choice = slot->setup->choice;
    report->method = slot->setup->state[0] ? slot->setup->state[0]->method : NULL;
    if (!keep_own(f, slot, err) || !fit(f, &slot->in, &slot->in_bytes, slot->setup, err) ||
        !fit(f, &slot->out, &slot->out_bytes, slot->setup, err))
        return false;
    return source_read(job->source, &slot->in, err);
}

static bool filter_step(struct frames *f, struct slot *slot, const struct plan *step,
                        struct kernel_state *state, struct error *err)
{
    const struct picture_request *request = f->job->request;
    const struct setup *setup = slot->setup;
    struct kernel_job job = kernel_job_whole(step, &slot->in, &slot->out);

    job.tile = setup->choice.tile;
    job.device_index = request->device_index;
    job.state = state;
    job.times = &slot->times;
    return kernel_run(picture_kernel(request, &setup->choice, step), &job, err) &&
           (!request->verify ||
            picture_verify(request, step, &slot->in, &slot->out, 1, f->job->input, err));
}

static bool filter_page(struct frames *f, struct slot *slot, struct error *err)
{
    const struct setup *setup = slot->setup;
    int i = 0;

    memset(&slot->times, 0, sizeof slot->times);
    for (const struct plan *step = &setup->plan; step; step = step->next, i++) {
        if (i > 0)
            swap(slot);
        picture_count_ends(step, &slot->in, setup->info.max, &slot->ends[i]);
        if (!filter_step(f, slot, step, setup->state[i], err))
            return false;
        picture_count_ends(step, &slot->out, setup->info.max, &slot->ends[i + 1]);
    }
    return true;
}

static bool write_page(struct frames *f, struct slot *slot, struct error *err)
{
    const struct frames_job *job = f->job;
    struct picture_report *report = job->report;
    const struct metadata metadata = {.own = {slot->own, slot->own_size}};
    struct sink_options options = job->request->sink;
    struct sink *sink;

    options.metadata = &metadata;
    options.pages = job->pages;
    options.threads = 1;
    job->pages->more = true;
    if (!sink_open(&sink, job->output, &slot->setup->info, &options, err))
        return false;
    if (!sink_write(sink, &slot->out, err)) {
        sink_abort(sink);
        return false;
    }
    report->info = slot->setup->info;
    report->samples +=
        (uint64_t)slot->out.width * (uint64_t)slot->out.height * (uint64_t)slot->out.channels;
    kernel_times_add(&report->times, &slot->times);
    picture_note_clipped(report, job->input, &slot->setup->plan, slot->ends);
    return sink_finish(sink, err);
}

static bool run_task(void *context, int task, int64_t step, struct error *err)
{
    struct frames *f = context;
    struct slot *slot = &f->slot[step % f->slots];

    if (task != FLOW_READ)
        return task == flow_last(&f->flow) ? write_page(f, slot, err) : filter_page(f, slot, err);
    f->unread = !read_page(f, step, &f->err);
    f->flow.ended |= f->unread;
    return true;
}

/* ---- the whole ---- */

/* One slot a thread, one that is read, and one that is written; a single thread needs only one. */
static void choose_slots(struct frames *f, int threads)
{
    const uint64_t part = machine_memory() / MEMORY_PART;
    const uint64_t bytes = part < MOST_BYTES ? part : MOST_BYTES;
    const uint64_t pages = bytes / (2 * page_bytes(source_info(f->job->source)) + 1);

    if (pages < (uint64_t)threads + 2)
        threads = pages > 3 ? (int)pages - 2 : 1;
    f->flow.workers = threads;
    f->slots = threads > 1 ? threads + 2 : 1;
}

static void frames_free(struct frames *f)
{
    for (int i = 0; f->slot && i < f->slots; i++) {
        picture_memory_free(f->slot[i].in.data);
        picture_memory_free(f->slot[i].out.data);
        free(f->slot[i].own);
    }
    for (int i = 0; f->setup && i <= f->slots; i++)
        setup_free(&f->setup[i], f->job->request);
    free(f->slot);
    free(f->setup);
}

/* Adds the times of the tasks, and the work of closing the file. */
static bool finish(struct frames *f, bool ok, struct error *err)
{
    const struct frames_job *job = f->job;
    const double start = clock_ms();

    job->pages->more = f->more;
    if (ok && f->unread) {
        *err = f->err;
        ok = false;
    }
    if (ok && !f->more) {
        struct sink *sink = job->pages->sink;
        job->pages->sink = NULL;
        ok = sink_finish(sink, err);
    }
    job->report->decode_ms += f->flow.times.decode_ms;
    job->report->filter_ms += f->flow.times.filter_ms;
    job->report->encode_ms += f->flow.times.encode_ms + clock_ms() - start;
    return ok;
}

bool frames_run(const struct frames_job *job, struct error *err)
{
    const struct picture_request *request = job->request;
    struct frames f = {.job = job};
    struct flow_stage stage[3] = {0};
    bool ok;

    choose_slots(&f, picture_asks_for_cuda(request) && !request->device_shared ? DEVICE_WORKERS
                     : request->threads                                        ? request->threads
                                                                               : machine_cpus());
    f.slot = calloc((size_t)f.slots, sizeof *f.slot);
    f.setup = calloc((size_t)f.slots + 1, sizeof *f.setup);
    f.flow.count = FLOW_ENDLESS;
    f.flow.stage = stage;
    f.flow.filters = 1;
    stage[0].slots = stage[1].slots = f.slots;
    f.flow.one_slot = true;
    f.flow.source = job->source;
    f.flow.progress = request->progress;
    f.flow.context = &f;
    f.flow.run = run_task;
    ok = f.slot && f.setup ? flow_run(&f.flow, err)
                           : error_set(err, EXIT_INPUT, "%s: no memory", job->input);
    ok = finish(&f, ok, err);
    frames_free(&f);
    return ok;
}
