/* 8-bit samples, 16-bit sums: see cpu_bytes.h.
 *
 * Output byte j takes input bytes j + channels*dx, so a row of the picture is one
 * line of bytes whatever its channels are. Two taps are one multiply-add: their
 * bytes side by side, times two int8. It saturates, so only pairs of weights are
 * used whose sum of products fits int16 for certain; all sums of pairs wrap,
 * modulo 2^16, and the last value fits because the plan's bound says so.
 *
 *   direct      S = sum over pairs of taps, anywhere in the mask
 *   separable   r = sum over pairs of the row factor's taps, once a row of the picture,
 *               S = sum over i of column[i] * r[y + i - ay]
 *
 * Strips of columns are so narrow that a ring of such r stays in the L2 cache, and two
 * rows of output share what is loaded from it. While row sums are made, the next row of the
 * picture and the row to be written are fetched, or memory would wait for sums and sums for
 * memory. Lines are read where they lie; only where a strip has ghost cells, or a block would
 * read past the row's end, is the line copied and padded. */
#include "cpu_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "cpu_bytes_taps.h"
#include "cpu_finish.h"
#include "cpu_taps.h"
#include "large_alloc.h"
#include "parallel.h"

/* Of a 512 KiB L2 cache. Strips that fit L1 save a third of the work, and lose more than that in
 * memory, where a row is then read in many pieces. */
#define RING_BYTES  (128 * 1024)
#define MIN_PIXELS  64 /* so that every strip is whole blocks; the last one is padded */
#define MIN_ROWS    16
#define PIECES_EACH 4
#define FEW_BLOCKS  4 /* a row with fewer inside is copied as a whole */

struct worker {
    uint8_t *copies;      /* `slots` padded lines of pass.stride bytes */
    const uint8_t **line; /* per slot: the line under the strip's first tap */
    const uint8_t **at;   /* both bytes' places of every pair */
    uint16_t *ring;       /* separable: as many row sums of pass.strip_pixels * channels */
    const uint16_t **row; /* the same in the order of the mask */
    uint16_t *sum[2];
    int first_pixel, pixels;
};

struct pass {
    const struct kernel_job *job;
    const struct cpu_ops *ops;
    bool separable;
    struct cpu_byte_taps taps[2];
    struct cpu_taps column;
    struct cpu_divide16 divide;
    size_t stride;
    int slots; /* lines that are kept */
    int strip_pixels, piece_rows;
    struct worker *worker;
    int workers;
};

/* ---- lines ---- */

static void ghost_pixel(const struct plan *plan, uint8_t *out)
{
    memset(out, (int)plan->border_value, (size_t)plan->channels);
    if (image_has_alpha(plan->channels) && plan->alpha != ALPHA_PLAIN)
        out[plan->channels - 1] = (uint8_t)plan->max;
}

/* Pixels [from, to) of a row (NULL: of ghost cells), which lie partly outside the picture. */
static void copy_line(const struct kernel_job *job, const uint8_t *row, int from, int to,
                      uint8_t *out)
{
    const struct plan *plan = job->plan;
    size_t channels = (size_t)plan->channels;
    int inside_to = to < job->in->width ? to : job->in->width;

    for (int x = from; x < to; x++) {
        int cell = row ? border_fold(plan->border, x, job->in->width) : BORDER_OUTSIDE;
        if (row && x >= 0 && x < inside_to) {
            memcpy(out, row + (size_t)x * channels, (size_t)(inside_to - x) * channels);
            out += (size_t)(inside_to - x) * channels;
            x = inside_to - 1;
            continue;
        }
        if (cell == BORDER_OUTSIDE)
            ghost_pixel(plan, out);
        else
            memcpy(out, row + (size_t)cell * channels, channels);
        out += channels;
    }
}

static int slot_of(const struct pass *pass, int v)
{
    int slot = v % pass->slots;
    return slot < 0 ? slot + pass->slots : slot;
}

/* The strip's elements in whole blocks. */
static int block_elements(const struct pass *pass, const struct worker *w)
{
    int n = w->pixels * pass->job->plan->channels;
    return (n + CPU_BLOCK - 1) / CPU_BLOCK * CPU_BLOCK;
}

static void row_sums(const struct pass *pass, struct worker *w, const uint8_t *line, uint16_t *sum,
                     int n, struct cpu_ahead ahead)
{
    const struct cpu_byte_taps *t = &pass->taps[0];
    for (int p = 0; p < 2 * t->pairs.count; p++)
        w->at[p] = line + t->pair[p / 2].j[p % 2] * pass->job->plan->channels;
    pass->ops->byte_sums(&t->pairs, w->at, 0, sum, n, ahead);
}

/* Row sums of ROW (NULL: of ghost cells): blocks [begin, end) from the row itself, those that
 * touch ghost cells, or the row's end, from copies. */
static void ring_line(const struct pass *pass, struct worker *w, const uint8_t *row, int slot,
                      struct cpu_ahead ahead)
{
    const struct cpu_ahead nothing = {0};
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    int channels = job->plan->channels, from = w->first_pixel - m->anchor_x;
    int n = block_elements(pass, w), last = from + w->pixels + m->width - 1;
    int begin = from < 0 ? (-from * channels + CPU_BLOCK - 1) / CPU_BLOCK * CPU_BLOCK : 0;
    int readable = (job->in->width - from - m->width + 1) * channels;
    int end = readable < n ? readable / CPU_BLOCK * CPU_BLOCK : n;
    uint16_t *sum = w->ring + (size_t)(slot * pass->strip_pixels * channels);

    if (!row || end - begin < FEW_BLOCKS * CPU_BLOCK) {
        copy_line(job, row, from, last, w->copies);
        row_sums(pass, w, w->copies, sum, n, nothing);
        return;
    }
    if (begin > 0) {
        copy_line(job, row, from, from + begin / channels + m->width, w->copies);
        row_sums(pass, w, w->copies, sum, begin, nothing);
    }
    row_sums(pass, w, row + (from * channels + begin), sum + begin, end - begin, ahead);
    if (end < n) {
        copy_line(job, row, from + end / channels, last, w->copies);
        row_sums(pass, w, w->copies + end % channels, sum + end, n - end, nothing);
    }
}

/* Where the strip begins in row y of the output. */
static uint8_t *out_at(const struct pass *pass, const struct worker *w, int y)
{
    const struct kernel_job *job = pass->job;
    uint8_t *row = image_row(job->out, y - job->out_first_row);
    return row + (size_t)w->first_pixel * (size_t)job->plan->channels;
}

/* Picture row v, or what it folds to, is there for the sums. WRITE: output that will be written
 * soon, or NULL. */
static void take_line(const struct pass *pass, struct worker *w, int v, const uint8_t *write)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    int channels = job->plan->channels, slot = slot_of(pass, v);
    int y = border_fold(job->plan->border, v, job->picture_height);
    int from = w->first_pixel - m->anchor_x, n = block_elements(pass, w);
    const uint8_t *row = y == BORDER_OUTSIDE ? NULL : image_row(job->in, y - job->in_first_row);
    uint8_t *copy = w->copies + (size_t)slot * pass->stride;

    if (pass->separable) {
        bool more = row && y - job->in_first_row + 1 < job->in->height;
        struct cpu_ahead ahead = {more ? row + job->in->pitch : NULL, write};
        if (more)
            ahead.read += w->first_pixel * channels;
        ring_line(pass, w, row, slot, ahead);
    } else if (row && from >= 0 &&
               (from + m->width - 1) * channels + n <= job->in->width * channels) {
        w->line[slot] = row + (size_t)from * (size_t)channels;
    } else {
        copy_line(job, row, from, from + w->pixels + m->width - 1, copy);
        w->line[slot] = copy;
    }
}

/* ---- rows of one strip ---- */

static void direct_sums(const struct pass *pass, struct worker *w, int k, int y, int n,
                        struct cpu_ahead ahead)
{
    const struct plan *plan = pass->job->plan;
    const struct cpu_byte_taps *t = &pass->taps[k];
    int top = y - plan->mask[0].anchor_y;
    for (int p = 0; p < 2 * t->pairs.count; p++)
        w->at[p] = w->line[slot_of(pass, top + t->pair[p / 2].i[p % 2])] +
                   t->pair[p / 2].j[p % 2] * plan->channels;
    pass->ops->byte_sums(&t->pairs, w->at, t->start, w->sum[k], n, ahead);
}

static void filter_directly(const struct pass *pass, struct worker *w, int y, uint8_t *out, int n)
{
    const struct plan *plan = pass->job->plan;
    for (int k = 0; k < plan->masks; k++)
        direct_sums(pass, w, k, y, n, (struct cpu_ahead){NULL, out});
    if (plan->kind == PLAN_GRADIENT)
        pass->ops->gradient_16_u8((const int16_t *)w->sum[0], (const int16_t *)w->sum[1], plan->max,
                                  out, n);
    else
        pass->ops->divide_16_u8(&pass->divide, w->sum[0], out, n);
}

/* ROWS rows from y on, whose lines have been taken; 1 if not separable. */
static void filter_rows(const struct pass *pass, struct worker *w, int y, int rows)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    int n = w->pixels * plan->channels;
    uint8_t *out[CPU_COLUMN_ROWS];

    for (int r = 0; r < rows; r++)
        out[r] = out_at(pass, w, y + r);
    if (pass->separable) {
        for (int i = 0; i < m->height + rows - 1; i++)
            w->row[i] = w->ring + (size_t)(slot_of(pass, y - m->anchor_y + i) * pass->strip_pixels *
                                           plan->channels);
        pass->ops->column_16_u8(&pass->column, w->row, pass->taps[0].start, &pass->divide, out,
                                rows, n);
    } else {
        filter_directly(pass, w, y, out[0], n);
    }
    if (plan->filtered != (1u << plan->channels) - 1)
        for (int r = 0; r < rows; r++)
            cpu_finish_unfiltered(job, y + r, w->first_pixel, w->pixels, out[r]);
}

static void run_piece(void *context, int piece, int worker)
{
    struct pass *pass = context;
    struct worker *w = &pass->worker[worker];
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    int most = pass->slots - m->height + 1, rows;
    int first = job->out_first_row + piece * pass->piece_rows;
    int end = job->out_first_row + job->out->height;
    if (end - first > pass->piece_rows)
        end = first + pass->piece_rows;

    for (int x = 0; x < job->out->width; x += pass->strip_pixels) {
        int left = job->out->width - x;
        w->first_pixel = x;
        w->pixels = left < pass->strip_pixels ? left : pass->strip_pixels;
        for (int v = first - m->anchor_y; v < first - m->anchor_y + m->height - 1; v++)
            take_line(pass, w, v, NULL);
        for (int y = first; y < end; y += rows) {
            rows = end - y < most ? end - y : most;
            for (int r = 0; r < rows; r++)
                take_line(pass, w, y + r - m->anchor_y + m->height - 1, out_at(pass, w, y + r));
            filter_rows(pass, w, y, rows);
        }
    }
}

/* ---- one pass ---- */

static bool weights_make(struct pass *pass)
{
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = plan->mask;

    if (plan->kind == PLAN_LINEAR) {
        cpu_bytes_divide(plan, &pass->divide);
        pass->taps[0].start = (uint16_t)(m->offset + m->divisor / 2);
    }
    if (pass->separable)
        return cpu_byte_taps_make(&pass->taps[0], m->row, m->width, 1) &&
               cpu_taps_make(&pass->column, m->column, m->height, 0);
    for (int k = 0; k < plan->masks; k++)
        if (!cpu_byte_taps_make(&pass->taps[k], m[k].weight, m[k].width, m[k].height))
            return false;
    return true;
}

static bool worker_alloc(struct worker *w, const struct pass *pass)
{
    size_t slots = (size_t)pass->slots, pairs = 1;
    size_t n = (size_t)pass->strip_pixels * (size_t)pass->job->plan->channels + CPU_BLOCK;

    for (int k = 0; k < pass->job->plan->masks; k++)
        if ((size_t)pass->taps[k].pairs.count > pairs)
            pairs = (size_t)pass->taps[k].pairs.count;
    /* Cleared: whole blocks read the slack at the end, and do not use it. */
    w->copies = calloc(slots, pass->stride);
    w->line = calloc(slots, sizeof *w->line);
    w->at = calloc(2 * pairs, sizeof *w->at);
    w->row = calloc(slots, sizeof *w->row);
    w->ring = large_alloc_cleared(pass->separable ? slots * n * sizeof *w->ring : 1);
    w->sum[0] = calloc(n, sizeof *w->sum[0]);
    w->sum[1] = calloc(n, sizeof *w->sum[1]);
    return w->copies && w->line && w->at && w->row && w->ring && w->sum[0] && w->sum[1];
}

static void pass_free(struct pass *pass)
{
    for (int i = 0; pass->worker && i < pass->workers; i++) {
        struct worker *w = &pass->worker[i];
        free(w->copies);
        free(w->line);
        free(w->at);
        free(w->row);
        free(w->ring);
        free(w->sum[0]);
        free(w->sum[1]);
    }
    free(pass->worker);
    for (int k = 0; k < 2; k++) {
        cpu_byte_taps_free(&pass->taps[k]);
    }
    cpu_taps_free(&pass->column);
}

static int pass_cut(struct pass *pass)
{
    const struct kernel_job *job = pass->job;
    const struct plan_mask *m = &job->plan->mask[0];
    int channels = job->plan->channels;
    int pieces = job->threads == 1 ? 1 : job->threads * PIECES_EACH;

    pass->separable = cpu_bytes_separable(job->plan);
    pass->slots = pass->separable ? m->height + CPU_COLUMN_ROWS - 1 : m->height;
    pass->strip_pixels = RING_BYTES / (2 * pass->slots * channels) / MIN_PIXELS * MIN_PIXELS;
    if (pass->strip_pixels < MIN_PIXELS)
        pass->strip_pixels = MIN_PIXELS;
    if (pass->strip_pixels > job->out->width)
        pass->strip_pixels = (job->out->width + MIN_PIXELS - 1) / MIN_PIXELS * MIN_PIXELS;
    pass->stride = ((size_t)pass->strip_pixels + (size_t)m->width) * (size_t)channels;
    pass->stride = (pass->stride + CPU_BLOCK - 1) / CPU_BLOCK * CPU_BLOCK;
    pass->piece_rows = (job->out->height + pieces - 1) / pieces;
    if (pass->piece_rows < MIN_ROWS)
        pass->piece_rows = MIN_ROWS;
    pieces = (job->out->height + pass->piece_rows - 1) / pass->piece_rows;
    if (pass->workers > pieces)
        pass->workers = pieces;
    return pieces;
}

bool cpu_bytes_run(const struct kernel_job *job, const struct cpu_ops *ops, struct error *err)
{
    struct pass pass = {.job = job, .ops = ops, .workers = job->threads};
    int pieces = pass_cut(&pass);
    bool ok = weights_make(&pass);

    pass.worker = calloc((size_t)pass.workers, sizeof *pass.worker);
    ok = ok && pass.worker;
    for (int i = 0; ok && i < pass.workers; i++)
        ok = worker_alloc(&pass.worker[i], &pass);
    if (ok)
        parallel_for(pass.workers, pieces, run_piece, &pass);
    else
        error_set(err, EXIT_INPUT, "no memory for the sums of %d threads", pass.workers);
    pass_free(&pass);
    return ok;
}
