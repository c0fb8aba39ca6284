/* The work of kernels on interleaved pixels: the whole filter in one launch, pixels in and
 * pixels out, no planes in device memory. Shared by CUDA C and C17.
 *
 * Rows are numbered as in the whole picture; `in` holds the rows from in_first_row to
 * in_first_row + in_rows - 1, see plane.h. Rows of both images start on multiples of 16 bytes.
 * Pitches are in bytes. */
#ifndef STENCIL_IMAGE_JOB_H
#define STENCIL_IMAGE_JOB_H

#include <stdbool.h>

#include "certified_test.h"
#include "order_window.h"
#include "plane.h"
#include "separable_16_window.h"

#ifdef __cplusplus
extern "C" {
#endif

struct image_job {
    const void *in;
    size_t in_pitch;
    int in_first_row, in_rows;
    void *out;
    size_t out_pitch;
    int out_first_row, out_rows;
    int width, picture_height, channels;
    int sample_bytes; /* 1 or 2 */
    enum plane_border border;
    uint64_t ghost; /* pixel of ghost cells for zero and constant, first channel lowest */
    int mask_width, mask_height, anchor_x, anchor_y;
    int64_t divisor, start; /* d; o + floor(d/2) */
    int64_t bound;          /* sum|w|*max + |o| + d; < 2^31 but for certified and separable */
    uint32_t max;
    const int64_t *weight_y; /* as weight, of a gradient's second mask; bound counts for both */
    const int64_t *weight; /* host memory, row-major: for launches that take weights as arguments */
    const void *fragments; /* device memory: what the kernel's packer made of the weights */
    /* For order filters. The window has `cells` cells; sorted, the one at `place` is the output. */
    int place, cells;
    /* For order filters. If `other` is not NULL, the output is a difference with that picture,
     * clamped. Row 0 of `other` lies under row 0 of the output. minus_other: `other` is subtracted
     * from what the filter makes; else the other way round. */
    const void *other;
    size_t other_pitch;
    bool minus_other;
    int range_weights; /* of a bilateral filter, with the 0 at the end */
};

/* ---- exact 8-bit convolution on the int8 matrix units ---- */

/* kernels/int8_pack.c. Weights are row-major. How many int8 planes they take: 1, 2, or 0 when they
 * pass 16 bits. */
int int8_mma_planes(const int64_t *weight, int cells);
/* Bytes of packed weights; 0 when the kernel cannot run such a mask: *why says so. */
size_t int8_mma_fragment_bytes(const int64_t *weight, int width, int height, int anchor_x,
                               const char **why);
void int8_mma_pack(const int64_t *weight, int width, int height, int anchor_x, void *fragments);

/* Shared memory that a block takes, bytes. */
size_t int8_mma_shared_bytes(int width, int height, int anchor_x, int channels, int weight_planes);

/* kernels/int8_mma.cu */
cudaError_t int8_mma_launch(const struct image_job *job, int weight_planes, cudaStream_t stream);

/* ---- the same without matrix units ---- */

/* kernels/dp4a_pack.c. Weights in 1 or 2 planes, see int8_mma_planes; of weighted_planes up to 3.
 */
size_t dp4a_fragment_bytes(int width, int height, int anchor_x, int planes);
void dp4a_pack(const int64_t *weight, int width, int height, int anchor_x, int planes,
               void *fragments);

/* Shared memory that a block takes, bytes; planes 0: without the weights. */
size_t dp4a_shared_bytes(int width, int height, int anchor_x, int channels, int planes);

/* Gradients: cells a side of both masks, whose weights have 8 bits; a bound of both sums that keeps
 * the sum of their squares below 2^31, and one that keeps it below 2^24. */
#define DP4A_GRADIENT_SIDE  3
#define DP4A_GRADIENT_BOUND 32767
#define DP4A_WHOLE_BOUND    2896

/* kernels/dp4a.cu */
cudaError_t dp4a_launch(const struct image_job *job, int weight_planes, cudaStream_t stream);

/* ---- colour weighted by alpha, 8 bits, where the divisor is the sum of the weights ---- */

/* kernels/weighted_pack.c. The weights are packed by dp4a_pack, in as many planes as the largest
 * has bytes, up to 3; 0: more, or a negative one. */
int weighted_planes(const int64_t *weight, int cells);

/* Do the sums of products with alpha pass 32 bits? Then a mask may be WEIGHTED_HEIGHT high: so that
 * those of four of its columns do not, (2^8 - 1)^3 * 4 * 64 < 2^32. */
#define WEIGHTED_HEIGHT 64
bool weighted_is_wide(uint32_t max, int64_t divisor);

/* Shared memory that a block takes, bytes; planes 0: without the weights. */
size_t weighted_shared_bytes(int width, int height, int anchor_x, int channels, int planes);

/* kernels/weighted.cu; start is of no account */
cudaError_t weighted_launch(const struct image_job *job, int weight_planes, cudaStream_t stream);

/* ---- plain sums as banded matrices, 8 and 16 bits, from compute capability 9.0 ---- */

/* kernels/banded_pack.c */
void banded_pack(const struct banded_shape *shape, const int64_t *weight, int width, int height,
                 void *fragments);

/* One sparse product's weights, of each four of which no more than two are not 0: of each four two
 * stand in the packed matrix, and lane (g, t) holds two bits for each of them: rows g (t even) and
 * g + 8 (t odd), the first (t < 2) or last eight fours. 512 bytes to out, 32 words to places. */
void banded_pack_sparse(uint8_t matrix[16][64], uint8_t *out, uint32_t *places);

/* kernels/banded.cu. The window of the packed weights must begin as many bytes early as
 * banded_pad() says for the addresses of in and out: best none. */
cudaError_t banded_launch(const struct image_job *job, int weight_planes, cudaStream_t stream);
size_t banded_shared_bytes(const struct banded_shape *shape);

/* ---- the same for weights past 16 bits, rounded, and summed again where that is in doubt ---- */

/* Of 8-bit samples. The largest share of quotients that may be in doubt. */
#define CERTIFIED_DOUBT 0.125

struct certified_mask {
    const int64_t *weight;
    int width, height;
    int64_t divisor, start; /* d; o + floor(d/2) */
    uint32_t max;
};

/* kernels/certified_pack.c. Behind the fragments of banded_pack, shape for two planes of weights,
 * stand a struct certified_head and the weights themselves. */
bool certified_can(const struct certified_mask *mask, const char **why);
size_t certified_fragment_bytes(const struct banded_shape *shape,
                                const struct certified_mask *mask);
void certified_pack(const struct banded_shape *shape, const struct certified_mask *mask,
                    void *fragments);

/* kernels/certified.cu; the window as for banded_launch */
cudaError_t certified_launch(const struct image_job *job, int weight_planes, cudaStream_t stream);
size_t certified_shared_bytes(const struct banded_shape *shape);

/* ---- masks of rank 1 as two passes in one kernel, 8 bits, from compute capability 9.0 ---- */

/* kernels/separable_pack.c */
struct separable_mask {
    const int64_t *row, *column;
    int width, height;
    int64_t divisor, start; /* d; o + floor(d/2) */
    int64_t max;            /* of samples */
};

enum separable_form separable_form_of(const struct separable_mask *mask);
/* Does the kernel hold sums up to `bound`, past 32 bits with a sign? */
bool separable_takes(const struct separable_shape *shape, const struct separable_mask *mask,
                     int64_t bound);
void separable_pack(const struct separable_shape *shape, const struct separable_mask *mask,
                    void *fragments);

/* kernels/separable.cu; the window as for banded_launch */
cudaError_t separable_launch(const struct image_job *job, int form, cudaStream_t stream);
size_t separable_shared_bytes(const struct separable_shape *shape);

/* kernels/halves_probe.cu. The forms of halves need a GPU whose matrix products of halves are
 * exact. Counts the wrong sums of each thread; `wrong` is device memory. */
#define HALVES_PROBE_BLOCKS  512
#define HALVES_PROBE_NUMBERS (HALVES_PROBE_BLOCKS * 32)
cudaError_t halves_probe_launch(int *wrong, cudaStream_t stream);

/* ---- the same for samples of 16 bits ---- */

/* kernels/separable_16_pack.c */
struct separable_16_mask {
    const int64_t *row, *column;
    int width, height, channels;
    int64_t bound, divisor; /* as in struct image_job */
};

enum separable_16_form separable_16_form_of(const struct separable_16_mask *mask);
void separable_16_pack(const struct separable_16_shape *shape, const struct separable_16_mask *mask,
                       void *fragments);

/* kernels/separable_16.cu; the window as for banded_launch */
cudaError_t separable_16_launch(const struct image_job *job, int form, cudaStream_t stream);
size_t separable_16_shared_bytes(const struct separable_16_shape *shape);

/* ---- order filters, 8 and 16 bits ---- */

/* kernels/order_pack.c. Weights are row-major: cells whose weight is not 0 are the window. */
size_t order_window_bytes(const int64_t *weight, int width, int height);
void order_window_pack(const int64_t *weight, int width, int height, bool by_length,
                       void *fragments);

/* kernels/bisect.cu, kernels/network.cu, kernels/extremes.cu; form is of no account */
cudaError_t bisect_launch(const struct image_job *job, int form, cudaStream_t stream);
cudaError_t network_launch(const struct image_job *job, int form, cudaStream_t stream);
cudaError_t extremes_launch(const struct image_job *job, int form, cudaStream_t stream);

/* ---- bilateral filters, 8 and 16 bits ---- */

/* kernels/bilateral_pack.c */
struct bilateral_weights {
    const int64_t *row, *column; /* of the mask */
    int width, height;
    const uint16_t *range; /* for the differences 0 .. range_last, beyond 0 */
    int range_last;
    unsigned compared; /* channels whose differences count, as bits */
    int sample_bytes;
};

/* The kernel reads this head. The range weights and a 0 follow it. */
struct bilateral_head {
    uint64_t compared; /* a pixel whose samples that count are all ones */
    int range_last;
    uint32_t row[256], column[256];
};

size_t bilateral_fragment_bytes(const struct bilateral_weights *weights);
void bilateral_pack(const struct bilateral_weights *weights, void *fragments);

/* kernels/bilateral.cu; by_alpha: colour is weighted by alpha */
cudaError_t bilateral_launch(const struct image_job *job, int by_alpha, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
