/* Masks whose weights change seldom along a row (discs, rings, lines, octagons), on the
 * CPU: over running sums of the samples a run of one weight is two of them, whatever its
 * length.
 *
 *   R[x] = sum of in[t], t <= x      S = sum of w[j] * in[x + j]
 *                                      = sum of (w[j - 1] - w[j]) * R[x + j - 1],  j = 0 .. width
 *
 * Modulo 2^32, which is exact where S fits 32 bits. The lines begin one pixel further left. */
#ifndef STENCIL_CPU_RUNS_H
#define STENCIL_CPU_RUNS_H

#include "cpu/ops.h"
#include "kernel/kernel.h"

/* How many ends of runs the mask has, and how many of them need a weight of their own. */
int cpu_runs_count(const struct plan_mask *mask, int *others);

/* Fills RUNS in one block, which is returned for free(); NULL: no memory. */
void *cpu_runs_make(struct cpu_runs *runs, const struct plan_mask *mask, int channels);

/* Makes running sums of a line of n samples, in place. */
void cpu_runs_sum_up(uint32_t *line, int n, int channels);

#endif
