/* Weights for pairs of bytes: see cpu/direct8_bytes.h. */
#include "cpu/direct8_bytes.h"

#include <stdlib.h>

#include "cpu/bytes_taps.h"

/* What weights of one sign may add up to so that their products fit 16 bits. */
#define MOST_SIGNED   (INT16_MAX / UINT8_MAX)
#define MOST_UNSIGNED (UINT16_MAX / UINT8_MAX)

/* Of bytes times weights: how far up and down their sum can go, in units of 255. */
struct reach {
    int up, down;
};

static struct reach reach_of(int64_t a, int64_t b)
{
    return (struct reach){(int)((a > 0 ? a : 0) + (b > 0 ? b : 0)),
                          (int)-((a < 0 ? a : 0) + (b < 0 ? b : 0))};
}

bool cpu_direct8_bytes_fit(const struct plan_mask *m)
{
    for (int i = 0; i < m->height; i++)
        for (int j = 0; j < m->width; j++) {
            int64_t a = m->weight[i * m->width + j];
            int64_t b = i + 1 < m->height ? m->weight[(i + 1) * m->width + j] : 0;
            struct reach reach;
            if (a < -INT8_MAX || a > INT8_MAX || b < -INT8_MAX || b > INT8_MAX)
                return false;
            reach = reach_of(a, b);
            if (reach.up > MOST_SIGNED || reach.down > MOST_SIGNED)
                return false;
        }
    return true;
}

bool cpu_direct8_quads_fit(const struct plan_mask *m)
{
    for (int k = 0; k < m->width * m->height; k++)
        if (m->weight[k] < INT8_MIN || m->weight[k] > INT8_MAX)
            return false;
    return true;
}

bool cpu_direct8_bytes_win(const struct cpu_ops *ops, const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int pairs = m->height / 2 + 1, quads = m->height / 4 + 1, taps = 0;

    if (plan->kind != PLAN_LINEAR || cpu_bytes_separable(plan))
        return false;
    for (int k = 0; k < m->width * m->height; k++)
        taps += m->weight[k] != 0;
    /* Here every place of the mask is walked, with 4 instructions a pair, or 6 a quad of half as
     * many samples, or with loads 8; there two taps that are not 0 take 8. */
    if (ops->byte_quads && cpu_direct8_quads_fit(m))
        return quads * m->width * 6 + 20 < (taps + 1) / 2 * 8;
    return ops->byte_two_rows_16 && pairs * m->width * 4 + 20 < (taps + 1) / 2 * 8 &&
           cpu_direct8_bytes_fit(m);
}

/* Where sums of 16 bits are full. */
static void find_full(struct cpu_direct8_bytes *bytes, const int8_t *weight, int taps)
{
    int most = bytes->masks.is_signed ? MOST_SIGNED : MOST_UNSIGNED;
    struct reach sum[2] = {{0, 0}, {0, 0}};

    for (int t = 0; t < taps; t++) {
        bool fits = true;
        for (int k = 0; k < 2; k++) {
            const int8_t *two = weight + 4 * (t + k * taps);
            struct reach more = reach_of(two[0], two[1]);
            fits = fits && sum[k].up + more.up <= most && sum[k].down + more.down <= most;
        }
        if (!fits) {
            bytes->full[t - 1] = 1;
            sum[0] = sum[1] = (struct reach){0, 0};
        }
        for (int k = 0; k < 2; k++) {
            const int8_t *two = weight + 4 * (t + k * taps);
            struct reach more = reach_of(two[0], two[1]);
            sum[k].up += more.up;
            sum[k].down += more.down;
        }
    }
    bytes->full[taps - 1] = 1;
}

bool cpu_direct8_bytes_make(struct cpu_direct8_bytes *bytes, const struct plan *plan,
                            const struct cpu_two_masks *masks, uint32_t *weights)
{
    const struct plan_mask *m = &plan->mask[0];
    int taps = masks->pairs * masks->width;

    bytes->full = calloc((size_t)taps, 1);
    if (!bytes->full)
        return false;
    for (int k = 0; k < 2 * taps; k++) {
        uint32_t two = (weights[k] & 0xff) | (weights[k] >> 16 & 0xff) << 8;
        weights[k] = two | two << 16;
    }
    bytes->masks = (struct cpu_two_byte_masks){masks->pairs, masks->width,
                                               masks->step,  {weights, weights + taps},
                                               bytes->full,  m->sum_abs > m->sum};
    find_full(bytes, (const int8_t *)weights, taps);
    bytes->can = true;
    bytes->narrow = cpu_bytes_divide(plan, &bytes->divide);
    return true;
}
