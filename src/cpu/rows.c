/* The ring of prepared rows: see cpu/rows.h.
 *
 *   columns   first_pixel-ax ............................ first_pixel+pixels-1 + w-1-ax
 *             [ halo | tile .............................. | halo ]   ghost cells folded here
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

void cpu_rows_begin(struct cpu_rows *rows, const struct cpu_tile *tile)
{
    rows->tile = *tile;
    rows->next_row = tile->top;
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

void cpu_rows_fill(const struct cpu_rows *rows, int v, uint32_t *out)
{
    const struct kernel_job *job = rows->job;
    size_t channels = (size_t)job->plan->channels;
    int from = rows->tile.first_pixel - rows->anchor_x;
    int to = from + rows->tile.pixels + rows->mask_width - 1;
    const void *row = cpu_tile_row(job, &rows->tile, v, NULL);
    struct cpu_span span;

    for (int x = from; x < to; x += span.pixels) {
        size_t n;
        span = cpu_span_at(job, x, to);
        n = (size_t)span.pixels * channels;
        if (row && span.cell != BORDER_OUTSIDE)
            widen(job->in, row, (size_t)span.cell * channels, n, out);
        else
            for (size_t k = 0; k < n; k++)
                out[k] = plan_ghost(job->plan, (int)(k % channels));
        out += n;
    }
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
    if (need > rows->tile.bottom)
        need = rows->tile.bottom;
    for (int v = first; v <= need; v++) {
        uint32_t *line = line_at(rows, v);
        cpu_rows_fill(rows, v, line);
        if (rows->form == CPU_RUNS)
            running_sums(line, (rows->tile.pixels + rows->mask_width - 1) * channels, channels);
        if (rows->form != CPU_PAIRS)
            continue;
        /* Rows are numbered from y - anchor_y of the tile's first output row, whose first call
         * this is exactly when the mask's own first row is still to come. */
        if (v != y - rows->anchor_y)
            pair_up(rows, v - 1, v);
        /* The tile's last row has none below it that any mask row with a weight would read, so it
         * stands twice. */
        if (v == rows->tile.bottom)
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
