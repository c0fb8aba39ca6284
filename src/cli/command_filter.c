/* `stencilcli FILTER INPUT OUTPUT`: filters one picture, or starts a batch. Turns options into
 * a request, runs it, and prints: --plan and --json on stdout (on stderr when the picture
 * itself goes to stdout), --time and -v on stderr. */
#include "cli/command.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/text.h"
#include "cpu/method.h"
#include "kernel/backend.h"

#define SHOWN_SIDE 15

/* Sets SHAPE; false for kernels without tiles. */
static bool shape_of(const struct plan *plan, const struct kernel *kernel,
                     const struct picture_choice *choice, struct kernel_shape *shape)
{
    struct kernel_job job = {.plan = plan, .threads = choice->threads, .tile = choice->tile};
    if (kernel->shape)
        kernel->shape(&job, shape);
    return kernel->shape != NULL;
}

/* ---- --plan in words: weights as the integers that run, if they fit on a page ---- */

static void print_factor(const char *name, const int64_t *values, int n)
{
    printf("  %s ", name);
    for (int i = 0; i < n && i < SHOWN_SIDE; i++)
        printf(" %" PRId64, values[i]);
    printf("%s\n", n > SHOWN_SIDE ? " ..." : "");
}

/* Prints the weights below each other, if they fit on a page. */
static void print_weights(const struct plan_mask *m)
{
    int cells = m->width * m->height, most = 0;
    if (m->width > SHOWN_SIDE || m->height > SHOWN_SIDE)
        return;
    for (int k = 0; k < cells; k++) {
        int chars = snprintf(NULL, 0, "%" PRId64, m->weight[k]);
        most = chars > most ? chars : most;
    }
    for (int k = 0; k < cells; k++)
        printf("%s %*" PRId64 "%s", k % m->width == 0 ? "         " : "", most, m->weight[k],
               (k + 1) % m->width == 0 ? "\n" : "");
}

/* The offset as it is added after the division. */
static void print_offset(const struct plan_mask *m)
{
    if (m->offset % m->divisor == 0)
        printf(", offset %" PRId64 "\n", m->offset / m->divisor);
    else
        printf(", offset %" PRId64 "/%" PRId64 "\n", m->offset, m->divisor);
}

static void print_mask(const struct plan_mask *m)
{
    int rank = plan_mask_rank(m);

    printf("mask      %d x %d weights, anchor %d,%d, divisor %" PRId64, m->width, m->height,
           m->anchor_x, m->anchor_y, m->divisor);
    print_offset(m);
    print_weights(m);
    printf("sum       the weights add up to %" PRId64 "\n"
           "bound     no weighted sum exceeds %" PRId64 ": %s\n",
           m->sum, m->bound,
           m->accumulator == ACCUMULATOR_I64 ? "it needs 64 bits"
           : m->float_exact                  ? "32 bits, or a float, can hold it"
                                             : "32 bits can hold it");
    if (m->row && !m->centre)
        printf("rank      1: the mask is a column times a row, so two short passes suffice\n");
    else if (rank > 1)
        printf("rank      %d: the mask is a sum of %d products of a column and a row\n", rank,
               rank);
    else
        printf("rank      %d\n", rank);
    if (m->row) {
        print_factor("column", m->column, m->height);
        print_factor("row   ", m->row, m->width);
    }
    if (m->centre)
        printf("centre    %" PRId64 " more in the middle cell\n", m->centre);
    if (m->quantised_bits >= 0)
        printf("rounded   the weights are rounded to 1/2^%d: a sample changes by at most %.3g\n",
               m->quantised_bits, m->quantised_error);
}

/* The window, its cells as 1. */
static void print_window(const struct plan_mask *m)
{
    printf("window    %d x %d, %" PRId64 " cells, anchor %d,%d\n", m->width, m->height, m->sum,
           m->anchor_x, m->anchor_y);
    print_weights(m);
}

static void print_order(const struct plan *plan)
{
    static const char *const differences[] = {[MINUS_NOTHING] = "",
                                              [MINUS_PICTURE] = ", minus the picture",
                                              [MINUS_LAST] = ", minus the step before",
                                              [PICTURE_MINUS] = ", subtracted from the picture"};

    print_window(&plan->mask[0]);
    for (const struct plan *step = plan; step; step = step->then)
        printf("step      cell %d of the sorted cells 0 to %" PRId64 "%s%s\n", step->order,
               step->mask[0].sum - 1, step->of_picture ? ", of the picture" : "",
               differences[step->minus]);
}

static void print_bilateral(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int half = 0;

    while (half < plan->range_last && 2 * plan->range[half] > plan->range[0])
        half++;
    printf("mask      %d x %d weights, sum %" PRId64 "\n", m->width, m->height, m->sum);
    print_weights(m);
    print_factor("column", m->column, m->height);
    print_factor("row   ", m->row, m->width);
    printf("range     times %d for the difference 0, %d for %d, %d for %d, 0 for more\n",
           plan->range[0], plan->range[half], half, plan->range[plan->range_last],
           plan->range_last);
}

static void print_kernel(const struct kernel *kernel, const char *method)
{
    printf("kernel    %s: %s\n", kernel->name, kernel->idea);
    if (method)
        printf("method    %s: %s\n", method, cpu_method_find(method)->idea);
}

static void print_shape(const struct plan *plan, const struct kernel *kernel,
                        const struct picture_choice *choice)
{
    struct kernel_shape shape;

    if (shape_of(plan, kernel, choice, &shape))
        printf("tile      %d x %d outputs, halo %d left %d right %d above %d below\n"
               "block     %d x %d threads, %zu bytes of shared memory, %d mask rows at a time\n"
               "loads     %.2f cells per output\n",
               shape.tile_width, shape.tile_height, shape.halo_left, shape.halo_right,
               shape.halo_above, shape.halo_below, shape.block_x, shape.block_y, shape.shared_bytes,
               shape.mask_rows, shape.loads_per_output);
}

static void print_device(const struct picture_choice *choice)
{
    printf("device    %s\n", backend_find(choice->device)->name);
}

static void print_threads(const struct picture_choice *choice)
{
    if (choice->device == DEVICE_CPU)
        printf("threads   %d\n", choice->threads);
}

static void print_estimate(const struct picture_cost *cost)
{
    printf("estimate  %.1f ms on the CPU without writing the output: decoding %.1f ms,\n"
           "          filtering %.1f ms in all threads together\n",
           cost->cpu_ms, cost->decode_ms, cost->work_ms);
    if (!backend_find(DEVICE_CUDA)->in_build)
        return;
    if (!isfinite(cost->cuda_ms))
        printf("          no CUDA kernel runs this\n");
    else if (backend_find(DEVICE_CUDA)->software)
        printf("          about %.1f s on the software GPU\n", cost->cuda_ms * 1e-3);
    else
        printf("          %.1f ms with CUDA: starting it %.1f ms (while decoding), loading\n"
               "          the kernel %.1f ms, copying %.1f ms (while the kernel runs %.1f ms),\n"
               "          ending it %.1f ms\n",
               cost->cuda_ms, cost->start_ms, cost->load_ms, cost->bus_ms, cost->kernel_ms,
               cost->end_ms);
}

static void print_around(const struct plan *plan, const struct filter_request *filter)
{
    const struct plan_region *region = &plan->region;

    if (plan->light)
        printf("light     linear: %" PRIu32 " is white\n", plan->light->top);
    if (plan->has_nodata)
        printf("nodata    %" PRIu32 "\n", plan->nodata);
    if (region->width > 0)
        printf("region    %d x %d pixels at %d,%d\n", region->width, region->height, region->x,
               region->y);
    if (plan->where) {
        printf("where     ");
        clean_text_put(stdout, filter->where);
        putchar('\n');
    }
}

/* Everything that decides the bytes. */
static void print_formula(const struct plan *plan, const struct filter_request *filter)
{
    if (filter_kind_formula(plan->kind))
        printf("%-9s %s\n", filter_kind_name(plan->kind), filter_kind_formula(plan->kind));
    if (plan->kind == PLAN_ORDER)
        print_order(plan);
    else if (plan->kind == PLAN_BILATERAL)
        print_bilateral(plan);
    else
        for (int k = 0; k < plan->masks; k++)
            print_mask(&plan->mask[k]);
    printf("border    %s", border_name(plan->border));
    if (plan->border == BORDER_CONSTANT)
        printf(":%" PRIu32, plan->border_value);
    printf("\nalpha     %s\n", plan_alpha_text(plan));
    print_around(plan, filter);
    printf("passes    %d\n", plan->repeat);
}

static void print_halo(const struct plan *step, const struct picture_report *report)
{
    int above, below;

    if (picture_reach(step, report, &above, &below))
        printf("halo      %d rows above and %d below, for each pass\n", above, below);
    else
        printf("halo      all rows\n");
}

static bool print_steps(const struct picture_request *request, const struct plan *plan,
                        const struct picture_report *report, struct error *err)
{
    const struct filter_request *filter = &request->filter;

    for (int i = 1; plan; plan = plan->next, filter = filter->next) {
        const struct kernel *kernel = picture_kernel(request, &report->choice, plan);
        const char *method;
        if (!picture_method(request, report, plan, &method, err))
            return false;
        printf("\nstep %-4d %s: %s\n", i++, filter->filter->name, filter->filter->idea);
        print_formula(plan, filter);
        print_halo(plan, report);
        print_kernel(kernel, method);
        print_shape(plan, kernel, &report->choice);
    }
    printf("\n");
    return true;
}

static bool print_plan(const char *input, const struct picture_request *request,
                       const struct plan *plan, const struct picture_report *report,
                       struct error *err)
{
    const struct picture_choice *choice = &report->choice;
    const struct image_info *info = &report->info;

    printf("picture   ");
    clean_text_put(stdout, input);
    printf(": %s, %d x %d pixels, %d channel%s, samples 0..%" PRIu32 "\n",
           format_name(info->format), info->width, info->height, info->channels,
           info->channels == 1 ? "" : "s", info->max);
    if (plan->next) {
        if (!print_steps(request, plan, report, err))
            return false;
        printf("memory    %.1f MB hold the picture's rows\n", (double)report->bytes * 1e-6);
        print_device(choice);
        print_threads(choice);
    } else {
        print_formula(plan, &request->filter);
        print_device(choice);
        print_kernel(choice->kernel, report->method);
        print_threads(choice);
        print_shape(plan, choice->kernel, choice);
    }
    print_estimate(&choice->cost);
    return true;
}

/* ---- JSON ---- */

static void json_mask(const struct plan_mask *m)
{
    json_print(stdout,
               "{'width':%d,'height':%d,'anchor_x':%d,'anchor_y':%d,'divisor':%" PRId64
               ",'offset':%" PRId64 ",'sum':%" PRId64 ",'bound':%" PRId64
               ",'accumulator_bits':%d,'float_exact':%i,'rank':%d,'weights':",
               m->width, m->height, m->anchor_x, m->anchor_y, m->divisor, m->offset, m->sum,
               m->bound, m->accumulator == ACCUMULATOR_I32 ? 32 : 64, m->float_exact,
               plan_mask_rank(m));
    json_print_integers(stdout, m->weight, m->weight ? m->width * m->height : 0);
    if (m->row) {
        json_print(stdout, ",'column':");
        json_print_integers(stdout, m->column, m->height);
        json_print(stdout, ",'row':");
        json_print_integers(stdout, m->row, m->width);
    }
    if (m->centre)
        json_print(stdout, ",'centre':%" PRId64, m->centre);
    if (m->quantised_bits >= 0)
        json_print(stdout, ",'quantised_bits':%d,'quantised_error':%.17g", m->quantised_bits,
                   m->quantised_error);
    putchar('}');
}

static void json_around(const struct plan *plan, const struct filter_request *filter)
{
    const struct plan_region *region = &plan->region;

    if (plan->light)
        json_print(stdout, ",'light':%s", "linear");
    if (plan->has_nodata)
        json_print(stdout, ",'nodata':%u", plan->nodata);
    if (region->width > 0)
        json_print(stdout, ",'region':[%d,%d,%d,%d]", region->x, region->y, region->width,
                   region->height);
    if (plan->where)
        json_print(stdout, ",'where':%s", filter->where);
}

/* Everything that decides the bytes. */
static void json_formula(const struct plan *plan, const struct filter_request *filter)
{
    json_print(stdout, "'kind':%s,'masks':[", filter_kind_name(plan->kind));
    for (int k = 0; k < plan->masks; k++) {
        fputs(k ? "," : "", stdout);
        json_mask(&plan->mask[k]);
    }
    if (plan->kind == PLAN_ORDER)
        json_print(stdout, "],'order':[%d", plan->order);
    if (plan->kind == PLAN_BILATERAL)
        json_print(stdout, "],'range':[%d", plan->range[0]);
    for (int d = 1; d <= plan->range_last; d++)
        json_print(stdout, ",%d", plan->range[d]);
    for (const struct plan *step = plan->then; step; step = step->then)
        json_print(stdout, ",%d", step->order);
    json_print(stdout, "],'border':%s,'border_value':%u,'alpha':%s,'passes':%d",
               border_name(plan->border), plan->border_value, plan_alpha_text(plan), plan->repeat);
    json_around(plan, filter);
}

static void json_kernel(const struct plan *plan, const struct kernel *kernel, const char *method,
                        const struct picture_choice *choice)
{
    struct kernel_shape shape;

    json_print(stdout, ",'kernel':%s,'threads':%d", kernel->name, choice->threads);
    if (method)
        json_print(stdout, ",'method':%s", method);
    if (shape_of(plan, kernel, choice, &shape))
        json_print(stdout,
                   ",'tile':%d,'halo':{'left':%d,'right':%d,'above':%d,'below':%d},"
                   "'block':[%d,%d],'shared_bytes':%zu,'mask_rows':%d,'loads_per_output':%.6g",
                   shape.tile_width, shape.halo_left, shape.halo_right, shape.halo_above,
                   shape.halo_below, shape.block_x, shape.block_y, shape.shared_bytes,
                   shape.mask_rows, shape.loads_per_output);
}

static bool json_steps(const struct picture_request *request, const struct plan *plan,
                       const struct picture_report *report, struct error *err)
{
    const struct filter_request *filter = &request->filter;

    for (int i = 0; plan; plan = plan->next, filter = filter->next) {
        const char *method;
        int above, below;
        if (!picture_method(request, report, plan, &method, err))
            return false;
        json_print(stdout, i++ ? ",{'filter':%s," : "'steps':[{'filter':%s,", filter->filter->name);
        json_formula(plan, filter);
        if (picture_reach(plan, report, &above, &below))
            json_print(stdout, ",'above':%d,'below':%d", above, below);
        json_kernel(plan, picture_kernel(request, &report->choice, plan), method, &report->choice);
        putchar('}');
    }
    json_print(stdout, "],'bytes':%" PRIu64, report->bytes);
    return true;
}

static bool json_plan(const char *input, const struct picture_request *request,
                      const struct plan *plan, const struct picture_report *report,
                      struct error *err)
{
    const struct image_info *info = &report->info;
    const struct picture_choice *choice = &report->choice;
    const struct picture_cost *cost = &choice->cost;

    json_print(stdout, "{'input':%s,'format':%s,'width':%d,'height':%d,'channels':%d,'max':%u,",
               input, format_name(info->format), info->width, info->height, info->channels,
               info->max);
    if (!plan->next)
        json_formula(plan, &request->filter);
    else if (!json_steps(request, plan, report, err))
        return false;
    json_print(stdout, ",'device':%s", backend_find(choice->device)->name);
    if (!plan->next)
        json_kernel(plan, choice->kernel, report->method, choice);
    json_print(stdout, ",'cpu_ms':%.3f,'decode_ms':%.3f,'cpu_work_ms':%.3f", cost->cpu_ms,
               cost->decode_ms, cost->work_ms);
    if (backend_find(DEVICE_CUDA)->in_build)
        json_print(stdout,
                   ",'cuda_ms':%.3f,'cuda_start_ms':%.3f,'cuda_load_ms':%.3f,'cuda_bus_ms':%.3f,"
                   "'cuda_kernel_ms':%.3f,'cuda_end_ms':%.3f",
                   cost->cuda_ms, cost->start_ms, cost->load_ms, cost->bus_ms, cost->kernel_ms,
                   cost->end_ms);
    puts("}");
    return true;
}

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
    bool good =
        (options->json ? json_plan : print_plan)(options->operand[0], request, &plan, &report, err);
    plan_free(&plan);
    return good;
}

static bool run_picture(const struct options *options, const struct picture_request *request,
                        const char *output, struct error *err)
{
    const struct backend *cuda = backend_find(DEVICE_CUDA);
    FILE *out = strcmp(output, "-") == 0 ? stderr : stdout;
    bool shown = !options->quiet && isatty(STDERR_FILENO);
    struct picture_request watched = *request;
    struct progress progress = {0};
    struct picture_report report;
    struct watcher watcher = {0};

    if (cuda->expect_one)
        cuda->expect_one();
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
        json_print(out, "{'input':%s,'output':%s,", options->operand[0], output);
        command_filter_json(out, options, &report);
        fputs("}\n", out);
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

static bool filter(const struct options *options, struct picture_request *request,
                   struct error *err)
{
    enum command_run run;

    request->band_rows = forced_band_rows();
    request->threads = machine_fit_memory(request->threads ? request->threads : machine_cpus());
    request->kernel = options->kernel ? kernel_find(options->kernel) : NULL;
    if (!command_find_run(options, &run, err))
        return false;
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
