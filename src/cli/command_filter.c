/* `stencilcli FILTER INPUT OUTPUT`: filters one picture, or starts a batch. Turns options into
 * a request, runs it, and prints: --plan and --json on stdout, --time and -v on stderr. */
#include "cli/command.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/text.h"
#include "kernel/backend.h"
#include "run/describe.h"

/* ---- reports after the run ---- */

void command_filter_json(FILE *out, const struct options *options,
                         const struct picture_report *report)
{
    const struct image_info *info = &report->info;
    json_print(out,
               "'filter':%s,'width':%d,'height':%d,'channels':%d,'max':%u,'device':%s,'kernel':%s,"
               "'threads':%d,'verified':%i,'start_ms':%.3f,'decode_ms':%.3f,'upload_ms':%.3f,"
               "'kernel_ms':%.3f,'download_ms':%.3f,'encode_ms':%.3f,'total_ms':%.3f",
               options->command, info->width, info->height, info->channels, info->max,
               backend_find(report->choice.device)->name, report->choice.kernel->name,
               report->choice.threads, options->request.verify, report->start_ms, report->decode_ms,
               report->times.upload_ms, report->times.kernel_ms, report->times.download_ms,
               report->encode_ms, report->total_ms);
    if (report->method)
        json_print(out, ",'method':%s", report->method);
}

static void print_notes(const struct options *options, const struct picture_report *report)
{
    const struct kernel_times *times = &report->times;
    const struct pipeline_moments *at = &report->at;

    command_notes(options, report->clipped, "");
    command_notes(options, report->warning, report->choice.note);
    if (options->verbose)
        command_say("%s: kernel %s on %s%s%s", options->operand[0], report->choice.kernel->name,
                    backend_find(report->choice.device)->name, report->method ? ", method " : "",
                    report->method ? report->method : "");
    if (options->time)
        command_say_times(report->start_ms, report->decode_ms, times, report->encode_ms,
                          report->total_ms);
    if (options->time && at->opened > 0)
        command_say("CUDA ready after %.2f ms, its memory after %.2f ms, all rows read after "
                    "%.2f ms, first rows back after %.2f ms, last rows back after %.2f ms, "
                    "all rows written after %.2f ms",
                    at->started, at->opened, at->decoded, at->first_band, at->last_band,
                    at->encoded);
    if (options->time && backend_find(report->choice.device)->software)
        command_say("%s", BACKEND_SOFT_TIMES);
    if (options->request.verify && !options->quiet)
        command_say("%s: verified: all %" PRIu64 " samples equal the reference",
                    options->operand[0], report->samples);
}

/* ---- progress on a terminal ---- */

#define PROGRESS_AFTER_MS 1000 /* what ends sooner needs no progress */
#define PROGRESS_EVERY_MS 100

struct watcher {
    const struct progress *progress;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool running, ended;
};

/* Draws "43 %  5 s, 7 s left" until the work ends. */
static void *watch(void *context)
{
    struct watcher *w = context;
    double start = clock_ms(), next = PROGRESS_AFTER_MS;
    bool drawn = false;

    pthread_mutex_lock(&w->lock);
    while (!w->ended) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PROGRESS_EVERY_MS * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&w->changed, &w->lock, &until);
        double passed = clock_ms() - start, all = w->progress->all;
        double part = all > 0 ? w->progress->done / all : 0;
        if (w->ended || passed < next)
            continue;
        char text[64];
        int used = all > 0
                       ? snprintf(text, sizeof text, "%.0f %%  %.0f s", 100 * part, passed / 1000)
                       : snprintf(text, sizeof text, "%.0f s", passed / 1000);
        if (part > 0.1)
            snprintf(text + used, sizeof text - (size_t)used, ", %.0f s left",
                     passed / part * (1 - part) / 1000);
        command_draw(text);
        drawn = true;
        next = passed + PROGRESS_EVERY_MS;
    }
    if (drawn)
        command_draw("");
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void watcher_begin(struct watcher *w, const struct progress *progress)
{
    *w = (struct watcher){.progress = progress,
                          .lock = PTHREAD_MUTEX_INITIALIZER,
                          .changed = PTHREAD_COND_INITIALIZER};
    w->running = pthread_create(&w->thread, NULL, watch, w) == 0;
}

static void watcher_end(struct watcher *w)
{
    if (!w->running)
        return;
    pthread_mutex_lock(&w->lock);
    w->ended = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
}

/* ---- the command ---- */

static bool run_plan(const struct options *options, const struct picture_request *request,
                     struct error *err)
{
    struct picture_report report;
    struct plan plan = {0};
    if (!picture_plan(request, options->operand[0],
                      options->operands > 1 ? options->operand[1] : "-", &plan, &report, err))
        return false;
    bool good = (options->json ? describe_json : describe_text)(stdout, options->operand[0],
                                                                request, &plan, &report, err);
    plan_free(&plan);
    return good;
}

static bool run_picture(const struct options *options, const struct picture_request *request,
                        const char *output, struct error *err)
{
    bool shown = !options->quiet && isatty(STDERR_FILENO);
    struct picture_request watched = *request;
    struct progress progress = {0};
    struct picture_report report;
    struct watcher watcher = {0};

    command_has_one_job();
    if (shown) {
        watched.progress = &progress;
        watcher_begin(&watcher, &progress);
    }
    bool good = picture_filter(&watched, options->operand[0], output, &report, err);
    watcher_end(&watcher);
    if (!good)
        return false;
    print_notes(options, &report);
    if (options->json) {
        json_print(stdout, "{'input':%s,'output':%s,", options->operand[0], output);
        command_filter_json(stdout, options, &report);
        puts("}");
    }
    return true;
}

/* Reads STENCILCLI_BAND_ROWS, with which tests move the borders between bands (run/picture.h). Any
 * text but a number gives 0: the program chooses. */
static int forced_band_rows(void)
{
    const char *text = getenv("STENCILCLI_BAND_ROWS");
    long rows = text ? strtol(text, NULL, 10) : 0;
    return rows < -1 ? -1 : rows > INT_MAX ? INT_MAX : (int)rows;
}

/* Sets errno. A missing INPUT may be the folder that OUTPUT without an extension suits. */
static bool is_missing(const char *input)
{
    return strcmp(input, "-") != 0 && access(input, F_OK) != 0;
}

/* Filters INPUT, a file, into OUTPUT, a file. */
static bool filter_one(const struct options *options, struct picture_request *request,
                       const char *output, struct error *err)
{
    if (!options->plan && strcmp(output, "-") == 0 && isatty(STDOUT_FILENO))
        return error_set(err, EXIT_USAGE,
                         "standard output is a terminal, which cannot show a picture: name a file "
                         "as OUTPUT, or pipe the picture into another program");
    if (!picture_check(request, output, err))
        return is_missing(options->operand[0]) ? error_errno(err, options->operand[0], "open")
                                               : false;
    if (!picture_load(&request->filter, err))
        return false;
    bool good = options->plan ? run_plan(options, request, err)
                              : run_picture(options, request, output, err);
    picture_unload(&request->filter);
    return good;
}

/* Filters INPUT, a file, into the folder OUTPUT. A folder that was made for a file that fails is
 * removed. */
static bool filter_into(const struct options *options, struct picture_request *request,
                        struct error *err)
{
    bool made;
    char *output = command_output_in_folder(options, &made, err);
    const char *operands[] = {options->operand[0], output};
    struct options named = *options;

    named.operand = operands;
    bool good =
        output && command_check_outputs(&named, err) && filter_one(options, request, output, err);
    if (!good && made)
        rmdir(options->operand[1]);
    free(output);
    return good;
}

static bool filter_many(const struct options *options, enum command_run run,
                        struct picture_request *request, struct error *err)
{
    if (!picture_check(request, "-", err) || !picture_load(&request->filter, err))
        return false;
    bool good = command_batch(options, run, request, err);
    picture_unload(&request->filter);
    return good;
}

/* A larger file may take much memory before its picture's size is known. */
#define SMALL_FILE (64 << 10)

/* Whether run/choose.c may find the number of threads when it knows the picture's size. */
static bool is_small(const struct options *options, enum command_run run)
{
    struct stat status;

    return run == RUN_PICTURE && !options->request.threads &&
           stat(options->operand[0], &status) == 0 && S_ISREG(status.st_mode) &&
           status.st_size <= SMALL_FILE;
}

static bool filter(const struct options *options, struct picture_request *request,
                   struct error *err)
{
    enum command_run run;

    request->band_rows = forced_band_rows();
    request->kernel = options->kernel ? kernel_find(options->kernel) : NULL;
    if (!command_find_run(options, &run, err))
        return false;
    if (!is_small(options, run))
        request->threads = machine_fit_memory(request->threads ? request->threads : machine_cpus());
    if (run == RUN_PICTURE)
        return filter_one(options, request, options->operands > 1 ? options->operand[1] : "-", err);
    if (run == RUN_FILES && options->operands == 2)
        return filter_into(options, request, err);
    return filter_many(options, run, request, err);
}

bool command_filter(const struct options *options, struct error *err)
{
    struct picture_request request = options->request;

    request.filter.filter = filter_find(options->command);
    return filter(options, &request, err);
}

/* The parser has made the steps. */
bool command_chain(const struct options *options, struct error *err)
{
    struct picture_request request = options->request;

    return filter(options, &request, err);
}
