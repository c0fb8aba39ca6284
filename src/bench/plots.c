/* The charts of the bench as SVG. In a roofline, the x axis is operations a byte and the y axis
 * operations a second, both logarithmic. A device's roof is measured: the copy (a slope: bytes a
 * second) and chains of multiply-adds (flat). A kernel is a point below its roof; the distance to
 * the roof is the possible gain.
 *
 *          ____________ multiply-add      a kernel left of the bend waits for memory
 *         /   o tiled                     once its caches do their work, right of it for
 *   copy /    o basic                     arithmetic
 *
 * In a sweep, the y axis is time (logarithmic), the x axis the width of tile or mask. Each kernel
 * is a line with its name at the end. The device copy is a dashed line: no kernel that reads every
 * cell and writes every output is faster. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "bench/bench.h"
#include "bench/chart.h"

#define WIDTH           960.0
#define ROOFLINE_HEIGHT 680.0
#define ROOFLINE_RIGHT  34.0
#define SWEEP_HEIGHT    600.0
#define SWEEP_RIGHT     170.0 /* for names at the ends of lines; with device names: */
#define SWEEP_RIGHT2    220.0

/* A device's second ceiling is drawn only if a kernel comes near the first one; otherwise it would
 * only compress the chart. */
#define NEAR_CEILING 0.4

/* A kernel that is this many times slower than the next one (the reference) is drawn at the lower
 * edge. */
#define FAR_BELOW 20

#define TIMES "\u00d7"
#define DOT   " \u00b7 "

#define TITLE_CHARS 320

/* ---- the frame ---- */

/* Names picture, mask and border. */
static void subtitle_make(char line[TITLE_CHARS], const struct bench_report *report)
{
    char name[64];
    const char *from = report->input ? report->input : "generated";
    const char *slash = strrchr(from, '/');
    from = slash && slash[1] ? slash + 1 : from;
    clean_text_copy(name, sizeof name, from, strlen(from));
    text_append(line, TITLE_CHARS, "%s, %d " TIMES " %d, %d channel%s of %d bits" DOT, name,
                report->width, report->height, report->channels, report->channels == 1 ? "" : "s",
                report->max > 255 ? 16 : 8);
    clean_text_copy(name, 40, report->mask, strlen(report->mask));
    if (report->sweep == SWEEP_MASK)
        text_append(line, TITLE_CHARS, "masks positive and lopsided");
    else
        text_append(line, TITLE_CHARS, "mask %s, %d " TIMES " %d", name, report->mask_width,
                    report->mask_height);
    text_append(line, TITLE_CHARS, DOT "border %s%s", report->border,
                report->cold ? DOT "caches emptied" : "");
}

/* Begins a chart whose axes are set. The title names WHAT it shows and the devices; then come the
 * picture and the mask, then program, date and drivers. */
static void begin(struct chart *chart, const struct bench_report *report, const char *what,
                  double right)
{
    char title[TITLE_CHARS] = "", subtitle[TITLE_CHARS] = "", second[TITLE_CHARS] = "";
    char date[BENCH_DATE_CHARS];
    text_append(title, TITLE_CHARS, "%s", what);
    /* A GPU comes first: most users run the bench for its numbers. */
    for (int i = report->devices - 1; i >= 0; i--)
        text_append(title, TITLE_CHARS, "%s%s", i == report->devices - 1 ? ": " : " and ",
                    report->device[i].probe.name);
    subtitle_make(subtitle, report);
    bench_date_text(date, report);
    text_append(second, TITLE_CHARS, "stencilcli %s" DOT "%.10s", STENCIL_VERSION, date);
    for (int i = 0; i < report->devices; i++)
        if (report->device[i].probe.driver[0])
            text_append(second, TITLE_CHARS, DOT "%s", report->device[i].probe.driver);
    chart_begin(chart, title, subtitle, second, right);
}

/* Colours that are distinct with any colour vision (Okabe and Ito) and visible on white. Each has
 * its own mark, so that kernels are distinct without colour, too. Neighbours in the kernel table
 * differ in colour and in mark. */
static const struct look {
    const char *color;
    enum svg_mark mark;
} LOOKS[] = {
    {"#57606a", SVG_PLUS},          {"#cc79a7", SVG_SQUARE},   {"#8250df", SVG_DIAMOND},
    {"#0072b2", SVG_DISC},          {"#56b4e9", SVG_SQUARE},   {"#e69f00", SVG_TRIANGLE},
    {"#009e73", SVG_DIAMOND},       {"#d55e00", SVG_DISC},     {"#1f2328", SVG_SQUARE},
    {"#a0522d", SVG_TRIANGLE_DOWN}, {"#0072b2", SVG_TRIANGLE}, {"#009e73", SVG_PLUS},
};

/* The kernel's colour and mark, equal in every chart. */
static struct look look_of(const struct kernel *kernel)
{
    int count, i = 0;
    const struct kernel *table = kernel_table(&count);
    while (i < count && (table[i].dims != kernel->dims || strcmp(table[i].name, kernel->name) != 0))
        i++;
    return LOOKS[i % count % (int)(sizeof LOOKS / sizeof *LOOKS)];
}

/* Extends an axis by factors at both ends; an axis without values gets a range. */
static void axis_widen(struct chart_axis *axis, double below, double above)
{
    if (!(axis->low > 0))
        axis->low = axis->high = 1;
    axis->low /= below;
    axis->high *= above;
}

/* ---- the roofline ---- */

/* The rates of a result; false if the result has no point in the chart. */
static bool point_rates(const struct bench_report *report, int result, struct bench_rates *rates)
{
    *rates = bench_rates_make(report, &report->result[result]);
    return rates->gflops > 0 && rates->flops_per_byte > 0;
}

/* The number of a device's ceilings that are drawn, from the lowest on. */
static int ceilings_of(const struct bench_report *report, int device)
{
    const struct device_probe *probe = &report->device[device].probe;
    struct bench_rates rates;
    double most = 0;
    int count = 0;
    for (int i = 0; i < report->results; i++)
        if (report->result[i].device == device && point_rates(report, i, &rates))
            most = fmax(most, rates.gflops);
    while (count < probe->ceilings &&
           (count == 0 || most > NEAR_CEILING * probe->ceiling[count - 1].gflops))
        count++;
    return count;
}

/* The highest drawn ceiling of a device; 0: none. */
static double top_of(const struct bench_report *report, int device)
{
    int count = ceilings_of(report, device);
    return count ? report->device[device].probe.ceiling[count - 1].gflops : 0;
}

/* The slowest point, if this point alone would squeeze all others together; else NULL. */
static const struct bench_result *point_below(const struct bench_report *report)
{
    const struct bench_result *slowest = NULL;
    double least = INFINITY, next = INFINITY;
    struct bench_rates rates;
    for (int i = 0; i < report->results; i++) {
        if (!point_rates(report, i, &rates))
            continue;
        next = fmin(next, fmax(least, rates.gflops));
        if (rates.gflops < least)
            slowest = &report->result[i];
        least = fmin(least, rates.gflops);
    }
    return isfinite(next) && least * FAR_BELOW < next ? slowest : NULL;
}

/* Sets the axes so that all points except BELOW and all bends have room around them: for labels on
 * the right, for slopes on the left. */
static void roofline_scale(struct chart *chart, const struct bench_report *report,
                           const struct bench_result *below)
{
    struct chart_axis *x = &chart->x, *y = &chart->y;
    struct bench_rates rates;
    for (int i = 0; i < report->results; i++) {
        if (!point_rates(report, i, &rates))
            continue;
        chart_widen(x, rates.flops_per_byte);
        if (below != &report->result[i])
            chart_widen(y, rates.gflops);
    }
    for (int d = 0; d < report->devices; d++) {
        double copy = bench_copy_gbytes(&report->device[d]);
        chart_widen(y, top_of(report, d));
        if (copy > 0)
            chart_widen(x, top_of(report, d) / copy);
    }
    axis_widen(x, 5, 6);
    axis_widen(y, 4, 3);
    x->title =
        "work: multiplications and additions for each byte that is read or written (FLOP/byte)";
    y->title = "speed: multiplications and additions a second";
    y->giga = true;
}

/* Draws a line of a roof and a text above it, parallel to it; the text's middle is at SHARE of its
 * length. */
static void draw_roof(struct chart *chart, struct svg_point from, struct svg_point to, double share,
                      const char *color, const char *text)
{
    struct svg_style style = {.stroke = color, .width = 2.2};
    double length = hypot(to.x - from.x, to.y - from.y);
    double ux = (to.x - from.x) / length, uy = (to.y - from.y) / length;
    double half = svg_text_width(text, 12.5, true) / 2;
    double middle = fmin(fmax(share * length, half + 10), length - half - 10);
    struct svg_text how = {.x = from.x + middle * ux + 7 * uy,
                           .y = from.y + middle * uy - 7 * ux,
                           .size = 12.5,
                           .color = color,
                           .anchor = SVG_MIDDLE,
                           .bold = true,
                           .turn = atan2(uy, ux) * 180 / acos(-1),
                           .halo = CHART_PAPER};
    svg_lines(&chart->svg, (struct svg_point[]){from, to}, 2, &style);
    svg_put_text(&chart->svg, &how, text);
}

/* The chart's point where a kernel of this INTENSITY would be as fast as a copy of COPY GB/s. */
static struct svg_point on_slope(const struct chart *chart, double copy, double intensity)
{
    return (struct svg_point){chart_place(&chart->x, intensity),
                              chart_place(&chart->y, intensity * copy)};
}

/* Draws a device's roofs: the copy's slope up to the highest ceiling, and the ceilings to the right
 * of the slope. */
static void draw_device(struct chart *chart, const struct bench_report *report, int index)
{
    const struct bench_device *device = &report->device[index];
    bool second = report->devices > 1 && device->device == DEVICE_CPU;
    const char *color = second ? "#6e7781" : "#1f2328";
    double copy = bench_copy_gbytes(device), top = top_of(report, index);
    double first = fmax(chart->x.low, chart->y.low / copy);
    double last = fmin(chart->x.high, (top > 0 ? top : chart->y.high) / copy);
    const char *name = report->devices > 1 ? device->name : "", *colon = *name ? ": " : "";
    char text[128], speed[32];
    if (copy > 0 && last > first) {
        bench_giga_text(speed, sizeof speed, copy);
        snprintf(text, sizeof text, "%s%scopy %sB/s", name, colon, speed);
        draw_roof(chart, on_slope(chart, copy, first), on_slope(chart, copy, last), 0.3, color,
                  text);
    }
    for (int i = 0; i < ceilings_of(report, index); i++) {
        const struct device_ceiling *ceiling = &device->probe.ceiling[i];
        double bend = copy > 0 ? fmax(ceiling->gflops / copy, chart->x.low) : chart->x.low;
        double y = chart_place(&chart->y, ceiling->gflops);
        struct svg_point from = {chart_place(&chart->x, bend), y}, to = {chart->x.end, y};
        bench_giga_text(speed, sizeof speed, ceiling->gflops);
        snprintf(text, sizeof text, "%s%s%s %sFLOP/s", name, colon, ceiling->name, speed);
        draw_roof(chart, from, to, 1, color, text);
    }
}

static void add_point(struct chart *chart, const struct bench_result *result,
                      const struct bench_rates *rates, bool below)
{
    struct look look = look_of(result->kernel);
    char speed[32];
    struct chart_label label = {
        .color = look.color,
        .x = chart_place(&chart->x, rates->flops_per_byte),
        .y = below ? chart->y.begin - 14 : chart_place(&chart->y, rates->gflops),
        .marked = true,
        .mark = below ? SVG_TRIANGLE_DOWN : look.mark,
    };
    bench_giga_text(speed, sizeof speed, rates->gflops);
    snprintf(label.name, sizeof label.name, "%s", result->kernel->name);
    snprintf(label.value, sizeof label.value, "%.8sFLOP/s%s", speed, below ? ", off scale" : "");
    chart_add_label(chart, &label);
}

static void draw_roofline(struct chart *chart, const struct bench_report *report)
{
    const struct bench_result *below = point_below(report);
    struct bench_rates rates;

    roofline_scale(chart, report, below);
    begin(chart, report, "Roofline", ROOFLINE_RIGHT);
    for (int d = 0; d < report->devices; d++)
        draw_device(chart, report, d);
    for (int i = 0; i < report->results; i++)
        if (point_rates(report, i, &rates))
            add_point(chart, &report->result[i], &rates, below == &report->result[i]);
}

/* ---- sweeps ---- */

/* Sets the axes for the PLACES where a sweep has measured. */
static void sweep_scale(struct chart *chart, const struct bench_report *report, const double *at,
                        int places)
{
    struct chart_axis *x = &chart->x, *y = &chart->y;
    bool masks = report->sweep == SWEEP_MASK;

    for (int i = 0; i < report->results; i++)
        if (report->result[i].state == BENCH_TIMED)
            chart_widen(y, report->result[i].stats.median_ms);
    for (int d = 0; d < report->devices; d++)
        for (int i = 0; i < report->device[d].copies; i++)
            chart_widen(y, report->device[d].copy[i].ms);
    axis_widen(y, 1.6, 1.6);
    x->ticks = at;
    x->tick_count = places;
    x->low = places ? at[0] : 1;
    x->high = places ? at[places - 1] : 2;
    /* Mask widths rise evenly, tile widths double. */
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

static void add_name(struct chart *chart, const char *text, const char *color, double x, double y)
{
    struct chart_label label = {.color = color, .x = x, .y = y};
    snprintf(label.name, sizeof label.name, "%s", text);
    chart_add_label(chart, &label);
}

/* Draws the line of the KERNEL-th of KERNELS, with its name at the end. */
static void draw_kernel(struct chart *chart, const struct bench_report *report, int kernel,
                        int kernels)
{
    const char *name = report->result[kernel].kernel->name;
    struct look look = look_of(report->result[kernel].kernel);
    struct svg_point points[BENCH_PLACES];
    struct svg_style line = {.stroke = look.color, .width = 2.2};
    struct svg_style mark = {.fill = look.color, .stroke = CHART_PAPER, .width = 1.2};
    int count = 0;

    for (int i = kernel; i < report->results; i += kernels) {
        const struct bench_result *result = &report->result[i];
        if (result->state == BENCH_TIMED && count < BENCH_PLACES)
            points[count++] =
                (struct svg_point){chart_place(&chart->x, bench_sweep_place(report, result)),
                                   chart_place(&chart->y, result->stats.median_ms)};
    }
    if (count == 0)
        return;
    svg_lines(&chart->svg, points, count, &line);
    for (int i = 0; i < count; i++)
        svg_marker(&chart->svg, look.mark, points[i].x, points[i].y, 5, &mark);
    add_name(chart, name, look.color, points[count - 1].x, points[count - 1].y);
}

/* Copies of different sizes get separate lines: kernels on float planes move four times as many
 * bytes as kernels on bytes. */
static void draw_copies(struct chart *chart, const struct bench_report *report, int device)
{
    struct svg_style style = {.stroke = CHART_FAINT, .width = 1.6, .dashes = "7 5"};
    const char *name = report->devices > 1 ? report->device[device].name : "";
    char text[64];
    for (int i = 0; i < report->device[device].copies; i++) {
        const struct bench_copy *copy = &report->device[device].copy[i];
        double y = chart_place(&chart->y, copy->ms);
        snprintf(text, sizeof text, "%s%scopy of %.4g MB", name, *name ? " " : "",
                 (double)copy->bytes * 0.5e-6);
        svg_line(&chart->svg, chart->x.begin, y, chart->x.end, y, &style);
        add_name(chart, text, CHART_FAINT, chart->x.end - 8, y);
    }
}

static void draw_sweep(struct chart *chart, const struct bench_report *report)
{
    int kernels = bench_sweep_kernels(report), places = 0;
    double at[BENCH_PLACES];

    for (int i = 0; i < report->results && places < BENCH_PLACES; i += kernels)
        at[places++] = bench_sweep_place(report, &report->result[i]);
    sweep_scale(chart, report, at, places);
    begin(chart, report,
          report->sweep == SWEEP_TILE ? "Time against tile width" : "Time against mask width",
          report->devices > 1 ? SWEEP_RIGHT2 : SWEEP_RIGHT);
    for (int d = 0; d < report->devices; d++)
        draw_copies(chart, report, d);
    for (int i = 0; i < kernels; i++)
        draw_kernel(chart, report, i, kernels);
}

bool bench_plot(const struct bench_report *report, struct output *output, struct error *err)
{
    bool sweeps = report->sweep != SWEEP_NONE;
    struct chart chart = {.width = WIDTH, .height = sweeps ? SWEEP_HEIGHT : ROOFLINE_HEIGHT};

    (sweeps ? draw_sweep : draw_roofline)(&chart, report);
    return chart_end(&chart, output, err);
}
