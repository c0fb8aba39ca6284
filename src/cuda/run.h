/* Runs a plane kernel on a whole job, whatever its size. Only in builds with CUDA. */
#ifndef STENCIL_CUDA_RUN_H
#define STENCIL_CUDA_RUN_H

#include "cuda/planes.h"

/* All passes of job->plan with METHOD on job->device_index. */
bool cuda_run(const struct kernel_job *job, const struct planes_method *method, struct error *err);

#endif
