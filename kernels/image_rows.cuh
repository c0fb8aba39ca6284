/* Rows and ghost cells of whole pixels, and how many blocks are launched, for the kernels on
 * interleaved images. */
#ifndef STENCIL_IMAGE_ROWS_CUH
#define STENCIL_IMAGE_ROWS_CUH

#include "ghost.cuh"
#include "image_job.h"

/* ---- launching blocks that stay ---- */

static inline bool has_common_factor(int a, int b)
{
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a > 1;
}

/* ---- rows ---- */

/* Row r of the picture, NULL when it is ghost values. */
__device__ inline const uint8_t *image_row_at(const struct image_job &job, int r)
{
    if (r < job.in_first_row || r >= job.in_first_row + job.in_rows) {
        r = ghost_fold(job.border, r, job.picture_height);
        if (r < 0)
            return nullptr;
    }
    return (const uint8_t *)job.in + (size_t)(r - job.in_first_row) * job.in_pitch;
}

/* The pixel that byte `byte` of a row is part of; both may be negative, down to 256 pixels. */
__device__ inline int image_pixel_of(int byte, int pixel_bytes)
{
    return (byte + 256 * pixel_bytes) / pixel_bytes - 256;
}

/* The byte of a row of pixels that byte `byte` stands for, counted from the row's start and perhaps
 * outside of it; -1 for a ghost value. */
__device__ inline int image_byte_of(const struct image_job &job, int byte, int pixel_bytes)
{
    int x = image_pixel_of(byte, pixel_bytes), cell = ghost_fold(job.border, x, job.width);
    return cell < 0 ? -1 : cell * pixel_bytes + byte - x * pixel_bytes;
}

/* Byte `byte` of a row of pixels; of a ghost pixel where `row` is NULL. */
__device__ inline uint8_t image_byte_at(const struct image_job &job, const uint8_t *row, int byte,
                                        int pixel_bytes)
{
    int x = image_pixel_of(byte, pixel_bytes), part = byte - x * pixel_bytes;
    int cell = row ? ghost_fold(job.border, x, job.width) : -1;
    return cell < 0 ? (uint8_t)(job.ghost >> 8 * part) : row[(size_t)cell * pixel_bytes + part];
}

#endif
