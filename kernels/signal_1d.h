/* The work of the textbook's 1D kernels: one array of input elements, N in the
 * chapter, as floats where float sums are exact and as 64-bit integers past that.
 * Shared by the kernels (CUDA C) and the host code that launches them (C17).
 *
 *      P[i] = sum over j of  M[j] * N[i - anchor + j],  ghost cells at both ends
 *
 * The kernels neither divide nor round: they write sums, and the host makes samples of
 * them. Sizes in cells unless the name says bytes. Every function only
 * launches: errors of the launch are returned, others appear at the next
 * synchronisation. */
#ifndef STENCIL_SIGNAL_1D_H
#define STENCIL_SIGNAL_1D_H

#include "plane.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Cells are numbered as in the whole signal. `in` holds cells [in_first, in_first + in_count): for
 * a whole signal that is [0, width) and the kernel folds ghost cells; a piece holds its halo and
 * ghost cells too, so that no cell is missing. */
struct signal_1d_job {
    enum plane_type type; /* PLANE_F32 or PLANE_I64 */
    const void *in;       /* N, in device memory */
    int in_first, in_count;
    void *out; /* P, in device memory */
    int out_first, out_count;
    int width; /* of the whole signal, at most 2^30 */
    enum plane_border border;
    int64_t ghost; /* what a ghost cell holds for zero and constant */
    int mask_width, anchor;
    const void *weight;        /* M in host memory, mask_width cells of the type */
    const void *device_weight; /* the same in device memory */
    int tile;                  /* threads of a block, which is the output tile: 32 to 1024 */
};

/* How a kernel cuts its work, for --plan. */
struct signal_1d_shape {
    int group;           /* weights that one launch takes; mask_width when all of them */
    size_t shared_bytes; /* of a block */
};

/* ---- the convolutions, one a file ---- */

cudaError_t signal_basic(const struct signal_1d_job *job, cudaStream_t stream);
cudaError_t signal_constant(const struct signal_1d_job *job, cudaStream_t stream);
cudaError_t signal_tiled(const struct signal_1d_job *job, cudaStream_t stream);
cudaError_t signal_cached(const struct signal_1d_job *job, cudaStream_t stream);

struct signal_1d_shape signal_tiled_shape(const struct signal_1d_job *job);
struct signal_1d_shape signal_cached_shape(const struct signal_1d_job *job);

#ifdef __cplusplus
}
#endif
#endif
