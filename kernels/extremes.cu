/* extremes: the least or the greatest cell of a window, 8 and 16 bits. Rectangles are made by
 * extremes_rectangle.cuh.
 *
 * Other windows are sets of runs: adjacent cells of a row. A warp makes a row of output. It keeps
 * one line, the best of all runs so far, and takes the longest runs first. Running extremes of the
 * line make all runs in it longer at once. Then the next shorter runs are added.
 *
 * Shared memory   the windows' rows of a tile, and a line for each warp, EXTREMES_RUNS_BYTES at
 *                 most
 * Bytes moved     one picture in, one out, and halo cells from L2 */
#include "extremes_rectangle.cuh"

#define THREADS   256
#define RUNS_ROWS (THREADS / 32) /* of output of a block: a warp makes one */
#define AT_ONCE   6              /* words of a thread */

/* Threads read and write up to so many bytes behind the last word that is needed. */
#define SPARE 512

/* Bytes from a warp's line to the next one, and those of all lines with the bytes before them. */
__host__ __device__ inline int line_bytes(int tile_bytes)
{
    return tile_bytes + SPARE;
}

__host__ __device__ inline int lines_bytes(int tile_bytes)
{
    return SPARE + RUNS_ROWS * line_bytes(tile_bytes);
}

/* Rows of the window that a tile has at a time. */
__host__ __device__ inline int window_rows_of(int tile_bytes, int height)
{
    const int rows = (EXTREMES_RUNS_BYTES - lines_bytes(tile_bytes)) / tile_bytes;
    return min(rows - (RUNS_ROWS - 1), height);
}

/* A thread has words of a line, 32 words from one to the next; `left` counts the line's words from
 * the warp's first one on. Each becomes the better of it and of the word that lies `byte` bytes
 * behind it in another line. */
template <int SAMPLE, bool GREATEST, int WORDS>
__device__ inline void take_words(cells<SAMPLE> *most, const uint32_t *line, int byte, int left)
{
    const uint32_t *const from = line + (byte >> 2);
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        if (32 * k < left)
            most[k] = best<SAMPLE, GREATEST>(
                most[k],
                open_word<SAMPLE>(__funnelshift_r(from[32 * k], from[32 * k + 1], 8 * (byte & 3))));
}

/* The best of `length` cells from the best of each `part` of them. */
template <int SAMPLE, bool GREATEST, int WORDS>
__device__ inline void take_parts(cells<SAMPLE> *most, const uint32_t *line, int part, int length,
                                  int pixel, int left)
{
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        most[k] = open_word<SAMPLE>(32 * k < left ? line[32 * k] : 0);
#pragma unroll 1
    for (int x = part; x < length; x += part)
        take_words<SAMPLE, GREATEST, WORDS>(most, line, min(x, length - part) * pixel, left);
}

/* All threads of the warp have read what is replaced. */
template <int SAMPLE, int WORDS>
__device__ inline void replace_words(const cells<SAMPLE> *most, uint32_t *line, int left)
{
    __syncwarp();
#pragma unroll
    for (int k = 0; k < WORDS; k++)
        if (32 * k < left)
            line[32 * k] = close_word<SAMPLE>(most[k]);
}

/* Words of a line for `more` cells behind the output. */
__device__ inline int words_for(int more, int pixel)
{
    return ORDER_TILE_WORDS + (more * pixel + 3) / 4;
}

/* Steps from the best of single cells to that of `part` cells, so long that 4 parts are `length`
 * cells or more. The line has `more` cells behind the output. */
template <int SAMPLE, bool GREATEST>
__device__ inline int lengthen(uint32_t *line, int length, int more, int pixel)
{
    const int lane = threadIdx.x % 32;
    int part = 1;

    for (; 4 * part < length; part *= 4) {
        const int words = words_for(more - 4 * part + 1, pixel);
        for (int at = 0; at < words; at += 32) {
            cells<SAMPLE> most[1];
            take_parts<SAMPLE, GREATEST, 1>(most, line + at + lane, part, 4 * part, pixel, 1);
            replace_words<SAMPLE, 1>(most, line + at + lane, 1);
        }
        __syncwarp();
    }
    return part;
}

/* A warp's row of a tile that has rows `top` to `bottom` - 1 of the window. */
struct runs_row {
    uint32_t *line;
    const uint32_t *N; /* the tile's row for row `top` of the window */
    int words, skew, top, bottom;
};

/* The line becomes the best of the runs `from` to `end` - 1, all of one length, and of those
 * before, which are longer by `longer` cells; less than 0: there are none before. */
template <int SAMPLE, bool GREATEST>
__device__ inline void take_runs(const struct runs_row &r, const struct order_run *runs, int from,
                                 int end, int longer, int pixel)
{
    const int length = __ldg(&runs[from].length), lane = threadIdx.x % 32;
    const int part = lengthen<SAMPLE, GREATEST>(r.line, longer + 1, length - 1 + longer, pixel);
    const int words = words_for(length - 1, pixel);

    for (int at = 0; at < words; at += 32 * AT_ONCE) {
        uint32_t *const line = r.line + at + lane;
        const int left = words - at;
        cells<SAMPLE> most[AT_ONCE];
        if (longer >= 0)
            take_parts<SAMPLE, GREATEST, AT_ONCE>(most, line, part, longer + 1, pixel, left);
        else
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++)
                most[k] = open_word<SAMPLE>(GREATEST ? 0 : 0xffffffff);
#pragma unroll 1
        for (int i = from; i < end; i++) {
            const int row = __ldg(&runs[i].row);
            if (row >= r.top && row < r.bottom)
                take_words<SAMPLE, GREATEST, AT_ONCE>(most,
                                                      r.N + (row - r.top) * r.words + at + lane,
                                                      r.skew + __ldg(&runs[i].first) * pixel, left);
        }
        replace_words<SAMPLE, AT_ONCE>(most, line, left);
    }
    __syncwarp();
}

/* The runs are packed by length, the longest first. Where a tile cannot hold all rows of the
 * window, each group of rows is a window of its own, and the output is the best of all groups. */
template <int SAMPLE, bool GREATEST>
__global__ void __launch_bounds__(THREADS, 4) extremes_runs(const __grid_constant__ image_job job)
{
    extern __shared__ __align__(16) uint32_t N_ds[];
    const struct order_span span =
        order_span_of(job.mask_width, job.anchor_x, job.channels * SAMPLE, 4 * ORDER_TILE_WORDS);
    const int height = job.mask_height, pixel = job.channels * SAMPLE;
    const int group = window_rows_of(span.bytes, height);
    const int across = order_tiles_across(job), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int byte = blockIdx.x % across * 4 * ORDER_TILE_WORDS;
    const int row = blockIdx.x / across * RUNS_ROWS;
    const int y = job.out_first_row + row - job.anchor_y;
    const int outs = min(RUNS_ROWS, job.out_rows - row);
    const struct order_run *runs = order_runs((const int *)job.fragments, height);
    const int count = __ldg((const int *)job.fragments + height);
    uint32_t *const lines_ds = N_ds + ((group + RUNS_ROWS - 1) * span.bytes + SPARE) / 4;
    struct runs_row r = {lines_ds + warp * (line_bytes(span.bytes) / 4),
                         N_ds + warp * (span.bytes / 4),
                         span.bytes / 4,
                         span.skew,
                         0,
                         0};
    cells<SAMPLE> most[ORDER_TILE_WORDS / 32], now[ORDER_TILE_WORDS / 32];

#pragma unroll
    for (int k = 0; k < ORDER_TILE_WORDS / 32; k++)
        most[k] = open_word<SAMPLE>(GREATEST ? 0 : 0xffffffff);
    for (; r.top < height; r.top = r.bottom) {
        int length = 0; /* of the shortest runs in the line */
        r.bottom = min(r.top + group, height);
        __syncthreads(); /* all have read the rows before */
        stage_rows<THREADS>(job, N_ds, span.bytes, outs + r.bottom - r.top - 1, y + r.top,
                            byte - span.lead);
        __syncthreads();
        if (warp >= outs)
            continue;
        for (int from = 0, end; from < count; from = end) {
            const int next = __ldg(&runs[from].length);
            bool any = group == height;
            for (end = from; end < count && __ldg(&runs[end].length) == next; end++)
                any = any || (__ldg(&runs[end].row) >= r.top && __ldg(&runs[end].row) < r.bottom);
            if (!any)
                continue;
            take_runs<SAMPLE, GREATEST>(r, runs, from, end, length > 0 ? length - next : -1, pixel);
            length = next;
        }
        if (length == 0)
            continue;
        const int part = lengthen<SAMPLE, GREATEST>(r.line, length, length - 1, pixel);
        take_parts<SAMPLE, GREATEST, ORDER_TILE_WORDS / 32>(now, r.line + lane, part, length, pixel,
                                                            ORDER_TILE_WORDS);
#pragma unroll
        for (int k = 0; k < ORDER_TILE_WORDS / 32; k++)
            most[k] = best<SAMPLE, GREATEST>(most[k], now[k]);
        __syncwarp();
    }
    if (warp >= outs)
        return;
#pragma unroll
    for (int k = 0; k < ORDER_TILE_WORDS / 32; k++) {
        struct outputs out = outputs_at(job, row + warp, byte + 4 * (lane + 32 * k), 1);
        put_word(out, close_word<SAMPLE>(most[k]));
    }
}

/* ---- launching ---- */

template <int SAMPLE, bool GREATEST>
static cudaError_t launch_runs(const struct image_job *job, cudaStream_t stream)
{
    const int tiles = order_tiles_across(*job) * ((job->out_rows + RUNS_ROWS - 1) / RUNS_ROWS);
    void (*kernel)(const image_job) = extremes_runs<SAMPLE, GREATEST>;
    const struct order_span span =
        order_span_of(job->mask_width, job->anchor_x, job->channels * SAMPLE, 4 * ORDER_TILE_WORDS);
    const int rows = window_rows_of(span.bytes, job->mask_height) + RUNS_ROWS - 1;
    const int shared_bytes = rows * span.bytes + lines_bytes(span.bytes);
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes);

    if (status != cudaSuccess)
        return status;
    kernel<<<tiles, THREADS, shared_bytes, stream>>>(*job);
    return cudaGetLastError();
}

template <int SAMPLE, bool GREATEST>
static cudaError_t launch(const struct image_job *job, cudaStream_t stream)
{
    return job->cells == job->mask_width * job->mask_height &&
                   extremes_shape_of(job->mask_width, job->mask_height, job->anchor_x,
                                     job->channels, SAMPLE)
                       .fits
               ? launch_rectangle<SAMPLE, GREATEST>(job, stream)
               : launch_runs<SAMPLE, GREATEST>(job, stream);
}

extern "C" cudaError_t extremes_launch(const struct image_job *job, int form, cudaStream_t stream)
{
    const bool greatest = job->place > 0;

    (void)form;
    if (job->sample_bytes == 1)
        return greatest ? launch<1, true>(job, stream) : launch<1, false>(job, stream);
    return greatest ? launch<2, true>(job, stream) : launch<2, false>(job, stream);
}
