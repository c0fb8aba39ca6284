/* Draws the picture of the differences from top to bottom, in rows of RGB; each row is written to
 * the file as soon as it is drawn. */
#include "compare/diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FONT_WIDTH  6 /* with the blank column on the right */
#define FONT_HEIGHT 7

/* Lengths are in units of `scale` pixels; `scale` grows with the picture. */
#define MARGIN  6 /* around everything, and between picture and profiles */
#define PROFILE 6 /* the thickness of the bar of rows and of the bar of columns */
#define BAR     8
#define TEXT    FONT_HEIGHT
#define LEGEND  280 /* the least width of the legend */

#define SMALL 256 /* pictures with both sides at most half of this are drawn enlarged */
#define WIDE  900 /* from this width on, the legend is enlarged */

struct rgb {
    uint8_t c[3];
};

static const struct rgb paper = {{24, 24, 27}}, ink = {{228, 228, 231}};

struct diff {
    const char *path;
    bool bare;
    struct sink *sink;
    struct image_info in;
    int zoom, scale, margin;
    struct image line;                 /* one row of the drawing */
    struct rgb colors[UINT16_MAX + 1]; /* by difference */
    uint16_t *column;                  /* the largest difference of each column */
};

/* ---- colours ---- */

void diff_color(uint32_t d, uint32_t max, uint8_t rgb[3])
{
    static const uint8_t stops[][3] = {
        {58, 100, 246}, {190, 60, 214}, {247, 92, 80}, {255, 178, 44}, {255, 252, 190}};
    double place = log2(1 + (double)d) / log2(1 + (double)max) * 4;
    int stop = place >= 4 ? 3 : (int)place;

    for (int c = 0; c < 3; c++) {
        double low = stops[stop][c], high = stops[stop + 1][c];
        rgb[c] = (uint8_t)lround(low + (high - low) * (place - stop));
    }
}

/* A differing pixel of black has this part of its colour's brightness, one of white all of it: so
 * the subject stays visible where every pixel differs. */
#define DARKEST 110 /* of 255 */

/* Pixel X of A in gray, dark enough for every colour of the scale to stand out; or, where the
 * pictures differ by D, the colour of the difference, as bright as the pixel. */
static struct rgb shade(const struct diff *diff, const void *row, int x, uint16_t d)
{
    int channels = diff->in.channels, colors = channels >= 3 ? 3 : 1;
    struct rgb out;
    uint64_t sum = 0, white = (uint64_t)colors * diff->in.max;

    for (int c = 0; c < colors; c++)
        sum += image_sample(row, diff->in.type, (size_t)x * (size_t)channels + (size_t)c);
    for (int c = 0; c < 3; c++)
        out.c[c] = d > 0 ? (uint8_t)(diff->colors[d].c[c] *
                                     (DARKEST * white + (255 - DARKEST) * sum) / (255 * white))
                         : (uint8_t)(sum * 80 / white);
    return out;
}

/* ---- letters ---- */

/* Digits, some signs, and the letters of the legend; other characters are blank. A row has five
 * bits, the left column highest. */
static const unsigned char glyphs[128][FONT_HEIGHT] = {
    ['0'] = {0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e},
    ['1'] = {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e},
    ['2'] = {0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f},
    ['3'] = {0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e},
    ['4'] = {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02},
    ['5'] = {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e},
    ['6'] = {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e},
    ['7'] = {0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08},
    ['8'] = {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e},
    ['9'] = {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c},
    ['.'] = {0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x0c},
    [','] = {0x00, 0x00, 0x00, 0x00, 0x0c, 0x04, 0x08},
    ['%'] = {0x19, 0x19, 0x02, 0x04, 0x08, 0x13, 0x13},
    ['-'] = {0x00, 0x00, 0x00, 0x1f, 0x00, 0x00, 0x00},
    ['+'] = {0x00, 0x04, 0x04, 0x1f, 0x04, 0x04, 0x00},
    ['a'] = {0x00, 0x00, 0x0e, 0x01, 0x0f, 0x11, 0x0f},
    ['d'] = {0x01, 0x01, 0x0f, 0x11, 0x11, 0x11, 0x0f},
    ['e'] = {0x00, 0x00, 0x0e, 0x11, 0x1f, 0x10, 0x0e},
    ['f'] = {0x06, 0x09, 0x08, 0x1c, 0x08, 0x08, 0x08},
    ['i'] = {0x04, 0x00, 0x0c, 0x04, 0x04, 0x04, 0x0e},
    ['l'] = {0x0c, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e},
    ['m'] = {0x00, 0x00, 0x1a, 0x15, 0x15, 0x15, 0x15},
    ['o'] = {0x00, 0x00, 0x0e, 0x11, 0x11, 0x11, 0x0e},
    ['p'] = {0x00, 0x00, 0x1e, 0x11, 0x1e, 0x10, 0x10},
    ['r'] = {0x00, 0x00, 0x16, 0x19, 0x10, 0x10, 0x10},
    ['s'] = {0x00, 0x00, 0x0f, 0x10, 0x0e, 0x01, 0x1e},
    ['t'] = {0x08, 0x08, 0x1c, 0x08, 0x08, 0x09, 0x06},
    ['x'] = {0x00, 0x00, 0x11, 0x0a, 0x04, 0x0a, 0x11},
};

/* ---- lines ---- */

static void fill(struct diff *diff, int from, int count, struct rgb color)
{
    uint8_t *at = (uint8_t *)diff->line.data + 3 * (size_t)from;
    for (int i = 0; i < count && from + i < diff->line.width; i++, at += 3)
        memcpy(at, color.c, 3);
}

/* Writes the line and clears it. */
static bool put_line(struct diff *diff, int times, struct error *err)
{
    for (int i = 0; i < times; i++)
        if (!sink_write(diff->sink, &diff->line, err))
            return false;
    fill(diff, 0, diff->line.width, paper);
    return true;
}

static bool put_gap(struct diff *diff, struct error *err)
{
    return put_line(diff, diff->margin, err);
}

/* Puts row Y of the letters of TEXT into the line, from X on. */
static void draw_text(struct diff *diff, const char *text, int x, int y)
{
    for (; *text; text++)
        for (int bit = FONT_WIDTH - 2; bit >= -1; bit--, x += diff->scale)
            if (bit >= 0 && (glyphs[(unsigned char)*text & 127][y] >> bit & 1))
                fill(diff, x, diff->scale, ink);
}

/* ---- the picture ---- */

/* Computes the drawing's size; false if it is too wide or too high. */
static bool measure(struct diff *diff, int64_t *width, int64_t *height)
{
    const struct image_info *in = &diff->in;
    int longer = in->width > in->height ? in->width : in->height;

    diff->zoom = diff->bare || longer > SMALL ? 1 : SMALL / longer > 16 ? 16 : SMALL / longer;
    diff->scale = 1 + in->width * diff->zoom / WIDE;
    diff->scale = diff->scale > 6 ? 6 : diff->scale;
    diff->margin = diff->bare ? 0 : MARGIN * diff->scale;
    *width = (int64_t)in->width * diff->zoom;
    *height = (int64_t)in->height * diff->zoom;
    if (diff->bare)
        return true;
    *width += diff->margin + PROFILE * diff->scale;
    if (*width < (int64_t)LEGEND * diff->scale)
        *width = (int64_t)LEGEND * diff->scale;
    *width += 2 * diff->margin;
    *height += (int64_t)6 * diff->margin + (PROFILE + BAR + 2 * TEXT) * diff->scale;
    return *width <= INT32_MAX / 3 && *height <= INT32_MAX;
}

/* The format follows from the drawing's extension. */
static const struct sink_options usual = {.quality = 90};

bool diff_check(const struct compare_drawing *drawing, struct error *err)
{
    char known[FORMAT_KNOWN_BYTES];

    return strcmp(drawing->path, "-") == 0 || format_of_path(drawing->path) != FORMAT_NONE
               ? sink_check_format(drawing->path, &usual, err)
               : error_set(err, EXIT_USAGE,
                           "--diff %s: the extension tells the format, expected one of: %s",
                           drawing->path, format_known(known));
}

bool diff_begin(struct diff **made, const struct compare_drawing *drawing,
                const struct image_info *in, int threads, struct error *err)
{
    struct diff *diff = *made = calloc(1, sizeof *diff);
    struct sink_options options = usual;
    struct image_info info = {.channels = 3, .type = SAMPLE_U8, .max = 255, .format = FORMAT_PNG};
    int64_t width, height;

    if (!diff || !(diff->column = calloc((size_t)in->width, sizeof *diff->column)))
        return error_set(err, EXIT_INPUT, "%s: no memory to draw it", drawing->path);
    diff->path = drawing->path;
    diff->bare = drawing->bare;
    diff->in = *in;
    if (!measure(diff, &width, &height))
        return error_set(err, EXIT_INPUT, "%s: too large a picture to draw its differences",
                         diff->path);
    info.width = (int)width;
    info.height = (int)height;
    options.threads = threads;
    for (uint32_t d = 0; d <= in->max; d++)
        diff_color(d, in->max, diff->colors[d].c);
    if (!image_alloc(&diff->line, info.width, 1, 3, SAMPLE_U8, diff->path, err) ||
        !sink_open(&diff->sink, diff->path, &info, &options, err))
        return false;
    fill(diff, 0, info.width, paper);
    return put_gap(diff, err);
}

bool diff_rows(struct diff *diff, const struct image *rows, const struct image *differences,
               struct error *err)
{
    for (int y = 0; y < rows->height; y++) {
        const void *row = image_row(rows, y);
        const uint16_t *d = image_row(differences, y);
        uint16_t most = 0;
        for (int x = 0; x < rows->width; x++) {
            fill(diff, diff->margin + x * diff->zoom, diff->zoom, shade(diff, row, x, d[x]));
            most = d[x] > most ? d[x] : most;
            diff->column[x] = d[x] > diff->column[x] ? d[x] : diff->column[x];
        }
        if (most > 0 && !diff->bare)
            fill(diff, 2 * diff->margin + rows->width * diff->zoom, PROFILE * diff->scale,
                 diff->colors[most]);
        if (!put_line(diff, diff->zoom, err))
            return false;
    }
    return true;
}

/* ---- below the picture ---- */

static int legend_width(const struct diff *diff)
{
    int width = diff->in.width * diff->zoom, least = LEGEND * diff->scale;
    return width > least ? width : least;
}

/* Draws the marks of the scale: 0, 1, 3, 7, ... and max; only every second of many marks. */
static bool draw_marks(struct diff *diff, struct error *err)
{
    uint32_t max = diff->in.max;
    int width = legend_width(diff), step = max > 255 ? 2 : 1;

    for (int y = 0; y < TEXT; y++) {
        for (int bit = 0; bit <= 16; bit += step) {
            uint32_t d = ((uint32_t)1 << bit) - 1;
            char text[16];
            /* The last mark is max itself; a mark that would touch it is left out. */
            if (d > 0 && d >= max / 3 * 2)
                d = max;
            int length = snprintf(text, sizeof text, "%u", d) * FONT_WIDTH * diff->scale;
            int x = (int)(log2(1 + (double)d) / log2(1 + (double)max) * width) - length / 2;
            x = x < 0 ? 0 : x > width - length ? width - length : x;
            draw_text(diff, text, diff->margin + x, y);
            if (d == max)
                break;
        }
        if (!put_line(diff, diff->scale, err))
            return false;
    }
    return true;
}

static bool draw_words(struct diff *diff, const struct compare_result *result, struct error *err)
{
    char text[96], where[48] = "";
    const struct compare_sums *all = &result->all;
    uint64_t count = result->differing_pixels;

    if (count > 0)
        snprintf(where, sizeof where, "max %u at %d,%d   ", all->max_diff, all->x, all->y);
    if (count > 0 && count < 1000)
        snprintf(text, sizeof text, "%s%d pixels differ", where, (int)count);
    else
        snprintf(text, sizeof text, "%s%.3g%% of pixels differ", where,
                 compare_percent(count, result->pixels));
    for (int y = 0; y < TEXT; y++) {
        draw_text(diff, text, diff->margin, y);
        if (!put_line(diff, diff->scale, err))
            return false;
    }
    return true;
}

static bool draw_below(struct diff *diff, const struct compare_result *result, struct error *err)
{
    int width = legend_width(diff);
    double range = log2(1 + (double)diff->in.max);

    if (!put_gap(diff, err))
        return false;
    for (int x = 0; x < diff->in.width; x++)
        if (diff->column[x] > 0)
            fill(diff, diff->margin + x * diff->zoom, diff->zoom, diff->colors[diff->column[x]]);
    if (!put_line(diff, PROFILE * diff->scale, err) || !put_gap(diff, err))
        return false;
    for (int x = 0; x < width; x++) {
        uint32_t d = (uint32_t)(exp2((double)x / width * range) - 0.5);
        d = d > diff->in.max ? diff->in.max : d;
        fill(diff, diff->margin + x, 1, d > 0 ? diff->colors[d] : (struct rgb){{40, 40, 40}});
    }
    return put_line(diff, BAR * diff->scale, err) && put_gap(diff, err) && draw_marks(diff, err) &&
           put_gap(diff, err) && draw_words(diff, result, err) && put_gap(diff, err);
}

/* ---- the end ---- */

bool diff_finish(struct diff *diff, const struct compare_result *result, struct error *err)
{
    if (!diff->bare && !draw_below(diff, result, err))
        return false;
    struct sink *sink = diff->sink;
    diff->sink = NULL;
    return sink_finish(sink, err);
}

void diff_free(struct diff *diff)
{
    if (!diff)
        return;
    sink_abort(diff->sink);
    image_free(&diff->line);
    free(diff->column);
    free(diff);
}
