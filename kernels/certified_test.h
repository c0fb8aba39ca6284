/* How the sums of the certified kernel become samples, and which samples are certain: shared by the
 * kernel and its packer (kernels/certified_pack.c). C17 and CUDA C.
 *
 * Proved: a sample is certain unless the lower 32 bits of P are above `limit`. Weights are
 * w/d = w' * multiplier / 2^32 + e, with w' of 16 bits. With T = sum of w'*x the quotient
 * (S + floor(d/2)) / d, times 2^32, lies between P = T * multiplier + from and
 * P + 2^32 - 1 - limit: the sum of e*x has known bounds, which stand in `from` and `limit`. So
 * the quotient has P's whole part, unless P's lower 32 bits are above `limit`: then it may have
 * the next whole part. */
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
