/* Runs a batch. Workers, one for each core, take tickets: the indices of the list, in order. A
 * ticket may start only after all earlier tickets, and when cores and memory are free for its file.
 * So files start in list order whatever they cost, and small files cannot delay a large one for
 * ever.
 *
 * One lock protects struct batch; files are filtered without the lock. */
#include "batch/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/machine.h"
#include "base/parallel.h"
#include "base/text.h"
#include "batch/manifest.h"

/* A picture of this many pixels keeps all cores busy; smaller pictures are faster side by side. */
#define LARGE_PIXELS ((uint64_t)16 << 20)

#define TICK_NS 250000000

struct batch {
    const struct batch_job *job;
    struct batch_list list;
    struct manifest *manifest;
    uint64_t budget;
    double start_ms;
    pthread_mutex_t lock; /* protects the members below */
    pthread_cond_t changed;
    size_t next_ticket, turn, told;
    struct batch_result **finished; /* by ticket, until reported */
    int cores_free, in_flight;
    uint64_t bytes_in_flight;
    bool ended;
    struct batch_counts counts;
    struct error err; /* why the batch stopped, or the manifest's failure; code 0: none */
};

/* ---- one file, without the lock ---- */

static bool fail(struct batch_result *result, const char *why)
{
    result->status = BATCH_FAILED;
    return error_set(&result->err, EXIT_INPUT, "%s: %s", result->input, why);
}

/* Begins the sentence with the input's name, if it names neither the input nor the output: a region
 * that lies outside this picture is an error of this picture. */
static void name_input(struct batch_result *result)
{
    struct error why = result->err;

    if (why.code != EXIT_DEVICE && !strstr(why.text, result->input) &&
        !strstr(why.text, result->output))
        error_set(&result->err, why.code, "%s: %s", result->input, why.text);
}

/* Whether the output is the mask or the list of names, or a symlink to them or into the inputs:
 * writing it would make or replace the link's target. */
static bool replaces_source(const struct batch *b, const char *output)
{
    struct stat status;

    return lstat(output, &status) == 0 && path_set_has(&b->list.sources, output);
}

/* Finds the input's status and cost; false with the result's error. */
static bool look_at(struct batch_result *result, struct stat *in, struct batch_cost *cost)
{
    /* Opening a pipe would block; only regular files are filtered. */
    int fd = open(result->input, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool ok = fd >= 0 && fstat(fd, in) == 0;

    if (!ok) {
        result->status = BATCH_FAILED;
        error_errno(&result->err, result->input, "read");
    } else if (!S_ISREG(in->st_mode)) {
        ok = fail(result, "is no regular file");
    } else {
        result->input_bytes = (uint64_t)in->st_size;
        *cost = batch_cost_of(result->input, fd, result->input_bytes);
        posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
    }
    if (fd >= 0)
        close(fd);
    return ok;
}

/* Finds the input's status and cost. False for a file that is not to be filtered; RESULT then says
 * that it is done already, has failed or is only planned. */
static bool prepare_file(const struct batch *b, const struct batch_item *item,
                         struct batch_result *result, struct stat *in, struct batch_cost *cost)
{
    struct stat out;

    if (item->trouble)
        return fail(result, item->trouble);
    if (!look_at(result, in, cost))
        return false;
    cost->bytes += cost->pixels * (uint64_t)sink_held(result->output, &b->job->request->sink);
    if (replaces_source(b, result->output))
        return fail(result,
                    "its output is a file that this run reads, or a symlink into its inputs");
    if (b->manifest && !b->job->force && stat(result->output, &out) == 0 && S_ISREG(out.st_mode) &&
        manifest_has(b->manifest, item->output, &out, item->name, in)) {
        result->status = BATCH_SKIPPED;
        result->output_bytes = (uint64_t)out.st_size;
        return false;
    }
    if (b->job->plan)
        result->status = BATCH_PLANNED;
    return !b->job->plan;
}

/* Filters a file and records it in the manifest. Several GPUs take turns. RESULT tells how the file
 * ended; false with ERR if the manifest could not be written. */
static bool filter_file(const struct batch *b, size_t ticket, struct batch_result *result,
                        const struct stat *in, int cores, struct error *err)
{
    const struct batch_item *item = &b->list.item[ticket];
    struct picture_request request = *b->job->request;
    struct stat out = {0};

    request.threads = cores;
    request.device_shared = cores < b->job->threads;
    if (b->job->devices > 0)
        request.device_index = b->job->device[ticket % (size_t)b->job->devices];
    request.sink.written = &out;
    result->status = BATCH_FAILED;
    if (!picture_filter(&request, result->input, result->output, &result->report, &result->err)) {
        name_input(result);
        return true;
    }
    result->status = BATCH_DONE;
    if (!S_ISREG(out.st_mode))
        return true; /* a pipe or a device cannot be recorded as done */
    result->output_bytes = (uint64_t)out.st_size;
    return !b->manifest || manifest_add(b->manifest, item->output, &out, item->name, in, err);
}

/* ---- starting tickets, with the lock held ---- */

static int cores_for(const struct batch *b, size_t ticket, const struct batch_cost *cost)
{
    size_t left = b->counts.files - ticket;

    if (cost->pixels >= LARGE_PIXELS)
        return b->job->threads;
    if (left >= (size_t)b->cores_free || b->cores_free < 2)
        return 1;
    return b->cores_free / (int)left;
}

/* Waits until cores and memory are free. Returns the number of cores; 0: the batch was stopped. */
static int let_in(struct batch *b, size_t ticket, const struct batch_cost *cost)
{
    while (!b->counts.stopped &&
           (cores_for(b, ticket, cost) > b->cores_free ||
            (b->in_flight > 0 && b->bytes_in_flight + cost->bytes > b->budget)))
        pthread_cond_wait(&b->changed, &b->lock);
    if (b->counts.stopped)
        return 0;
    int cores = cores_for(b, ticket, cost);
    b->cores_free -= cores;
    b->bytes_in_flight += cost->bytes;
    b->in_flight++;
    return cores;
}

static void let_out(struct batch *b, int cores, const struct batch_cost *cost)
{
    b->cores_free += cores;
    b->bytes_in_flight -= cost->bytes;
    b->in_flight--;
    pthread_cond_broadcast(&b->changed);
}

/* ---- results, with the lock held ---- */

static void count(struct batch *b, const struct batch_result *result)
{
    struct batch_counts *c = &b->counts;
    const struct picture_report *report = &result->report;

    c->skipped += result->status == BATCH_SKIPPED;
    c->failed += result->status == BATCH_FAILED;
    c->planned += result->status == BATCH_PLANNED;
    if (result->status == BATCH_DONE) {
        c->done++;
        c->with_warnings += report->warning[0] != '\0';
        c->clipped += report->clipped[0] != '\0';
        c->pixels += (uint64_t)report->info.width * (uint64_t)report->info.height;
        c->input_bytes += result->input_bytes;
        c->output_bytes += result->output_bytes;
        c->decode_ms += report->decode_ms;
        c->filter_ms += report->filter_ms;
        c->encode_ms += report->encode_ms;
        c->transfer_ms += report->times.upload_ms + report->times.download_ms;
        c->kernel_ms += report->times.kernel_ms;
    }
    if (result->status == BATCH_FAILED && result->err.code == EXIT_DEVICE) {
        b->err = result->err; /* every other file would fail for the same reason */
        c->stopped = true;
    }
    if (b->job->max_failures > 0 && c->failed >= (size_t)b->job->max_failures)
        c->stopped = true;
    c->seconds = (clock_ms() - b->start_ms) * 1e-3;
}

static void result_free(struct batch_result *result)
{
    if (!result)
        return;
    free(result->input);
    free(result->output);
    free(result);
}

static void finish(struct batch *b, size_t ticket, struct batch_result *result)
{
    /* An earlier file has already reported that the device is missing. */
    if (result->status == BATCH_FAILED && result->err.code == EXIT_DEVICE &&
        b->err.code == EXIT_DEVICE)
        result->status = BATCH_LEFT;
    count(b, result);
    b->finished[ticket] = result;
    while (b->told < b->counts.files && b->finished[b->told]) {
        result = b->finished[b->told];
        if (b->job->told && result->status != BATCH_LEFT)
            b->job->told(b->job->context, result);
        b->finished[b->told++] = NULL;
        result_free(result);
    }
    if (b->job->counted)
        b->job->counted(b->job->context, &b->counts);
}

/* ---- the workers ---- */

static struct batch_result *result_make(const struct batch *b, const struct batch_item *item)
{
    struct batch_result *result = calloc(1, sizeof *result);

    if (result) {
        result->input = batch_input_path(&b->job->tree, item);
        result->output = batch_output_path(&b->job->tree, item);
    }
    if (result && result->input && result->output)
        return result;
    result_free(result);
    return NULL;
}

/* Called with the lock held; releases it while the file is filtered. */
static void do_ticket(struct batch *b, size_t ticket, struct batch_result *result)
{
    struct batch_cost cost = {0};
    struct error err;
    struct stat in;

    pthread_mutex_unlock(&b->lock);
    bool wanted = prepare_file(b, &b->list.item[ticket], result, &in, &cost);
    pthread_mutex_lock(&b->lock);
    while (b->turn != ticket)
        pthread_cond_wait(&b->changed, &b->lock);
    int cores = wanted ? let_in(b, ticket, &cost) : 0;
    if (wanted && cores == 0)
        result->status = BATCH_LEFT;
    b->turn++;
    pthread_cond_broadcast(&b->changed);
    if (cores > 0) {
        pthread_mutex_unlock(&b->lock);
        bool noted = filter_file(b, ticket, result, &in, cores, &err);
        pthread_mutex_lock(&b->lock);
        if (!noted && b->err.code == EXIT_DONE)
            b->err = err;
        let_out(b, cores, &cost);
    }
    finish(b, ticket, result);
}

static void work(void *context, int piece, int worker)
{
    struct batch *b = context;

    (void)piece, (void)worker;
    pthread_mutex_lock(&b->lock);
    while (!b->counts.stopped && b->next_ticket < b->counts.files) {
        const struct batch_item *item = &b->list.item[b->next_ticket];
        struct batch_result *result = result_make(b, item);
        if (result)
            do_ticket(b, b->next_ticket++, result);
        else
            b->counts.stopped = !error_set(&b->err, EXIT_INPUT, "%s: no memory", item->name);
    }
    pthread_mutex_unlock(&b->lock);
}

/* Reports the counts four times a second while no file ends. */
static void *tick(void *context)
{
    struct batch *b = context;
    struct timespec until;

    pthread_mutex_lock(&b->lock);
    while (!b->ended) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += TICK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&b->changed, &b->lock, &until) == ETIMEDOUT && !b->ended) {
            b->counts.seconds = (clock_ms() - b->start_ms) * 1e-3;
            b->job->counted(b->job->context, &b->counts);
        }
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

/* ---- the whole ---- */

/* Moves this shard's pictures to the front of the list, and keeps the order otherwise. */
static bool take_shard(struct batch *b, struct error *err)
{
    const struct batch_list *list = &b->list;
    struct batch_item *sorted = calloc(list->count + 1, sizeof *sorted);
    size_t kept = 0;

    if (!sorted)
        return error_set(err, EXIT_INPUT, "%s: no memory for its names", b->job->tree.output);
    for (int behind = 0; behind < 2; behind++)
        for (size_t i = 0; i < list->count; i++) {
            const struct batch_item *item = &list->item[i];
            bool mine = shard_has(&b->job->shard, item->name), taken = mine && !item->passed;
            if (taken == (behind == 0))
                sorted[kept++] = *item;
            if (behind && mine && item->passed)
                folder_kinds_add(&b->counts.passed, item->name);
            b->counts.files += behind && taken;
            b->counts.others += behind && !mine && !item->passed;
        }
    free(b->list.item);
    b->list.item = sorted;
    return true;
}

static bool open_manifest(struct batch *b, struct error *err)
{
    const struct batch_job *job = b->job;
    char *recipe = batch_recipe(job->request, b->list.input_real, err);
    bool ok = recipe != NULL;

    ok = ok && manifest_open(&b->manifest, job->tree.output, job->plan ? NULL : &job->shard, recipe,
                             job->request->sink.sync, err);
    free(recipe);
    return ok;
}

/* Says what is there where no picture is. */
static bool no_picture(const struct batch *b, struct error *err)
{
    char line[FOLDER_KINDS_BYTES];
    size_t left_out = b->list.rest.left_out;

    error_set(err, EXIT_INPUT, "%s: there is no picture to filter", b->job->tree.input);
    if (b->counts.passed.files > 0)
        text_append(err->text, sizeof err->text, "; %s",
                    folder_kinds_line(line, &b->counts.passed));
    if (left_out > 0)
        text_append(err->text, sizeof err->text, "; --include and --exclude leave out %zu name%s",
                    left_out, left_out == 1 ? "" : "s");
    return false;
}

/* The list of names and the masks are no outputs. */
static bool add_sources(struct batch *b)
{
    const char *names = b->job->tree.files_from;
    const struct filter_request *step = &b->job->request->filter;
    bool ok = !names || path_set_add(&b->list.sources, names);

    for (; ok && step; step = step->next) {
        char *path = step->mask ? mask_path(step->mask) : NULL;
        ok = !path || path_set_add(&b->list.sources, path);
        free(path);
    }
    return ok;
}

static bool begin(struct batch *b, struct error *err)
{
    const struct batch_job *job = b->job;

    if (!batch_list_make(&b->list, &job->tree, err))
        return false;
    if (!add_sources(b))
        return error_set(err, EXIT_INPUT, "%s: no memory for its names", job->tree.output);
    b->counts.links_outside = b->list.rest.links_outside;
    b->counts.loops = b->list.rest.loops;
    if (!take_shard(b, err))
        return false;
    if (b->counts.files + b->counts.others == 0)
        return no_picture(b, err);
    if ((!job->plan && !batch_folders_make(&b->list, b->counts.files, err)) ||
        (!job->tree.files && !open_manifest(b, err)))
        return false;
    b->finished = calloc(b->counts.files + 1, sizeof *b->finished);
    return b->finished ||
           error_set(err, EXIT_INPUT, "%s: no memory for its names", job->tree.output);
}

/* Reports the files that are passed over. */
static void tell_passed(const struct batch *b)
{
    bool some = b->job->told && b->counts.passed.files > 0;

    for (size_t i = b->counts.files; some && i < b->list.count; i++) {
        const struct batch_item *item = &b->list.item[i];
        struct batch_result *result = NULL;
        if (item->passed && shard_has(&b->job->shard, item->name))
            result = result_make(b, item);
        if (result) {
            result->status = BATCH_PASSED;
            b->job->told(b->job->context, result);
        }
        result_free(result);
    }
}

/* Files open at once for a file in flight: its input, and its output twice. */
#define FILES_EACH 3

static void run(struct batch *b)
{
    /* With fewer files than cores, the files share the cores. */
    size_t files = b->counts.files;
    int workers = files < (size_t)b->job->threads ? (int)files : b->job->threads;
    pthread_t ticker;
    bool ticking;

    b->cores_free = b->job->threads;
    b->budget = b->job->memory > 0 ? b->job->memory : batch_memory_budget();
    ticking = b->job->counted && pthread_create(&ticker, NULL, tick, b) == 0;
    workers = open_files_for(workers, FILES_EACH);
    parallel_for(workers, workers, work, b);
    pthread_mutex_lock(&b->lock);
    b->ended = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    if (ticking)
        pthread_join(ticker, NULL);
}

bool batch_run(const struct batch_job *job, struct batch_counts *counts, struct error *err)
{
    struct batch b = {.job = job,
                      .start_ms = clock_ms(),
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .changed = PTHREAD_COND_INITIALIZER,
                      .counts.threads = job->threads};
    bool ok = begin(&b, err);

    if (ok) {
        run(&b);
        ok = b.err.code == EXIT_DONE;
        if (!ok)
            *err = b.err;
    }
    tell_passed(&b);
    b.counts.seconds = (clock_ms() - b.start_ms) * 1e-3;
    *counts = b.counts;
    manifest_close(b.manifest);
    batch_list_free(&b.list);
    free(b.finished);
    return ok;
}
