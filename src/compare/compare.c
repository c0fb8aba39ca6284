/* Compares two files, read side by side in bands of rows. A band is split into planes of one
 * channel each; threads measure its rows, which are independent of each other, and the rows' sums
 * are added in the order of the rows. */
#include "compare/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/parallel.h"
#include "compare/ssim.h"

/* About so many samples are in a band: enough rows to keep threads busy, few enough for a cache. */
#define BAND_SAMPLES ((size_t)512 * 1024)
#define BAND_ROWS    256

/* The sums of one row and channel. */
struct row {
    uint64_t differing, sum, squares; /* 2^31 samples of 2^32: a row fits 64 bits */
    uint32_t max_diff;
    int x; /* the first place of max_diff */
    uint32_t a, b;
    double ssim; /* of the windows whose last row this is */
};

struct row_pixels {
    uint64_t differing, failing;
};

struct band {
    int width, channels;
    enum sample_type type;
    uint32_t max;
    uint64_t max_diff;  /* samples with a larger difference fail */
    int kept, rows;     /* rows of planes from the bands before, then rows of this one */
    int side;           /* the window's height */
    int first_row;      /* the picture's row that comes first in this band */
    struct image in[2]; /* interleaved, the band's new rows */
    uint16_t *plane[2]; /* row (kept + y), channel c at ((kept + y) * channels + c) * width */
    bool *same;         /* by row and channel, as plane */
    uint16_t *diff;     /* by new row and x: the largest of its channels */
    struct row *row;    /* by new row and channel */
    struct row_pixels *pixels; /* by new row */
};

struct job {
    struct source *source[2];
    struct band band;
    int threads;
    void **scratch; /* one for each thread */
    struct error error[2];
    bool read[2];
};

/* ---- opening ---- */

static void job_free(struct job *job)
{
    struct band *band = &job->band;

    for (int i = 0; i < 2; i++) {
        source_close(job->source[i]);
        image_free(&band->in[i]);
        free(band->plane[i]);
    }
    free(band->same);
    free(band->diff);
    free(band->row);
    free(band->pixels);
    for (int i = 0; job->scratch && i < job->threads; i++)
        free(job->scratch[i]);
    free(job->scratch);
}

static bool band_alloc(struct job *job, const struct image_info *info, const char *name,
                       struct error *err)
{
    struct band *band = &job->band;
    size_t width = (size_t)info->width, channels = (size_t)info->channels;
    size_t rows = BAND_SAMPLES / (width * channels), room;

    band->side = ssim_side(info->height);
    rows = rows < SSIM_SIDE ? SSIM_SIDE : rows > BAND_ROWS ? BAND_ROWS : rows;
    rows = rows > (size_t)info->height ? (size_t)info->height : rows;
    band->rows = (int)rows;
    room = rows + (size_t)band->side - 1;
    for (int i = 0; i < 2; i++) {
        if (!image_alloc(&band->in[i], info->width, (int)rows, info->channels, info->type, name,
                         err))
            return false;
        band->plane[i] = malloc(room * channels * width * sizeof(uint16_t));
    }
    band->same = calloc(room * channels, sizeof *band->same);
    band->diff = malloc(rows * width * sizeof *band->diff);
    band->row = calloc(rows * channels, sizeof *band->row);
    band->pixels = calloc(rows, sizeof *band->pixels);
    job->scratch = calloc((size_t)job->threads, sizeof *job->scratch);
    bool good = band->plane[0] && band->plane[1] && band->same && band->diff && band->row &&
                band->pixels && job->scratch;
    for (int i = 0; good && i < job->threads; i++)
        good = (job->scratch[i] = malloc(ssim_scratch_bytes(info->width))) != NULL;
    return good || error_set(err, EXIT_INPUT, "%s: no memory to compare it", name);
}

/* ---- one row ---- */

static uint16_t *plane_row(const struct band *band, int side, int row, int channel)
{
    size_t index = (size_t)row * (size_t)band->channels + (size_t)channel;
    return band->plane[side] + index * (size_t)band->width;
}

static bool *same_flag(const struct band *band, int row, int channel)
{
    return &band->same[(size_t)row * (size_t)band->channels + (size_t)channel];
}

static void split(const struct band *band, int side, int y)
{
    int channels = band->channels;
    const void *in = image_row(&band->in[side], y);

    for (int c = 0; c < channels; c++) {
        uint16_t *out = plane_row(band, side, band->kept + y, c);
        if (band->type == SAMPLE_U8) {
            const uint8_t *sample = (const uint8_t *)in + c;
            for (int x = 0; x < band->width; x++)
                out[x] = sample[(size_t)x * (size_t)channels];
        } else {
            const uint16_t *sample = (const uint16_t *)in + c;
            for (int x = 0; x < band->width; x++)
                out[x] = sample[(size_t)x * (size_t)channels];
        }
    }
}

/* Measures one channel of a row and keeps its differences in DIFF where they are the largest so
 * far. */
static void measure_channel(const struct band *band, const uint16_t *a, const uint16_t *b,
                            struct row *row, uint16_t *diff)
{
    uint64_t differing = 0, sum = 0, squares = 0;
    uint32_t most = 0;

    for (int x = 0; x < band->width; x++) {
        uint32_t d = a[x] > b[x] ? (uint32_t)(a[x] - b[x]) : (uint32_t)(b[x] - a[x]);
        differing += d != 0;
        sum += d;
        squares += (uint64_t)d * d;
        most = d > most ? d : most;
        diff[x] = d > diff[x] ? (uint16_t)d : diff[x];
    }
    *row = (struct row){.differing = differing, .sum = sum, .squares = squares};
    row->max_diff = most;
    for (int x = 0; x < band->width; x++) {
        uint32_t d = a[x] > b[x] ? (uint32_t)(a[x] - b[x]) : (uint32_t)(b[x] - a[x]);
        if (d == most) {
            row->x = x;
            break;
        }
    }
    row->a = a[row->x];
    row->b = b[row->x];
}

/* Splits the band's row Y into its planes and fills row, pixels and diff, but not ssim. */
static void measure_row(void *context, int y, int worker)
{
    struct band *band = &((struct job *)context)->band;
    size_t width = (size_t)band->width, bytes = width * sizeof(uint16_t);
    uint16_t *diff = band->diff + (size_t)y * width;
    struct row_pixels *pixels = &band->pixels[y];
    bool all_same = true;

    (void)worker;
    split(band, 0, y);
    split(band, 1, y);
    memset(diff, 0, bytes);
    memset(pixels, 0, sizeof *pixels);
    for (int c = 0; c < band->channels; c++) {
        const uint16_t *a = plane_row(band, 0, band->kept + y, c);
        const uint16_t *b = plane_row(band, 1, band->kept + y, c);
        struct row *row = &band->row[y * band->channels + c];
        bool same = memcmp(a, b, bytes) == 0;
        *same_flag(band, band->kept + y, c) = same;
        memset(row, 0, sizeof *row);
        if (!same)
            measure_channel(band, a, b, row, diff);
        all_same = all_same && same;
    }
    for (size_t x = 0; !all_same && x < width; x++) {
        pixels->differing += diff[x] != 0;
        pixels->failing += diff[x] > band->max_diff;
    }
}

/* Fills ssim of the band's row Y, where a whole window ends. The rows above it are measured. */
static void measure_ssim(void *context, int y, int worker)
{
    struct job *job = context;
    struct band *band = &job->band;
    int windows = band->width - ssim_side(band->width) + 1, last = band->kept + y;
    int first = last - band->side + 1;
    struct ssim_rows rows = {.width = band->width, .rows = band->side, .max = band->max};

    if (band->first_row + y < band->side - 1)
        return;
    for (int c = 0; c < band->channels; c++) {
        bool same = true;
        for (int i = 0; i < band->side; i++) {
            rows.a[i] = plane_row(band, 0, first + i, c);
            rows.b[i] = plane_row(band, 1, first + i, c);
            same = same && *same_flag(band, first + i, c);
        }
        /* Of equal rows both factors of the quotient are equal: it is 1 to the last bit. */
        band->row[y * band->channels + c].ssim =
            same ? windows : ssim_row(&rows, job->scratch[worker]);
    }
}

/* ---- one band ---- */

static void read_side(void *context, int piece, int worker)
{
    struct job *job = context;
    (void)worker;
    job->read[piece] = source_read(job->source[piece], &job->band.in[piece], &job->error[piece]);
}

static void add_row(struct compare_sums *sums, const struct row *row, int channel, int y)
{
    sums->differing += row->differing;
    sums->sum += row->sum;
    sums->squares += row->squares;
    sums->ssim += row->ssim;
    if (row->max_diff <= sums->max_diff)
        return;
    sums->max_diff = row->max_diff;
    sums->channel = channel;
    sums->x = row->x;
    sums->y = y;
    sums->a = row->a;
    sums->b = row->b;
}

static void add_band(const struct band *band, struct compare_result *result)
{
    for (int y = 0; y < band->rows; y++) {
        for (int c = 0; c < band->channels; c++) {
            const struct row *row = &band->row[y * band->channels + c];
            add_row(&result->channel[c], row, c, band->first_row + y);
            add_row(&result->all, row, c, band->first_row + y);
        }
        result->differing_pixels += band->pixels[y].differing;
        result->failing_pixels += band->pixels[y].failing;
    }
}

/* Keeps the last rows for the windows that reach into the next band. */
static void keep_rows(struct band *band)
{
    int have = band->kept + band->rows, keep = band->side - 1 < have ? band->side - 1 : have;
    size_t row = (size_t)band->channels * (size_t)band->width;
    size_t from = (size_t)(have - keep);

    for (int i = 0; i < 2; i++)
        memmove(band->plane[i], band->plane[i] + from * row, (size_t)keep * row * sizeof(uint16_t));
    memmove(band->same, band->same + from * (size_t)band->channels,
            (size_t)(keep * band->channels) * sizeof *band->same);
    band->kept = keep;
    band->first_row += band->rows;
}

static bool compare_bands(struct job *job, const struct compare_watcher *watcher,
                          struct compare_result *result, struct error *err)
{
    struct band *band = &job->band;
    int height = result->a.height;

    while (band->first_row < height) {
        if (band->rows > height - band->first_row)
            band->rows = height - band->first_row;
        band->in[0].height = band->in[1].height = band->rows;
        parallel_for(2, 2, read_side, job);
        for (int i = 0; i < 2; i++) {
            if (!job->read[i]) {
                *err = job->error[i];
                return false;
            }
        }
        parallel_for(job->threads, band->rows, measure_row, job);
        parallel_for(job->threads, band->rows, measure_ssim, job);
        add_band(band, result);
        if (watcher && !watcher->rows(watcher->context, &band->in[0], band->diff, err))
            return false;
        keep_rows(band);
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

/* Divides the sums over windows by their number; of all channels together the mean. */
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

static bool open_both(struct job *job, const char *const path[2], struct compare_result *result,
                      struct error *err)
{
    if (strcmp(path[0], "-") == 0 && strcmp(path[1], "-") == 0)
        return error_set(err, EXIT_USAGE, "only one picture can be read from standard input");
    for (int i = 0; i < 2; i++) {
        if (!source_open(&job->source[i], path[i], err))
            return false;
        const char *warning = source_warning(job->source[i]);
        snprintf(result->warning[i], sizeof result->warning[i], "%s", warning ? warning : "");
    }
    result->a = *source_info(job->source[0]);
    result->b = *source_info(job->source[1]);
    compare_shapes(result);
    return true;
}

bool compare_files(const char *a, const char *b, const struct compare_limits *limits, int threads,
                   const struct compare_watcher *watcher, struct compare_result *result,
                   struct error *err)
{
    struct job job = {.threads = threads > 0 ? threads : machine_cpus()};
    struct band *band = &job.band;
    bool good;

    memset(result, 0, sizeof *result);
    good = open_both(&job, (const char *const[]){a, b}, result, err);
    if (good && result->comparable) {
        band->width = result->a.width;
        band->channels = result->a.channels;
        band->type = result->a.type;
        band->max = result->a.max;
        band->max_diff = limits->max_diff > 0 ? (uint64_t)limits->max_diff : 0;
        begin_sums(result);
        good = band_alloc(&job, &result->a, a, err) &&
               (!watcher || watcher->begin(watcher->context, &result->a, err)) &&
               compare_bands(&job, watcher, result, err);
        finish_ssim(result);
    }
    if (good)
        compare_judge(result, limits);
    job_free(&job);
    return good;
}
