/* The loop that basic, readonly and constant share: one thread an output cell, every
 * cell under the mask read from global memory. The three kernels differ only in where
 * M lies, so each of their files says only that.
 *
 *        N (input plane)                      thread (row, col) walks
 *      . . . . . . . . . .                    rows    row - anchor_y ... + mask_height - 1
 *      . . [ m a s k ] . .                    columns col - anchor_x ... + mask_width - 1
 *      . . [ . P . . ] . .   P[row][col]      cells outside the picture are ghost cells
 *      . . [ . . . . ] . .
 */
#ifndef STENCIL_DIRECT_2D_CUH
#define STENCIL_DIRECT_2D_CUH

#include "ghost.cuh"

/* The sum over mask rows [first_row, first_row + rows) of M, whose row 0 is mask row first_row. */
template <typename T, typename Mask>
__device__ inline T direct_sum(const struct plane_job &job, Mask M, int first_row, int rows,
                               int row, int col)
{
    T Pvalue = 0;
    for (int i = 0; i < rows; i++) {
        int row_i = ghost_row(job, row - job.anchor_y + first_row + i);
        for (int j = 0; j < job.mask_width; j++) {
            int col_i = ghost_fold(job.border, col - job.anchor_x + j, job.width);
            Pvalue += M[i * job.mask_width + j] * plane_cell<T>(job, row_i, col_i);
        }
    }
    return Pvalue;
}

/* The cell of P for this thread; rows counted from the plane's first output row. */
template <typename T>
__device__ inline T *direct_output(const struct plane_job &job, int row, int col)
{
    return (T *)((char *)job.out + (size_t)row * job.out_pitch) + col;
}

/* Blocks as wide as the tile; at most 1024 threads, so 64 wide ones are 16 high. */
static inline dim3 direct_block(const struct plane_job *job)
{
    return dim3(job->tile, job->tile <= 32 ? job->tile : 1024 / job->tile);
}

static inline dim3 direct_grid(const struct plane_job *job)
{
    dim3 block = direct_block(job);
    return dim3((job->width + block.x - 1) / block.x, (job->out_rows + block.y - 1) / block.y);
}

#endif
