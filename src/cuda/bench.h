/* The bench on a CUDA device. Only in builds with CUDA. */
#ifndef STENCIL_CUDA_BENCH_H
#define STENCIL_CUDA_BENCH_H

#include "cuda/planes.h"
#include "kernel/backend.h"

/* The time() of the kernel table's rows, for the kernel that METHOD is. */
bool cuda_bench_time(const struct kernel_job *job, const struct planes_method *method,
                     struct kernel_trial *trial, struct error *err);

/* backend_cuda's probe. */
bool cuda_bench_probe(int index, int threads, struct device_probe *probe, struct error *err);

#endif
