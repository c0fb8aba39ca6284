/* The cost model behind --device auto: how long it takes until the last row is filtered, on the CPU
 * and with CUDA. */
#ifndef STENCIL_PICTURE_COST_H
#define STENCIL_PICTURE_COST_H

#include "codec.h"
#include "plan.h"

/* Estimates, in milliseconds. */
struct picture_cost {
    double cpu_ms, cuda_ms; /* what is compared */
    /* What they are made of: decoding on one thread; filtering on all CPU threads added up; CUDA's
     * start, the slower direction of the bus, the kernels. */
    double decode_ms, work_ms, start_ms, bus_ms, kernel_ms;
};

struct picture_cost picture_cost_of(const struct plan *plan, const struct image_info *info,
                                    int threads);

#endif
