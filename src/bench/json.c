/* The bench for programs: one JSON object with everything that was measured, on one
 * line. Numbers that do not exist (no baseline, no prediction) are null. */
#include <math.h>

#include "base/json.h"
#include "bench/bench.h"

/* Between the members of a list. */
static void print_comma(FILE *out, int index)
{
    if (index > 0)
        fputc(',', out);
}

static void print_number(FILE *out, const char *key, double value)
{
    if (isfinite(value) && value > 0)
        fprintf(out, ",\"%s\":%.6g", key, value);
    else
        fprintf(out, ",\"%s\":null", key);
}

static void print_device(FILE *out, const struct bench_device *device)
{
    const struct device_probe *probe = &device->probe;
    char name[32];
    bench_device_name(name, sizeof name, device);
    json_print(out, "{'device':%s,'name':%s,'driver':%s,'cache_bytes':%zu,'ceilings':[", name,
               probe->name, probe->driver, probe->cache_bytes);
    for (int i = 0; i < probe->ceilings; i++) {
        print_comma(out, i);
        json_print(out, "{'name':%s", probe->ceiling[i].name);
        print_number(out, "gflop_s", probe->ceiling[i].gflops);
        fputc('}', out);
    }
    fprintf(out, "],\"copies\":[");
    for (int i = 0; i < device->copies; i++) {
        const struct bench_copy *copy = &device->copy[i];
        print_comma(out, i);
        json_print(out, "{'by':%s,'bytes':%llu", copy->how, (unsigned long long)copy->bytes);
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
    struct bench_rates rates = bench_rates_make(report, result);
    json_print(out, ",'runs':%d,'rows_timed':%d,'inputs':%d", stats->runs, result->rows,
               result->inputs);
    print_number(out, "median_ms", stats->median_ms);
    json_print(out, ",'mad_ms':%.6g", stats->mad_ms);
    print_number(out, "p10_ms", stats->p10_ms);
    print_number(out, "p90_ms", stats->p90_ms);
    print_number(out, "least_ms", stats->least_ms);
    json_print(out, ",'outliers':%d", stats->outliers);
    print_number(out, "end_to_end_ms", result->end_to_end_ms);
    json_print(out, ",'bytes':%llu", (unsigned long long)result->bytes);
    print_number(out, "gpixel_s", rates.gpixels);
    print_number(out, "gb_s", rates.gbytes);
    print_number(out, "share_of_copy", rates.share);
    print_number(out, "gflop_s", rates.gflops);
    print_number(out, "flop_per_byte", rates.flops_per_byte);
    print_number(out, "speedup", rates.speedup);
    if (base)
        json_print(out, ",'speedup_over':%s", base->kernel->name);
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
    json_print(out, "{'kernel':%s", result->kernel->name);
    if (result->method)
        json_print(out, ",'method':%s", result->method);
    json_print(out, ",'device':%s", device);
    print_number(out, "tile", result->tile);
    json_print(out, ",'mask_width':%d,'mask_height':%d,'state':%s,'verified':%i",
               result->mask_width, result->mask_height, states[result->state],
               result->state == BENCH_TIMED);
    if (result->state == BENCH_TIMED)
        print_timed(out, report, result);
    else
        json_print(out, ",'why':%s", result->why);
    fputc('}', out);
}

void bench_print_json(FILE *out, const struct bench_report *report)
{
    static const char *const sweeps[] = {
        [SWEEP_NONE] = "none", [SWEEP_TILE] = "tile", [SWEEP_MASK] = "mask"};
    char date[BENCH_DATE_CHARS], text[512];
    bench_date_text(date, report);
    json_print(out, "{'version':%s,'date':%s,'sweep':%s", STENCIL_VERSION, date,
               sweeps[report->sweep]);
    json_print(out, ",'picture':{'name':%s,'width':%d,'height':%d,'channels':%d,'max':%u}",
               report->input ? report->input : "generated", report->width, report->height,
               report->channels, (unsigned)report->max);
    json_print(out, ",'mask':{'name':%s,'width':%d,'height':%d},'border':%s,'alpha':%s",
               report->mask, report->mask_width, report->mask_height, report->border,
               report->alpha);
    json_print(out, ",'cold':%i,'threads':%d,'verified_rows':%lld,'devices':[", report->cold,
               report->threads, (long long)report->verified_rows);
    for (int i = 0; i < report->devices; i++) {
        print_comma(out, i);
        print_device(out, &report->device[i]);
    }
    fprintf(out, "],\"results\":[");
    for (int i = 0; i < report->results; i++) {
        print_comma(out, i);
        print_result(out, report, &report->result[i]);
    }
    fprintf(out, "],\"advice\":[");
    for (int i = 0; bench_advice(report, i, text, sizeof text); i++) {
        print_comma(out, i);
        json_print_text(out, text);
    }
    fprintf(out, "]}\n");
}
