/* Two files, read side by side in bands of rows: see compare/compare.h. This file opens them, cuts
 * the bands, gives rows to threads and adds up what they found, in the order of the rows. */
#include "compare/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/parallel.h"
#include "compare/rows.h"

/* Samples of a band, more or less: enough rows to keep threads busy, few enough for a cache. */
#define BAND_SAMPLES ((size_t)512 * 1024)
#define BAND_ROWS    256

struct job {
    struct source *source[2];
    struct compare_band band;
    int threads;
    void **scratch; /* one for each thread */
    struct error error[2];
    bool read[2];
};

/* ---- opening ---- */

static void job_free(struct job *job)
{
    struct compare_band *band = &job->band;

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
    struct compare_band *band = &job->band;
    size_t width = (size_t)info->width, channels = (size_t)info->channels;
    size_t rows = BAND_SAMPLES / (width * channels), room;

    band->side = ssim_side(info->height);
    rows = rows < SSIM_SIDE ? SSIM_SIDE : rows > BAND_ROWS ? BAND_ROWS : rows;
    rows = rows > (size_t)info->height ? (size_t)info->height : rows;
    band->rows = (int)rows;
    room = rows + (size_t)band->side - 1;
    band->room = (int)room;
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

/* ---- one band ---- */

static void read_side(void *context, int piece, int worker)
{
    struct job *job = context;
    (void)worker;
    job->read[piece] = source_read(job->source[piece], &job->band.in[piece], &job->error[piece]);
}

static void measure_row(void *context, int piece, int worker)
{
    struct job *job = context;
    (void)worker;
    compare_row_measure(&job->band, piece);
}

static void similar_row(void *context, int piece, int worker)
{
    struct job *job = context;
    compare_row_ssim(&job->band, piece, job->scratch[worker]);
}

static void add_row(struct compare_sums *sums, const struct compare_row *row, int channel, int y)
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

static void add_band(const struct compare_band *band, struct compare_result *result)
{
    for (int y = 0; y < band->rows; y++) {
        for (int c = 0; c < band->channels; c++) {
            const struct compare_row *row = &band->row[y * band->channels + c];
            add_row(&result->channel[c], row, c, band->first_row + y);
            add_row(&result->all, row, c, band->first_row + y);
        }
        result->differing_pixels += band->pixels[y].differing;
        result->failing_pixels += band->pixels[y].failing;
    }
}

/* The last rows stay for the windows that reach into the next band. */
static void keep_rows(struct compare_band *band)
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
    struct compare_band *band = &job->band;
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
        parallel_for(job->threads, band->rows, similar_row, job);
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

/* From sums over windows to means, of all channels the mean of theirs. */
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
    struct compare_band *band = &job.band;
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
