/* Running sums in portable C: of boxes, along columns and rows; the sums over the ends of runs of
 * equal weights (cpu/direct.c), and over the changes of weights of a long line (cpu/long.c). A part
 * of cpu/ops_template.h, included once per instruction set.
 */
#ifndef STENCIL_CPU_OPS_RUNNING_SUMS_H
#define STENCIL_CPU_OPS_RUNNING_SUMS_H

#include "cpu/ops.h"
#include "cpu/ops_vector.h"

/* ---- boxes ---- */

#define COLUMN_SLIDE(name, sample)                                                                 \
    static void name(uint32_t weight, const void *enters, const void *leaves, size_t first,        \
                     uint32_t *sum, int n)                                                         \
    {                                                                                              \
        const sample *in = (const sample *)enters + first, *out = (const sample *)leaves + first;  \
        for (int x = 0; x < n; x++)                                                                \
            sum[x] += weight * ((uint32_t)in[x] - out[x]);                                         \
    }
COLUMN_SLIDE(column_slide_u8, uint8_t)
COLUMN_SLIDE(column_slide_u16, uint16_t)

/* STEP is a constant in every call, so that the running sums stay in registers. */
INLINE void row_slide(int step, const struct cpu_taps *taps, const uint32_t *column, uint32_t start,
                      uint32_t *out, int n)
{
    const uint32_t weight = taps->weight[0];
    const int first = (taps->count - 1) * step;
    uint32_t sum[4] = {start, start, start, start};

    for (int x = 0; x < first; x++)
        sum[x % step] += weight * column[x];
    for (int x = 0; x < n; x += step)
        for (int c = 0; c < step; c++) {
            sum[c] += weight * column[x + first + c];
            out[x + c] = sum[c];
            sum[c] -= weight * column[x + c];
        }
}

static void row_slide_32(const struct cpu_taps *taps, const uint32_t *column, uint32_t start,
                         uint32_t *sum, int n)
{
    if (taps->step == 1)
        row_slide(1, taps, column, start, sum, n);
    else if (taps->step == 2)
        row_slide(2, taps, column, start, sum, n);
    else if (taps->step == 3)
        row_slide(3, taps, column, start, sum, n);
    else
        row_slide(4, taps, column, start, sum, n);
}

/* ---- ends of runs ---- */

#define RUNS_VECTORS (32 / LANES)
#define RUNS_EACH(operation)                                                                       \
    for (int k = 0; k < RUNS_VECTORS; k++) {                                                       \
        v = load_32(in + LANES * k);                                                               \
        operation;                                                                                 \
    }

static void sum_runs(const struct cpu_runs *runs, const uint32_t *const *rows, uint32_t start,
                     int32_t *sum, int n)
{
    for (int x = 0; x < n; x += 32) {
        const struct cpu_run_end *end = runs->end;
        const uint32_t *other = runs->other, *in;
        v_u32 acc[RUNS_VECTORS], v;
        fill_32(acc, RUNS_VECTORS, 0);
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
        store_32(sum + x, acc, RUNS_VECTORS);
    }
}

/* ---- steps ---- */

#define STEP_VECTORS 4
#define STEP_BLOCK   (STEP_VECTORS * VECTOR_BYTES / 8)

static void sum_steps(const struct cpu_steps *steps, const uint64_t *sums, uint64_t start,
                      uint64_t *out, int n)
{
    for (int x = 0; x < n; x += STEP_BLOCK) {
        const size_t *at = steps->at;
        v_u64 total[STEP_VECTORS], acc[STEP_VECTORS];
        for (int k = 0; k < STEP_VECTORS; k++)
            total[k] = start - (v_u64){0};
        for (int g = 0; g < steps->groups; g++) {
            const struct cpu_step_group *group = &steps->group[g];
            for (int k = 0; k < STEP_VECTORS; k++)
                acc[k] = (v_u64){0};
            for (int t = 0; t < group->added; t++, at++)
                for (int k = 0; k < STEP_VECTORS; k++)
                    acc[k] += (v_u64)load_32(sums + *at + x + k * VECTOR_BYTES / 8);
            for (int t = 0; t < group->taken; t++, at++)
                for (int k = 0; k < STEP_VECTORS; k++)
                    acc[k] -= (v_u64)load_32(sums + *at + x + k * VECTOR_BYTES / 8);
            for (int k = 0; k < STEP_VECTORS; k++)
                total[k] += acc[k] * group->size;
        }
        for (int k = 0; k < STEP_VECTORS; k++)
            store(out + x + k * VECTOR_BYTES / 8, (v_u32)total[k]);
    }
}

#endif
