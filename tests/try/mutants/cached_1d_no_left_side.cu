// expect: shared-past-end
// Cells before the tile are read from N_ds.

#define TILE_SIZE      64
#define MAX_MASK_WIDTH 31
__constant__ float M[MAX_MASK_WIDTH];

__global__ void cached_1d(const float *N, float *P, int Mask_Width, int Width)
{
    __shared__ float N_ds[TILE_SIZE];
    const int tx = threadIdx.x, i = blockIdx.x * TILE_SIZE + tx;
    if (i < Width)
        N_ds[tx] = N[i];
    __syncthreads();

    const int this_tile = blockIdx.x * TILE_SIZE, next_tile = this_tile + TILE_SIZE;
    float sum = 0;
    for (int j = 0; j < Mask_Width; j++) {
        const int cell = i - Mask_Width / 2 + j;
        if (cell >= 0 && cell < Width) {
            if (cell < next_tile)
                sum += N_ds[cell - this_tile] * M[j];
            else
                sum += N[cell] * M[j];
        }
    }
    if (i < Width)
        P[i] = sum;
}
