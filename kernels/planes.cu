/* The steps around the textbook's kernels: interleaved pixels are made into one plane
 * a channel, and sums are made into rounded, clamped pixels again. One thread a cell.
 * Slow operations (64-bit division, 128-bit products) run only for plans that need them.
 *
 *   image  r g b r g b ...  --prepare-->  r r r ...  --convolve-->  S S S ...  --finish-->  image
 */
#include "plane.h"

__extension__ typedef __int128 int128;

#define BLOCK_X 32
#define BLOCK_Y 8

static dim3 grid_over(int width, int rows)
{
    return dim3((width + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y);
}

static const dim3 BLOCK(BLOCK_X, BLOCK_Y);

__device__ static size_t sample_index(const struct plane_image &image, int x, int c)
{
    return (size_t)x * image.channels + c;
}

__device__ static uint32_t sample_get(const struct plane_image &image, int y, int x, int c)
{
    const char *row = (const char *)image.data + (size_t)y * image.pitch;
    size_t i = sample_index(image, x, c);
    return image.sample_bytes == 1 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
}

__device__ static void sample_set(const struct plane_image &image, int y, int x, int c,
                                  int64_t value)
{
    char *row = (char *)image.data + (size_t)y * image.pitch;
    size_t i = sample_index(image, x, c);
    if (image.sample_bytes == 1)
        ((uint8_t *)row)[i] = (uint8_t)value;
    else
        ((uint16_t *)row)[i] = (uint16_t)value;
}

template <typename T> __device__ static T *cell_at(void *plane, size_t pitch, int y, int x)
{
    return (T *)((char *)plane + (size_t)y * pitch) + x;
}

template <typename T>
__device__ static int64_t sum_get(const void *plane, size_t pitch, int y, int x)
{
    return (int64_t)*cell_at<T>((void *)plane, pitch, y, x);
}

/* clamp(floor((s + floor(d/2)) / d), 0, max); |s| + d < 2^62. Most plans fit 32 bits, where the
 * division is several times faster. */
__device__ static int64_t divide(int64_t s, int64_t d, int64_t max)
{
    int64_t v = s + d / 2, q;
    if (v < 0)
        return 0;
    q = v <= UINT32_MAX && d <= UINT32_MAX ? (int64_t)((uint32_t)v / (uint32_t)d) : v / d;
    return q > max ? max : q;
}

/* ---- prepare ---- */

template <typename T> __global__ void prepare(const __grid_constant__ plane_prepare_job job)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    uint32_t value;

    if (x >= job.image.width || y >= job.image.rows)
        return;
    value = sample_get(job.image, y, x, job.channel);
    if (job.source != PLANE_SAMPLE) {
        value *= sample_get(job.image, y, x, job.image.channels - 1); /* 65535^2 < 2^32 */
        if (job.source == PLANE_PRODUCT_HIGH)
            value >>= job.split_bits;
        else if (job.source == PLANE_PRODUCT_LOW)
            value &= (1u << job.split_bits) - 1;
    }
    *cell_at<T>(job.out, job.out_pitch, y, x) = (T)value;
}

extern "C" cudaError_t plane_prepare(const struct plane_prepare_job *job, cudaStream_t stream)
{
    dim3 grid = grid_over(job->image.width, job->image.rows);
    switch (job->type) {
    case PLANE_F32:
        prepare<float><<<grid, BLOCK, 0, stream>>>(*job);
        break;
    case PLANE_I32:
        prepare<int32_t><<<grid, BLOCK, 0, stream>>>(*job);
        break;
    case PLANE_I64:
        prepare<int64_t><<<grid, BLOCK, 0, stream>>>(*job);
        break;
    }
    return cudaGetLastError();
}

/* ---- finish ---- */

template <typename T> __global__ void finish_linear(const __grid_constant__ plane_finish_job job)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < job.image.width && y < job.image.rows)
        sample_set(
            job.image, y, x, job.channel,
            divide(sum_get<T>(job.sum, job.sum_pitch, y, x) + job.offset, job.divisor, job.max));
}

extern "C" cudaError_t plane_finish_linear(const struct plane_finish_job *job, cudaStream_t stream)
{
    dim3 grid = grid_over(job->image.width, job->image.rows);
    switch (job->type) {
    case PLANE_F32:
        finish_linear<float><<<grid, BLOCK, 0, stream>>>(*job);
        break;
    case PLANE_I32:
        finish_linear<int32_t><<<grid, BLOCK, 0, stream>>>(*job);
        break;
    case PLANE_I64:
        finish_linear<int64_t><<<grid, BLOCK, 0, stream>>>(*job);
        break;
    }
    return cudaGetLastError();
}

/* The largest n in 0..max with (2n-1)^2 * d^2 <= 4*(gx^2 + gy^2), by halving: 16 steps, exact for
 * any sums the plan allows. */
__device__ static int64_t magnitude(int64_t gx, int64_t gy, int128 d, int64_t max)
{
    int128 four_g = 4 * ((int128)gx * gx + (int128)gy * gy);
    int64_t low = 0, high = max;
    while (low < high) {
        int64_t n = (low + high + 1) / 2;
        if ((2 * n - 1) * d * (2 * n - 1) * d <= four_g)
            low = n;
        else
            high = n - 1;
    }
    return low;
}

template <typename T>
__global__ void finish_gradient(const __grid_constant__ plane_finish_job job, const void *gy)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < job.image.width && y < job.image.rows)
        sample_set(job.image, y, x, job.channel,
                   magnitude(sum_get<T>(job.sum, job.sum_pitch, y, x),
                             sum_get<T>(gy, job.sum_pitch, y, x), job.divisor, job.max));
}

extern "C" cudaError_t plane_finish_gradient(const struct plane_finish_job *job, const void *gy,
                                             cudaStream_t stream)
{
    dim3 grid = grid_over(job->image.width, job->image.rows);
    switch (job->type) {
    case PLANE_F32:
        finish_gradient<float><<<grid, BLOCK, 0, stream>>>(*job, gy);
        break;
    case PLANE_I32:
        finish_gradient<int32_t><<<grid, BLOCK, 0, stream>>>(*job, gy);
        break;
    case PLANE_I64:
        finish_gradient<int64_t><<<grid, BLOCK, 0, stream>>>(*job, gy);
        break;
    }
    return cudaGetLastError();
}

/* round( W*A / (d*B) + o/d ) in one fraction, A = product, B = coverage; the plain value where B
 * is 0. */
__device__ static int64_t weighted(const struct plane_weighted_job &job, int64_t plain,
                                   int64_t coverage, int128 product)
{
    int128 n, d, q;
    if (coverage == 0)
        return divide(plain + job.plain.offset, job.plain.divisor, job.plain.max);
    n = job.weight_sum * product + (int128)job.plain.offset * coverage;
    d = (int128)job.plain.divisor * coverage;
    n += d / 2;
    if (n < 0)
        return 0;
    if (n >> 62 == 0 && d >> 62 == 0)
        q = (int64_t)n / (int64_t)d;
    else
        q = n / d;
    return q > job.plain.max ? job.plain.max : (int64_t)q;
}

template <typename T, typename P>
__global__ void finish_weighted(const __grid_constant__ plane_weighted_job job)
{
    const struct plane_finish_job &plain = job.plain;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int128 product;

    if (x >= plain.image.width || y >= plain.image.rows)
        return;
    product = sum_get<P>(job.product_low, job.product_pitch, y, x);
    if (job.product_high)
        product += (int128)sum_get<P>(job.product_high, job.product_pitch, y, x) << job.split_bits;
    sample_set(plain.image, y, x, plain.channel,
               weighted(job, sum_get<T>(plain.sum, plain.sum_pitch, y, x),
                        sum_get<T>(job.coverage, plain.sum_pitch, y, x), product));
}

template <typename T>
static void launch_weighted(const struct plane_weighted_job *job, cudaStream_t stream)
{
    dim3 grid = grid_over(job->plain.image.width, job->plain.image.rows);
    switch (job->product_type) {
    case PLANE_F32:
        finish_weighted<T, float><<<grid, BLOCK, 0, stream>>>(*job);
        break;
    case PLANE_I32:
        finish_weighted<T, int32_t><<<grid, BLOCK, 0, stream>>>(*job);
        break;
    case PLANE_I64:
        finish_weighted<T, int64_t><<<grid, BLOCK, 0, stream>>>(*job);
        break;
    }
}

extern "C" cudaError_t plane_finish_weighted(const struct plane_weighted_job *job,
                                             cudaStream_t stream)
{
    switch (job->plain.type) {
    case PLANE_F32:
        launch_weighted<float>(job, stream);
        break;
    case PLANE_I32:
        launch_weighted<int32_t>(job, stream);
        break;
    case PLANE_I64:
        launch_weighted<int64_t>(job, stream);
        break;
    }
    return cudaGetLastError();
}

/* ---- copy ---- */

__global__ void copy_channel(const __grid_constant__ plane_image in, int in_row,
                             const __grid_constant__ plane_image out, int channel)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out.width && y < out.rows)
        sample_set(out, y, x, channel, sample_get(in, in_row + y, x, channel));
}

extern "C" cudaError_t plane_copy_channel(const struct plane_image *in, int in_row,
                                          const struct plane_image *out, int channel,
                                          cudaStream_t stream)
{
    copy_channel<<<grid_over(out->width, out->rows), BLOCK, 0, stream>>>(*in, in_row, *out,
                                                                         channel);
    return cudaGetLastError();
}
