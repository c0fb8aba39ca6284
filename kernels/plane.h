/* The work of the textbook's 2D kernels: one pitched plane of one channel at a time,
 * as floats where float sums are exact and as integers past that. Shared by
 * the kernels (CUDA C) and the host code that launches them (C17).
 *
 *   plane_prepare   interleaved image -> plane        (one channel, or channel * alpha)
 *   plane_<kernel>  plane -> plane of sums            (the convolution: one launch per channel)
 *   plane_finish_*  sums -> interleaved image         (divide, round, clamp)
 *
 * All sizes in cells unless the name says bytes; a pitch is in bytes. Every
 * function only launches: errors of the launch are returned, others appear at
 * the next synchronisation. */
#ifndef STENCIL_PLANE_H
#define STENCIL_PLANE_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum plane_type { PLANE_F32, PLANE_I32, PLANE_I64 };

static inline size_t plane_cell_bytes(enum plane_type type)
{
    return type == PLANE_I64 ? 8 : 4;
}

/* Ghost cells, numbered like enum border of src/plan/border.h. */
enum plane_border {
    PLANE_REPLICATE,
    PLANE_ZERO,
    PLANE_CONSTANT,
    PLANE_REFLECT,
    PLANE_MIRROR,
    PLANE_WRAP,
};

/* The convolution of one plane. Rows are numbered as in the whole picture. `in` holds rows
 * [in_first_row, in_first_row + in_rows): for a whole picture that is [0, picture_height), for a
 * band its halo rows too, and perhaps ghost rows. The kernel folds the ghost rows that are
 * missing; every row that an output reads is there then. */
struct plane_job {
    enum plane_type type;
    const void *in;
    size_t in_pitch;
    int in_first_row, in_rows;
    void *out;
    size_t out_pitch;
    int out_first_row, out_rows;
    int width, picture_height;
    enum plane_border border;
    int64_t ghost; /* what a ghost cell holds for zero and constant */
    int mask_width, mask_height, anchor_x, anchor_y;
    const void *weight;        /* host memory, mask_width*mask_height cells of the plane's type */
    const void *device_weight; /* the same in device memory */
    int tile;                  /* output tile width: 8, 16, 32 or 64 */
    size_t shared_limit;       /* shared memory a block may have, bytes */
};

/* How a tiled kernel cuts its work, for --plan. */
struct plane_shape {
    int tile;
    int block_x, block_y; /* threads of a block */
    int group_rows;       /* mask rows staged at a time; mask_height when all of them */
    int constant_rows;    /* mask rows that fit constant memory at a time */
    size_t shared_bytes;
    int cells_per_thread; /* cells of the input tile that a thread loads, at most */
};

/* ---- the convolutions, one a file ---- */

cudaError_t plane_basic(const struct plane_job *job, cudaStream_t stream);
cudaError_t plane_constant(const struct plane_job *job, cudaStream_t stream);
cudaError_t plane_readonly(const struct plane_job *job, cudaStream_t stream);
cudaError_t plane_tiled(const struct plane_job *job, cudaStream_t stream);
cudaError_t plane_cached(const struct plane_job *job, cudaStream_t stream);

struct plane_shape plane_tiled_shape(const struct plane_job *job);

/* ---- kernels/planes.cu ---- */

enum plane_source {
    PLANE_SAMPLE,       /* the channel's samples */
    PLANE_PRODUCT,      /* samples times the last channel (alpha) */
    PLANE_PRODUCT_HIGH, /* that product / 2^split_bits, rounded down */
    PLANE_PRODUCT_LOW,  /* that product modulo 2^split_bits */
};

struct plane_image {
    void *data;
    size_t pitch;
    int width, rows, channels, sample_bytes;
};

struct plane_prepare_job {
    struct plane_image image;
    int channel;
    enum plane_source source;
    int split_bits;
    enum plane_type type;
    void *out;
    size_t out_pitch;
};
cudaError_t plane_prepare(const struct plane_prepare_job *job, cudaStream_t stream);

/* out = clamp(floor((S + o + floor(d/2)) / d), 0, max) */
struct plane_finish_job {
    enum plane_type type;
    const void *sum;
    size_t sum_pitch;
    int64_t divisor, offset, max;
    struct plane_image image;
    int channel;
};
cudaError_t plane_finish_linear(const struct plane_finish_job *job, cudaStream_t stream);

/* out = clamp(round(sqrt(gx^2 + gy^2) / d)); sum is gx, gy of the same type and pitch */
cudaError_t plane_finish_gradient(const struct plane_finish_job *job, const void *gy,
                                  cudaStream_t stream);

/* Colour weighted by alpha: sum is the plain S, as in plane_finish_linear; coverage = sum of w*a
 * (its type and pitch are the sum's); product = sum of w*c*a, in high*2^split_bits + low. */
struct plane_weighted_job {
    struct plane_finish_job plain;
    const void *coverage;
    enum plane_type product_type;
    const void *product_high, *product_low; /* high may be NULL: low is all */
    size_t product_pitch;
    int split_bits;
    int64_t weight_sum;
};
cudaError_t plane_finish_weighted(const struct plane_weighted_job *job, cudaStream_t stream);

/* The channel as it is, for channels that are not filtered; out starts in_row rows into in. */
cudaError_t plane_copy_channel(const struct plane_image *in, int in_row,
                               const struct plane_image *out, int channel, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
