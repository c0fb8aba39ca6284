/* extremes: the least or the greatest cell of a window, 8 and 16 bits.
 *
 * Rectangles: first along the columns, then along the rows. A block makes a strip of the picture
 * and goes down, EXTREMES_ROWS rows at a time. A thread has a word's columns for itself:
 *
 *    columns   a window's first rows are read again, its last rows come from memory: their suffixes
 *              and prefixes are taken in registers (van Herk 1992, Gil and Werman 1993). Of the
 *              rows between, B_ds has the best of each block
 *    rows      through shared memory: the best of 4 adjacent cells, then of 16, of 64; two to four
 *              of these runs cover the window
 *
 * The time hardly grows with the window. The next rows are on their way while a row is worked on.
 * Where a strip passes the picture's edge, ghost columns are copies of the strip's own columns.
 *
 * Squares of 3 cells a side: a thread goes down a column of words and takes the best of a row's
 * cells, then of the last rows, in registers.
 *
 * Other windows: each run of adjacent cells of a row is covered by two runs of 2^n cells. A block
 * makes the extremes of 2, 4, 8 ... adjacent cells of its rows, and looks up each run's.
 *
 * Shared memory   as extremes_shape_of() says: 57 KB for k = 63, RGB, 8 bits
 * Bytes moved     two pictures in, of which one comes from L2, one out, and halo cells from L2 */
#include "order_tile.cuh"

#define ROWS      EXTREMES_ROWS /* of output that a block makes at a time */
#define MOST_WIDE 896           /* for 72 registers a thread; no block has so many threads */

struct extremes_args {
    struct image_job job;
    struct extremes_shape shape;
    int strips, part_rows; /* of output; part_rows is a multiple of ROWS */
};

/* ---- along the columns ---- */

/* A thread's column of words: where it begins in the rows, and its word of ghost rows. rows_ds says
 * for each row of the block from picture row `first` on where it lies, in pieces of 16 bytes. */
struct column {
    const uint8_t *from;
    uint32_t ghost;
    int first;
    const uint32_t *rows_ds;
};

/* The column's words of COUNT rows from row `at` on. */
template <int COUNT>
__device__ inline void load_column(const struct image_job &job, const struct column &column, int at,
                                   uint32_t *words)
{
#pragma unroll
    for (int r = 0; r < COUNT; r++)
        words[r] = __ldg((const uint32_t *)(column.from + (uint64_t)column.rows_ds[at + r] * 16));
    if (job.border == PLANE_CONSTANT || job.border == PLANE_ZERO)
#pragma unroll
        for (int r = 0; r < COUNT; r++)
            if (order_is_ghost_row(job, column.first + at + r))
                words[r] = column.ghost;
}

/* The rows between a window's first BLOCK rows and its last ones are `full` blocks of them, and
 * `rest` rows before those. B_ds has two words for each of the last full + 1 blocks and each
 * thread: the best of the block, and of its last `rest` rows. */
struct between {
    uint32_t *B_ds;
    int full, rest, at; /* the next block's place */
};

__device__ inline uint32_t *block_of(const struct between &b, int back)
{
    const int at = b.at - back, place = at < 0 ? at + b.full + 1 : at;
    return b.B_ds + place * 2 * blockDim.x;
}

/* Keeps a block for the windows to come. */
template <int SAMPLE, bool GREATEST, int BLOCK>
__device__ inline void keep_block(struct between &b, const uint32_t *words)
{
    cells<SAMPLE> end = open_word<SAMPLE>(words[BLOCK - 1]), whole = end;
    uint32_t *to = block_of(b, 0);
#pragma unroll
    for (int i = BLOCK - 2; i >= 0; i--) {
        whole = best<SAMPLE, GREATEST>(whole, open_word<SAMPLE>(words[i]));
        if (i >= BLOCK - b.rest)
            end = whole;
    }
    to[0] = close_word<SAMPLE>(whole);
    to[blockDim.x] = close_word<SAMPLE>(end);
    b.at = b.at == b.full ? 0 : b.at + 1;
}

/* BLOCK windows, one a row further down than the other: of their first rows, `top`, and their last
 * ones, `words`, which become the windows' best. */
template <int SAMPLE, bool GREATEST, int BLOCK>
__device__ inline void take_windows(struct between &b, const uint32_t *top, uint32_t *words)
{
    cells<SAMPLE> suffix[BLOCK], middle, prefix;

    suffix[BLOCK - 1] = middle = open_word<SAMPLE>(top[BLOCK - 1]);
#pragma unroll
    for (int i = BLOCK - 2; i >= 0; i--)
        suffix[i] = best<SAMPLE, GREATEST>(suffix[i + 1], open_word<SAMPLE>(top[i]));
    for (int back = 1; back <= b.full; back++)
        middle = best<SAMPLE, GREATEST>(middle, open_word<SAMPLE>(block_of(b, back)[0]));
    if (b.rest > 0)
        middle = best<SAMPLE, GREATEST>(middle, open_word<SAMPLE>(block_of(b, 0)[blockDim.x]));
    keep_block<SAMPLE, GREATEST, BLOCK>(b, words);
    prefix = open_word<SAMPLE>(words[0]);
#pragma unroll
    for (int i = 0; i < BLOCK; i++) {
        if (i > 0)
            prefix = best<SAMPLE, GREATEST>(prefix, open_word<SAMPLE>(words[i]));
        words[i] = close_word<SAMPLE>(
            best<SAMPLE, GREATEST>(best<SAMPLE, GREATEST>(suffix[i], middle), prefix));
    }
}

/* ---- along the rows ---- */

/* Runs of four cells, from cells: for pixels of PIXEL bytes. N is the thread's word of the first
 * row; rows are `pitch` words apart. */
template <int SAMPLE, bool GREATEST, int PIXEL>
__device__ inline void first_runs(const uint32_t *N, int pitch, uint32_t *words)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++, N += pitch) {
        cells<SAMPLE> most = open_word<SAMPLE>(words[r]);
#pragma unroll
        for (int j = 1; j < 4; j++) {
            constexpr int BITS = 8;
            const int at = j * PIXEL / 4, shift = BITS * (j * PIXEL % 4);
            const uint32_t low = at == 0 ? words[r] : N[at];
            most = best<SAMPLE, GREATEST>(
                most, open_word<SAMPLE>(shift == 0 ? low : __funnelshift_r(low, N[at + 1], shift)));
        }
        words[r] = close_word<SAMPLE>(most);
    }
}

/* Runs four times as long, each from four runs `step` words apart. */
template <int SAMPLE, bool GREATEST>
__device__ inline void longer_runs(const uint32_t *N, int pitch, int step, uint32_t *words)
{
    const uint32_t *second = N + step, *third = N + 2 * step, *fourth = N + 3 * step;
#pragma unroll
    for (int r = 0; r < ROWS; r++, second += pitch, third += pitch, fourth += pitch) {
        const cells<SAMPLE> a = open_word<SAMPLE>(words[r]), b = open_word<SAMPLE>(*second);
        const cells<SAMPLE> c = open_word<SAMPLE>(*third), d = open_word<SAMPLE>(*fourth);
        words[r] = close_word<SAMPLE>(
            best<SAMPLE, GREATEST>(best<SAMPLE, GREATEST>(best<SAMPLE, GREATEST>(a, b), c), d));
    }
}

/* The window's cells, from RUNS runs that cover them: the first begins at byte `skew` of the row
 * from N on, the others `step` bytes further on each, the last at byte `last`. */
template <int SAMPLE, bool GREATEST, int RUNS>
__device__ inline void last_runs(const uint32_t *N, int pitch, int skew, int step, int last,
                                 uint32_t *words)
{
    const uint32_t *from[RUNS];
    int shift[RUNS];
#pragma unroll
    for (int k = 0; k < RUNS; k++) {
        const int byte = k == RUNS - 1 ? last : skew + k * step;
        from[k] = N + (byte >> 2);
        shift[k] = 8 * (byte & 3);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        cells<SAMPLE> most;
#pragma unroll
        for (int k = 0; k < RUNS; k++) {
            const cells<SAMPLE> c =
                open_word<SAMPLE>(__funnelshift_r(from[k][0], from[k][1], shift[k]));
            most = k == 0 ? c : best<SAMPLE, GREATEST>(most, c);
            from[k] += pitch;
        }
        words[r] = close_word<SAMPLE>(most);
    }
}

/* Two buffers of ROWS rows, `pitch` words each. Threads write one and wait; then they read it while
 * others may already write the next. */
struct buffers {
    uint32_t *N_ds;   /* of the thread */
    int pitch, other; /* words from this buffer to the other one, or back */
};

__device__ inline void share(struct buffers &b, const uint32_t *words)
{
    b.N_ds += b.other;
    b.other = -b.other;
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        b.N_ds[r * b.pitch] = words[r];
    __syncthreads();
}

/* A thread's word where a strip passes the picture's edge. Byte i of a word with ghost cells is
 * byte place[i] of the strip, or byte i of `ghost` where that is EDGE_GHOST. */
struct edge {
    bool has_ghosts;
    uint16_t place[4];
    uint32_t ghost;
};

#define EDGE_GHOST 0xffff
static_assert(sizeof(struct edge) == 16, "as extremes_shape_of() counts");

__device__ inline void set_edge(const struct image_job &job, int strip, int byte, int end,
                                struct edge &edge)
{
    edge.has_ghosts =
        byte < end && (byte < 0 || byte + 4 > job.width * job.channels * job.sample_bytes);
    edge.ghost = order_ghost_word(job, nullptr, byte);
    for (int i = 0; i < 4; i++) {
        const int place = order_place(job, byte + i);
        edge.place[i] = place < 0 ? EDGE_GHOST : (uint16_t)(place - strip);
    }
}

/* The extremes of columns of ghost cells, which are those of other columns. */
__device__ inline void take_ghosts(const struct buffers &b, const struct edge &edge,
                                   uint32_t *words)
{
    const uint8_t *strip_ds = (const uint8_t *)(b.N_ds - threadIdx.x);

    if (edge.has_ghosts)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int place = edge.place[i];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const uint32_t word = place == EDGE_GHOST
                                          ? edge.ghost & 255u << 8 * i
                                          : (uint32_t)strip_ds[4 * r * b.pitch + place] << 8 * i;
                words[r] = i == 0 ? word : words[r] | word;
            }
        }
    __syncthreads();
    if (edge.has_ghosts)
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            b.N_ds[r * b.pitch] = words[r];
    __syncthreads();
}

/* From the extremes of columns, `words`, those of windows. All threads of the block take part.
 * `edge`: NULL for a strip without ghost cells. */
template <int SAMPLE, bool GREATEST>
__device__ inline void take_rows(const struct extremes_args &args, const struct edge *edge,
                                 struct buffers &b, uint32_t *words)
{
    const int pixel = args.job.channels * SAMPLE, width = args.job.mask_width;
    const int skew = args.shape.skew;
    int run = 1, last;

    share(b, words);
    if (edge)
        take_ghosts(b, *edge, words);
    for (; 4 * run < width; run *= 4) {
        if (run > 1)
            longer_runs<SAMPLE, GREATEST>(b.N_ds, b.pitch, run * pixel / 4, words);
        else if (pixel == 3)
            first_runs<SAMPLE, GREATEST, 3>(b.N_ds, b.pitch, words);
        else if (pixel == 1)
            first_runs<SAMPLE, GREATEST, 1>(b.N_ds, b.pitch, words);
        else if (pixel == 2)
            first_runs<SAMPLE, GREATEST, 2>(b.N_ds, b.pitch, words);
        else if (pixel == 6)
            first_runs<SAMPLE, GREATEST, 6>(b.N_ds, b.pitch, words);
        else
            longer_runs<SAMPLE, GREATEST>(b.N_ds, b.pitch, pixel / 4, words);
        share(b, words);
    }
    last = skew + (width - run) * pixel;
    if (width <= 2 * run)
        last_runs<SAMPLE, GREATEST, 2>(b.N_ds, b.pitch, skew, run * pixel, last, words);
    else if (width <= 3 * run)
        last_runs<SAMPLE, GREATEST, 3>(b.N_ds, b.pitch, skew, run * pixel, last, words);
    else
        last_runs<SAMPLE, GREATEST, 4>(b.N_ds, b.pitch, skew, run * pixel, last, words);
}

/* ---- rectangles ---- */

/* BLOCK: as extremes_block() says for the window's height. */
template <int SAMPLE, bool GREATEST, int BLOCK>
__global__ void __launch_bounds__(MOST_WIDE)
    extremes_rectangle(const __grid_constant__ extremes_args args)
{
    extern __shared__ __align__(16) uint32_t N_ds[];
    const struct image_job &job = args.job;
    const struct extremes_shape &shape = args.shape;
    const int height = job.mask_height, threads = blockDim.x;
    const int row_bytes = job.width * job.channels * SAMPLE;
    const int out_byte = blockIdx.x % args.strips * 4 * shape.words;
    const int strip = out_byte - shape.lead, byte = strip + 4 * (int)threadIdx.x;
    const int first = blockIdx.x / args.strips * args.part_rows; /* row of output */
    const int rows = min(args.part_rows, job.out_rows - first);
    const bool inside = strip >= 0 && strip + 4 * threads <= row_bytes;
    struct outputs out = outputs_at(job, first, out_byte + 4 * threadIdx.x, rows);
    struct buffers buffers = {N_ds + threadIdx.x, threads, ROWS * threads};
    uint32_t *const B_ds = N_ds + 2 * ROWS * threads;
    struct between between = {B_ds + threadIdx.x, shape.full, shape.rest, 0};
    struct edge *edges_ds = (struct edge *)(B_ds + 2 * (shape.full + 1) * threads);
    const struct edge *edge = inside ? nullptr : edges_ds + threadIdx.x;
    uint32_t *rows_ds = (uint32_t *)(edges_ds + threads);
    struct column column = {(const uint8_t *)job.in + max(min(byte, (row_bytes - 1) / 4 * 4), 0), 0,
                            job.out_first_row + first - job.anchor_y, rows_ds};
    uint32_t top[ROWS], words[ROWS];

    if (threadIdx.x >= shape.words)
        out.left = 0;
    for (int i = threadIdx.x; i < args.part_rows + ROWS + height - 1; i += threads) {
        const int row = order_row(job, column.first + min(i, rows + height - 2));
        rows_ds[i] = (uint32_t)max(row, 0) * (uint32_t)(job.in_pitch / 16);
    }
    set_edge(job, strip, byte, row_bytes + 4 * shape.halo, edges_ds[threadIdx.x]);
    column.ghost = edges_ds[threadIdx.x].ghost;
    __syncthreads();
    for (int k = height > 1 ? -shape.full - 1 : 0; k < 0; k++) {
        load_column<BLOCK>(job, column, height - 1 + k * BLOCK, words);
        keep_block<SAMPLE, GREATEST, BLOCK>(between, words);
    }
    load_column<ROWS>(job, column, 0, top);
    load_column<ROWS>(job, column, height - 1, words);
    for (int at = 0; at < rows; at += ROWS) {
        uint32_t now[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            now[r] = words[r];
#pragma unroll
        for (int r = 0; r < ROWS; r += BLOCK)
            take_windows<SAMPLE, GREATEST, BLOCK>(between, top + r, now + r);
        /* The next rows are on their way while these are worked on. */
        load_column<ROWS>(job, column, at + ROWS, top);
        load_column<ROWS>(job, column, at + ROWS + height - 1, words);
        take_rows<SAMPLE, GREATEST>(args, edge, buffers, now);
        put_words<ROWS>(out, now);
    }
}

/* ---- squares of 3 cells a side ---- */

#define THREADS    ORDER_TILE_WORDS
#define SMALL_ROWS 16 /* of output that a thread makes */

/* The best of a row's three cells. */
template <int SAMPLE, bool GREATEST>
__device__ inline cells<SAMPLE> best_of_row(const uint32_t *row, int skew, int pixel)
{
    cells<SAMPLE> most = open_word<SAMPLE>(word_at(row, skew));
#pragma unroll
    for (int j = 1; j < 3; j++)
        most = best<SAMPLE, GREATEST>(most, open_word<SAMPLE>(word_at(row, skew + j * pixel)));
    return most;
}

template <int SAMPLE, bool GREATEST>
__global__ void __launch_bounds__(THREADS) extremes_small(const __grid_constant__ image_job job)
{
    extern __shared__ __align__(16) uint32_t N_ds[];
    const int pixel = job.channels * SAMPLE, across = order_tiles_across(job);
    const struct order_span span = order_span_of(3, job.anchor_x, pixel, 4 * THREADS);
    const int byte = blockIdx.x % across * 4 * THREADS, row = blockIdx.x / across * SMALL_ROWS;
    const uint32_t *tile = N_ds + threadIdx.x;
    struct outputs out = outputs_at(job, row, byte + 4 * threadIdx.x, SMALL_ROWS);
    cells<SAMPLE> rows[3];

    stage_rows<THREADS>(job, N_ds, span.bytes, min(SMALL_ROWS, job.out_rows - row) + 2,
                        job.out_first_row + row - job.anchor_y, byte - span.lead);
    __syncthreads();
#pragma unroll
    for (int y = 0; y < SMALL_ROWS + 2; y++, tile += span.bytes / 4) {
        rows[y % 3] = best_of_row<SAMPLE, GREATEST>(tile, span.skew, pixel);
        if (y >= 2)
            put_word(out, close_word<SAMPLE>(best<SAMPLE, GREATEST>(
                              best<SAMPLE, GREATEST>(rows[0], rows[1]), rows[2])));
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

template <int SAMPLE, bool GREATEST>
static cudaError_t launch_small(const struct image_job *job, cudaStream_t stream)
{
    const struct order_span span =
        order_span_of(3, job->anchor_x, job->channels * SAMPLE, 4 * THREADS);
    const int tiles = order_tiles_across(*job) * ((job->out_rows + SMALL_ROWS - 1) / SMALL_ROWS);
    const size_t shared = (size_t)(SMALL_ROWS + 2) * span.bytes + ORDER_SPARE;
    void (*kernel)(const image_job) = extremes_small<SAMPLE, GREATEST>;

    kernel<<<tiles, THREADS, shared, stream>>>(*job);
    return cudaGetLastError();
}

template <int SAMPLE, bool GREATEST, int BLOCK>
static cudaError_t launch_blocks(const struct image_job *job, cudaStream_t stream)
{
    const int pixel = job->channels * SAMPLE;
    struct extremes_args args = {
        *job, extremes_shape_of(job->mask_width, job->mask_height, job->anchor_x, pixel), 0, 0};
    int device = 0, multiprocessors = 0, blocks = 0, parts;
    void (*kernel)(const extremes_args) = extremes_rectangle<SAMPLE, GREATEST, BLOCK>;
    cudaError_t status = cudaGetDevice(&device);

    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)args.shape.shared_bytes);
    if (status == cudaSuccess)
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, args.shape.threads,
                                                               args.shape.shared_bytes);
    if (status != cudaSuccess)
        return status;
    /* Twice as many blocks as the device holds at a time, but none so short that its halo counts.
     */
    args.strips = extremes_strips(args.shape, job->width * pixel);
    parts = max(2 * multiprocessors * blocks / args.strips, 1);
    args.part_rows = max((job->out_rows + parts - 1) / parts, job->mask_height);
    args.part_rows = min((args.part_rows + ROWS - 1) / ROWS * ROWS, EXTREMES_MOST_ROWS);
    parts = (job->out_rows + args.part_rows - 1) / args.part_rows;
    kernel<<<args.strips * parts, args.shape.threads, args.shape.shared_bytes, stream>>>(args);
    return cudaGetLastError();
}

template <int SAMPLE, bool GREATEST>
static cudaError_t launch_rectangle(const struct image_job *job, cudaStream_t stream)
{
    switch (extremes_block(job->mask_height)) {
    case 1:
        return launch_blocks<SAMPLE, GREATEST, 1>(job, stream);
    case 4:
        return launch_blocks<SAMPLE, GREATEST, 4>(job, stream);
    }
    return launch_blocks<SAMPLE, GREATEST, ROWS>(job, stream);
}

/* Can each strip make its ghost cells from its own cells? The other strips have them where the
 * picture wraps around. */
static bool suits_strips(const struct image_job *job)
{
    const int pixel = job->channels * job->sample_bytes;
    const struct extremes_shape shape =
        extremes_shape_of(job->mask_width, job->mask_height, job->anchor_x, pixel);
    const int strips = extremes_strips(shape, job->width * pixel);

    return job->cells == job->mask_width * job->mask_height &&
           (strips == 1 || (job->border != PLANE_WRAP && shape.lead <= 4 * shape.words));
}

template <int SAMPLE, bool GREATEST>
static cudaError_t launch(const struct image_job *job, cudaStream_t stream)
{
    if (!suits_strips(job))
        return launch_runs<SAMPLE, GREATEST>(job, stream);
    if (job->mask_width == 3 && job->mask_height == 3)
        return launch_small<SAMPLE, GREATEST>(job, stream);
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
