/* network: the median of a square of 3, 5 or 7 cells a side, 8 and 16 bits, in registers. It sorts
 * by networks: lists of comparisons that do not depend on the samples, two samples in an
 * instruction. Neighbouring windows share most of the work (Adams 2021; scripts/make_networks):
 *
 *    5 cells a side: a thread goes down a column
 *
 *    row 0   . . . . .   each row of five cells is sorted once:  5 lists hold it
 *    row 1   . . . . .  \
 *    row 2   . . . . .  /  two rows are merged once: 4 windows hold them
 *    row 3   . . . . .  \   rows 1 to 4 are in two windows: of the first and of the second output.
 *    row 4   . . . . .  /   Only 6 of their 20 cells can be a median; each window adds its own row
 *    row 5   . . . . .
 *
 * For 3 cells a side rows are sorted, too: the median is the middle of the greatest of the three
 * least, the middle one of the three middle, and the least of the three greatest. A block goes down
 * a strip (strip.cuh).
 * Bytes are sorted as halves: first the even bytes of a word, then the odd ones.
 *
 * Shared memory   16 rows of 1 KB; for k > 3 k + 23 or more of 512 + (k - 1) * pixel bytes, and as
 *                 many of 512
 * Bytes moved       one picture in, one out, the halo from L2 */
#include "strip.cuh"

#define LEAST    __vminu2
#define GREATEST __vmaxu2
#include "order_networks.cuh"

#define THREADS ORDER_TILE_WORDS

/* Samples of a word are sorted in so many turns. */
#define TURNS(sample) (2 / (sample))

/* A thread's column of the tile, and where the cells of a window row begin there. */
struct tile_column {
    const uint32_t *tile;
    int words, skew, pixel;
};

/* Cell `cell` of the windows of a word's samples, in row `row`: two samples. Those of 8 bits are
 * the upper bytes of halves, whose lower bytes mean nothing. */
template <int SAMPLE>
__device__ inline uint32_t cell_of(const struct tile_column &c, int row, int cell, int turn)
{
    const uint32_t word = word_at(c.tile + row * c.words, c.skew + cell * c.pixel);
    return SAMPLE == 1 && turn == 0 ? word << 8 : word;
}

/* Both turns' samples. */
__device__ inline uint32_t join_turns(uint32_t first, uint32_t second)
{
    return __byte_perm(first, second, 0x7351);
}

/* ---- 3 cells a side ---- */

struct three {
    uint32_t least, middle, greatest;
};

__device__ inline struct three sort_three(uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t least = LEAST(LEAST(a, b), c), greatest = GREATEST(GREATEST(a, b), c);
    return {least, a ^ b ^ c ^ least ^ greatest, greatest};
}

__device__ inline uint32_t median_of_nine(const struct three &a, const struct three &b,
                                          const struct three &c)
{
    return sort_three(GREATEST(GREATEST(a.least, b.least), c.least),
                      sort_three(a.middle, b.middle, c.middle).middle,
                      LEAST(LEAST(a.greatest, b.greatest), c.greatest))
        .middle;
}

template <int SAMPLE>
__device__ inline struct three sorted_three(const struct tile_column &c, int row, int turn)
{
    return sort_three(cell_of<SAMPLE>(c, row, 0, turn), cell_of<SAMPLE>(c, row, 1, turn),
                      cell_of<SAMPLE>(c, row, 2, turn));
}

#define SMALL_THREADS 256
#define SMALL_ROWS    STRIP_ROWS /* that a block makes at a time */

/* The sorted cells of a thread's last three rows. */
template <int SAMPLE> struct sorted_rows {
    struct three row[TURNS(SAMPLE)][3];
};

/* The last row is row `y` of the tile. */
template <int SAMPLE>
__device__ inline void next_row(struct sorted_rows<SAMPLE> &rows, const struct tile_column &c,
                                int y)
{
#pragma unroll
    for (int turn = 0; turn < TURNS(SAMPLE); turn++) {
        rows.row[turn][0] = rows.row[turn][1];
        rows.row[turn][1] = rows.row[turn][2];
        rows.row[turn][2] = sorted_three<SAMPLE>(c, y, turn);
    }
}

template <int SAMPLE>
__device__ inline uint32_t median_of_rows(const struct sorted_rows<SAMPLE> &rows)
{
    uint32_t median[TURNS(SAMPLE)];
#pragma unroll
    for (int turn = 0; turn < TURNS(SAMPLE); turn++)
        median[turn] = median_of_nine(rows.row[turn][0], rows.row[turn][1], rows.row[turn][2]);
    return SAMPLE == 1 ? join_turns(median[0], median[TURNS(SAMPLE) - 1]) : median[0];
}

/* The strip begins `lead` bytes before its first output, whose window begins at byte `skew`. */
struct small_args {
    struct image_job job;
    struct strips strips;
    int lead, skew, words; /* of output */
};

template <int SAMPLE>
__global__ void __launch_bounds__(SMALL_THREADS, 4)
    network_small(const __grid_constant__ small_args args)
{
    /* threads without output read up to ORDER_SPARE words behind the last row */
    __shared__ uint32_t N_ds[2][SMALL_ROWS * SMALL_THREADS + ORDER_SPARE];
    __shared__ uint4 place_ds[SMALL_THREADS];
    const struct image_job &job = args.job;
    const int pixel = job.channels * SAMPLE;
    const int byte =
        blockIdx.x % args.strips.across * 4 * args.words - args.lead + 4 * (int)threadIdx.x;
    const int first = blockIdx.x / args.strips.across * args.strips.part_rows;
    const int rows = min(args.strips.part_rows, job.out_rows - first);
    const int top = job.out_first_row + first - job.anchor_y; /* first row of the first window */
    const struct column column = column_of(job, byte, (job.width + 2 - job.anchor_x) * pixel,
                                           top + rows + 1, place_ds + threadIdx.x);
    struct place_in_column from = place_of(job, column, top);
    struct tile_column c = {N_ds[0] + threadIdx.x, SMALL_THREADS, args.skew, pixel};
    struct outputs out = outputs_at(job, first, byte + args.lead, rows);
    struct sorted_rows<SAMPLE> sorted = {
    };
    uint32_t next[SMALL_ROWS], now[SMALL_ROWS];
    int other = SMALL_ROWS * SMALL_THREADS + ORDER_SPARE; /* words to the other buffer */

    out.other_pitch = 0; /* a median is no difference */
    if ((int)threadIdx.x >= args.words)
        out.left = 0;
    load_column(job, column, from, next);
    for (int at = -2; at < rows; at += at < 0 ? 2 : SMALL_ROWS) {
        take_ghosts(job, column, from, next);
#pragma unroll
        for (int r = 0; r < SMALL_ROWS; r++)
            ((uint32_t *)c.tile)[r * SMALL_THREADS] = next[r];
        /* The next rows are on their way while these are worked on. */
        go_down(job, from, at < 0 ? 2 : SMALL_ROWS);
        load_column(job, column, from, next);
        __syncthreads();
        if (at < 0) {
            next_row<SAMPLE>(sorted, c, 0);
            next_row<SAMPLE>(sorted, c, 1);
        } else {
#pragma unroll
            for (int y = 0; y < SMALL_ROWS; y++) {
                next_row<SAMPLE>(sorted, c, y);
                now[y] = median_of_rows<SAMPLE>(sorted);
            }
            put_words<SMALL_ROWS>(out, now);
        }
        c.tile += other;
        other = -other;
    }
}

template <int SAMPLE>
static cudaError_t launch_small(const struct image_job *job, cudaStream_t stream)
{
    const int pixel = job->channels * SAMPLE, left = job->anchor_x * pixel;
    const int lead = (left + 31) / 32 * 32;
    const int halo =
        (lead - left + 2 * pixel) / 4 + 2; /* words; a window's last cell is read as two */
    struct small_args args = {*job, {}, lead, lead - left, (SMALL_THREADS - halo) / 8 * 8};
    void (*kernel)(const small_args) = network_small<SAMPLE>;
    int blocks = 0;
    const cudaError_t status =
        cut_strips(job, kernel, SMALL_THREADS, args.words, 0, 2, &args.strips, &blocks);

    if (status != cudaSuccess)
        return status;
    kernel<<<blocks, SMALL_THREADS, 0, stream>>>(args);
    return cudaGetLastError();
}

/* ---- 5 and 7 cells a side ---- */

/* The generated functions of a side. */
template <int K> struct sorts;
#define SORTS(k)                                                                                   \
    template <> struct sorts<k> {                                                                  \
        static __device__ inline void rows(const uint32_t *in, uint32_t *out)                      \
        {                                                                                          \
            network_rows_##k(in, out);                                                             \
        }                                                                                          \
        static __device__ inline void pair(const uint32_t *in, uint32_t *out)                      \
        {                                                                                          \
            network_pairs_##k(in, out);                                                            \
        }                                                                                          \
        static __device__ inline void median(const uint32_t *in, uint32_t *out)                    \
        {                                                                                          \
            network_median_##k(in, out);                                                           \
        }                                                                                          \
    }
SORTS(5);
SORTS(7);

template <int SAMPLE, int K>
__device__ inline void sorted_row(const struct tile_column &c, int row, int turn, uint32_t *out)
{
    uint32_t in[K];
#pragma unroll
    for (int j = 0; j < K; j++)
        in[j] = cell_of<SAMPLE>(c, row, j, turn);
    sorts<K>::rows(in, out);
}

template <int COUNT> __device__ inline void copy_list(const uint32_t *from, uint32_t *to)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        to[i] = from[i];
}

/* The lists of one thread: of row 2i, and of rows 2i + 1 and 2i + 2. List i is in place i % LISTS.
 */
template <int K> struct lists {
    static constexpr int PAIRS = K / 2, LISTS = PAIRS + 1;
    uint32_t row[LISTS][K], pair[LISTS][2 * K];
};

/* Merges the sorted row 2i + 1 and row 2i + 2; keeps the latter, too. */
template <int SAMPLE, int K>
__device__ inline void add_pair(struct lists<K> &l, const struct tile_column &c, int i, int place,
                                int turn, const uint32_t *odd)
{
    const int LISTS = lists<K>::LISTS;
    uint32_t both[2 * K];

    copy_list<K>(odd, both);
    sorted_row<SAMPLE, K>(c, 2 * i + 2, turn, both + K);
    copy_list<K>(both + K, l.row[(place + 1) % LISTS]);
    sorts<K>::pair(both, l.pair[place % LISTS]);
}

/* Outputs 2i and 2i + 1 of a column; ODD is the sorted row 2i + K. */
template <int K>
__device__ inline void medians(const struct lists<K> &l, int place, const uint32_t *odd,
                               uint32_t *out)
{
    const int PAIRS = lists<K>::PAIRS, LISTS = lists<K>::LISTS;
    uint32_t in[2 * K * (PAIRS + 1)];

#pragma unroll
    for (int k = 0; k < PAIRS; k++)
        copy_list<2 * K>(l.pair[(place + k) % LISTS], in + 2 * K * k);
    copy_list<K>(l.row[place % LISTS], in + 2 * K * PAIRS);
    copy_list<K>(odd, in + 2 * K * PAIRS + K);
    sorts<K>::median(in, out);
}

/* The first turn leaves its samples in P_ds for the last one, which stores whole words. */
template <int SAMPLE, int K, int ROWS>
__device__ inline void filter_more(const struct tile_column &c, uint32_t *P_ds, struct outputs &out)
{
    constexpr int PAIRS = lists<K>::PAIRS, LISTS = lists<K>::LISTS;
    static_assert(ROWS % (2 * LISTS) == 0, "places of lists are known at compile time");

#pragma unroll 1
    for (int turn = 0; turn < TURNS(SAMPLE); turn++) {
        struct lists<K> l;
        uint32_t odd[K], median[2];

        sorted_row<SAMPLE, K>(c, 0, turn, l.row[0]);
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
            sorted_row<SAMPLE, K>(c, 2 * i + 1, turn, odd);
            add_pair<SAMPLE, K>(l, c, i, i, turn, odd);
        }
#pragma unroll 1
        for (int first = 0; first < ROWS / 2; first += LISTS)
#pragma unroll
            for (int place = 0; place < LISTS; place++) {
                const int i = first + place;
                sorted_row<SAMPLE, K>(c, 2 * i + K, turn, odd);
                medians<K>(l, place, odd, median);
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    uint32_t *kept = P_ds + (2 * i + r) * THREADS;
                    if (turn < TURNS(SAMPLE) - 1)
                        *kept = median[r];
                    else
                        put_word(out, turn == 0 ? median[r] : join_turns(*kept, median[r]));
                }
                if (2 * i + 2 < ROWS)
                    add_pair<SAMPLE, K>(l, c, i + PAIRS, place + PAIRS, turn, odd);
            }
    }
}

/* ---- the kernel ---- */

/* Rows of output that a thread makes. */
#define ROWS(k) ((k) == 5 ? 30 : 24)

template <int SAMPLE, int K>
__global__ void __launch_bounds__(THREADS) network_filter(const __grid_constant__ image_job job)
{
    extern __shared__ __align__(16) uint32_t N_ds[];
    const int pixel = job.channels * SAMPLE, across = order_tiles_across(job);
    const struct order_span span = order_span_of(K, job.anchor_x, pixel, 4 * THREADS);
    const int byte = blockIdx.x % across * 4 * THREADS, row = blockIdx.x / across * ROWS(K);
    /* the last tile of a band needs fewer rows: those after them need not be there */
    const int rows = min(ROWS(K), job.out_rows - row) + K - 1;
    const struct tile_column c = {N_ds + threadIdx.x, span.bytes / 4, span.skew, pixel};
    struct outputs out = outputs_at(job, row, byte + 4 * threadIdx.x, ROWS(K));

    out.other_pitch = 0; /* a median is no difference */
    stage_rows<THREADS>(job, N_ds, span.bytes, rows, job.out_first_row + row - job.anchor_y,
                        byte - span.lead);
    __syncthreads();
    filter_more<SAMPLE, K, ROWS(K)>(
        c, N_ds + (ROWS(K) + K - 1) * c.words + ORDER_SPARE / 4 + threadIdx.x, out);
}

template <int SAMPLE, int K>
static cudaError_t launch(const struct image_job *job, cudaStream_t stream)
{
    const struct order_span span =
        order_span_of(K, job->anchor_x, job->channels * SAMPLE, 4 * THREADS);
    const int tiles = order_tiles_across(*job) * ((job->out_rows + ROWS(K) - 1) / ROWS(K));
    const size_t tile = (size_t)(ROWS(K) + K - 1) * span.bytes + ORDER_SPARE;
    const size_t outs = SAMPLE == 1 ? (size_t)ROWS(K) * 4 * THREADS : 0;
    void (*kernel)(const image_job) = network_filter<SAMPLE, K>;

    kernel<<<tiles, THREADS, tile + outs, stream>>>(*job);
    return cudaGetLastError();
}

template <int SAMPLE>
static cudaError_t launch_side(const struct image_job *job, cudaStream_t stream)
{
    return job->mask_width == 3   ? launch_small<SAMPLE>(job, stream)
           : job->mask_width == 5 ? launch<SAMPLE, 5>(job, stream)
                                  : launch<SAMPLE, 7>(job, stream);
}

extern "C" cudaError_t network_launch(const struct image_job *job, int form, cudaStream_t stream)
{
    (void)form;
    return job->sample_bytes == 1 ? launch_side<1>(job, stream) : launch_side<2>(job, stream);
}
