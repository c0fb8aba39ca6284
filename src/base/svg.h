/* Drawings as SVG text: the few shapes that a chart needs. The text grows in memory and is written
 * to its file as a whole. Coordinates are user units (pixels at scale 1) from the top left corner.
 * Text is UTF-8 and is escaped here. No external fonts, no scripts, no style sheet: the drawing can
 * stand in any page. */
#ifndef STENCIL_BASE_SVG_H
#define STENCIL_BASE_SVG_H

#include <stdbool.h>
#include <stdio.h>

struct svg {
    FILE *file; /* in memory; NULL after svg_end */
    char *text; /* the whole drawing, after svg_end */
    size_t bytes;
    bool failed; /* no memory: the drawing is incomplete */
};

struct svg_point {
    double x, y;
};

/* How a line is drawn, or the outline and filling of a shape. */
struct svg_style {
    const char *stroke, *fill; /* colours; NULL: none */
    double width;              /* of the stroke */
    const char *dashes;        /* "6 4"; NULL: a full line */
    double opacity;            /* 0 counts as 1 */
};

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

struct svg_text {
    double x, y; /* of the baseline */
    double size; /* of the font */
    const char *color;
    enum svg_anchor anchor;
    bool bold;
    double turn;      /* degrees, clockwise, about (x, y) */
    const char *halo; /* a colour around the letters that keeps lines off them; NULL: none */
    const char *more, *more_color; /* printed after the text, not bold; NULL: nothing */
};

enum svg_mark {
    SVG_DISC,
    SVG_SQUARE,
    SVG_DIAMOND,
    SVG_TRIANGLE,
    SVG_TRIANGLE_DOWN,
    SVG_PLUS,
    SVG_MARKS
};

/* Begins a drawing. Screen readers read TITLE and DESCRIPTION. */
void svg_begin(struct svg *svg, double width, double height, const char *title,
               const char *description);
void svg_end(struct svg *svg);
void svg_free(struct svg *svg);

void svg_rect(struct svg *svg, double x, double y, double width, double height, double corner,
              const struct svg_style *style);
void svg_lines(struct svg *svg, const struct svg_point *points, int count,
               const struct svg_style *style);
void svg_line(struct svg *svg, double x1, double y1, double x2, double y2,
              const struct svg_style *style);
void svg_marker(struct svg *svg, enum svg_mark mark, double x, double y, double radius,
                const struct svg_style *style);
void svg_put_text(struct svg *svg, const struct svg_text *how, const char *text);

/* Estimates the width of TEXT in a sans serif font of that size; no font is measured. */
double svg_text_width(const char *text, double size, bool bold);

#endif
