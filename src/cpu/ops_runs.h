/* Sums over the ends of runs (cpu/direct.c) in portable C; a part of cpu/ops_template.h,
 * included once per instruction set. */
#ifndef STENCIL_CPU_OPS_RUNS_H
#define STENCIL_CPU_OPS_RUNS_H

#include <string.h>

#include "cpu/ops_separable.h"

#define RUNS_LANES   ((int)(sizeof(sums_32) / sizeof(uint32_t)))
#define RUNS_VECTORS (32 / RUNS_LANES)
#define RUNS_EACH(operation)                                                                       \
    for (int k = 0; k < RUNS_VECTORS; k++) {                                                       \
        LOAD(in + RUNS_LANES * k, &v);                                                             \
        operation;                                                                                 \
    }

static void sum_runs(const struct cpu_runs *runs, const uint32_t *const *rows, uint32_t start,
                     int32_t *sum, int n)
{
    for (int x = 0; x < n; x += 32) {
        const struct cpu_run_end *end = runs->end;
        const uint32_t *other = runs->other, *in;
        sums_32 acc[RUNS_VECTORS] = {{0}}, v;
        for (int t = 0; t < runs->added; t++, end++) {
            in = rows[end->row] + end->at + x;
            RUNS_EACH(acc[k] += v)
        }
        for (int t = 0; t < runs->taken; t++, end++) {
            in = rows[end->row] + end->at + x;
            RUNS_EACH(acc[k] -= v)
        }
        for (int k = 0; k < RUNS_VECTORS; k++)
            acc[k] = acc[k] * runs->weight + start;
        for (int t = 0; t < runs->others; t++, end++, other++) {
            in = rows[end->row] + end->at + x;
            RUNS_EACH(acc[k] += v * *other)
        }
        memcpy(sum + x, acc, sizeof acc);
    }
}

#endif
