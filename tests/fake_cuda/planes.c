/* The textbook's 2D kernels and what stands around them, as plane.h describes them, one
 * cell after the other: see fake_cuda.h. */
#include <stdlib.h>
#include <string.h>

#include "kernels/plane.h"
#include "plan/border.h"
#include "fake_cuda.h"

__extension__ typedef __int128 int128;

/* ---- cells and samples ---- */

static size_t extent(size_t pitch, size_t width, int rows)
{
    return rows > 0 ? (size_t)(rows - 1) * pitch + width : 0;
}

static int64_t cell_get(const void *plane, size_t pitch, enum plane_type type, int y, int x)
{
    const char *row = (const char *)plane + (size_t)y * pitch;
    return type == PLANE_F32   ? (int64_t)((const float *)row)[x]
           : type == PLANE_I32 ? (int64_t)((const int32_t *)row)[x]
                               : ((const int64_t *)row)[x];
}

static void cell_set(void *plane, size_t pitch, enum plane_type type, int y, int x, int64_t value)
{
    char *row = (char *)plane + (size_t)y * pitch;
    if (type == PLANE_F32)
        ((float *)row)[x] = (float)value;
    else if (type == PLANE_I32)
        ((int32_t *)row)[x] = (int32_t)value;
    else
        ((int64_t *)row)[x] = value;
}

static void *plane_at(const void *plane, size_t pitch, enum plane_type type, int width, int rows,
                      int device)
{
    return fake_device_memory(plane, extent(pitch, (size_t)width * plane_cell_bytes(type), rows),
                              device);
}

static struct plane_image image_at(const struct plane_image *image, int device)
{
    struct plane_image there = *image;
    size_t row = (size_t)image->width * (size_t)(image->channels * image->sample_bytes);
    there.data = fake_device_memory(image->data, extent(image->pitch, row, image->rows), device);
    return there;
}

static int64_t sample_get(const struct plane_image *image, int y, int x, int c)
{
    const char *row = (const char *)image->data + (size_t)y * image->pitch;
    int i = x * image->channels + c;
    return image->sample_bytes == 1 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
}

static void sample_set(const struct plane_image *image, int y, int x, int c, int64_t value)
{
    char *row = (char *)image->data + (size_t)y * image->pitch;
    int i = x * image->channels + c;
    if (image->sample_bytes == 1)
        ((uint8_t *)row)[i] = (uint8_t)value;
    else
        ((uint16_t *)row)[i] = (uint16_t)value;
}

/* ---- the convolutions ---- */

struct convolution {
    struct plane_job job;
    int bank; /* where the weights are; -1: device memory */
    int first_row, rows;
};

static int64_t plane_cell(const struct plane_job *job, const void *in, int y, int x)
{
    int row = y, column = border_fold((enum border)job->border, x, job->width);

    bool there = y >= job->in_first_row && y < job->in_first_row + job->in_rows;

    if (!there)
        row = border_fold((enum border)job->border, y, job->picture_height);
    if ((!there && row == BORDER_OUTSIDE) || column == BORDER_OUTSIDE)
        return job->ghost;
    if (row < job->in_first_row || row >= job->in_first_row + job->in_rows)
        fake_misuse("a kernel reads a row that is not there");
    return cell_get(in, job->in_pitch, job->type, row - job->in_first_row, column);
}

static void run_convolution(const void *arguments, int device)
{
    const struct convolution *c = arguments;
    const struct plane_job *job = &c->job;
    size_t mask_pitch = (size_t)job->mask_width * plane_cell_bytes(job->type);
    void *in = plane_at(job->in, job->in_pitch, job->type, job->width, job->in_rows, device);
    void *out = plane_at(job->out, job->out_pitch, job->type, job->width, job->out_rows, device);
    const void *weight =
        c->bank >= 0 ? fake_bank(device, c->bank)
                     : fake_device_memory(job->device_weight, mask_pitch * (size_t)c->rows, device);

    for (int y = 0; y < job->out_rows; y++)
        for (int x = 0; x < job->width; x++) {
            int64_t sum = c->first_row ? cell_get(out, job->out_pitch, job->type, y, x) : 0;
            for (int i = 0; i < c->rows; i++)
                for (int j = 0; j < job->mask_width; j++)
                    sum += cell_get(weight, mask_pitch, job->type, i, j) *
                           plane_cell(job, in,
                                      job->out_first_row + y - job->anchor_y + c->first_row + i,
                                      x - job->anchor_x + j);
            cell_set(out, job->out_pitch, job->type, y, x, sum);
        }
}

struct bank_copy {
    int bank;
    size_t bytes;
    unsigned char weights[FAKE_BANK_BYTES];
};

static void run_bank_copy(const void *arguments, int device)
{
    const struct bank_copy *copy = arguments;
    memcpy(fake_bank(device, copy->bank), copy->weights, copy->bytes);
}

/* As cudaMemcpyToSymbolAsync from pageable memory. */
cudaError_t fake_bank_fill(int bank, const void *weights, size_t bytes, cudaStream_t stream);

cudaError_t fake_bank_fill(int bank, const void *weights, size_t bytes, cudaStream_t stream)
{
    struct bank_copy *copy = calloc(1, sizeof *copy);
    cudaError_t status;

    if (!copy || bytes > FAKE_BANK_BYTES)
        abort();
    copy->bank = bank;
    copy->bytes = bytes;
    memcpy(copy->weights, weights, bytes);
    status = fake_launch(stream, run_bank_copy, copy, sizeof *copy);
    free(copy);
    return status;
}

static cudaError_t convolve(const struct plane_job *job, int bank, cudaStream_t stream)
{
    size_t row = (size_t)job->mask_width * plane_cell_bytes(job->type);
    struct convolution c = {.job = *job, .bank = bank, .rows = job->mask_height};
    int most = (int)(FAKE_BANK_BYTES / row);
    cudaError_t status = cudaSuccess;

    if (bank < 0)
        return fake_launch(stream, run_convolution, &c, sizeof c);
    for (int i = 0; status == cudaSuccess && i < job->mask_height; i += most) {
        c.first_row = i;
        c.rows = job->mask_height - i < most ? job->mask_height - i : most;
        status = fake_bank_fill(bank, (const char *)job->weight + (size_t)i * row,
                                row * (size_t)c.rows, stream);
        if (status == cudaSuccess)
            status = fake_launch(stream, run_convolution, &c, sizeof c);
    }
    return status;
}

cudaError_t plane_basic(const struct plane_job *job, cudaStream_t stream)
{
    return convolve(job, -1, stream);
}

cudaError_t plane_readonly(const struct plane_job *job, cudaStream_t stream)
{
    return convolve(job, -1, stream);
}

cudaError_t plane_constant(const struct plane_job *job, cudaStream_t stream)
{
    return convolve(job, 0, stream);
}

cudaError_t plane_cached(const struct plane_job *job, cudaStream_t stream)
{
    return convolve(job, 1, stream);
}

cudaError_t plane_tiled(const struct plane_job *job, cudaStream_t stream)
{
    return convolve(job, 2, stream);
}

struct plane_shape plane_tiled_shape(const struct plane_job *job)
{
    return (struct plane_shape){.tile = job->tile,
                                .block_x = 32,
                                .block_y = 32,
                                .group_rows = job->mask_height,
                                .constant_rows = job->mask_height,
                                .cells_per_thread = 1};
}

/* ---- before and after ---- */

static void run_prepare(const void *arguments, int device)
{
    const struct plane_prepare_job *job = arguments;
    struct plane_image image = image_at(&job->image, device);
    void *out = plane_at(job->out, job->out_pitch, job->type, image.width, image.rows, device);

    for (int y = 0; y < image.rows; y++)
        for (int x = 0; x < image.width; x++) {
            int64_t value = sample_get(&image, y, x, job->channel);
            if (job->source != PLANE_SAMPLE)
                value *= sample_get(&image, y, x, image.channels - 1);
            if (job->source == PLANE_PRODUCT_HIGH)
                value >>= job->split_bits;
            else if (job->source == PLANE_PRODUCT_LOW)
                value &= ((int64_t)1 << job->split_bits) - 1;
            cell_set(out, job->out_pitch, job->type, y, x, value);
        }
}

cudaError_t plane_prepare(const struct plane_prepare_job *job, cudaStream_t stream)
{
    return fake_launch(stream, run_prepare, job, sizeof *job);
}

/* clamp(floor(n / d + 1/2), 0, max), with floor(d/2) added. */
static int64_t divide(int128 n, int128 d, int64_t max)
{
    int128 v = n + d / 2;
    return v < 0 ? 0 : v / d > max ? max : (int64_t)(v / d);
}

struct finish {
    struct plane_weighted_job job; /* others use only `plain` */
    const void *gy;
};

static int64_t magnitude(int64_t gx, int64_t gy, int64_t max)
{
    int128 four_g = 4 * ((int128)gx * gx + (int128)gy * gy);
    int64_t n = 0;
    while (n < max && (int128)(2 * n + 1) * (2 * n + 1) <= four_g)
        n++;
    return n;
}

static void run_gradient(const void *arguments, int device)
{
    const struct finish *f = arguments;
    const struct plane_finish_job *p = &f->job.plain;
    struct plane_image image = image_at(&p->image, device);
    void *gx = plane_at(p->sum, p->sum_pitch, p->type, image.width, image.rows, device);
    void *gy = plane_at(f->gy, p->sum_pitch, p->type, image.width, image.rows, device);

    for (int y = 0; y < image.rows; y++)
        for (int x = 0; x < image.width; x++)
            sample_set(&image, y, x, p->channel,
                       magnitude(cell_get(gx, p->sum_pitch, p->type, y, x),
                                 cell_get(gy, p->sum_pitch, p->type, y, x), p->max));
}

cudaError_t plane_finish_gradient(const struct plane_finish_job *job, const void *gy,
                                  cudaStream_t stream)
{
    struct finish f = {.job.plain = *job, .gy = gy};
    return fake_launch(stream, run_gradient, &f, sizeof f);
}

static void run_linear(const void *arguments, int device)
{
    const struct plane_finish_job *p = arguments;
    struct plane_image image = image_at(&p->image, device);
    void *sum = plane_at(p->sum, p->sum_pitch, p->type, image.width, image.rows, device);

    for (int y = 0; y < image.rows; y++)
        for (int x = 0; x < image.width; x++)
            sample_set(&image, y, x, p->channel,
                       divide((int128)cell_get(sum, p->sum_pitch, p->type, y, x) + p->offset,
                              p->divisor, p->max));
}

cudaError_t plane_finish_linear(const struct plane_finish_job *job, cudaStream_t stream)
{
    return fake_launch(stream, run_linear, job, sizeof *job);
}

static void run_weighted(const void *arguments, int device)
{
    const struct plane_weighted_job *job = arguments;
    const struct plane_finish_job *p = &job->plain;
    struct plane_image image = image_at(&p->image, device);
    int w = image.width, h = image.rows;
    void *sum = plane_at(p->sum, p->sum_pitch, p->type, w, h, device);
    void *coverage = plane_at(job->coverage, p->sum_pitch, p->type, w, h, device);
    void *low = plane_at(job->product_low, job->product_pitch, job->product_type, w, h, device);
    void *high = job->product_high ? plane_at(job->product_high, job->product_pitch,
                                              job->product_type, w, h, device)
                                   : NULL;

    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int128 covered = cell_get(coverage, p->sum_pitch, p->type, y, x);
            int128 plain = (int128)cell_get(sum, p->sum_pitch, p->type, y, x) + p->offset;
            int128 product = cell_get(low, job->product_pitch, job->product_type, y, x);
            if (high)
                product += (int128)cell_get(high, job->product_pitch, job->product_type, y, x)
                           << job->split_bits;
            sample_set(&image, y, x, p->channel,
                       covered == 0 ? divide(plain, p->divisor, p->max)
                                    : divide(job->weight_sum * product + p->offset * covered,
                                             p->divisor * covered, p->max));
        }
}

cudaError_t plane_finish_weighted(const struct plane_weighted_job *job, cudaStream_t stream)
{
    return fake_launch(stream, run_weighted, job, sizeof *job);
}

struct channel_copy {
    struct plane_image in, out;
    int in_row, channel;
};

static void run_channel_copy(const void *arguments, int device)
{
    const struct channel_copy *c = arguments;
    struct plane_image in = image_at(&c->in, device), out = image_at(&c->out, device);

    for (int y = 0; y < out.rows; y++)
        for (int x = 0; x < out.width; x++)
            sample_set(&out, y, x, c->channel, sample_get(&in, c->in_row + y, x, c->channel));
}

cudaError_t plane_copy_channel(const struct plane_image *in, int in_row,
                               const struct plane_image *out, int channel, cudaStream_t stream)
{
    struct channel_copy copy = {*in, *out, in_row, channel};
    return fake_launch(stream, run_channel_copy, &copy, sizeof copy);
}
