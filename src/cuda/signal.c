/* The host side of the textbook's 1D kernels: uploads a signal and downloads its sums, in parts if
 * the device cannot hold the whole signal. A part includes its halo and ghost cells, so that a
 * kernel never reads a missing cell. */
#include "cuda/planes.h"

#include "kernel/backend.h"
#include "kernel/signal_job.h"
#include "kernels/signal_1d.h"

#define DEFAULT_TILE 256

typedef cudaError_t signal_launch(const struct signal_1d_job *job, cudaStream_t stream);

static struct signal_1d_job kernel_view(const struct signal_job *job)
{
    return (struct signal_1d_job){
        .type = job->type == SIGNAL_F32 ? PLANE_F32 : PLANE_I64,
        .in_count = job->n,
        .out_count = job->n,
        .width = job->n,
        .border = (enum plane_border)job->border,
        .ghost = job->ghost,
        .mask_width = job->mask_width,
        .anchor = job->anchor,
        .weight = job->weight,
        .tile = job->tile ? job->tile : DEFAULT_TILE,
    };
}

/* ---- up and down ---- */

/* Uploads the part's cells, adjacent cells in one copy. Ghost cells are folded here. */
static cudaError_t upload(const struct signal_job *job, struct cuda_device *device,
                          const struct signal_1d_job *part)
{
    size_t cell = signal_cell_bytes(job->type);
    cudaError_t status = cudaSuccess;

    for (int i = 0, count; status == cudaSuccess && i < part->in_count; i += count) {
        int first = part->in_first + i, at = border_fold(job->border, first, job->n);
        count = 1;
        if (at == first) /* inside: up to the signal's end */
            count = job->n - at < part->in_count - i ? job->n - at : part->in_count - i;
        status = cudaMemcpyAsync((char *)device->buffer[BUFFER_IN] + (size_t)i * cell,
                                 (const char *)job->in + (size_t)at * cell, (size_t)count * cell,
                                 cudaMemcpyHostToDevice, device->stream);
    }
    return status;
}

static cudaError_t download(const struct signal_job *job, struct cuda_device *device,
                            const struct signal_1d_job *part)
{
    size_t cell = signal_cell_bytes(job->type);
    return cudaMemcpyAsync((char *)job->out + (size_t)part->out_first * cell,
                           device->buffer[BUFFER_OUT], (size_t)part->out_count * cell,
                           cudaMemcpyDeviceToHost, device->stream);
}

static cudaError_t run_part(const struct signal_job *job, struct cuda_device *device,
                            const struct signal_1d_job *part, signal_launch *launch)
{
    cudaError_t status = cudaEventRecord(device->mark[0], device->stream);

    CUDA_NEXT(status, upload(job, device, part));
    CUDA_NEXT(status, cudaEventRecord(device->mark[1], device->stream));
    CUDA_NEXT(status, launch(part, device->stream));
    CUDA_NEXT(status, cudaEventRecord(device->mark[2], device->stream));
    CUDA_NEXT(status, download(job, device, part));
    return cuda_device_finish(device, status, job->times);
}

/* ---- the whole ---- */

/* How many outputs a part has, so that its buffers fit LIMIT; reserves the buffers. 0: no room. */
static int reserve(const struct signal_job *job, struct cuda_device *device, size_t limit)
{
    size_t cell = signal_cell_bytes(job->type), halo = (size_t)job->mask_width;

    for (int count = job->n; count > 0; count /= 2) {
        size_t in = ((size_t)count + halo) * cell, out = (size_t)count * cell;
        if (in + out <= limit &&
            cuda_device_reserve(device, (size_t[CUDA_BUFFERS]){in, out}) == cudaSuccess)
            return count;
    }
    return 0;
}

/* Sets the part of COUNT outputs, or fewer at the end, from FIRST on. Ghost cells with a constant
 * value are left to the kernel. */
static void cut(const struct signal_job *job, struct signal_1d_job *part, int first, int count)
{
    int left = job->n - first, from = first - job->anchor, to;

    part->out_first = first;
    part->out_count = left < count ? left : count;
    to = from + part->out_count + job->mask_width - 1;
    if (border_fold(job->border, -1, job->n) == BORDER_OUTSIDE) {
        from = from < 0 ? 0 : from;
        to = to > job->n ? job->n : to;
    }
    part->in_first = from;
    part->in_count = to - from;
}

static bool run_parts(const struct signal_job *job, struct cuda_device *device,
                      signal_launch *launch, const char *name, struct error *err)
{
    size_t limit = cuda_device_room(device, job->device_bytes_limit);
    size_t bytes = (size_t)job->mask_width * signal_cell_bytes(job->type);
    struct signal_1d_job part = kernel_view(job);
    cudaError_t status = cuda_device_send_mask(device, 0, job->weight, bytes);
    int count;

    if (!cuda_device_done(err, device, status, "cannot send the mask"))
        return false;
    count = reserve(job, device, limit);
    if (count == 0)
        return error_set(err, EXIT_INPUT,
                         CUDA_NAME ":%d: no device memory for a mask of %d weights", device->index,
                         job->mask_width);
    part.in = device->buffer[BUFFER_IN];
    part.out = device->buffer[BUFFER_OUT];
    part.device_weight = device->buffer[BUFFER_MASK];
    for (int first = 0; status == cudaSuccess && first < job->n; first += count) {
        if (count < job->n) /* else the kernel folds ghost cells itself */
            cut(job, &part, first, count);
        status = run_part(job, device, &part, launch);
    }
    return cuda_device_done(err, device, status, "the %s kernel failed", name);
}

static bool run(const struct signal_job *job, signal_launch *launch, const char *name,
                struct error *err)
{
    struct cuda_device *device = cuda_device_lock(job->device_index, CUDA_ALONE, err);
    bool good = device && run_parts(job, device, launch, name, err);

    if (device)
        cuda_device_unlock(device);
    return good;
}

/* ---- used by the kernel table ---- */

#define RUN(kernel)                                                                                \
    bool cuda_signal_##kernel(const struct signal_job *job, struct error *err)                     \
    {                                                                                              \
        return run(job, signal_##kernel, #kernel, err);                                            \
    }
RUN(basic)
RUN(constant)
RUN(cached)
RUN(tiled)

/* LOADS: how many cells an internal tile loads from global memory. */
static void shape_make(const struct signal_job *job, struct signal_1d_shape cut, double loads,
                       struct kernel_shape *shape)
{
    int tile = kernel_view(job).tile;
    *shape = (struct kernel_shape){
        .tile_width = tile,
        .tile_height = 1,
        .halo_left = job->anchor,
        .halo_right = job->mask_width - 1 - job->anchor,
        .block_x = tile,
        .block_y = 1,
        .mask_rows = 1,
        .shared_bytes = cut.shared_bytes,
        .loads_per_output = loads / tile,
    };
}

void cuda_signal_tiled_shape(const struct signal_job *job, struct kernel_shape *shape)
{
    struct signal_1d_job view = kernel_view(job);
    struct signal_1d_shape cut = signal_tiled_shape(&view);
    int groups = (job->mask_width + cut.group - 1) / cut.group; /* each stages its own tile */
    shape_make(job, cut, (double)groups * (view.tile - 1) + job->mask_width, shape);
}

/* How often the outputs within REACH of one end of the tile load halo cells. */
static double halo_loads(int tile, int reach)
{
    int outputs = reach < tile ? reach : tile;
    return (double)outputs * (reach + (reach - outputs + 1)) / 2;
}

void cuda_signal_cached_shape(const struct signal_job *job, struct kernel_shape *shape)
{
    struct signal_1d_job view = kernel_view(job);
    shape_make(job, signal_cached_shape(&view),
               view.tile + halo_loads(view.tile, job->anchor) +
                   halo_loads(view.tile, job->mask_width - 1 - job->anchor),
               shape);
}
