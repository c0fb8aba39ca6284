/* Running sums in portable C: of boxes, along columns and rows; and the sums over the changes of
 * weights (cpu/runs.c, cpu/long.c). A part of cpu/ops_template.h, included once per instruction
 * set.
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

/* ---- steps ---- */

#define STEP_VECTORS 4
#define EACH_VECTOR  for (int k = 0; k < STEP_VECTORS; k++)

/* ROW: the row of a step. */
#define SUM_STEPS(bits, row)                                                                       \
    static void sum_steps_##bits(const struct cpu_steps *steps, const void *const *rows,           \
                                 uint64_t start, void *out, int n)                                 \
    {                                                                                              \
        enum { EACH = 8 * VECTOR_BYTES / bits };                                                   \
        for (int x = 0; x < n; x += STEP_VECTORS * EACH) {                                         \
            const struct cpu_step *step = steps->step;                                             \
            const uint##bits##_t *at;                                                              \
            v_u##bits total[STEP_VECTORS], acc[STEP_VECTORS];                                      \
            EACH_VECTOR total[k] = (uint##bits##_t)start - (v_u##bits){0};                         \
            for (int g = 0; g < steps->groups; g++) {                                              \
                const struct cpu_step_group *group = &steps->group[g];                             \
                EACH_VECTOR acc[k] = (v_u##bits){0};                                               \
                for (int t = 0; t < group->added; t++, step++) {                                   \
                    at = (const uint##bits##_t *)rows[row] + step->at + x;                         \
                    EACH_VECTOR acc[k] += (v_u##bits)load_32(at + k * EACH);                       \
                }                                                                                  \
                for (int t = 0; t < group->taken; t++, step++) {                                   \
                    at = (const uint##bits##_t *)rows[row] + step->at + x;                         \
                    EACH_VECTOR acc[k] -= (v_u##bits)load_32(at + k * EACH);                       \
                }                                                                                  \
                EACH_VECTOR total[k] += acc[k] * (uint##bits##_t)group->size;                      \
            }                                                                                      \
            EACH_VECTOR store((uint##bits##_t *)out + x + k * EACH, (v_u32)total[k]);              \
        }                                                                                          \
    }
SUM_STEPS(32, step->row)
SUM_STEPS(64, 0)

#endif
