/* A block of an order filter that goes down a strip of the picture, STRIP_ROWS rows at a time. A
 * thread has a word of each row, its column, and loads the next rows while the block works on
 * these. The words of the strip's two ends are halo cells: only threads for the words between make
 * output.
 *
 *           lead       words
 *        |·······|##############|···|     threads
 *
 * Ghost cells are copies of cells of the picture. A thread whose column has some loads its words
 * byte by byte, each byte from the cell that it is a copy of. */
#ifndef STENCIL_STRIP_CUH
#define STENCIL_STRIP_CUH

#include "order_tile.cuh"

/* A thread's column. No window of the block needs picture rows past `last`. */
struct column {
    const uint8_t *from; /* where the first row in memory has the word */
    uint32_t ghost;      /* the word of ghost rows */
    int last;
    const uint4 *place_ds; /* NULL, or from there to each byte; PLACE_GHOST: a byte of `ghost` */
};

#define PLACE_GHOST 0x80000000

/* The column that begins at byte `byte` of the rows. Of bytes past `end` nothing is needed. */
__device__ inline struct column column_of(const struct image_job &job, int byte, int end, int last,
                                          uint4 *place_ds)
{
    const int row_bytes = job.width * job.channels * job.sample_bytes;
    const int at = max(min(byte, (row_bytes - 1) / 4 * 4), 0);
    const bool whole = byte >= end || (byte >= 0 && byte + 4 <= row_bytes);

    if (!whole) {
        uint32_t place[4];
        for (int i = 0; i < 4; i++) {
            const int cell = order_place(job, byte + i);
            place[i] = cell < 0 ? PLACE_GHOST : (uint32_t)(cell - at);
        }
        *place_ds = make_uint4(place[0], place[1], place[2], place[3]);
    }
    return {(const uint8_t *)job.in + at, order_ghost_word(job, nullptr, byte), last,
            whole ? nullptr : place_ds};
}

__device__ inline uint32_t column_byte(const struct column &c, const uint8_t *from, uint32_t place,
                                       int i)
{
    return place == PLACE_GHOST ? c.ghost & 255u << 8 * i
                                : (uint32_t)__ldg(from + (int)place) << 8 * i;
}

/* The column's word of a row. `from`: its word at `from` of the column, in this row. */
__device__ inline uint32_t column_word(const struct column &c, const uint8_t *from)
{
    if (!c.place_ds)
        return __ldg((const uint32_t *)from);
    const uint4 place = *c.place_ds;
    return column_byte(c, from, place.x, 0) | column_byte(c, from, place.y, 1) |
           column_byte(c, from, place.z, 2) | column_byte(c, from, place.w, 3);
}

/* Any row: the words of rows that are not all in memory side by side. */
static __device__ __noinline__ uint32_t far_word(const struct image_job &job, struct column c,
                                                 int y)
{
    const int row = order_row(job, min(y, c.last));
    return row < 0 ? c.ghost : column_word(c, c.from + row * job.in_pitch);
}

/* Where STRIP_ROWS rows of a column are. */
struct place_in_column {
    const uint8_t *at; /* the column's word in the first of them, if it is in memory */
    int row;           /* of the rows in memory */
};

__device__ inline struct place_in_column place_of(const struct image_job &job,
                                                  const struct column &c, int y)
{
    const int row = y - job.in_first_row;
    return {c.from + row * (ptrdiff_t)job.in_pitch, row};
}

__device__ inline void go_down(const struct image_job &job, struct place_in_column &p, int rows)
{
    p.at += rows * job.in_pitch;
    p.row += rows;
}

/* Are all of them side by side in memory? */
__device__ inline bool rows_follow(const struct image_job &job, int row)
{
    return row >= 0 && row <= job.in_rows - STRIP_ROWS;
}

/* The column's words of these rows, but for those of columns with ghost cells, which take_ghosts()
 * makes when they are needed. follow: they are side by side in memory. */
__device__ inline void load_column(const struct image_job &job, const struct column &c,
                                   const struct place_in_column &p, bool follow, uint32_t *words)
{
    if (follow) {
#pragma unroll
        for (int r = 0; r < STRIP_ROWS; r++)
            words[r] = __ldg((const uint32_t *)(p.at + r * job.in_pitch));
    } else {
#pragma unroll
        for (int r = 0; r < STRIP_ROWS; r++)
            words[r] = far_word(job, c, job.in_first_row + p.row + r);
    }
}

__device__ inline void load_column(const struct image_job &job, const struct column &c,
                                   const struct place_in_column &p, uint32_t *words)
{
    load_column(job, c, p, rows_follow(job, p.row), words);
}

/* The words of a column with ghost cells. The bytes are in the cache: the columns beside this one
 * have been loaded. */
__device__ inline void take_ghosts(const struct image_job &job, const struct column &c,
                                   const struct place_in_column &p, uint32_t *words)
{
    if (c.place_ds && rows_follow(job, p.row))
#pragma unroll
        for (int r = 0; r < STRIP_ROWS; r++)
            words[r] = column_word(c, p.at + r * job.in_pitch);
}

/* ---- launching ---- */

/* Blocks of `strips` strips side by side, and of `part_rows` rows of output each, a multiple of
 * STRIP_ROWS. */
struct strips {
    int across, part_rows;
};

/* Strips of `words` words of output. `turns` times as many blocks as the device holds at a time,
 * but none so short that its halo counts. */
template <typename KERNEL>
static cudaError_t cut_strips(const struct image_job *job, KERNEL kernel, int threads, int words,
                              size_t shared_bytes, int turns, struct strips *strips, int *blocks)
{
    const int row_bytes = job->width * job->channels * job->sample_bytes;
    int device = 0, multiprocessors = 0, parts;
    cudaError_t status = cudaGetDevice(&device);

    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)shared_bytes);
    if (status == cudaSuccess)
        status =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared_bytes);
    if (status != cudaSuccess)
        return status;
    strips->across = (row_bytes + 4 * words - 1) / (4 * words);
    parts = max(turns * multiprocessors * *blocks / strips->across, 1);
    strips->part_rows = max((job->out_rows + parts - 1) / parts, job->mask_height);
    strips->part_rows = (strips->part_rows + STRIP_ROWS - 1) / STRIP_ROWS * STRIP_ROWS;
    *blocks = strips->across * ((job->out_rows + strips->part_rows - 1) / strips->part_rows);
    return cudaSuccess;
}

#endif
