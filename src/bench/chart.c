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

/* Marks are few, but often close together. Each label tries positions beside its mark, at different
 * heights, and takes the cheapest; a few rounds settle all labels. Distance costs. Covering
 * something costs much more, and so does a change of the labels' order, which would make the lines
 * to their marks cross. */
#define GAP      12.0 /* from the mark to the text */
#define LEADER   30.0 /* as GAP, for a label with a line to its mark */
#define MARK     8.0  /* half a mark, with some air */
#define LINE     17.0 /* from one text to the next */
#define BESIDE   6.0  /* up to this distance up or down, a label still counts as beside its mark */
#define STEP     3.0  /* between positions that are tried */
#define FARTHEST 180.0
#define COLUMN   60.0 /* marks closer than this in x form a column */
#define ROUNDS   12

#define SPREAD_ROUNDS 200

#define COST_LEFT  90.0 /* for a position left of the mark */
#define COST_COVER 60.0 /* for covering, and again for each further pixel */
#define COST_ORDER 45.0
#define COST_LINE  0.005 /* covering a line costs this share: the letters have a halo */
#define TOUCH      0.5   /* an overlap up to this does not count as covering */

static struct chart_box label_box(const struct chart_label *label)
{
    return (struct chart_box){label->text_x - 2, label->text_y - LINE / 2,
                              label->text_x + label->width + 2, label->text_y + LINE / 2};
}

static double cover(const struct chart_box *a, const struct chart_box *b)
{
    double x = fmin(a->right, b->right) - fmax(a->left, b->left);
    double y = fmin(a->bottom, b->bottom) - fmax(a->top, b->top);
    return x > TOUCH && y > TOUCH ? COST_COVER + COST_COVER * fmin(x, y) : 0;
}

/* Whether two marks are so close in x that their labels can meet. */
static bool is_column(const struct chart_label *a, const struct chart_label *b)
{
    return fabs(a->x - b->x) < COLUMN;
}

/* The cost of label INDEX at the position in TRIED. */
static double cost(const struct chart *chart, int index, const struct chart_label *tried)
{
    struct chart_box box = label_box(tried);
    double sum = fabs(tried->text_y - tried->y) + (tried->text_x < tried->x ? COST_LEFT : 0);
    for (int i = 0; i < chart->obstacles; i++)
        sum += cover(&box, &chart->obstacle[i].box) * (chart->obstacle[i].is_line ? COST_LINE : 1);
    for (int i = 0; i < chart->labels; i++) {
        const struct chart_label *other = &chart->label[i];
        struct chart_box mark = {other->x - MARK, other->y - MARK, other->x + MARK,
                                 other->y + MARK};
        struct chart_box taken = label_box(other);
        sum += cover(&box, &mark);
        if (i == index)
            continue;
        sum += cover(&box, &taken);
        if (is_column(other, tried) && (other->text_x < other->x) == (tried->text_x < tried->x) &&
            (other->y - tried->y) * (other->text_y - tried->text_y) < 0)
            sum += COST_ORDER;
    }
    return sum;
}

/* Puts a label at height OFF beside its mark; false if it would leave the chart. */
static bool try_place(const struct chart *chart, const struct chart_label *label, bool left,
                      double off, struct chart_label *tried)
{
    *tried = *label;
    tried->led = label->led || fabs(off) > BESIDE;
    double gap = tried->led ? LEADER : GAP;
    tried->text_x = left ? label->x - gap - label->width : label->x + gap;
    tried->text_y = label->y + off;
    /* TOUCH is a tolerance of half a pixel: the search begins exactly at these limits. */
    return tried->text_x >= chart->x.begin + 4 &&
           tried->text_x + label->width <= chart->width - 6 &&
           tried->text_y >= chart->y.end + LINE / 2 - TOUCH &&
           tried->text_y <= chart->y.begin - LINE / 2 + TOUCH;
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

/* Start of the search: labels are right of their marks, and labels of a column are pushed apart, in
 * the order of their marks, as far as needed. (If labels started on top of each other, the search
 * would not separate them, since no single step improves the cost.) */
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
    for (int i = 0; i < count; i++)
        labels[i].text_x = labels[i].x + (labels[i].led ? LEADER : GAP);
}

/* Moves a label to the cheapest position; it stays if no other position is cheaper. */
static void improve(struct chart *chart, int index)
{
    struct chart_label *label = &chart->label[index], best = *label, tried;
    double least = INFINITY;
    if (try_place(chart, label, false, label->text_y - label->y, &tried) &&
        label->text_x > label->x)
        least = cost(chart, index, &tried);
    for (int left = 0; left < 2; left++)
        for (double off = -FARTHEST; off <= FARTHEST; off += STEP) {
            double here =
                try_place(chart, label, left, off, &tried) ? cost(chart, index, &tried) : INFINITY;
            if (here < least) {
                least = here;
                best = tried;
            }
        }
    *label = best;
}

void chart_place_labels(struct chart *chart)
{
    for (int i = 0; i < chart->labels; i++) {
        struct chart_label *label = &chart->label[i];
        label->width = svg_text_width(label->name, LABEL_SIZE, true);
        if (label->value[0])
            label->width += 7 + svg_text_width(label->value, LABEL_SIZE, false);
    }
    spread(chart);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < chart->labels; i++)
            improve(chart, i);
}

void chart_add_label(struct chart *chart, const struct chart_label *label)
{
    if (chart->labels < CHART_LABELS)
        chart->label[chart->labels++] = *label;
}

void chart_block(struct chart *chart, double x, double y, double half, bool is_line)
{
    if (chart->obstacles < CHART_OBSTACLES)
        chart->obstacle[chart->obstacles++] =
            (struct chart_obstacle){{x - half, y - half, x + half, y + half}, is_line};
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
