/* Two planes, and bounds: see cpu/planes16.h. */
#include "cpu/planes16.h"

#include <stdlib.h>

/* Of the low sums' groups, which are shifted, and then short by less than 1 each. */
#define PARTS_SUM (256 * CPU_PLANE_SUM - 256)

/* The most that weight i adds to a low sum, over 2^15. */
static int64_t low_size(const struct cpu_planes *p, int i)
{
    int64_t size = abs(p->low[i]);
    /* Times samples' low parts, of at most 2^(k-1). */
    return p->crossed ? size + (abs(p->high[i]) >> (16 - p->k)) + 1 : size;
}

/* Do the low sums fit 32 bits? */
static bool low_fits(const struct cpu_planes *p)
{
    int group = p->group > 0 ? p->group : p->width;
    int64_t total = 0;

    for (int line = 0; line < p->n; line += p->width * p->rows)
        for (int j = 0; j < p->width; j += group) {
            int64_t sum = 0;
            for (int i = line; i < line + p->width * p->rows && i < p->n; i += p->width)
                for (int k = j; k < j + group && k < p->width; k++)
                    sum += low_size(p, i + k);
            if (sum > CPU_PLANE_SUM)
                return false;
            total += sum;
        }
    return total <= (p->group > 0 ? PARTS_SUM : CPU_PLANE_SUM);
}

/* Fills the planes for e and k; false where they do not fit. */
static bool planes_fill(struct cpu_planes *p)
{
    int64_t half = p->k > 0 ? (int64_t)1 << (p->k - 1) : 0, high = 0;
    double scale = ldexp(1, p->e);

    p->sum = 0;
    for (int i = 0; i < p->n; i++) {
        int64_t v = (int64_t)nearbyint(p->value[i] * scale), h = (v + half) >> p->k;
        high += h < 0 ? -h : h;
        if (h < -INT16_MAX || h > INT16_MAX || high > CPU_PLANE_SUM)
            return false;
        p->high[i] = (int32_t)h;
        p->low[i] = (int32_t)(v - h * ((int64_t)1 << p->k));
        p->sum += (double)v;
    }
    return low_fits(p);
}

/* Of k, those that may fit, where half of the low parts are larger than 2^(k-2). */
static int most_bits(const struct cpu_planes *p)
{
    int count = 0, most = p->rows * p->group, bits;

    for (int i = 0; i < p->n; i++)
        count += p->value[i] != 0;
    bits = ilogb(8.0 * CPU_PLANE_SUM / (most > 0 && most < count ? most : count + 1)) + 1;
    return bits < CPU_PLANE_BITS ? bits : CPU_PLANE_BITS;
}

double cpu_planes_room(const double *value, int n)
{
    double sum = 0, largest = 0;

    for (int i = 0; i < n; i++) {
        sum += fabs(value[i]);
        largest = fmax(largest, fabs(value[i]));
    }
    return largest > 0 ? fmin(CPU_PLANE_SUM / sum, INT16_MAX / largest) : 0;
}

bool cpu_planes_make(struct cpu_planes *p)
{
    double room = cpu_planes_room(p->value, p->n);
    int most = room > 0 ? ilogb(room) : 0, bits = most_bits(p);

    for (p->e = most + bits; room > 0 && p->e > most - 8; p->e--)
        for (p->k = bits; p->k >= 0 && p->k >= p->e - most; p->k--)
            if (planes_fill(p))
                return true;
    return false;
}

void cpu_planes_put(uint32_t *to[2], const struct cpu_planes *p, int width, int i)
{
    int at = i / width / 2 * width + i % width, shift = i / width % 2 * 16;
    to[0][at] |= ((uint32_t)p->high[i] & 0xffff) << shift;
    to[1][at] |= ((uint32_t)p->low[i] & 0xffff) << shift;
}

int cpu_bounds16_bits(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    double d = (double)m->divisor, negative = ((double)m->sum_abs - (double)m->sum) / 2 / d;
    double offset = fabs((double)m->offset / d) + 2;
    double reach = fmax(negative, (double)m->sum_abs / d - negative) * plan->max + offset;
    int bits = ilogb((0x1p31 - 0x1p17) / reach);
    return bits > 15 ? 15 : bits;
}

bool cpu_bounds16_make(struct cpu_bounds *b, const struct plan *plan, struct cpu_span span,
                       int bits, int high_shift, int low_shift, int shifts)
{
    const struct plan_mask *m = &plan->mask[0];
    double constant = ((double)m->offset + (double)(m->divisor / 2)) / (double)m->divisor;
    double low, high;

    if (bits < 0 || high_shift < 0)
        return false;
    low = floor(ldexp(constant + span.low, bits)) - 1;
    high = ceil(ldexp(constant + span.high, bits)) + 1 + shifts;
    /* Where many samples would be doubtful the exact sums alone are faster. */
    if (!(fabs(low) < 0x1p31 && high - low <= ldexp(0.25, bits)))
        return false;
    *b = (struct cpu_bounds){.high_shift = cpu_shift_within(high_shift),
                             .low_shift = cpu_shift_within(low_shift),
                             .start = (int32_t)low,
                             .width = (int32_t)(high - low),
                             .bits = bits,
                             .max = (int32_t)plan->max};
    return true;
}
