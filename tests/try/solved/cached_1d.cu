// expect: right
// The template cached_1d, filled in.

#define TILE_SIZE      64 // outputs of a block, one a thread
#define MAX_MASK_WIDTH 31
__constant__ float M[MAX_MASK_WIDTH];

__global__ void cached_1d(const float *N, float *P, int Mask_Width, int Width)
{
    __shared__ float N_ds[TILE_SIZE];
    const int tx = threadIdx.x;
    const int i = blockIdx.x * TILE_SIZE + tx;

    if (i < Width)
        N_ds[tx] = N[i];

    // No thread reads before all have loaded.
    __syncthreads();

    const int first = blockIdx.x * TILE_SIZE; // the tile: cells first to first + TILE_SIZE - 1
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        const int cell = i - Mask_Width / 2 + j;
        if (cell < 0 || cell >= Width)
            continue; // a ghost cell
        const bool in_tile = cell >= first && cell < first + TILE_SIZE;
        sum += (in_tile ? N_ds[cell - first] : N[cell]) * M[j];
    }
    if (i < Width)
        P[i] = sum;
}
