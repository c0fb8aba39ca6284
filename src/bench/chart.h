/* Charts with axes, drawn as SVG: the frame with its gridlines, numbers and titles, and labels that
 * do not cover each other. The caller (bench/plots.c) draws the contents. Private to bench. */
#ifndef STENCIL_BENCH_CHART_H
#define STENCIL_BENCH_CHART_H

#include "base/svg.h"
#include "codec/output.h"

#define CHART_PAPER "#ffffff"
#define CHART_INK   "#1f2328"
#define CHART_FAINT "#57606a"

struct chart_axis {
    const char *title;
    double low, high;    /* range of the values */
    double begin, end;   /* range on paper: left and right, or bottom and top */
    const double *ticks; /* values with a line and a number; NULL: chosen, logarithmic */
    int tick_count;
    bool linear; /* else logarithmic */
    bool giga;   /* values in billions of operations a second: 1000 is "1 TFLOP/s" */
};

/* Extends the range to include VALUE, if it is above 0; the first value sets the range. */
void chart_widen(struct chart_axis *axis, double value);

/* The position of VALUE on paper. */
double chart_place(const struct chart_axis *axis, double value);

struct chart_label {
    char name[64], value[32]; /* the value may be empty */
    const char *color;
    double x, y;           /* the mark of this label */
    double text_x, text_y; /* the text's position: its left end and its middle */
    double width;
    bool led;           /* a line leads from the mark to the text */
    bool marked;        /* the mark is drawn together with the label */
    enum svg_mark mark; /* if `marked` */
};
#define CHART_LABELS 64

struct chart {
    struct svg svg;
    double width, height;
    struct chart_axis x, y; /* chart_begin sets begin and end */
    struct chart_label label[CHART_LABELS];
    int labels;
};

/* Draws the paper, title and subtitle (two lines), gridlines and axes. The axes' values must be
 * set. RIGHT: free space on the right side. */
void chart_begin(struct chart *chart, const char *title, const char *subtitle,
                 const char *second_line, double right);

/* Keeps LABEL until the end. Labels beyond the arrays' size are dropped. */
void chart_add_label(struct chart *chart, const struct chart_label *label);

/* Finds positions so that no label covers another one or leaves the chart; each label is right or
 * left of its mark. */
void chart_place_labels(struct chart *chart);

/* Places the labels. Then draws thin lines from marks to labels that are not beside them, then
 * marks, then texts; ends the drawing and writes it. */
bool chart_end(struct chart *chart, struct output *output, struct error *err);

#endif
