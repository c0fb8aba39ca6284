/* What the certified kernel and its packer (kernels/certified_pack.c) agree on: how its sums become
 * samples, and which of these are certain. C17 and CUDA C.
 *
 * Weights are w/d = w' * multiplier / 2^32 + e, w' of 16 bits. With T = sum of w'*x the quotient
 * (S + floor(d/2)) / d, times 2^32, lies between P = T * multiplier + from and P + 2^32 - 1 -
 * limit: the errors' sum of e*x has known bounds, which stand in `from` and `limit`. So it has P's
 * whole part, unless P's other 32 bits are above `limit`: then it may have the next one. */
#ifndef STENCIL_CERTIFIED_TEST_H
#define STENCIL_CERTIFIED_TEST_H

#include <stdint.h>

struct certified_test {
    int64_t from;
    int32_t multiplier; /* >= 1 */
    uint32_t limit;
};

/* Behind the packed w', as the banded kernel has them; behind it the mask's exact weights. */
struct certified_head {
    struct certified_test test;
    int64_t divisor, start; /* d; o + floor(d/2) */
};

#endif
