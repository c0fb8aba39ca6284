/* `stencilcli signal INPUT OUTPUT --mask M`: the 1D kernels on text samples and audio.
 * Turns options into a request, runs it, and prints --plan and --json on stdout, --time and -v on
 * stderr. */
#include "cli/command.h"

#include <string.h>

#include "base/json.h"
#include "kernel/backend.h"
#include "signal/filter.h"

static void request_make(const struct options *options, struct signal_request *request)
{
    const struct picture_request *from = &options->request;
    const char *kernel = options->kernel;
    *request = (struct signal_request){
        .filter = from->filter,
        .decimals = options->decimals,
        .device_auto = from->device_auto,
        .device = from->device,
        .device_index = from->device_index,
        .kernel = kernel ? kernel_find_signal(kernel) : NULL,
        .tile = from->tile,
        .threads = from->threads,
        .verify = from->verify,
        .plan = options->plan,
    };
}

/* ---- in words ---- */

/* Up to this many weights fit in a line. */
#define SHOWN_WEIGHTS 15

/* The number types of the sums, in JSON and as a phrase. */
static const struct {
    const char *name, *phrase;
} sums[] = {
    [SIGNAL_SUM_F32] = {"float32", "sums in floats, which are exact below 2^24"},
    [SIGNAL_SUM_I64] = {"int64", "sums in 64-bit integers"},
    [SIGNAL_SUM_RATIONAL] = {"rational", "sums past 62 bits: rationals on the CPU, no kernel"},
};

static const char *device_name(const struct signal_report *report)
{
    return backend_find(report->choice.kernel->device)->name;
}

static void print_mask(const struct mask *mask)
{
    char text[MASK_NUMBER_CHARS], offset[MASK_NUMBER_CHARS];

    printf("mask      %d weight%s, anchor %d, divisor %s, offset %s%s\n         ", mask->width,
           mask->width == 1 ? "" : "s", mask->anchor_x, mask_number(text, mask->divisor),
           mask_number(offset, mask->offset), mask->offset_percent ? " of full scale" : "");
    for (int j = 0; j < mask->width && j < SHOWN_WEIGHTS; j++)
        printf(" %s", mask_number(text, mask->weight[j]));
    printf("%s\n", mask->width > SHOWN_WEIGHTS ? " ..." : "");
}

static void print_plan(const char *input, const struct signal_request *request,
                       const struct mask *mask, const struct signal_report *report)
{
    const struct signal_load *load = &report->load;
    const struct signal_choice *choice = &report->choice;
    const struct kernel_shape *shape = &report->shape;

    printf("signal    %s: %s, %d sample%s", strcmp(input, "-") == 0 ? "standard input" : input,
           report->form, load->samples, load->samples == 1 ? "" : "s");
    if (report->audio)
        printf(" in each of %d channel%s, %d bits, %d Hz", load->channels,
               load->channels == 1 ? "" : "s", report->bits, report->rate);
    printf("\n");
    print_mask(mask);
    if (report->quantised)
        printf("rounded   the weights are rounded to 1/2^%d: a sample changes by at most %.3g\n",
               report->quantised_bits, report->quantised_error);
    printf("sums      %s\n", sums[report->choice.sums].phrase);
    printf("border    %s", border_name(request->filter.border.border));
    if (request->filter.border.border == BORDER_CONSTANT)
        printf(":%s", request->filter.border.value);
    printf("\npasses    %d\n", request->filter.repeat);
    if (choice->sums == SIGNAL_SUM_RATIONAL) {
        printf("device    cpu\n");
        return;
    }
    printf("device    %s\n", device_name(report));
    printf("kernel    %s: %s\n", choice->kernel->name, choice->kernel->idea);
    if (choice->kernel->device == DEVICE_CPU)
        printf("threads   %d\n", choice->threads);
    if (shape->tile_width)
        printf("tile      %d outputs, halo %d left %d right\n"
               "block     %d threads, %zu bytes of shared memory\n"
               "loads     %.2f cells per output\n",
               shape->tile_width, shape->halo_left, shape->halo_right, shape->block_x,
               shape->shared_bytes, shape->loads_per_output);
    printf("estimate  %.1f ms on the CPU", choice->cpu_ms);
    if (backend_find(DEVICE_CUDA)->in_build)
        printf(backend_find(DEVICE_CUDA)->software ? ", %.1f ms on the software GPU"
                                                   : ", %.1f ms with CUDA (start-up included)",
               choice->cuda_ms);
    printf("\n");
}

/* ---- JSON ---- */

static void json_input(const char *input, const struct signal_request *request,
                       const struct signal_report *report)
{
    const struct signal_choice *choice = &report->choice;
    json_print(stdout, "{'input':%s,'form':%s,'samples':%d,'channels':%d", input, report->form,
               report->load.samples, report->load.channels);
    if (report->audio)
        json_print(stdout, ",'bits':%d,'rate':%d", report->bits, report->rate);
    json_print(stdout,
               ",'mask_width':%d,'anchor':%d,'border':%s,'passes':%d,'sums':%s,'device':%s,"
               "'kernel':%s,'threads':%d",
               report->load.mask_width, report->load.anchor,
               border_name(request->filter.border.border), request->filter.repeat,
               sums[choice->sums].name, device_name(report),
               choice->sums == SIGNAL_SUM_RATIONAL ? NULL : choice->kernel->name, choice->threads);
    if (report->quantised)
        json_print(stdout, ",'quantised_bits':%d,'quantised_error':%.17g", report->quantised_bits,
                   report->quantised_error);
}

static void json_plan(const char *input, const struct signal_request *request,
                      const struct mask *mask, const struct signal_report *report)
{
    const struct kernel_shape *shape = &report->shape;
    char text[MASK_NUMBER_CHARS], offset[MASK_NUMBER_CHARS];

    json_input(input, request, report);
    /* Numbers are strings, because most JSON readers store numbers as doubles. */
    json_print(stdout, ",'divisor':%s,'offset':%s,'weights':[", mask_number(text, mask->divisor),
               mask_number(offset, mask->offset));
    for (int j = 0; j < mask->width; j++)
        json_print(stdout, j ? ",%s" : "%s", mask_number(text, mask->weight[j]));
    putchar(']');
    if (shape->tile_width)
        json_print(stdout,
                   ",'tile':%d,'halo':{'left':%d,'right':%d},'block':%d,'shared_bytes':%zu,"
                   "'loads_per_output':%.6g",
                   shape->tile_width, shape->halo_left, shape->halo_right, shape->block_x,
                   shape->shared_bytes, shape->loads_per_output);
    json_print(stdout, ",'cpu_ms':%.3f", report->choice.cpu_ms);
    if (backend_find(DEVICE_CUDA)->in_build)
        json_print(stdout, ",'cuda_ms':%.3f", report->choice.cuda_ms);
    puts("}");
}

static void json_result(const char *input, const char *output, const struct signal_request *request,
                        const struct signal_report *report)
{
    const struct kernel_times *times = &report->times;

    json_input(input, request, report);
    json_print(stdout,
               ",'output':%s,'verified':%i,'read_ms':%.3f,'upload_ms':%.3f,'kernel_ms':%.3f,"
               "'download_ms':%.3f,'write_ms':%.3f,'total_ms':%.3f}\n",
               output, request->verify, report->read_ms, times->upload_ms, times->kernel_ms,
               times->download_ms, report->write_ms, report->total_ms);
}

/* ---- reports after the run ---- */

static void print_notes(const struct options *options, const struct signal_report *report)
{
    const struct kernel_times *times = &report->times;

    command_notes(options, report->warning, report->choice.note);
    if (options->verbose) {
        command_say("%s: %s", options->operand[0], sums[report->choice.sums].phrase);
        if (report->quantised)
            command_say("the weights are rounded to 1/2^%d: a sample changes by at most %.3g",
                        report->quantised_bits, report->quantised_error);
        if (report->choice.sums != SIGNAL_SUM_RATIONAL)
            command_say("%s: kernel %s on %s", options->operand[0], report->choice.kernel->name,
                        device_name(report));
    }
    if (options->time)
        command_say_times(0, report->read_ms, times, report->write_ms, report->total_ms);
    if (options->time && backend_find(report->choice.kernel->device)->software)
        command_say("%s", BACKEND_SOFT_TIMES);
    if (options->request.verify && !options->quiet)
        command_say("%s: verified: all samples equal the reference", options->operand[0]);
}

bool command_signal(const struct options *options, struct error *err)
{
    struct signal_request request;
    struct signal_report report;
    struct mask mask;
    const char *input = options->operand[0], *output = options->operand[1];

    request_make(options, &request);
    if (!signal_check(&request, output, err) || !signal_mask_row(&request.filter, &mask, err))
        return false;
    command_has_one_job();
    bool good = signal_filter(&request, &mask, input, output, &report, err);
    if (good && options->plan)
        (options->json ? json_plan : print_plan)(input, &request, &mask, &report);
    if (good && !options->plan) {
        print_notes(options, &report);
        if (options->json)
            json_result(input, output, &request, &report);
    }
    mask_free(&mask);
    return good;
}
