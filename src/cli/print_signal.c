/* Printing what would run on a signal, or has run: see cli/print_signal.h. */
#include "cli/print_signal.h"

#include "base/json.h"
#include "cli/command.h"
#include "cli/print_mask.h"
#include "kernel/backend.h"

/* Weights that a line can hold. */
#define SHOWN_WEIGHTS 15

static const char *const type_names[] = {[SIGNAL_SUM_F32] = "float32",
                                         [SIGNAL_SUM_I64] = "int64",
                                         [SIGNAL_SUM_RATIONAL] = "rational",
                                         [SIGNAL_SUM_SPLIT] = "split"};

const char *signal_print_sums(const struct signal_report *report)
{
    static const char *const phrases[] = {
        [SIGNAL_SUM_F32] = "sums in floats, which are exact below 2^24",
        [SIGNAL_SUM_I64] = "sums in 64-bit integers",
        [SIGNAL_SUM_RATIONAL] = "sums past 62 bits: rationals on the CPU, no kernel",
        [SIGNAL_SUM_SPLIT] = "sums past 62 bits: the kernel runs on split numbers"};
    return phrases[report->choice.sums];
}

static const char *device_name(const struct signal_report *report)
{
    return backend_find(report->choice.kernel->device)->name;
}

/* ---- in words ---- */

static void print_input(FILE *out, const char *input, const struct signal_report *report)
{
    fprintf(out, "signal    %s: %s, %d sample%s", input, report->form, report->samples,
            report->samples == 1 ? "" : "s");
    if (report->audio)
        fprintf(out, " in each of %d channel%s, %d bits, %d Hz", report->channels,
                report->channels == 1 ? "" : "s", report->bits, report->rate);
    fprintf(out, "\n");
}

static void print_mask(FILE *out, const struct mask *mask)
{
    char text[MASK_NUMBER_CHARS];

    mask_number(text, mask->divisor);
    fprintf(out, "mask      %d weight%s, anchor %d, divisor %s", mask->width,
            mask->width == 1 ? "" : "s", mask->anchor_x, text);
    mask_number(text, mask->offset);
    fprintf(out, ", offset %s%s\n         ", text, mask->offset_percent ? " of full scale" : "");
    for (int j = 0; j < mask->width && j < SHOWN_WEIGHTS; j++) {
        mask_number(text, mask->weight[j]);
        fprintf(out, " %s", text);
    }
    fprintf(out, "%s\n", mask->width > SHOWN_WEIGHTS ? " ..." : "");
}

static void print_shape(FILE *out, const struct kernel_shape *shape)
{
    fprintf(out, "tile      %d outputs, halo %d left %d right\n", shape->tile_width,
            shape->halo_left, shape->halo_right);
    fprintf(out, "block     %d threads, %zu bytes of shared memory\n", shape->block_x,
            shape->shared_bytes);
    fprintf(out, "loads     %.2f cells per output\n", shape->loads_per_output);
}

void signal_print_plan(FILE *out, const char *input, const struct signal_request *request,
                       const struct mask *mask, const struct signal_report *report)
{
    const struct signal_choice *choice = &report->choice;

    print_input(out, input, report);
    print_mask(out, mask);
    if (report->quantised)
        fprintf(out, "quantised to 1/2^%d, at most %.3g of a sample value\n",
                report->quantised_bits, report->quantised_error);
    fprintf(out, "sums      %s\n", signal_print_sums(report));
    fprintf(out, "border    %s", border_name(request->border.border));
    if (request->border.border == BORDER_CONSTANT)
        fprintf(out, ":%s", request->border.value);
    fprintf(out, "\npasses    %d\n", request->repeat);
    if (choice->sums == SIGNAL_SUM_RATIONAL) {
        fprintf(out, "device    cpu\n");
        return;
    }
    fprintf(out, "device    %s\n", device_name(report));
    fprintf(out, "kernel    %s: %s\n", choice->kernel->name, choice->kernel->idea);
    if (choice->kernel->device == DEVICE_CPU)
        fprintf(out, "threads   %d\n", choice->threads);
    if (report->has_shape)
        print_shape(out, &report->shape);
    fprintf(out, "estimate  %.1f ms on the CPU, %.1f ms with CUDA (start-up included)\n",
            choice->cpu_ms, choice->cuda_ms);
}

/* ---- JSON ---- */

static void json_string(FILE *out, const char *before, const char *text)
{
    fputs(before, out);
    json_print_text(out, text);
}

static void json_input(FILE *out, const char *input, const struct signal_request *request,
                       const struct signal_report *report)
{
    json_string(out, "{\"input\":", input);
    json_string(out, ",\"form\":", report->form);
    fprintf(out, ",\"samples\":%d,\"channels\":%d", report->samples, report->channels);
    if (report->audio)
        fprintf(out, ",\"bits\":%d,\"rate\":%d", report->bits, report->rate);
    fprintf(out,
            ",\"mask_width\":%d,\"anchor\":%d,\"border\":\"%s\",\"passes\":%d,\"sums\":\"%s\","
            "\"device\":\"%s\",\"kernel\":",
            report->mask_width, report->anchor, border_name(request->border.border),
            request->repeat, type_names[report->choice.sums], device_name(report));
    if (report->choice.sums == SIGNAL_SUM_RATIONAL)
        fprintf(out, "null");
    else
        json_string(out, "", report->choice.kernel->name);
    fprintf(out, ",\"threads\":%d", report->choice.threads);
    if (report->quantised)
        fprintf(out, ",\"quantised_bits\":%d,\"quantised_error\":%.17g", report->quantised_bits,
                report->quantised_error);
}

/* The numbers as text: most JSON readers hold numbers in doubles. */
static void json_mask(FILE *out, const struct mask *mask)
{
    char text[MASK_NUMBER_CHARS];

    mask_number(text, mask->divisor);
    json_string(out, ",\"divisor\":", text);
    mask_number(text, mask->offset);
    json_string(out, ",\"offset\":", text);
    for (int j = 0; j < mask->width; j++) {
        mask_number(text, mask->weight[j]);
        json_string(out, j ? "," : ",\"weights\":[", text);
    }
    fprintf(out, "]");
}

void signal_print_plan_json(FILE *out, const char *input, const struct signal_request *request,
                            const struct mask *mask, const struct signal_report *report)
{
    json_input(out, input, request, report);
    json_mask(out, mask);
    if (report->has_shape)
        fprintf(out,
                ",\"tile\":%d,\"halo\":{\"left\":%d,\"right\":%d},\"block\":%d,"
                "\"shared_bytes\":%zu,\"loads_per_output\":%.6g",
                report->shape.tile_width, report->shape.halo_left, report->shape.halo_right,
                report->shape.block_x, report->shape.shared_bytes, report->shape.loads_per_output);
    fprintf(out, ",\"cpu_ms\":%.3f,\"cuda_ms\":%.3f}\n", report->choice.cpu_ms,
            report->choice.cuda_ms);
}

void signal_print_json(FILE *out, const char *input, const char *output,
                       const struct signal_request *request, const struct signal_report *report)
{
    json_input(out, input, request, report);
    json_string(out, ",\"output\":", output);
    fprintf(out,
            ",\"verified\":%s,\"read_ms\":%.3f,\"upload_ms\":%.3f,\"kernel_ms\":%.3f,"
            "\"download_ms\":%.3f,\"write_ms\":%.3f,\"total_ms\":%.3f}\n",
            request->verify ? "true" : "false", report->read_ms, report->times.upload_ms,
            report->times.kernel_ms, report->times.download_ms, report->write_ms, report->total_ms);
}
