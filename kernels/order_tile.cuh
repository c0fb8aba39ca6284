/* Rows of samples for the kernels of order filters, which compare samples and do not ask which
 * channel they are of: a neighbour is as many bytes away as a pixel has. Ghost cells, words that
 * begin at any byte, and the least and greatest of several samples at a time. */
#ifndef STENCIL_ORDER_TILE_CUH
#define STENCIL_ORDER_TILE_CUH

#include "image_rows.cuh"
#include "order_window.h"

/* ---- several samples in one register ---- */

/* SAMPLE is the bytes of a sample. A word has the samples of 4 bytes. GPUs compare two samples of
 * 16 bits in an instruction, so a word of bytes is opened: its even bytes, and its odd ones, become
 * the upper bytes of halves, whose lower bytes mean nothing. */
template <int SAMPLE> struct cells;

template <> struct cells<1> {
    uint32_t even, odd;
};

template <> struct cells<2> {
    uint32_t both;
};

template <int SAMPLE> __device__ inline cells<SAMPLE> open_word(uint32_t word)
{
    if constexpr (SAMPLE == 1)
        return {word << 8, word};
    else
        return {word};
}

template <int SAMPLE> __device__ inline uint32_t close_word(const cells<SAMPLE> &c)
{
    if constexpr (SAMPLE == 1)
        return __byte_perm(c.even, c.odd, 0x7351);
    else
        return c.both;
}

/* Words of two samples of 16 bits. Each sample of the result is the greater one, or the lesser. */
template <bool GREATEST> __device__ inline uint32_t best_halves(uint32_t a, uint32_t b)
{
    return GREATEST ? __vmaxu2(a, b) : __vminu2(a, b);
}

template <int SAMPLE, bool GREATEST>
__device__ inline cells<SAMPLE> best(const cells<SAMPLE> &a, const cells<SAMPLE> &b)
{
    if constexpr (SAMPLE == 1)
        return {best_halves<GREATEST>(a.even, b.even), best_halves<GREATEST>(a.odd, b.odd)};
    else
        return {best_halves<GREATEST>(a.both, b.both)};
}

/* ---- words of a row ---- */

/* How many tiles of ORDER_TILE_WORDS words lie side by side. Blocks are numbered along the rows
 * of tiles. */
__host__ __device__ inline int order_tiles_across(const struct image_job &job)
{
    const int bytes = job.width * job.channels * job.sample_bytes;
    return (bytes + 4 * ORDER_TILE_WORDS - 1) / (4 * ORDER_TILE_WORDS);
}

/* The pixel of byte `byte` of a row, which may lie far outside. */
__device__ inline int order_pixel_of(int byte, int pixel)
{
    return byte >= 0 ? byte / pixel : -((pixel - 1 - byte) / pixel);
}

/* The byte of a row that byte `byte` stands for; -1 for one of a ghost pixel. */
__device__ inline int order_place(const struct image_job &job, int byte)
{
    const int pixel = job.channels * job.sample_bytes, x = order_pixel_of(byte, pixel);
    const int cell = ghost_fold(job.border, x, job.width);
    return cell < 0 ? -1 : cell * pixel + byte - x * pixel;
}

/* The place of picture row y among the rows in memory; -1 for a row of ghost values. */
__device__ inline int order_row(const struct image_job &job, int y)
{
    if (y < job.in_first_row || y >= job.in_first_row + job.in_rows) {
        y = ghost_fold(job.border, y, job.picture_height);
        if (y < 0)
            return -1;
    }
    return y - job.in_first_row;
}

/* Is picture row y one of ghost values, for border zero and constant? */
__device__ inline bool order_is_ghost_row(const struct image_job &job, int y)
{
    return (y < job.in_first_row || y >= job.in_first_row + job.in_rows) &&
           (y < 0 || y >= job.picture_height);
}

/* Byte `byte` of a row; of a ghost row where `row` is NULL. */
__device__ inline uint32_t order_byte(const struct image_job &job, const uint8_t *row, int byte)
{
    const int pixel = job.channels * job.sample_bytes, place = row ? order_place(job, byte) : -1;
    const int part = byte - order_pixel_of(byte, pixel) * pixel;
    return place < 0 ? (uint8_t)(job.ghost >> 8 * part) : row[place];
}

static __device__ __noinline__ uint32_t order_ghost_word(const struct image_job &job,
                                                         const uint8_t *row, int byte)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word |= order_byte(job, row, byte + i) << 8 * i;
    return word;
}

/* The word at byte `byte` of a row, a multiple of 4; of a ghost row where `row` is NULL. */
__device__ inline uint32_t order_word(const struct image_job &job, const uint8_t *row, int byte)
{
    if (row && byte >= 0 && byte + 4 <= job.width * job.channels * job.sample_bytes)
        return __ldg((const uint32_t *)(row + byte));
    return order_ghost_word(job, row, byte);
}

/* The word at any byte of a row in shared memory. The word after it must be there, too. */
__device__ inline uint32_t word_at(const uint32_t *row, int byte)
{
    return __funnelshift_r(row[byte >> 2], row[(byte >> 2) + 1], 8 * (byte & 3));
}

/* ---- tiles ---- */

/* A tile without ghost cells. A thread loads several pieces before it waits for the first. */
template <int THREADS>
__device__ inline void stage_inside(const struct image_job &job, uint4 *N_ds, int across,
                                    int pieces, int y, int byte)
{
    constexpr int AT_ONCE = 5;
    const int rows = THREADS / across, more = THREADS % across; /* from a piece to the next */
    int column = threadIdx.x % across;
    const uint8_t *from = (const uint8_t *)job.in + byte + column * 16 +
                          (y - job.in_first_row + (int)threadIdx.x / across) * job.in_pitch;

#pragma unroll 1
    for (int first = threadIdx.x; first < pieces; first += AT_ONCE * THREADS) {
        uint4 piece[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (first + k * THREADS < pieces)
                piece[k] = __ldg((const uint4 *)from);
            column += more;
            from += rows * job.in_pitch + more * 16;
            if (column >= across) {
                column -= across;
                from += job.in_pitch - across * 16;
            }
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            if (first + k * THREADS < pieces)
                N_ds[first + k * THREADS] = piece[k];
    }
}

/* `rows` rows from picture row y on, each from byte `byte` on, to shared memory, span.bytes each.
 * All threads of the block take part. */
template <int THREADS>
__device__ inline void stage_rows(const struct image_job &job, uint32_t *N_ds, int row_bytes,
                                  int rows, int y, int byte)
{
    const int across = row_bytes / 16, pieces = rows * across;

    if (byte >= 0 && byte + row_bytes <= job.width * job.channels * job.sample_bytes &&
        y >= job.in_first_row && y + rows <= job.in_first_row + job.in_rows) {
        stage_inside<THREADS>(job, (uint4 *)N_ds, across, pieces, y, byte);
        return;
    }
#pragma unroll 1
    for (int i = threadIdx.x; i < pieces; i += THREADS) {
        const uint8_t *row = image_row_at(job, y + i / across);
        const int at = byte + i % across * 16;
        ((uint4 *)N_ds)[i] =
            make_uint4(order_word(job, row, at), order_word(job, row, at + 4),
                       order_word(job, row, at + 8), order_word(job, row, at + 12));
    }
}

/* ---- outputs ---- */

/* The words of output that a thread makes, one below the other. */
struct outputs {
    uint8_t *to;
    const uint8_t *other; /* of a difference; its pitch is 0 where there is none */
    size_t to_pitch, other_pitch;
    int bytes; /* of each word that belong to the picture, if less than 4 */
    int left;  /* words still to be stored; the last tile of a band has fewer */
    int sample_bytes;
    bool minus_other;
};

/* ROWS words from row `row` of the output on. The last word of a row may carry bytes past the
 * picture; a word that begins there is not stored. */
__device__ inline struct outputs outputs_at(const struct image_job &job, int row, int byte,
                                            int rows)
{
    const int bytes = job.width * job.channels * job.sample_bytes - byte;
    return {(uint8_t *)job.out + row * job.out_pitch + byte,
            job.other ? (const uint8_t *)job.other + row * job.other_pitch + byte : nullptr,
            job.out_pitch,
            job.other ? job.other_pitch : 0,
            bytes,
            bytes > 0 ? min(rows, job.out_rows - row) : 0,
            job.sample_bytes,
            job.minus_other};
}

/* The difference of a word with that of the other picture. */
__device__ inline uint32_t difference(const struct outputs &o, uint32_t word)
{
    uint32_t with = 0;
    if (o.bytes >= 4)
        with = __ldg((const uint32_t *)o.other);
    for (int i = 0; i < o.bytes && o.bytes < 4; i++)
        with |= (uint32_t)o.other[i] << 8 * i;
    const uint32_t a = o.minus_other ? word : with, b = o.minus_other ? with : word;
    return a - (o.sample_bytes == 1 ? __vminu4(a, b) : __vminu2(a, b)); /* no sample borrows */
}

/* Stores the next word. */
__device__ inline void put_word(struct outputs &o, uint32_t word)
{
    if (o.left-- > 0)
        *(uint32_t *)o.to = o.other_pitch != 0 ? difference(o, word) : word;
    o.to += o.to_pitch;
    o.other += o.other_pitch;
}

/* Stores the next COUNT words, if any, of no difference. */
template <int COUNT>
__device__ inline void put_plain_words(struct outputs &o, const uint32_t *words)
{
    if (o.left > 0)
#pragma unroll
        for (int r = 0; r < COUNT; r++)
            *(uint32_t *)(o.to + r * o.to_pitch) = words[r];
    o.to += COUNT * o.to_pitch;
    o.left -= COUNT;
}

/* Stores the next COUNT words. */
template <int COUNT> __device__ inline void put_words(struct outputs &o, const uint32_t *words)
{
    if (o.other_pitch != 0 || o.left < COUNT) {
#pragma unroll
        for (int r = 0; r < COUNT; r++)
            put_word(o, words[r]);
    } else {
        put_plain_words<COUNT>(o, words);
    }
}

#endif
