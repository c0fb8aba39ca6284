/* Ghost cells on the device: the valid cell that stands in for a cell outside the
 * picture. The same rules as in src/plan/border.c; the checker compares the two.
 *
 *      ghost cells        valid cells         ghost cells
 *   ... -3  -2  -1  |  0   1   2  ... n-1  |  n  n+1  n+2 ...
 *
 *   replicate   0 | n-1       reflect  c b a | ...      mirror  d c b | ...
 *   wrap: the other end       zero, constant: no cell, a value
 */
#ifndef STENCIL_GHOST_CUH
#define STENCIL_GHOST_CUH

#include "plane.h"

/* i modulo n, in 0..n-1 also for negative i */
__device__ inline int ghost_modulo(int i, int n)
{
    int r = i % n;
    return r < 0 ? r + n : r;
}

/* The valid cell for index i of n, or -1 where the ghost cell is a value. */
__device__ inline int ghost_fold(enum plane_border border, int i, int n)
{
    int period;
    if (i >= 0 && i < n)
        return i;
    switch (border) {
    case PLANE_REPLICATE:
        return i < 0 ? 0 : n - 1;
    case PLANE_REFLECT: /* period 2n: 0..n-1 up, then n-1..0 down */
        i = ghost_modulo(i, 2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case PLANE_MIRROR: /* period 2n-2: the two ends stand once */
        period = n > 1 ? 2 * n - 2 : 1;
        i = ghost_modulo(i, period);
        return i < n ? i : period - i;
    case PLANE_WRAP:
        return ghost_modulo(i, n);
    default:
        return -1;
    }
}

/* Row r of the picture as a row of the plane at hand, or -1 for a ghost value. Rows that the plane
 * holds are taken as they are: a band brings its halo and ghost rows along. A tile that reaches
 * past the band's last row also asks for rows that no output of the band needs; their value does
 * not matter. */
__device__ inline int ghost_row(const struct plane_job &job, int r)
{
    if (r < job.in_first_row || r >= job.in_first_row + job.in_rows)
        r = ghost_fold(job.border, r, job.picture_height);
    r -= job.in_first_row;
    return r >= 0 && r < job.in_rows ? r : -1;
}

/* The cell (row, column) of the plane, both already folded; -1 in either is the ghost value. */
template <typename T>
__device__ inline T plane_cell(const struct plane_job &job, int row, int column)
{
    if (row < 0 || column < 0)
        return (T)job.ghost;
    return ((const T *)((const char *)job.in + (size_t)row * job.in_pitch))[column];
}

#endif
