/* A report of `stencilcli try` as one page: the verdict, the first wrong tile, the counts and times
 * as a table and as bars, and what to read next. Needs no other file and no script. See print.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/svg.h"
#include "base/text.h"
#include "codec/output.h"
#include "try/ladder.h"
#include "try/print.h"

#define INK   "#1f2328"
#define FAINT "#57606a"
#define LINE  "#d0d7de"
#define RED   "#cf222e"
#define BLUE  "#0969da"
#define PALE  "#8c959f"

static const char css[] =
    "body{font:16px/1.5 sans-serif;color:" INK ";max-width:60em;margin:2em auto;padding:0 1em}"
    "h1 b{padding:0 .4em;border-radius:.3em;color:#fff;background:" RED "}"
    "h1 b.right{background:#1a7f37}h2{font-size:1.1em;margin-top:2em}"
    "table{border-collapse:collapse}td,th{padding:.15em .7em;border-bottom:1px solid " LINE ";"
    "text-align:right}td:first-child{text-align:left}pre{background:#f6f8fa;padding:1em;"
    "overflow:auto}figure{margin:1em 0;overflow:auto}figcaption,footer{color:" FAINT "}";

static void put(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    markup_put(out, text);
    fputs(after, out);
}

static void put_svg(FILE *out, struct svg *svg)
{
    svg_end(svg);
    if (!svg->failed)
        fwrite(svg->text, 1, svg->bytes, out);
    svg_free(svg);
}

/* ---- the first wrong tile ---- */

#define CELL_WIDTH  72.0
#define CELL_HEIGHT 34.0
#define LEFT        46.0
#define TOP         22.0
#define MOST_CELLS  18 /* along an axis */

/* The cells that are shown along an axis, and the borders there. */
struct axis {
    int from, to, size, tile, halo;
    double begin, cell;
};

/* The tile with its halo and a cell more, or a part of it around the cell AT. */
static struct axis make_axis(int at, int size, int tile, int halo, double begin, double cell)
{
    struct axis axis = {.size = size, .tile = tile, .halo = halo, .begin = begin, .cell = cell};

    axis.from = at / tile * tile - halo - 1;
    axis.to = at / tile * tile + tile + halo + 1;
    if (axis.to - axis.from > MOST_CELLS) {
        axis.from = at - MOST_CELLS / 2 > axis.from ? at - MOST_CELLS / 2 : axis.from;
        axis.to = axis.from + MOST_CELLS < axis.to ? axis.from + MOST_CELLS : axis.to;
    }
    axis.from = axis.from > 0 ? axis.from : 0;
    axis.to = axis.to < size ? axis.to : size;
    return axis;
}

static double axis_place(const struct axis *axis, int at)
{
    return axis->begin + (at - axis->from) * axis->cell;
}

/* A line across ALONG before cell AT of ACROSS. */
static void draw_border(struct svg *svg, const struct axis *across, const struct axis *along,
                        int at, bool upright, const struct svg_style *style)
{
    const double place = axis_place(across, at);
    const double from = axis_place(along, along->from), to = axis_place(along, along->to);

    if (at < across->from || at > across->to)
        return;
    if (upright)
        svg_line(svg, place, from, place, to, style);
    else
        svg_line(svg, from, place, to, place, style);
}

static void draw_borders(struct svg *svg, const struct axis *across, const struct axis *along,
                         int at, bool upright)
{
    const struct svg_style thick = {.stroke = INK, .width = 2.5},
                           dashed = {.stroke = BLUE, .width = 2, .dashes = "6 4"};
    const int tile = at / across->tile * across->tile;

    for (int i = across->from; i <= across->to; i++)
        if (i % across->tile == 0)
            draw_border(svg, across, along, i, upright, &thick);
    if (across->halo > 0) {
        draw_border(svg, across, along, tile - across->halo, upright, &dashed);
        draw_border(svg, across, along, tile + across->tile + across->halo, upright, &dashed);
    }
}

static void draw_number(struct svg *svg, double x, double y, const char *color, bool bold,
                        double value)
{
    const struct svg_text how = {
        .x = x, .y = y, .size = bold ? 13 : 11, .color = color, .anchor = SVG_MIDDLE, .bold = bold};
    char text[32];

    snprintf(text, sizeof text, "%.9g", value);
    svg_put_text(svg, &how, text);
}

static void draw_cell(struct svg *svg, const struct try_report *report, int x, int y, double left,
                      double top)
{
    const struct try_case *it = &report->battery.cases[report->verdict.shown];
    const struct try_result *result = &report->results[report->verdict.shown];
    const int channel = report->verdict.each[report->verdict.shown].channel;
    const struct try_variant plain = {.border = report->file.border};
    const long long cell = (long long)y * it->pitch + (long long)x * it->channels + channel;
    const double want = try_reference(it, &plain, x, y, channel), got = result->p[cell];
    const bool written = result->writer[cell].block >= 0, right = written && got == want;
    const struct svg_style box = {.stroke = LINE,
                                  .width = 1,
                                  .fill = right     ? "#ffffff"
                                          : written ? "#ffd7d5"
                                                    : "#d8dee4"};
    const double middle = left + CELL_WIDTH / 2;

    svg_rect(svg, left, top, CELL_WIDTH, CELL_HEIGHT, 0, &box);
    if (right)
        draw_number(svg, middle, top + 21, FAINT, false, got);
    else if (written)
        draw_number(svg, middle, top + 15, RED, true, got);
    if (!right)
        draw_number(svg, middle, top + 29, INK, false, want);
}

static void put_tile(FILE *out, const struct try_report *report)
{
    const struct try_file *file = &report->file;
    const struct try_case *it = &report->battery.cases[report->verdict.shown];
    const struct try_case_verdict *each = &report->verdict.each[report->verdict.shown];
    const int more = file->block[0] - file->tile[0];
    const bool haloed = more > 0 && more < MOST_CELLS && more % 2 == 0 &&
                        (file->dims == 1 || file->block[1] - file->tile[1] == more);
    const int halo = haloed ? more / 2 : 0;
    const struct axis x = make_axis(each->x, it->width, file->tile[0], halo, LEFT, CELL_WIDTH);
    const struct axis y =
        make_axis(each->y, it->height, file->tile[1], file->dims == 1 ? 0 : halo, TOP, CELL_HEIGHT);
    struct svg svg;

    svg_begin(&svg, axis_place(&x, x.to) + 4, axis_place(&y, y.to) + 4, "The first wrong tile",
              "Cells of P: what the kernel stored, and what was expected");
    for (int row = y.from; row < y.to; row++)
        for (int col = x.from; col < x.to; col++)
            draw_cell(&svg, report, col, row, axis_place(&x, col), axis_place(&y, row));
    for (int col = x.from; col < x.to; col++)
        draw_number(&svg, axis_place(&x, col) + CELL_WIDTH / 2, TOP - 7, FAINT, false, col);
    for (int row = y.from; row < y.to; row++)
        draw_number(&svg, LEFT / 2, axis_place(&y, row) + 21, FAINT, false, row);
    draw_borders(&svg, &x, &y, each->x, true);
    draw_borders(&svg, &y, &x, each->y, false);
    put(out, "<h2>The first wrong tile</h2>\n<figure>\n", "", "");
    put_svg(out, &svg);
    put(out, "<figcaption>P on the case ", it->name, "");
    fprintf(out,
            ": %lld cells are wrong. Red: what the kernel stored, and below it what was expected. "
            "Gray: never stored. Thick lines: tiles of %d x %d outputs.",
            each->wrong, file->tile[0], file->tile[1]);
    if (halo > 0)
        fprintf(out, " Dashed: a block of %d x %d threads.", file->block[0], file->block[1]);
    fputs("</figcaption>\n</figure>\n", out);
}

/* ---- bars ---- */

#define BAR_LEFT   110.0
#define BAR_WIDTH  520.0
#define BAR_HEIGHT 22.0
#define BARS       8

struct bars {
    const char *title;
    int count;
    struct {
        const char *name;
        double value;
    } bar[BARS];
};

static void add_bar(struct bars *bars, const char *name, double value)
{
    if (bars->count == BARS)
        return;
    bars->bar[bars->count].name = name;
    bars->bar[bars->count++].value = value;
}

static void put_bars(FILE *out, const struct bars *bars)
{
    struct svg svg;
    double most = 1e-9;

    for (int i = 0; i < bars->count; i++)
        most = fmax(most, bars->bar[i].value);
    svg_begin(&svg, BAR_LEFT + BAR_WIDTH + 90, bars->count * BAR_HEIGHT + 26, bars->title,
              "A bar for the kernel that was tried, and for each of our own");
    const struct svg_text title = {.x = 0, .y = 15, .size = 14, .color = INK, .bold = true};
    svg_put_text(&svg, &title, bars->title);
    for (int i = 0; i < bars->count; i++) {
        const double top = 24 + i * BAR_HEIGHT, length = bars->bar[i].value / most * BAR_WIDTH;
        const struct svg_style fill = {.fill = i == 0 ? BLUE : PALE};
        const struct svg_text name = {
            .x = BAR_LEFT - 8, .y = top + 14, .size = 13, .color = INK, .anchor = SVG_END};
        const struct svg_text value = {
            .x = BAR_LEFT + length + 6, .y = top + 14, .size = 13, .color = FAINT};
        char number[32];
        snprintf(number, sizeof number, "%.2f", bars->bar[i].value);
        svg_rect(&svg, BAR_LEFT, top, fmax(length, 1), BAR_HEIGHT - 5, 2, &fill);
        svg_put_text(&svg, &name, bars->bar[i].name);
        svg_put_text(&svg, &value, number);
    }
    fputs("<figure>\n", out);
    put_svg(out, &svg);
    fputs("</figure>\n", out);
}

/* ---- counts and times ---- */

static void put_number(FILE *out, double value)
{
    fprintf(out, value >= 0 ? "<td>%.2f</td>" : "<td></td>", value);
}

static void put_counts(FILE *out, const struct try_report *report, int i)
{
    static const char plotted[] = " global_loads transactions shared_loads ";
    const struct try_case *it = &report->battery.cases[i];
    const struct try_counts *counts = &report->results[i].counts;

    put(out, "<h2>Counted on ", it->name, "</h2>\n<table>\n<tr><th></th><th>yours</th>");
    for (int k = 0; ladder_name(it, k); k++)
        put(out, "<th>", ladder_name(it, k), "</th>");
    fputs("</tr>\n", out);
    for (int c = 0; c < LADDER_COUNTS; c++) {
        put(out, "<tr><td>", ladder_count_title(c), "</td>");
        put_number(out, ladder_count_of(counts, c));
        for (int k = 0; ladder_name(it, k); k++)
            put_number(out, ladder_count(it, k, c));
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
    put(out, "<p>", ladder_reuse_of(&report->file, it, counts).sentence, ".</p>\n");
    for (int c = 0; c < LADDER_COUNTS; c++) {
        struct bars bars = {.title = ladder_count_title(c)};
        char word[40];
        snprintf(word, sizeof word, " %s ", ladder_count_key(c));
        if (!strstr(plotted, word))
            continue;
        add_bar(&bars, "yours", ladder_count_of(counts, c));
        for (int k = 0; ladder_name(it, k); k++)
            add_bar(&bars, ladder_name(it, k), ladder_count(it, k, c));
        put_bars(out, &bars);
    }
}

static void put_times(FILE *out, const struct try_report *report, int i)
{
    const struct try_gpu *gpu = &report->gpu;
    struct bars bars = {.title = "time, in times of a copy"};
    char text[300];

    put(out, "<h2>", gpu->name, "");
    put(out, ": ", gpu->timed, "</h2>\n<table>\n<tr><th></th><th>ms</th><th>of a copy</th></tr>\n");
    fprintf(out, "<tr><td>yours</td><td>%.4g</td><td>%.2f</td></tr>\n", gpu->ms,
            gpu->ms / gpu->copy_ms);
    add_bar(&bars, "yours", gpu->ms / gpu->copy_ms);
    for (int k = 0; k < gpu->ours.count; k++) {
        fprintf(out, "<tr><td>%s</td><td>%.4g</td><td>%.2f</td></tr>\n", gpu->ours.row[k].name,
                gpu->ours.row[k].ms, gpu->ours.row[k].copies);
        add_bar(&bars, gpu->ours.row[k].name, gpu->ours.row[k].copies);
    }
    fprintf(out, "<tr><td>a copy</td><td>%.4g</td><td>1.00</td></tr>\n</table>\n", gpu->copy_ms);
    add_bar(&bars, "a copy", 1);
    put_bars(out, &bars);
    ladder_say_time(text, sizeof text, &report->file, &report->results[i].counts, gpu);
    put(out, "<p>", text, ".</p>\n");
}

/* ---- what to read next ---- */

/* The page of docs/lab/exercises. */
static const char *next_page(const struct try_report *report)
{
    static const struct {
        const char *ids, *page[2]; /* for 1D and 2D */
    } pages[] = {
        {" load-past-edge wrong-ghost inside-only ",
         {"1_basic_1d: ghost cells", "6_ghost_cells: what wrong ghost cells look like"}},
        {" pitch-width width-height channels ",
         {"1_basic_1d: which thread makes which output", "7_pitch: where a row begins"}},
        {" missing-barrier barrier-diverges shared-overlap shared-past-end tile-swapped "
         "uninitialised-shared ",
         {"3_tiled_1d: how a block shares cells", "8_tiled_2d: tiles, halo cells and barriers"}},
        {" wrong-halo ", {"4_cached_1d: the halo cells", "9_cached_2d: the halo cells"}},
        {" mask-past-end wide-mask mask-not-taken ",
         {"2_constant_1d: the mask in constant memory", "8_tiled_2d: room for a wider mask"}},
        {"", {"1_basic_1d: the formula and the threads", "5_basic_2d: rows and columns"}},
    };
    const int dims = report->file.dims == 1 ? 0 : 1, i = try_counted_case(report);
    char word[40];

    if (i >= 0) {
        const struct try_counts *counts = &report->results[i].counts;
        return counts->shared_loads > 0
                   ? (dims ? "10_reuse: how large a tile should be" : "5_basic_2d: two dimensions")
               : dims                        ? "8_tiled_2d: tiles in shared memory"
               : counts->constant_loads == 0 ? "2_constant_1d: the mask in constant memory"
                                             : "3_tiled_1d: tiles in shared memory";
    }
    snprintf(word, sizeof word, " %s ", report->verdict.id);
    for (size_t k = 0;; k++)
        if (pages[k].ids[0] == '\0' || strstr(pages[k].ids, word))
            return pages[k].page[dims];
}

/* ---- the page ---- */

static void put_page(FILE *out, const void *context)
{
    const struct try_report *report = context;
    const struct try_verdict *verdict = &report->verdict;
    const char *slash = strrchr(report->path, '/'), *word = try_verdict_word(report);
    const char *name = slash ? slash + 1 : report->path;
    const int i = try_counted_case(report);

    put(out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"generator\" content=\"stencilcli\"/>\n<title>",
        name, ": ");
    fprintf(out, "%s</title>\n<style>%s</style>\n</head>\n<body>\n<h1><b class=\"%s\">%s</b> ",
            word, css, word, word);
    put(out, "", name, "</h1>\n");
    if (report->error)
        put(out, "<p>", report->error->text, "</p>\n");
    else if (i >= 0)
        fprintf(out, "<p>All %d cases are right.</p>\n", verdict->cases);
    else
        put(out, "<p>", verdict->sentence, ".</p>\n");
    if (!report->error && verdict->note[0])
        put(out, "<p>Note: ", verdict->note, ".</p>\n");
    if (!report->error && verdict->advice[0])
        put(out, "<p>", verdict->advice, "</p>\n");
    if (try_shows_cell(report))
        put_tile(out, report);
    if (i >= 0)
        put_counts(out, report, i);
    if (i >= 0 && report->gpu.ran)
        put_times(out, report, i);
    if (report->printed && report->printed[0]) {
        char text[4000];
        snprintf(text, sizeof text, "%s", report->printed);
        fputs("<h2>The file printed</h2>\n<pre>", out);
        for (char *at = text, *line; (line = strsep(&at, "\n"));)
            put(out, "", line, "\n");
        fputs("</pre>\n", out);
    }
    if (!report->error)
        put(out, "<h2>Read next</h2>\n<p>docs/lab/exercises/", next_page(report), "</p>\n");
    fputs("<footer>stencilcli " STENCIL_VERSION "</footer>\n</body>\n</html>\n", out);
}

bool try_html_write(const struct try_report *report, const char *path, struct error *err)
{
    return output_page(path, put_page, report, err);
}
