/* Single samples of 8-bit pictures under masks whose exact sums need 64 bits: those that a faster
 * way has left in doubt. Nearly all are decided by weights in two parts of 16 bits, some 2^16 times
 * as fine as what the faster ways round to; the few that are left, and those whose windows reach
 * over the picture's edge, are summed with the plan's own weights. */
#ifndef STENCIL_CPU_WINDOW8_H
#define STENCIL_CPU_WINDOW8_H

#include "cpu/ops.h"
#include "cpu/tiles.h"
#include "kernel/kernel.h"

/* The mask's weights are w = unit[0] * a + unit[1] * b + r with a and b of int16, so that
 *
 *   low <= S - (unit[0] * (sum of a*x) + unit[1] * (sum of b*x)) <= high
 *
 * with low and high the samples' max times the sum of the negative and of the positive r. The units
 * are so large that both sums fit 32 bits. */
struct cpu_window8 {
    int16_t *weights; /* owned: all that `taps` points at */
    struct cpu_window taps;
    int64_t unit[2], low, high;
};

/* False: no memory, and there is nothing to free. */
bool cpu_window8_make(struct cpu_window8 *window, const struct plan *plan);
void cpu_window8_free(struct cpu_window8 *window);

/* Points row[0..] at the rows under output row y, as the window's sums want them: up to
 * CPU_WINDOW_MOST. */
void cpu_window8_rows(const struct kernel_job *job, const struct cpu_tile *tile, int y,
                      const uint8_t *ghosts, const uint8_t **row);

/* Sample x of the tile: *out is the floor of a lower bound, clamped, and becomes the sample, which
 * it is or is one below. */
void cpu_window8_decide(const struct cpu_window8 *window, const struct kernel_job *job,
                        const struct cpu_ops *ops, const uint8_t *const *row, int first_pixel,
                        int x, uint8_t *out);

/* The same for all samples of a row of the tile whose byte is 1. */
void cpu_window8_finish(const struct cpu_window8 *window, const struct kernel_job *job,
                        const struct cpu_ops *ops, const struct cpu_tile *tile, int y,
                        const uint8_t *ghosts, const uint8_t *doubtful, uint8_t *out);

/* ns of a sample in doubt, about */
static inline double cpu_window8_cost(const struct plan_mask *mask)
{
    return 30 + 0.3 * mask->width * mask->height;
}

#endif
