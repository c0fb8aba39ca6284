/* The ring of prepared rows: see cpu/rows.h.
 *
 *   columns   first_pixel-ax ............................ first_pixel+pixels-1 + w-1-ax
 *             [ halo | strip .............................. | halo ]   ghost cells folded here
 *   row v     element (x + j)*channels + c is tap j of output pixel x
 */
#include "cpu/rows.h"

#include <stdlib.h>

/* CHANNELS is a constant where it is called: the sums stay in registers. */
static inline __attribute__((always_inline)) void sum_up(uint32_t *line, int n, int channels)
{
    uint32_t sum[4] = {0};
    for (int x = 0; x < n; x += channels)
        for (int c = 0; c < channels; c++)
            line[x + c] = sum[c] += line[x + c];
}

/* Makes running sums of a line of n samples, in place. */
static void running_sums(uint32_t *line, int n, int channels)
{
    if (channels == 1)
        sum_up(line, n, 1);
    else if (channels == 2)
        sum_up(line, n, 2);
    else if (channels == 3)
        sum_up(line, n, 3);
    else
        sum_up(line, n, 4);
}

static size_t slot_of(const struct cpu_rows *rows, int row)
{
    int slot = row % rows->slots;
    return (size_t)(slot < 0 ? slot + rows->slots : slot);
}

void cpu_rows_alloc(struct cpu_rows *rows, struct cpu_memory *memory)
{
    size_t channels = (size_t)rows->job->plan->channels;
    size_t n = (size_t)rows->max_pixels * channels;

    rows->slots = rows->mask_height + 1; /* a pair reaches one row past the mask's last, if odd */
    rows->stride =
        (n + CPU_BLOCK - 1) / CPU_BLOCK * CPU_BLOCK + (size_t)(rows->mask_width - 1) * channels;
    /* 16 elements are a cache line; an odd number of lines keeps the ring's rows apart in L1. */
    rows->stride = (rows->stride + 15) / 16 * 16 + 16;
    /* Cleared once: the slack at a line's end is read by whole blocks and never used. */
    rows->line =
        cpu_memory_keep(memory, calloc((size_t)rows->slots, rows->stride * sizeof *rows->line));
    if (rows->form == CPU_PAIRS)
        rows->pair =
            cpu_memory_keep(memory, calloc((size_t)rows->slots, rows->stride * sizeof *rows->pair));
}

void cpu_rows_begin(struct cpu_rows *rows, const struct cpu_strip *strip)
{
    rows->strip = *strip;
    rows->next_row = strip->top;
}

/* ---- one line ---- */

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
        if (row != NULL && cell != BORDER_OUTSIDE)
            widen(in, row, (size_t)cell * channels, channels, out);
        else
            for (int c = 0; c < plan->channels; c++)
                out[c] = plan_ghost(plan, c);
    }
}

void cpu_rows_fill(const struct cpu_rows *rows, int v, uint32_t *out)
{
    const struct kernel_job *job = rows->job;
    int channels = job->plan->channels;
    int from = rows->strip.first_pixel - rows->anchor_x;
    int to = from + rows->strip.pixels + rows->mask_width - 1;
    const void *row = cpu_strip_row(job, &rows->strip, v, NULL);
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

/* ---- the ring ---- */

static uint32_t *line_at(const struct cpu_rows *rows, int row)
{
    return rows->line + slot_of(rows, row) * rows->stride;
}

static void pair_up(const struct cpu_rows *rows, int upper, int lower)
{
    rows->ops->make_pairs(line_at(rows, upper), line_at(rows, lower), rows->bias,
                          rows->pair + slot_of(rows, upper) * rows->stride, (int)rows->stride);
}

void cpu_rows_advance(struct cpu_rows *rows, int y)
{
    int first = rows->next_row, channels = rows->job->plan->channels;
    int need = y - rows->anchor_y + rows->mask_height; /* one more than the mask: its pair */
    if (need > rows->strip.bottom)
        need = rows->strip.bottom;
    for (int v = first; v <= need; v++) {
        uint32_t *line = line_at(rows, v);
        cpu_rows_fill(rows, v, line);
        if (rows->form == CPU_RUNS)
            running_sums(line, (rows->strip.pixels + rows->mask_width - 1) * channels, channels);
        if (rows->form != CPU_PAIRS)
            continue;
        /* Rows are numbered from y - anchor_y of the strip's first output row, whose first call
         * this is exactly when the mask's own first row is still to come. */
        if (v != y - rows->anchor_y)
            pair_up(rows, v - 1, v);
        /* The strip's last row has none below it that any mask row with a weight would read, so it
         * stands twice. */
        if (v == rows->strip.bottom)
            pair_up(rows, v, v);
    }
    rows->next_row = need + 1;
}

void cpu_rows_pointers(const struct cpu_rows *rows, int y, const uint32_t **at)
{
    int step = rows->form == CPU_PAIRS ? 2 : 1;
    const uint32_t *lines = rows->form == CPU_PAIRS ? rows->pair : rows->line;
    for (int i = 0; i < rows->mask_height; i += step)
        *at++ = lines + slot_of(rows, y - rows->anchor_y + i) * rows->stride;
}
