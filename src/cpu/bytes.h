/* Which plans the method `bytes` takes, and its division, for the method beside it. */
#ifndef STENCIL_CPU_BYTES_H
#define STENCIL_CPU_BYTES_H

#include "cpu/ops.h"
#include "plan/plan.h"

bool cpu_bytes_wins(const struct plan *plan);

/* By rows and columns? */
bool cpu_bytes_separable(const struct plan *plan);

/* The division of a linear plan's sums; false where 16 bits cannot do it. */
bool cpu_bytes_divide(const struct plan *plan, struct cpu_divide16 *divide);

#endif
