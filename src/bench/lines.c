/* A sweep as lines: time upwards (logarithmic), the width of tile or mask to the
 * right, a line for each kernel with its name at its end, and the device copy as a
 * dashed line: no kernel that reads every cell and writes every output gets below
 * that one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/chart.h"
#include "bench/parts.h"
#include "bench/titles.h"

#define WIDTH  960.0
#define HEIGHT 600.0
#define RIGHT  170.0 /* names at the ends of lines; with names of devices: */
#define RIGHT2 220.0

struct lines {
    const struct bench_report *report;
    const struct kernel *kernel[BENCH_KERNELS];
    int at[BENCH_KERNELS];
    int kernels, places;
    double tick[BENCH_KERNELS];
    struct chart chart;
    struct chart_label label[BENCH_KERNELS + 2 * BENCH_COPIES];
    int labels;
};

/* ---- scales ---- */

static void lines_scale(struct lines *lines)
{
    const struct bench_report *report = lines->report;
    struct chart_axis *x = &lines->chart.x, *y = &lines->chart.y;
    bool masks = report->sweep == SWEEP_MASK;

    for (int i = 0; i < report->results; i++)
        if (report->result[i].state == BENCH_TIMED)
            chart_widen(y, report->result[i].stats.median_ms);
    for (int d = 0; d < report->devices; d++)
        for (int i = 0; i < report->device[d].copies; i++)
            chart_widen(y, report->device[d].copy[i].ms);
    if (!(y->low > 0))
        y->low = y->high = 1;
    y->low /= 1.6;
    y->high *= 1.6;
    for (int i = 0; i < lines->places; i++)
        lines->tick[i] = lines->at[i];
    x->ticks = lines->tick;
    x->tick_count = lines->places;
    x->low = lines->places ? lines->at[0] : 1;
    x->high = lines->places ? lines->at[lines->places - 1] : 2;
    /* Masks grow evenly, tiles by doubling. */
    x->linear = masks;
    if (masks) {
        double room = fmax(1, (x->high - x->low) * 0.04);
        x->low -= room;
        x->high += room;
    } else {
        x->low /= 1.15;
        x->high *= 1.15;
    }
    x->title = masks ? "width of the mask (cells)" : "width of the output tile (cells)";
    y->title = "time for the picture (ms)";
}

/* ---- lines ---- */

static void add_label(struct lines *lines, const char *text, const char *color, double x, double y)
{
    struct chart_label *label = &lines->label[lines->labels];
    if (lines->labels == (int)(sizeof lines->label / sizeof lines->label[0]))
        return;
    lines->labels++;
    *label = (struct chart_label){.color = color, .x = x, .y = y};
    snprintf(label->name, sizeof label->name, "%s", text);
}

static void draw_kernel(struct lines *lines, int index)
{
    const struct kernel *kernel = lines->kernel[index];
    struct chart_look look = chart_look(bench_look(kernel));
    struct svg_point points[BENCH_KERNELS];
    struct svg_style line = {.stroke = look.color, .width = 2.2};
    struct svg_style mark = {.fill = look.color, .stroke = CHART_PAPER, .width = 1.2};
    int count = 0;

    for (int i = 0; i < lines->places; i++) {
        const struct bench_result *result = bench_sweep_find(lines->report, kernel, lines->at[i]);
        if (result)
            points[count++] =
                (struct svg_point){chart_place(&lines->chart.x, lines->at[i]),
                                   chart_place(&lines->chart.y, result->stats.median_ms)};
    }
    if (count == 0)
        return;
    svg_lines(&lines->chart.svg, points, count, &line);
    for (int i = 0; i < count; i++)
        svg_marker(&lines->chart.svg, look.mark, points[i].x, points[i].y, 5, &mark);
    add_label(lines, kernel->name, look.color, points[count - 1].x, points[count - 1].y);
}

/* Copies of different sizes are lines of their own: kernels on float planes move four times what
 * kernels on bytes do. */
static void draw_copies(struct lines *lines, const struct bench_device *device)
{
    for (int i = 0; i < device->copies; i++) {
        double y = chart_place(&lines->chart.y, device->copy[i].ms);
        struct svg_style style = {.stroke = CHART_FAINT, .width = 1.6, .dashes = "7 5"};
        char text[64], name[32] = "";
        if (lines->report->devices > 1)
            bench_device_name(name, sizeof name, device);
        snprintf(text, sizeof text, "%s%scopy of %.4g MB", name, name[0] ? " " : "",
                 (double)device->copy[i].bytes * 0.5e-6);
        svg_line(&lines->chart.svg, lines->chart.x.begin, y, lines->chart.x.end, y, &style);
        add_label(lines, text, CHART_FAINT, lines->chart.x.end - 8, y);
    }
}

bool bench_plot_sweep(const struct bench_report *report, struct output *output, struct error *err)
{
    struct lines *lines = calloc(1, sizeof *lines);
    char title[BENCH_TITLE_CHARS], subtitle[BENCH_TITLE_CHARS], second[BENCH_TITLE_CHARS];
    bool ok;

    if (!lines)
        return error_set(err, EXIT_INPUT, "%s: no memory for the drawing", output_name(output));
    lines->report = report;
    lines->chart.width = WIDTH;
    lines->chart.height = HEIGHT;
    lines->kernels = bench_sweep_kernels(report, lines->kernel);
    lines->places = bench_sweep_places(report, lines->at);
    lines_scale(lines);
    bench_title(title, report,
                report->sweep == SWEEP_TILE ? "Time against tile width"
                                            : "Time against mask width");
    bench_subtitle(subtitle, report);
    bench_second_line(second, report);
    chart_begin(&lines->chart, title, subtitle, second, report->devices > 1 ? RIGHT2 : RIGHT);
    for (int d = 0; d < report->devices; d++)
        draw_copies(lines, &report->device[d]);
    for (int i = 0; i < lines->kernels; i++)
        draw_kernel(lines, i);
    chart_labels_place(&lines->chart, lines->label, lines->labels, NULL, 0);
    for (int i = 0; i < lines->labels; i++)
        chart_label_line(&lines->chart, &lines->label[i]);
    for (int i = 0; i < lines->labels; i++)
        chart_label_text(&lines->chart, &lines->label[i]);
    svg_end(&lines->chart.svg);
    ok = chart_write(&lines->chart, output, err);
    svg_free(&lines->chart.svg);
    free(lines);
    return ok;
}
