/* 16-bit samples under masks whose exact sums need 64 bits: two sums of 32 bits that give
 * every sample to within a proven bound, so that only the few which that leaves in
 * doubt are summed exactly. A mask that is close to low rank, as a Gaussian or a Laplacian of one
 * printed with 19 digits is, goes by way of its columns and its rows. */
#ifndef STENCIL_CPU_CERTIFY16_H
#define STENCIL_CPU_CERTIFY16_H

#include "cpu/ops.h"
#include "plan/plan.h"

#define CPU_CERTIFY16_TERMS 4 /* at most */

struct cpu_certify16 {
    uint32_t *weights; /* owned: all that the masks point at */
    size_t weights_bytes;
    int terms; /* columns and rows; 0: every cell */
    /* The planes `high` and `low` of each column, over pairs of rows, and how their two sums make
     * a line of pairs. */
    struct cpu_two_masks column[CPU_CERTIFY16_TERMS];
    struct cpu_join join[CPU_CERTIFY16_TERMS];
    struct cpu_two_masks sums; /* of the rows over these lines; or of the mask over pairs of rows */
    int group;                 /* of taps, 0: none (certify_two_planes) */
    struct cpu_bounds bounds;
    struct cpu_exact exact; /* for the samples in doubt; no pairs: there is none */
    uint32_t *digits;       /* owned: its */
    double share;           /* of the samples that are in doubt, about */
};

/* False where such sums cannot be used: free it all the same. */
bool cpu_certify16_make(struct cpu_certify16 *certify, const struct plan *plan);
/* About the nanoseconds of a sample; see cpu/certified.c. */
double cpu_certify16_cost(const struct cpu_certify16 *certify, const struct plan_mask *mask);

void cpu_certify16_free(struct cpu_certify16 *certify);

#endif
