/* 16-bit samples under masks whose exact sums need 64 bits: two sums of 32 bits that give
 * every sample to within a proven bound, so that only the few which that leaves in
 * doubt are summed exactly. A mask that is close to rank 1, as a Gaussian printed
 * with 19 digits is, goes by way of its column and its row. */
#ifndef STENCIL_CPU_CERTIFY16_H
#define STENCIL_CPU_CERTIFY16_H

#include "cpu_ops.h"
#include "plan.h"

struct cpu_certify16 {
    uint32_t *weights; /* owned: all that the masks point at */
    /* The planes `high` and `low` of the mask, or where it is separable of its column, over pairs
     * of rows; parts: summed by sum_two_planes. */
    struct cpu_two_masks sums;
    int group; /* of taps, 0: none (certify_two_planes) */
    bool separable;
    struct cpu_join join;     /* the column's two sums to one line of pairs */
    struct cpu_two_masks row; /* over that line */
    struct cpu_bounds bounds;
    struct cpu_exact exact; /* for the samples in doubt; no pairs: there is none */
    uint32_t *digits;       /* owned: its */
    double share;           /* of the samples that are in doubt, about */
};

/* False where such sums cannot be used: free it all the same. */
bool cpu_certify16_make(struct cpu_certify16 *certify, const struct plan *plan);
/* About the nanoseconds of a sample; see cpu_path.c. */
double cpu_certify16_cost(const struct cpu_certify16 *certify, const struct plan_mask *mask);

void cpu_certify16_free(struct cpu_certify16 *certify);

#endif
