/* The frame of a chart: see bench/chart.h. Paper, titles, gridlines, numbers on the axes;
 * where the labels go is in bench/chart_labels.c. */
#include "bench/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEFT   104.0
#define TOP    112.0
#define BOTTOM 66.0

#define GRID       "#dfe3e8"
#define GRID_FAINT "#f1f3f5"
#define AXIS       "#6e7781"

#define TITLE_SIZE 20.0
#define TEXT_SIZE  13.0
#define TICK_SIZE  12.0

struct chart_look chart_look(int index)
{
    /* Neighbours in the kernel table differ in colour and in mark. */
    static const struct chart_look looks[CHART_LOOKS] = {
        {"#57606a", SVG_PLUS},          {"#cc79a7", SVG_SQUARE},   {"#8250df", SVG_DIAMOND},
        {"#0072b2", SVG_DISC},          {"#56b4e9", SVG_SQUARE},   {"#e69f00", SVG_TRIANGLE},
        {"#009e73", SVG_DIAMOND},       {"#d55e00", SVG_DISC},     {"#1f2328", SVG_SQUARE},
        {"#a0522d", SVG_TRIANGLE_DOWN}, {"#0072b2", SVG_TRIANGLE}, {"#009e73", SVG_PLUS},
    };
    return looks[index % CHART_LOOKS];
}

void chart_widen(struct chart_axis *axis, double value)
{
    if (!(value > 0))
        return;
    axis->low = axis->low > 0 ? fmin(axis->low, value) : value;
    axis->high = fmax(axis->high, value);
}

double chart_place(const struct chart_axis *axis, double value)
{
    double share = axis->linear ? (value - axis->low) / (axis->high - axis->low)
                                : log(value / axis->low) / log(axis->high / axis->low);
    return axis->begin + share * (axis->end - axis->begin);
}

/* ---- numbers ---- */

/* 0.05, 2, 500, 1 000: whole numbers in groups of three, the others as short as they are. */
static void tick_text(char *text, size_t bytes, double value)
{
    if (value >= 1e6)
        snprintf(text, bytes, "%d\u2009%03d\u2009%03d", (int)(value * 1e-6),
                 (int)fmod(value * 1e-3 + 1e-6, 1e3), (int)fmod(value + 1e-3, 1e3));
    else if (value >= 1e3 - 0.5)
        snprintf(text, bytes, "%d\u2009%03d", (int)(value * 1e-3 + 1e-6),
                 (int)fmod(value + 0.5, 1e3));
    else
        snprintf(text, bytes, "%.4g", value);
}

/* ---- ticks ---- */

struct tick {
    double value;
    bool numbered;
};

/* Every one-digit multiple of a power of ten; numbers at 1, 2 and 5 on a short axis, else at the
 * powers. */
static int log_ticks(const struct chart_axis *axis, struct tick *ticks, int most)
{
    bool is_short = axis->high / axis->low < 2e3;
    int count = 0;
    for (int power = (int)floor(log10(axis->low)); power <= (int)ceil(log10(axis->high)); power++)
        for (int digit = 1; digit <= 9 && count < most; digit++) {
            double value = digit * pow(10, power);
            if (value < axis->low * 0.9999 || value > axis->high * 1.0001)
                continue;
            ticks[count++] =
                (struct tick){value, digit == 1 || (is_short && (digit == 2 || digit == 5))};
        }
    return count;
}

static int given_ticks(const struct chart_axis *axis, struct tick *ticks, int most)
{
    int count = 0;
    for (; count < axis->tick_count && count < most; count++)
        ticks[count] = (struct tick){axis->ticks[count], true};
    return count;
}

static void draw_axis(struct chart *chart, const struct chart_axis *axis, bool upright)
{
    struct tick ticks[96];
    int count = axis->ticks ? given_ticks(axis, ticks, 96) : log_ticks(axis, ticks, 96);
    for (int i = 0; i < count; i++) {
        double at = chart_place(axis, ticks[i].value);
        struct svg_style style = {.stroke = ticks[i].numbered ? GRID : GRID_FAINT, .width = 1};
        struct svg_text text = {.size = TICK_SIZE, .color = CHART_FAINT};
        char number[32];
        if (upright) {
            svg_line(&chart->svg, chart->x.begin, at, chart->x.end, at, &style);
            text.x = chart->x.begin - 9;
            text.y = at + 4.2;
            text.anchor = SVG_END;
        } else {
            svg_line(&chart->svg, at, chart->y.begin, at, chart->y.end, &style);
            text.x = at;
            text.y = chart->y.begin + 20;
            text.anchor = SVG_MIDDLE;
        }
        tick_text(number, sizeof number, ticks[i].value);
        if (ticks[i].numbered)
            svg_put_text(&chart->svg, &text, number);
    }
}

/* ---- the chart ---- */

/* A line above the chart, in smaller letters where it would be too long. */
static void draw_title(struct chart *chart, struct svg_text *how, double size, const char *text)
{
    double room = chart->width - 2 * how->x, width = svg_text_width(text, size, how->bold);
    how->size = width > room ? size * room / width : size;
    svg_put_text(&chart->svg, how, text);
}

static void draw_titles(struct chart *chart, const char *title, const char *subtitle,
                        const char *second_line)
{
    struct svg_text text = {.x = 32, .y = 42, .size = TITLE_SIZE, .color = CHART_INK, .bold = true};
    svg_put_text(&chart->svg, &text, title);
    text.size = TEXT_SIZE;
    text.bold = false;
    text.color = CHART_FAINT;
    text.y += 23;
    draw_title(chart, &text, TEXT_SIZE, subtitle);
    text.y += 19;
    if (second_line)
        draw_title(chart, &text, TEXT_SIZE, second_line);
    text.size = TEXT_SIZE;
    text.color = CHART_INK;
    text.anchor = SVG_MIDDLE;
    text.x = (chart->x.begin + chart->x.end) / 2;
    text.y = chart->height - 20;
    svg_put_text(&chart->svg, &text, chart->x.title);
    text.x = 30;
    text.y = (chart->y.begin + chart->y.end) / 2;
    text.turn = -90;
    svg_put_text(&chart->svg, &text, chart->y.title);
}

void chart_begin(struct chart *chart, const char *title, const char *subtitle,
                 const char *second_line, double right)
{
    struct svg_style paper = {.fill = CHART_PAPER, .stroke = GRID, .width = 1};
    struct svg_style line = {.stroke = AXIS, .width = 1.2};
    chart->x.begin = LEFT;
    chart->x.end = chart->width - right;
    chart->y.begin = chart->height - BOTTOM;
    chart->y.end = TOP;
    svg_begin(&chart->svg, chart->width, chart->height, title, subtitle);
    svg_rect(&chart->svg, 0.5, 0.5, chart->width - 1, chart->height - 1, 8, &paper);
    draw_axis(chart, &chart->x, false);
    draw_axis(chart, &chart->y, true);
    svg_line(&chart->svg, chart->x.begin, chart->y.begin, chart->x.end, chart->y.begin, &line);
    svg_line(&chart->svg, chart->x.begin, chart->y.begin, chart->x.begin, chart->y.end, &line);
    draw_titles(chart, title, subtitle, second_line);
}

bool chart_write(const struct chart *chart, struct output *output, struct error *err)
{
    if (chart->svg.failed)
        return error_set(err, EXIT_INPUT, "%s: no memory for the drawing", output_name(output));
    return output_write(output, chart->svg.text, chart->svg.bytes, err);
}
