/* bisect: any cell of a sorted window, of any shape, 8 and 16 bits. Nothing is sorted. The kernel
 * finds the output bit by bit: the output is the greatest value v such that no more than `place`
 * cells of the window are less than v.
 *
 *    place 4 of 9 cells, samples of 4 bits        2 3 3 5 [7] 8 9 9 14
 *
 *    bit 3: v = 8?    5 cells are less, more than 4     no,  v = 0
 *    bit 2: v = 4?    3 cells are less                  yes, v = 4
 *    bit 1: v = 6?    4                                 yes, v = 6
 *    bit 0: v = 7?    4                                 yes, v = 7
 *
 * So the window is read 8 or 16 times, whatever its shape. A thread makes the samples of a word,
 * two in each register. A window whose tile exceeds shared memory is walked in groups of rows.
 *
 * Shared memory   (2 + k - 1) rows of 512 + (k - 1) * pixel bytes, at most 48 KB
 * Bytes moved     one picture in, one out, the halo from L2 */
#include "order_tile.cuh"

#define THREADS (ORDER_TILE_WORDS * BISECT_ROWS)

/* The values tried for a word's samples, and how many cells are not less than them. For bytes in
 * halves: [0] even, [1] odd; `start` is 1 - value. For samples of 16 bits a whole register each. */
struct tried {
    uint32_t value[2], start[2], count[2];
};

/* Sets a bit of all values. */
template <int SAMPLE> __device__ inline void try_bit(struct tried &t, uint32_t bit)
{
    for (int i = 0; i < 2; i++) {
        t.value[i] += SAMPLE == 1 ? bit << 16 | bit : bit;
        t.start[i] = (1 - (t.value[i] >> 16)) << 16 | (1 - t.value[i] & 0xffff);
        t.count[i] = 0;
    }
}

template <int SAMPLE> __device__ inline void count_word(struct tried &t, uint32_t word)
{
    if constexpr (SAMPLE == 1) { /* min(max(cell + 1 - value, 0), 1), two at a time */
        const uint32_t even = word & 0x00ff00ff, odd = word >> 8 & 0x00ff00ff;
        t.count[0] += __viaddmin_s16x2_relu(even, t.start[0], 0x00010001);
        t.count[1] += __viaddmin_s16x2_relu(odd, t.start[1], 0x00010001);
    } else {
        t.count[0] += (word & 0xffff) >= t.value[0];
        t.count[1] += word >> 16 >= t.value[1];
    }
}

/* Takes back the bit for the samples that have too many cells less than the value tried: fewer than
 * `least` cells that are not less. */
template <int SAMPLE> __device__ inline void settle(struct tried &t, uint32_t bit, uint32_t least)
{
    for (int i = 0; i < 2; i++) {
        if constexpr (SAMPLE == 1) {
            t.value[i] -= (t.count[i] & 0xffff) < least ? bit : 0;
            t.value[i] -= t.count[i] >> 16 < least ? bit << 16 : 0;
        } else {
            t.value[i] -= t.count[i] < least ? bit : 0;
        }
    }
}

/* Counts the cells of window rows `first` to `end` - 1; `tile` is the thread's word in the tile's
 * row of window row `first`. */
template <int SAMPLE>
__device__ inline void count_rows(struct tried &t, const struct image_job &job,
                                  const uint32_t *tile, int words, int skew, int first, int end)
{
    const int *packed = (const int *)job.fragments;
    const struct order_run *runs = order_runs(packed, job.mask_height);
    const int pixel = job.channels * SAMPLE;

    for (int i = first; i < end; i++, tile += words)
        for (int k = __ldg(packed + i); k < __ldg(packed + i + 1); k++) {
            int byte = skew + __ldg(&runs[k].first) * pixel;
#pragma unroll 2
            for (int j = __ldg(&runs[k].length); j > 0; j--, byte += pixel)
                count_word<SAMPLE>(t, word_at(tile, byte));
        }
}

template <int SAMPLE>
__global__ void __launch_bounds__(THREADS) bisect_filter(const __grid_constant__ image_job job)
{
    extern __shared__ __align__(16) uint32_t N_ds[];
    const int column = threadIdx.x % ORDER_TILE_WORDS, line = threadIdx.x / ORDER_TILE_WORDS;
    const struct order_span span =
        order_span_of(job.mask_width, job.anchor_x, job.channels * SAMPLE, 4 * ORDER_TILE_WORDS);
    const int words = span.bytes / 4, group = bisect_group_rows(job.mask_height, span.bytes);
    const int across = order_tiles_across(job);
    const int byte = blockIdx.x % across * 4 * ORDER_TILE_WORDS;
    const int row = blockIdx.x / across * BISECT_ROWS;
    const int y = job.out_first_row + row - job.anchor_y;
    /* the last tile of a band needs fewer rows: those after them need not be there */
    const int outs = min(BISECT_ROWS, job.out_rows - row);
    const uint32_t *tile = N_ds + line * words + column;
    struct tried t = {};

    for (int bit = 8 * SAMPLE - 1; bit >= 0; bit--) {
        try_bit<SAMPLE>(t, 1u << bit);
        for (int first = 0; first < job.mask_height; first += group) {
            const int end = min(first + group, job.mask_height);
            if (bit == 8 * SAMPLE - 1 || group < job.mask_height) {
                __syncthreads(); /* all have read N_ds */
                stage_rows<THREADS>(job, N_ds, span.bytes, outs + end - first - 1, y + first,
                                    byte - span.lead);
                __syncthreads();
            }
            if (line < outs)
                count_rows<SAMPLE>(t, job, tile, words, span.skew, first, end);
        }
        settle<SAMPLE>(t, 1u << bit, job.cells - job.place);
    }
    struct outputs out = outputs_at(job, row + line, byte + 4 * column, 1);
    put_word(out, SAMPLE == 1 ? t.value[0] | t.value[1] << 8 : t.value[0] | t.value[1] << 16);
}

template <int SAMPLE> static cudaError_t launch(const struct image_job *job, cudaStream_t stream)
{
    const struct order_span span =
        order_span_of(job->mask_width, job->anchor_x, job->channels * SAMPLE, 4 * ORDER_TILE_WORDS);
    const int rows = bisect_group_rows(job->mask_height, span.bytes) + BISECT_ROWS - 1;
    const int tiles = order_tiles_across(*job) * ((job->out_rows + BISECT_ROWS - 1) / BISECT_ROWS);
    void (*kernel)(const image_job) = bisect_filter<SAMPLE>;

    kernel<<<tiles, THREADS, (size_t)rows * span.bytes + ORDER_SPARE, stream>>>(*job);
    return cudaGetLastError();
}

extern "C" cudaError_t bisect_launch(const struct image_job *job, int form, cudaStream_t stream)
{
    (void)form;
    return job->sample_bytes == 1 ? launch<1>(job, stream) : launch<2>(job, stream);
}
