/* The staged tile of the banded, certified and separable kernels: its copy into shared memory,
 * the ghost cells that the copy leaves to be filled, and the copy of the outputs to device
 * memory. */
#ifndef STENCIL_BANDED_STAGE_CUH
#define STENCIL_BANDED_STAGE_CUH

#include "banded.cuh"

#if __CUDA_ARCH__ >= 900

/* Tiles are taken in the order in which they lie in memory, except that the last row and column of
 * tiles come first: a block that fills ghost cells lives three times as long as others, and the
 * launch would wait for it. */
__device__ inline struct banded_tile tile_of(const struct banded_args &args, int block)
{
    const int x = block % args.across, y = block / args.across;
    return {x == 0 ? args.across - 1 : x - 1, y == 0 ? args.down - 1 : y - 1};
}

__device__ inline struct banded_tile own_tile(const struct banded_args &args)
{
    return tile_of(args, (int)blockIdx.x);
}

/* The picture's row that the first staged row of a tile is. */
__device__ inline int first_staged_row(const struct banded_args &args, struct banded_tile at)
{
    return args.job.out_first_row + at.y * args.shape.tile_rows - args.job.anchor_y;
}

/* One thread starts the copy of a box of `rows` staged rows, from `row` of the picture on, at a
 * barrier that is to expect `more_bytes` beside. */
__device__ inline void fetch_box(const struct banded_args &args, const CUtensorMap &box,
                                 uint8_t *staged, int tile_x, int row, int rows, uint64_t *barrier,
                                 int more_bytes)
{
    barrier_expect(barrier, args.shape.pitch * rows + more_bytes);
    copy_box_in(&box, staged, (tile_x * args.shape.tile_bytes + args.first_byte) / 4,
                row - args.job.in_first_row, barrier);
}

/* One thread starts the copy of a tile's window, and of `weight_bytes` of packed weights. */
__device__ inline void fetch(const struct banded_args &args, uint8_t *staged, struct banded_tile at,
                             void *weights, int weight_bytes, uint64_t *barrier)
{
    barrier_init(barrier);
    copies_fence();
    fetch_box(args, args.in, staged, at.x, first_staged_row(args, at), args.shape.copied_rows,
              barrier, weight_bytes);
    if (weight_bytes)
        copy_in(weights, args.job.fragments, weight_bytes, barrier);
}

/* Rows of a tile's window: the last tile of a band needs fewer. */
__device__ inline int rows_needed(const struct banded_args &args, struct banded_tile at)
{
    return min(args.shape.tile_rows, args.job.out_rows - at.y * args.shape.tile_rows) +
           args.job.mask_height - 1;
}

/* Does the tile have ghost cells that the copy does not bring? (The copy brings zeros for rows
 * outside.) */
__device__ inline bool at_edge(const struct banded_args &args, struct banded_tile at)
{
    return at.x < args.inner_from.x || at.x >= args.inner_to.x ||
           (args.job.border != PLANE_ZERO && (at.y < args.inner_from.y || at.y >= args.inner_to.y));
}

/* A tile's staged rows, some of which are ghost rows or have ghost cells. Bytes count from a staged
 * row's first byte: [left, right) are pixels, and no output needs any byte from `end` on. Rows
 * [top, bottom) are rows of the picture. */
struct ghost_box {
    uint8_t *staged;
    int first_row, rows, first_byte, left, right, end, top, bottom;
};

template <bool AT_ONCE> __device__ inline void move_piece(uint8_t *staged, const uint8_t *from)
{
    if constexpr (AT_ONCE)
        copy_16(staged, from);
    else
        *(uint4 *)staged = *(const uint4 *)from;
}

/* Fills ghost rows in pieces of 16 bytes. AT_ONCE: the loads of all rows are under way together,
 * because the ghost rows of `wrap` lie far away and tall masks have many. */
template <bool AT_ONCE>
__device__ inline void fill_ghost_rows(const struct banded_args &args, const struct ghost_box &box)
{
    const int ghosts = box.top + box.rows - box.bottom, pieces = args.shape.pitch / BANDED_PIECE;
    for (int i = threadIdx.x; i < ghosts * pieces; i += blockDim.x) {
        const int g = i / pieces, x = i % pieces * BANDED_PIECE;
        const int y = g < box.top ? g : box.bottom + g - box.top;
        const uint8_t *row = image_row_at(args.job, box.first_row + y);
        uint8_t *to = box.staged + y * args.shape.pitch;
        if (row && x >= box.left && x + BANDED_PIECE <= box.right)
            move_piece<AT_ONCE>(to + x, row + box.first_byte + x);
        else
            for (int b = max(x, box.left); b < min(x + BANDED_PIECE, box.right); b++)
                to[b] = image_byte_at(args.job, row, box.first_byte + b, args.shape.pixel_bytes);
    }
    if constexpr (AT_ONCE)
        copies_16_wait();
}

/* Where the cell stands that byte `byte` of a row of pixels is, from row y of the staged ones on:
 * there, `from` bytes on, or in the picture; NULL: a ghost value. */
__device__ inline const uint8_t *ghost_source(const struct banded_args &args,
                                              const struct ghost_box &box, int byte, int from,
                                              int y)
{
    if (y >= box.top && y < box.bottom && from >= box.left && from < box.right)
        return box.staged + y * args.shape.pitch + from;
    const uint8_t *row = byte < 0 ? nullptr : image_row_at(args.job, box.first_row + y);
    return row ? row + byte : nullptr;
}

/* Ghost cells left and right of the pixels, in rows of the picture mostly from the staged row; four
 * are on their way to a thread at a time. */
__device__ inline void fill_ghost_columns(const struct banded_args &args,
                                          const struct ghost_box &box)
{
    const int pixel = args.shape.pixel_bytes, step = blockDim.x / 16;
    for (int i = threadIdx.x % 16; i < box.left + box.end - box.right; i += 16) {
        const int x = i < box.left ? i : i - box.left + box.right, byte = box.first_byte + x;
        const int at = image_byte_of(args.job, byte, pixel);
        const int part = byte - image_pixel_of(byte, pixel) * pixel;
        for (int y = threadIdx.x / 16; y < box.rows; y += 4 * step) {
            uint8_t cell[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const uint8_t *from = ghost_source(args, box, at, at - box.first_byte,
                                                   min(y + k * step, box.rows - 1));
                cell[k] = from ? *from : (uint8_t)(args.job.ghost >> 8 * part);
            }
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (y + k * step < box.rows)
                    box.staged[(y + k * step) * args.shape.pitch + x] = cell[k];
        }
    }
}

/* The ghost cells that the copy has not brought, of `rows` staged rows from row `first_row` of the
 * picture on, of the tiles of column `tile_x`. */
template <bool AT_ONCE = false>
__device__ inline void fill_ghosts(const struct banded_args &args, uint8_t *staged, int first_row,
                                   int rows, int tile_x)
{
    const struct image_job &job = args.job;
    const int pitch = args.shape.pitch, pixel = args.shape.pixel_bytes;
    struct ghost_box box = {staged, first_row, rows};

    box.first_byte = tile_x * args.shape.tile_bytes + args.first_byte - args.in_pad;
    box.left = min(max(-box.first_byte, 0), pitch);
    box.right = max(min(job.width * pixel - box.first_byte, pitch), box.left);
    box.end = (job.width + job.mask_width - 1 - job.anchor_x) * pixel - box.first_byte;
    box.end = max(min(box.end, pitch), box.right);
    box.top = min(max(job.in_first_row - first_row, 0), rows);
    box.bottom = max(min(job.in_first_row + job.in_rows - first_row, rows), box.top);
    if (box.top > 0 || box.bottom < rows)
        fill_ghost_rows<AT_ONCE>(args, box);
    fill_ghost_columns(args, box);
}

/* A warp's 128 bytes x 8 rows to shared memory, the pieces of a row swizzled as the copy to the
 * output wants them. */
__device__ inline void store_piece(uint32_t P_ds, const uint32_t *piece)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int q = 0; q < 2; q++)
        store_matrices(P_ds + lane % 8 * 128 + ((4 * q + lane / 8) ^ lane % 8) * 16, piece + 4 * q);
}

/* A warp's 128 bytes of some rows leave for byte x of row y of the output. */
__device__ inline void send_pieces(const struct banded_args &args, uint32_t P_ds, int x, int y)
{
    copies_fence();
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        copy_box_out(&args.out, P_ds, x / 4, y);
}

/* Waits until the warp's copies have read their shared memory, which may then be overwritten. */
__device__ inline void wait_sent()
{
    if (threadIdx.x % 32 == 0)
        copies_wait_sent();
    __syncwarp();
}

#endif
#endif
