/* 8-bit samples on the CPU under masks that are close to rank 1 and whose exact sums need 64 bits,
 * as a Gaussian printed with 19 digits is: by the mask's row and its column in 16 and 32
 * bits, with a proven bound (cpu/near8_make.c), so that only the few samples which that leaves in
 * doubt are summed exactly. */
#ifndef STENCIL_CPU_NEAR8_H
#define STENCIL_CPU_NEAR8_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

struct cpu_near8 {
    uint32_t *weights; /* owned: all that the two point at */
    struct cpu_row_pairs row;
    struct cpu_two_masks column; /* over lines of two rows' sums: a column each of two outputs */
    struct cpu_bounds8 bounds;
    double share; /* of samples that are in doubt, about */
};

/* False where the mask is not close enough to rank 1: free it all the same. */
bool cpu_near8_make(struct cpu_near8 *near, const struct plan *plan);
void cpu_near8_free(struct cpu_near8 *near);

bool cpu_near8_can(const struct plan *plan);

#endif
