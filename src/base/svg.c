/* Drawings as SVG text. Numbers are written with two decimals, a hundredth of a pixel. */
#include "base/svg.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FONT "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

__attribute__((format(printf, 2, 3))) static void put(struct svg *svg, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (svg->file && vfprintf(svg->file, format, arguments) < 0)
        svg->failed = true;
    va_end(arguments);
}

/* Text as it may stand in an element or an attribute. Control characters are not allowed in XML. */
static void put_escaped(struct svg *svg, const char *text)
{
    static const char special[] = "&<>\"";
    static const char *const escaped[] = {"&amp;", "&lt;", "&gt;", "&quot;"};

    for (; *text; text++) {
        const char *at = strchr(special, *text);
        if (at)
            put(svg, "%s", escaped[at - special]);
        else
            put(svg, "%c", (unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text);
    }
}

/* ---- the drawing ---- */

void svg_begin(struct svg *svg, double width, double height, const char *title,
               const char *description)
{
    *svg = (struct svg){0};
    svg->file = open_memstream(&svg->text, &svg->bytes);
    svg->failed = !svg->file;
    put(svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
        "viewBox=\"0 0 %.0f %.0f\" role=\"img\" font-family=\"%s\">\n"
        "<!-- made by stencilcli -->\n<title>",
        width, height, width, height, FONT);
    put_escaped(svg, title);
    put(svg, "</title>\n<desc>");
    put_escaped(svg, description);
    put(svg, "</desc>\n");
}

void svg_end(struct svg *svg)
{
    put(svg, "</svg>\n");
    if (svg->file && fclose(svg->file) != 0)
        svg->failed = true;
    svg->file = NULL;
}

void svg_free(struct svg *svg)
{
    if (svg->file)
        fclose(svg->file);
    free(svg->text);
    *svg = (struct svg){0};
}

/* The style, and the end of the element. */
static void put_style(struct svg *svg, const struct svg_style *style)
{
    put(svg, " fill=\"%s\"", style->fill ? style->fill : "none");
    if (style->stroke)
        put(svg, " stroke=\"%s\" stroke-width=\"%.2f\"", style->stroke, style->width);
    if (style->dashes)
        put(svg, " stroke-dasharray=\"%s\"", style->dashes);
    if (style->opacity > 0)
        put(svg, " opacity=\"%.2f\"", style->opacity);
    put(svg, "/>\n");
}

void svg_rect(struct svg *svg, double x, double y, double width, double height, double corner,
              const struct svg_style *style)
{
    put(svg, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", x, y, width, height);
    if (corner > 0)
        put(svg, " rx=\"%.2f\"", corner);
    put_style(svg, style);
}

static void put_points(struct svg *svg, const char *element, const struct svg_point *points,
                       int count, const struct svg_style *style)
{
    put(svg, "<%s points=\"", element);
    for (int i = 0; i < count; i++)
        put(svg, "%s%.2f,%.2f", i ? " " : "", points[i].x, points[i].y);
    put(svg, "\"");
    if (style->stroke)
        put(svg, " stroke-linejoin=\"round\" stroke-linecap=\"round\"");
    put_style(svg, style);
}

void svg_lines(struct svg *svg, const struct svg_point *points, int count,
               const struct svg_style *style)
{
    put_points(svg, "polyline", points, count, style);
}

void svg_line(struct svg *svg, double x1, double y1, double x2, double y2,
              const struct svg_style *style)
{
    put(svg, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"", x1, y1, x2, y2);
    put_style(svg, style);
}

#define MOST_CORNERS 12

/* Corners of the marks for a radius of 1, of about equal area: x and y of each in turn. */
static const struct mark {
    int corners;
    double at[2 * MOST_CORNERS];
} MARKS[SVG_MARKS] = {
    [SVG_SQUARE] = {4, {-0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9}},
    [SVG_DIAMOND] = {4, {0, -1.25, 1.25, 0, 0, 1.25, -1.25, 0}},
    [SVG_TRIANGLE] = {3, {0, -1.2, 1.2, 0.9, -1.2, 0.9}},
    [SVG_TRIANGLE_DOWN] = {3, {0, 1.2, 1.2, -0.9, -1.2, -0.9}},
    [SVG_PLUS] = {12,
                  {-0.45, -1.2, 0.45,  -1.2, 0.45,  -0.45, 1.2,  -0.45, 1.2,  0.45,  0.45,  0.45,
                   0.45,  1.2,  -0.45, 1.2,  -0.45, 0.45,  -1.2, 0.45,  -1.2, -0.45, -0.45, -0.45}},
};

void svg_marker(struct svg *svg, enum svg_mark mark, double x, double y, double radius,
                const struct svg_style *style)
{
    const struct mark *shape = &MARKS[mark];
    struct svg_point corner[MOST_CORNERS];
    if (mark == SVG_DISC) {
        put(svg, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", x, y, radius);
        put_style(svg, style);
        return;
    }
    for (int i = 0; i < shape->corners; i++)
        corner[i] =
            (struct svg_point){x + radius * shape->at[2 * i], y + radius * shape->at[2 * i + 1]};
    put_points(svg, "polygon", corner, shape->corners, style);
}

void svg_put_text(struct svg *svg, const struct svg_text *how, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    /* The halo is a text of its own below the letters: not every renderer knows paint-order. */
    for (int letters = how->halo ? 0 : 1; letters < 2; letters++) {
        put(svg, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.4g\"", how->x, how->y, how->size);
        if (how->anchor != SVG_START)
            put(svg, " text-anchor=\"%s\"", anchors[how->anchor]);
        if (how->bold)
            put(svg, " font-weight=\"bold\"");
        if (how->turn != 0)
            put(svg, " transform=\"rotate(%.2f %.2f %.2f)\"", how->turn, how->x, how->y);
        if (letters)
            put(svg, " fill=\"%s\">", how->color);
        else
            put(svg,
                " fill=\"%s\" stroke=\"%s\" stroke-width=\"4\" stroke-linejoin=\"round\" "
                "aria-hidden=\"true\">",
                how->halo, how->halo);
        put_escaped(svg, text);
        if (how->more) {
            put(svg, "<tspan dx=\"7\" font-weight=\"normal\"");
            if (letters)
                put(svg, " fill=\"%s\"", how->more_color);
            put(svg, ">");
            put_escaped(svg, how->more);
            put(svg, "</tspan>");
        }
        put(svg, "</text>\n");
    }
}

double svg_text_width(const char *text, double size, bool bold)
{
    double width = 0;
    for (; *text; text++) {
        if (((unsigned char)*text & 0xc0) == 0x80)
            continue; /* the rest of a character that was counted */
        if (strchr("iljt.,:;|'!()[]/ fr", *text))
            width += 0.31;
        else if (strchr("mwMWGO%", *text))
            width += 0.84;
        else
            width += 0.57;
    }
    return width * size * (bold ? 1.06 : 1.0);
}
