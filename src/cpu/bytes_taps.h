/* For cpu/bytes.c: how a plan's sums go by bytes (by rows and columns or directly), how
 * they are divided, and the weights in pairs whose sum of products fits int16. */
#ifndef STENCIL_CPU_BYTES_TAPS_H
#define STENCIL_CPU_BYTES_TAPS_H

#include "cpu/ops.h"
#include "plan/plan.h"

/* Two taps: cells of the mask (or of its row factor, then i is 0). */
struct cpu_byte_pair {
    int i[2], j[2];
};

/* One mask as pairs of taps. */
struct cpu_byte_taps {
    struct cpu_byte_pair *pair;
    uint32_t *weight;
    struct cpu_byte_pairs pairs;
    uint16_t start; /* where the sums begin */
};

/* By rows and columns? */
bool cpu_bytes_separable(const struct plan *plan);

/* The division of a linear plan's sums; false where 16 bits cannot do it. */
bool cpu_bytes_divide(const struct plan *plan, struct cpu_divide16 *divide);

/* WEIGHT: width * height of -127..127, row-major. False without memory; free in any case,
 * harmless on a zeroed one. */
bool cpu_byte_taps_make(struct cpu_byte_taps *taps, const int64_t *weight, int width, int height);
void cpu_byte_taps_free(struct cpu_byte_taps *taps);

#endif
