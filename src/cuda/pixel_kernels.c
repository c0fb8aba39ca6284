/* The kernels on whole pixels: which plans each of them runs, how it packs their weights,
 * and its run on the device. Buffers, bands and passes are those of all kernels
 * (cuda/planes.c, cuda/run.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/planes.h"
#include "kernel/backend.h"

/* ---- what each kernel can run, and its weights ---- */

/* The first reason against PLAN, or NULL. IF_PAST: `sums past 32 bits` is one. */
static const char *refusal(const struct plan *plan, bool if_past)
{
    return plan->kind != PLAN_LINEAR       ? "it runs one mask, not gradients"
           : plan->alpha == ALPHA_WEIGHTED ? "colour weighted by alpha"
           : if_past && plan->mask[0].accumulator != ACCUMULATOR_I32 ? "sums past 32 bits"
                                                                     : NULL;
}

/* The first reason against PLAN for a kernel on samples of 8 bits, or NULL. */
static const char *refusal_8(const struct plan *plan, bool if_past)
{
    return plan->type == SAMPLE_U8 ? refusal(plan, if_past) : "samples of 16 bits";
}

int cuda_image_planes(const struct plan *plan)
{
    return int8_mma_planes(plan->mask[0].weight, plan->mask[0].width * plan->mask[0].height);
}

size_t cuda_image_pack_int8(const struct plan *plan, void *out, size_t *shared, const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    size_t bytes;

    *why = refusal_8(plan, true);
    if (*why)
        return 0;
    bytes = int8_mma_fragment_bytes(m->weight, m->width, m->height, m->anchor_x, why);
    if (bytes && out)
        int8_mma_pack(m->weight, m->width, m->height, m->anchor_x, out);
    if (bytes)
        *shared = int8_mma_shared_bytes(m->width, m->height, m->anchor_x, plan->channels,
                                        cuda_image_planes(plan));
    return bytes;
}

/* Weights of so many planes of bytes, as two kernels take them. */
static size_t pack_bytes(const struct plan_mask *m, int planes, void *out)
{
    if (out)
        dp4a_pack(m->weight, m->width, m->height, m->anchor_x, planes, out);
    return dp4a_fragment_bytes(m->width, m->height, m->anchor_x, planes);
}

size_t cuda_image_pack_dp4a(const struct plan *plan, void *out, size_t *shared, const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    int planes = cuda_image_planes(plan);

    *why = refusal_8(plan, true);
    if (!*why && planes == 0)
        *why = "weights past 16 bits";
    if (*why)
        return 0;
    *shared = dp4a_shared_bytes(m->width, m->height, m->anchor_x, plan->channels, planes);
    return pack_bytes(m, planes, out);
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

size_t cuda_image_pack_weighted(const struct plan *plan, void *out, size_t *shared,
                                const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    int planes;

    *why = refusal_of_weighted(plan);
    if (*why)
        return 0;
    planes = cuda_image_form_weighted(plan);
    *shared = weighted_shared_bytes(m->width, m->height, m->anchor_x, plan->channels, planes);
    return pack_bytes(m, planes, out);
}

static bool banded_fits(const struct banded_shape *shape)
{
    return shape->rows <= 256 && shape->pitch <= 1024;
}

size_t cuda_image_pack_banded(const struct plan *plan, void *out, size_t *shared, const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    int planes = cuda_image_planes(plan);
    struct banded_shape shape =
        banded_image_shape(m->width, m->height, plan->channels, (int)plan->type, planes, 0);

    *why = refusal(plan, true);
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
    *shared = banded_shared_bytes(&shape);
    return (size_t)banded_fragment_bytes(&shape);
}

/* Weights are always rounded to 16 bits. */
int cuda_image_form_certified(const struct plan *plan)
{
    (void)plan;
    return 2;
}

size_t cuda_image_pack_certified(const struct plan *plan, void *out, size_t *shared,
                                 const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct certified_mask mask = {
        m->weight, m->width, m->height, m->divisor, m->offset + m->divisor / 2, plan->max};
    /* Its gray pictures take the products of any mask. */
    struct banded_shape shape = banded_shape_of(m->width, m->height, plan->channels, 1, 2, 0);

    *why = refusal_8(plan, false);
    if (!*why && !banded_fits(&shape))
        *why = "the mask is too wide or too high";
    if (*why || !certified_can(&mask, why))
        return 0;
    if (out)
        certified_pack(&shape, &mask, out);
    *shared = certified_shared_bytes(&shape);
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

static size_t pack_separable_16(const struct plan *plan, enum separable_16_form form, void *out,
                                size_t *shared, const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct separable_16_mask mask = separable_16_mask_of(plan);
    struct separable_16_shape shape;

    if (form == SEPARABLE_16_NONE) {
        *why = "negative weights past 8 bits, or sums past 32 bits for this divisor";
        return 0;
    }
    shape = separable_16_shape_of(m->width, m->height, plan->channels, form, 0);
    if (shape.products == 0) {
        *why = "the mask is too wide or too high";
        return 0;
    }
    if (out)
        separable_16_pack(&shape, &mask, out);
    *shared = separable_16_shared_bytes(&shape);
    return (size_t)separable_16_fragment_bytes(&shape);
}

static size_t pack_separable_8(const struct plan *plan, enum separable_form form, void *out,
                               size_t *shared, const char **why)
{
    const struct plan_mask *m = &plan->mask[0];
    const struct separable_mask mask = separable_mask_of(plan);
    struct separable_shape shape;

    if (form == SEPARABLE_NONE) {
        *why = "factors past 16 bits, or their sums past 24";
        return 0;
    }
    shape = separable_shape_of(m->width, m->height, plan->channels, form, 0);
    if (m->accumulator != ACCUMULATOR_I32 && !separable_takes(&shape, &mask, m->bound))
        *why = "sums past 32 bits";
    else if (shape.products == 0)
        *why = "the mask is too wide or too high";
    if (*why)
        return 0;
    if (out)
        separable_pack(&shape, &mask, out);
    *shared = separable_shared_bytes(&shape);
    return (size_t)separable_fragment_bytes(&shape);
}

size_t cuda_image_pack_separable(const struct plan *plan, void *out, size_t *shared,
                                 const char **why)
{
    bool deep = plan->type == SAMPLE_U16, rank_1 = plan->mask[0].row != NULL;
    int form;

    *why = refusal(plan, !deep && !rank_1);
    if (!*why && !rank_1)
        *why = "the mask is not of rank 1";
    if (*why)
        return 0;
    form = cuda_image_form_separable(plan);
    return deep ? pack_separable_16(plan, (enum separable_16_form)form, out, shared, why)
                : pack_separable_8(plan, (enum separable_form)form, out, shared, why);
}

/* ---- where a kernel is worth choosing ---- */

/* The kernel pays where sums of 32 bits do not suffice. */
bool cuda_image_pays_certified(const struct plan *plan)
{
    return plan->mask[0].accumulator != ACCUMULATOR_I32 || cuda_image_planes(plan) == 0;
}

/* Up to 5 x 5 int8 weights (3 x 3 on samples of 16 bits) other kernels are faster with all weights
 * at once: there the copies take most of the time. */
bool cuda_image_pays_separable(const struct plan *plan)
{
    const struct plan_mask *m = &plan->mask[0];
    int side = plan->type == SAMPLE_U16 ? 3 : 5;
    return m->width > side || m->height > side || cuda_image_planes(plan) != 1 ||
           m->accumulator != ACCUMULATOR_I32;
}

/* ---- which devices can run it ---- */

bool cuda_image_supports(const struct planes_method *method, const struct plan *plan, char *why,
                         size_t why_bytes)
{
    const char *reason;
    int devices, major = 0, shared = 0;
    size_t bytes;

    if (method->pack(plan, NULL, &bytes, &reason) == 0) {
        snprintf(why, why_bytes, "%s", reason);
        return false;
    }
    if (CUDA_NEWEST_ARCH < 10 * method->since) {
        snprintf(why, why_bytes, "this build has no %s (made for %d.%d, it needs %d.0)",
                 method->unit, CUDA_NEWEST_ARCH / 10, CUDA_NEWEST_ARCH % 10, method->since);
        return false;
    }
    devices = backend_cuda.devices(why, why_bytes);
    for (int i = 0; i < devices; i++) {
        if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, i) != cudaSuccess ||
            cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, i) !=
                cudaSuccess ||
            major < method->since) {
            snprintf(why, why_bytes, "cuda:%d has no %s (needs %d.0)", i, method->unit,
                     method->since);
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

/* ---- its run ---- */

/* The packed weights to the device. */
bool planes_image_init(struct planes *planes, struct error *err)
{
    const struct plan *plan = planes->job->plan;
    const char *why;
    size_t shared, bytes = planes->method->pack(plan, NULL, &shared, &why);
    void *fragments = bytes ? calloc(1, bytes) : NULL; /* packers may leave gaps */
    cudaError_t status;

    if (!fragments)
        return error_set(err, EXIT_INPUT, "no memory for the mask's weights");
    planes->method->pack(plan, fragments, &shared, &why);
    status = cuda_device_fill(planes->device, BUFFER_MASK, &fragments, bytes);
    return status == cudaSuccess ||
           cuda_device_error(err, planes->device, status, "cannot send the mask");
}

static uint64_t ghost_pixel(const struct plan *plan)
{
    uint64_t pixel = 0;
    for (int c = 0; c < plan->channels; c++)
        pixel |= (uint64_t)planes_ghost(plan, c, PLANE_SAMPLE, 0) << 8 * (int)plan->type * c;
    return pixel;
}

/* compute-sanitizer's initcheck does not see what tensor copies write, and would take the output
 * for never written: with STENCILCLI_FILL_OUTPUT=1 it is, before. */
static cudaError_t fill_output(const struct planes *planes, const struct plane_image *out, int rows)
{
    const struct plan *plan = planes->job->plan;
    const char *wanted = getenv("STENCILCLI_FILL_OUTPUT");
    size_t bytes = (size_t)planes->job->in->width * (size_t)plan->channels * (size_t)plan->type;
    if (!wanted || strcmp(wanted, "1") != 0)
        return cudaSuccess;
    return cudaMemset2DAsync(out->data, out->pitch, 0xa5, bytes, (size_t)rows,
                             planes->device->stream);
}

cudaError_t planes_image_filter(const struct planes *planes, const struct planes_band *band)
{
    const struct plan *plan = planes->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    struct plane_image in = planes_device_image(planes, BUFFER_IN, band->in_rows);
    struct plane_image out = planes_device_image(planes, BUFFER_OUT, band->out_rows);
    struct image_job job = {
        .in = in.data,
        .in_pitch = in.pitch,
        .in_first_row = band->in_first,
        .in_rows = band->in_rows,
        .out = out.data,
        .out_pitch = out.pitch,
        .out_first_row = band->out_first,
        .out_rows = band->out_rows,
        .width = in.width,
        .picture_height = planes->job->picture_height,
        .channels = plan->channels,
        .sample_bytes = (int)plan->type,
        .border = (enum plane_border)plan->border,
        .ghost = ghost_pixel(plan),
        .mask_width = m->width,
        .mask_height = m->height,
        .anchor_x = m->anchor_x,
        .anchor_y = m->anchor_y,
        .divisor = m->divisor,
        .start = m->offset + m->divisor / 2,
        .bound = m->bound,
        .max = plan->max,
        .weight = m->weight,
        .fragments = planes->device->buffer[BUFFER_MASK],
    };
    cudaError_t status = fill_output(planes, &out, band->out_rows);
    if (status == cudaSuccess) {
        cuda_launch_lock();
        status = planes->method->image(&job, planes->method->form(plan), planes->device->stream);
        cuda_launch_unlock();
    }
    return status;
}
