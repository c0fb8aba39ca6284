// expect: wrong-ghost
// Ghost cells hold the nearest cell, not 0.

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
        const int cell = min(max(i - Mask_Width / 2 + j, 0), Width - 1);
        if (cell >= 0 && cell < Width) {
            if (cell >= this_tile && cell < next_tile)
                sum += N_ds[cell - this_tile] * M[j];
            else
                sum += N[cell] * M[j];
        }
    }
    if (i < Width)
        P[i] = sum;
}
