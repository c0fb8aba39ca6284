/* The numbers of certified sums for 16-bit samples (cpu/certify16.c): weights as integers of two
 * planes of int16, and the bounds of what sums of them leave out. */
#ifndef STENCIL_CPU_PLANES16_H
#define STENCIL_CPU_PLANES16_H

#include <math.h>

#include "cpu/ops.h"
#include "plan/plan.h"

#define CPU_PLANE_SUM  65535 /* times 2^15 is below 2^31 */
#define CPU_PLANE_BITS 15    /* of the low one, at most */
#define CPU_CENTRE16   32768.0

/* Numbers as integers of two planes. */
struct cpu_planes {
    int n, e, k;
    const double *value;
    int32_t *high, *low; /* n each */
    double sum;          /* of v' */
    /* Lines of ROWS rows of WIDTH weights, whose low sums are made in groups of so many places (0:
     * all in one, with no shift). Crossed: they hold high * lower too (cpu/certify16_terms.c). */
    int rows, width, group;
    bool crossed;
};

/* The most bits that fit, as many of them as can be of low. False where there are none. */
bool cpu_planes_make(struct cpu_planes *planes);

/* What numbers may be multiplied by as high parts; 0: they are all 0. */
double cpu_planes_room(const double *value, int n);

/* Weights i of a line of WIDTH, those of two lines to one pair; from PLANES to[0] and to[1]. */
void cpu_planes_put(uint32_t *to[2], const struct cpu_planes *planes, int width, int i);

static inline int64_t cpu_planes_whole(const struct cpu_planes *p, int i)
{
    return p->high[i] * ((int64_t)1 << p->k) + p->low[i];
}

/* The bounds' constants before they are rounded, in sample values. */
struct cpu_span {
    double low, high;
};

static inline void cpu_span_add(struct cpu_span *span, double rest)
{
    *(rest < 0 ? &span->low : &span->high) += rest;
}

/* The bits after the point: the results, before they are clamped, must fit 31 bits. */
int cpu_bounds16_bits(const struct plan *plan);

/* SHIFTS sums were rounded down; false where the bounds lie too far apart. */
bool cpu_bounds16_make(struct cpu_bounds *bounds, const struct plan *plan, struct cpu_span span,
                       int bits, int high_shift, int low_shift, int shifts);

/* Of 32 bits no more is left, and the error stays below 1. */
static inline int cpu_shift_within(int shift)
{
    return shift > 31 ? 31 : shift;
}

#endif
