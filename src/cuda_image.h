/* Kernels on whole 8-bit pixels: what they can run. Only in builds with CUDA. */
#ifndef STENCIL_CUDA_IMAGE_H
#define STENCIL_CUDA_IMAGE_H

#include "plan.h"

bool cuda_image_supports(const struct plan *plan, char *why, size_t why_bytes);

#endif
