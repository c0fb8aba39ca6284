/* The charts of the bench as SVG. A roofline: operations a byte to the right, operations
 * a second upwards, both logarithmic. A device's roof is measured on it: the copy (a
 * slope: bytes a second) and chains of multiply-adds (flat). A kernel is a point below
 * its roof; the distance is what it could still gain.
 *
 *          ____________ multiply-add      a kernel left of the bend waits for memory
 *         /   o tiled                     once its caches do their work, right of it for
 *   copy /    o basic                     arithmetic
 *
 * A sweep: time upwards (logarithmic), the width of tile or mask to the right, a line for
 * each kernel with its name at its end. The device copy is a dashed line: no kernel that
 * reads every cell and writes every output gets below it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "bench/bench.h"
#include "bench/chart.h"

#define WIDTH           960.0
#define ROOFLINE_HEIGHT 680.0
#define ROOFLINE_RIGHT  34.0
#define SWEEP_HEIGHT    600.0
#define SWEEP_RIGHT     170.0 /* names at the ends of lines; with names of devices: */
#define SWEEP_RIGHT2    220.0

/* A device's second ceiling is drawn only when a kernel comes near the first one: else it would
 * only push everything down. */
#define NEAR_CEILING 0.4

/* A kernel that is so many times slower than the next one (the reference) is drawn at the lower
 * edge. */
#define FAR_BELOW 20

#define TIMES "\u00d7"
#define DOT   " \u00b7 "

#define TITLE_CHARS 320

/* ---- titles ---- */

/* "WHAT: NVIDIA H200 and AMD EPYC, 2 threads" */
static void title_make(char text[TITLE_CHARS], const struct bench_report *report, const char *what)
{
    int used = snprintf(text, TITLE_CHARS, "%s", what);
    /* A GPU comes first: most users run the bench for it. */
    for (int i = report->devices - 1; i >= 0; i--)
        used += snprintf(text + used, (size_t)(TITLE_CHARS - used), "%s%s",
                         i == report->devices - 1 ? ": " : " and ", report->device[i].probe.name);
}

/* Picture, mask and border. */
static void subtitle_make(char text[TITLE_CHARS], const struct bench_report *report)
{
    char name[64], picture[128], mask[128];
    const char *from = report->input ? report->input : "generated";
    const char *slash = strrchr(from, '/');
    from = slash && slash[1] ? slash + 1 : from;
    clean_text_copy(name, sizeof name, from, strlen(from));
    snprintf(picture, sizeof picture, "%s, %d " TIMES " %d, %d channel%s of %d bits", name,
             report->width, report->height, report->channels, report->channels == 1 ? "" : "s",
             report->max > 255 ? 16 : 8);
    clean_text_copy(name, 40, report->mask, strlen(report->mask));
    if (report->sweep == SWEEP_MASK)
        snprintf(mask, sizeof mask, "masks positive and lopsided");
    else
        snprintf(mask, sizeof mask, "mask %s, %d " TIMES " %d", name, report->mask_width,
                 report->mask_height);
    snprintf(text, TITLE_CHARS, "%s" DOT "%s" DOT "border %s%s", picture, mask, report->border,
             report->cold ? DOT "caches emptied" : "");
}

/* Program, date and drivers. */
static void second_line_make(char text[TITLE_CHARS], const struct bench_report *report)
{
    char date[BENCH_DATE_CHARS];
    int used;
    bench_date_text(date, report);
    used = snprintf(text, TITLE_CHARS, "stencilcli %s" DOT "%.10s", STENCIL_VERSION, date);
    for (int i = 0; i < report->devices; i++)
        if (report->device[i].probe.driver[0])
            used += snprintf(text + used, (size_t)(TITLE_CHARS - used), DOT "%s",
                             report->device[i].probe.driver);
}

/* The frame of a chart whose axes are set. */
static void begin(struct chart *chart, const struct bench_report *report, const char *what,
                  double right)
{
    char title[TITLE_CHARS], subtitle[TITLE_CHARS], second[TITLE_CHARS];
    title_make(title, report, what);
    subtitle_make(subtitle, report);
    second_line_make(second, report);
    chart_begin(chart, title, subtitle, second, right);
}

/* The kernel's colour and mark, which are the same in every chart. */
static struct chart_look look_of(const struct kernel *kernel)
{
    int count;
    const struct kernel *table = kernel_table(&count);
    for (int i = 0; i < count; i++)
        if (table[i].dims == kernel->dims && strcmp(table[i].name, kernel->name) == 0)
            return chart_look(i);
    return chart_look(0);
}

/* Leaves room around the values of an axis, by factors; an axis without values gets some. */
static void axis_widen(struct chart_axis *axis, double below, double above)
{
    if (!(axis->low > 0))
        axis->low = axis->high = 1;
    axis->low /= below;
    axis->high *= above;
}

/* Ends the drawing and writes it. */
static bool finish(struct chart *chart, struct output *output, struct error *err)
{
    bool ok;
    svg_end(&chart->svg);
    ok = chart->svg.failed
             ? error_set(err, EXIT_INPUT, "%s: no memory for the drawing", output_name(output))
             : output_write(output, chart->svg.text, chart->svg.bytes, err);
    svg_free(&chart->svg);
    return ok;
}

/* ---- the roofline ---- */

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

static bool roofline_collect(struct roofline *roof, const struct bench_report *report)
{
    roof->report = report;
    roof->point = calloc((size_t)report->results + 1, sizeof *roof->point);
    for (int i = 0; roof->point && i < report->results; i++) {
        struct point *point = &roof->point[roof->points];
        if (report->result[i].state != BENCH_TIMED)
            continue;
        point->result = &report->result[i];
        point->rates = bench_rates_make(report, point->result);
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

/* Marks the slowest point as `below` where it alone would squeeze all others together. */
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

/* Sets the axes so that all points and bends have room around them: on the right for labels, on the
 * left for slopes. */
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
    axis_widen(x, 5, 6);
    axis_widen(y, 4, 3);
    x->title = "arithmetic intensity: operations for each byte that must move (FLOP/byte)";
    y->title = "operations a second (GFLOP/s, whole numbers too)";
}

static void block(struct roofline *roof, double x, double y, double half, bool is_line)
{
    if (roof->blocked_count < (int)(sizeof roof->blocked / sizeof roof->blocked[0]))
        roof->blocked[roof->blocked_count++] =
            (struct chart_obstacle){{x - half, y - half, x + half, y + half}, is_line};
}

/* Writes text along a line, above it, with its middle at SHARE of the way; labels keep off the
 * text. */
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

/* Draws a line of a roof; labels keep off it. */
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

static void draw_points(struct roofline *roof, struct chart_label *labels)
{
    struct chart *chart = &roof->chart;
    for (int i = 0; i < roof->points; i++) {
        const struct point *point = &roof->point[i];
        struct chart_look look = look_of(point->result->kernel);
        char speed[32];
        labels[i] = (struct chart_label){
            .color = look.color,
            .x = chart_place(&chart->x, point->rates.flops_per_byte),
            .y = point->below ? chart->y.begin - 14 : chart_place(&chart->y, point->rates.gflops),
            .marked = true,
            .mark = point->below ? SVG_TRIANGLE_DOWN : look.mark,
        };
        bench_giga_text(speed, sizeof speed, point->rates.gflops);
        snprintf(labels[i].name, sizeof labels[i].name, "%s", point->result->kernel->name);
        snprintf(labels[i].value, sizeof labels[i].value, "%.8sFLOP/s%s", speed,
                 point->below ? ", off scale" : "");
    }
    chart_labels_draw(chart, labels, roof->points, roof->blocked, roof->blocked_count);
}

bool bench_plot_roofline(const struct bench_report *report, struct output *output,
                         struct error *err)
{
    struct roofline roof = {.chart = {.width = WIDTH, .height = ROOFLINE_HEIGHT}};
    struct chart_label *labels = calloc((size_t)report->results + 1, sizeof *labels);
    bool ok = roofline_collect(&roof, report) && labels;

    if (!ok) {
        error_set(err, EXIT_INPUT, "%s: no memory for the drawing", output_name(output));
    } else {
        roofline_cut(&roof);
        roofline_scale(&roof);
        begin(&roof.chart, report, "Roofline", ROOFLINE_RIGHT);
        draw_roofs(&roof);
        draw_points(&roof, labels);
        ok = finish(&roof.chart, output, err);
    }
    free(roof.point);
    free(labels);
    return ok;
}

/* ---- a sweep ---- */

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
    axis_widen(y, 1.6, 1.6);
    for (int i = 0; i < lines->places; i++)
        lines->tick[i] = lines->at[i];
    x->ticks = lines->tick;
    x->tick_count = lines->places;
    x->low = lines->places ? lines->at[0] : 1;
    x->high = lines->places ? lines->at[lines->places - 1] : 2;
    /* Widths of masks grow evenly, widths of tiles by doubling. */
    x->linear = masks;
    if (masks) {
        double room = fmax(1, (x->high - x->low) * 0.04);
        x->low -= room;
        x->high += room;
    } else {
        axis_widen(x, 1.15, 1.15);
    }
    x->title = masks ? "width of the mask (cells)" : "width of the output tile (cells)";
    y->title = "time for the picture (ms)";
}

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
    struct chart_look look = look_of(kernel);
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

/* Copies of different sizes are lines of their own: kernels on float planes move four times as many
 * bytes as kernels on bytes. */
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
    bool ok;

    if (!lines)
        return error_set(err, EXIT_INPUT, "%s: no memory for the drawing", output_name(output));
    lines->report = report;
    lines->chart.width = WIDTH;
    lines->chart.height = SWEEP_HEIGHT;
    lines->kernels = bench_sweep_kernels(report, lines->kernel);
    lines->places = bench_sweep_places(report, lines->at);
    lines_scale(lines);
    begin(&lines->chart, report,
          report->sweep == SWEEP_TILE ? "Time against tile width" : "Time against mask width",
          report->devices > 1 ? SWEEP_RIGHT2 : SWEEP_RIGHT);
    for (int d = 0; d < report->devices; d++)
        draw_copies(lines, &report->device[d]);
    for (int i = 0; i < lines->kernels; i++)
        draw_kernel(lines, i);
    chart_labels_draw(&lines->chart, lines->label, lines->labels, NULL, 0);
    ok = finish(&lines->chart, output, err);
    free(lines);
    return ok;
}
