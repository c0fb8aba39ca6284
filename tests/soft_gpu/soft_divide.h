/* kernels/sample_divide.cuh as C tests call it. */
#ifndef STENCIL_SOFT_DIVIDE_H
#define STENCIL_SOFT_DIVIDE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is divided: sums of this mask, and by what. */
struct soft_divide {
    int64_t divisor, start, weight[2]; /* of a mask of two cells */
    int sample_bytes;
    int64_t bound; /* as in struct image_job */
};

/* The sample of a sum by a multiply-add of floats, or of doubles; -1 where it is not offered. Of
 * `fine` sums are modulo 2^32. */
int soft_divide_float(const struct soft_divide *by, int sum);
int soft_divide_double(const struct soft_divide *by, int sum);
int soft_divide_fine(const struct soft_divide *by, int sum);

#ifdef __cplusplus
}
#endif
#endif
