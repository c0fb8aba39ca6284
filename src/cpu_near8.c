/* Certified sums of 8-bit samples by row and column: see cpu_near8.h.
 *
 *   row v    -> its samples in pairs of taps \
 *                                              row sums q of both, side by side as int16: a line
 *   row v+1  -> the same                     /
 *
 *   lines v, v+2, v+4 ...  -> column sums of two rows of output -> samples, and which are doubtful
 *
 * The lines stand in a ring; as in cpu_direct8.c two rows of output read the same ones. Doubtful
 * samples are summed from the picture's own rows, with the plan's own weights.
 *
 * CPU time beside a Gaussian in small integers (scripts/bench_kernels "19 digits bell", AVX2 on an
 * EPYC of family 25, one thread): 3x3 2.2, 5x5 3.0, 7x7 1.5, 15x15 1.7. By sums
 * over every cell it was 4.7, 6, 3 and 5.4. */
#include "cpu_near8.h"

#include <stdlib.h>
#include <string.h>

#include "cpu_certify.h"
#include "cpu_finish.h"
#include "kernel_kept.h"
#include "large_alloc.h"
#include "parallel.h"

#define RING_BYTES  (128 * 1024) /* a part of the L2 cache */
#define MAX_SAMPLES 4096         /* of a strip */
#define MIN_PIXELS  64
#define MIN_ROWS    16
#define PIECES_EACH 4

struct worker {
    uint32_t *ring; /* pass.lines lines of pass.stride pairs, and those of taps */
    const uint32_t *at[CPU_MAX_SIDE / 2 + 1];
    uint32_t *taps[2]; /* a row's samples in pairs of taps */
    uint8_t *padded;   /* and with ghost cells */
    uint64_t *doubtful[2];
    uint8_t *none;                                /* what is below the last row of output */
    uint8_t *ghost;                               /* a row of ghost cells as wide as the picture */
    int first_pixel, pixels, first_row, last_row; /* the strip; picture rows that it reads */
};

struct pass {
    const struct kernel_job *job;
    const struct cpu_ops *ops;
    struct cpu_near8 *near; /* without weights: it cannot be done */
    int lines;
    size_t stride;
    int strip_pixels, piece_rows;
    struct worker *worker;
    int workers;
};

bool cpu_near8_can(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return plan->kind == PLAN_LINEAR && plan->alpha != ALPHA_WEIGHTED && plan->type == SAMPLE_U8 &&
           m->accumulator == ACCUMULATOR_I64 && m->width > 1 && m->height > 1;
}

/* ---- lines ---- */

/* Row v of the picture or what it folds to; rows past the strip's last are read by no weight. */
static const uint8_t *row_at(const struct pass *pass, const struct worker *w, int v)
{
    const struct kernel_job *job = pass->job;
    int y = border_fold(job->plan->border, v < w->last_row ? v : w->last_row, job->picture_height);
    return y == BORDER_OUTSIDE ? w->ghost : image_row(job->in, y - job->in_first_row);
}

/* The samples under the strip, from the first tap on. */
static const uint8_t *samples_of(const struct pass *pass, struct worker *w, const uint8_t *row)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    size_t channels = (size_t)job->plan->channels;
    int from = w->first_pixel - m->anchor_x, to = from + w->pixels + m->width;
    int inside_to = to < job->in->width ? to : job->in->width;

    if (from >= 0 && to <= job->in->width)
        return row + (size_t)from * channels;
    for (int x = from; x < to; x++) {
        int cell = border_fold(job->plan->border, x, job->in->width);
        uint8_t *out = w->padded + (size_t)(x - from) * channels;
        if (x >= 0 && x < inside_to) {
            memcpy(out, row + (size_t)x * channels, (size_t)(inside_to - x) * channels);
            x = inside_to - 1;
        } else if (cell != BORDER_OUTSIDE) {
            memcpy(out, row + (size_t)cell * channels, channels);
        } else {
            memset(out, (int)job->plan->border_value, channels);
        }
    }
    return w->padded;
}

/* Line k of the strip: rows first_row + 2k and the next. OUT: what will be written soon, or NULL.
 */
static void fill_line(const struct pass *pass, struct worker *w, int k, uint8_t *const *out)
{
    const struct plan *plan = pass->job->plan;
    size_t first = (size_t)w->first_pixel * (size_t)plan->channels;
    int n = w->pixels * plan->channels, v = w->first_row + 2 * k;
    int taps = n + (pass->near->row.taps - 1) * pass->near->row.step;
    struct cpu_ahead ahead[2];

    for (int i = 0; i < 2; i++) {
        const uint8_t *in = samples_of(pass, w, row_at(pass, w, v + i));
        pass->ops->pairs_u8(in, in + plan->channels, w->taps[i], taps);
        ahead[i].read = row_at(pass, w, v + i + 2) + first;
        ahead[i].write = out ? out[i] : NULL;
    }
    pass->ops->row_pairs(&pass->near->row, w->taps[0], w->taps[1],
                         w->ring + (size_t)(k % pass->lines) * pass->stride, n, ahead);
}

/* ---- two rows of one strip ---- */

/* WIDTH and HEIGHT are constants where the caller has them: loops as short as that take longer than
 * what they do. */
static inline __attribute__((always_inline)) uint64_t window_sum(const int64_t *weight, int width,
                                                                 int height,
                                                                 const uint8_t *const *row,
                                                                 int first, int step)
{
    uint64_t sum = 0;
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++)
            sum += (uint64_t)weight[i * width + j] * row[i][first + j * step];
    return sum;
}

/* The sum of sample x of the strip with the plan's own weights, over the rows under it. */
static int64_t exact_sum(const struct kernel_job *job, const uint8_t *const *row, int first_pixel,
                         int x)
{
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    const int64_t *weight = m->weight;
    uint64_t sum = (uint64_t)m->offset;
    int channels = plan->channels, width = m->width;
    int first = (first_pixel - m->anchor_x) * channels + x;

    if (first >= 0 && first + (width - 1) * channels < job->in->width * channels) {
        if (width == 3 && m->height == 3)
            sum += window_sum(weight, 3, 3, row, first, channels);
        else if (width == 5 && m->height == 5)
            sum += window_sum(weight, 5, 5, row, first, channels);
        else if (width == 15)
            sum += window_sum(weight, 15, m->height, row, first, channels);
        else
            sum += window_sum(weight, width, m->height, row, first, channels);
        return (int64_t)sum;
    }
    for (int j = 0; j < width; j++) {
        int cell =
            border_fold(plan->border, first_pixel + x / channels - m->anchor_x + j, job->in->width);
        for (int i = 0; i < m->height; i++)
            sum += (uint64_t)weight[i * width + j] * (cell == BORDER_OUTSIDE
                                                          ? plan->border_value
                                                          : row[i][cell * channels + x % channels]);
    }
    return (int64_t)sum;
}

/* out[x] is the floor of the lower bound, clamped: the sample, or one below it. */
static void decide(const struct pass *pass, const uint8_t *const *row, int first_pixel, int x,
                   uint8_t *out)
{
    const struct plan *plan = pass->job->plan;
    int64_t divisor = plan->mask[0].divisor;
    int64_t sum = exact_sum(pass->job, row, first_pixel, x) + divisor / 2;
    if (out[x] < plan->max && sum >= divisor * (out[x] + 1))
        out[x]++;
}

static void finish_row(const struct pass *pass, const struct worker *w, int lower, int y,
                       uint8_t *out)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    const uint8_t *row[CPU_MAX_SIDE];
    int n = w->pixels * plan->channels;

    for (int i = 0; i < m->height; i++)
        row[i] = row_at(pass, w, y - m->anchor_y + i);
    for (int x = -1; (x = cpu_certify_next(w->doubtful[lower], x + 1, n)) < n;)
        decide(pass, row, w->first_pixel, x, out);
    if (plan->filtered != (1u << plan->channels) - 1)
        cpu_finish_unfiltered(job, y, w->first_pixel, w->pixels, out);
}

static void run_strip(const struct pass *pass, struct worker *w, int first, int end)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    size_t at = (size_t)w->first_pixel * (size_t)job->plan->channels;
    int n = w->pixels * job->plan->channels;

    w->first_row = first - m->anchor_y;
    w->last_row = end - 1 - m->anchor_y + m->height - 1;
    for (int k = 0; k < pass->lines - 1; k++)
        fill_line(pass, w, k, NULL);
    for (int t = 0; first + 2 * t < end; t++) {
        int y = first + 2 * t;
        uint8_t *out[2] = {(uint8_t *)image_row(job->out, y - job->out_first_row) + at, w->none};
        if (y + 1 < end)
            out[1] = (uint8_t *)image_row(job->out, y + 1 - job->out_first_row) + at;
        fill_line(pass, w, t + pass->lines - 1, out);
        for (int p = 0; p < pass->lines; p++)
            w->at[p] = w->ring + (size_t)((t + p) % pass->lines) * pass->stride;
        pass->ops->certify_two_rows(&pass->near->column, w->at, &pass->near->bounds, out,
                                    w->doubtful, n);
        finish_row(pass, w, 0, y, out[0]);
        if (y + 1 < end)
            finish_row(pass, w, 1, y + 1, out[1]);
    }
}

static void run_piece(void *context, int piece, int worker)
{
    struct pass *pass = context;
    struct worker *w = &pass->worker[worker];
    const struct kernel_job *job = pass->job;
    int first = job->out_first_row + piece * pass->piece_rows;
    int end = job->out_first_row + job->out->height;
    if (end - first > pass->piece_rows)
        end = first + pass->piece_rows;

    for (int x = 0; x < job->out->width; x += pass->strip_pixels) {
        int left = job->out->width - x;
        w->first_pixel = x;
        w->pixels = left < pass->strip_pixels ? left : pass->strip_pixels;
        run_strip(pass, w, first, end);
    }
}

/* ---- one pass ---- */

static bool worker_alloc(struct worker *w, const struct pass *pass)
{
    const struct plan *plan = pass->job->plan;
    size_t width = (size_t)pass->job->in->width * (size_t)plan->channels;

    /* Cleared: whole blocks read the slack at the lines' ends, and do not use it. */
    w->ring = large_alloc_cleared((size_t)(pass->lines + 2) * pass->stride * sizeof *w->ring);
    w->padded = calloc(pass->stride, 1);
    w->none = calloc(pass->stride, 1);
    w->ghost = malloc(width + (size_t)plan->channels);
    for (int k = 0; k < 2; k++) {
        w->taps[k] = w->ring ? w->ring + (size_t)(pass->lines + k) * pass->stride : NULL;
        w->doubtful[k] = calloc(pass->stride / CPU_BLOCK + 2, sizeof *w->doubtful[k]);
        if (!w->taps[k] || !w->doubtful[k])
            return false;
    }
    if (!w->ring || !w->padded || !w->none || !w->ghost)
        return false;
    memset(w->ghost, (int)plan->border_value, width);
    return true;
}

static void near_free(void *near)
{
    if (near)
        cpu_near8_free(near);
    free(near);
}

static void *near_make(void *context)
{
    const struct pass *pass = context;
    struct cpu_near8 *near = calloc(1, sizeof *near);
    if (near && !cpu_near8_make(near, pass->job->plan))
        cpu_near8_free(near);
    return near;
}

static void pass_free(struct pass *pass)
{
    for (int i = 0; pass->worker && i < pass->workers; i++) {
        struct worker *w = &pass->worker[i];
        free(w->ring);
        free(w->padded);
        free(w->none);
        free(w->ghost);
        free(w->doubtful[0]);
        free(w->doubtful[1]);
    }
    free(pass->worker);
    if (!pass->job->kept)
        near_free(pass->near);
}

/* Strips whose ring fits the cache, pieces that keep all threads busy to the end. */
static int pass_cut(struct pass *pass)
{
    const struct kernel_job *job = pass->job;
    int channels = job->plan->channels, width = job->plan->mask[0].width;
    int pieces = job->threads == 1 ? 1 : job->threads * PIECES_EACH;
    int samples = RING_BYTES / ((int)sizeof(uint32_t) * (pass->lines + 2));

    pass->strip_pixels = (samples < MAX_SAMPLES ? samples : MAX_SAMPLES) / channels;
    if (pass->strip_pixels < MIN_PIXELS)
        pass->strip_pixels = MIN_PIXELS;
    if (pass->strip_pixels > job->out->width)
        pass->strip_pixels = job->out->width;
    /* 16 elements are a cache line; an odd number of lines keeps the ring's rows apart in L1. */
    pass->stride = ((size_t)pass->strip_pixels + (size_t)width + 2) * (size_t)channels + CPU_BLOCK;
    pass->stride = (pass->stride + 31) / 32 * 32 + 16;
    pass->piece_rows = (job->out->height + pieces - 1) / pieces;
    if (pass->piece_rows < MIN_ROWS)
        pass->piece_rows = MIN_ROWS;
    pieces = (job->out->height + pass->piece_rows - 1) / pass->piece_rows;
    if (pass->workers > pieces)
        pass->workers = pieces;
    return pieces;
}

bool cpu_near8_run(const struct kernel_job *job, const struct cpu_ops *ops, bool *cannot,
                   struct error *err)
{
    struct pass pass = {.job = job, .ops = ops, .workers = job->threads};
    bool ok = true;
    int pieces;

    pass.near = job->kept ? kernel_kept_get(job->kept, KEPT_NEAR8, near_make, &pass, near_free)
                          : near_make(&pass);
    *cannot = !pass.near || !pass.near->weights;
    if (*cannot) {
        pass_free(&pass);
        return false;
    }
    pass.lines = pass.near->column.pairs;
    pieces = pass_cut(&pass);
    pass.worker = calloc((size_t)pass.workers, sizeof *pass.worker);
    for (int i = 0; ok && i < pass.workers; i++)
        ok = pass.worker && worker_alloc(&pass.worker[i], &pass);
    if (ok)
        parallel_for(pass.workers, pieces, run_piece, &pass);
    else
        error_set(err, EXIT_INPUT, "no memory for the rows of %d threads", pass.workers);
    pass_free(&pass);
    return ok;
}
