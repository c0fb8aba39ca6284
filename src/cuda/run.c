/* Host side of the textbook's 2D kernels, second half: a picture goes up, passes
 * are made on it, it comes down; in strips when the device cannot hold it whole.
 * A strip carries its halo and ghost rows along, so that a kernel never asks for
 * a row that is not there. */
#include "cuda/run.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel.h"

/* Left alone on the device: what the context may still need. */
#define SPARE_BYTES ((size_t)64 << 20)

/* What a run may use, and what it is called when it fails. */
struct limits {
    struct cuda_device *device;
    const struct planes_method *method;
    size_t bytes;
    char what[64];
};

static cudaError_t reserve_all(struct planes *planes, const size_t bytes[CUDA_BUFFERS])
{
    cudaError_t status = cudaSuccess;
    for (int i = 0; status == cudaSuccess && i < CUDA_BUFFERS; i++)
        status = cuda_device_reserve(planes->device, i, bytes[i]);
    return status;
}

/* False with *status success: there is no room for so many rows. */
static bool reserve(struct planes *planes, size_t in_rows, size_t rows, size_t limit,
                    cudaError_t *status)
{
    size_t bytes[CUDA_BUFFERS], total = 0;
    *status = cudaSuccess;
    planes_buffer_bytes(planes, in_rows, rows, bytes);
    for (int i = 0; i < CUDA_BUFFERS; i++)
        total += bytes[i];
    if (total > limit)
        return false;
    *status = reserve_all(planes, bytes);
    for (int again = 0; again < 2 && *status == cudaErrorMemoryAllocation; again++) {
        /* earlier pictures may have left more than this; the mask stays */
        cuda_device_release(planes->device, BUFFER_MASK);
        if (again == 0)
            *status = reserve_all(planes, bytes);
    }
    if (*status == cudaSuccess)
        return true;
    if (*status == cudaErrorMemoryAllocation) /* the next, smaller try has it all */
        *status = cudaSuccess;
    return false;
}

/* ---- up and down ---- */

static cudaError_t upload_rows(const struct planes *planes, int at, const void *rows, size_t pitch,
                               int count)
{
    struct plane_image in = planes_device_image(planes, BUFFER_IN, at + count);
    return cudaMemcpy2DAsync((char *)in.data + (size_t)at * in.pitch, in.pitch, rows, pitch,
                             image_row_bytes(planes->job->in), (size_t)count,
                             cudaMemcpyHostToDevice, planes->device->stream);
}

/* The strip's rows as runs of neighbours; ghost rows are folded here, or come from ghost_line. */
static cudaError_t upload(const struct planes *planes, const struct planes_strip *strip,
                          const void *ghost_line)
{
    const struct kernel_job *job = planes->job;
    cudaError_t status = cudaSuccess;
    bool has_row = strip->in_first >= job->in_first_row &&
                   strip->in_first + strip->in_rows <= job->in_first_row + job->in->height;

    if (has_row)
        return upload_rows(planes, 0, image_row(job->in, strip->in_first - job->in_first_row),
                           job->in->pitch, strip->in_rows);
    for (int i = 0, count; status == cudaSuccess && i < strip->in_rows; i += count) {
        int y = border_fold(job->plan->border, strip->in_first + i, job->picture_height);
        count = 1;
        if (y == BORDER_OUTSIDE) {
            status = upload_rows(planes, i, ghost_line, 0, 1);
            continue;
        }
        while (i + count < strip->in_rows &&
               border_fold(job->plan->border, strip->in_first + i + count, job->picture_height) ==
                   y + count)
            count++;
        status = upload_rows(planes, i, image_row(job->in, y - job->in_first_row), job->in->pitch,
                             count);
    }
    return status;
}

/* A row of ghost cells for zero and constant; malloc'ed. */
static void *ghost_line_make(const struct kernel_job *job)
{
    const struct plan *plan = job->plan;
    size_t n = (size_t)job->in->width * (size_t)plan->channels;
    void *line = malloc(n * (size_t)plan->type);
    for (size_t i = 0; line && i < n; i++) {
        int channel = (int)(i % (size_t)plan->channels);
        int64_t value = planes_ghost(plan, channel, PLANE_SAMPLE, 0);
        if (plan->type == SAMPLE_U8)
            ((uint8_t *)line)[i] = (uint8_t)value;
        else
            ((uint16_t *)line)[i] = (uint16_t)value;
    }
    return line;
}

static cudaError_t download(const struct planes *planes, const struct planes_strip *strip)
{
    struct image *out = planes->job->out;
    struct plane_image from = planes_device_image(planes, BUFFER_OUT, strip->out_rows);
    return cudaMemcpy2DAsync(image_row(out, strip->out_first - planes->job->out_first_row),
                             out->pitch, from.data, from.pitch, image_row_bytes(out),
                             (size_t)strip->out_rows, cudaMemcpyDeviceToHost,
                             planes->device->stream);
}

/* One strip there and back, `passes` times on the device (more than 1: whole pictures only). */
static cudaError_t run_strip(struct planes *planes, const struct planes_strip *strip, int passes,
                             const void *ghost_line)
{
    struct cuda_device *device = planes->device;
    struct kernel_times *times = planes->job->times;
    cudaError_t status = cudaEventRecord(device->mark[0], device->stream);
    float ms[3] = {0};

    if (status == cudaSuccess)
        status = upload(planes, strip, ghost_line);
    if (status == cudaSuccess)
        status = cudaEventRecord(device->mark[1], device->stream);
    for (int i = 0; status == cudaSuccess && i < passes; i++) {
        if (i > 0) /* the last pass's output is this one's input */
            planes_turn(planes);
        status = planes_filter_strip(planes, strip);
    }
    if (status == cudaSuccess)
        status = cudaEventRecord(device->mark[2], device->stream);
    if (status == cudaSuccess)
        status = download(planes, strip);
    if (status == cudaSuccess)
        status = cudaEventRecord(device->mark[3], device->stream);
    if (status == cudaSuccess)
        status = cudaEventSynchronize(device->mark[3]);
    for (int i = 0; status == cudaSuccess && i < 3; i++)
        status = cudaEventElapsedTime(&ms[i], device->mark[i], device->mark[i + 1]);
    if (status != cudaSuccess) /* copies may still use the host's memory */
        cuda_device_settle(device);
    if (times) {
        times->upload_ms += (double)ms[0];
        times->kernel_ms += (double)ms[1];
        times->download_ms += (double)ms[2];
    }
    return status;
}

/* As many rows at a time as the device holds, halved until they fit. */
static bool run_strips(struct planes *planes, const struct limits *limits, const void *ghost_line,
                       struct error *err)
{
    const struct kernel_job *job = planes->job;
    int halo = 0, rows = job->out->height, anchor = 0;
    cudaError_t status = cudaSuccess;

    for (int k = 0; k < job->plan->masks; k++) { /* the rows that the larger mask needs */
        const struct plan_mask *m = &job->plan->mask[k];
        int above = m->anchor_y, below = m->height - 1 - m->anchor_y;
        anchor = above > anchor ? above : anchor;
        halo = below > halo ? below : halo;
    }
    halo += anchor;
    while (!reserve(planes, (size_t)(rows + halo), (size_t)rows, limits->bytes, &status)) {
        if (status != cudaSuccess)
            return cuda_device_error(err, planes->device, status, "no device memory");
        if (rows == 1)
            return error_set(err, EXIT_INPUT,
                             "cuda:%d: no device memory for one row of %d pixels under this mask",
                             planes->device->index, job->in->width);
        rows /= 2;
    }
    for (int y = 0; y < job->out->height; y += rows) {
        struct planes_strip strip;
        int count = job->out->height - y < rows ? job->out->height - y : rows;
        strip.out_first = job->out_first_row + y;
        strip.out_rows = count;
        strip.in_first = strip.out_first - anchor;
        strip.in_rows = count + halo;
        status = run_strip(planes, &strip, 1, ghost_line);
        if (status != cudaSuccess)
            return cuda_device_error(err, planes->device, status, limits->what);
    }
    return true;
}

/* One pass in strips, for pictures that the device cannot hold. */
static bool pass_in_strips(const struct kernel_job *job, const void *context, struct error *err)
{
    const struct limits *limits = context;
    struct planes planes = {.job = job, .device = limits->device, .method = limits->method};
    void *ghost_line = ghost_line_make(job);
    bool ok =
        ghost_line ? planes_init(&planes, err) : error_set(err, EXIT_INPUT, "no memory for a row");
    ok = ok && run_strips(&planes, limits, ghost_line, err);
    free(ghost_line);
    return ok;
}

/* All passes on the device. False with *fits false: there is no room for the whole. */
static bool passes_whole(const struct kernel_job *job, const struct limits *limits, bool *fits,
                         struct error *err)
{
    struct planes planes = {.job = job, .device = limits->device, .method = limits->method};
    struct planes_strip all = {job->in_first_row, job->in->height, job->out_first_row,
                               job->out->height};
    cudaError_t status;

    *fits = job->plan->repeat == 1 || job->in->height == job->picture_height;
    if (!*fits)
        return false;
    if (!planes_init(&planes, err)) {
        *fits = limits->device->alone; /* perhaps other lanes hold the memory */
        return false;
    }
    if (!reserve(&planes, (size_t)all.in_rows, (size_t)all.out_rows, limits->bytes, &status)) {
        *fits = status != cudaSuccess;
        return *fits && cuda_device_error(err, limits->device, status, "no device memory");
    }
    status = run_strip(&planes, &all, job->plan->repeat, NULL);
    return status == cudaSuccess || cuda_device_error(err, limits->device, status, limits->what);
}

/* In a lane, beside others. False with *fits false: that is not the place. */
static bool run_shared(const struct kernel_job *job, struct limits *limits, bool *fits,
                       struct error *err)
{
    bool ok;

    limits->device = cuda_device_lock(job->device_index, CUDA_SHARED, err);
    if (!limits->device)
        return false;
    limits->bytes = job->device_bytes_limit ? job->device_bytes_limit : CUDA_LANE_BYTES;
    ok = passes_whole(job, limits, fits, err);
    cuda_device_unlock(limits->device);
    return ok;
}

bool cuda_run(const struct kernel_job *job, const struct planes_method *method, struct error *err)
{
    struct limits limits = {.method = method};
    bool fits = true, ok;
    size_t available;

    snprintf(limits.what, sizeof limits.what, "the %s kernel failed", method->name);
    if (!method->constant) {
        ok = run_shared(job, &limits, &fits, err);
        if (ok || fits)
            return ok;
    }
    limits.device = cuda_device_lock(job->device_index, CUDA_ALONE, err);
    if (!limits.device)
        return false;
    available = cuda_device_free_bytes(limits.device);
    limits.bytes = job->device_bytes_limit       ? job->device_bytes_limit
                   : available > 2 * SPARE_BYTES ? available - SPARE_BYTES
                                                 : available / 2;
    ok = passes_whole(job, &limits, &fits, err);
    if (!ok && !fits)
        ok = passes_run(job, pass_in_strips, &limits, err);
    cuda_device_unlock(limits.device);
    return ok;
}
