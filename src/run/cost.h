/* The cost model behind --device auto: how long it takes until the last row is filtered, on the CPU
 * and with CUDA, and what CUDA adds to the end of the process. */
#ifndef STENCIL_RUN_COST_H
#define STENCIL_RUN_COST_H

#include "codec/codec.h"
#include "plan/plan.h"

/* Estimates, in milliseconds. */
struct picture_cost {
    double cpu_ms, cuda_ms; /* what is compared */
    /* What they are made of: decoding on one thread; filtering on all CPU threads added up; CUDA's
     * start, loading the kernel, the slower direction of the bus, the kernels, CUDA's end. */
    double decode_ms, work_ms, start_ms, load_ms, bus_ms, kernel_ms, end_ms;
};

struct picture_cost picture_cost_of(const struct plan *plan, const struct image_info *info,
                                    int threads);

#endif
