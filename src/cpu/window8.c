/* Samples in doubt: see cpu/window8.h. */
#include "cpu/window8.h"

#include <stdlib.h>
#include <string.h>

/* In which weights fit int16, and their sums with samples 32 bits. */
static int64_t unit_of(const int64_t *weight, int cells, int64_t max)
{
    int64_t most = 0, sum = 0, unit;

    for (int k = 0; k < cells; k++) {
        int64_t size = llabs(weight[k]);
        most = size > most ? size : most;
        sum += size;
    }
    /* Rounded, the sizes add up to at most cells / 2 more. */
    unit = sum / ((INT32_MAX - 1) / max - cells) + 1;
    return most / INT16_MAX + 1 > unit ? most / INT16_MAX + 1 : unit;
}

/* To the nearest; ties to either. */
static int64_t rounded(int64_t value, int64_t unit)
{
    return (value + (value < 0 ? -unit / 2 : unit / 2)) / unit;
}

bool cpu_window8_make(struct cpu_window8 *window, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int cells = m->width * m->height, used = m->width * plan->channels;
    int length = (used + CPU_WINDOW_BYTES - 1) / CPU_WINDOW_BYTES * CPU_WINDOW_BYTES;
    int height = (m->height + CPU_WINDOW_ROWS - 1) / CPU_WINDOW_ROWS * CPU_WINDOW_ROWS;
    size_t size = (size_t)length * (size_t)height;
    int64_t *rest = malloc((size_t)cells * sizeof *rest), sum[2] = {0, 0};

    *window = (struct cpu_window8){.weights = calloc(2 * size, sizeof *window->weights)};
    if (!rest || !window->weights) {
        free(rest);
        cpu_window8_free(window);
        return false;
    }
    window->taps = (struct cpu_window){height, length, window->weights};
    for (int k = 0; k < cells; k++)
        rest[k] = m->weight[k];
    for (int part = 0; part < 2; part++) {
        int64_t unit = window->unit[part] = unit_of(rest, cells, plan->max);
        for (int k = 0; k < cells; k++) {
            int x = k % m->width * plan->channels;
            int64_t w = rounded(rest[k], unit);
            window->weights[cpu_window_at(&window->taps, k / m->width, x, part)] = (int16_t)w;
            rest[k] -= w * unit;
        }
    }
    for (int k = 0; k < cells; k++)
        sum[rest[k] > 0] += rest[k];
    window->low = sum[0] * plan->max;
    window->high = sum[1] * plan->max;
    free(rest);
    return true;
}

void cpu_window8_free(struct cpu_window8 *window)
{
    free(window->weights);
    window->weights = NULL;
}

void cpu_window8_rows(const struct kernel_job *job, const struct cpu_tile *tile, int y,
                      const uint8_t *ghosts, const uint8_t **row)
{
    const struct plan_mask *m = &job->plan->mask[0];
    int i = 0;

    for (; i < m->height; i++)
        row[i] = cpu_tile_row(job, tile, y - m->anchor_y + i, ghosts);
    for (; i % CPU_WINDOW_ROWS != 0; i++) /* of no weight */
        row[i] = row[0];
}

/* With the plan's own weights. */
static int64_t exact_sum(const struct kernel_job *job, const uint8_t *const *row, int first_pixel,
                         int x)
{
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    uint64_t sum = (uint64_t)m->offset;
    size_t channels = (size_t)plan->channels, channel = (size_t)x % channels;
    int from = first_pixel + x / plan->channels - m->anchor_x;

    if (from >= 0 && from + m->width <= job->in->width) {
        for (int i = 0; i < m->height; i++) {
            const uint8_t *at = row[i] + (size_t)from * channels + channel;
            for (int j = 0; j < m->width; j++, at += channels)
                sum += (uint64_t)m->weight[i * m->width + j] * *at;
        }
        return (int64_t)sum;
    }
    for (int j = 0; j < m->width; j++) {
        int cell = border_fold(plan->border, from + j, job->in->width);
        for (int i = 0; i < m->height; i++)
            sum += (uint64_t)m->weight[i * m->width + j] *
                   (cell == BORDER_OUTSIDE ? plan->border_value
                                           : row[i][(size_t)cell * channels + channel]);
    }
    return (int64_t)sum;
}

void cpu_window8_decide(const struct cpu_window8 *window, const struct kernel_job *job,
                        const struct cpu_ops *ops, const uint8_t *const *row, int first_pixel,
                        int x, uint8_t *out)
{
    const struct plan *plan = job->plan;
    const struct plan_mask *m = &plan->mask[0];
    int64_t next = m->divisor * (*out + 1) - m->divisor / 2; /* S of the sample above */
    int first = (first_pixel - m->anchor_x) * plan->channels + x;

    if (*out >= plan->max)
        return;
    if (first >= 0 && first + window->taps.length <= job->in->width * plan->channels) {
        int32_t part[2];
        int64_t sum;
        ops->window_sums(&window->taps, row, first, part);
        sum = m->offset + window->unit[0] * part[0] + window->unit[1] * part[1];
        if (sum + window->high < next)
            return;
        if (sum + window->low >= next) {
            ++*out;
            return;
        }
    }
    if (exact_sum(job, row, first_pixel, x) >= next)
        ++*out;
}

void cpu_window8_finish(const struct cpu_window8 *window, const struct kernel_job *job,
                        const struct cpu_ops *ops, const struct cpu_tile *tile, int y,
                        const uint8_t *ghosts, const uint8_t *doubtful, uint8_t *out)
{
    const uint8_t *row[CPU_WINDOW_MOST], *next;
    int n = tile->pixels * job->plan->channels;

    cpu_window8_rows(job, tile, y, ghosts, row);
    for (int x = 0; x < n && (next = memchr(doubtful + x, 1, (size_t)(n - x))); x++) {
        x = (int)(next - doubtful);
        cpu_window8_decide(window, job, ops, row, tile->first_pixel, x, out + x);
    }
}
