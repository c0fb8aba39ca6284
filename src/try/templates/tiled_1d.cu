// 1D convolution, tiled: a block loads its input tile into shared memory once (Fig. 7.11).
//
//     N_ds   | n left halo cells | TILE_SIZE cells of its own | n right halo cells |
//
// Then a cell is loaded from global memory about once, not Mask_Width times.
// Fill the gaps one by one, and run after each:  stencilcli try tiled_1d.cu

#define TILE_SIZE      64 // outputs of a block, one a thread
#define MAX_MASK_WIDTH 15
__constant__ float M[MAX_MASK_WIDTH];

__global__ void tiled_1d(const float *N, float *P, int Mask_Width, int Width)
{
    __shared__ float N_ds[TILE_SIZE + MAX_MASK_WIDTH - 1];
    const int tx = threadIdx.x, n = Mask_Width / 2;
    const int i = blockIdx.x * TILE_SIZE + tx;

    // The last n threads load the left halo cells.
    if (tx >= TILE_SIZE - n) {
        const int left = i - TILE_SIZE;
        // TODO 1: In the first block the left halo cells are ghost cells. What do they hold?
        N_ds[tx - (TILE_SIZE - n)] = N[left];
    }

    // Every thread loads its own cell.
    N_ds[n + tx] = i < Width ? N[i] : 0;

    // The first n threads load the right halo cells.
    if (tx < n) {
        const int right = i + TILE_SIZE;
        // TODO 2: Where in N_ds do the right halo cells begin?
        N_ds[TILE_SIZE + tx] = right < Width ? N[right] : 0;
    }

    // TODO 3: A thread reads cells that other threads load. What must stand between?

    float sum = 0;
    for (int j = 0; j < Mask_Width; j++)
        sum += N_ds[tx + j] * M[j];
    if (i < Width)
        P[i] = sum;
}
