/* Kernels on whole pixels: what they can run, and their packed weights (planes_image_pack).
 * Only in builds with CUDA. */
#ifndef STENCIL_CUDA_IMAGE_H
#define STENCIL_CUDA_IMAGE_H

#include "plan/plan.h"

bool cuda_image_supports_dp4a(const struct plan *plan, char *why, size_t why_bytes);
size_t cuda_image_pack_dp4a(const struct plan *plan, void *out, const char **why);

bool cuda_image_supports_weighted(const struct plan *plan, char *why, size_t why_bytes);
size_t cuda_image_pack_weighted(const struct plan *plan, void *out, const char **why);

bool cuda_image_supports_int8(const struct plan *plan, char *why, size_t why_bytes);
size_t cuda_image_pack_int8(const struct plan *plan, void *out, const char **why);

bool cuda_image_supports_banded(const struct plan *plan, char *why, size_t why_bytes);
size_t cuda_image_pack_banded(const struct plan *plan, void *out, const char **why);

bool cuda_image_supports_certified(const struct plan *plan, char *why, size_t why_bytes);
bool cuda_image_pays_certified(const struct plan *plan);
size_t cuda_image_pack_certified(const struct plan *plan, void *out, const char **why);

bool cuda_image_supports_separable(const struct plan *plan, char *why, size_t why_bytes);
bool cuda_image_pays_separable(const struct plan *plan);
size_t cuda_image_pack_separable(const struct plan *plan, void *out, const char **why);

/* planes_image_form: how many int8 planes the weights take, or planes of bytes; how many bytes the
 * factors. */
int cuda_image_planes(const struct plan *plan);
int cuda_image_form_weighted(const struct plan *plan);
int cuda_image_form_certified(const struct plan *plan);
int cuda_image_form_separable(const struct plan *plan);

#endif
