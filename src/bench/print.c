/* Prints the bench. For people: the setup, a table with a line for each kernel (for a sweep, tables
 * with a column for each width), the meaning of the columns, and advice on the reliability of the
 * numbers. For programs: one JSON object on one line with all measurements. This file only prints;
 * bench/statistics.c computes the numbers. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "bench/bench.h"
#include "kernel/backend.h"

#define NAME_CHARS 10
#define COLUMNS    79

/* ---- texts ---- */

void bench_giga_text(char *text, size_t bytes, double value)
{
    char prefix = value >= 999.5 ? 'T' : value >= 0.9995 ? 'G' : 'M';
    value /= prefix == 'T' ? 1e3 : prefix == 'G' ? 1 : 1e-3;
    snprintf(text, bytes, "%.*f %c", value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value, prefix);
}

void bench_date_text(char text[BENCH_DATE_CHARS], const struct bench_report *report)
{
    struct tm utc;
    memset(text, 0, BENCH_DATE_CHARS);
    if (gmtime_r(&report->date, &utc))
        strftime(text, BENCH_DATE_CHARS, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* ---- the head ---- */

/* Prints TITLE and TEXT; later lines of the text begin below its first. */
static void print_wrapped(FILE *out, const char *title, const char *text)
{
    int indent = fprintf(out, "%s", title);
    text_wrap(out, text, indent, COLUMNS);
}

static void print_device(FILE *out, const struct bench_device *device)
{
    const struct device_probe *probe = &device->probe;
    char speed[32];
    fprintf(out, "%-9s %s", device->name, probe->name);
    if (probe->driver[0])
        fprintf(out, "; %s", probe->driver);
    if (probe->cache_bytes)
        fprintf(out, "; %s %.0f MiB", device->device == DEVICE_CPU ? "last cache" : "L2",
                (double)probe->cache_bytes / (1 << 20));
    fputc('\n', out);
    for (int i = 0; i < device->copies; i++) {
        const struct bench_copy *copy = &device->copy[i];
        bench_giga_text(speed, sizeof speed, (double)copy->bytes / copy->ms * 1e-6);
        fprintf(out, "          copies %.1f MB in %.4g ms: %sB/s in and out (%s)\n",
                (double)copy->bytes * 0.5e-6, copy->ms, speed, copy->how);
    }
    for (int i = 0; i < probe->ceilings; i++) {
        bench_giga_text(speed, sizeof speed, probe->ceiling[i].gflops);
        fprintf(out, "          multiplies and adds at %sFLOP/s (%s)\n", speed,
                probe->ceiling[i].name);
    }
}

static void print_head(FILE *out, const struct bench_report *report)
{
    char date[BENCH_DATE_CHARS], text[512];
    bench_date_text(date, report);
    fprintf(out, "stencilcli %s bench, %.10s %.5s UTC\n", STENCIL_VERSION, date, date + 11);
    snprintf(text, sizeof text, "%d x %d pixels, %d channel%s of %d bits, %s", report->width,
             report->height, report->channels, report->channels == 1 ? "" : "s",
             report->max > 255 ? 16 : 8, report->input ? report->input : "generated");
    print_wrapped(out, "picture   ", text);
    if (report->sweep == SWEEP_MASK)
        snprintf(text, sizeof text, "k x k, positive and lopsided; border %s", report->border);
    else
        snprintf(text, sizeof text, "%s, %d x %d; border %s", report->mask, report->mask_width,
                 report->mask_height, report->border);
    if (image_has_alpha(report->channels))
        text_append(text, sizeof text, "; alpha %s", report->alpha);
    print_wrapped(out, report->sweep == SWEEP_MASK ? "masks     " : "mask      ", text);
    for (int i = 0; i < report->devices; i++)
        print_device(out, &report->device[i]);
    if (report->verified_rows >= report->height)
        snprintf(text, sizeof text, "every sample against the reference");
    else
        snprintf(text, sizeof text,
                 "every sample of %s%d bands (top, middle, bottom; %lld of %d rows) against the "
                 "reference",
                 report->sweep == SWEEP_MASK ? "at least " : "", report->bands,
                 (long long)report->verified_rows, report->height);
    print_wrapped(out, "verified  ", text);
    if (report->cold)
        fprintf(out, "cold      caches are overwritten before each run\n");
    fputc('\n', out);
}

/* ---- numbers ---- */

/* As the number of decimals: four figures, but no digit below a tenth of a microsecond. */
#define FIGURES      (-1)
#define MILLISECONDS (-2)

/* Prints VALUE in WIDTH columns; a dash if there is no value. */
static void print_cell(FILE *out, int width, int decimals, double value)
{
    if (decimals == FIGURES)
        decimals = value >= 999.5 ? 0 : value >= 99.95 ? 1 : value >= 9.995 ? 2 : 3;
    else if (decimals == MILLISECONDS)
        decimals = value >= 99.95 ? 1 : value >= 9.995 ? 2 : value >= 0.9995 ? 3 : 4;
    if (value > 0)
        fprintf(out, "%*.*f", width, decimals, value);
    else
        fprintf(out, "%*s", width, "-");
}

/* ---- advice ---- */

/* Events and clock readings are exact to about a tenth of a microsecond, and starting a kernel
 * takes several: a shorter time tells more about the start than about the kernel. */
#define SHORT_MS 0.005

/* A median distance of 5 % exceeds the change of most kernels from one version to the next. */
#define NOISY_SPREAD 0.05

/* Every run of a CPU kernel wakes threads, which takes a large part of a time below this. */
#define THREADS_MS 0.1

/* Reasons to doubt a time. */
#define RULES 8

/* Whether the RULE-th reason holds for RESULT. *sentence is printed after the names of the kernels
 * for which it holds. */
static bool is_doubtful(int rule, const struct bench_report *report,
                        const struct bench_result *result, const char **sentence)
{
    const struct bench_stats *stats = &result->stats;
    size_t cache = report->device[result->device].probe.cache_bytes;
    bool on_cpu = result->kernel->device == DEVICE_CPU;
    bool noisy = stats->runs > 2 && bench_spread(stats) > NOISY_SPREAD;
    bool cached = !report->cold && cache > 0 && result->bytes <= cache;
    const struct {
        bool holds;
        const char *sentence;
    } rules[RULES] = {
        {stats->median_ms < SHORT_MS,
         "runs of less than 5 us are about starting them: take a larger picture (--size)"},
        {on_cpu && report->threads > 1 && stats->median_ms >= SHORT_MS &&
             stats->median_ms < THREADS_MS,
         "much of the time goes into waking threads: take a larger picture (--size), or "
         "--threads 1"},
        {noisy, "the times scatter by more than 5 %: is the machine busy with something else?"},
        {!noisy && stats->runs >= 10 && stats->outliers * 10 > stats->runs,
         "more than one run in ten lies far outside: is the machine busy with something else?"},
        {result->capped, "stopped after 20 s with fewer runs than wanted: a smaller picture "
                         "(--size) gives a firmer number"},
        {result->rows < report->height,
         "timed in one thread on some rows of the picture, the time scaled to all of them"},
        {on_cpu && cached, "input and output fit in the last cache, so this is not the memory's "
                           "speed: --cold, or a larger picture (--size)"},
        {!on_cpu && cached, "inputs are taken in turn, but what a run reads and writes fits in "
                            "L2, so writes may stay there: --cold, or a larger picture (--size)"},
    };
    *sentence = rules[rule].sentence;
    return rules[rule].holds;
}

/* Adds NAME to a list, unless the list has it. */
static void add_name(char *list, size_t bytes, const char *name)
{
    size_t used = strlen(list), length = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, " ,"), at += strspn(at, " ,"))
        if (strcspn(at, ", ") == length && memcmp(at, name, length) == 0)
            return;
    snprintf(list + used, bytes - used, "%s%s", used ? ", " : "", name);
}

bool bench_advice(const struct bench_report *report, int index, char *text, size_t bytes)
{
    if (report->no_cuda[0] && index-- == 0) {
        snprintf(text, bytes, "no CUDA device (%s): only the CPU was timed", report->no_cuda);
        return true;
    }
    for (int i = 0; i < report->devices; i++)
        if (backend_find(report->device[i].device)->software) { /* no other remark matters */
            snprintf(text, bytes, "%s", BACKEND_SOFT_TIMES);
            return index == 0;
        }
    for (int rule = 0; rule < RULES; rule++) {
        char names[256] = "";
        const char *sentence = "";
        for (int i = 0; i < report->results; i++) {
            const struct bench_result *result = &report->result[i];
            if (result->state == BENCH_TIMED && is_doubtful(rule, report, result, &sentence))
                add_name(names, sizeof names, result->kernel->name);
        }
        if (names[0] && index-- == 0) {
            snprintf(text, bytes, "%s: %s", names, sentence);
            return true;
        }
    }
    return false;
}

static void print_advice(FILE *out, const struct bench_report *report)
{
    char text[512];
    for (int i = 0; !report->quiet && bench_advice(report, i, text, sizeof text); i++) {
        if (i == 0)
            fputc('\n', out);
        print_wrapped(out, "! ", text);
    }
}

/* ---- the table ---- */

/* Prints the name and the device of a kernel that was not timed, and why. */
static void print_untimed(FILE *out, const struct bench_report *report,
                          const struct bench_result *result)
{
    static const char *const states[] = {[BENCH_UNSUPPORTED] = "cannot run this",
                                         [BENCH_DIFFERS] = "DIFFERS",
                                         [BENCH_FAILED] = "failed"};
    char title[64], text[512];
    snprintf(title, sizeof title, "%-*s%-7s", NAME_CHARS, result->kernel->name,
             report->device[result->device].name);
    snprintf(text, sizeof text, "%s: %s", states[result->state], result->why);
    print_wrapped(out, title, text);
}

/* The columns that only CUDA kernels fill are left out if there are none. */
static void print_row(FILE *out, const struct bench_report *report,
                      const struct bench_result *result, bool cuda)
{
    struct bench_rates rates = bench_rates_make(report, result);
    char how[16] = "-";
    if (result->state != BENCH_TIMED) {
        print_untimed(out, report, result);
        return;
    }
    if (result->method)
        snprintf(how, sizeof how, "%s", result->method);
    else if (result->tile)
        snprintf(how, sizeof how, "tile %d", result->tile);
    fprintf(out, "%-*s%-7s%-10s", NAME_CHARS, result->kernel->name,
            report->device[result->device].name, how);
    print_cell(out, 9, MILLISECONDS, result->stats.median_ms);
    fprintf(out, "%5.1f%%", 100 * bench_spread(&result->stats));
    print_cell(out, 6, 2, rates.share);
    print_cell(out, 8, FIGURES, rates.gflops);
    print_cell(out, 7, FIGURES, rates.speedup);
    if (cuda) {
        print_cell(out, 7, 1, result->predicted);
        print_cell(out, 9, MILLISECONDS, result->end_to_end_ms);
    }
    fputc('\n', out);
}

static void print_legend(FILE *out, const struct bench_report *report, bool cuda, bool basic)
{
    int least = INT_MAX, most = 0;
    char text[256];
    for (int i = 0; i < report->results; i++) {
        int runs = report->result[i].stats.runs;
        least = runs > 0 && runs < least ? runs : least;
        most = runs > most ? runs : most;
    }
    snprintf(text, sizeof text, "the median time of %d", least);
    if (most > least)
        text_append(text, sizeof text, " to %d", most);
    text_append(text, sizeof text, " run%s%s", most == 1 ? "" : "s",
                cuda ? "; on CUDA of the kernel alone, with the data on the device" : "");
    fputc('\n', out);
    if (most > 0)
        print_wrapped(out, "ms        ", text);
    fprintf(out, "+-        half of the runs are nearer to that time than this\n"
                 "copy      1.00 is as fast as the device copies as many bytes\n"
                 "GFLOP/s   10^9 operations a second: two for each weight and sample\n");
    fprintf(out, "faster    how many times as fast as %s\n",
            basic ? "the kernel basic" : "the kernel reference");
    if (cuda)
        fprintf(out, "loads     how many times fewer loads than basic, as `reuse` predicts\n"
                     "whole     ms with starting, and with copying to the device and back\n");
}

static void print_kernels(FILE *out, const struct bench_report *report)
{
    bool cuda = false, basic = false;
    for (int i = 0; i < report->results; i++) {
        const struct bench_result *base = bench_baseline(report, &report->result[i]);
        cuda = cuda || report->result[i].kernel->device == DEVICE_CUDA;
        basic = basic || (base && bench_is_basic(base->kernel));
    }
    fprintf(out, "%-*s%-7s%-10s%9s%6s%6s%8s%7s", NAME_CHARS, "kernel", "device", "method", "ms",
            "+-", "copy", "GFLOP/s", "faster");
    if (cuda)
        fprintf(out, "%7s%9s", "loads", "whole");
    fputc('\n', out);
    for (int i = 0; i < report->results; i++)
        print_row(out, report, &report->result[i], cuda);
    print_legend(out, report, cuda, basic);
}

/* ---- sweeps ---- */

/* A table for each number: the time, the share of a device copy, the speed-up over basic and, below
 * it, the predicted speed-up. */
#define SWEEP_TABLES 4
static const struct {
    const char *title;
    int decimals;
} SWEEP_TABLE[SWEEP_TABLES] = {{"median, ms", MILLISECONDS},
                               {"relative to the speed of a copy", 2},
                               {"times as fast as basic", 2},
                               {"times fewer loads than basic, as `reuse` predicts", 1}};

/* The value in a table; 0 if there is none. */
static double sweep_value(const struct bench_report *report, int table,
                          const struct bench_result *result)
{
    struct bench_rates rates = bench_rates_make(report, result);
    const double values[SWEEP_TABLES] = {result->stats.median_ms, rates.share, rates.speedup,
                                         result->predicted};
    return result->state == BENCH_TIMED ? values[table] : 0;
}

static void print_sweep_table(FILE *out, const struct bench_report *report, int table)
{
    const struct bench_result *result = report->result, *end = result + report->results;
    int kernels = bench_sweep_kernels(report);
    bool any = false;

    for (const struct bench_result *at = result; at < end; at++)
        any = any || sweep_value(report, table, at) > 0;
    if (!any)
        return;
    fprintf(out, "%s\n%-*s", SWEEP_TABLE[table].title, NAME_CHARS,
            report->sweep == SWEEP_TILE ? "  tile" : "  mask");
    for (const struct bench_result *at = result; at < end; at += kernels)
        fprintf(out, "%8d", bench_sweep_place(report, at));
    for (int i = 0; i < kernels; i++) {
        fprintf(out, "\n  %-*s", NAME_CHARS - 2, result[i].kernel->name);
        for (const struct bench_result *at = result + i; at < end; at += kernels)
            print_cell(out, 8, SWEEP_TABLE[table].decimals, sweep_value(report, table, at));
    }
    fprintf(out, "\n\n");
}

static void print_sweep(FILE *out, const struct bench_report *report)
{
    bool tiles = report->sweep == SWEEP_TILE;
    for (int i = 0; i < SWEEP_TABLES; i++)
        print_sweep_table(out, report, i);
    for (int i = 0; i < report->results; i++) { /* list the missing cells with reasons */
        const struct bench_result *result = &report->result[i];
        char title[64];
        snprintf(title, sizeof title, "%s, %s %d: ", result->kernel->name, tiles ? "tile" : "mask",
                 bench_sweep_place(report, result));
        if (result->state != BENCH_TIMED)
            print_wrapped(out, title, result->why);
    }
    if (tiles)
        print_wrapped(
            out, "",
            "A tile is as wide as the outputs of a block; for kernels that stage no tile, "
            "as the threads of a block.");
}

void bench_print(FILE *out, const struct bench_report *report)
{
    print_head(out, report);
    (report->sweep == SWEEP_NONE ? print_kernels : print_sweep)(out, report);
    print_advice(out, report);
}

/* ---- JSON ---- */

/* Numbers that do not exist (no baseline, no prediction) are null. */
static void json_number(FILE *out, const char *key, double value)
{
    if (isfinite(value) && value > 0)
        fprintf(out, ",\"%s\":%.6g", key, value);
    else
        fprintf(out, ",\"%s\":null", key);
}

static void json_device(FILE *out, const struct bench_device *device)
{
    const struct device_probe *probe = &device->probe;
    json_print(out,
               "{'device':%s,'name':%s,'software':%i,'driver':%s,'cache_bytes':%zu,'ceilings':[",
               device->name, probe->name, backend_find(device->device)->software, probe->driver,
               probe->cache_bytes);
    for (int i = 0; i < probe->ceilings; i++) {
        fputs(i ? "," : "", out);
        json_print(out, "{'name':%s", probe->ceiling[i].name);
        json_number(out, "gflop_s", probe->ceiling[i].gflops);
        fputc('}', out);
    }
    fprintf(out, "],\"copies\":[");
    for (int i = 0; i < device->copies; i++) {
        const struct bench_copy *copy = &device->copy[i];
        fputs(i ? "," : "", out);
        json_print(out, "{'by':%s,'bytes':%llu", copy->how, (unsigned long long)copy->bytes);
        json_number(out, "median_ms", copy->ms);
        json_number(out, "gb_s", (double)copy->bytes / copy->ms * 1e-6);
        fputc('}', out);
    }
    fprintf(out, "]}");
}

static void json_timed(FILE *out, const struct bench_report *report,
                       const struct bench_result *result)
{
    const struct bench_stats *stats = &result->stats;
    const struct bench_result *base = bench_baseline(report, result);
    struct bench_rates rates = bench_rates_make(report, result);

    json_print(out, ",'runs':%d,'rows_timed':%d,'inputs':%d", stats->runs, result->rows,
               result->inputs);
    json_number(out, "median_ms", stats->median_ms);
    json_print(out, ",'mad_ms':%.6g", stats->mad_ms);
    json_number(out, "p10_ms", stats->p10_ms);
    json_number(out, "p90_ms", stats->p90_ms);
    json_number(out, "least_ms", stats->least_ms);
    json_print(out, ",'outliers':%d", stats->outliers);
    json_number(out, "end_to_end_ms", result->end_to_end_ms);
    json_print(out, ",'bytes':%llu", (unsigned long long)result->bytes);
    json_number(out, "gpixel_s", rates.gpixels);
    json_number(out, "gb_s", rates.gbytes);
    json_number(out, "share_of_copy", rates.share);
    json_number(out, "gflop_s", rates.gflops);
    json_number(out, "flop_per_byte", rates.flops_per_byte);
    json_number(out, "speedup", rates.speedup);
    if (base)
        json_print(out, ",'speedup_over':%s", base->kernel->name);
    json_number(out, "predicted_load_reduction", result->predicted);
}

static void json_result(FILE *out, const struct bench_report *report,
                        const struct bench_result *result)
{
    static const char *const states[] = {[BENCH_TIMED] = "timed",
                                         [BENCH_UNSUPPORTED] = "unsupported",
                                         [BENCH_DIFFERS] = "differs",
                                         [BENCH_FAILED] = "failed"};
    json_print(out, "{'kernel':%s", result->kernel->name);
    if (result->method)
        json_print(out, ",'method':%s", result->method);
    json_print(out, ",'device':%s", report->device[result->device].name);
    json_number(out, "tile", result->tile);
    json_print(out, ",'mask_width':%d,'mask_height':%d,'state':%s,'verified':%i",
               result->mask_width, result->mask_height, states[result->state],
               result->state == BENCH_TIMED);
    if (result->state == BENCH_TIMED)
        json_timed(out, report, result);
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
        fputs(i ? "," : "", out);
        json_device(out, &report->device[i]);
    }
    fprintf(out, "],\"results\":[");
    for (int i = 0; i < report->results; i++) {
        fputs(i ? "," : "", out);
        json_result(out, report, &report->result[i]);
    }
    fprintf(out, "],\"advice\":[");
    for (int i = 0; bench_advice(report, i, text, sizeof text); i++) {
        fputs(i ? "," : "", out);
        json_print_text(out, text);
    }
    fprintf(out, "]}\n");
}
