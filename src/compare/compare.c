/* Compares two files, page by page. Two pages are read side by side in bands of rows. A band is
 * split into planes of one channel each. Threads measure the rows, which are independent of each
 * other; the rows' sums are then added in row order. */
#include "compare/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/parallel.h"
#include "compare/diff.h"
#include "compare/ssim.h"

/* Approximate samples of a band: enough rows to keep threads busy, few enough for a cache. */
#define BAND_SAMPLES ((size_t)512 * 1024)
#define BAND_ROWS    256

struct comparison {
    struct source *source[2];      /* NULL: the picture is in memory */
    const struct image *memory[2]; /* NULL: it is in a file */
    struct image_info info;        /* of both */
    int threads;
    int side;              /* the window's height */
    int kept, rows;        /* rows of earlier bands, first in the planes; then rows of this one */
    int first_row;         /* the first row of this band in the picture */
    struct image in[2];    /* the band's new rows, interleaved */
    struct image plane[2]; /* 16 bits; row (kept + y) * channels + c holds channel c of row y */
    struct compare_sums *sums; /* for each row of a plane; ssim: of the windows that end there */
    struct image diff;     /* 16 bits, by new row and x: the largest difference of any channel */
    double *scratch;       /* for each thread, ssim_scratch numbers */
    struct error error[2]; /* code 0: the file could be read */
};

static void comparison_free(struct comparison *c)
{
    for (int i = 0; i < 2; i++) {
        source_close(c->source[i]);
        if (!c->memory[i])
            image_free(&c->in[i]);
        image_free(&c->plane[i]);
    }
    image_free(&c->diff);
    free(c->sums);
    free(c->scratch);
}

static bool allocate(struct comparison *c, const char *name, struct error *err)
{
    const struct image_info *info = &c->info;
    size_t rows = BAND_SAMPLES / ((size_t)info->width * (size_t)info->channels);

    c->side = ssim_side(info->height);
    rows = rows < SSIM_SIDE ? SSIM_SIDE : rows > BAND_ROWS ? BAND_ROWS : rows;
    c->rows = rows > (size_t)info->height ? info->height : (int)rows;
    int room = (c->rows + c->side - 1) * info->channels;
    for (int i = 0; i < 2; i++) {
        if ((!c->memory[i] && !image_alloc(&c->in[i], info->width, c->rows, info->channels,
                                           info->type, name, err)) ||
            !image_alloc(&c->plane[i], info->width, room, 1, SAMPLE_U16, name, err))
            return false;
    }
    c->sums = calloc((size_t)room, sizeof *c->sums);
    c->scratch = calloc((size_t)c->threads * ssim_scratch(info->width), sizeof *c->scratch);
    if (!c->sums || !c->scratch)
        return error_set(err, EXIT_INPUT, "%s: no memory to compare it", name);
    return image_alloc(&c->diff, info->width, c->rows, 1, SAMPLE_U16, name, err);
}

/* ---- one row ---- */

/* The row, in planes and sums, for CHANNEL of the band's row Y; Y is negative for rows of earlier
 * bands. */
static int plane_row(const struct comparison *c, int y, int channel)
{
    return (c->kept + y) * c->info.channels + channel;
}

static void split(const struct comparison *c, int y, int channel)
{
    for (int i = 0; i < 2; i++) {
        const void *in = image_row(&c->in[i], y);
        uint16_t *out = image_row(&c->plane[i], plane_row(c, y, channel));
        size_t at = (size_t)channel;
        for (int x = 0; x < c->info.width; x++, at += (size_t)c->info.channels)
            out[x] = (uint16_t)image_sample(in, c->info.type, at);
    }
}

static uint32_t difference(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* Measures one channel of a row that differs. DIFF keeps the largest difference of any channel. */
static void measure_channel(int width, const uint16_t *a, const uint16_t *b,
                            struct compare_sums *sums, uint16_t *diff)
{
    uint64_t differing = 0, sum = 0, squares = 0; /* 2^31 samples below 2^32: a row fits 64 bits */
    uint32_t most = 0;

    for (int x = 0; x < width; x++) {
        uint32_t d = difference(a[x], b[x]);
        differing += d != 0;
        sum += d;
        squares += (uint64_t)d * d;
        most = d > most ? d : most;
        diff[x] = d > diff[x] ? (uint16_t)d : diff[x];
    }
    sums->differing = differing;
    sums->sum = sum;
    sums->squares = squares;
    sums->max_diff = most;
    while (difference(a[sums->x], b[sums->x]) != most)
        sums->x++;
    sums->a = a[sums->x];
    sums->b = b[sums->x];
}

/* Splits the band's row Y into planes and fills `diff` and all sums except ssim. */
static void measure_row(void *context, int y, int worker)
{
    struct comparison *c = context;
    uint16_t *diff = image_row(&c->diff, y);

    (void)worker;
    memset(diff, 0, image_row_bytes(&c->diff));
    for (int channel = 0; channel < c->info.channels; channel++) {
        int row = plane_row(c, y, channel);
        const uint16_t *a = image_row(&c->plane[0], row), *b = image_row(&c->plane[1], row);
        c->sums[row] = (struct compare_sums){.channel = channel, .y = c->first_row + y};
        split(c, y, channel);
        if (memcmp(a, b, image_row_bytes(&c->plane[0])) != 0)
            measure_channel(c->info.width, a, b, &c->sums[row], diff);
    }
}

/* Fills ssim for the band's row Y if a whole window ends there; the rows above are complete. */
static void measure_ssim(void *context, int y, int worker)
{
    struct comparison *c = context;
    int width = c->info.width;
    struct ssim_rows rows = {.width = width, .rows = c->side, .max = c->info.max};

    if (c->first_row + y < c->side - 1)
        return;
    for (int channel = 0; channel < c->info.channels; channel++) {
        bool same = true;
        for (int i = 0; i < c->side; i++) {
            int row = plane_row(c, y - c->side + 1 + i, channel);
            rows.a[i] = image_row(&c->plane[0], row);
            rows.b[i] = image_row(&c->plane[1], row);
            same = same && c->sums[row].differing == 0;
        }
        /* Equal rows: both factors of the quotient are equal, so it is exactly 1. */
        c->sums[plane_row(c, y, channel)].ssim =
            same ? width - ssim_side(width) + 1
                 : ssim_row(&rows, c->scratch + (size_t)worker * ssim_scratch(width));
    }
}

/* ---- one band ---- */

static void read_side(void *context, int piece, int worker)
{
    struct comparison *c = context;
    (void)worker;
    if (c->memory[piece]) {
        c->in[piece] = image_rows(c->memory[piece], c->first_row, c->rows);
        return;
    }
    c->in[piece].height = c->rows;
    source_read(c->source[piece], &c->in[piece], &c->error[piece]);
}

static void add_sums(struct compare_sums *all, const struct compare_sums *row)
{
    all->differing += row->differing;
    all->sum += row->sum;
    all->squares += row->squares;
    all->ssim += row->ssim;
    if (row->max_diff <= all->max_diff)
        return;
    all->max_diff = row->max_diff;
    all->channel = row->channel;
    all->x = row->x;
    all->y = row->y;
    all->a = row->a;
    all->b = row->b;
}

static void add_band(const struct comparison *c, int max_diff, struct compare_result *result)
{
    for (int y = 0; y < c->rows; y++) {
        const uint16_t *diff = image_row(&c->diff, y);
        bool same = true;
        for (int channel = 0; channel < c->info.channels; channel++) {
            const struct compare_sums *row = &c->sums[plane_row(c, y, channel)];
            add_sums(&result->channel[channel], row);
            add_sums(&result->all, row);
            same = same && row->differing == 0;
        }
        for (int x = 0; !same && x < c->info.width; x++) {
            result->differing_pixels += diff[x] != 0;
            result->failing_pixels += diff[x] > max_diff;
        }
    }
}

/* Keeps the last rows for windows that reach into the next band. */
static void keep_rows(struct comparison *c)
{
    int have = c->kept + c->rows, keep = c->side - 1 < have ? c->side - 1 : have;
    int from = (have - keep) * c->info.channels;
    size_t count = (size_t)(keep * c->info.channels);

    for (int i = 0; i < 2; i++)
        memmove(c->plane[i].data, image_row(&c->plane[i], from), count * c->plane[i].pitch);
    memmove(c->sums, c->sums + from, count * sizeof *c->sums);
    c->kept = keep;
    c->first_row += c->rows;
}

static bool compare_bands(struct comparison *c, const struct compare_limits *limits,
                          struct diff *diff, struct compare_result *result, struct error *err)
{
    while (c->first_row < c->info.height) {
        if (c->rows > c->info.height - c->first_row)
            c->rows = c->info.height - c->first_row;
        parallel_for(2, 2, read_side, c);
        for (int i = 0; i < 2; i++) {
            if (c->error[i].code != EXIT_DONE) {
                *err = c->error[i];
                return false;
            }
        }
        parallel_for(c->threads, c->rows, measure_row, c);
        parallel_for(c->threads, c->rows, measure_ssim, c);
        add_band(c, limits->max_diff > 0 ? limits->max_diff : 0, result);
        if (diff && !diff_rows(diff, &c->in[0], &c->diff, err))
            return false;
        keep_rows(c);
    }
    return true;
}

/* ---- the whole ---- */

static void begin_sums(struct compare_result *result)
{
    result->pixels = (uint64_t)result->a.width * (uint64_t)result->a.height;
    result->all.samples = result->pixels * (uint64_t)result->a.channels;
    for (int c = 0; c < result->a.channels; c++) {
        result->channel[c].samples = result->pixels;
        result->channel[c].channel = c;
    }
}

/* Divides each channel's sum over windows by their number; `all` gets the mean of the channels. */
static void finish_ssim(struct compare_result *result)
{
    int columns = result->a.width - ssim_side(result->a.width) + 1;
    int rows = result->a.height - ssim_side(result->a.height) + 1;
    double sum = 0;

    for (int c = 0; c < result->a.channels; c++) {
        result->channel[c].ssim /= (double)columns * (double)rows;
        sum += result->channel[c].ssim;
    }
    result->all.ssim = sum / result->a.channels;
}

static bool open_both(struct comparison *c, const char *const path[2],
                      struct compare_result *result, struct error *err)
{
    if (strcmp(path[0], "-") == 0 && strcmp(path[1], "-") == 0)
        return error_set(err, EXIT_USAGE, "only one picture can be read from standard input");
    for (int i = 0; i < 2; i++) {
        if (!source_open(&c->source[i], path[i], err))
            return false;
        /* Metadata that no output can keep gets a warning. The file's own format keeps the rest. */
        const char *warning = source_warning(c->source[i], source_info(c->source[i])->format);
        snprintf(result->warning[i], sizeof result->warning[i], "%s", warning ? warning : "");
    }
    return true;
}

/* Measures two pictures of equal shapes. */
static bool measure(struct comparison *c, const char *name, const struct compare_limits *limits,
                    struct diff *diff, struct compare_result *result, struct error *err)
{
    const bool good = allocate(c, name, err) && compare_bands(c, limits, diff, result, err);

    if (good) {
        finish_ssim(result);
        compare_judge(result, limits);
    }
    return good;
}

bool compare_images(const struct image *a, const struct image *b, const struct image_info *info,
                    int threads, struct compare_result *result, struct error *err)
{
    const struct compare_limits exact = COMPARE_EXACT;
    struct comparison c = {.memory = {a, b}, .info = *info, .threads = threads};
    bool good;

    memset(result, 0, sizeof *result);
    result->a = result->b = *info;
    compare_shapes(result);
    begin_sums(result);
    good = measure(&c, "the pictures", &exact, NULL, result, err);
    comparison_free(&c);
    return good;
}

/* ---- pages ---- */

/* Compares the pages at which both sources are; RESULT is theirs alone. */
static bool compare_page(struct comparison *c, const char *name,
                         const struct compare_limits *limits, const struct compare_drawing *drawing,
                         struct compare_result *result, struct diff **diff, struct error *err)
{
    struct comparison page = {.source = {c->source[0], c->source[1]}, .threads = c->threads};
    bool good = true;

    result->a = page.info = *source_info(c->source[0]);
    result->b = *source_info(c->source[1]);
    compare_shapes(result);
    if (result->comparable) {
        begin_sums(result);
        good = (!drawing || diff_begin(diff, drawing, &page.info, c->threads, err)) &&
               measure(&page, name, limits, *diff, result, err);
    }
    page.source[0] = page.source[1] = NULL; /* they stay open for the next page */
    comparison_free(&page);
    return good;
}

/* Whether each source has a page behind the one that was read to its end. */
static void ask_for_more(const struct comparison *c, bool more[2])
{
    for (int i = 0; i < 2; i++)
        more[i] = source_has_more(c->source[i], source_info(c->source[i])->format);
}

/* Says after the last PAGE what RESULT, of one of the pages, means for all of them. */
static void judge_pages(struct compare_result *result, int page, const bool more[2])
{
    char why[sizeof result->why];

    if (result->passed && more[0] != more[1]) {
        result->comparable = result->passed = false;
        snprintf(result->why, sizeof result->why, "the %s has more pages than the %s, which has %d",
                 more[0] ? "first" : "second", more[0] ? "second" : "first", page);
    } else if (page > 1 && result->passed && result->differing_pixels == 0) {
        snprintf(result->why, sizeof result->why, "equal, %d pages", page);
    } else if (page > 1 || more[0] || more[1]) {
        snprintf(why, sizeof why, "%s", result->why);
        snprintf(result->why, sizeof result->why, "page %d: %.200s", result->page, why);
    }
}

/* Compares page after page. RESULT and DIFF become those of the first page that fails; if none
 * does, of the page with the largest difference. */
static bool compare_pages(struct comparison *c, const char *name,
                          const struct compare_limits *limits,
                          const struct compare_drawing *drawing, struct compare_result *result,
                          struct diff **diff, struct error *err)
{
    bool more[2] = {false, false};

    for (int number = 1; number == 1 || (result->passed && more[0] && more[1]); number++) {
        struct compare_result page = {.page = number};
        struct diff *drawn = NULL;
        if (number > 1 && drawing && strcmp(drawing->path, "-") == 0)
            return error_set(err, EXIT_USAGE, "--diff -: %s has several pages: name a file", name);
        bool good =
            (number == 1 || (source_next(c->source[0], err) && source_next(c->source[1], err))) &&
            compare_page(c, name, limits, drawing, &page, &drawn, err);
        if (number == 1 || !page.passed || page.all.max_diff > result->all.max_diff) {
            memcpy(page.warning, result->warning, sizeof page.warning);
            *result = page;
            diff_free(*diff);
            *diff = drawn;
        } else {
            diff_free(drawn);
        }
        if (!good)
            return false;
        ask_for_more(c, more);
        if (!result->passed || !more[0] || !more[1])
            judge_pages(result, number, more);
    }
    return true;
}

bool compare_files(const char *a, const char *b, const struct compare_limits *limits, int threads,
                   const struct compare_drawing *drawing, struct compare_result *result,
                   struct error *err)
{
    struct comparison c = {.threads = threads > 0 ? threads : machine_cpus()};
    struct diff *diff = NULL;
    bool good;

    memset(result, 0, sizeof *result);
    good = (!drawing || diff_check(drawing, err)) &&
           open_both(&c, (const char *const[]){a, b}, result, err) &&
           compare_pages(&c, a, limits, drawing, result, &diff, err);
    if (good && diff && result->comparable && !(drawing->only_failed && result->passed))
        good = diff_finish(diff, result, err);
    diff_free(diff);
    comparison_free(&c);
    return good;
}
