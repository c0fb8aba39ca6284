/* kernels/sample_divide.cuh, callable from C tests. */
#ifndef STENCIL_SOFT_DIVIDE_H
#define STENCIL_SOFT_DIVIDE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The division to test: sums of this mask, and their divisor. */
struct soft_divide {
    int64_t divisor, start, weight[2]; /* weights of a mask of two cells */
    int sample_bytes;
    int64_t bound; /* as in struct image_job */
};

/* Divides SUM by a multiply-add of floats, or of doubles, and returns the sample; -1 if the
 * division is not offered for it. For `fine`, sums are modulo 2^32. */
int soft_divide_float(const struct soft_divide *by, int sum);
int soft_divide_double(const struct soft_divide *by, int sum);
int soft_divide_fine(const struct soft_divide *by, int sum);

#ifdef __cplusplus
}
#endif
#endif
