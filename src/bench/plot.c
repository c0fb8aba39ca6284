/* The roofline of a bench: operations a byte to the right, operations a second
 * upwards, both logarithmic. A device's roof is what was measured on it: the copy (a
 * slope: bytes a second) and chains of multiply-adds (flat). A kernel is a point
 * below its roof; how far below is what it could still gain.
 *
 *          ____________ multiply-add      a kernel left of the bend waits for memory
 *         /   o tiled                     once its caches do their work, right of it for
 *   copy /    o basic                     arithmetic
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/chart.h"
#include "bench/parts.h"
#include "bench/titles.h"

#define WIDTH  960.0
#define HEIGHT 680.0
#define RIGHT  34.0

/* A ceiling above a device's first one is drawn when a kernel comes near the first: else it only
 * pushes everything down. */
#define NEAR_CEILING 0.4

/* A kernel so much slower than the next one (the reference) is drawn at the lower edge. */
#define FAR_BELOW 20

struct point {
    const struct bench_result *result;
    struct bench_rates rates;
    bool below;
};

struct roofline {
    const struct bench_report *report;
    struct point *point;
    int points;
    double copy[2]; /* GB/s of each device */
    int ceilings[2];
    struct chart chart;
    struct chart_obstacle blocked[1024];
    int blocked_count;
};

/* ---- what is drawn ---- */

static bool roofline_collect(struct roofline *roof, const struct bench_report *report)
{
    roof->report = report;
    roof->point = calloc((size_t)report->results + 1, sizeof *roof->point);
    for (int i = 0; roof->point && i < report->results; i++) {
        struct point *point = &roof->point[roof->points];
        if (report->result[i].state != BENCH_TIMED)
            continue;
        point->result = &report->result[i];
        bench_rates_make(&point->rates, report, point->result);
        roof->points += point->rates.gflops > 0 && point->rates.flops_per_byte > 0;
    }
    for (int d = 0; d < report->devices; d++) {
        const struct device_probe *probe = &report->device[d].probe;
        double most = 0;
        for (int i = 0; i < roof->points; i++)
            if (roof->point[i].result->device == d)
                most = fmax(most, roof->point[i].rates.gflops);
        roof->copy[d] = bench_copy_gbytes(&report->device[d]);
        while (roof->ceilings[d] < probe->ceilings &&
               (roof->ceilings[d] == 0 ||
                most > NEAR_CEILING * probe->ceiling[roof->ceilings[d] - 1].gflops))
            roof->ceilings[d]++;
    }
    return roof->point != NULL;
}

/* The highest ceiling of a device that is drawn; 0: none. */
static double top_of(const struct roofline *roof, int device)
{
    int count = roof->ceilings[device];
    return count ? roof->report->device[device].probe.ceiling[count - 1].gflops : 0;
}

/* Marks the slowest point when it alone would squeeze all others together. */
static void roofline_cut(struct roofline *roof)
{
    int slowest = 0;
    double next = INFINITY;
    for (int i = 1; i < roof->points; i++)
        if (roof->point[i].rates.gflops < roof->point[slowest].rates.gflops)
            slowest = i;
    for (int i = 0; i < roof->points; i++)
        if (i != slowest)
            next = fmin(next, roof->point[i].rates.gflops);
    if (roof->points > 1)
        roof->point[slowest].below = roof->point[slowest].rates.gflops * FAR_BELOW < next;
}

/* Points and bends with room around them: for labels on the right, for slopes on the left. */
static void roofline_scale(struct roofline *roof)
{
    struct chart_axis *x = &roof->chart.x, *y = &roof->chart.y;
    for (int i = 0; i < roof->points; i++) {
        chart_widen(x, roof->point[i].rates.flops_per_byte);
        if (!roof->point[i].below)
            chart_widen(y, roof->point[i].rates.gflops);
    }
    for (int d = 0; d < roof->report->devices; d++) {
        chart_widen(y, top_of(roof, d));
        if (roof->copy[d] > 0)
            chart_widen(x, top_of(roof, d) / roof->copy[d]);
    }
    if (!(x->low > 0))
        x->low = x->high = 1;
    if (!(y->low > 0))
        y->low = y->high = 1;
    x->low /= 5;
    x->high *= 6;
    y->low /= 4;
    y->high *= 3;
    x->title = "arithmetic intensity: operations for each byte that must move (FLOP/byte)";
    y->title = "operations a second (GFLOP/s, whole numbers too)";
}

/* ---- roofs ---- */

static void block(struct roofline *roof, double x, double y, double half, bool is_line)
{
    if (roof->blocked_count < (int)(sizeof roof->blocked / sizeof roof->blocked[0]))
        roof->blocked[roof->blocked_count++] =
            (struct chart_obstacle){{x - half, y - half, x + half, y + half}, is_line};
}

/* Text along the line from (x1, y1) to (x2, y2), above it, its middle at SHARE of the way; labels
 * keep off. */
static void text_along(struct roofline *roof, struct svg_point from, struct svg_point to,
                       double share, const char *color, const char *text)
{
    double length = hypot(to.x - from.x, to.y - from.y);
    double ux = (to.x - from.x) / length, uy = (to.y - from.y) / length;
    double half = svg_text_width(text, 12.5, true) / 2;
    double at = fmin(fmax(share * length, half + 10), length - half - 10);
    struct svg_text how = {.x = from.x + at * ux + 7 * uy,
                           .y = from.y + at * uy - 7 * ux,
                           .size = 12.5,
                           .color = color,
                           .anchor = SVG_MIDDLE,
                           .bold = true,
                           .turn = atan2(uy, ux) * 180 / acos(-1),
                           .halo = CHART_PAPER};
    for (double along = -half; along <= half; along += 12)
        block(roof, how.x + along * ux + 4 * uy, how.y + along * uy - 4 * ux, 8, false);
    svg_put_text(&roof->chart.svg, &how, text);
}

/* A line of a roof; labels keep off. */
static void roof_line(struct roofline *roof, const struct svg_point ends[2], const char *color)
{
    struct svg_style style = {.stroke = color, .width = 2.2};
    double length = hypot(ends[1].x - ends[0].x, ends[1].y - ends[0].y);
    svg_lines(&roof->chart.svg, ends, 2, &style);
    for (double at = 0; at <= length; at += 8)
        block(roof, ends[0].x + at / length * (ends[1].x - ends[0].x),
              ends[0].y + at / length * (ends[1].y - ends[0].y), 3, true);
}

static void draw_slope(struct roofline *roof, int device, const char *color, const char *name)
{
    struct chart *chart = &roof->chart;
    double copy = roof->copy[device], top = top_of(roof, device);
    double first = fmax(chart->x.low, chart->y.low / copy);
    double last = fmin(chart->x.high, (top > 0 ? top : chart->y.high) / copy);
    struct svg_point ends[2] = {
        {chart_place(&chart->x, first), chart_place(&chart->y, first * copy)},
        {chart_place(&chart->x, last), chart_place(&chart->y, last * copy)}};
    char text[96], speed[32];
    if (!(last > first))
        return;
    roof_line(roof, ends, color);
    bench_giga_text(speed, sizeof speed, copy);
    snprintf(text, sizeof text, "%scopy %sB/s", name, speed);
    text_along(roof, ends[0], ends[1], 0.3, color, text);
}

static void draw_ceiling(struct roofline *roof, int device, int index, const char *color,
                         const char *name)
{
    struct chart *chart = &roof->chart;
    const struct device_ceiling *ceiling = &roof->report->device[device].probe.ceiling[index];
    double first = roof->copy[device] > 0 ? ceiling->gflops / roof->copy[device] : chart->x.low;
    struct svg_point ends[2] = {{chart_place(&chart->x, fmax(first, chart->x.low)),
                                 chart_place(&chart->y, ceiling->gflops)},
                                {chart->x.end, chart_place(&chart->y, ceiling->gflops)}};
    char text[128], speed[32];
    roof_line(roof, ends, color);
    bench_giga_text(speed, sizeof speed, ceiling->gflops);
    snprintf(text, sizeof text, "%s%s %sFLOP/s", name, ceiling->name, speed);
    text_along(roof, ends[0], ends[1], 1, color, text);
}

static void draw_roofs(struct roofline *roof)
{
    static const char *const colors[] = {"#1f2328", "#6e7781"};
    for (int d = 0; d < roof->report->devices; d++) {
        const struct bench_device *device = &roof->report->device[d];
        const char *color = colors[roof->report->devices > 1 && device->device == DEVICE_CPU];
        char which[32], name[40] = "";
        bench_device_name(which, sizeof which, device);
        if (roof->report->devices > 1)
            snprintf(name, sizeof name, "%s: ", which);
        if (roof->copy[d] > 0)
            draw_slope(roof, d, color, name);
        for (int i = 0; i < roof->ceilings[d]; i++)
            draw_ceiling(roof, d, i, color, name);
    }
}

/* ---- points ---- */

static void draw_points(struct roofline *roof, struct chart_label *labels)
{
    struct chart *chart = &roof->chart;
    for (int i = 0; i < roof->points; i++) {
        const struct point *point = &roof->point[i];
        struct chart_look look = chart_look(bench_look(point->result->kernel));
        char speed[32];
        labels[i] = (struct chart_label){
            .color = look.color,
            .x = chart_place(&chart->x, point->rates.flops_per_byte),
            .y = point->below ? chart->y.begin - 14 : chart_place(&chart->y, point->rates.gflops),
        };
        bench_giga_text(speed, sizeof speed, point->rates.gflops);
        snprintf(labels[i].name, sizeof labels[i].name, "%s", point->result->kernel->name);
        snprintf(labels[i].value, sizeof labels[i].value, "%.8sFLOP/s%s", speed,
                 point->below ? ", off scale" : "");
    }
    chart_labels_place(chart, labels, roof->points, roof->blocked, roof->blocked_count);
    for (int i = 0; i < roof->points; i++)
        chart_label_line(chart, &labels[i]);
    for (int i = 0; i < roof->points; i++) {
        struct chart_look look = chart_look(bench_look(roof->point[i].result->kernel));
        struct svg_style style = {.fill = look.color, .stroke = CHART_PAPER, .width = 1.2};
        svg_marker(&chart->svg, roof->point[i].below ? SVG_TRIANGLE_DOWN : look.mark, labels[i].x,
                   labels[i].y, 6, &style);
    }
    for (int i = 0; i < roof->points; i++)
        chart_label_text(chart, &labels[i]);
}

bool bench_plot_roofline(const struct bench_report *report, struct output *output,
                         struct error *err)
{
    struct roofline roof = {.chart = {.width = WIDTH, .height = HEIGHT}};
    struct chart_label *labels = calloc((size_t)report->results + 1, sizeof *labels);
    char title[BENCH_TITLE_CHARS], subtitle[BENCH_TITLE_CHARS], second[BENCH_TITLE_CHARS];
    bool ok = roofline_collect(&roof, report) && labels;

    if (!ok) {
        error_set(err, EXIT_INPUT, "%s: no memory for the drawing", output_name(output));
        goto out;
    }
    roofline_cut(&roof);
    roofline_scale(&roof);
    bench_title(title, report, "Roofline");
    bench_subtitle(subtitle, report);
    bench_second_line(second, report);
    chart_begin(&roof.chart, title, subtitle, second, RIGHT);
    draw_roofs(&roof);
    draw_points(&roof, labels);
    svg_end(&roof.chart.svg);
    ok = chart_write(&roof.chart, output, err);
out:
    svg_free(&roof.chart.svg);
    free(roof.point);
    free(labels);
    return ok;
}
