/* Which plans go by bytes, and their weights in pairs: see cpu/bytes_taps.h. */
#include "cpu/bytes_taps.h"

#include <stdlib.h>

#include "cpu/bytes.h"

/* S + floor(d/2) must fit uint16_t or int16_t, and division is a 16-bit multiplication: with
 * m = ceil(2^(16+k) / d) and e = m*d - 2^(16+k), v*m / 2^(16+k) is v/d + v*e / (d * 2^(16+k)),
 * whose floor is right while the excess stays below 1/d. */
bool cpu_bytes_divide(const struct plan *plan, struct cpu_divide16 *divide)
{
    const struct plan_mask *m = &plan->mask[0];
    int64_t half = m->divisor / 2;
    int64_t low, high;

    if (m->bound >= 1 << 20)
        return false;
    low = (m->sum - m->sum_abs) / 2 * plan->max + m->offset + half;
    high = (m->sum + m->sum_abs) / 2 * plan->max + m->offset + half;
    if (!(low >= 0 && high <= UINT16_MAX) && !(low >= INT16_MIN && high <= INT16_MAX))
        return false;
    *divide = (struct cpu_divide16){.is_signed = low < 0, .max = (uint16_t)plan->max};
    if ((m->divisor & (m->divisor - 1)) == 0) {
        divide->shift = __builtin_ctzll((unsigned long long)m->divisor);
        if (divide->shift > 15) /* then every v is below d */
            divide->max = 0;
        divide->shift &= 15;
        return true;
    }
    for (int k = 0; k < 16; k++) {
        int64_t power = (int64_t)1 << (16 + k);
        int64_t factor = (power + m->divisor - 1) / m->divisor;
        if (factor <= UINT16_MAX && (factor * m->divisor - power) * high < power) {
            divide->factor = (uint16_t)factor;
            divide->shift = k;
            return true;
        }
    }
    return false;
}

static bool fits_int8(const int64_t *weight, int count)
{
    for (int i = 0; i < count; i++)
        if (weight[i] < -INT8_MAX || weight[i] > INT8_MAX)
            return false;
    return true;
}

/* Taps that are not 0. */
static int count_taps(const int64_t *weight, int count)
{
    int taps = 0;
    for (int i = 0; i < count; i++)
        taps += weight[i] != 0;
    return taps;
}

/* A tap of the column is worth a pair of bytes or less. */
bool cpu_bytes_separable(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return plan->kind == PLAN_LINEAR && m->row && fits_int8(m->row, m->width) &&
           (count_taps(m->row, m->width) + 1) / 2 + count_taps(m->column, m->height) <
               (count_taps(m->weight, m->width * m->height) + 1) / 2;
}

bool cpu_bytes_wins(const struct plan *plan)
{
    const struct plan_mask *m = plan->mask;
    struct cpu_divide16 divide;
    if (plan->type != SAMPLE_U8 || plan->alpha == ALPHA_WEIGHTED)
        return false;
    if (plan->kind == PLAN_GRADIENT) {
        for (int k = 0; k < plan->masks; k++)
            if (m[k].bound > INT16_MAX || !fits_int8(m[k].weight, m[k].width * m[k].height))
                return false;
        return true;
    }
    return cpu_bytes_divide(plan, &divide) &&
           (cpu_bytes_separable(plan) || fits_int8(m->weight, m->width * m->height));
}

/* Could the sum of two products saturate? */
static bool pair_fits(int64_t a, int64_t b)
{
    int64_t low = (a < 0 ? a : 0) + (b < 0 ? b : 0), high = (a > 0 ? a : 0) + (b > 0 ? b : 0);
    return low * UINT8_MAX >= INT16_MIN && high * UINT8_MAX <= INT16_MAX;
}

/* Neighbouring taps that are not 0 in pairs; where two do not fit, the first goes alone. A tap
 * alone is paired with itself, of weight 0. */
bool cpu_byte_taps_make(struct cpu_byte_taps *taps, const int64_t *weight, int width, int height)
{
    int cells = width * height, count = 0, open = -1;
    size_t most = (size_t)cells + 1;

    taps->pair = calloc(most, sizeof *taps->pair);
    taps->weight = calloc(most, sizeof *taps->weight);
    if (!taps->pair || !taps->weight)
        return false;
    for (int k = 0; k <= cells; k++) {
        if (k < cells && weight[k] == 0)
            continue;
        if (open < 0) {
            open = k < cells ? k : -1;
            continue;
        }
        bool both = k < cells && pair_fits(weight[open], weight[k]);
        int second = both ? k : open;
        uint32_t two = (uint8_t)weight[open] | (both ? (uint32_t)(uint8_t)weight[k] << 8 : 0);
        taps->pair[count] =
            (struct cpu_byte_pair){{open / width, second / width}, {open % width, second % width}};
        taps->weight[count++] = two | two << 16;
        open = both || k == cells ? -1 : k;
    }
    taps->pairs = (struct cpu_byte_pairs){count, taps->weight};
    return true;
}

void cpu_byte_taps_free(struct cpu_byte_taps *taps)
{
    free(taps->pair);
    free(taps->weight);
    taps->pair = NULL;
    taps->weight = NULL;
}
