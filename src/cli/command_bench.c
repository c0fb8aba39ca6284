/* `stencilcli bench [IMAGE]`: every kernel side by side. Collects the picture (read or generated),
 * the mask and the kernels, runs the bench, and prints the table or JSON and the plot. All options
 * are checked before the first measurement, because a bench takes a while. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/machine.h"
#include "bench/bench.h"
#include "cli/command.h"
#include "kernel/backend.h"

#define DEFAULT_SIZE 2048
/* With the software GPU, which is slow, and whose times tell little. */
#define DEFAULT_SIZE_SOFT 256
#define DEFAULT_RUNS_SOFT 1
#define DEFAULT_MASK      "gauss5"

/* The options of a bench and the data made from them. */
struct bench_setup {
    const struct options *options;
    struct filter_request filter;
    struct image_info info;
};

static enum bench_sweep sweep_of(const struct options *options)
{
    return !options->sweep                       ? SWEEP_NONE
           : strcmp(options->sweep, "tile") == 0 ? SWEEP_TILE
                                                 : SWEEP_MASK;
}

/* Whether the options build a mask instead of naming one. */
static bool builds_mask(const struct filter_request *filter)
{
    return filter->has_sigma || filter->radius >= 0;
}

static bool check_together(const struct options *options, struct error *err)
{
    const struct filter_request *filter = &options->request.filter;
    const char *channels = filter->channels;
    /* The first option of the generated picture. */
    const char *given = options->size.count ? "size"
                        : channels          ? "channels"
                        : options->depth    ? "depth"
                                            : NULL;
    const char *dot = options->plot ? strrchr(options->plot, '.') : NULL;

    if (options->plot && strcmp(options->plot, "-") != 0 && (!dot || strcasecmp(dot, ".svg") != 0))
        return error_set(err, EXIT_USAGE,
                         "--plot %.400s: plots are SVG: choose a name that ends in .svg",
                         options->plot);
    if (options->operands && given)
        return error_set(err, EXIT_USAGE, "--%s is for a generated picture: '%.80s' has its own %s",
                         given, options->operand[0], given);
    if (channels && (channels[0] < '1' || channels[0] > '4' || channels[1] != '\0'))
        return error_set(err, EXIT_USAGE, "--channels %.40s: expected 1, 2, 3 or 4 for bench",
                         channels);
    if (sweep_of(options) == SWEEP_MASK && (filter->mask || builds_mask(filter)))
        return error_set(err, EXIT_USAGE, "--sweep mask brings its own masks: leave --%s out",
                         filter->mask        ? "mask"
                         : filter->has_sigma ? "sigma"
                                             : "radius");
    if (sweep_of(options) == SWEEP_TILE && options->request.tile)
        return error_set(err, EXIT_USAGE, "--sweep tile goes through all tiles: leave --tile out");
    return true;
}

/* ---- the plan ---- */

/* Room for 31 x 31 weights of up to two digits. */
#define MASK_CHARS (31 * 31 * 3 + 1)

/* Makes a mask that reveals errors which a symmetric mask hides: it is heavier to the right, its
 * rows differ, no weight is 0. Every weight fits 8 bits, every sum of 8-bit samples a float.
 * Returns the sum of the weights. */
static int lopsided_mask(char text[MASK_CHARS], int width)
{
    int sum = 0, used = 0;
    for (int i = 0; i < width; i++)
        for (int j = 0; j < width; j++) {
            int weight = 1 + j + (3 * i * i + 2 * i) % 7;
            sum += weight;
            used += snprintf(text + used, (size_t)(MASK_CHARS - used), "%d%s", weight,
                             j < width - 1   ? " "
                             : i < width - 1 ? ";"
                                             : "");
        }
    return sum;
}

/* The filter of a bench: one mask for all channels. */
static struct filter_request filter_of(const struct options *options)
{
    struct filter_request filter = options->request.filter;
    filter.filter = filter_find("convolve");
    filter.channels = NULL; /* in bench this is the channel count of the generated picture */
    if (!filter.mask && !builds_mask(&filter))
        filter.mask = DEFAULT_MASK;
    return filter;
}

static bool make_plan(struct plan *plan, int width, void *context, struct error *err)
{
    const struct bench_setup *setup = context;
    struct filter_request request = setup->filter;
    char mask[MASK_CHARS], divisor[16];
    if (width > 0) {
        snprintf(divisor, sizeof divisor, "%d", lopsided_mask(mask, width));
        request.mask = mask;
        request.mask_count = 0; /* replace the loaded mask */
        request.overrides.divisor = divisor;
    }
    return filter_plan(&request, setup->info.channels, setup->info.type, setup->info.max, plan,
                       err);
}

/* ---- the picture ---- */

static bool picture_read(struct bench_setup *setup, struct image *image, struct error *err)
{
    const struct options *options = setup->options;
    struct source *source;
    const char *warning;
    bool ok;
    if (!source_open(&source, options->operand[0], err))
        return false;
    setup->info = *source_info(source);
    warning = source_warning(source, FORMAT_NONE);
    if (warning && !options->quiet)
        command_say("%s", warning);
    ok = source_read_all(source, image, err);
    source_close(source);
    return ok;
}

static bool picture_get(struct bench_setup *setup, struct image *image, int threads,
                        struct error *err)
{
    const struct options *options = setup->options;
    const char *channels = options->request.filter.channels;
    bool deep = options->depth && strcmp(options->depth, "16") == 0;
    int width = options->size.count                   ? options->size.width[0]
                : backend_find(DEVICE_CUDA)->software ? DEFAULT_SIZE_SOFT
                                                      : DEFAULT_SIZE;
    if (options->operands)
        return picture_read(setup, image, err);
    setup->info = (struct image_info){
        .width = width,
        .height = options->size.height[0] ? options->size.height[0] : width,
        .channels = channels ? channels[0] - '0' : 3,
        .type = deep ? SAMPLE_U16 : SAMPLE_U8,
        .max = deep ? UINT16_MAX : UINT8_MAX,
    };
    *image = (struct image){.width = width,
                            .height = setup->info.height,
                            .channels = setup->info.channels,
                            .type = setup->info.type};
    return bench_picture_make(image, threads, err);
}

/* ---- progress: one line on a terminal ---- */

static void show_progress(const char *text, void *context)
{
    (void)context;
    command_draw(text);
}

/* ---- the command ---- */

/* The mask's name as the user gave it. */
static const char *mask_name(const struct bench_setup *setup)
{
    static char gauss[32];
    const struct filter_request *filter = &setup->filter;
    if (sweep_of(setup->options) == SWEEP_MASK)
        return "lopsided";
    if (!builds_mask(filter))
        return filter->mask;
    if (!filter->has_sigma)
        return "box";
    snprintf(gauss, sizeof gauss, "sigma %g", filter->sigma);
    return gauss;
}

static struct bench_report report_make(const struct bench_setup *setup,
                                       const struct bench_request *request)
{
    const struct options *options = setup->options;
    return (struct bench_report){
        .date = time(NULL),
        .input = options->operands ? options->operand[0] : NULL,
        .width = setup->info.width,
        .height = setup->info.height,
        .channels = setup->info.channels,
        .max = setup->info.max,
        .mask = mask_name(setup),
        .border = border_name(setup->filter.border.border),
        .cold = options->cold,
        .quiet = options->quiet,
        .threads = request->threads,
        .sweep = sweep_of(options),
    };
}

/* Fails with the message of the worst kernel, if any kernel differs or fails. */
static bool results_check(const struct bench_report *report, struct error *err)
{
    bool ok = true;
    for (int i = 0; i < report->results; i++) {
        const struct bench_result *result = &report->result[i];
        if (result->state == BENCH_DIFFERS)
            return error_set(err, EXIT_DIFFERENT, "%s", result->why);
        if (result->state == BENCH_FAILED && ok)
            ok = error_set(err, EXIT_INPUT, "%s: %s", result->kernel->name, result->why);
    }
    return ok;
}

bool command_bench(const struct options *options, struct error *err)
{
    struct bench_setup setup = {.options = options, .filter = filter_of(options)};
    const struct picture_request *from = &options->request;
    struct bench_request request = {
        .kernels = options->kernel,
        .method = from->method,
        .device_auto = from->device_auto,
        .device = from->device,
        .device_index = from->device_index,
        .tile = from->tile,
        .threads = from->threads ? from->threads : machine_cpus(),
        .runs = options->runs > 0                     ? options->runs
                : backend_find(DEVICE_CUDA)->software ? DEFAULT_RUNS_SOFT
                                                      : 0,
        .cold = options->cold,
        .plan = make_plan,
        .context = &setup,
        .progress = !options->quiet && isatty(STDERR_FILENO) ? show_progress : NULL,
    };
    struct bench_report report = {0};
    struct output *plot = NULL;
    bool ok = check_together(options, err) && bench_check(&request, sweep_of(options), err) &&
              filter_load(&setup.filter, err) &&
              picture_get(&setup, &request.in, request.threads, err);

    /* An unwritable folder is reported before the first kernel runs. */
    if (ok && options->plot)
        ok = output_open(&plot, options->plot, err);
    if (ok) {
        report = report_make(&setup, &request);
        ok = bench_run(&report, &request, err);
        if (request.progress)
            request.progress("", NULL); /* erases the line */
        if (ok)
            (options->json ? bench_print_json : bench_print)(stdout, &report);
        ok = ok && results_check(&report, err);
        if (plot)
            ok = output_end(plot, ok && bench_plot(&report, plot, err), err);
    }
    free(report.result);
    image_free(&request.in);
    filter_unload(&setup.filter);
    return ok;
}
