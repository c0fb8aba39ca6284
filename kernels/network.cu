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
 * least, the middle one of the three middle, and the least of the three greatest.
 * Bytes are sorted as halves: first the even bytes of a word, then the odd ones.
 *
 * Shared memory   k + 23 or more rows of 512 + (k - 1) * pixel bytes; for k > 3 as many of 512
 * Bytes moved       one picture in, one out, the halo from L2 */
#include "order_tile.cuh"

#define LEAST    __vminu2
#define GREATEST __vmaxu2
#include "order_networks.cuh"

#define THREADS ORDER_TILE_WORDS

/* Samples of a word are sorted in so many turns. */
#define TURNS(sample) (2 / (sample))

/* A thread's column of the tile, and where the cells of a window row begin there. */
struct column {
    const uint32_t *tile;
    int words, skew, pixel;
};

/* Cell `cell` of the windows of a word's samples, in row `row`: two samples. In the first turn of
 * samples of 8 bits the upper bytes of halves are 0, in the second one the lower bytes mean
 * nothing.
 */
template <int SAMPLE>
__device__ inline uint32_t cell_of(const struct column &c, int row, int cell, int turn)
{
    const uint32_t word = word_at(c.tile + row * c.words, c.skew + cell * c.pixel);
    return SAMPLE == 1 && turn == 0 ? word & 0x00ff00ff : word;
}

/* Both turns' samples. */
__device__ inline uint32_t join_turns(uint32_t first, uint32_t second)
{
    return first | (second & 0xff00ff00);
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
__device__ inline struct three sorted_three(const struct column &c, int row, int turn)
{
    return sort_three(cell_of<SAMPLE>(c, row, 0, turn), cell_of<SAMPLE>(c, row, 1, turn),
                      cell_of<SAMPLE>(c, row, 2, turn));
}

#define UNROLLED 16 /* rows: all, or a multiple of 3, so that their places are known */

template <int SAMPLE, int ROWS>
__device__ inline void filter_3(struct column c, struct outputs &out)
{
    struct three rows[TURNS(SAMPLE)][3];
    static_assert(ROWS % UNROLLED == 0, "whole turns of the loop");

#pragma unroll
    for (int turn = 0; turn < TURNS(SAMPLE); turn++)
#pragma unroll
        for (int y = 0; y < 2; y++)
            rows[turn][y] = sorted_three<SAMPLE>(c, y, turn);
#pragma unroll 1
    for (int first = 0; first < ROWS; first += UNROLLED, c.tile += UNROLLED * c.words)
#pragma unroll
        for (int y = 2; y < 2 + UNROLLED; y++) {
            uint32_t median[TURNS(SAMPLE)];
#pragma unroll
            for (int turn = 0; turn < TURNS(SAMPLE); turn++) {
                rows[turn][y % 3] = sorted_three<SAMPLE>(c, y, turn);
                median[turn] = median_of_nine(rows[turn][0], rows[turn][1], rows[turn][2]);
            }
            put_word(out,
                     SAMPLE == 1 ? join_turns(median[0], median[TURNS(SAMPLE) - 1]) : median[0]);
        }
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
__device__ inline void sorted_row(const struct column &c, int row, int turn, uint32_t *out)
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
__device__ inline void add_pair(struct lists<K> &l, const struct column &c, int i, int place,
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
__device__ inline void filter_more(const struct column &c, uint32_t *P_ds, struct outputs &out)
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
#define ROWS(k) ((k) == 3 ? 16 : (k) == 5 ? 30 : 24)

template <int SAMPLE, int K>
__global__ void __launch_bounds__(THREADS) network_filter(const __grid_constant__ image_job job)
{
    extern __shared__ __align__(16) uint32_t N_ds[];
    const int pixel = job.channels * SAMPLE, across = order_tiles_across(job);
    const struct order_span span = order_span_of(K, job.anchor_x, pixel, 4 * THREADS);
    const int byte = blockIdx.x % across * 4 * THREADS, row = blockIdx.x / across * ROWS(K);
    /* the last tile of a band needs fewer rows: those after them need not be there */
    const int rows = min(ROWS(K), job.out_rows - row) + K - 1;
    const struct column c = {N_ds + threadIdx.x, span.bytes / 4, span.skew, pixel};
    struct outputs out = outputs_at(job, row, byte + 4 * threadIdx.x, ROWS(K));

    out.other_pitch = 0; /* a median is no difference */
    stage_rows<THREADS>(job, N_ds, span.bytes, rows, job.out_first_row + row - job.anchor_y,
                        byte - span.lead);
    __syncthreads();
    if constexpr (K == 3)
        filter_3<SAMPLE, ROWS(K)>(c, out);
    else
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
    const size_t outs = K > 3 && SAMPLE == 1 ? (size_t)ROWS(K) * 4 * THREADS : 0;
    void (*kernel)(const image_job) = network_filter<SAMPLE, K>;

    kernel<<<tiles, THREADS, tile + outs, stream>>>(*job);
    return cudaGetLastError();
}

template <int SAMPLE>
static cudaError_t launch_side(const struct image_job *job, cudaStream_t stream)
{
    return job->mask_width == 3   ? launch<SAMPLE, 3>(job, stream)
           : job->mask_width == 5 ? launch<SAMPLE, 5>(job, stream)
                                  : launch<SAMPLE, 7>(job, stream);
}

extern "C" cudaError_t network_launch(const struct image_job *job, int form, cudaStream_t stream)
{
    (void)form;
    return job->sample_bytes == 1 ? launch_side<1>(job, stream) : launch_side<2>(job, stream);
}
