/* Shared by all 1D kernels: how a cell of N is read, and how many blocks there are.
 *
 *        ghost cells        N (the signal, Width cells)          ghost cells
 *      . . . -2  -1 | 0  1  2  3  ...              Width-1 | Width  Width+1 . . .
 *                        `in` holds  [in_first .. in_first + in_count)
 *
 * A cell that `in` holds is taken as it is, so a part of a long signal can bring its
 * ghost cells along. Any other cell is folded back by ghost.cuh, or is a value. */
#ifndef STENCIL_CELL_1D_CUH
#define STENCIL_CELL_1D_CUH

#include "ghost.cuh"
#include "signal_1d.h"

/* N[N_index], ghost cells included. */
template <typename T> __device__ inline T signal_cell(const struct signal_1d_job &job, int N_index)
{
    if (N_index < job.in_first || N_index >= job.in_first + job.in_count) {
        N_index = ghost_fold(job.border, N_index, job.width);
        if (N_index < 0)
            return (T)job.ghost;
    }
    return ((const T *)job.in)[N_index - job.in_first];
}

/* A thread an output, a block a tile. */
static inline int signal_blocks(const struct signal_1d_job *job)
{
    return (job->out_count + job->tile - 1) / job->tile;
}

#endif
