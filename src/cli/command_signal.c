/* `stencilcli signal INPUT OUTPUT --mask M`: the 1D kernels on text samples and audio.
 * Turns options into a request, runs it, and prints what was asked for: --plan and
 * --json on stdout (on stderr when the samples themselves go there), --time and -v
 * on stderr. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/print_signal.h"
#include "kernel/backend.h"
#include "signal/filter.h"

static bool find_kernel(const char *name, const struct kernel **kernel, struct error *err)
{
    *kernel = name ? kernel_find_signal(name) : NULL;
    if (*kernel || !name)
        return true;
    if (kernel_find(name))
        return error_set(err, EXIT_USAGE, "kernel %s is for pictures, not for signals", name);
    return error_set(err, EXIT_USAGE, "unknown kernel '%s'; see `stencilcli list kernels`", name);
}

static bool request_make(const struct options *options, struct signal_request *request,
                         struct error *err)
{
    *request = (struct signal_request){
        .mask = options->mask,
        .has_sigma = options->has_sigma,
        .sigma = options->sigma,
        .radius = options->radius,
        .overrides = command_overrides(options),
        .border = options->border,
        .repeat = options->repeat,
        .decimals = options->decimals,
        .device_auto = options->device_auto,
        .device = options->device,
        .device_index = options->device_index,
        .tile = options->tile,
        .threads = options->threads,
        .verify = options->verify,
        .plan = options->plan,
    };
    if (!options->has_border) /* as in the textbook: silence before and after */
        request->border.border = BORDER_ZERO;
    return find_kernel(options->kernel, &request->kernel, err);
}

static void print_time(const struct signal_report *report)
{
    const struct kernel_times *times = &report->times;
    fprintf(stderr,
            "stencilcli: read %.2f ms, upload %.2f ms, kernel %.2f ms, download %.2f ms, write "
            "%.2f ms, total %.2f ms\n",
            report->read_ms, times->upload_ms, times->kernel_ms, times->download_ms,
            report->write_ms, report->total_ms);
}

static void print_notes(const struct options *options, const struct signal_report *report)
{
    if (report->warning[0] && !options->quiet)
        fprintf(stderr, "stencilcli: %s\n", report->warning);
    if (!options->verbose)
        return;
    if (report->choice.note[0])
        fprintf(stderr, "stencilcli: %s\n", report->choice.note);
    fprintf(stderr, "stencilcli: %s: %s\n", options->operand[0], signal_print_sums(report));
    if (report->quantised)
        fprintf(stderr, "stencilcli: the mask is quantised to 1/2^%d, at most %.3g of a sample\n",
                report->quantised_bits, report->quantised_error);
    if (report->choice.sums != SIGNAL_SUM_RATIONAL)
        fprintf(stderr, "stencilcli: %s: kernel %s on %s\n", options->operand[0],
                report->choice.kernel->name, backend_find(report->choice.kernel->device)->name);
}

static void print_report(const struct options *options, const struct signal_request *request,
                         const struct mask *mask, const struct signal_report *report)
{
    const char *input = options->operand[0], *output = options->operand[1];

    if (options->plan) {
        (options->json ? signal_print_plan_json : signal_print_plan)(stdout, input, request, mask,
                                                                     report);
        return;
    }
    print_notes(options, report);
    if (options->time)
        print_time(report);
    if (options->json)
        signal_print_json(strcmp(output, "-") == 0 ? stderr : stdout, input, output, request,
                          report);
}

int command_signal(const struct options *options)
{
    struct signal_request request;
    struct signal_report report;
    struct mask mask;
    struct error err;
    const char *input = options->operand[0], *output = options->operand[1];
    const struct backend *cuda = backend_find(DEVICE_CUDA);
    bool good;

    if (options->mask && strcmp(options->mask, "-") == 0 && strcmp(input, "-") == 0) {
        error_set(&err, EXIT_USAGE,
                  "the mask and the samples cannot both be read from standard input");
        return command_fail(&err);
    }
    if (!request_make(options, &request, &err) || !signal_check(&request, output, &err) ||
        !signal_mask_row(&request, &mask, &err))
        return command_fail(&err);
    if (cuda->expect_one)
        cuda->expect_one();
    good = signal_filter(&request, &mask, input, output, &report, &err);
    if (good)
        print_report(options, &request, &mask, &report);
    mask_free(&mask);
    return good ? EXIT_DONE : command_fail(&err);
}
