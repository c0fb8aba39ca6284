/* The ring of prepared rows: see cpu_rows.h.
 *
 *   columns   first_pixel-ax ............................ first_pixel+pixels-1 + w-1-ax
 *             [ halo | strip .............................. | halo ]   ghost cells folded here
 *   row v     element (x + j)*channels + c is tap j of output pixel x
 */
#include "cpu_rows.h"

#include <stdlib.h>
#include <string.h>

#include "cpu_runs.h"

static int slot_of(const struct cpu_ring *ring, int row)
{
    int slot = row % ring->slots;
    return slot < 0 ? slot + ring->slots : slot;
}

static bool ring_alloc(struct cpu_ring *ring, size_t stride, int mask_height)
{
    size_t bytes;
    ring->slots = mask_height + 1; /* a pair reaches one row past the mask's last, if odd */
    bytes = (size_t)ring->slots * stride * sizeof *ring->line;
    /* Cleared once: the slack at a line's end is read by whole blocks and never used. */
    ring->line = calloc(1, bytes);
    ring->pair = ring->form == CPU_PAIRS ? calloc(1, bytes) : NULL;
    return ring->line && (ring->pair || ring->form != CPU_PAIRS);
}

bool cpu_rows_alloc(struct cpu_rows *rows, struct error *err)
{
    const struct plan *plan = rows->job->plan;
    size_t channels = (size_t)plan->channels;
    size_t n = (size_t)rows->max_pixels * channels;

    rows->stride =
        (n + CPU_BLOCK - 1) / CPU_BLOCK * CPU_BLOCK + (size_t)(rows->mask_width - 1) * channels;
    /* 16 elements are a cache line; an odd number of lines keeps the ring's rows apart in L1. */
    rows->stride = (rows->stride + 15) / 16 * 16 + 16;
    rows->opaque = calloc((size_t)rows->mask_height + 1, sizeof *rows->opaque);
    if (rows->opaque && ring_alloc(&rows->plain, rows->stride, rows->mask_height) &&
        (plan->alpha != ALPHA_WEIGHTED ||
         ring_alloc(&rows->product, rows->stride, rows->mask_height)))
        return true;
    cpu_rows_free(rows);
    return error_set(err, EXIT_INPUT, "no memory for the rows under a mask of %d x %d",
                     rows->mask_width, rows->mask_height);
}

void cpu_rows_free(struct cpu_rows *rows)
{
    free(rows->plain.line);
    free(rows->plain.pair);
    free(rows->product.line);
    free(rows->product.pair);
    free(rows->opaque);
    rows->plain.line = rows->plain.pair = rows->product.line = rows->product.pair = NULL;
    rows->opaque = NULL;
}

void cpu_rows_begin(struct cpu_rows *rows, int first_pixel, int pixels, int y, int count)
{
    rows->first_pixel = first_pixel;
    rows->pixels = pixels;
    rows->next_row = y - rows->anchor_y;
    rows->last_row = y + count - 1 - rows->anchor_y + rows->mask_height - 1;
}

/* ---- one line ---- */

static void ghost_pixel(const struct plan *plan, uint32_t *out)
{
    for (int c = 0; c < plan->channels; c++)
        out[c] = plan->border_value;
    if (image_has_alpha(plan->channels) && plan->alpha != ALPHA_PLAIN)
        out[plan->channels - 1] = plan->max;
}

static void widen(const struct image *image, const void *row, size_t first, size_t n, uint32_t *out)
{
    if (image->type == SAMPLE_U8) {
        const uint8_t *in = (const uint8_t *)row + first;
        for (size_t i = 0; i < n; i++)
            out[i] = in[i];
    } else {
        const uint16_t *in = (const uint16_t *)row + first;
        for (size_t i = 0; i < n; i++)
            out[i] = in[i];
    }
}

/* Pixels [from, to) of the picture, some of them ghost cells, into out. */
static void widen_ghosts(const struct cpu_rows *rows, const void *row, int from, int to,
                         uint32_t *out)
{
    const struct plan *plan = rows->job->plan;
    const struct image *in = rows->job->in;
    size_t channels = (size_t)plan->channels;
    for (int x = from; x < to; x++, out += channels) {
        int cell = border_fold(plan->border, x, in->width);
        if (row == NULL || cell == BORDER_OUTSIDE)
            ghost_pixel(plan, out);
        else
            widen(in, row, (size_t)cell * channels, channels, out);
    }
}

/* Picture row v (or the row it folds to) of the strip with its halo, into out. */
static void fill_line(const struct cpu_rows *rows, int v, uint32_t *out)
{
    const struct kernel_job *job = rows->job;
    int channels = job->plan->channels;
    int y = border_fold(job->plan->border, v, job->picture_height);
    int from = rows->first_pixel - rows->anchor_x;
    int to = from + rows->pixels + rows->mask_width - 1;
    const void *row = y == BORDER_OUTSIDE ? NULL : image_row(job->in, y - job->in_first_row);
    int inside_from = from < 0 ? 0 : from, inside_to = to > job->in->width ? job->in->width : to;

    if (row == NULL || inside_from >= inside_to) {
        widen_ghosts(rows, row, from, to, out);
        return;
    }
    widen_ghosts(rows, row, from, inside_from, out);
    widen(job->in, row, (size_t)inside_from * (size_t)channels,
          (size_t)(inside_to - inside_from) * (size_t)channels,
          out + (size_t)(inside_from - from) * (size_t)channels);
    widen_ghosts(rows, row, inside_to, to, out + (size_t)(inside_to - from) * (size_t)channels);
}

/* Each colour times its pixel's alpha (the alpha places are not used); are all alphas max? */
static bool fill_product(const struct cpu_rows *rows, const uint32_t *line, uint32_t *out)
{
    int channels = rows->job->plan->channels;
    uint32_t max = rows->job->plan->max;
    bool opaque = true;
    for (int x = 0; x < rows->pixels + rows->mask_width - 1; x++) {
        const uint32_t *pixel = line + (size_t)x * (size_t)channels;
        uint32_t alpha = pixel[channels - 1];
        opaque &= alpha == max;
        for (int c = 0; c < channels; c++)
            out[(size_t)x * (size_t)channels + (size_t)c] = pixel[c] * alpha;
    }
    return opaque;
}

/* ---- the ring ---- */

static uint32_t *line_at(const struct cpu_rows *rows, const struct cpu_ring *ring, int row)
{
    return ring->line + (size_t)slot_of(ring, row) * rows->stride;
}

/* Row v is there: pairs it with the row above. The strip's last row has none below it that any
 * mask row with a weight would read, so it stands twice. */
static void ring_pair_up(const struct cpu_rows *rows, const struct cpu_ring *ring, int row,
                         bool is_first)
{
    int n = (int)rows->stride;
    if (ring->form != CPU_PAIRS)
        return;
    if (!is_first)
        rows->ops->make_pairs(line_at(rows, ring, row - 1), line_at(rows, ring, row), ring->bias,
                              ring->pair + (size_t)slot_of(ring, row - 1) * rows->stride, n);
    if (row == rows->last_row)
        rows->ops->make_pairs(line_at(rows, ring, row), line_at(rows, ring, row), ring->bias,
                              ring->pair + (size_t)slot_of(ring, row) * rows->stride, n);
}

void cpu_rows_advance(struct cpu_rows *rows, int y)
{
    bool weighted = rows->job->plan->alpha == ALPHA_WEIGHTED;
    int first = rows->next_row, channels = rows->job->plan->channels;
    int need = y - rows->anchor_y + rows->mask_height; /* one more than the mask: its pair */
    if (need > rows->last_row)
        need = rows->last_row;
    for (int v = first; v <= need; v++) {
        /* Rows are numbered from y - anchor_y of the strip's first output row, whose first call
         * this is exactly when the mask's own first row is still to come. */
        bool is_first = v == y - rows->anchor_y;
        uint32_t *line = line_at(rows, &rows->plain, v);
        fill_line(rows, v, line);
        if (rows->plain.form == CPU_RUNS)
            cpu_runs_sum_up(line, (rows->pixels + rows->mask_width - 1) * channels, channels);
        ring_pair_up(rows, &rows->plain, v, is_first);
        if (weighted) {
            rows->opaque[slot_of(&rows->plain, v)] =
                fill_product(rows, line, line_at(rows, &rows->product, v));
            ring_pair_up(rows, &rows->product, v, is_first);
        }
    }
    rows->next_row = need + 1;
}

void cpu_rows_pointers(const struct cpu_rows *rows, const struct cpu_ring *ring, int y,
                       const uint32_t **at)
{
    int step = ring->form == CPU_PAIRS ? 2 : 1;
    const uint32_t *lines = ring->form == CPU_PAIRS ? ring->pair : ring->line;
    for (int i = 0; i < rows->mask_height; i += step)
        *at++ = lines + (size_t)slot_of(ring, y - rows->anchor_y + i) * rows->stride;
}

bool cpu_rows_opaque(const struct cpu_rows *rows, int y)
{
    for (int i = 0; i < rows->mask_height; i++)
        if (!rows->opaque[slot_of(&rows->plain, y - rows->anchor_y + i)])
            return false;
    return true;
}
