/* Tiles of interleaved 8-bit pixels on their way into shared memory and out of it, four pixels at
 * a time: for the kernels that split pixels into planes (dp4a.cu, weighted.cu). Each of these
 * kernels decides itself how a pixel is split. */
#ifndef STENCIL_PIXEL_TILE_CUH
#define STENCIL_PIXEL_TILE_CUH

#include "gather.cuh"
#include "image_rows.cuh"

/* ---- memory to planes ---- */

/* Four interleaved pixels, N words, that stand on as many bytes. */
template <int N> __device__ inline void load_pixels(const uint8_t *from, uint32_t *pixels)
{
    if constexpr (N == 4) {
        uint4 v = __ldg((const uint4 *)from);
        pixels[0] = v.x, pixels[1] = v.y, pixels[2] = v.z, pixels[3] = v.w;
    } else if constexpr (N == 2) {
        uint2 v = __ldg((const uint2 *)from);
        pixels[0] = v.x, pixels[1] = v.y;
    } else {
#pragma unroll
        for (int i = 0; i < N; i++)
            pixels[i] = __ldg((const uint32_t *)from + i);
    }
}

/* Four bytes of a row of which some are ghost cells; `byte` counts from the row's start. */
template <int N>
__device__ __noinline__ uint32_t ghost_word(const struct image_job &job, const uint8_t *row,
                                            int byte)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word |= (uint32_t)image_byte_at(job, row, byte + i, N) << 8 * i;
    return word;
}

/* A tile with ghost cells: put(word, four pixels) for each of its words of four cells, `across` of
 * them side by side. Its cells begin at x and picture row y. */
template <int N, int THREADS, typename PUT>
__device__ inline void stage_edge(const struct image_job &job, const PUT &put, int words,
                                  int across, int x, int y)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < words; i += THREADS) {
        const uint8_t *row = image_row_at(job, y + i / across);
        int cell = x + i % across * 4;
        uint32_t pixels[N];
        if (row && cell >= 0 && cell + 4 <= job.width) {
            load_pixels<N>(row + (size_t)cell * N, pixels);
        } else {
#pragma unroll
            for (int v = 0; v < N; v++)
                pixels[v] = ghost_word<N>(job, row, cell * N + 4 * v);
        }
        put(i, pixels);
    }
}

/* The same inside of the picture: `from` is the tile's first byte. */
template <int N, int THREADS, int AT_ONCE, typename PUT>
__device__ inline void stage(const uint8_t *from, size_t pitch, const PUT &put, int words,
                             int across)
{
    const int step_x = THREADS % across;
    const size_t step = THREADS / across * pitch + step_x * 4 * N, wrap = pitch - across * 4 * N;
    int x = threadIdx.x % across;

    from += threadIdx.x / across * pitch + x * 4 * N;

#pragma unroll 1
    for (int first = threadIdx.x; first < words; first += AT_ONCE * THREADS) {
        uint32_t pixels[AT_ONCE][N];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if (first + i * THREADS < words)
                load_pixels<N>(from, pixels[i]);
            x += step_x;
            from += step;
            if (x >= across) {
                x -= across;
                from += wrap;
            }
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (first + i * THREADS < words)
                put(first + i * THREADS, pixels[i]);
    }
}

/* `rows` rows of a tile, with ghost cells or without; AT_ONCE words a thread are on their way. */
template <int N, int THREADS, int AT_ONCE, typename PUT>
__device__ inline void stage_tile(const struct image_job &job, const PUT &put, int rows, int across,
                                  int x, int y)
{
    if (x >= 0 && x + across * 4 <= job.width && y >= job.in_first_row &&
        y + rows <= job.in_first_row + job.in_rows)
        stage<N, THREADS, AT_ONCE>(
            (const uint8_t *)job.in + (size_t)(y - job.in_first_row) * job.in_pitch + (size_t)x * N,
            job.in_pitch, put, rows * across, across);
    else
        stage_edge<N, THREADS>(job, put, rows * across, across, x, y);
}

/* ---- samples to pixels ---- */

/* Word t of four interleaved pixels: its byte i is of channel (4t + i) % N. */
template <int N, int T>
__device__ inline void join_pixels(const uint32_t *samples, uint32_t *pixels)
{
    pixels[T] =
        gather<4 * T % N * 4 + 4 * T / N, (4 * T + 1) % N * 4 + (4 * T + 1) / N,
               (4 * T + 2) % N * 4 + (4 * T + 2) / N, (4 * T + 3) % N * 4 + (4 * T + 3) / N>(
            samples);
    if constexpr (T < N - 1)
        join_pixels<N, T + 1>(samples, pixels);
}

template <int N> __device__ inline void put_pixels(const uint32_t *samples, uint32_t *to)
{
    uint32_t pixels[N];
    if constexpr (N == 4)
        transpose_bytes(samples, pixels);
    else
        join_pixels<N, 0>(samples, pixels);
    if constexpr (N == 4) {
        *(uint4 *)to = make_uint4(pixels[0], pixels[1], pixels[2], pixels[3]);
    } else if constexpr (N == 2) {
        *(uint2 *)to = make_uint2(pixels[0], pixels[1]);
    } else {
#pragma unroll
        for (int i = 0; i < N; i++)
            to[i] = pixels[i];
    }
}

/* A warp's ROWS rows, 128 * N bytes each, to the output, 16 bytes a lane. Rows of the device's
 * pictures end on multiples of 16 bytes, so the last piece of a row may carry bytes past the
 * picture. */
template <int N, int ROWS>
__device__ inline void store_rows(const struct image_job &job, const uint4 *P_ds, int x0, int y0)
{
    const int lane = threadIdx.x % 32, bytes = (job.width - x0) * N;
    uint8_t *out = (uint8_t *)job.out + (size_t)y0 * job.out_pitch + (size_t)x0 * N;

#pragma unroll
    for (int i = lane; i < ROWS * 8 * N; i += 32) {
        int row = i / (8 * N), byte = i % (8 * N) * 16;
        if (y0 + row < job.out_rows && byte < bytes)
            *(uint4 *)(out + row * job.out_pitch + byte) = P_ds[i];
    }
}

#endif
