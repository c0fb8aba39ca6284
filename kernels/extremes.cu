/* extremes: the least or the greatest cell of a window, 8 and 16 bits. Of a rectangle it takes as
 * long for any size: three comparisons a sample along each axis (van Herk 1992, Gil and Werman
 * 1993). A row is cut into blocks as long as the window. `suffix` is the least from a cell to the
 * end of its block, `prefix` the least from the beginning of its block to a cell:
 *
 *    cells      a b c d | e f g h | ...          a window of 4
 *    suffix     . . x x                          c d e f = least of the suffix from c
 *    prefix             x x                                and the prefix to f
 *
 * Along a column it is the same. A block makes a strip of the picture and goes down, some rows at a
 * time. So a row is read once, and the rows of a window stay in shared memory:
 *
 *    memory -> N_ds   rows come in groups of four (16 bits: two), turned so that a word has the
 *                     samples of one column: then a neighbour in the row is a whole word away
 *    N_ds -> S_ds, P_ds         suffixes and prefixes along the row, one thread a block
 *    S_ds, P_ds -> registers    the least of the row's windows, turned back
 *    registers, R_ds -> memory  along the columns; each thread has a word's columns for itself: the
 *                               prefix in a register, the last rows or their suffixes in R_ds
 *
 * Squares of up to 13 cells a side: a thread goes down a column of words and takes the best of a
 * row's cells, then of the last rows, in registers.
 *
 * Other windows: each run of adjacent cells of a row is covered by two runs of 2^n cells. A block
 * makes the extremes of 2, 4, 8 ... adjacent cells of its rows, and looks up each run's.
 *
 * Shared memory   4 * (4 * (5 * columns of the strip, and a halo) + k * words of the strip): 89 KB
 *                 for k = 63, RGB, 8 bits
 * Bytes moved     one picture in, one out, halo cells from L2 */
#include "gather.cuh"
#include "order_tile.cuh"

/* A strip is cut where it would be longer than its share of the device, but not into parts so short
 * that their halo counts. */
#define BLOCKS_EACH  8 /* a multiprocessor */
#define LEAST_HEIGHT 4 /* times the window's */

struct extremes_args {
    struct image_job job;
    struct extremes_shape shape;
    int sweeps;            /* along the rows of a tile */
    int strips, part_rows; /* of output */
};

/* ---- groups of rows ---- */

/* Turns ROWS words of as many rows, ROWS samples each: word i gets the samples of column i. */
template <int SAMPLE> __device__ inline void turn_samples(const uint32_t *in, uint32_t *out)
{
    if constexpr (SAMPLE == 1) {
        transpose_bytes(in, out);
    } else {
        out[0] = __byte_perm(in[0], in[1], 0x5410);
        out[1] = __byte_perm(in[0], in[1], 0x7632);
    }
}

/* Words that lie side by side in shared memory. */
template <int SAMPLE> __device__ inline void put_words(uint32_t *to, const uint32_t *words)
{
    if constexpr (SAMPLE == 1)
        *(uint4 *)to = make_uint4(words[0], words[1], words[2], words[3]);
    else
        *(uint2 *)to = make_uint2(words[0], words[1]);
}

template <int SAMPLE> __device__ inline void get_words(const uint32_t *from, uint32_t *words)
{
    if constexpr (SAMPLE == 1) {
        const uint4 v = *(const uint4 *)from;
        words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
    } else {
        const uint2 v = *(const uint2 *)from;
        words[0] = v.x, words[1] = v.y;
    }
}

/* Groups of rows from picture row y on, each from byte `byte` on. `rows`: rows that the block
 * needs; those after them need not be there. */
template <int SAMPLE>
__device__ inline void stage_groups(const struct image_job &job, uint32_t *N_ds, int columns,
                                    int pitch, int y, int rows, int byte)
{
    constexpr int ROWS = 4 / SAMPLE, ALL = EXTREMES_GROUPS * ROWS;
    const bool inside = byte >= 0 && byte + columns * SAMPLE <= job.width * job.channels * SAMPLE &&
                        y >= job.in_first_row && y + ALL <= job.in_first_row + job.in_rows;
    const uint8_t *from =
        (const uint8_t *)job.in + (ptrdiff_t)(y - job.in_first_row) * job.in_pitch + byte;

#pragma unroll 1
    for (int w = threadIdx.x; w < columns / ROWS; w += blockDim.x) {
        uint32_t words[ALL], turned[ROWS];
        if (inside) {
#pragma unroll
            for (int r = 0; r < ALL; r++)
                words[r] = __ldg((const uint32_t *)(from + r * job.in_pitch) + w);
        } else {
#pragma unroll 1
            for (int r = 0; r < ALL; r++) {
                const uint32_t word =
                    order_word(job, image_row_at(job, y + min(r, rows - 1)), byte + 4 * w);
#pragma unroll
                for (int i = 0; i < ALL; i++)
                    words[i] = i == r ? word : words[i];
            }
        }
#pragma unroll
        for (int g = 0; g < EXTREMES_GROUPS; g++) {
            turn_samples<SAMPLE>(words + g * ROWS, turned);
            put_words<SAMPLE>(N_ds + g * pitch + w * ROWS, turned);
        }
    }
}

/* ---- along the rows ---- */

#define AT_ONCE 8 /* cells that are loaded before the first result is stored */

/* The best of the first cells, and of `skip` more of them, of one more, and so on: the first is not
 * stored for the skipped ones. Cells and results are `step` words apart. Returns the last result.
 */
template <int SAMPLE, bool GREATEST>
__device__ inline uint32_t sweep(const uint32_t *from, uint32_t *to, int step, int skip, int count)
{
    cells<SAMPLE> most = open_word<SAMPLE>(*from);

    for (; skip > 0; skip--, from += step, to += step)
        most = best<SAMPLE, GREATEST>(most, open_word<SAMPLE>(*from));
#pragma unroll 1
    for (; count >= AT_ONCE; count -= AT_ONCE) {
        uint32_t word[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++, from += step)
            word[i] = *from;
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++, to += step) {
            most = best<SAMPLE, GREATEST>(most, open_word<SAMPLE>(word[i]));
            *to = close_word<SAMPLE>(most);
        }
    }
    if (count > 0) {
        uint32_t word[AT_ONCE - 1];
#pragma unroll
        for (int i = 0; i < AT_ONCE - 1; i++, from += step)
            if (i < count)
                word[i] = *from;
#pragma unroll
        for (int i = 0; i < AT_ONCE - 1; i++, to += step)
            if (i < count) {
                most = best<SAMPLE, GREATEST>(most, open_word<SAMPLE>(word[i]));
                *to = close_word<SAMPLE>(most);
            }
    }
    return close_word<SAMPLE>(most);
}

/* Suffixes and prefixes stand where the window of their output begins: output i is the best of S[i]
 * and P[i]. One thread makes the suffixes of a block, or the prefixes of the block after it. */
template <int SAMPLE, bool GREATEST>
__device__ inline void sweep_rows(const struct extremes_args &args, const uint32_t *N_ds,
                                  uint32_t *S_ds, uint32_t *P_ds)
{
    const int step = args.job.channels, width = args.job.mask_width, long_step = width * step;
    const int inverse = 65536 / step + 1; /* i / step is i * inverse / 65536 */

    for (int i = threadIdx.x; i < args.sweeps; i += blockDim.x) {
        const int g = i % EXTREMES_GROUPS, u = i / (2 * EXTREMES_GROUPS);
        const int block = u * inverse >> 16, first = block * long_step + u - block * step;
        const bool suffix = i / EXTREMES_GROUPS % 2 == 0;
        /* how many of the block's cells are outputs, less the one that needs no prefix */
        const int left = (args.shape.out_columns - first + step - 1) * inverse >> 16;
        const int count = min(width, left) - (suffix ? 0 : 1);
        const uint32_t *N = N_ds + g * args.shape.pitch + first;
        uint32_t *S = S_ds + g * args.shape.out_pitch + first;
        uint32_t *P = P_ds + g * args.shape.out_pitch + first;
        uint32_t last;
        if (count <= 0)
            continue;
        last = sweep<SAMPLE, GREATEST>(suffix ? N + long_step - step : N + long_step,
                                       suffix ? S + long_step - step : P + step,
                                       suffix ? -step : step, suffix ? width - count : 0, count);
        if (suffix) /* of the whole block */
            *P = last;
    }
}

/* ---- along the columns ---- */

/* A thread's columns: the best of the rows of a block so far, their number, and the place of the
 * next one in R_ds. */
template <int SAMPLE> struct columns {
    cells<SAMPLE> prefix;
    int rows;
    uint32_t *next;
};

/* The next row: returns the best of the window that ends with it, if there are as many rows. R_ds
 * has a word for each of the window's rows, `words` apart. */
template <int SAMPLE, bool GREATEST>
__device__ inline uint32_t next_row(struct columns<SAMPLE> &c, int words, int height, uint32_t word)
{
    const cells<SAMPLE> now = open_word<SAMPLE>(word);

    c.prefix = c.rows == 0 ? now : best<SAMPLE, GREATEST>(c.prefix, now);
    *c.next = word;
    if (++c.rows < height) {
        c.next += words;
        return close_word<SAMPLE>(best<SAMPLE, GREATEST>(c.prefix, open_word<SAMPLE>(*c.next)));
    }
    /* the block is complete: its rows become suffixes, which the next block needs */
    sweep<SAMPLE, GREATEST>(c.next, c.next, -words, 0, height);
    c.next -= (height - 1) * words;
    c.rows = 0;
    return close_word<SAMPLE>(c.prefix);
}

/* ---- rectangles ---- */

template <int SAMPLE, bool GREATEST>
__global__ void extremes_rectangle(const __grid_constant__ extremes_args args)
{
    extern __shared__ __align__(16) uint32_t N_ds[];
    constexpr int ROWS = 4 / SAMPLE, STEP = EXTREMES_GROUPS * ROWS;
    const struct image_job &job = args.job;
    const int words = args.shape.words, outs = args.shape.out_pitch, height = job.mask_height;
    uint32_t *S_ds = N_ds + EXTREMES_GROUPS * args.shape.pitch;
    uint32_t *P_ds = S_ds + EXTREMES_GROUPS * outs;
    uint32_t *R_ds = P_ds + EXTREMES_GROUPS * outs;
    const struct order_span span =
        order_span_of(job.mask_width, job.anchor_x, job.channels * SAMPLE, 4 * words);
    const int byte = blockIdx.x % args.strips * 4 * words;
    const int first = blockIdx.x / args.strips * args.part_rows; /* row of output */
    const int rows = min(args.part_rows, job.out_rows - first) + height - 1;
    const int y = job.out_first_row + first - job.anchor_y;
    struct outputs out = outputs_at(job, first, byte + 4 * threadIdx.x, args.part_rows);
    struct columns<SAMPLE> c = {
        {}, 0, R_ds + threadIdx.x
    };

    for (int at = 0; at < rows; at += STEP) {
        stage_groups<SAMPLE>(job, N_ds, args.shape.columns, args.shape.pitch, y + at, rows - at,
                             byte - span.lead);
        __syncthreads();
        sweep_rows<SAMPLE, GREATEST>(args, N_ds + span.skew / SAMPLE, S_ds, P_ds);
        __syncthreads();
        for (int g = 0; g < EXTREMES_GROUPS; g++) {
            uint32_t s[ROWS], p[ROWS], turned[ROWS];
            get_words<SAMPLE>(S_ds + g * outs + threadIdx.x * ROWS, s);
            get_words<SAMPLE>(P_ds + g * outs + threadIdx.x * ROWS, p);
#pragma unroll
            for (int i = 0; i < ROWS; i++)
                s[i] = close_word<SAMPLE>(
                    best<SAMPLE, GREATEST>(open_word<SAMPLE>(s[i]), open_word<SAMPLE>(p[i])));
            turn_samples<SAMPLE>(s, turned);
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const uint32_t word = next_row<SAMPLE, GREATEST>(c, words, height, turned[r]);
                if (at + g * ROWS + r >= height - 1)
                    put_word(out, word);
            }
        }
    }
}

/* ---- small squares ---- */

#define THREADS ORDER_TILE_WORDS

/* Rows of output that a thread makes, and those of them that are unrolled: all, or a multiple of
 * the side, so that the places of rows are known at compile time. */
#define SMALL_UNROLLED(k) ((k) == 3 ? 16 : (k) < 9 ? 2 * (k) : (k))
#define SMALL_ROWS(k)     (SMALL_UNROLLED(k) * ((k) == 3 ? 1 : SMALL_UNROLLED(k) < 14 ? 3 : 2))

/* The best of a row's cells. */
template <int SAMPLE, bool GREATEST, int K>
__device__ inline cells<SAMPLE> best_of_row(const uint32_t *row, int skew, int pixel)
{
    cells<SAMPLE> most = open_word<SAMPLE>(word_at(row, skew));
#pragma unroll
    for (int j = 1; j < K; j++)
        most = best<SAMPLE, GREATEST>(most, open_word<SAMPLE>(word_at(row, skew + j * pixel)));
    return most;
}

template <int SAMPLE, bool GREATEST, int K>
__global__ void __launch_bounds__(THREADS) extremes_small(const __grid_constant__ image_job job)
{
    extern __shared__ __align__(16) uint32_t N_ds[];
    const int pixel = job.channels * SAMPLE, across = order_tiles_across(job);
    const struct order_span span = order_span_of(K, job.anchor_x, pixel, 4 * THREADS);
    const int byte = blockIdx.x % across * 4 * THREADS, row = blockIdx.x / across * SMALL_ROWS(K);
    const uint32_t *tile = N_ds + threadIdx.x;
    struct outputs out = outputs_at(job, row, byte + 4 * threadIdx.x, SMALL_ROWS(K));
    cells<SAMPLE> rows[K];

    stage_rows<THREADS>(job, N_ds, span.bytes, min(SMALL_ROWS(K), job.out_rows - row) + K - 1,
                        job.out_first_row + row - job.anchor_y, byte - span.lead);
    __syncthreads();
#pragma unroll
    for (int y = 0; y < K - 1; y++, tile += span.bytes / 4)
        rows[y] = best_of_row<SAMPLE, GREATEST, K>(tile, span.skew, pixel);
#pragma unroll 1
    for (int first = 0; first < SMALL_ROWS(K); first += SMALL_UNROLLED(K))
#pragma unroll
        for (int y = K - 1; y < K - 1 + SMALL_UNROLLED(K); y++, tile += span.bytes / 4) {
            cells<SAMPLE> most = best_of_row<SAMPLE, GREATEST, K>(tile, span.skew, pixel);
            rows[y % K] = most;
#pragma unroll
            for (int i = 1; i < K; i++)
                most = best<SAMPLE, GREATEST>(most, rows[(y + i) % K]);
            put_word(out, close_word<SAMPLE>(most));
        }
}

/* ---- other windows ---- */

#define RUNS_ROWS 8 /* rows of output that a thread makes; input rows come in as many */

/* The better of each word and of the one `bytes` bytes further on, from `from` to `to`. The last
 * words have no such neighbour, or only a part of one: no run of so many cells begins behind it. */
template <int SAMPLE, bool GREATEST>
__device__ inline void double_runs(const uint32_t *from, uint32_t *to, int words, int bytes)
{
    for (int i = threadIdx.x; i < RUNS_ROWS * words; i += THREADS) {
        const int row = i / words, w = i % words;
        cells<SAMPLE> c = open_word<SAMPLE>(from[i]);
        if (4 * w + bytes < 4 * words)
            c = best<SAMPLE, GREATEST>(
                c, open_word<SAMPLE>(word_at(from + row * words, 4 * w + bytes)));
        to[i] = close_word<SAMPLE>(c);
    }
}

/* Row `row` of the window lies on a tile's row, which has the extremes of 2^level adjacent cells,
 * from N on. Takes the runs of 2^level to 2^(level + 1) - 1 cells. */
template <int SAMPLE, bool GREATEST>
__device__ inline void take_runs(const struct image_job &job, cells<SAMPLE> &most, bool &any,
                                 const uint32_t *N, int skew, int row, int level)
{
    const int *packed = (const int *)job.fragments;
    const struct order_run *runs = order_runs(packed, job.mask_height);
    const int pixel = job.channels * SAMPLE;

    for (int k = __ldg(packed + row); k < __ldg(packed + row + 1); k++) {
        const int length = __ldg(&runs[k].length);
        const int first = skew + __ldg(&runs[k].first) * pixel;
        cells<SAMPLE> c;
        if (length >> level != 1)
            continue;
        c = best<SAMPLE, GREATEST>(
            open_word<SAMPLE>(word_at(N, first)),
            open_word<SAMPLE>(word_at(N, first + (length - (1 << level)) * pixel)));
        most = any ? best<SAMPLE, GREATEST>(most, c) : c;
        any = true;
    }
}

/* A thread makes RUNS_ROWS rows of a word. The tile's input rows come as many at a time. */
template <int SAMPLE, bool GREATEST>
__global__ void __launch_bounds__(THREADS) extremes_runs(const __grid_constant__ image_job job)
{
    extern __shared__ __align__(16) uint32_t N_ds[];
    const struct order_span span =
        order_span_of(job.mask_width, job.anchor_x, job.channels * SAMPLE, 4 * THREADS);
    const int words = span.bytes / 4, height = job.mask_height, pixel = job.channels * SAMPLE;
    const int across = order_tiles_across(job);
    const int byte = blockIdx.x % across * 4 * THREADS;
    const int row = blockIdx.x / across * RUNS_ROWS;
    const int rows = min(RUNS_ROWS, job.out_rows - row) + height - 1;
    const int y = job.out_first_row + row - job.anchor_y;
    struct outputs out = outputs_at(job, row, byte + 4 * threadIdx.x, RUNS_ROWS);
    cells<SAMPLE> most[RUNS_ROWS] = {};
    bool any[RUNS_ROWS] = {};

    for (int at = 0; at < rows; at += RUNS_ROWS) {
        uint32_t *from = N_ds, *to = N_ds + RUNS_ROWS * words + ORDER_SPARE / 4;
        __syncthreads(); /* all have read the rows before */
        stage_rows<THREADS>(job, from, span.bytes, min(RUNS_ROWS, rows - at), y + at,
                            byte - span.lead);
        __syncthreads();
        for (int level = 0; 1 << level <= job.mask_width; level++) {
            for (int i = 0; i < RUNS_ROWS && at + i < rows; i++)
#pragma unroll
                for (int r = 0; r < RUNS_ROWS; r++)
                    if (at + i >= r && at + i - r < height)
                        take_runs<SAMPLE, GREATEST>(job, most[r], any[r],
                                                    from + i * words + threadIdx.x, span.skew,
                                                    at + i - r, level);
            double_runs<SAMPLE, GREATEST>(from, to, words, pixel << level);
            uint32_t *turned = from;
            from = to;
            to = turned;
            __syncthreads();
        }
    }
#pragma unroll
    for (int r = 0; r < RUNS_ROWS; r++)
        put_word(out, close_word<SAMPLE>(most[r]));
}

/* ---- launching ---- */

template <int SAMPLE, bool GREATEST>
static cudaError_t launch_runs(const struct image_job *job, cudaStream_t stream)
{
    const struct order_span span =
        order_span_of(job->mask_width, job->anchor_x, job->channels * SAMPLE, 4 * THREADS);
    const int tiles = order_tiles_across(*job) * ((job->out_rows + RUNS_ROWS - 1) / RUNS_ROWS);
    const size_t rows = (size_t)RUNS_ROWS * span.bytes + ORDER_SPARE;
    void (*kernel)(const image_job) = extremes_runs<SAMPLE, GREATEST>;

    kernel<<<tiles, THREADS, 2 * rows, stream>>>(*job);
    return cudaGetLastError();
}

template <int SAMPLE, bool GREATEST, int K>
static cudaError_t launch_small(const struct image_job *job, cudaStream_t stream)
{
    const struct order_span span =
        order_span_of(K, job->anchor_x, job->channels * SAMPLE, 4 * THREADS);
    const int tiles =
        order_tiles_across(*job) * ((job->out_rows + SMALL_ROWS(K) - 1) / SMALL_ROWS(K));
    const size_t shared = (size_t)(SMALL_ROWS(K) + K - 1) * span.bytes + ORDER_SPARE;
    void (*kernel)(const image_job) = extremes_small<SAMPLE, GREATEST, K>;

    kernel<<<tiles, THREADS, shared, stream>>>(*job);
    return cudaGetLastError();
}

template <int SAMPLE, bool GREATEST>
static cudaError_t launch_rectangle(const struct image_job *job, cudaStream_t stream)
{
    const int pixel = job->channels * SAMPLE;
    struct extremes_args args = {
        *job, extremes_shape_of(job->mask_width, job->mask_height, job->anchor_x, pixel, SAMPLE), 0,
        0, 0};
    int device = 0, multiprocessors = 0, blocks, parts;
    void (*kernel)(const extremes_args) = extremes_rectangle<SAMPLE, GREATEST>;
    cudaError_t status = cudaGetDevice(&device);

    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)args.shape.shared_bytes);
    if (status != cudaSuccess)
        return status;
    blocks = (args.shape.out_columns - 1) / (job->mask_width * job->channels) + 1;
    args.sweeps = 2 * EXTREMES_GROUPS * blocks * job->channels;
    args.strips = (job->width * pixel + 4 * args.shape.words - 1) / (4 * args.shape.words);
    parts = (multiprocessors * BLOCKS_EACH + args.strips - 1) / args.strips;
    args.part_rows = max((job->out_rows + parts - 1) / parts, LEAST_HEIGHT * job->mask_height);
    parts = (job->out_rows + args.part_rows - 1) / args.part_rows;
    kernel<<<args.strips * parts, args.shape.words, args.shape.shared_bytes, stream>>>(args);
    return cudaGetLastError();
}

template <int SAMPLE, bool GREATEST>
static cudaError_t launch(const struct image_job *job, cudaStream_t stream)
{
    if (job->cells != job->mask_width * job->mask_height)
        return launch_runs<SAMPLE, GREATEST>(job, stream);
    if (job->mask_width == job->mask_height)
        switch (job->mask_width) {
        case 3:
            return launch_small<SAMPLE, GREATEST, 3>(job, stream);
        case 5:
            return launch_small<SAMPLE, GREATEST, 5>(job, stream);
        case 7:
            return launch_small<SAMPLE, GREATEST, 7>(job, stream);
        case 9:
            return launch_small<SAMPLE, GREATEST, 9>(job, stream);
        case 11:
            return launch_small<SAMPLE, GREATEST, 11>(job, stream);
        case 13:
            return launch_small<SAMPLE, GREATEST, 13>(job, stream);
        }
    return launch_rectangle<SAMPLE, GREATEST>(job, stream);
}

extern "C" cudaError_t extremes_launch(const struct image_job *job, int form, cudaStream_t stream)
{
    const bool greatest = job->place > 0;

    (void)form;
    if (job->sample_bytes == 1)
        return greatest ? launch<1, true>(job, stream) : launch<1, false>(job, stream);
    return greatest ? launch<2, true>(job, stream) : launch<2, false>(job, stream);
}
