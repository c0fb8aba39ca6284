/* CUDA devices as kernel/strip_device.h wants them. Only in builds with CUDA. */
#ifndef STENCIL_CUDA_STRIPS_H
#define STENCIL_CUDA_STRIPS_H

#include "cuda/planes.h"
#include "kernel/strip_device.h"

/* The open() of a kernel's strip_device, for the kernel that METHOD is, and the rest of it. */
void *cuda_strips_open(const struct strip_job *job, const struct planes_method *method,
                       struct error *err);
bool cuda_strips_submit(void *state, int strip, struct error *err);
bool cuda_strips_wait_uploaded(void *state, int strip, struct error *err);
bool cuda_strips_wait_downloaded(void *state, int strip, struct error *err);
void cuda_strips_close(void *state, struct kernel_times *times);

#define CUDA_STRIPS                                                                                \
    .submit = cuda_strips_submit, .wait_uploaded = cuda_strips_wait_uploaded,                      \
    .wait_downloaded = cuda_strips_wait_downloaded, .close = cuda_strips_close

#endif
