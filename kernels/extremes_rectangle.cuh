/* The kernel extremes for rectangles: the least or the greatest cell of a window, 8 and 16 bits.
 *
 * First along the columns, then along the rows. A block makes a strip of the picture and goes down,
 * STRIP_ROWS rows at a time:
 *
 *    columns   a thread has a word's columns for itself
 *    T_ds      is turned: a word has the same column's samples of GROUP rows, so that a neighbour
 *              in the row is another word
 *    rows      a thread makes SEGMENT outputs of a channel, for GROUP rows at a time
 *    O_ds      is turned back, and the rows are stored
 *
 * Both directions join a suffix of a window's first values, what lies in the middle, and a prefix
 * of its last values (van Herk 1992, Gil and Werman 1993). In the middle of long windows are the
 * best of whole blocks, so the time hardly grows with the window. Along the columns the first rows
 * of long windows are read again, mostly from L2. The next rows are on their way while a row is
 * worked on.
 *
 * Shared memory   as extremes_shape_of() says: 57 KB for k = 63, RGB, 8 bits
 * Bytes moved     one picture in, and again from L2 where windows are more than EXTREMES_SHORT
 *                 high, one out, and halo cells from L2 */
#ifndef STENCIL_EXTREMES_RECTANGLE_CUH
#define STENCIL_EXTREMES_RECTANGLE_CUH

#include <type_traits>

#include "strip.cuh"

#define ROWS      STRIP_ROWS       /* of output that a block makes at a time */
#define SEGMENT   EXTREMES_SEGMENT /* outputs of a row that a thread makes at a time */
#define SHORT     EXTREMES_SHORT   /* cells of the longest short window */
#define MOST_WIDE 768              /* threads of a multiprocessor; so a thread has 80 registers */

#define GROUP(sample)  (4 / (sample)) /* rows whose samples are in a word of T_ds */
#define GROUPS(sample) (ROWS / GROUP(sample))

/* Which windows a kernel takes: those that are short in both directions, or long in both, or all.
 * The first two take fewer registers and instructions; LONG_WINDOWS knows its threads. */
enum windows { SHORT_WINDOWS, LONG_WINDOWS, ALL_WINDOWS };

struct extremes_args {
    struct image_job job;
    struct extremes_shape shape;
    struct strips strips;
};

/* ---- short windows, in registers ---- */

/* WHAT for each side of a short window. */
#define FOR_SHORT(WHAT)                                                                            \
    WHAT(1);                                                                                       \
    WHAT(2);                                                                                       \
    WHAT(3);                                                                                       \
    WHAT(4);                                                                                       \
    WHAT(5);                                                                                       \
    WHAT(6);                                                                                       \
    WHAT(7);                                                                                       \
    WHAT(8);                                                                                       \
    WHAT(9);                                                                                       \
    WHAT(10);                                                                                      \
    WHAT(11)
static_assert(EXTREMES_SHORT == 11, "as FOR_SHORT counts");

/* ---- the ends of windows ---- */

/* Windows that follow each other, each one value further on, share the values in the middle. Every
 * second suffix of the values before the middle and every second prefix of those behind it is made:
 * a suffix, a prefix and a value next to one of them are compared by one instruction. The order of
 * operands matters: a result that two windows could share would be an instruction of its own. */

/* prefix[i], for each even i > 0: the best of the first i of COUNT words. */
template <int SAMPLE, bool GREATEST, int COUNT>
__device__ inline void even_prefixes(const uint32_t *words, cells<SAMPLE> *prefix)
{
#pragma unroll
    for (int i = 2; i <= COUNT; i += 2) {
        prefix[i] = best<SAMPLE, GREATEST>(open_word<SAMPLE>(words[i - 2]),
                                           open_word<SAMPLE>(words[i - 1]));
        if (i > 2)
            prefix[i] = best<SAMPLE, GREATEST>(prefix[i], prefix[i - 2]);
    }
}

/* COUNT windows: window i has the words of `first` from word i on, `middle`, and the first i words
 * of `last`, whose prefixes are given. */
template <int SAMPLE, bool GREATEST, int COUNT>
__device__ inline void join_ends(const uint32_t *first, const cells<SAMPLE> &middle,
                                 const uint32_t *last, const cells<SAMPLE> *prefix,
                                 cells<SAMPLE> *out)
{
    cells<SAMPLE> suffix = middle;

    if constexpr (COUNT % 2) {
        const cells<SAMPLE> end = open_word<SAMPLE>(first[COUNT - 1]);
        if constexpr (COUNT > 1)
            out[COUNT - 1] =
                best<SAMPLE, GREATEST>(best<SAMPLE, GREATEST>(middle, prefix[COUNT - 1]), end);
        else
            out[0] = best<SAMPLE, GREATEST>(middle, end);
    }
#pragma unroll
    for (int i = (COUNT - 2) | 1; i > 0; i -= 2) {
        const cells<SAMPLE> here = open_word<SAMPLE>(first[i]);
        const cells<SAMPLE> before = open_word<SAMPLE>(first[i - 1]);
        const cells<SAMPLE> behind = open_word<SAMPLE>(last[i - 1]);
        suffix = best<SAMPLE, GREATEST>(
            i + 1 < COUNT ? best<SAMPLE, GREATEST>(here, open_word<SAMPLE>(first[i + 1])) : here,
            suffix);
        if (i == 1) {
            out[1] = best<SAMPLE, GREATEST>(suffix, behind);
            out[0] = best<SAMPLE, GREATEST>(suffix, before);
        } else {
            out[i] = best<SAMPLE, GREATEST>(best<SAMPLE, GREATEST>(suffix, prefix[i - 1]), behind);
            out[i - 1] =
                best<SAMPLE, GREATEST>(best<SAMPLE, GREATEST>(suffix, before), prefix[i - 1]);
        }
    }
}

/* COUNT windows of K words, from COUNT + K - 1 words. */
template <int SAMPLE, bool GREATEST, int K, int COUNT>
__device__ inline void short_windows(const uint32_t *in, cells<SAMPLE> *out)
{
    if constexpr (K == 1) {
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            out[i] = open_word<SAMPLE>(in[i]);
    } else if constexpr (K <= COUNT || (K <= 3 && COUNT > 1)) {
        constexpr int HALF = COUNT - COUNT / 2;
        short_windows<SAMPLE, GREATEST, K, HALF>(in, out);
        short_windows<SAMPLE, GREATEST, K, COUNT - HALF>(in + HALF, out + HALF);
    } else {
        cells<SAMPLE> prefix[COUNT], middle = open_word<SAMPLE>(in[K - 1]);
#pragma unroll
        for (int i = COUNT; i < K - 1; i++)
            middle = best<SAMPLE, GREATEST>(middle, open_word<SAMPLE>(in[i]));
        even_prefixes<SAMPLE, GREATEST, COUNT - 1>(in + K, prefix);
        join_ends<SAMPLE, GREATEST, COUNT>(in, middle, in + K, prefix, out);
    }
}

/* ---- turned words ---- */

/* Words of GROUP rows to words of as many columns, or back. */
template <int SAMPLE> __device__ inline void turn_words(const uint32_t *in, uint32_t *out)
{
    if constexpr (SAMPLE == 1) {
        const uint32_t a = __byte_perm(in[0], in[1], 0x5140), b = __byte_perm(in[2], in[3], 0x5140);
        const uint32_t c = __byte_perm(in[0], in[1], 0x7362), d = __byte_perm(in[2], in[3], 0x7362);
        out[0] = __byte_perm(a, b, 0x5410);
        out[1] = __byte_perm(a, b, 0x7632);
        out[2] = __byte_perm(c, d, 0x5410);
        out[3] = __byte_perm(c, d, 0x7632);
    } else {
        out[0] = __byte_perm(in[0], in[1], 0x5410);
        out[1] = __byte_perm(in[0], in[1], 0x7632);
    }
}

/* Opened words of GROUP rows to words of as many columns. Closing them is part of turning. */
template <int SAMPLE> __device__ inline void turn_cells(const cells<SAMPLE> *in, uint32_t *out)
{
    if constexpr (SAMPLE == 1) {
        const uint32_t a = __byte_perm(in[0].even, in[1].even, 0x7351);
        const uint32_t b = __byte_perm(in[2].even, in[3].even, 0x7351);
        const uint32_t c = __byte_perm(in[0].odd, in[1].odd, 0x7351);
        const uint32_t d = __byte_perm(in[2].odd, in[3].odd, 0x7351);
        out[0] = __byte_perm(a, b, 0x5410);
        out[1] = __byte_perm(c, d, 0x5410);
        out[2] = __byte_perm(a, b, 0x7632);
        out[3] = __byte_perm(c, d, 0x7632);
    } else {
        const uint32_t words[] = {in[0].both, in[1].both};
        turn_words<SAMPLE>(words, out);
    }
}

template <int SAMPLE> __device__ inline void turn_rows(const cells<SAMPLE> *now, uint32_t *words)
{
#pragma unroll
    for (int g = 0; g < GROUPS(SAMPLE); g++)
        turn_cells<SAMPLE>(now + g * GROUP(SAMPLE), words + g * GROUP(SAMPLE));
}

/* ---- along the columns ---- */

/* The rows of the windows that a thread makes next. Short windows: `top` are the rows before
 * `words`, as many as a window has but one. Long ones: the windows' first rows and last rows. */
struct window_rows {
    uint32_t top[SHORT - 1], words[ROWS];
};
static_assert(ROWS == 8, "as keep_block counts");
static_assert(SHORT > ROWS, "long windows' first ROWS rows are in top");

/* Short windows K rows high. The last rows stay for the next windows. */
template <int SAMPLE, bool GREATEST, int K>
__device__ inline void short_columns(struct window_rows &rows, uint32_t *words)
{
    uint32_t in[K - 1 + ROWS];
    cells<SAMPLE> now[ROWS];
#pragma unroll
    for (int i = 0; i < K - 1 + ROWS; i++)
        in[i] = i < K - 1 ? rows.top[i] : rows.words[i - (K - 1)];
    short_windows<SAMPLE, GREATEST, K, ROWS>(in, now);
#pragma unroll
    for (int i = 0; i < K - 1; i++)
        rows.top[i] = in[ROWS + i];
    turn_rows<SAMPLE>(now, words);
}

/* Of long windows: the rows between the first ROWS rows and the last ones are `full` blocks of
 * ROWS rows, and `rest` rows before those. For each of the last full + 1 blocks B_ds has a thread's
 * best of the block, and behind all of these that of its last `rest` rows. */
struct between {
    uint32_t *B_ds;
    int threads, full, rest;
    int at; /* the oldest block's place */
};

/* Keeps the block `words`, whose best is `whole`, for the windows to come, instead of the oldest.
 */
template <int SAMPLE, bool GREATEST>
__device__ inline void keep_block(struct between &b, const uint32_t *words,
                                  const cells<SAMPLE> &whole)
{
    uint32_t *to = b.B_ds + b.at * b.threads;
    cells<SAMPLE> end = open_word<SAMPLE>(GREATEST ? 0 : 0xffffffff);
#define TAKE_END(i)                                                                                \
    case ROWS - (i):                                                                               \
        end = best<SAMPLE, GREATEST>(end, open_word<SAMPLE>(words[i]));                            \
        [[fallthrough]]
    switch (b.rest) {
        TAKE_END(1);
        TAKE_END(2);
        TAKE_END(3);
        TAKE_END(4);
        TAKE_END(5);
        TAKE_END(6);
        TAKE_END(7);
    default:
        break;
    }
    to[0] = close_word<SAMPLE>(whole);
    to[(b.full + 1) * b.threads] = close_word<SAMPLE>(end);
    b.at = b.at == b.full ? 0 : b.at + 1;
}

/* Keeps the blocks before the rows at `p`. */
template <int SAMPLE, bool GREATEST>
__device__ inline void fill_between(const struct image_job &job, const struct column &c,
                                    struct place_in_column p, struct between &b)
{
    go_down(job, p, -(b.full + 1) * ROWS);
    for (int k = 0; k <= b.full; k++, go_down(job, p, ROWS)) {
        uint32_t words[ROWS];
        load_column(job, c, p, words);
        take_ghosts(job, c, p, words);
        cells<SAMPLE> whole = open_word<SAMPLE>(words[0]);
#pragma unroll
        for (int i = 1; i < ROWS; i++)
            whole = best<SAMPLE, GREATEST>(whole, open_word<SAMPLE>(words[i]));
        keep_block<SAMPLE, GREATEST>(b, words, whole);
    }
}

/* The best of `most` and of an even number of words, each `step` words behind the one before. */
template <int SAMPLE, bool GREATEST>
__device__ inline cells<SAMPLE> best_of_pairs(cells<SAMPLE> most, const uint32_t *words, int count,
                                              int step)
{
#pragma unroll 1
    for (int left = count; left > 0; left -= 2, words += 2 * step)
        most = best<SAMPLE, GREATEST>(best<SAMPLE, GREATEST>(most, open_word<SAMPLE>(words[0])),
                                      open_word<SAMPLE>(words[step]));
    return most;
}

/* The best of the rows between, where the oldest block is about to be replaced. An odd number of
 * blocks is read with the last rows of the first one. */
template <int SAMPLE, bool GREATEST>
__device__ inline cells<SAMPLE> take_between(const struct between &b)
{
    uint32_t *oldest = b.B_ds + b.at * b.threads, last = oldest[(b.full + 1) * b.threads];

    *oldest = last; /* windows begin behind its first rows */
    return best_of_pairs<SAMPLE, GREATEST>(open_word<SAMPLE>(last), b.B_ds, b.full + 1, b.threads);
}

/* Long windows. */
template <int SAMPLE, bool GREATEST>
__device__ inline void long_columns(struct between &b, const struct window_rows &rows,
                                    uint32_t *words)
{
    const cells<SAMPLE> row = open_word<SAMPLE>(rows.words[0]);
    const cells<SAMPLE> end = open_word<SAMPLE>(rows.words[ROWS - 1]);
    const cells<SAMPLE> middle = best<SAMPLE, GREATEST>(take_between<SAMPLE, GREATEST>(b), row);
    cells<SAMPLE> prefix[ROWS], now[ROWS];

    even_prefixes<SAMPLE, GREATEST, ROWS - 1>(rows.words + 1, prefix);
    join_ends<SAMPLE, GREATEST, ROWS>(rows.top, middle, rows.words + 1, prefix, now);
    keep_block<SAMPLE, GREATEST>(
        b, rows.words, best<SAMPLE, GREATEST>(best<SAMPLE, GREATEST>(row, end), prefix[ROWS - 2]));
    turn_rows<SAMPLE>(now, words);
}

/* ROWS windows of `height` rows, turned. */
template <int SAMPLE, bool GREATEST, enum windows WINDOWS>
__device__ inline void take_columns(int height, struct between &b, struct window_rows &rows,
                                    uint32_t *words)
{
    if constexpr (WINDOWS == LONG_WINDOWS) {
        long_columns<SAMPLE, GREATEST>(b, rows, words);
        return;
    }
#define SHORT_COLUMNS(k)                                                                           \
    case k:                                                                                        \
        short_columns<SAMPLE, GREATEST, k>(rows, words);                                           \
        break
    switch (height) {
        FOR_SHORT(SHORT_COLUMNS);
    default:
        if constexpr (WINDOWS != SHORT_WINDOWS)
            long_columns<SAMPLE, GREATEST>(b, rows, words);
    }
}

/* The thread's turned words of ROWS rows to T_ds; those from O_ds are turned back. A row of either
 * has `columns` words. */
template <int SAMPLE> using turned = typename std::conditional<SAMPLE == 1, uint4, uint2>::type;

template <int SAMPLE>
__device__ inline void write_turned(const uint32_t *words, uint32_t *T_ds, int columns)
{
#pragma unroll
    for (int g = 0; g < GROUPS(SAMPLE); g++) {
        union {
            uint32_t word[GROUP(SAMPLE)];
            turned<SAMPLE> piece;
        } to;
#pragma unroll
        for (int i = 0; i < GROUP(SAMPLE); i++)
            to.word[i] = words[g * GROUP(SAMPLE) + i];
        ((turned<SAMPLE> *)(T_ds + g * columns))[threadIdx.x] = to.piece;
    }
}

template <int SAMPLE>
__device__ inline void read_turned(const uint32_t *O_ds, int columns, uint32_t *words)
{
#pragma unroll
    for (int g = 0; g < GROUPS(SAMPLE); g++) {
        union {
            uint32_t word[GROUP(SAMPLE)];
            turned<SAMPLE> piece;
        } from;
        from.piece = ((const turned<SAMPLE> *)(O_ds + g * columns))[threadIdx.x];
        turn_words<SAMPLE>(from.word, words + g * GROUP(SAMPLE));
    }
}

/* ---- ghost columns ---- */

/* But for border wrap ghost cells are copies of cells nearby: then columns of ghost cells are made
 * here, in T_ds, from columns of the strip. place_ds[i]: the column whose samples column i has, or
 * PLACE_VALUE and a channel. Columns that no window needs have their own. Behind the last place
 * stand the first column that may be one of ghost cells, and the one behind the last. */
#define PLACE_VALUE 0xfff0

__device__ inline void find_places(const struct image_job &job, int strip, int columns, int right,
                                   uint16_t *place_ds)
{
    const int pixel = job.channels * job.sample_bytes;
    const int end = (job.width * pixel - strip) / job.sample_bytes; /* of the picture's columns */
    const int from = strip < 0 ? 0 : end;
    const int to =
        end < columns ? min(columns, end + right / job.sample_bytes) : -strip / job.sample_bytes;

    if (threadIdx.x == 0)
        *(int2 *)(place_ds + columns) = make_int2(from, to);
    for (int i = from + threadIdx.x; i < to; i += blockDim.x) {
        const int byte = strip + i * job.sample_bytes, place = order_place(job, byte);
        const int channel = (byte - order_pixel_of(byte, pixel) * pixel) / job.sample_bytes;
        const int at = place < 0 ? PLACE_VALUE + channel : (place - strip) / job.sample_bytes;
        place_ds[i] = (uint16_t)(place < 0 || (at >= 0 && at < columns) ? at : i);
    }
}

template <int SAMPLE>
__device__ inline void copy_columns(const struct image_job &job, int columns,
                                    const uint16_t *place_ds, uint32_t *T_ds)
{
    const int2 range = *(const int2 *)(place_ds + columns);

    for (int i = range.x + threadIdx.x; i < range.y; i += blockDim.x) {
        const int place = place_ds[i];
        if (place == i)
            continue;
        const uint32_t value = (uint32_t)(job.ghost >> 8 * SAMPLE * (place & 3));
#pragma unroll
        for (int g = 0; g < GROUPS(SAMPLE); g++)
            T_ds[g * columns + i] = place < PLACE_VALUE
                                        ? T_ds[g * columns + place]
                                        : __byte_perm(value, 0, SAMPLE == 1 ? 0 : 0x1010);
    }
    __syncthreads();
}

/* ---- along the rows ---- */

/* Along the rows a thread makes SEGMENT outputs of one channel, in all rows of one group.
 * Segment -1 makes none; it has the last cells that the windows of segment 0 need. Neighbouring
 * threads read words that lie in different banks: an odd number of words apart, or side by side. */
struct segment {
    bool makes; /* output */
    int from;   /* word of T_ds: the first cell of the first window */
    int last;   /* and the last one */
    int to;     /* word of O_ds */
    int next;   /* threads from one segment to the next */
};

/* Segments that make no output may read any words of T_ds. */
__device__ inline struct segment segment_of(const struct extremes_shape &shape, int columns,
                                            int channels, int groups, int skew, int width)
{
    const int beside = channels % 2 == 0 ? channels : 1; /* channels of neighbouring threads */
    const int i = threadIdx.x / beside, number = i % shape.segments - 1;
    const int outer = i / shape.segments; /* a group; or a group's channel */
    const int group = beside == 1 ? outer / channels : outer;
    const int channel = beside == 1 ? outer % channels : threadIdx.x % beside;
    const int at = group * columns + number * SEGMENT * channels + channel, from = at + skew;
    const int most = groups * columns - 1 - (SEGMENT - 1) * channels; /* SEGMENT words follow */
    return {group < groups && number >= 0 && number < shape.out_segments, min(max(from, 0), most),
            min(from + (width - 1) * channels, most), at, beside};
}

template <int SAMPLE, bool GREATEST, int K>
__device__ inline void short_rows(const uint32_t *N, int channels, uint32_t *to)
{
    uint32_t in[SEGMENT + K - 1];
    cells<SAMPLE> out[SEGMENT];
#pragma unroll
    for (int i = 0; i < SEGMENT + K - 1; i++)
        in[i] = N[i * channels];
    short_windows<SAMPLE, GREATEST, K, SEGMENT>(in, out);
#pragma unroll
    for (int i = 0; i < SEGMENT; i++)
        to[i * channels] = close_word<SAMPLE>(out[i]);
}

/* `first`, the best of each thread's first SEGMENT cells, and `last`, that of its last ones, in
 * W_ds for the others; then the best of the cells between the segment where its windows begin and
 * the one where they end. All threads of the block take part. */
template <int SAMPLE, bool GREATEST>
__device__ inline cells<SAMPLE> middle_segments(int width, const struct segment &s,
                                                const cells<SAMPLE> &first,
                                                const cells<SAMPLE> &last, uint32_t *W, int threads)
{
    W[0] = close_word<SAMPLE>(first);
    W[threads] = close_word<SAMPLE>(last);
    __syncthreads();
    if (!s.makes)
        return last;
    const int count = (width - 1) / SEGMENT - 1, odd = count & 1;
    cells<SAMPLE> most = open_word<SAMPLE>(W[threads - s.next]);
    if (odd)
        most = best<SAMPLE, GREATEST>(most, open_word<SAMPLE>(W[s.next]));
    return best_of_pairs<SAMPLE, GREATEST>(most, W + (1 + odd) * s.next, count - odd, s.next);
}

/* Long windows. All threads of the block take part. */
template <int SAMPLE, bool GREATEST>
__device__ inline void long_rows(int width, const struct segment &s, int channels, int threads,
                                 const uint32_t *T_ds, uint32_t *W_ds, uint32_t *O_ds)
{
    uint32_t first[SEGMENT], last[SEGMENT], *to = O_ds + s.to;
    cells<SAMPLE> prefix[SEGMENT], out[SEGMENT], middle;

#pragma unroll
    for (int i = 0; i < SEGMENT; i++) {
        first[i] = T_ds[s.from + i * channels];
        last[i] = T_ds[s.last + i * channels];
    }
    middle = open_word<SAMPLE>(last[0]);
    even_prefixes<SAMPLE, GREATEST, SEGMENT - 1>(last + 1, prefix);
    if (width >= 2 * SEGMENT) {
        cells<SAMPLE> whole = open_word<SAMPLE>(first[0]);
#pragma unroll
        for (int i = 1; i < SEGMENT; i++)
            whole = best<SAMPLE, GREATEST>(whole, open_word<SAMPLE>(first[i]));
        middle = best<SAMPLE, GREATEST>(
            middle, middle_segments<SAMPLE, GREATEST>(
                        width, s, whole, best<SAMPLE, GREATEST>(prefix[SEGMENT - 1], middle),
                        W_ds + threadIdx.x, threads));
    }
    if (!s.makes)
        return;
    for (int i = SEGMENT; i < width - 1 && width < 2 * SEGMENT; i++)
        middle = best<SAMPLE, GREATEST>(middle, open_word<SAMPLE>(T_ds[s.from + i * channels]));
    join_ends<SAMPLE, GREATEST, SEGMENT>(first, middle, last + 1, prefix, out);
#pragma unroll
    for (int i = 0; i < SEGMENT; i++)
        to[i * channels] = close_word<SAMPLE>(out[i]);
}

/* CHANNELS: of the picture, if the compiler may know; 0: any. */
template <int SAMPLE, bool GREATEST, enum windows WINDOWS, int CHANNELS>
__device__ inline void take_rows(const struct image_job &job, const struct segment &s, int threads,
                                 const uint32_t *T_ds, uint32_t *W_ds, uint32_t *O_ds)
{
    const int channels = CHANNELS > 0 ? CHANNELS : job.channels, width = job.mask_width;

    if constexpr (WINDOWS == LONG_WINDOWS) {
        long_rows<SAMPLE, GREATEST>(width, s, channels, threads, T_ds, W_ds, O_ds);
        return;
    }
#define SHORT_ROWS(k)                                                                              \
    case k:                                                                                        \
        if (s.makes)                                                                               \
            short_rows<SAMPLE, GREATEST, k>(T_ds + s.from, channels, O_ds + s.to);                 \
        break
    switch (width) {
        FOR_SHORT(SHORT_ROWS);
    default:
        if constexpr (WINDOWS != SHORT_WINDOWS)
            long_rows<SAMPLE, GREATEST>(width, s, channels, threads, T_ds, W_ds, O_ds);
    }
}

/* ---- rectangles ---- */

/* The rows of a column with ghost cells of border wrap, by calls, which take no registers from
 * other columns. */
__device__ inline void take_wrapped(const struct image_job &job, const struct column &c, int top,
                                    int bottom, struct window_rows &next)
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        next.words[r] = far_word(job, c, bottom + r);
        next.top[r] = far_word(job, c, top + r);
    }
}

template <int SAMPLE, bool GREATEST, enum windows WINDOWS>
__global__ void __launch_bounds__(MOST_WIDE)
    extremes_rectangle(const __grid_constant__ extremes_args args)
{
    extern __shared__ __align__(16) uint32_t N_ds[];
    const struct image_job &job = args.job;
    const struct extremes_shape &shape = args.shape;
    const int height = job.mask_height;
    const int threads = WINDOWS == LONG_WINDOWS ? EXTREMES_LONG_THREADS : (int)blockDim.x;
    const int columns = GROUP(SAMPLE) * threads;
    const bool is_long = WINDOWS != SHORT_WINDOWS && height > SHORT;
    const int row_bytes = job.width * job.channels * SAMPLE;
    const int out_byte = blockIdx.x % args.strips.across * 4 * shape.words;
    const int strip = out_byte - shape.lead, byte = strip + 4 * (int)threadIdx.x;
    const int first = blockIdx.x / args.strips.across * args.strips.part_rows; /* row of output */
    const int rows = min(args.strips.part_rows, job.out_rows - first);
    const int top =
        job.out_first_row + first - job.anchor_y; /* row of the first window's first cell */
    const int bottom = top + height - 1;          /* and of its last cells */
    struct outputs out = outputs_at(job, first, out_byte + 4 * threadIdx.x, rows);
    uint32_t *const T_ds = N_ds, *const O_ds = T_ds + ROWS * threads;
    uint32_t *const W_ds = O_ds + ROWS * threads, *const B_ds = W_ds + 2 * threads;
    uint4 *const bytes_ds = (uint4 *)(B_ds + 2 * (shape.full + 1) * threads) + threadIdx.x;
    uint16_t *const place_ds = (uint16_t *)(bytes_ds - threadIdx.x);
    const bool ghosts = strip < 0 || strip + 4 * threads > row_bytes;
    const bool wraps = ghosts && job.border == PLANE_WRAP, copies = ghosts && !wraps;
    const struct segment segment = segment_of(shape, columns, job.channels, GROUPS(SAMPLE),
                                              shape.skew / SAMPLE, job.mask_width);
    const struct column column =
        column_of(job, byte, wraps ? row_bytes + shape.right : byte, bottom + rows - 1, bytes_ds);
    struct between between = {B_ds + threadIdx.x, threads, shape.full, shape.rest, 0};
    struct place_in_column first_rows = place_of(job, column, top); /* of the windows */
    struct place_in_column last_rows = place_of(job, column, bottom);
    /* Plain rounds have all rows that they load in memory, and store all of theirs. */
    const int plain_from = -ROWS - first_rows.row;
    const int plain_to =
        job.other || wraps ? 0
                           : min(rows, job.in_rows - height - ROWS + 1 - first_rows.row) - ROWS + 1;
    struct window_rows next;

    if (threadIdx.x >= shape.words)
        out.left = 0;
    if (copies)
        find_places(job, strip, columns, shape.right, place_ds);
    if (is_long)
        fill_between<SAMPLE, GREATEST>(job, column, last_rows, between);
    load_column(job, column, first_rows, next.top);
    take_ghosts(job, column, first_rows, next.top);
    for (int i = ROWS; i < SHORT - 1; i++)
        next.top[i] = far_word(job, column, top + i);
    load_column(job, column, last_rows, next.words);
    for (int at = 0; at < rows; at += ROWS) {
        const bool plain = at >= plain_from && at < plain_to;
        uint32_t words[ROWS];
        if (!plain && wraps && column.place_ds)
            take_wrapped(job, column, top + at, bottom + at, next);
        take_columns<SAMPLE, GREATEST, WINDOWS>(height, between, next, words);
        /* The next rows are on their way while these are worked on. */
        if (is_long) {
            go_down(job, first_rows, ROWS);
            load_column(job, column, first_rows, plain || rows_follow(job, first_rows.row),
                        next.top);
        }
        go_down(job, last_rows, ROWS);
        load_column(job, column, last_rows, plain || rows_follow(job, last_rows.row), next.words);
        write_turned<SAMPLE>(words, T_ds, columns);
        __syncthreads();
        if (copies)
            copy_columns<SAMPLE>(job, columns, place_ds, T_ds);
        if (job.channels == 3)
            take_rows<SAMPLE, GREATEST, WINDOWS, 3>(job, segment, threads, T_ds, W_ds, O_ds);
        else
            take_rows<SAMPLE, GREATEST, WINDOWS, 0>(job, segment, threads, T_ds, W_ds, O_ds);
        __syncthreads();
        read_turned<SAMPLE>(O_ds, columns, words);
        if (plain)
            put_plain_words<ROWS>(out, words);
        else
            put_words<ROWS>(out, words);
    }
}

/* ---- launching ---- */

template <int SAMPLE, bool GREATEST>
static cudaError_t launch_rectangle(const struct image_job *job, cudaStream_t stream)
{
    struct extremes_args args = {
        *job,
        extremes_shape_of(job->mask_width, job->mask_height, job->anchor_x, job->channels, SAMPLE),
        {}};
    const struct extremes_shape &shape = args.shape;
    const bool is_short = job->mask_width <= SHORT && job->mask_height <= SHORT;
    void (*kernel)(const extremes_args) = is_short
                                              ? extremes_rectangle<SAMPLE, GREATEST, SHORT_WINDOWS>
                                          : job->mask_width > SHORT && job->mask_height > SHORT &&
                                                  shape.threads == EXTREMES_LONG_THREADS
                                              ? extremes_rectangle<SAMPLE, GREATEST, LONG_WINDOWS>
                                              : extremes_rectangle<SAMPLE, GREATEST, ALL_WINDOWS>;
    int blocks = 0;
    const cudaError_t status = cut_strips(job, kernel, shape.threads, shape.words,
                                          shape.shared_bytes, 1, &args.strips, &blocks);

    if (status != cudaSuccess)
        return status;
    kernel<<<blocks, shape.threads, shape.shared_bytes, stream>>>(args);
    return cudaGetLastError();
}

#endif
