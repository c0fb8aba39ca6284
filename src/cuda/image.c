/* Host side of the kernels on whole pixels: which plans they run, and their packed
 * weights. cuda/image_run.c launches them. */
#include "cuda/image.h"

#include <stdio.h>

#include "cuda/planes.h"
#include "kernel/backend.h"

/* ---- what each kernel can run ---- */

/* A reason against whole pixels, or NULL. */
static const char *refusal_of_any(const struct plan *plan)
{
    return plan->kind != PLAN_LINEAR       ? "it runs one mask, not gradients"
           : plan->alpha == ALPHA_WEIGHTED ? "colour weighted by alpha"
                                           : NULL;
}

/* The same with sums of 32 bits. */
static const char *refusal(const struct plan *plan)
{
    const char *why = refusal_of_any(plan);
    return why ? why : plan->mask[0].accumulator != ACCUMULATOR_I32 ? "sums past 32 bits" : NULL;
}

int cuda_image_planes(const struct plan *plan)
{
    return int8_mma_planes(plan->mask[0].weight, plan->mask[0].width * plan->mask[0].height);
}

size_t cuda_image_pack_int8(const struct plan *plan, void *out, const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    size_t bytes;

    *why = plan->type == SAMPLE_U8 ? refusal(plan) : "samples of 16 bits";
    if (*why)
        return 0;
    bytes = int8_mma_fragment_bytes(m->weight, m->width, m->height, m->anchor_x, why);
    if (bytes && out)
        int8_mma_pack(m->weight, m->width, m->height, m->anchor_x, out);
    return bytes;
}

size_t cuda_image_pack_dp4a(const struct plan *plan, void *out, const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    int planes = cuda_image_planes(plan);

    *why = plan->type == SAMPLE_U8 ? refusal(plan) : "samples of 16 bits";
    if (!*why && planes == 0)
        *why = "weights past 16 bits";
    if (*why)
        return 0;
    if (out)
        dp4a_pack(m->weight, m->width, m->height, m->anchor_x, planes, out);
    return dp4a_fragment_bytes(m->width, m->height, m->anchor_x, planes);
}

int cuda_image_form_weighted(const struct plan *plan)
{
    return weighted_planes(plan->mask[0].weight, plan->mask[0].width * plan->mask[0].height);
}

/* A reason against a fused division by the sum of the weights times alpha, or NULL. */
static const char *refusal_of_weighted(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return plan->type != SAMPLE_U8                  ? "samples of 16 bits"
           : plan->alpha != ALPHA_WEIGHTED          ? "it runs colour weighted by alpha only"
           : m->sum != m->divisor || m->offset != 0 ? "colour weighted by alpha with a gain or an "
                                                      "offset"
           : m->accumulator != ACCUMULATOR_I32      ? "sums past 32 bits"
           : cuda_image_form_weighted(plan) == 0    ? "weights past 24 bits"
           : m->height > WEIGHTED_HEIGHT && weighted_is_wide(plan->max, m->divisor)
               ? "products with alpha past 32 bits, and a mask as high as that"
               : NULL;
}

size_t cuda_image_pack_weighted(const struct plan *plan, void *out, const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    int planes;

    *why = refusal_of_weighted(plan);
    if (*why)
        return 0;
    planes = cuda_image_form_weighted(plan);
    if (out)
        dp4a_pack(m->weight, m->width, m->height, m->anchor_x, planes, out);
    return dp4a_fragment_bytes(m->width, m->height, m->anchor_x, planes);
}

static struct banded_shape banded_shape_for(const struct plan *plan, int planes)
{
    const struct plan_mask *m = &plan->mask[0];
    return banded_image_shape(m->width, m->height, plan->channels, (int)plan->type, planes, 0);
}

/* Its gray pictures take the products of any mask. */
static struct banded_shape certified_shape_for(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return banded_shape_of(m->width, m->height, plan->channels, 1, 2, 0);
}

static bool banded_fits(const struct banded_shape *shape)
{
    return shape->rows <= 256 && shape->pitch <= 1024;
}

size_t cuda_image_pack_banded(const struct plan *plan, void *out, const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    int planes = cuda_image_planes(plan);
    struct banded_shape shape = banded_shape_for(plan, planes);

    *why = refusal(plan);
    if (!*why && planes == 0)
        *why = "weights past 16 bits";
    if (!*why && planes == 2 && plan->type == SAMPLE_U16)
        *why = "weights past 8 bits on samples of 16 bits";
    if (!*why && !banded_fits(&shape))
        *why = "the mask is too wide or too high";
    if (*why)
        return 0;
    if (out)
        banded_pack(&shape, m->weight, m->width, m->height, out);
    return (size_t)banded_fragment_bytes(&shape);
}

/* Weights are always rounded to 16 bits. */
int cuda_image_form_certified(const struct plan *plan)
{
    (void)plan;
    return 2;
}

size_t cuda_image_pack_certified(const struct plan *plan, void *out, const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct certified_mask mask = {
        m->weight, m->width, m->height, m->divisor, m->offset + m->divisor / 2, plan->max};
    struct banded_shape shape = certified_shape_for(plan);

    *why = plan->type == SAMPLE_U8 ? refusal_of_any(plan) : "samples of 16 bits";
    if (!*why && !banded_fits(&shape))
        *why = "the mask is too wide or too high";
    if (*why || !certified_can(&mask, why))
        return 0;
    if (out)
        certified_pack(&shape, &mask, out);
    return certified_fragment_bytes(&shape, &mask);
}

static struct separable_mask separable_mask_of(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return (struct separable_mask){
        m->row, m->column, m->width, m->height, m->divisor, m->offset + m->divisor / 2, plan->max};
}

static struct separable_16_mask separable_16_mask_of(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    return (struct separable_16_mask){m->row,         m->column, m->width,  m->height,
                                      plan->channels, m->bound,  m->divisor};
}

int cuda_image_form_separable(const struct plan *plan)
{
    const struct separable_mask mask = separable_mask_of(plan);
    const struct separable_16_mask deep = separable_16_mask_of(plan);
    return plan->type == SAMPLE_U16 ? (int)separable_16_form_of(&deep)
                                    : (int)separable_form_of(&mask);
}

static size_t pack_separable_16(const struct plan *plan, void *out, const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct separable_16_mask mask = separable_16_mask_of(plan);
    struct separable_16_shape shape;
    int form = m->row ? cuda_image_form_separable(plan) : SEPARABLE_16_NONE;

    *why = refusal_of_any(plan);
    if (!*why && !m->row)
        *why = "the mask is not of rank 1";
    if (!*why && form == SEPARABLE_16_NONE)
        *why = "negative weights past 8 bits, or sums past 32 bits for this divisor";
    if (*why)
        return 0;
    shape =
        separable_16_shape_of(m->width, m->height, plan->channels, (enum separable_16_form)form, 0);
    if (shape.products == 0) {
        *why = "the mask is too wide or too high";
        return 0;
    }
    if (out)
        separable_16_pack(&shape, &mask, out);
    return (size_t)separable_16_fragment_bytes(&shape);
}

size_t cuda_image_pack_separable(const struct plan *plan, void *out, const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct separable_mask mask = separable_mask_of(plan);
    struct separable_shape shape;
    int form = m->row ? cuda_image_form_separable(plan) : SEPARABLE_NONE;

    if (plan->type == SAMPLE_U16)
        return pack_separable_16(plan, out, why);
    *why = m->row ? refusal_of_any(plan) : refusal(plan);
    if (!*why && !m->row)
        *why = "the mask is not of rank 1";
    if (!*why && form == SEPARABLE_NONE)
        *why = "factors past 16 bits, or their sums past 24";
    if (*why)
        return 0;
    shape = separable_shape_of(m->width, m->height, plan->channels, (enum separable_form)form, 0);
    if (m->accumulator != ACCUMULATOR_I32 && !separable_takes(&shape, &mask, m->bound))
        *why = "sums past 32 bits";
    else if (shape.products == 0)
        *why = "the mask is too wide or too high";
    else if (out)
        separable_pack(&shape, &mask, out);
    return *why ? 0 : (size_t)separable_fragment_bytes(&shape);
}

/* Have this build and all devices the compute capability (`major`), and the devices room for a
 * block's `bytes`? */
static bool devices_can(int major, size_t bytes, const char *what, char *why, size_t why_bytes)
{
    int devices = backend_cuda.devices(why, why_bytes), is = 0, shared = 0;

    if (CUDA_NEWEST_ARCH < 10 * major) {
        snprintf(why, why_bytes, "this build has no %s (made for %d.%d, it needs %d.0)", what,
                 CUDA_NEWEST_ARCH / 10, CUDA_NEWEST_ARCH % 10, major);
        return false;
    }
    for (int i = 0; i < devices; i++) {
        if (cudaDeviceGetAttribute(&is, cudaDevAttrComputeCapabilityMajor, i) != cudaSuccess ||
            cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, i) !=
                cudaSuccess ||
            is < major) {
            snprintf(why, why_bytes, "cuda:%d has no %s (needs %d.0)", i, what, major);
            return false;
        }
        if (bytes > (size_t)shared) {
            snprintf(why, why_bytes, "its tile takes %zu bytes of shared memory, cuda:%d has %d",
                     bytes, i, shared);
            return false;
        }
    }
    return devices > 0;
}

bool cuda_image_supports_int8(const struct plan *plan, char *why, size_t why_bytes)
{
    const struct plan_mask *m = &plan->mask[0];
    const char *reason;

    if (cuda_image_pack_int8(plan, NULL, &reason) == 0) {
        snprintf(why, why_bytes, "%s", reason);
        return false;
    }
    return devices_can(8,
                       int8_mma_shared_bytes(m->width, m->height, m->anchor_x, plan->channels,
                                             cuda_image_planes(plan)),
                       "int8 matrix product", why, why_bytes);
}

bool cuda_image_supports_dp4a(const struct plan *plan, char *why, size_t why_bytes)
{
    const struct plan_mask *m = &plan->mask[0];
    const char *reason;

    if (cuda_image_pack_dp4a(plan, NULL, &reason) == 0) {
        snprintf(why, why_bytes, "%s", reason);
        return false;
    }
    return devices_can(7,
                       dp4a_shared_bytes(m->width, m->height, m->anchor_x, plan->channels,
                                         cuda_image_planes(plan)),
                       "product of four bytes", why, why_bytes);
}

bool cuda_image_supports_weighted(const struct plan *plan, char *why, size_t why_bytes)
{
    const struct plan_mask *m = &plan->mask[0];
    const char *reason;

    if (cuda_image_pack_weighted(plan, NULL, &reason) == 0) {
        snprintf(why, why_bytes, "%s", reason);
        return false;
    }
    return devices_can(7,
                       weighted_shared_bytes(m->width, m->height, m->anchor_x, plan->channels,
                                             cuda_image_form_weighted(plan)),
                       "product of four bytes", why, why_bytes);
}

bool cuda_image_supports_banded(const struct plan *plan, char *why, size_t why_bytes)
{
    struct banded_shape shape;
    const char *reason;

    if (cuda_image_pack_banded(plan, NULL, &reason) == 0) {
        snprintf(why, why_bytes, "%s", reason);
        return false;
    }
    shape = banded_shape_for(plan, cuda_image_planes(plan));
    return devices_can(9, banded_shared_bytes(&shape), "tensor copies", why, why_bytes);
}

/* Where whole sums of 32 bits do not do. */
bool cuda_image_pays_certified(const struct plan *plan)
{
    return plan->mask[0].accumulator != ACCUMULATOR_I32 || cuda_image_planes(plan) == 0;
}

bool cuda_image_supports_certified(const struct plan *plan, char *why, size_t why_bytes)
{
    struct banded_shape shape;
    const char *reason;

    if (cuda_image_pack_certified(plan, NULL, &reason) == 0) {
        snprintf(why, why_bytes, "%s", reason);
        return false;
    }
    shape = certified_shape_for(plan);
    return devices_can(9, certified_shared_bytes(&shape), "tensor copies", why, why_bytes);
}

/* Up to 5 x 5 int8 weights (3 x 3 on samples of 16 bits), all of them at once are faster: the copy
 * is what takes the time. */
bool cuda_image_pays_separable(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int side = plan->type == SAMPLE_U16 ? 3 : 5;
    return m->width > side || m->height > side || cuda_image_planes(plan) != 1 ||
           m->accumulator != ACCUMULATOR_I32;
}

static size_t separable_shared(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int form = cuda_image_form_separable(plan);
    struct separable_shape shape =
        separable_shape_of(m->width, m->height, plan->channels, (enum separable_form)form, 0);
    struct separable_16_shape deep =
        separable_16_shape_of(m->width, m->height, plan->channels, (enum separable_16_form)form, 0);
    return plan->type == SAMPLE_U16 ? separable_16_shared_bytes(&deep)
                                    : separable_shared_bytes(&shape);
}

bool cuda_image_supports_separable(const struct plan *plan, char *why, size_t why_bytes)
{
    const char *reason;

    if (cuda_image_pack_separable(plan, NULL, &reason) == 0) {
        snprintf(why, why_bytes, "%s", reason);
        return false;
    }
    return devices_can(9, separable_shared(plan), "tensor copies", why, why_bytes);
}
