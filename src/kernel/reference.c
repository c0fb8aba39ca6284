/* The reference reads like the formula:
 *
 *   out = clamp( floor( (S + floor(d/2)) / d ), 0, max )
 *   S   = sum of  w[i][j] * in[y + i - ay][x + j - ax]  +  o
 *
 * and like the definition of order filters: the cell at a place among the window's sorted cells.
 *
 * It asks border_fold for every single cell, holds sums in 64 bits (128 for products of colour and
 * alpha) and knows nothing of tiles, bands or SIMD. Do not make the reference faster: the other
 * kernels are fast. */
#include "kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "kernel/signal_job.h"

__extension__ typedef __int128 int128;

static int64_t sample_get(const struct image *image, int y, int x, int c)
{
    const void *row = image_row(image, y);
    size_t i = (size_t)x * (size_t)image->channels + (size_t)c;
    return image_sample(row, image->type, i);
}

static void sample_set(const struct image *image, int y, int x, int c, int64_t value)
{
    size_t i = (size_t)x * (size_t)image->channels + (size_t)c;
    image_put_sample(image_row(image, y), image->type, i, (uint32_t)value);
}

/* The cell (y, x, c) of the picture, ghost cells included. */
static int64_t cell(const struct kernel_job *job, int y, int x, int c)
{
    const struct plan *plan = job->plan;
    int cell_y = border_fold(plan->border, y, job->picture_height);
    int cell_x = border_fold(plan->border, x, job->in->width);
    bool is_alpha = image_has_alpha(plan->channels) && c == plan->channels - 1;

    if (cell_y == BORDER_OUTSIDE || cell_x == BORDER_OUTSIDE)
        return is_alpha && plan->alpha != ALPHA_PLAIN ? plan->max : plan->border_value;
    return sample_get(job->in, cell_y - job->in_first_row, cell_x, c);
}

/* floor(n / d) for d > 0 */
static int128 divide_floor(int128 n, int128 d)
{
    int128 q = n / d;
    return n % d < 0 ? q - 1 : q;
}

static int64_t clamp(int128 value, int64_t max)
{
    return value < 0 ? 0 : value > max ? max : (int64_t)value;
}

/* S without the offset */
static int64_t sum_cells(const struct kernel_job *job, const struct plan_mask *m, int y, int x,
                         int c)
{
    int64_t sum = 0;
    for (int i = 0; i < m->height; i++)
        for (int j = 0; j < m->width; j++)
            sum +=
                plan_mask_weight(m, i, j) * cell(job, y + i - m->anchor_y, x + j - m->anchor_x, c);
    return sum;
}

static int64_t linear(const struct kernel_job *job, int y, int x, int c)
{
    const struct plan_mask *m = &job->plan->mask[0];
    int128 s = (int128)sum_cells(job, m, y, x, c) + m->offset;
    return clamp(divide_floor(s + m->divisor / 2, m->divisor), job->plan->max);
}

/* clamp(round(sqrt(gx^2 + gy^2) / d)): the largest n with (2n-1)^2 * d^2 <= 4*(gx^2 + gy^2) */
static int64_t gradient(const struct kernel_job *job, int y, int x, int c)
{
    int128 gx = sum_cells(job, &job->plan->mask[0], y, x, c);
    int128 gy = sum_cells(job, &job->plan->mask[1], y, x, c);
    int128 d = job->plan->mask[0].divisor;
    int64_t low = 0, high = job->plan->max; /* low passes the test; more than high is clamped */

    while (low < high) {
        int64_t n = (low + high + 1) / 2;
        if ((2 * n - 1) * d * (2 * n - 1) * d <= 4 * (gx * gx + gy * gy))
            low = n;
        else
            high = n - 1;
    }
    return low;
}

/* What a cell counts: its alpha, or 1; nothing if it is nodata. Alpha itself counts everywhere. */
static int64_t weight_of(const struct kernel_job *job, int y, int x, int c)
{
    const struct plan *plan = job->plan;
    const bool by_alpha = plan->alpha == ALPHA_WEIGHTED;

    if (plan->has_nodata && !(by_alpha && c == plan->channels - 1) &&
        cell(job, y, x, c) == (int64_t)plan->nodata)
        return 0;
    return by_alpha ? cell(job, y, x, plan->channels - 1) : 1;
}

/* Colour weighted by alpha, all in one fraction:
 *   round( W * sum(w*c*a) / (d * sum(w*a)) + o/d )
 *     = floor( (N + floor(D/2)) / D ),  D = d * sum(w*a),  N = W * sum(w*c*a) + o * sum(w*a)
 * a is 0 for nodata, and 1 for other cells where alpha does not count.
 * With M = 2^62 over the plan's bound, N + D/2 < M^2 = 2^124. */
static int64_t weighted(const struct kernel_job *job, int y, int x, int c)
{
    const struct plan_mask *m = &job->plan->mask[0];
    const bool is_alpha = job->plan->alpha == ALPHA_WEIGHTED && c == job->plan->channels - 1;
    int128 product = 0, coverage = 0, n, d;

    for (int i = 0; i < m->height; i++)
        for (int j = 0; j < m->width; j++) {
            int cy = y + i - m->anchor_y, cx = x + j - m->anchor_x;
            int128 wa = (int128)plan_mask_weight(m, i, j) * weight_of(job, cy, cx, c);
            coverage += wa;
            product += wa * cell(job, cy, cx, c);
        }
    if (is_alpha)
        return clamp(divide_floor(coverage + m->sum / 2, m->sum), job->plan->max);
    if (coverage == 0)
        return job->plan->has_nodata ? (int64_t)job->plan->nodata : linear(job, y, x, c);
    n = m->sum * product + m->offset * coverage;
    d = m->divisor * coverage;
    return clamp(divide_floor(n + d / 2, d), job->plan->max);
}

/* The weight of the window's cell (i, j): that of its place, times that of its difference. */
static int64_t bilateral_weight(const struct kernel_job *job, int i, int j, int y, int x)
{
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    int64_t d = 0;

    for (int c = 0; c < plan->channels; c++)
        if (plan_compared(plan) >> c & 1)
            d += llabs(cell(job, y + i - m->anchor_y, x + j - m->anchor_x, c) - cell(job, y, x, c));
    return d > plan->range_last ? 0 : plan_mask_weight(m, i, j) * plan->range[d];
}

/* The mean of the cells, whose weights depend on their samples; colour also weighted by alpha:
 *   floor( (sum(w*v) + floor(sum(w)/2)) / sum(w) ),  with w*a in place of w
 * The middle cell's w is not 0. */
static int64_t bilateral(const struct kernel_job *job, int y, int x, int c)
{
    const struct plan_mask *m = &job->plan->mask[0];
    const int alpha = job->plan->channels - 1;
    const bool by_alpha = job->plan->alpha == ALPHA_WEIGHTED && c != alpha;
    int128 sum = 0, weights = 0, product = 0, coverage = 0;

    for (int i = 0; i < m->height; i++)
        for (int j = 0; j < m->width; j++) {
            int cy = y + i - m->anchor_y, cx = x + j - m->anchor_x;
            int128 w = bilateral_weight(job, i, j, y, x), v = cell(job, cy, cx, c);
            int128 a = by_alpha ? cell(job, cy, cx, alpha) : 1;
            sum += w * v;
            weights += w;
            product += w * a * v;
            coverage += w * a;
        }
    if (coverage == 0)
        return (int64_t)divide_floor(sum + weights / 2, weights);
    return (int64_t)divide_floor(product + coverage / 2, coverage);
}

/* The cell at the plan's place among the sorted cells of the window, byte by byte from the highest
 * one on: cells that share the bytes found so far are counted by their next byte. */
static int64_t order(const struct kernel_job *job, int y, int x, int c)
{
    const struct plan_mask *m = &job->plan->mask[0];
    int place = job->plan->order;
    int64_t found = 0;

    for (int shift = 8 * ((int)job->in->type - 1); shift >= 0; shift -= 8) {
        int count[256] = {0}, byte = 0;
        for (int i = 0; i < m->height; i++)
            for (int j = 0; j < m->width; j++) {
                int64_t v = cell(job, y + i - m->anchor_y, x + j - m->anchor_x, c);
                if (plan_mask_weight(m, i, j) != 0 && v >> 8 >> shift == found)
                    count[v >> shift & 255]++;
            }
        while (place >= count[byte])
            place -= count[byte++];
        found = found << 8 | byte;
    }
    return found;
}

uint32_t reference_sample(const struct kernel_job *job, int y, int x, int c)
{
    const struct plan *plan = job->plan;

    if (!(plan->filtered >> c & 1))
        return (uint32_t)cell(job, y, x, c);
    if (plan->kind == PLAN_GRADIENT)
        return (uint32_t)gradient(job, y, x, c);
    if (plan->kind == PLAN_ORDER)
        return (uint32_t)order(job, y, x, c);
    if (plan->kind == PLAN_BILATERAL)
        return (uint32_t)bilateral(job, y, x, c);
    if (plan->alpha == ALPHA_WEIGHTED || plan->has_nodata)
        return (uint32_t)weighted(job, y, x, c);
    return (uint32_t)linear(job, y, x, c);
}

static void make_row(void *context, int row, int worker)
{
    const struct kernel_job *job = context;
    const int y = job->out_first_row + row;

    (void)worker;
    for (int x = 0; x < job->out->width; x++)
        for (int c = 0; c < job->plan->channels; c++)
            sample_set(job->out, row, x, c, reference_sample(job, y, x, c));
}

void reference_rows(const struct kernel_job *job, int threads)
{
    parallel_for(threads, job->out->height, make_row, (void *)job);
}

static bool run_pass(const struct kernel_job *job, const void *context, struct error *err)
{
    (void)context, (void)err;
    reference_rows(job, 1);
    return true;
}

static bool run(const struct kernel *kernel, const struct kernel_job *job, struct error *err)
{
    (void)kernel;
    return passes_run(job, run_pass, NULL, err);
}

const struct kernel kernel_reference = {
    .name = "reference",
    .dims = 2,
    .device = DEVICE_CPU,
    .idea = "the formula itself: all others are compared with it",
    .kinds = KERNEL_KIND(PLAN_LINEAR) | KERNEL_KIND(PLAN_GRADIENT) | KERNEL_KIND(PLAN_LONG) |
             KERNEL_KIND(PLAN_ORDER) | KERNEL_KIND(PLAN_BILATERAL),
    .run = run,
};

bool reference_check_row(const struct image *got, int got_row, const struct image *want,
                         int want_row, int y, const char *name, const char *what, struct error *err)
{
    int channels = want->channels, x = 0, c = 0;
    if (memcmp(image_row(got, got_row), image_row(want, want_row), image_row_bytes(want)) == 0)
        return true;
    while (sample_get(got, got_row, x, c) == sample_get(want, want_row, x, c)) {
        c = (c + 1) % channels;
        x += c == 0;
    }
    return error_set(err, EXIT_DIFFERENT,
                     "%s%s differs from the reference at x %d, y %d, channel %d: %d where the "
                     "reference has %d",
                     name, what, x, y, c, (int)sample_get(got, got_row, x, c),
                     (int)sample_get(want, want_row, x, c));
}

/* ---- signals ----
 *
 *   P[i] = sum over j of  weight[j] * in[i - anchor + j]
 *
 * In 64 bits, whatever the job's number type is. */

static int64_t signal_get(enum signal_type type, const void *cells, int i)
{
    return type == SIGNAL_F32 ? (int64_t)((const float *)cells)[i] : ((const int64_t *)cells)[i];
}

/* Cell i of the signal, ghost cells included. */
static int64_t signal_cell(const struct signal_job *job, int i)
{
    i = border_fold(job->border, i, job->n);
    return i == BORDER_OUTSIDE ? job->ghost : signal_get(job->type, job->in, i);
}

static bool run_signal(const struct signal_job *job, struct error *err)
{
    (void)err;
    for (int i = 0; i < job->n; i++) {
        int64_t sum = 0;
        for (int j = 0; j < job->mask_width; j++)
            sum += signal_get(job->type, job->weight, j) * signal_cell(job, i - job->anchor + j);
        if (job->type == SIGNAL_F32)
            ((float *)job->out)[i] = (float)sum;
        else
            ((int64_t *)job->out)[i] = sum;
    }
    return true;
}

const struct kernel kernel_signal_reference = {
    .name = "reference",
    .dims = 1,
    .device = DEVICE_CPU,
    .idea = "the formula itself: all others are compared with it",
    .run_signal = run_signal,
};
