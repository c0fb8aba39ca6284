/* bilateral: a bilateral filter on whole pixels, 8 and 16 bits, in one pass on any GPU from sm_75
 * on. A cell's weight is column * row * range, where range is looked up by the difference of the
 * cell's sample from the middle one; of colour, by the sum of the channels' differences.
 *
 *    N_ds, k = 5       32 outputs and 4 halo cells across
 *    . . . . . . .     8 outputs and 4 halo cells down; a pixel is one word of 4 or 8 bytes
 *    . . . . . . .
 *    . . [o o o] .     a thread: one output. Its middle pixel is in a register, so that a large
 *    . . . . . . .     window is walked in strips of rows, one staged tile each
 *
 * Sums over a row of the window, without the column's factor, fit 32 bits for samples of 8 bits:
 * the row's weights sum to 2048 at most, a range weight is 2048 at most. Sums over the window
 * then take 64 bits, or 128 for samples of 16 bits times alpha.
 *
 * Shared memory   4 * (w + h) + 2 * range weights + 4 or 8 * (32 + w - 1) * (8 + strip - 1)
 * Bytes moved     3 in, 3 out a pixel (RGB), the halo from L2
 * Measured        not yet */
#include "image_rows.cuh"

__extension__ typedef unsigned __int128 uint128;

#define TILE_X  32
#define TILE_Y  8
#define THREADS (TILE_X * TILE_Y)

/* Bytes of shared memory that every GPU gives a block; range weights up to this many stand there.
 */
#define SHARED_BYTES (48 << 10)
#define SHARED_RANGE 2048

struct bilateral_args {
    struct image_job job;
    int strip;   /* rows of the window that are staged at a time */
    int weights; /* range weights in shared memory; 0: they stay in device memory */
};

/* A pixel in a word, and the type of sums over a row and over the window. */
template <typename SAMPLE, bool BY_ALPHA> struct types;
template <> struct types<uint8_t, false> {
    typedef uint32_t pixel, row_sum;
    typedef uint64_t sum;
};
template <> struct types<uint8_t, true> {
    typedef uint32_t pixel;
    typedef uint64_t row_sum, sum;
};
template <> struct types<uint16_t, false> {
    typedef uint64_t pixel, row_sum, sum;
};
template <> struct types<uint16_t, true> {
    typedef uint64_t pixel, row_sum;
    typedef uint128 sum;
};

template <typename SAMPLE, typename PIXEL> __device__ inline uint32_t sample_of(PIXEL pixel, int c)
{
    return (SAMPLE)(pixel >> 8 * sizeof(SAMPLE) * c);
}

/* ---- memory to shared memory ---- */

/* The pixel (x, y) of the picture, ghost cells included. */
template <int N, typename SAMPLE, typename PIXEL>
__device__ inline PIXEL pixel_at(const struct image_job &job, int x, int y)
{
    const SAMPLE *row = (const SAMPLE *)image_row_at(job, y);
    const int cell = row ? ghost_fold(job.border, x, job.width) : -1;
    PIXEL pixel = 0;

    if (cell < 0)
        return (PIXEL)job.ghost;
#pragma unroll
    for (int c = 0; c < N; c++)
        pixel |= (PIXEL)__ldg(row + (size_t)cell * N + c) << 8 * sizeof(SAMPLE) * c;
    return pixel;
}

/* ---- sums ---- */

/* The sums of w * v in each channel, and of w; times alpha: of w * a * v. */
template <int N, typename SUM> struct sums {
    SUM plain[N], weights, by_alpha[N];
};

template <int N, typename SUM> __device__ inline void clear(struct sums<N, SUM> &s)
{
#pragma unroll
    for (int c = 0; c < N; c++)
        s.plain[c] = s.by_alpha[c] = 0;
    s.weights = 0;
}

template <int N, typename SUM, typename ROW_SUM>
__device__ inline void add_row(struct sums<N, SUM> &s, const struct sums<N, ROW_SUM> &row,
                               uint32_t factor)
{
#pragma unroll
    for (int c = 0; c < N; c++) {
        s.plain[c] += (SUM)row.plain[c] * factor;
        s.by_alpha[c] += (SUM)row.by_alpha[c] * factor;
    }
    s.weights += (SUM)row.weights * factor;
}

/* Adds a cell of weight W. */
template <int N, typename SAMPLE, bool BY_ALPHA, typename PIXEL, typename SUM>
__device__ inline void add_cell(struct sums<N, SUM> &s, PIXEL cell, uint32_t w)
{
#pragma unroll
    for (int c = 0; c < N; c++) {
        const SUM product = (SUM)w * sample_of<SAMPLE>(cell, c);
        s.plain[c] += product;
        if (BY_ALPHA && c < N - 1)
            s.by_alpha[c] += product * sample_of<SAMPLE>(cell, N - 1);
    }
    s.weights += w;
}

/* floor((sum + floor(weights/2)) / weights) */
template <typename SUM> __device__ inline uint32_t mean(SUM sum, SUM weights)
{
    return (uint32_t)((sum + weights / 2) / weights);
}

/* ---- the kernel ---- */

template <int N, typename SAMPLE, bool BY_ALPHA>
__global__ void __launch_bounds__(THREADS)
    bilateral_filter(const __grid_constant__ bilateral_args args)
{
    typedef types<SAMPLE, BY_ALPHA> type;
    typedef typename type::pixel pixel;
    extern __shared__ __align__(16) uint8_t shared[];
    const struct image_job &job = args.job;
    const struct bilateral_head *head = (const struct bilateral_head *)job.fragments;
    const uint16_t *range = (const uint16_t *)(head + 1);
    const int width = job.mask_width, height = job.mask_height, across = TILE_X + width - 1;
    const int x0 = blockIdx.x * TILE_X, y0 = blockIdx.y * TILE_Y;
    const int left = threadIdx.x % TILE_X, top = threadIdx.x / TILE_X;
    const int rows = min(TILE_Y, job.out_rows - y0), most = head->range_last + 1;
    const pixel compared = (pixel)head->compared;
    pixel *N_ds = (pixel *)shared;
    uint32_t *row_ds = (uint32_t *)(N_ds + across * (TILE_Y + args.strip - 1));
    uint32_t *column_ds = row_ds + width;
    uint16_t *range_ds = (uint16_t *)(column_ds + height);
    struct sums<N, typename type::sum> s;
    pixel middle = 0;

    clear(s);
    for (int i = threadIdx.x; i < width; i += THREADS)
        row_ds[i] = head->row[i];
    for (int i = threadIdx.x; i < height; i += THREADS)
        column_ds[i] = head->column[i];
    for (int i = threadIdx.x; i < args.weights; i += THREADS)
        range_ds[i] = range[i];
    if (top < rows)
        middle = pixel_at<N, SAMPLE, pixel>(job, x0 + left, job.out_first_row + y0 + top);

    for (int first = 0; first < height; first += args.strip) {
        const int strip = min(args.strip, height - first);
        __syncthreads(); /* all have read N_ds */
        for (int i = threadIdx.x; i < across * (rows + strip - 1); i += THREADS)
            N_ds[i] = pixel_at<N, SAMPLE, pixel>(job, x0 - job.anchor_x + i % across,
                                                 job.out_first_row + y0 + first - job.anchor_y +
                                                     i / across);
        __syncthreads();
        if (top >= rows)
            continue;
        for (int i = 0; i < strip; i++) {
            const pixel *cell = N_ds + (top + i) * across + left;
            struct sums<N, typename type::row_sum> row;
            clear(row);
            for (int j = 0; j < width; j++) {
                const pixel a = middle & compared, b = cell[j] & compared;
                int d = 0;
#pragma unroll
                for (int c = 0; c < N; c++)
                    d += abs((int)sample_of<SAMPLE>(a, c) - (int)sample_of<SAMPLE>(b, c));
                d = min(d, most);
                add_cell<N, SAMPLE, BY_ALPHA>(
                    row, cell[j], row_ds[j] * (args.weights ? range_ds[d] : __ldg(range + d)));
            }
            add_row(s, row, column_ds[first + i]);
        }
    }
    if (top >= rows || x0 + left >= job.width)
        return;
    SAMPLE *out =
        (SAMPLE *)((char *)job.out + (size_t)(y0 + top) * job.out_pitch) + (size_t)(x0 + left) * N;
#pragma unroll
    for (int c = 0; c < N; c++)
        out[c] = (SAMPLE)(BY_ALPHA && c < N - 1 && s.plain[N - 1] > 0
                              ? mean(s.by_alpha[c], s.plain[N - 1])
                              : mean(s.plain[c], s.weights));
}

/* ---- launching ---- */

template <int N, typename SAMPLE, bool BY_ALPHA>
static cudaError_t launch(const struct image_job *job, cudaStream_t stream)
{
    const dim3 tiles((job->width + TILE_X - 1) / TILE_X, (job->out_rows + TILE_Y - 1) / TILE_Y);
    const size_t line =
        (TILE_X + job->mask_width - 1) * sizeof(typename types<SAMPLE, BY_ALPHA>::pixel);
    const size_t weights = job->range_weights <= SHARED_RANGE ? job->range_weights : 0;
    const size_t fixed = 4 * (job->mask_width + job->mask_height) + 2 * weights;
    const size_t lines = (SHARED_BYTES - fixed) / line;
    void (*kernel)(const bilateral_args) = bilateral_filter<N, SAMPLE, BY_ALPHA>;
    struct bilateral_args args = {};

    args.job = *job;
    args.weights = (int)weights;
    args.strip = min((int)lines - (TILE_Y - 1), job->mask_height);
    kernel<<<tiles, THREADS, fixed + line *(TILE_Y + args.strip - 1), stream>>>(args);
    return cudaGetLastError();
}

template <int N, bool BY_ALPHA>
static cudaError_t launch_depth(const struct image_job *job, cudaStream_t stream)
{
    return job->sample_bytes == 1 ? launch<N, uint8_t, BY_ALPHA>(job, stream)
                                  : launch<N, uint16_t, BY_ALPHA>(job, stream);
}

extern "C" cudaError_t bilateral_launch(const struct image_job *job, int by_alpha,
                                        cudaStream_t stream)
{
    switch (job->channels) {
    case 1:
        return launch_depth<1, false>(job, stream);
    case 2:
        return by_alpha ? launch_depth<2, true>(job, stream) : launch_depth<2, false>(job, stream);
    case 3:
        return launch_depth<3, false>(job, stream);
    default:
        return by_alpha ? launch_depth<4, true>(job, stream) : launch_depth<4, false>(job, stream);
    }
}
