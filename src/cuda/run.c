/* Runs a kernel on a whole picture: upload, all passes, download; in bands if the device cannot
 * hold the whole picture. A band includes its halo and ghost rows, so that a kernel never reads a
 * missing row.
 *
 * Pictures that lie on the device are read and written there if planes_choose_lying allows it. Else
 * upload and download are copies on the device. */
#include "cuda/planes.h"
#include "kernel/kernel.h"

/* What a run works with. */
struct means {
    const struct kernel *kernel;
    struct cuda_device *device;
    size_t bytes; /* that the buffers may take */
};

/* Returns cudaErrorMemoryAllocation if there is no room for the rows. */
static cudaError_t reserve(const struct planes *planes, int in_rows, int rows, size_t limit)
{
    size_t bytes[CUDA_BUFFERS], total = 0;

    planes_buffer_bytes(planes, (size_t)in_rows, (size_t)rows, bytes);
    for (int i = 0; i < CUDA_BUFFERS; i++)
        total += bytes[i];
    return total > limit ? cudaErrorMemoryAllocation : cuda_device_reserve(planes->device, bytes);
}

/* ---- up and down ---- */

/* Uploads the band's rows, adjacent rows in one copy. Ghost rows are folded here. */
static cudaError_t upload(const struct planes *planes, const struct planes_band *band)
{
    const struct kernel_job *job = planes->job;
    const enum border border = job->plan->border;
    struct plane_image in = planes_device_image(planes, BUFFER_IN, band->in_rows);
    cudaError_t status = cudaSuccess;

    for (int i = 0, count; status == cudaSuccess && i < band->in_rows; i += count) {
        int y = border_fold(border, band->in_first + i, job->picture_height);
        count = 1;
        while (i + count < band->in_rows &&
               border_fold(border, band->in_first + i + count, job->picture_height) == y + count)
            count++;
        status = cudaMemcpy2DAsync(
            (char *)in.data + (size_t)i * in.pitch, in.pitch,
            image_row(job->in, y - job->in_first_row), job->in->pitch, image_row_bytes(job->in),
            (size_t)count, job->on_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice,
            planes->device->stream);
    }
    return status;
}

static cudaError_t download(const struct planes *planes, const struct planes_band *band)
{
    struct image *out = planes->job->out;
    struct plane_image from = planes_device_image(planes, BUFFER_OUT, band->out_rows);
    return cudaMemcpy2DAsync(
        image_row(out, band->out_first - planes->job->out_first_row), out->pitch, from.data,
        from.pitch, image_row_bytes(out), (size_t)band->out_rows,
        planes->job->on_device ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost,
        planes->device->stream);
}

/* The lane goes on when the work that the caller's stream holds now is done. */
static cudaError_t wait_for_caller(const struct planes *planes)
{
    struct cuda_device *device = planes->device;
    cudaError_t status = cudaEventRecord(device->mark[1], (cudaStream_t)planes->job->stream);

    CUDA_NEXT(status, cudaStreamWaitEvent(device->stream, device->mark[1], 0));
    return status;
}

/* Lets later work of the caller's stream wait for the lane. The lane's next holder works on the
 * lane's stream, too, and so after this run. */
static cudaError_t leave_queued(const struct planes *planes)
{
    struct cuda_device *device = planes->device;
    cudaError_t status = cudaEventRecord(device->mark[3], device->stream);

    CUDA_NEXT(status, cudaStreamWaitEvent((cudaStream_t)planes->job->stream, device->mark[3], 0));
    return status;
}

/* Uploads one band, makes `passes` passes (more than 1 only for whole pictures) and downloads the
 * band. */
static cudaError_t run_band(struct planes *planes, const struct planes_band *band, int passes)
{
    struct cuda_device *device = planes->device;
    cudaError_t status = cudaEventRecord(device->mark[0], device->stream);

    if (planes->job->on_device)
        CUDA_NEXT(status, wait_for_caller(planes));
    if (!planes->lying_in)
        CUDA_NEXT(status, upload(planes, band));
    CUDA_NEXT(status, cudaEventRecord(device->mark[1], device->stream));
    for (int i = 0; status == cudaSuccess && i < passes; i++) {
        if (i > 0) /* the output of the pass before is the input of this one */
            planes_turn(planes);
        status = planes_filter_band(planes, band);
    }
    CUDA_NEXT(status, cudaEventRecord(device->mark[2], device->stream));
    if (!planes->lying_out)
        CUDA_NEXT(status, download(planes, band));
    /* a holder of the whole device waits: constant memory is for one run at a time */
    if (planes->job->queued && device->use == CUDA_SHARED) {
        CUDA_NEXT(status, leave_queued(planes));
        if (status == cudaSuccess)
            return status;
    }
    return cuda_device_finish(device, status, planes->job->times);
}

/* The band of up to ROWS output rows from row FIRST of job->out on. Ghost rows with a constant
 * value are left to the kernel. */
static struct planes_band band_at(const struct kernel_job *job, const struct bands *reach,
                                  int first, int rows)
{
    int left = job->out->height - first, height = job->picture_height;
    struct planes_band band = {.out_first = job->out_first_row + first,
                               .out_rows = left < rows ? left : rows};
    int from = band.out_first - reach->above, to = band.out_first + band.out_rows + reach->below;

    if (border_fold(job->plan->border, -1, height) == BORDER_OUTSIDE) {
        from = from < 0 ? 0 : from;
        to = to > height ? height : to;
    }
    band.in_first = from;
    band.in_rows = to - from;
    return band;
}

static bool done(const struct means *means, cudaError_t status, struct error *err)
{
    return cuda_device_done(err, means->device, status, "the %s kernel failed",
                            means->kernel->name);
}

/* Makes one pass in bands, for pictures that the device cannot hold. The number of rows is halved
 * until a band fits. */
static bool run_bands(struct planes *planes, const struct means *means, struct error *err)
{
    const struct kernel_job *job = planes->job;
    struct bands reach;
    int rows = job->out->height;
    cudaError_t status;

    bands_find_reach(&reach, job->plan, job->picture_height);
    while ((status = reserve(planes, rows + reach.above + reach.below, rows, means->bytes)) ==
           cudaErrorMemoryAllocation) {
        if (rows == 1)
            return error_set(err, EXIT_INPUT,
                             CUDA_NAME
                             ":%d: no device memory for one row of %d pixels under this mask",
                             planes->device->index, job->in->width);
        rows /= 2;
    }
    if (!cuda_device_done(err, planes->device, status, "no device memory"))
        return false;
    for (int y = 0; status == cudaSuccess && y < job->out->height; y += rows) {
        struct planes_band band = band_at(job, &reach, y, rows);
        status = run_band(planes, &band, 1);
    }
    return done(means, status, err);
}

/* Makes one step of one pass; passes_run makes the differences. */
static bool pass_in_bands(const struct kernel_job *pass, const void *context, struct error *err)
{
    const struct means *means = context;
    struct plan step = *pass->plan;
    struct kernel_job job = *pass;
    struct planes planes = {.job = &job, .device = means->device, .method = means->kernel->cuda};
    bool ok;

    step.then = NULL;
    step.minus = MINUS_NOTHING;
    job.plan = &step;
    ok = planes_init(&planes, err) && run_bands(&planes, means, err);
    planes_free(&planes);
    return ok;
}

/* Makes all passes on the device. False with *fits false: no room for the whole picture. */
static bool passes_whole(const struct kernel_job *job, const struct means *means, bool *fits,
                         struct error *err)
{
    struct planes planes = {.job = job, .device = means->device, .method = means->kernel->cuda};
    struct planes_band all = {job->in_first_row, job->in->height, job->out_first_row,
                              job->out->height};
    cudaError_t status;
    bool ok = false;

    *fits = job->plan->repeat == 1 || job->in->height == job->picture_height;
    if (!*fits)
        return false;
    planes_choose_lying(&planes);
    if (!planes_init(&planes, err)) {
        *fits = means->device->use == CUDA_ALONE; /* perhaps other lanes hold the memory */
    } else if ((status = reserve(&planes, all.in_rows, all.out_rows, means->bytes)) !=
               cudaSuccess) {
        *fits = status != cudaErrorMemoryAllocation;
        cuda_device_done(err, means->device, status, "no device memory");
    } else {
        ok = done(means, run_band(&planes, &all, job->plan->repeat), err);
    }
    planes_free(&planes);
    return ok;
}

/* Runs the job on the whole device, or in a lane. In a lane, false with *fits false means that the
 * job needs the whole device. */
static bool run(const struct kernel *kernel, const struct kernel_job *job, enum cuda_use use,
                bool *fits, struct error *err)
{
    struct means means = {kernel, cuda_device_lock(job->device_index, use, err), 0};
    bool ok;

    if (!means.device)
        return false;
    means.bytes = cuda_device_room(means.device, job->device_bytes_limit);
    ok = passes_whole(job, &means, fits, err);
    if (use == CUDA_ALONE && !*fits)
        ok = passes_run(job, pass_in_bands, &means, err);
    cuda_device_unlock(means.device);
    return ok;
}

static bool run_somewhere(const struct kernel *kernel, const struct kernel_job *job,
                          struct error *err)
{
    bool fits = !kernel->cuda->constant;
    bool ok = fits && run(kernel, job, CUDA_SHARED, &fits, err);

    return ok || fits ? ok : run(kernel, job, CUDA_ALONE, &fits, err);
}

/* A caller with pictures on a device keeps its current device. */
bool cuda_run(const struct kernel *kernel, const struct kernel_job *job, struct error *err)
{
    const int index = job->device_index;
    const int callers = job->on_device ? cuda_device_enter(index) : index;
    const bool ok = run_somewhere(kernel, job, err);

    cuda_device_leave(index, callers);
    return ok;
}
