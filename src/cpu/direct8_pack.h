/* Weights as the direct sums of 8-bit samples take them: those of two neighbouring rows of output
 * over lines of two or four rows of the picture. */
#ifndef STENCIL_CPU_DIRECT8_PACK_H
#define STENCIL_CPU_DIRECT8_PACK_H

#include "cpu/ops.h"
#include "plan/plan.h"

/* Of so many lines, with the weights of both rows behind each other. */
struct cpu_two_masks cpu_direct8_masks(int pairs, const struct plan *plan, const uint32_t *weights);

/* ROWS rows of weights to an entry of PACKED, which is cleared: of HEIGHT rows of STRIDE cells. */
void cpu_direct8_pack(const struct cpu_two_masks *masks, int rows, const int64_t *weight,
                      int stride, int height, uint32_t *packed);

#endif
