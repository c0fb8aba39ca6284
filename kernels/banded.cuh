/* The arguments of a launch of the banded, the certified and the separable kernel, as host and
 * device both see them. */
#ifndef STENCIL_BANDED_CUH
#define STENCIL_BANDED_CUH

#include "banded_window.h"
#include "image_rows.cuh"
#include "ptx.cuh"
#include "sample_divide.cuh"

#define BANDED_THREADS (BANDED_TILE_BYTES / 128 * 32) /* a warp takes 128 bytes of all rows */

/* A tile: its column and row among the tiles. */
struct banded_tile {
    int x, y;
};

struct banded_args {
    CUtensorMap in, out, in_more; /* the input by copied_rows, and by more_rows, rows at a time */
    struct image_job job;
    struct banded_shape shape;
    struct sample_divide divide;
    /* separable, sums past 32 bits: see separable_16.cu */
    int low_bits, low_scale, low_start, low_halved;
    int in_pad, out_pad;                     /* bytes of the first row's 16 before the picture */
    int first_byte;                          /* of the window of the tensor's byte 0 */
    int across, down;                        /* tiles side by side, one below the other */
    int ahead;                               /* separable: blocks until the prefetched tile's */
    struct banded_tile inner_from, inner_to; /* tiles in [from, to) have no ghost cells */
};

static BOTH_SIDES inline int banded_stage_bytes(const struct banded_shape *s)
{
    return (s->pitch * s->rows + 127) / 128 * 128; /* where tensor copies may begin */
}

/* The four registers from which products start are read from shared memory. If the compiler knew
 * that the four are equal, it would keep one register and copy it before each product. A barrier
 * has to stand between writing and reading. */
__device__ inline void write_four(int *shared, int value)
{
    if (threadIdx.x < 4)
        shared[threadIdx.x] = value;
}

__device__ inline void read_four(const int *shared, int *values)
{
    for (int i = 0; i < 4; i++)
        values[i] = shared[i];
}

#endif
