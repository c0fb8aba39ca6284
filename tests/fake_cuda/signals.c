/* The textbook's 1D kernels, as signal_1d.h describes them:
 * see fake_cuda.h. */
#include <string.h>

#include "kernels/signal_1d.h"
#include "plan/border.h"
#include "fake_cuda.h"

struct convolution {
    struct signal_1d_job job;
    int bank; /* where the weights are; -1: device memory */
    int first, weights;
};

static int64_t get(const void *cells, enum plane_type type, int i)
{
    return type == PLANE_F32 ? (int64_t)((const float *)cells)[i] : ((const int64_t *)cells)[i];
}

static int64_t cell(const struct signal_1d_job *job, const void *in, int i)
{
    int at = i;
    if (i < job->in_first || i >= job->in_first + job->in_count) {
        at = border_fold((enum border)job->border, i, job->width);
        if (at == BORDER_OUTSIDE)
            return job->ghost;
    }
    if (at < job->in_first || at >= job->in_first + job->in_count)
        fake_misuse("a kernel reads a cell that is not there");
    return get(in, job->type, at - job->in_first);
}

static void run_convolution(const void *arguments, int device)
{
    const struct convolution *c = arguments;
    const struct signal_1d_job *job = &c->job;
    size_t bytes = plane_cell_bytes(job->type);
    void *in = fake_device_memory(job->in, (size_t)job->in_count * bytes, device);
    void *out = fake_device_memory(job->out, (size_t)job->out_count * bytes, device);
    const void *weight =
        c->bank >= 0 ? fake_bank(device, c->bank)
                     : fake_device_memory(job->device_weight, (size_t)c->weights * bytes, device);

    for (int i = 0; i < job->out_count; i++) {
        int64_t sum = c->first ? get(out, job->type, i) : 0;
        for (int j = 0; j < c->weights; j++)
            sum += get(weight, job->type, j) *
                   cell(job, in, job->out_first + i - job->anchor + c->first + j);
        if (job->type == PLANE_F32)
            ((float *)out)[i] = (float)sum;
        else
            ((int64_t *)out)[i] = sum;
    }
}

cudaError_t fake_bank_fill(int bank, const void *weights, size_t bytes, cudaStream_t stream);

static cudaError_t convolve(const struct signal_1d_job *job, int bank, cudaStream_t stream)
{
    size_t bytes = plane_cell_bytes(job->type);
    struct convolution c = {.job = *job, .bank = bank, .weights = job->mask_width};
    int most = (int)(FAKE_BANK_BYTES / bytes);
    cudaError_t status = cudaSuccess;

    if (bank < 0)
        return fake_launch(stream, run_convolution, &c, sizeof c);
    for (int i = 0; status == cudaSuccess && i < job->mask_width; i += most) {
        c.first = i;
        c.weights = job->mask_width - i < most ? job->mask_width - i : most;
        status = fake_bank_fill(bank, (const char *)job->weight + (size_t)i * bytes,
                                (size_t)c.weights * bytes, stream);
        if (status == cudaSuccess)
            status = fake_launch(stream, run_convolution, &c, sizeof c);
    }
    return status;
}

cudaError_t signal_basic(const struct signal_1d_job *job, cudaStream_t stream)
{
    return convolve(job, -1, stream);
}

cudaError_t signal_constant(const struct signal_1d_job *job, cudaStream_t stream)
{
    return convolve(job, 3, stream);
}

cudaError_t signal_cached(const struct signal_1d_job *job, cudaStream_t stream)
{
    return convolve(job, 4, stream);
}

cudaError_t signal_tiled(const struct signal_1d_job *job, cudaStream_t stream)
{
    return convolve(job, 5, stream);
}

struct signal_1d_shape signal_tiled_shape(const struct signal_1d_job *job)
{
    return (struct signal_1d_shape){.group = job->mask_width};
}

struct signal_1d_shape signal_cached_shape(const struct signal_1d_job *job)
{
    return (struct signal_1d_shape){.group = job->mask_width};
}
