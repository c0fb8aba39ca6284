/* Masks of rank 1 on the CPU: column sums straight from the picture's rows, then
 * row sums over them, so that a sample costs height + width taps instead of
 * height * width. Masks that are a sum of few such terms go the same way. */
#ifndef STENCIL_CPU_RANK1_H
#define STENCIL_CPU_RANK1_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

/* Can the plan go this way, and is that cheaper than the direct sums? */
bool cpu_rank1_wins(const struct plan *plan);

/* Do its sums need no products of 64 bits with 64 bits? */
bool cpu_rank1_is_narrow(const struct plan *plan);
/* Is the mask such a sum, whose numbers fit? */
bool cpu_rank1_can_terms(const struct plan *plan);

#endif
