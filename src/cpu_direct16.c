/* Certified sums of 16-bit samples: see cpu_direct16.h.
 *
 * A line of pairs holds a row of the picture and the row below it side by side as int16, so
 * that one multiply-add takes two taps; ghost cells stand in it already. There is a line for
 * every row, in a ring, and an output row reads every second one:
 *
 *   row      y-ay  +1 | +2  +3 | +4  +5       (mask of 5 rows: the last has no weight)
 *
 *   direct      lines ------> high, low sums --------------------------> samples
 *   separable   lines ------> high, low sums -> line -> high, low sums -> samples
 *             of the column, with the halo             of the row
 *
 * Doubtful samples are summed from the same lines, with the plan's own weights.
 *
 * CPU time beside the same mask in small integers (scripts/bench_kernels --size 1920x1080 "19
 * digits", AVX2 on an EPYC of family 25, one thread): 5x5 1.5, 15x15 1.8; Gaussians, which in small
 * integers go by rows and columns, 3x3 1.8, 5x5 2.1, 15x15 2.0. By exact sums of 64 bits it was 9,
 * 15, 7, 13 and 47. */
#include "cpu_direct16.h"

#include <stdlib.h>

#include "cpu_certify.h"
#include "cpu_certify16.h"
#include "cpu_finish.h"
#include "cpu_rank1.h"
#include "parallel.h"

#define RING_BYTES  (160 * 1024) /* a part of the L2 cache */
#define MIN_PIXELS  64
#define MAX_SAMPLES 3840 /* of a strip: sums stay in the caches next to the core */
#define MIN_ROWS    16
#define PIECES_EACH 4
#define MAX_CELLS   4096 /* what rounding leaves out of more weights certifies nothing */
#define CACHE_LINE  64

struct worker {
    uint32_t *ring;   /* pass.slots lines of pass.stride pairs */
    const void **at;  /* the lines that one output row reads, from the top */
    uint32_t *line;   /* separable: the column's sums */
    uint32_t *sum[2]; /* high and low */
    uint64_t *doubtful;
    uint16_t *ghost;                              /* a row of ghost cells as wide as the picture */
    int first_pixel, pixels, first_row, last_row; /* the strip; picture rows that it reads */
};

struct pass {
    const struct kernel_job *job;
    const struct cpu_ops *ops;
    struct cpu_certify16 certify;
    int slots;
    size_t stride; /* pairs of a line */
    int strip_pixels, piece_rows;
    struct worker *worker;
    int workers;
};

bool cpu_direct16_can(const struct plan *plan)
{
    return plan->kind == PLAN_LINEAR && plan->alpha != ALPHA_WEIGHTED && plan->type == SAMPLE_U16 &&
           plan->mask[0].accumulator == ACCUMULATOR_I64;
}

/* ---- lines of pairs ---- */

/* Row v of the picture or what it folds to; rows past the strip's last are read by no weight. */
static const uint16_t *row_at(const struct pass *pass, const struct worker *w, int v)
{
    const struct kernel_job *job = pass->job;
    int y = border_fold(job->plan->border, v < w->last_row ? v : w->last_row, job->picture_height);
    return y == BORDER_OUTSIDE ? w->ghost : image_row(job->in, y - job->in_first_row);
}

static uint32_t *line_at(const struct pass *pass, const struct worker *w, int k)
{
    return w->ring + (size_t)(k % pass->slots) * pass->stride;
}

/* Line k of the strip: its rows first_row + k and the next. */
static void fill_line(const struct pass *pass, struct worker *w, int k)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    size_t channels = (size_t)plan->channels;
    const uint16_t *upper = row_at(pass, w, w->first_row + k);
    const uint16_t *lower = row_at(pass, w, w->first_row + k + 1);
    uint32_t *line = line_at(pass, w, k);
    int from = w->first_pixel - m->anchor_x, to = from + w->pixels + m->width - 1;

    for (int x = from; x < to; x++) {
        int inside_to = to < job->in->width ? to : job->in->width;
        int cell = border_fold(plan->border, x, job->in->width);
        uint32_t *out = line + (size_t)(x - from) * channels;
        if (x >= 0 && x < inside_to) {
            pass->ops->pairs_u16(upper + (size_t)x * channels, lower + (size_t)x * channels, out,
                                 (inside_to - x) * plan->channels);
            x = inside_to - 1;
        } else if (cell != BORDER_OUTSIDE) {
            pass->ops->pairs_u16(upper + (size_t)cell * channels, lower + (size_t)cell * channels,
                                 out, plan->channels);
        } else {
            pass->ops->pairs_u16(w->ghost, w->ghost, out, plan->channels);
        }
    }
}

/* The row that the next line begins with and the next row of output: memory works while sums are
 * made. */
static void fetch_ahead(const struct pass *pass, const struct worker *w, int k, int y)
{
    const struct kernel_job *job = pass->job;
    size_t pixel = sizeof(uint16_t) * (size_t)job->plan->channels;
    size_t first = pixel * (size_t)w->first_pixel, bytes = pixel * (size_t)w->pixels;
    const char *read = (const char *)row_at(pass, w, w->first_row + k + 2) + first;
    const char *write = (const char *)image_row(job->out, y - job->out_first_row) + first;

    for (size_t i = 0; i < bytes; i += CACHE_LINE) {
        __builtin_prefetch(read + i, 0);
        __builtin_prefetch(write + i, 1);
    }
}

/* ---- one row of one strip ---- */

/* The sum of sample x of the strip with the plan's own weights. */
static int64_t exact_sum(const struct pass *pass, const struct worker *w, int x)
{
    const struct plan_mask *m = &pass->job->plan->mask[0];
    int step = pass->job->plan->channels, width = m->width;
    uint64_t sum = (uint64_t)m->offset + 32768 * (uint64_t)m->sum;
    for (int i = 0; i < m->height; i += 2) {
        const uint32_t *line = (const uint32_t *)w->at[i / 2] + x;
        const int64_t *weight = m->weight + i * width;
        for (int j = 0; j < width; j++)
            sum += (uint64_t)weight[j] * (uint64_t)(int16_t)(uint16_t)line[j * step];
        for (int j = 0; i + 1 < m->height && j < width; j++)
            sum +=
                (uint64_t)weight[width + j] * (uint64_t)(int16_t)(uint16_t)(line[j * step] >> 16);
    }
    return (int64_t)sum;
}

static void filter_row(const struct pass *pass, const struct worker *w, int y)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct cpu_certify16 *c = &pass->certify;
    int n = w->pixels * plan->channels, halo = (plan->mask[0].width - 1) * plan->channels;
    const uint32_t *const *lines = (const uint32_t *const *)w->at;
    uint16_t *out = image_row(job->out, y - job->out_first_row);
    out += (size_t)w->first_pixel * (size_t)plan->channels;

    if (c->separable) {
        const uint32_t *line = w->line;
        pass->ops->join_planes(&c->sums, lines, &c->join, w->line, n + halo);
        pass->ops->certify_two_planes(&c->row, &line, &c->bounds, out, w->doubtful, n);
    } else {
        (c->parts ? pass->ops->sum_two_planes : pass->ops->sum_two_rows)(&c->sums, lines, 0,
                                                                         w->sum[0], w->sum[1], n);
        pass->ops->certify_u16(&c->bounds, w->sum[0], w->sum[1], out, w->doubtful, n);
    }
    for (int x = -1; (x = cpu_certify_next(w->doubtful, x + 1, n)) < n;)
        out[x] = (uint16_t)cpu_finish_sample(plan, exact_sum(pass, w, x));
    if (plan->filtered != (1u << plan->channels) - 1)
        cpu_finish_unfiltered(job, y, w->first_pixel, w->pixels, out);
}

static void run_strip(const struct pass *pass, struct worker *w, int first, int end)
{
    const struct plan_mask *m = &pass->job->plan->mask[0];

    w->first_row = first - m->anchor_y;
    w->last_row = end - 1 - m->anchor_y + m->height - 1;
    for (int k = 0; k < pass->slots - 1; k++)
        fill_line(pass, w, k);
    for (int y = first; y < end; y++) {
        int top = y - first;
        fill_line(pass, w, top + pass->slots - 1);
        for (int p = 0; p < pass->certify.sums.pairs; p++)
            w->at[p] = line_at(pass, w, top + 2 * p);
        fetch_ahead(pass, w, top + pass->slots - 1, y + 1 < end ? y + 1 : y);
        filter_row(pass, w, y);
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
    size_t n = pass->stride + CPU_BLOCK;

    /* Cleared: whole blocks read the slack at the lines' ends, and do not use it. */
    w->ring = calloc((size_t)pass->slots * pass->stride, sizeof *w->ring);
    w->at = calloc((size_t)pass->certify.sums.pairs, sizeof *w->at);
    w->line = calloc(n, sizeof *w->line);
    w->doubtful = calloc(n / CPU_BLOCK + 2, sizeof *w->doubtful);
    w->ghost = malloc(width * sizeof *w->ghost);
    for (int k = 0; k < 2; k++) {
        w->sum[k] = calloc(n, sizeof *w->sum[k]);
        if (!w->sum[k])
            return false;
    }
    if (!w->ring || !w->at || !w->line || !w->doubtful || !w->ghost)
        return false;
    for (size_t x = 0; x < width; x++)
        w->ghost[x] = (uint16_t)plan->border_value;
    return true;
}

static void pass_free(struct pass *pass)
{
    for (int i = 0; pass->worker && i < pass->workers; i++) {
        struct worker *w = &pass->worker[i];
        free(w->ring);
        free(w->at);
        free(w->line);
        free(w->doubtful);
        free(w->ghost);
        free(w->sum[0]);
        free(w->sum[1]);
    }
    free(pass->worker);
    cpu_certify16_free(&pass->certify);
}

/* Strips whose ring fits the cache, pieces that keep all threads busy to the end. */
static int pass_cut(struct pass *pass)
{
    const struct kernel_job *job = pass->job;
    int channels = job->plan->channels, width = job->plan->mask[0].width;
    int pieces = job->threads == 1 ? 1 : job->threads * PIECES_EACH;
    int samples = RING_BYTES / ((int)sizeof(uint32_t) * pass->slots);

    pass->strip_pixels = (samples < MAX_SAMPLES ? samples : MAX_SAMPLES) / channels - width;
    if (pass->strip_pixels < MIN_PIXELS)
        pass->strip_pixels = MIN_PIXELS;
    if (pass->strip_pixels > job->out->width)
        pass->strip_pixels = job->out->width;
    /* 16 elements are a cache line; an odd number of lines keeps the ring's rows apart in L1. */
    pass->stride = ((size_t)pass->strip_pixels + (size_t)width) * (size_t)channels + CPU_BLOCK;
    pass->stride = (pass->stride + 31) / 32 * 32 + 16;
    pass->piece_rows = (job->out->height + pieces - 1) / pieces;
    if (pass->piece_rows < MIN_ROWS)
        pass->piece_rows = MIN_ROWS;
    pieces = (job->out->height + pass->piece_rows - 1) / pass->piece_rows;
    if (pass->workers > pieces)
        pass->workers = pieces;
    return pieces;
}

bool cpu_direct16_run(const struct kernel_job *job, const struct cpu_ops *ops, bool *cannot,
                      struct error *err)
{
    struct pass pass = {.job = job, .ops = ops, .workers = job->threads};
    bool ok = true;
    int pieces;

    *cannot = !cpu_certify16_make(&pass.certify, job->plan);
    if (*cannot) {
        pass_free(&pass);
        return false;
    }
    pass.slots = 2 * pass.certify.sums.pairs - 1;
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
