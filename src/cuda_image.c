/* Host side of the kernels on whole 8-bit pixels: which plans they run, the
 * weights packed for the matrix units, one launch a strip. Everything else
 * (buffers, strips, passes) is cuda_run.c's. */
#include "cuda_image.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend.h"
#include "cuda_planes.h"

/* The int8 matrix product of this shape came with compute capability 8.0, and the tile has to fit.
 */
static bool devices_can(const struct plan *plan, char *why, size_t why_bytes)
{
    const struct plan_mask *m = &plan->mask[0];
    size_t bytes = int8_mma_shared_bytes(m->width, m->height, m->anchor_x, plan->channels,
                                         int8_mma_planes(m->weight, m->width * m->height));
    int devices = backend_cuda.devices(why, why_bytes), major = 0, shared = 0;

    for (int i = 0; i < devices; i++) {
        if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, i) != cudaSuccess ||
            cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, i) !=
                cudaSuccess ||
            major < 8) {
            snprintf(why, why_bytes, "cuda:%d has no int8 matrix product (needs 8.0)", i);
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

bool cuda_image_supports(const struct plan *plan, char *why, size_t why_bytes)
{
    const struct plan_mask *m = &plan->mask[0];
    const char *reason = NULL;

    if (plan->kind != PLAN_LINEAR)
        reason = "it runs one mask, not gradients";
    else if (plan->type != SAMPLE_U8)
        reason = "samples of 16 bits";
    else if (plan->alpha == ALPHA_WEIGHTED)
        reason = "colour weighted by alpha";
    else if (m->accumulator != ACCUMULATOR_I32)
        reason = "sums past 32 bits";
    else if (int8_mma_fragment_bytes(m->weight, m->width, m->height, m->anchor_x, &reason) > 0)
        return devices_can(plan, why, why_bytes);
    snprintf(why, why_bytes, "%s", reason);
    return false;
}

bool planes_image_init(struct planes *planes, struct error *err)
{
    const struct plan_mask *m = &planes->job->plan->mask[0];
    const char *why;
    size_t bytes = int8_mma_fragment_bytes(m->weight, m->width, m->height, m->anchor_x, &why);
    void *fragments = bytes ? malloc(bytes) : NULL;
    cudaError_t status;

    if (!fragments)
        return error_set(err, EXIT_INPUT, "no memory for the mask's weights");
    int8_mma_pack(m->weight, m->width, m->height, m->anchor_x, fragments);
    status = cuda_device_reserve(planes->device, BUFFER_MASK, bytes);
    if (status == cudaSuccess)
        status = cudaMemcpyAsync(planes->device->buffer[BUFFER_MASK], fragments, bytes,
                                 cudaMemcpyHostToDevice, planes->device->stream);
    if (status == cudaSuccess) /* the copy may still read the fragments */
        status = cudaStreamSynchronize(planes->device->stream);
    free(fragments);
    return status == cudaSuccess ||
           cuda_device_error(err, planes->device, status, "cannot send the mask");
}

/* One byte a channel. */
static uint32_t ghost_pixel(const struct plan *plan)
{
    uint32_t pixel = 0;
    for (int c = 0; c < plan->channels; c++)
        pixel |= (uint32_t)planes_ghost(plan, c, PLANE_SAMPLE, 0) << 8 * c;
    return pixel;
}

cudaError_t planes_image_filter(const struct planes *planes, const struct planes_strip *strip)
{
    const struct plan *plan = planes->job->plan;
    const struct plan_mask *m = &plan->mask[0];
    struct plane_image in = planes_device_image(planes, BUFFER_IN, strip->in_rows);
    struct plane_image out = planes_device_image(planes, BUFFER_OUT, strip->out_rows);
    struct image_job job = {
        .in = in.data,
        .in_pitch = in.pitch,
        .in_first_row = strip->in_first,
        .in_rows = strip->in_rows,
        .out = out.data,
        .out_pitch = out.pitch,
        .out_first_row = strip->out_first,
        .out_rows = strip->out_rows,
        .width = in.width,
        .picture_height = planes->job->picture_height,
        .channels = plan->channels,
        .border = (enum plane_border)plan->border,
        .ghost = ghost_pixel(plan),
        .mask_width = m->width,
        .mask_height = m->height,
        .anchor_x = m->anchor_x,
        .anchor_y = m->anchor_y,
        .divisor = (int32_t)m->divisor,
        .start = (int32_t)(m->offset + m->divisor / 2),
        .bound = m->bound,
        .max = plan->max,
        .fragments = planes->device->buffer[BUFFER_MASK],
    };
    cudaError_t status = planes->method->image(
        &job, int8_mma_planes(m->weight, m->width * m->height), planes->device->stream);
    for (int c = 0; status == cudaSuccess && c < plan->channels; c++)
        if (!(plan->filtered >> c & 1))
            status = plane_copy_channel(&in, strip->out_first - strip->in_first, &out, c,
                                        planes->device->stream);
    return status;
}
