/* Charts on axes, drawn as SVG: the frame with its gridlines, numbers and titles, and
 * labels that keep out of each other's way. What is drawn inside is the caller's
 * (bench/plots.c). Private to bench. */
#ifndef STENCIL_BENCH_CHART_H
#define STENCIL_BENCH_CHART_H

#include "base/svg.h"
#include "codec/output.h"

#define CHART_PAPER "#ffffff"
#define CHART_INK   "#1f2328"
#define CHART_FAINT "#57606a"

struct chart_axis {
    const char *title;
    double low, high;    /* of the values */
    double begin, end;   /* of the place on paper: left and right, or bottom and top */
    const double *ticks; /* values that get a line and a number; NULL: chosen, logarithmic */
    int tick_count;
    bool linear; /* else logarithmic */
};

/* Makes room for VALUE, if it is above 0; the first value makes the axis. */
void chart_widen(struct chart_axis *axis, double value);

/* Where VALUE lies on paper. */
double chart_place(const struct chart_axis *axis, double value);

struct chart_label {
    char name[64], value[32]; /* the value may be empty */
    const char *color;
    double x, y;           /* the mark that it belongs to */
    double text_x, text_y; /* where it ends up: its left end and its middle */
    double width;
    bool led;           /* a line leads from the mark to the text */
    bool marked;        /* the mark is drawn with the label */
    enum svg_mark mark; /* where it is */
};
#define CHART_LABELS 64

struct chart_box {
    double left, top, right, bottom;
};

/* What labels keep off: a text, or (less so) a piece of a line. */
struct chart_obstacle {
    struct chart_box box;
    bool is_line;
};
#define CHART_OBSTACLES 1024

struct chart {
    struct svg svg;
    double width, height;
    struct chart_axis x, y; /* begin and end are set by chart_begin */
    struct chart_label label[CHART_LABELS];
    int labels;
    struct chart_obstacle obstacle[CHART_OBSTACLES];
    int obstacles;
};

/* The paper, title and subtitle (two lines), gridlines and axes. The axes' values are set. RIGHT:
 * room kept free on the right side. */
void chart_begin(struct chart *chart, const char *title, const char *subtitle,
                 const char *second_line, double right);

/* Keeps LABEL for the end. What does not fit the chart's arrays is left out. */
void chart_add_label(struct chart *chart, const struct chart_label *label);

/* Keeps labels off the square of 2 HALF pixels around a point. */
void chart_block(struct chart *chart, double x, double y, double half, bool is_line);

/* Finds places for labels so that none covers another, a mark or an obstacle, and none leaves the
 * chart; each to the right of its mark or to the left. */
void chart_place_labels(struct chart *chart);

/* Finds the places and draws first thin lines from marks to the texts that are not beside them,
 * then marks, then texts; ends the drawing and writes it. */
bool chart_end(struct chart *chart, struct output *output, struct error *err);

#endif
