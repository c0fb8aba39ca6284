/* The bench for programs: one JSON object with everything that was measured, on one
 * line. Numbers that do not exist (no baseline, no prediction) are null. */
#include <math.h>

#include "base/json.h"
#include "bench/parts.h"

static void print_key(FILE *out, const char *before, const char *key)
{
    fprintf(out, "%s\"%s\":", before, key);
}

static void print_text(FILE *out, const char *before, const char *key, const char *text)
{
    print_key(out, before, key);
    json_print_text(out, text);
}

static void print_number(FILE *out, const char *key, double value)
{
    print_key(out, ",", key);
    if (isfinite(value) && value > 0)
        fprintf(out, "%.6g", value);
    else
        fprintf(out, "null");
}

static void print_date(FILE *out, const struct bench_report *report)
{
    char date[32] = "";
    struct tm utc;
    if (gmtime_r(&report->date, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    print_text(out, ",", "date", date);
}

static void print_device(FILE *out, const struct bench_device *device)
{
    const struct device_probe *probe = &device->probe;
    char name[32];
    bench_device_name(name, sizeof name, device);
    print_text(out, "{", "device", name);
    print_text(out, ",", "name", probe->name);
    print_text(out, ",", "driver", probe->driver);
    fprintf(out, ",\"cache_bytes\":%zu,\"ceilings\":[", probe->cache_bytes);
    for (int i = 0; i < probe->ceilings; i++) {
        print_text(out, i ? ",{" : "{", "name", probe->ceiling[i].name);
        print_number(out, "gflop_s", probe->ceiling[i].gflops);
        fputc('}', out);
    }
    fprintf(out, "],\"copies\":[");
    for (int i = 0; i < device->copies; i++) {
        const struct bench_copy *copy = &device->copy[i];
        print_text(out, i ? ",{" : "{", "by", copy->how);
        fprintf(out, ",\"bytes\":%llu", (unsigned long long)copy->bytes);
        print_number(out, "median_ms", copy->ms);
        print_number(out, "gb_s", (double)copy->bytes / copy->ms * 1e-6);
        fputc('}', out);
    }
    fprintf(out, "]}");
}

static void print_timed(FILE *out, const struct bench_report *report,
                        const struct bench_result *result)
{
    const struct bench_stats *stats = &result->stats;
    const struct bench_result *base = bench_baseline(report, result);
    struct bench_rates rates;
    bench_rates_make(&rates, report, result);
    fprintf(out, ",\"runs\":%d,\"rows_timed\":%d,\"inputs\":%d", stats->runs, result->rows,
            result->inputs);
    print_number(out, "median_ms", stats->median_ms);
    fprintf(out, ",\"mad_ms\":%.6g", stats->mad_ms);
    print_number(out, "p10_ms", stats->p10_ms);
    print_number(out, "p90_ms", stats->p90_ms);
    print_number(out, "least_ms", stats->least_ms);
    fprintf(out, ",\"outliers\":%d", stats->outliers);
    print_number(out, "end_to_end_ms", result->end_to_end_ms);
    fprintf(out, ",\"bytes\":%llu", (unsigned long long)result->bytes);
    print_number(out, "gpixel_s", rates.gpixels);
    print_number(out, "gb_s", rates.gbytes);
    print_number(out, "share_of_copy", rates.share);
    print_number(out, "gflop_s", rates.gflops);
    print_number(out, "flop_per_byte", rates.flops_per_byte);
    print_number(out, "speedup", rates.speedup);
    if (base)
        print_text(out, ",", "speedup_over", base->kernel->name);
    print_number(out, "predicted_load_reduction", result->predicted);
}

static void print_result(FILE *out, const struct bench_report *report,
                         const struct bench_result *result)
{
    static const char *const states[] = {[BENCH_TIMED] = "timed",
                                         [BENCH_UNSUPPORTED] = "unsupported",
                                         [BENCH_DIFFERS] = "differs",
                                         [BENCH_FAILED] = "failed"};
    char device[32];
    bench_device_name(device, sizeof device, &report->device[result->device]);
    print_text(out, "{", "kernel", result->kernel->name);
    if (result->method)
        print_text(out, ",", "method", result->method);
    print_text(out, ",", "device", device);
    fprintf(out, ",\"tile\":");
    if (result->tile)
        fprintf(out, "%d", result->tile);
    else
        fprintf(out, "null");
    fprintf(out, ",\"mask_width\":%d,\"mask_height\":%d", result->mask_width, result->mask_height);
    print_text(out, ",", "state", states[result->state]);
    fprintf(out, ",\"verified\":%s", result->state == BENCH_TIMED ? "true" : "false");
    if (result->state == BENCH_TIMED)
        print_timed(out, report, result);
    else
        print_text(out, ",", "why", result->why);
    fputc('}', out);
}

void bench_print_json(FILE *out, const struct bench_report *report)
{
    static const char *const sweeps[] = {
        [SWEEP_NONE] = "none", [SWEEP_TILE] = "tile", [SWEEP_MASK] = "mask"};
    char text[512];
    print_text(out, "{", "version", STENCIL_VERSION);
    print_date(out, report);
    print_text(out, ",", "sweep", sweeps[report->sweep]);
    print_text(out, ",\"picture\":{", "name", report->input ? report->input : "generated");
    fprintf(out, ",\"width\":%d,\"height\":%d,\"channels\":%d,\"max\":%u}", report->width,
            report->height, report->channels, (unsigned)report->max);
    print_text(out, ",\"mask\":{", "name", report->mask);
    fprintf(out, ",\"width\":%d,\"height\":%d}", report->mask_width, report->mask_height);
    print_text(out, ",", "border", report->border);
    print_text(out, ",", "alpha", report->alpha);
    fprintf(out, ",\"cold\":%s,\"threads\":%d,\"verified_rows\":%lld,\"devices\":[",
            report->cold ? "true" : "false", report->threads, (long long)report->verified_rows);
    for (int i = 0; i < report->devices; i++) {
        if (i)
            fputc(',', out);
        print_device(out, &report->device[i]);
    }
    fprintf(out, "],\"results\":[");
    for (int i = 0; i < report->results; i++) {
        if (i)
            fputc(',', out);
        print_result(out, report, &report->result[i]);
    }
    fprintf(out, "],\"advice\":[");
    for (int i = 0; bench_advice(report, i, text, sizeof text); i++) {
        if (i)
            fputc(',', out);
        json_print_text(out, text);
    }
    fprintf(out, "]}\n");
}
