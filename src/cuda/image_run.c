/* A run of a kernel on whole pixels: its packed weights to the device, one launch a band.
 * Everything else (buffers, bands, passes) is cuda/run.c's. */
#include <stdlib.h>
#include <string.h>

#include "cuda/planes.h"

bool planes_image_init(struct planes *planes, struct error *err)
{
    const struct plan *plan = planes->job->plan;
    const char *why;
    size_t bytes = planes->method->pack(plan, NULL, &why);
    void *fragments = bytes ? calloc(1, bytes) : NULL; /* packers may leave gaps */
    cudaError_t status;

    if (!fragments)
        return error_set(err, EXIT_INPUT, "no memory for the mask's weights");
    planes->method->pack(plan, fragments, &why);
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
    for (int c = 0; status == cudaSuccess && c < plan->channels; c++)
        if (!(plan->filtered >> c & 1))
            status = plane_copy_channel(&in, band->out_first - band->in_first, &out, c,
                                        planes->device->stream);
    return status;
}
