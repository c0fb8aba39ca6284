/* The cost model of the CUDA kernels, also of builds without CUDA. */
#ifndef STENCIL_CUDA_COST_H
#define STENCIL_CUDA_COST_H

#include "plan/plan.h"

/* The pass_ms of backend_cuda. */
double cuda_pass_ms(const struct plan *plan, int width, int height);

#endif
