/* Pixels to planes and back, for the int8 kernel: fetching a tile, splitting it
 * into one plane a channel in shared memory, storing the result.
 *
 *   memory  rgbrgbrgb...   --fetch-->  raw, as it is, with its halo and ghost cells
 *   raw     rgbrgbrgb...   --split-->  N_ds: rrrr... gggg... bbbb...
 *   P_ds    rgbrgbrgb...   --store-->  memory (the products put samples where they belong)
 *
 * 16 pixels at a time, in 16-byte pieces; the shuffling is byte permutations that
 * are known at compile time. */
#ifndef STENCIL_INT8_PIXELS_CUH
#define STENCIL_INT8_PIXELS_CUH

#include "gather.cuh"
#include "image_rows.cuh"
#include "int8_window.h"
#include "ptx.cuh"

#define THREADS  256
#define TILE_X   INT8_TILE_X
#define TILE_Y   INT8_TILE_Y
#define HALO_X   INT8_HALO_X
#define IN_PITCH INT8_IN_PITCH

/* 16 interleaved pixels (4 * N words) to words of one plane. */
template <int N, int PLANE, int WORD>
__device__ inline void split_words(const uint32_t *pixels, uint32_t *plane)
{
    plane[WORD] = gather<(4 * WORD) * N + PLANE, (4 * WORD + 1) * N + PLANE,
                         (4 * WORD + 2) * N + PLANE, (4 * WORD + 3) * N + PLANE>(pixels);
    if constexpr (WORD < 3)
        split_words<N, PLANE, WORD + 1>(pixels, plane);
}

template <int N, int PLANE>
__device__ inline void store_planes(const uint32_t *pixels, uint8_t *to, int plane_bytes)
{
    uint32_t plane[4];
    split_words<N, PLANE, 0>(pixels, plane);
    *(uint4 *)(to + PLANE * plane_bytes) = make_uint4(plane[0], plane[1], plane[2], plane[3]);
    if constexpr (PLANE < N - 1)
        store_planes<N, PLANE + 1>(pixels, to, plane_bytes);
}

/* 16 bytes of a row of pixels of which some are ghost cells; BYTE counts from the row's start. */
template <int N>
__device__ __noinline__ void fetch_ghosts(const struct image_job &job, const uint8_t *in, int byte,
                                          uint8_t *to)
{
    for (int i = 0; i < 16; i++)
        to[i] = image_byte_at(job, in, byte + i, N);
}

/* ---- copies beside the threads: of whole rows on 9.0 and later, else 16 bytes a thread ---- */

__device__ inline void arrivals_init(uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0)
        barrier_init(barrier);
#endif
}

/* The tile of this phase (0, 1, 0, ...) has arrived. */
__device__ inline void arrivals_wait(uint64_t *barrier, int phase)
{
#if __CUDA_ARCH__ >= 900
    barrier_wait(barrier, phase);
#else
#if __CUDA_ARCH__ >= 800
    copies_16_wait();
#endif
    __syncthreads(); /* a thread waits for its own copies only */
#endif
}

__device__ inline void departures_wait()
{
#if __CUDA_ARCH__ >= 900
    copies_wait_sent();
#endif
}

__device__ inline void departures_fence()
{
#if __CUDA_ARCH__ >= 900
    copies_fence();
#endif
}

/* Bytes [*from, *to) of a staged row that lie in the picture, in whole 16-byte pieces. */
template <int N>
__device__ inline void row_inside(const struct image_job &job, int first_byte, int *from, int *to)
{
    *from = first_byte < 0 ? HALO_X * N : 0;
    *to = max(*from, min(10 * N * 16, (job.width * N - first_byte) / 16 * 16));
}

/* The ghost cells of a tile at an edge: beside [from, to) in rows that there are, all of a row that
 * is ghost values. */
template <int N>
__device__ __noinline__ void fetch_edges(const struct image_job &job, uint8_t *raw, int rows,
                                         int first_byte, int first_row, int from, int to)
{
    const int across = 10 * N;
    int left = from / 16, beside = left + across - to / 16; /* pieces of a row */

    for (int i = threadIdx.x; i < rows * beside; i += THREADS) {
        int y = i / beside, piece = i % beside;
        piece += piece < left ? 0 : to / 16 - left;
        fetch_ghosts<N>(job, image_row_at(job, first_row + y), first_byte + piece * 16,
                        raw + (y * across + piece) * 16);
    }
    for (int i = threadIdx.x; i < rows * across; i += THREADS)
        if (image_row_at(job, first_row + i / across) == nullptr)
            fetch_ghosts<N>(job, nullptr, first_byte + i % across * 16, raw + 16 * i);
}

/* Starts fetching the input tile as it is, interleaved: cells [x0 - 16, x0 + 144) of each row, one
 * row behind the other. */
template <int N>
__device__ void fetch(const struct image_job &job, uint8_t *raw, int rows, int x0, int first_row,
                      uint64_t *barrier)
{
    const int row_bytes = 10 * N * 16, first_byte = (x0 - HALO_X) * N;
    bool rows_inside =
        first_row >= job.in_first_row && first_row + rows <= job.in_first_row + job.in_rows;
    int from, to;

    row_inside<N>(job, first_byte, &from, &to);
#if __CUDA_ARCH__ >= 900
    /* Copies are issued one after another by a warp, so every warp issues some. */
    for (int y = threadIdx.x / 32 + THREADS / 32 * (threadIdx.x % 32); y < rows && to > from;
         y += THREADS) {
        const uint8_t *row = image_row_at(job, first_row + y);
        if (row)
            copy_in(raw + y * row_bytes + from, row + first_byte + from, to - from, barrier);
    }
    if (threadIdx.x < 32) {
        int here = 0;
        for (int y = threadIdx.x; y < rows && !rows_inside; y += 32)
            here += image_row_at(job, first_row + y) != nullptr;
        here = rows_inside ? rows : __reduce_add_sync(~0u, here);
        if (threadIdx.x == 0)
            barrier_expect(barrier, here * (to - from));
    }
#else
    for (int y = threadIdx.x / 32; y < rows; y += THREADS / 32) {
        const uint8_t *row = image_row_at(job, first_row + y);
        for (int b = from + threadIdx.x % 32 * 16; row && b < to; b += 512) {
#if __CUDA_ARCH__ >= 800
            copy_16(raw + y * row_bytes + b, row + first_byte + b);
#endif
        }
    }
#endif
    if (from > 0 || to < row_bytes || !rows_inside)
        fetch_edges<N>(job, raw, rows, first_byte, first_row, from, to);
}

/* The fetched pixels, 16 at a time, into one plane a channel. */
template <int N> __device__ void split(const uint8_t *raw, uint8_t *N_ds, int rows)
{
    for (int i = threadIdx.x; i < rows * 10; i += THREADS) {
        uint32_t pixels[4 * N];
#pragma unroll
        for (int v = 0; v < N; v++) /* 16 * N bytes apart: eight lanes meet all banks once */
            *(uint4 *)(pixels + 4 * v) = *(const uint4 *)(raw + i * 16 * N + 16 * v);
        store_planes<N, 0>(pixels, N_ds + i / 10 * IN_PITCH + i % 10 * 16, rows * IN_PITCH);
    }
}

/* The tile's pixels to their rows. Rows of the device's pictures end on multiples of 16 bytes, so
 * the last piece of a row may carry bytes past the picture. */
template <int N>
__device__ void store(const struct image_job &job, const uint8_t *raw, int x0, int first_row)
{
    int bytes = min(8 * N * 16, ((job.width - x0) * N + 15) / 16 * 16);
    int rows = min(TILE_Y, job.out_rows - first_row);
    uint8_t *out = (uint8_t *)job.out + (size_t)first_row * job.out_pitch + (size_t)x0 * N;

#if __CUDA_ARCH__ >= 900
    int y = threadIdx.x / 32 + THREADS / 32 * (threadIdx.x % 32); /* every warp issues some */
    if (y < rows)
        copy_out(out + y * job.out_pitch, raw + y * INT8_OUT_PITCH(N), bytes);
#else
    for (int y = threadIdx.x / 32; y < rows; y += THREADS / 32)
        for (int b = threadIdx.x % 32 * 16; b < bytes; b += 512)
            *(uint4 *)(out + y * job.out_pitch + b) =
                *(const uint4 *)(raw + y * INT8_OUT_PITCH(N) + b);
#endif
}

#endif
