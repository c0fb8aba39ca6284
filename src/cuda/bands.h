/* CUDA devices as kernel/band_device.h wants them. Only in builds with CUDA. */
#ifndef STENCIL_CUDA_BANDS_H
#define STENCIL_CUDA_BANDS_H

#include "cuda/planes.h"
#include "kernel/band_device.h"

/* The open() of a kernel's band_device, for the kernel that METHOD is, and the rest of it. */
void *cuda_bands_open(const struct band_job *job, const struct planes_method *method,
                      struct error *err);
bool cuda_bands_submit(void *state, int band, struct error *err);
bool cuda_bands_wait_uploaded(void *state, int band, struct error *err);
bool cuda_bands_wait_downloaded(void *state, int band, struct error *err);
void cuda_bands_close(void *state, struct kernel_times *times);

#define CUDA_BANDS                                                                                 \
    .submit = cuda_bands_submit, .wait_uploaded = cuda_bands_wait_uploaded,                        \
    .wait_downloaded = cuda_bands_wait_downloaded, .close = cuda_bands_close

#endif
