/* Running sums in portable C: of boxes, along columns and rows; the sums over the ends of runs of
 * equal weights (cpu/runs.c), and over the changes of weights of a long line (cpu/long.c). A part
 * of cpu/ops_template.h, included once per instruction set.
 */
#ifndef STENCIL_CPU_OPS_RUNNING_SUMS_H
#define STENCIL_CPU_OPS_RUNNING_SUMS_H

#include "cpu/ops.h"
#include "cpu/ops_vector.h"

/* ---- boxes ---- */

static void column_slide(uint32_t weight, const void *enters, const void *leaves, size_t first,
                         int bytes, uint32_t *sum, int n)
{
    const uint8_t *in8 = (const uint8_t *)enters + first, *out8 = (const uint8_t *)leaves + first;
    const uint16_t *in = (const uint16_t *)enters + first, *out = (const uint16_t *)leaves + first;
    for (int x = 0; bytes == 1 && x < n; x++)
        sum[x] += weight * ((uint32_t)in8[x] - out8[x]);
    for (int x = 0; bytes == 2 && x < n; x++)
        sum[x] += weight * ((uint32_t)in[x] - out[x]);
}

/* The numbers OF(lane, by) of all lanes. */
#define FOUR_LANES(of, lane, by)                                                                   \
    of(lane, by), of((lane) + 1, by), of((lane) + 2, by), of((lane) + 3, by)
#if VECTOR_BYTES == 64
#define ALL_LANES(of, by)                                                                          \
    FOUR_LANES(of, 0, by), FOUR_LANES(of, 4, by), FOUR_LANES(of, 8, by), FOUR_LANES(of, 12, by)
#elif VECTOR_BYTES == 32
#define ALL_LANES(of, by) FOUR_LANES(of, 0, by), FOUR_LANES(of, 4, by)
#else
#define ALL_LANES(of, by) FOUR_LANES(of, 0, by)
#endif

/* V moved up by BY lanes, with zeros below; the last STEP lanes of V, over and over. */
#define LANE_BELOW(lane, by)  ((by) < LANES ? LANES + (lane) - (by) : 0)
#define LANE_LAST(lane, step) (LANES - (step) + (lane) % (step))
#define MOVED_UP(v, by)       __builtin_shufflevector((v_u32){0}, v, ALL_LANES(LANE_BELOW, by))
#define LAST_LANES(v, step)   __builtin_shufflevector(v, v, ALL_LANES(LANE_LAST, step))

/* T[x] = the columns that have entered the sum at x, less those that have left it:
 * T[x] = T[x - STEP] + column[x + first] - column[x], and the sum is T[x] + column[x]. A vector's
 * differences are added up in log2(LANES / STEP) operations, then T of the vector before is added.
 * BEFORE: T of the last STEP elements before, in the last lanes. */
#define ROW_SLIDE(STEP)                                                                            \
    static void row_slide_##STEP(const uint32_t *column, int first, uint32_t weight,               \
                                 uint32_t start, uint32_t *before, uint32_t *sum, int n)           \
    {                                                                                              \
        v_u32 t = load_32(before);                                                                 \
        for (int x = 0; x < n; x += LANES) {                                                       \
            const v_u32 leaves = load_32(column + x);                                              \
            v_u32 v = load_32(column + x + first) - leaves;                                        \
            v += MOVED_UP(v, STEP);                                                                \
            v += MOVED_UP(v, 2 * STEP);                                                            \
            v += MOVED_UP(v, 4 * STEP);                                                            \
            v += MOVED_UP(v, 8 * STEP);                                                            \
            t = v + LAST_LANES(t, STEP);                                                           \
            store(sum + x, (t + leaves) * weight + start);                                         \
        }                                                                                          \
        store(before, t);                                                                          \
    }
ROW_SLIDE(1)
ROW_SLIDE(2)
ROW_SLIDE(3)
ROW_SLIDE(4)

static void row_slide_32(const struct cpu_taps *taps, const uint32_t *column, uint32_t start,
                         uint32_t *sum, int n)
{
    static void (*const slide[])(const uint32_t *, int, uint32_t, uint32_t, uint32_t *, uint32_t *,
                                 int) = {row_slide_1, row_slide_2, row_slide_3, row_slide_4};
    const int step = taps->step, first = (taps->count - 1) * step, whole = n / LANES * LANES;
    const uint32_t weight = taps->weight[0];
    uint32_t before[LANES] = {0}, *last = before + LANES - step;

    for (int x = 0; x < first; x += step)
        for (int c = 0; c < step; c++)
            last[c] += column[x + c];
    slide[step - 1](column, first, weight, start, before, sum, whole);
    for (int x = whole; x < n; x += step)
        for (int c = 0; c < step && x + c < n; c++) {
            last[c] += column[x + c + first];
            sum[x + c] = last[c] * weight + start;
            last[c] -= column[x + c];
        }
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
