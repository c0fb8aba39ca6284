/* Rank-1 masks: see cpu_rank1.h.
 *
 *   column sums  c[x] = sum over i of column[i] * in[y + i - ay][x]
 *   row sums     S    = sum over j of row[j] * c[x + j - ax]
 *
 * No row is copied: the column pass reads the picture itself. A ghost cell left or
 * right has the column sum of the cell it folds to, so ghost cells cost a few sums
 * a row. All sums wrap, modulo 2^32; what happens in between does not matter. */
#include "cpu_rank1.h"

#include <stdlib.h>
#include <string.h>

#include "cpu_finish.h"
#include "parallel.h"

/* A strip's column sums should stay in the caches next to the core, with the rows they come from.
 */
#define SUM_ELEMENTS (12 * 1024)
#define MIN_ROWS     16
#define PIECES_EACH  4

struct worker {
    uint32_t *column; /* column sums of one strip with its halo */
    uint32_t *sum;
    void *ghost;      /* one strip's row of ghost cells */
    const void **row; /* mask_height rows of the strip */
};

struct pass {
    const struct kernel_job *job;
    const struct cpu_ops *ops;
    struct cpu_taps column, row;
    uint32_t ghost_sum; /* a ghost cell's column sum where it is no cell of the picture */
    int strip_pixels, piece_rows;
    struct worker *worker;
    int workers;
};

/* ---- which plans, which form ---- */

bool cpu_rank1_wins(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    if (plan->kind != PLAN_LINEAR || plan->alpha == ALPHA_WEIGHTED || !m->row ||
        m->accumulator != ACCUMULATOR_I32)
        return false;
    /* Direct sums of 8 bits take two taps at a time. */
    return m->width * m->height / (plan->type == SAMPLE_U8 ? 2 : 1) >= m->width + m->height;
}

/* ---- one row of one strip ---- */

/* Column sums of elements [first, first + n) of the rows, to column[at...]. */
static void column_sums(const struct pass *pass, struct worker *w, size_t first, size_t at, int n)
{
    const struct cpu_ops *ops = pass->ops;
    if (pass->job->in->type == SAMPLE_U8)
        ops->column_32_u8(&pass->column, w->row, first, w->column + at, n);
    else
        ops->column_32_u16(&pass->column, w->row, first, w->column + at, n);
}

/* The same for pixels [from, to) outside the picture; column[0] is that of pixel `origin`. */
static void ghost_sums(const struct pass *pass, struct worker *w, int origin, int from, int to)
{
    const struct plan *plan = pass->job->plan;
    int channels = plan->channels;
    for (int x = from; x < to; x++) {
        int cell = border_fold(plan->border, x, pass->job->in->width);
        size_t at = (size_t)(x - origin) * (size_t)channels;
        if (cell != BORDER_OUTSIDE) {
            column_sums(pass, w, (size_t)cell * (size_t)channels, at, channels);
            continue;
        }
        for (int c = 0; c < channels; c++)
            w->column[at + (size_t)c] = pass->ghost_sum;
    }
}

static void filter_row(const struct pass *pass, struct worker *w, int y, int first_pixel,
                       int pixels)
{
    const struct kernel_job *job = pass->job;
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    size_t channels = (size_t)plan->channels;
    int n = pixels * plan->channels;
    int from = first_pixel - m->anchor_x, to = from + pixels + m->width - 1;
    int inside_from = from < 0 ? 0 : from, inside_to = to < job->in->width ? to : job->in->width;
    union cpu_sums sums = {.narrow = (int32_t *)w->sum};
    unsigned char *out = image_row(job->out, y - job->out_first_row);
    out += (size_t)first_pixel * channels * (size_t)plan->type;

    for (int i = 0; i < m->height; i++) {
        int v = border_fold(plan->border, y - m->anchor_y + i, job->picture_height);
        w->row[i] = v == BORDER_OUTSIDE ? w->ghost : image_row(job->in, v - job->in_first_row);
    }
    column_sums(pass, w, (size_t)inside_from * channels, (size_t)(inside_from - from) * channels,
                (inside_to - inside_from) * plan->channels);
    ghost_sums(pass, w, from, from, inside_from);
    ghost_sums(pass, w, from, inside_to, to);
    pass->ops->row_32(&pass->row, w->column, (uint32_t)m->offset, w->sum, n);
    cpu_finish_linear(pass->ops, plan, false, sums, out, n);
    if (plan->filtered != (1u << plan->channels) - 1)
        cpu_finish_unfiltered(job, y, first_pixel, pixels, out);
}

static void run_piece(void *context, int piece, int worker)
{
    struct pass *pass = context;
    const struct kernel_job *job = pass->job;
    int first = job->out_first_row + piece * pass->piece_rows;
    int end = job->out_first_row + job->out->height;
    if (end - first > pass->piece_rows)
        end = first + pass->piece_rows;

    for (int x = 0; x < job->out->width; x += pass->strip_pixels) {
        int left = job->out->width - x;
        int pixels = left < pass->strip_pixels ? left : pass->strip_pixels;
        for (int y = first; y < end; y++)
            filter_row(pass, &pass->worker[worker], y, x, pixels);
    }
}

/* ---- one pass ---- */

bool cpu_taps_make(struct cpu_taps *taps, const int64_t *weight, int count, int step)
{
    *taps = (struct cpu_taps){.count = count, .step = step, .twins = count / 2};
    taps->weight = calloc((size_t)count, sizeof *taps->weight);
    for (int i = 0; taps->weight && i < count; i++) {
        taps->weight[i] = (uint32_t)weight[i];
        if (weight[i] != weight[count - 1 - i])
            taps->twins = 0;
    }
    return taps->weight != NULL;
}

void cpu_taps_free(struct cpu_taps *taps)
{
    free(taps->weight);
    taps->weight = NULL;
}

static bool weights_make(struct pass *pass)
{
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];

    if (!cpu_taps_make(&pass->column, m->column, m->height, 0) ||
        !cpu_taps_make(&pass->row, m->row, m->width, plan->channels))
        return false;
    for (int i = 0; i < m->height; i++)
        pass->ghost_sum += pass->column.weight[i] * plan->border_value;
    return true;
}

static bool worker_alloc(struct worker *w, const struct pass *pass)
{
    const struct plan *plan = pass->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    size_t width = (size_t)pass->job->in->width * (size_t)plan->channels;
    size_t n = ((size_t)pass->strip_pixels + (size_t)m->width) * (size_t)plan->channels;

    /* Cleared: whole blocks read the slack at the end, and do not use it. */
    w->column = calloc(n + CPU_BLOCK, sizeof *w->column);
    w->sum = calloc(n + CPU_BLOCK, sizeof *w->sum);
    w->row = calloc((size_t)m->height, sizeof *w->row);
    /* As wide as the picture: a ghost row is read at the same place as any other. */
    w->ghost = malloc(width * (size_t)plan->type);
    if (!w->column || !w->sum || !w->row || !w->ghost)
        return false;
    for (size_t i = 0; i < width; i++)
        if (plan->type == SAMPLE_U8)
            ((uint8_t *)w->ghost)[i] = (uint8_t)plan->border_value;
        else
            ((uint16_t *)w->ghost)[i] = (uint16_t)plan->border_value;
    return true;
}

static void pass_free(struct pass *pass)
{
    for (int i = 0; pass->worker && i < pass->workers; i++) {
        free(pass->worker[i].column);
        free(pass->worker[i].sum);
        free(pass->worker[i].row);
        free(pass->worker[i].ghost);
    }
    free(pass->worker);
    cpu_taps_free(&pass->column);
    cpu_taps_free(&pass->row);
}

bool cpu_rank1_run(const struct kernel_job *job, const struct cpu_ops *ops, struct error *err)
{
    struct pass pass = {.job = job, .ops = ops, .workers = job->threads};
    int pieces = job->threads == 1 ? 1 : job->threads * PIECES_EACH;
    bool ok;

    pass.strip_pixels = SUM_ELEMENTS / job->plan->channels;
    if (pass.strip_pixels > job->out->width)
        pass.strip_pixels = job->out->width;
    pass.piece_rows = (job->out->height + pieces - 1) / pieces;
    if (pass.piece_rows < MIN_ROWS)
        pass.piece_rows = MIN_ROWS;
    pieces = (job->out->height + pass.piece_rows - 1) / pass.piece_rows;
    if (pass.workers > pieces)
        pass.workers = pieces;
    pass.worker = calloc((size_t)pass.workers, sizeof *pass.worker);
    ok = pass.worker && weights_make(&pass);
    for (int i = 0; ok && i < pass.workers; i++)
        ok = worker_alloc(&pass.worker[i], &pass);
    if (ok)
        parallel_for(pass.workers, pieces, run_piece, &pass);
    else
        error_set(err, EXIT_INPUT, "no memory for the sums of %d threads", pass.workers);
    pass_free(&pass);
    return ok;
}
