/* Makes the pictures of a report: PNG of 8 bits in base64. Pictures that were compared and differ
 * are shown at full size around the largest difference; other pictures are shown whole, large ones
 * reduced. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codec/input.h"
#include "compare/golden.h"

/* The longer side of the part shown, for pictures that differ and for equal ones. The pictures of a
 * case that take more than MOST_CHARS are made again with a smaller side. */
#define SIDE_DIFFERENT 1536
#define SIDE_SAME      320
#define MOST_CHARS     1900000

struct part {
    int left, top, width, height; /* position in the picture */
    int reduced;                  /* this many pixels, squared, become one */
};

/* ---- base64 ---- */

static char *base64(const uint8_t *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((count + 2) / 3 * 4 + 1), *to = text;

    for (size_t i = 0; text && i < count; i += 3) {
        size_t left = count - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        *to++ = digits[group >> 18];
        *to++ = digits[group >> 12 & 63];
        *to++ = left > 1 ? digits[group >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[group & 63] : '=';
    }
    if (text)
        *to = '\0';
    return text;
}

static bool read_base64(struct golden_picture *picture, const char *path, struct error *err)
{
    struct input *input = NULL;
    const uint8_t *bytes;
    size_t count;
    bool good = input_open(&input, path, err) && input_read_all(input, &bytes, &count, err);

    if (good && !(picture->png = base64(bytes, count)))
        good = error_set(err, EXIT_INPUT, "%s: no memory to show it", path);
    input_close(input);
    return good;
}

/* ---- which part ---- */

/* The begin of SIDE samples out of LENGTH around AT. */
static int window_begin(int length, int side, int at)
{
    int begin = at - side / 2 < length - side ? at - side / 2 : length - side;
    return begin < 0 ? 0 : begin;
}

/* Chooses the part of a picture like INFO to show; pictures of equal shape get the same part. */
static struct part choose_part(const struct golden_result *result, const struct image_info *info)
{
    const struct compare_result *numbers = &result->numbers;
    struct part part = {.width = info->width, .height = info->height, .reduced = 1};
    int side = result->state == GOLDEN_SAME ? SIDE_SAME : result->side;

    if (result->compared && numbers->comparable && result->state != GOLDEN_SAME) {
        part.width = info->width < side ? info->width : side;
        part.height = info->height < side ? info->height : side;
        part.left = window_begin(info->width, part.width, numbers->all.x);
        part.top = window_begin(info->height, part.height, numbers->all.y);
    } else {
        int longer = info->width > info->height ? info->width : info->height;
        part.reduced = (longer + side - 1) / side;
    }
    return part;
}

/* ---- a part of a picture as PNG ---- */

/* Adds ROW's samples in the part to SUMS, which has a sum for each sample of the reduced row. */
static void add_row(const struct image *row, const struct part *part, uint64_t *sums)
{
    for (int x = 0; x < part->width; x++) {
        uint64_t *sum = sums + (size_t)(x / part->reduced) * (size_t)row->channels;
        for (int c = 0; c < row->channels; c++)
            sum[c] += image_sample(row->data, row->type,
                                   (size_t)(part->left + x) * (size_t)row->channels + (size_t)c);
    }
}

/* Divides SUMS over ROWS rows into means, scaled to 0..255. */
static void finish_row(const struct part *part, int rows, uint32_t max, uint64_t *sums,
                       struct image *out)
{
    for (int x = 0; x < out->width; x++) {
        int left = part->width - x * part->reduced;
        int columns = left < part->reduced ? left : part->reduced;
        uint64_t whole = (uint64_t)rows * (uint64_t)columns * max;
        for (int c = 0; c < out->channels; c++) {
            size_t i = (size_t)x * (size_t)out->channels + (size_t)c;
            ((uint8_t *)out->data)[i] = (uint8_t)((sums[i] * UINT64_C(510) + whole) / (2 * whole));
            sums[i] = 0;
        }
    }
}

static bool write_part(struct source *source, struct sink *sink, const struct part *part,
                       struct image *row, struct image *out, struct error *err)
{
    uint64_t *sums = calloc((size_t)out->width * (size_t)out->channels, sizeof *sums);
    bool good = sums || error_set(err, EXIT_INPUT, "no memory to show a picture");
    int gathered = 0, end = part->top + part->height;

    for (int y = 0; good && y < end; y++) {
        good = source_read(source, row, err);
        if (!good || y < part->top)
            continue;
        add_row(row, part, sums);
        if (++gathered == part->reduced || y == end - 1) {
            finish_row(part, gathered, source_info(source)->max, sums, out);
            good = sink_write(sink, out, err);
            gathered = 0;
        }
    }
    free(sums);
    return good;
}

/* Opens PATH at PAGE, from 1 on. */
static bool open_page(struct source **source, const char *path, int page, struct error *err)
{
    struct image skipped;
    bool good = source_open(source, path, err);

    for (; good && page > 1; page--) {
        good = source_read_all(*source, &skipped, err);
        image_free(&skipped);
        good = good && source_next(*source, err);
    }
    return good;
}

/* Fills PICTURE with a part of PAGE of the picture at PATH, by way of the file PNG; *part is that
 * part. */
static bool show_part(const struct golden_result *result, struct golden_picture *picture,
                      const char *path, int page, const char *png, struct part *part,
                      struct error *err)
{
    const struct sink_options options = {.format = FORMAT_PNG, .quality = 90, .threads = 1};
    struct source *source;
    struct sink *sink = NULL;
    struct image row = {0}, out = {0};

    if (!open_page(&source, path, page, err)) {
        source_close(source);
        return false;
    }
    struct image_info shown = *source_info(source);
    *part = choose_part(result, &shown);
    bool good = image_alloc(&row, shown.width, 1, shown.channels, shown.type, path, err);
    picture->width = shown.width = (part->width + part->reduced - 1) / part->reduced;
    picture->height = shown.height = (part->height + part->reduced - 1) / part->reduced;
    shown.type = SAMPLE_U8;
    shown.max = 255;
    good = good && image_alloc(&out, shown.width, 1, shown.channels, SAMPLE_U8, path, err) &&
           sink_open(&sink, png, &shown, &options, err);
    if (good && write_part(source, sink, part, &row, &out, err)) {
        good = sink_finish(sink, err) && read_base64(picture, png, err);
        unlink(png);
    } else {
        good = false;
        sink_abort(sink);
    }
    image_free(&row);
    image_free(&out);
    source_close(source);
    return good;
}

/* Draws the whole difference into the file DRAWN; of several pages, that of numbers.page. */
static bool draw_difference(const struct golden_result *result, const char *expected,
                            const struct compare_limits *limits, const char *drawn,
                            struct error *err)
{
    const struct compare_drawing drawing = {.path = drawn, .bare = true};
    struct compare_result again;

    return compare_files(expected, result->path, limits, 1, &drawing, &again, err);
}

/* Shows the parts that RESULT's side allows. EXPECTED and DRAWN may be NULL: they are not shown. */
static bool show_parts(struct golden_result *result, const char *expected, const char *drawn,
                       const char *png, struct error *err)
{
    struct part part, ignored;
    const int page = expected ? result->numbers.page : 1;

    if (!show_part(result, &result->actual, result->path, page, png, &part, err))
        return false;
    result->left = part.left;
    result->top = part.top;
    result->reduced = part.reduced;
    return (!expected ||
            show_part(result, &result->expected, expected, page, png, &ignored, err)) &&
           (!drawn || show_part(result, &result->difference, drawn, 1, png, &ignored, err));
}

static size_t chars_of(const struct golden_picture *picture)
{
    return picture->png ? strlen(picture->png) : 0;
}

void golden_pictures_free(struct golden_result *result)
{
    free(result->expected.png);
    free(result->actual.png);
    free(result->difference.png);
    result->expected = result->actual = result->difference = (struct golden_picture){0};
}

bool golden_pictures_make(struct golden_result *result, const char *expected,
                          const struct compare_limits *limits, const char *name, struct error *err)
{
    const bool differs = result->state != GOLDEN_SAME && result->compared;
    char png[GOLDEN_PATH + 16], file[GOLDEN_PATH + 16];
    const char *drawn = differs && result->numbers.comparable ? file : NULL;
    bool good;

    snprintf(png, sizeof png, "%s.shown.png", name);
    snprintf(file, sizeof file, "%s.drawn.png", name);
    good = !drawn || draw_difference(result, expected, limits, drawn, err);
    for (result->side = SIDE_DIFFERENT; good;) {
        size_t chars;
        good = show_parts(result, differs ? expected : NULL, drawn, png, err);
        chars =
            chars_of(&result->expected) + chars_of(&result->actual) + chars_of(&result->difference);
        if (chars <= MOST_CHARS || result->side < SIDE_SAME)
            break;
        result->side = (int)(0.9 * result->side * sqrt((double)MOST_CHARS / (double)chars));
        golden_pictures_free(result);
    }
    if (drawn)
        unlink(drawn);
    return good;
}
