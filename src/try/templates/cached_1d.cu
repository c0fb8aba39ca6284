// 1D convolution, tiled, but the halo cells come from the caches (Figs. 7.13 and 7.14).
//
//     N_ds        | TILE_SIZE cells of its own |
//     N      halo |                            | halo     read from global memory at each use
//
// The halo cells are the neighbours' own cells. So they probably lie in the L2 cache already.
// Fill the gaps one by one, and run after each:  stencilcli try cached_1d.cu

#define TILE_SIZE      64 // outputs of a block, one a thread
#define MAX_MASK_WIDTH 31
__constant__ float M[MAX_MASK_WIDTH];

__global__ void cached_1d(const float *N, float *P, int Mask_Width, int Width)
{
    __shared__ float N_ds[TILE_SIZE];
    const int tx = threadIdx.x;
    const int i = blockIdx.x * TILE_SIZE + tx;

    // TODO 1: The last tile may reach past the end of N. Which threads have a cell to load?
    if (true)
        N_ds[tx] = N[i];

    // TODO 2: A thread reads cells that other threads load. What must stand between?

    const int first = blockIdx.x * TILE_SIZE; // the tile: cells first to first + TILE_SIZE - 1
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        const int cell = i - Mask_Width / 2 + j;
        if (cell < 0 || cell >= Width)
            continue; // a ghost cell
        // TODO 3: This test forgets one side of the tile. Which cells lie in the tile?
        const bool in_tile = cell >= first;
        sum += (in_tile ? N_ds[cell - first] : N[cell]) * M[j];
    }
    if (i < Width)
        P[i] = sum;
}
