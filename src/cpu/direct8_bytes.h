/* Which masks cpu/direct8.c can walk over lines of pairs or quads of bytes, and the weights of
 * pairs. */
#ifndef STENCIL_CPU_DIRECT8_BYTES_H
#define STENCIL_CPU_DIRECT8_BYTES_H

#include "cpu/ops.h"
#include "plan/plan.h"

struct cpu_direct8_bytes {
    bool can;
    bool narrow; /* all sums fit 16 bits, and are divided so: */
    struct cpu_divide16 divide;
    struct cpu_two_byte_masks masks;
    uint8_t *full; /* owned: masks.full */
};

/* Do all weights fit int8, and the products of any two below each other int16? */
bool cpu_direct8_bytes_fit(const struct plan_mask *mask);

/* Do all weights fit int8, for lines of quads? */
bool cpu_direct8_quads_fit(const struct plan_mask *mask);

/* Has OPS one of the two for the plan's mask, and is it sooner done that way than by cpu/bytes.h?
 */
bool cpu_direct8_bytes_win(const struct cpu_ops *ops, const struct plan *plan);

/* From the int16 pairs of such a mask, which are changed to int8 in place. False: no memory. */
bool cpu_direct8_bytes_make(struct cpu_direct8_bytes *bytes, const struct plan *plan,
                            const struct cpu_two_masks *masks, uint32_t *weights);

#endif
