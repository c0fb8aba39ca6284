// expect: right
// The template tiled_1d, filled in.

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
        N_ds[tx - (TILE_SIZE - n)] = left >= 0 ? N[left] : 0;
    }

    // Every thread loads its own cell.
    N_ds[n + tx] = i < Width ? N[i] : 0;

    // The first n threads load the right halo cells.
    if (tx < n) {
        const int right = i + TILE_SIZE;
        N_ds[n + TILE_SIZE + tx] = right < Width ? N[right] : 0;
    }

    // No thread reads before all have loaded.
    __syncthreads();

    float sum = 0;
    for (int j = 0; j < Mask_Width; j++)
        sum += N_ds[tx + j] * M[j];
    if (i < Width)
        P[i] = sum;
}
