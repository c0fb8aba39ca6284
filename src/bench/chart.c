/* Charts with axes: paper, titles, gridlines, numbers on the axes, and positions of labels.
 * bench/plots.c draws the contents between the axes. */
#include "bench/chart.h"

#include <math.h>
#include <stdio.h>

#define LEFT   124.0
#define TOP    112.0
#define BOTTOM 66.0

#define GRID       "#dfe3e8"
#define GRID_FAINT "#f1f3f5"
#define AXIS       "#6e7781"

#define TITLE_SIZE 20.0
#define TEXT_SIZE  13.0
#define TICK_SIZE  12.0
#define LABEL_SIZE 13.0

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

/* 0.05, 2, 500, 1 000: large whole numbers in groups of three digits. */
static void tick_text(char *text, size_t bytes, const struct chart_axis *axis, double value)
{
    if (axis->giga)
        snprintf(text, bytes, "%.4g %sFLOP/s",
                 value >= 999.5   ? value * 1e-3
                 : value >= 0.999 ? value
                                  : value * 1e3,
                 value >= 999.5   ? "T"
                 : value >= 0.999 ? "G"
                                  : "M");
    else if (value >= 1e6)
        snprintf(text, bytes, "%d\u2009%03d\u2009%03d", (int)(value * 1e-6),
                 (int)fmod(value * 1e-3 + 1e-6, 1e3), (int)fmod(value + 1e-3, 1e3));
    else if (value >= 1e3 - 0.5)
        snprintf(text, bytes, "%d\u2009%03d", (int)(value * 1e-3 + 1e-6),
                 (int)fmod(value + 0.5, 1e3));
    else
        snprintf(text, bytes, "%.4g", value);
}

/* ---- axes ---- */

static void draw_tick(struct chart *chart, double value, bool numbered, bool upright)
{
    double at = chart_place(upright ? &chart->y : &chart->x, value);
    struct svg_style style = {.stroke = numbered ? GRID : GRID_FAINT, .width = 1};
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
    tick_text(number, sizeof number, upright ? &chart->y : &chart->x, value);
    if (numbered)
        svg_put_text(&chart->svg, &text, number);
}

/* Draws the given ticks, else every one-digit multiple of a power of ten; numbers at 1, 2 and 5 on
 * a short axis, else at the powers. */
static void draw_axis(struct chart *chart, const struct chart_axis *axis, bool upright)
{
    bool is_short = axis->high / axis->low < 2e3;
    for (int i = 0; i < axis->tick_count; i++)
        draw_tick(chart, axis->ticks[i], true, upright);
    if (axis->ticks)
        return;
    for (int power = (int)floor(log10(axis->low)); power <= (int)ceil(log10(axis->high)); power++)
        for (int digit = 1; digit <= 9; digit++) {
            double value = digit * pow(10, power);
            bool numbered = digit == 1 || (is_short && (digit == 2 || digit == 5));
            if (value >= axis->low * 0.9999 && value <= axis->high * 1.0001)
                draw_tick(chart, value, numbered, upright);
        }
}

/* ---- the chart ---- */

/* Draws a line of text above the chart, in smaller letters if it would be too long. */
static void draw_subtitle(struct chart *chart, struct svg_text *how, const char *text)
{
    double room = chart->width - 2 * how->x, width = svg_text_width(text, TEXT_SIZE, false);
    how->size = width > room ? TEXT_SIZE * room / width : TEXT_SIZE;
    svg_put_text(&chart->svg, how, text);
}

static void draw_titles(struct chart *chart, const char *title, const char *subtitle,
                        const char *second_line)
{
    struct svg_text text = {.x = 32, .y = 42, .size = TITLE_SIZE, .color = CHART_INK, .bold = true};
    svg_put_text(&chart->svg, &text, title);
    text.bold = false;
    text.color = CHART_FAINT;
    text.y += 23;
    draw_subtitle(chart, &text, subtitle);
    text.y += 19;
    draw_subtitle(chart, &text, second_line);
    text.size = TEXT_SIZE;
    text.color = CHART_INK;
    text.anchor = SVG_MIDDLE;
    text.x = (chart->x.begin + chart->x.end) / 2;
    text.y = chart->height - 20;
    svg_put_text(&chart->svg, &text, chart->x.title);
    text.x = 24;
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

/* ---- labels ---- */

/* Marks are few, but often close together. Labels stand right of their marks (left where the chart
 * ends), and are pushed apart up and down, in the order of their marks, as far as needed. */
#define GAP    12.0  /* from the mark to the text */
#define LEADER 30.0  /* as GAP, for a label with a line to its mark */
#define LINE   17.0  /* from one text to the next */
#define BESIDE 6.0   /* up to this distance up or down, a label still counts as beside its mark */
#define MARGIN 6.0   /* between labels and the chart's right end */
#define COLUMN 200.0 /* the labels of marks closer than this in x can meet: they form a column */

#define SPREAD_ROUNDS 200

static bool is_column(const struct chart_label *a, const struct chart_label *b)
{
    return fabs(a->x - b->x) < COLUMN;
}

/* In label I's column, the label whose mark is the next one below; -1: none. */
static int next_below(const struct chart_label *labels, int count, int i)
{
    int next = -1;
    for (int j = 0; j < count; j++) {
        bool below = labels[j].y > labels[i].y || (labels[j].y == labels[i].y && j > i);
        if (below && is_column(&labels[i], &labels[j]) &&
            (next < 0 || labels[j].y < labels[next].y))
            next = j;
    }
    return next;
}

static void spread(struct chart *chart)
{
    struct chart_label *labels = chart->label;
    int count = chart->labels;
    double top = chart->y.end + LINE / 2, bottom = chart->y.begin - LINE / 2;
    for (int i = 0; i < count; i++)
        labels[i].text_y = labels[i].y;
    for (int round = 0; round < SPREAD_ROUNDS; round++)
        for (int i = 0; i < count; i++) {
            int j = next_below(labels, count, i);
            double missing = j < 0 ? 0 : LINE - (labels[j].text_y - labels[i].text_y);
            if (missing > 0) {
                labels[i].text_y -= missing / 2;
                labels[j].text_y += missing / 2;
            }
            labels[i].text_y = fmin(fmax(labels[i].text_y, top), bottom);
        }
    for (int i = 0; i < count; i++)
        if (fabs(labels[i].text_y - labels[i].y) > BESIDE)
            for (int j = 0; j < count; j++) /* the whole column gets lines */
                labels[j].led = labels[j].led || is_column(&labels[i], &labels[j]);
}

void chart_place_labels(struct chart *chart)
{
    spread(chart);
    for (int i = 0; i < chart->labels; i++) {
        struct chart_label *label = &chart->label[i];
        double gap = label->led ? LEADER : GAP;
        label->width = svg_text_width(label->name, LABEL_SIZE, true);
        if (label->value[0])
            label->width += 7 + svg_text_width(label->value, LABEL_SIZE, false);
        label->text_x = label->x + gap + label->width <= chart->width - MARGIN
                            ? label->x + gap
                            : label->x - gap - label->width;
    }
}

void chart_add_label(struct chart *chart, const struct chart_label *label)
{
    if (chart->labels < CHART_LABELS)
        chart->label[chart->labels++] = *label;
}

static void draw_labels(struct chart *chart)
{
    const struct chart_label *end = chart->label + chart->labels;
    for (const struct chart_label *l = chart->label; l < end; l++) {
        struct svg_style style = {.stroke = l->color, .width = 1.1, .opacity = 0.75};
        double near = l->text_x < l->x ? l->text_x + l->width + 3 : l->text_x - 4;
        if (l->led)
            svg_line(&chart->svg, l->x, l->y, near, l->text_y, &style);
    }
    for (const struct chart_label *l = chart->label; l < end; l++) {
        struct svg_style style = {.fill = l->color, .stroke = CHART_PAPER, .width = 1.2};
        if (l->marked)
            svg_marker(&chart->svg, l->mark, l->x, l->y, 6, &style);
    }
    for (const struct chart_label *l = chart->label; l < end; l++) {
        struct svg_text text = {.x = l->text_x,
                                .y = l->text_y + LABEL_SIZE * 0.35,
                                .size = LABEL_SIZE,
                                .color = CHART_INK,
                                .bold = true,
                                .halo = CHART_PAPER,
                                .more = l->value[0] ? l->value : NULL,
                                .more_color = CHART_FAINT};
        svg_put_text(&chart->svg, &text, l->name);
    }
}

bool chart_end(struct chart *chart, struct output *output, struct error *err)
{
    chart_place_labels(chart);
    draw_labels(chart);
    svg_end(&chart->svg);
    bool ok = chart->svg.failed
                  ? error_set(err, EXIT_INPUT, "%s: no memory for the drawing", output_name(output))
                  : output_write(output, chart->svg.text, chart->svg.bytes, err);
    svg_free(&chart->svg);
    return ok;
}
