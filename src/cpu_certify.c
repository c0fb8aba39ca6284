/* Certified sums: see cpu_certify.h.
 *
 * The weights are w = w' * 2^s + r with |w'| < 2^15 and |r| <= 2^(s-1). For samples x in 0..max
 *
 *   S + d/2 = 2^s * T + (sum of r*x) + o + floor(d/2),   T = sum of w'*x  (32 bits)
 *   max * (sum of r < 0)  <=  sum of r*x  <=  max * (sum of r > 0)
 *
 * so that (S + d/2) / d lies between T * 2^s/d + low and T * 2^s/d + high, both of which are
 * worked out in float. The float's error: T, 2^s/d, their product, the constant and the last sum
 * are each rounded, by at most 2^-24 of a value not above
 *
 *   size = max|T| * 2^s/d + |low| + |high| + 1,
 *
 * so together by less than 8 * 2^-24 * size (the doubles that the constants come from are right to
 * 2^-50 and lost in that). low and high are moved apart by this much. Where both bounds, clamped,
 * have the same floor, that is the sample; the others are summed exactly. */
#include "cpu_certify.h"

#include <math.h>

/* floor(w / 2^s + 1/2); s >= 1 */
static int64_t scale_down(int64_t w, int s)
{
    return (w + ((int64_t)1 << (s - 1))) >> s;
}

/* The smallest s >= 1 for which w' fits int16 and T, with room to spare, 31 bits. */
static int choose_scale(const struct plan_mask *m, uint32_t max)
{
    for (int s = 1; s < 62; s++) {
        int64_t sum = 0;
        bool fits = true;
        for (int k = 0; k < m->width * m->height && fits; k++) {
            int64_t w = scale_down(m->weight[k], s);
            fits = w >= -INT16_MAX && w <= INT16_MAX;
            sum += w < 0 ? -w : w;
        }
        if (fits && sum * max < (int64_t)1 << 31)
            return s;
    }
    return 0;
}

bool cpu_certify_make(const struct plan *plan, int64_t *weight, struct cpu_certify *certify)
{
    const struct plan_mask *m = &plan->mask[0];
    int s = choose_scale(m, plan->max);
    double below = 0, above = 0, reach = 0, constant, scale, low, high, slack;

    if (s == 0)
        return false;
    for (int k = 0; k < m->width * m->height; k++) {
        weight[k] = scale_down(m->weight[k], s);
        int64_t rest = m->weight[k] - weight[k] * ((int64_t)1 << s);
        below += rest < 0 ? (double)rest : 0;
        above += rest > 0 ? (double)rest : 0;
        reach += fabs((double)weight[k]);
    }
    scale = ldexp(1.0, s) / (double)m->divisor;
    constant = ((double)m->offset + (double)(m->divisor / 2)) / (double)m->divisor;
    low = constant + below * plan->max / (double)m->divisor;
    high = constant + above * plan->max / (double)m->divisor;
    slack = ldexp(8, -24) * (reach * plan->max * scale + fabs(low) + fabs(high) + 1);
    /* Where every sample would be doubtful the exact sums alone are faster. */
    if (high - low + 2 * slack > 0.25)
        return false;
    *certify = (struct cpu_certify){.scale = (float)scale,
                                    .low = (float)(low - slack),
                                    .high = (float)(high + slack),
                                    .max = (float)plan->max};
    return true;
}

void cpu_certify_factors(const double *value, int width, int height, double *column, double *row)
{
    int at = 0;
    for (int i = 1; i < width * height; i++)
        if (fabs(value[i]) > fabs(value[at]))
            at = i;
    for (int j = 0; j < width; j++)
        row[j] = value[at / width * width + j];
    for (int i = 0; i < height; i++)
        column[i] = value[i * width + at % width] / value[at];
}
