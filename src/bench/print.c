/* The bench for people: what was measured and on what, a table with a line for each
 * kernel, what the columns mean, and advice. Only prints; every number is bench/bench.c's.
 * Sweeps have their own tables (bench/sweep.c) below the same head. */
#include <string.h>

#include "bench/parts.h"
#include "bench/titles.h"

#define COLUMNS 96

/* ---- the head ---- */

static void print_device(FILE *out, const struct bench_device *device)
{
    const struct device_probe *probe = &device->probe;
    char name[32], line[256], speed[32];
    int used;
    bench_device_name(name, sizeof name, device);
    used = snprintf(line, sizeof line, "%s", probe->name);
    if (probe->driver[0])
        used += snprintf(line + used, sizeof line - (size_t)used, "; %s", probe->driver);
    if (probe->cache_bytes)
        snprintf(line + used, sizeof line - (size_t)used, "; %s %.0f MiB",
                 device->device == DEVICE_CPU ? "last cache" : "L2",
                 (double)probe->cache_bytes / (1 << 20));
    fprintf(out, "%-9s %s\n", name, line);
    for (int i = 0; i < device->copies; i++) {
        const struct bench_copy *copy = &device->copy[i];
        bench_giga_text(speed, sizeof speed, (double)copy->bytes / copy->ms * 1e-6);
        fprintf(out, "          copy of %.1f MB in %.4g ms: %sB/s, read and written (%s)\n",
                (double)copy->bytes * 0.5e-6, copy->ms, speed, copy->how);
    }
    for (int i = 0; i < probe->ceilings; i++) {
        bench_giga_text(speed, sizeof speed, probe->ceiling[i].gflops);
        fprintf(out, "          multiply and add: %sFLOP/s (%s)\n", speed, probe->ceiling[i].name);
    }
}

static void print_verified(FILE *out, const struct bench_report *report)
{
    if (report->verified_rows >= report->height)
        fprintf(out, "verified  every sample against the reference\n");
    else
        fprintf(out,
                "verified  every sample of %s%d bands (top, middle, bottom; %lld of %d rows)\n"
                "          against the reference\n",
                report->sweep == SWEEP_MASK ? "at least " : "", report->bands,
                (long long)report->verified_rows, report->height);
}

void bench_print_head(FILE *out, const struct bench_report *report)
{
    char date[32] = "";
    struct tm utc;
    if (gmtime_r(&report->date, &utc))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
    fprintf(out, "stencilcli %s bench, %s\n", STENCIL_VERSION, date);
    fprintf(out, "picture   %d x %d, %d channel%s of %d bits, %s\n", report->width, report->height,
            report->channels, report->channels == 1 ? "" : "s", report->max > 255 ? 16 : 8,
            report->input ? report->input : "generated");
    if (report->sweep == SWEEP_MASK)
        fprintf(out, "masks     k x k, positive and lopsided; border %s", report->border);
    else
        fprintf(out, "mask      %s, %d x %d; border %s", report->mask, report->mask_width,
                report->mask_height, report->border);
    if (image_has_alpha(report->channels))
        fprintf(out, "; alpha %s", report->alpha);
    fputc('\n', out);
    for (int i = 0; i < report->devices; i++)
        print_device(out, &report->device[i]);
    print_verified(out, report);
    if (report->cold)
        fprintf(out, "cold      caches are overwritten before each run\n");
    fputc('\n', out);
}

/* ---- numbers ---- */

/* VALUE in four figures, at most WIDTH wide; a dash where there is none. */
static void print_number(FILE *out, int width, double value)
{
    int decimals = value >= 999.5 ? 0 : value >= 99.95 ? 1 : value >= 9.995 ? 2 : 3;
    if (value > 0)
        fprintf(out, "%*.*f", width, decimals, value);
    else
        fprintf(out, "%*s", width, "-");
}

void bench_print_fixed(FILE *out, int width, int decimals, double value)
{
    if (value > 0)
        fprintf(out, "%*.*f", width, decimals, value);
    else
        fprintf(out, "%*s", width, "-");
}

/* Milliseconds: a microsecond is the last digit that means anything. */
void bench_print_ms(FILE *out, int width, double ms)
{
    fprintf(out, "%*.*f", width, ms >= 99.95 ? 1 : ms >= 9.995 ? 2 : ms >= 0.9995 ? 3 : 4, ms);
}

/* ---- the table ---- */

/* What the column of speed-ups is called: the same for the whole table. */
static const char *baseline_name(const struct bench_report *report)
{
    for (int i = 0; i < report->results; i++) {
        const struct bench_result *base = bench_baseline(report, &report->result[i]);
        if (base && bench_is_basic(base->kernel))
            return "basic";
    }
    return "ref.";
}

static bool any_prediction(const struct bench_report *report)
{
    for (int i = 0; i < report->results; i++)
        if (report->result[i].predicted > 0)
            return true;
    return false;
}

static bool any_method(const struct bench_report *report)
{
    for (int i = 0; i < report->results; i++)
        if (report->result[i].method)
            return true;
    return false;
}

static void print_row(FILE *out, const struct bench_report *report,
                      const struct bench_result *result)
{
    struct bench_rates rates;
    char device[32], tile[16] = "-";
    bench_rates_make(&rates, report, result);
    bench_device_name(device, sizeof device, &report->device[result->device]);
    if (result->tile)
        snprintf(tile, sizeof tile, "%d", result->tile);
    fprintf(out, "%-*s %-6s %4s", BENCH_NAME_CHARS, result->kernel->name, device, tile);
    if (result->state != BENCH_TIMED) {
        static const char *const states[] = {[BENCH_UNSUPPORTED] = "cannot run this",
                                             [BENCH_DIFFERS] = "DIFFERS",
                                             [BENCH_FAILED] = "failed"};
        fprintf(out, "  %s: %s\n", states[result->state], result->why);
        return;
    }
    bench_print_ms(out, 10, result->stats.median_ms);
    fprintf(out, " %5.1f%% %6d", 100 * bench_spread(&result->stats), result->stats.runs);
    print_number(out, 9, rates.gpixels);
    print_number(out, 8, rates.gbytes);
    bench_print_fixed(out, 6, 2, rates.share);
    print_number(out, 8, rates.gflops);
    print_number(out, 8, rates.speedup);
    bench_print_fixed(out, 7, 1, result->predicted);
    bench_print_ms(out, 11, result->end_to_end_ms);
    fprintf(out, "%s%s\n", result->method ? "  " : "", result->method ? result->method : "");
}

/* Words in lines of at most COLUMNS, the first behind "! ". */
static void print_filled(FILE *out, const char *text)
{
    int column = fprintf(out, "!");
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column + 1 + length > COLUMNS)
            column = fprintf(out, "\n ") - 1;
        column += fprintf(out, " %.*s", length, text);
        text += length;
        text += *text == ' ';
    }
    fputc('\n', out);
}

void bench_print_advice(FILE *out, const struct bench_report *report)
{
    char text[512];
    for (int i = 0; !report->quiet && bench_advice(report, i, text, sizeof text); i++) {
        if (i == 0)
            fputc('\n', out);
        print_filled(out, text);
    }
}

static void print_legend(FILE *out, const struct bench_report *report)
{
    fprintf(out,
            "\nms         the median, +- the median distance to it; on CUDA of the convolution "
            "alone,\n"
            "           with the data on the device\n"
            "GB/s       every cell read once and written once\n"
            "of copy    the time of a copy of as many bytes on the same device, over this time\n"
            "GFLOP/s    two operations a tap\n");
    if (any_prediction(report))
        fprintf(out,
                "predicted  loads of basic for one load of this kernel (see stencilcli reuse); "
                "where\n"
                "           `times basic` stays below it, caches had saved those loads before\n");
}

void bench_print(FILE *out, const struct bench_report *report)
{
    static const char format[] = "%-*s %-6s %4s%10s %6s %6s%9s%8s%6s%8s%8s%7s%11s%s\n";
    bench_print_head(out, report);
    fprintf(out, format, BENCH_NAME_CHARS, "", "", "", "", "", "", "", "", "of", "", "times",
            "pre-", "end to", "");
    fprintf(out, format, BENCH_NAME_CHARS, "kernel", "device", "tile", "ms", "+-", "runs",
            "Gpixel/s", "GB/s", "copy", "GFLOP/s", baseline_name(report), "dicted", "end, ms",
            any_method(report) ? "  method" : "");
    for (int i = 0; i < report->results; i++)
        print_row(out, report, &report->result[i]);
    print_legend(out, report);
    bench_print_advice(out, report);
}
