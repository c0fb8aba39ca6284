/* `stencilcli FILTER INPUT OUTPUT`: filters one picture, or starts a batch. Turns options into
 * a request, runs it, and prints: --plan and --json on stdout (on stderr when the picture
 * itself goes to stdout), --time and -v on stderr. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command_filter.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/print_plan.h"
#include "kernel/backend.h"
#include "run/picture.h"

/* STENCILCLI_BAND_ROWS, with which tests move the borders between bands (run/picture.h). Any other
 * text than a number is 0: the program chooses. */
static int forced_band_rows(void)
{
    const char *text = getenv("STENCILCLI_BAND_ROWS");
    long rows = text ? strtol(text, NULL, 10) : 0;
    return rows < -1 ? -1 : rows > INT_MAX ? INT_MAX : (int)rows;
}

static bool request_make(const struct options *options, struct picture_request *request,
                         struct error *err)
{
    memset(request, 0, sizeof *request);
    request->filter = (struct filter_request){
        .filter = filter_find(options->command),
        .mask = options->mask,
        .has_sigma = options->has_sigma,
        .sigma = options->sigma,
        .radius = options->radius,
        .amount = options->amount,
        .overrides = command_overrides(options),
        .border = options->border,
        .alpha = options->alpha,
        .channels = options->channels,
        .repeat = options->repeat,
    };
    request->sink = (struct sink_options){.format = options->format,
                                          .quality = options->quality,
                                          .png_level = options->png_level,
                                          .drop_alpha = options->drop_alpha,
                                          .sync = options->sync};
    request->device_auto = options->device_auto;
    request->device = options->device;
    request->device_index = options->device_index;
    request->method = options->method;
    request->tile = options->tile;
    request->threads = options->threads;
    request->verify = options->verify;
    request->band_rows = forced_band_rows();
    if (options->kernel && !(request->kernel = kernel_find(options->kernel)))
        return error_set(err, EXIT_USAGE, "unknown kernel '%s'; see `stencilcli list kernels`",
                         options->kernel);
    return true;
}

static bool operands_check(const struct options *options, struct error *err)
{
    int wanted = options->plan ? 1 : 2;
    if (options->operands < wanted || options->operands > 2)
        return error_set(err, EXIT_USAGE, "%s needs INPUT and OUTPUT: stencilcli %s in.png out.png",
                         options->command, options->command);
    if (options->mask && strcmp(options->mask, "-") == 0 && strcmp(options->operand[0], "-") == 0)
        return error_set(err, EXIT_USAGE,
                         "the mask and the picture cannot both be read from "
                         "standard input");
    return true;
}

static void print_time(const struct picture_report *report)
{
    const struct kernel_times *times = &report->times;
    fprintf(stderr,
            "stencilcli: start %.2f ms, decode %.2f ms, upload %.2f ms, kernel %.2f ms, "
            "download %.2f ms, encode %.2f ms, total %.2f ms\n",
            report->start_ms, report->decode_ms, times->upload_ms, times->kernel_ms,
            times->download_ms, report->encode_ms, report->total_ms);
    if (report->at.opened > 0)
        fprintf(stderr,
                "stencilcli: CUDA there after %.2f ms, its memory %.2f ms, all decoded %.2f ms, "
                "first strip back %.2f ms, last %.2f ms, all encoded %.2f ms\n",
                report->at.started, report->at.opened, report->at.decoded, report->at.first_band,
                report->at.last_band, report->at.encoded);
}

void command_filter_json(FILE *out, const struct options *options,
                         const struct picture_report *report)
{
    const struct image_info *info = &report->info;
    fprintf(out,
            "\"filter\":\"%s\",\"width\":%d,\"height\":%d,\"channels\":%d,\"max\":%u,"
            "\"device\":\"%s\",\"kernel\":\"%s\",\"threads\":%d,\"verified\":%s,"
            "\"start_ms\":%.3f,\"decode_ms\":%.3f,\"upload_ms\":%.3f,\"kernel_ms\":%.3f,"
            "\"download_ms\":%.3f,\"encode_ms\":%.3f,\"total_ms\":%.3f",
            options->command, info->width, info->height, info->channels, info->max,
            backend_find(report->choice.device)->name, report->choice.kernel->name,
            report->choice.threads, options->verify ? "true" : "false", report->start_ms,
            report->decode_ms, report->times.upload_ms, report->times.kernel_ms,
            report->times.download_ms, report->encode_ms, report->total_ms);
    if (report->method)
        fprintf(out, ",\"method\":\"%s\"", report->method);
}

static void print_json(FILE *out, const struct options *options,
                       const struct picture_report *report)
{
    fprintf(out, "{\"input\":");
    json_print_text(out, options->operand[0]);
    fprintf(out, ",\"output\":");
    json_print_text(out, options->operand[1]);
    fputc(',', out);
    command_filter_json(out, options, report);
    fputs("}\n", out);
}

static void print_notes(const struct options *options, const struct picture_report *report)
{
    if (report->warning[0] && !options->quiet)
        fprintf(stderr, "stencilcli: %s\n", report->warning);
    if (!options->verbose)
        return;
    if (report->choice.note[0])
        fprintf(stderr, "stencilcli: %s\n", report->choice.note);
    fprintf(stderr, "stencilcli: %s: kernel %s on %s%s%s\n", options->operand[0],
            report->choice.kernel->name, backend_find(report->choice.device)->name,
            report->method ? ", method " : "", report->method ? report->method : "");
}

static int run_plan(const struct options *options, const struct picture_request *request)
{
    struct picture_report report;
    struct plan plan = {0};
    struct error err;
    if (!picture_plan(request, options->operand[0], &plan, &report, &err))
        return command_fail(&err);
    if (options->json)
        plan_print_json(stdout, options->operand[0], &plan, &report);
    else
        plan_print(stdout, options->operand[0], &plan, &report);
    plan_free(&plan);
    return EXIT_DONE;
}

static int run_picture(const struct options *options, const struct picture_request *request,
                       const char *output)
{
    const struct backend *cuda = backend_find(DEVICE_CUDA);
    struct picture_report report;
    struct error err;

    if (cuda->expect_one)
        cuda->expect_one();
    if (!picture_filter(request, options->operand[0], output, &report, &err))
        return command_fail(&err);
    print_notes(options, &report);
    if (options->time)
        print_time(&report);
    if (options->json)
        print_json(strcmp(output, "-") == 0 ? stderr : stdout, options, &report);
    return EXIT_DONE;
}

int command_filter(const struct options *options)
{
    struct picture_request request;
    struct error err;
    const char *output;
    bool is_folder;
    int code;

    if (!operands_check(options, &err) || !request_make(options, &request, &err) ||
        !command_batch_wanted(options, &is_folder, &err))
        return command_fail(&err);
    output = options->operands > 1 ? options->operand[1] : "-";
    if (!picture_check(&request, is_folder ? "-" : output, &err) ||
        !filter_load(&request.filter, &err))
        return command_fail(&err);
    code = is_folder       ? command_batch(options, &request)
           : options->plan ? run_plan(options, &request)
                           : run_picture(options, &request, output);
    filter_unload(&request.filter);
    return code;
}
