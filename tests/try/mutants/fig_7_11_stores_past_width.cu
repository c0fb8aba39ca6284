// expect: store-past-edge
// Fig. 7.11 stores P[i] without asking whether i < Width.

#define TILE_SIZE      64
#define MAX_MASK_WIDTH 15
__constant__ float M[MAX_MASK_WIDTH];

__global__ void tiled_1d(const float *N, float *P, int Mask_Width, int Width)
{
    __shared__ float N_ds[TILE_SIZE + MAX_MASK_WIDTH - 1];
    const int tx = threadIdx.x, n = Mask_Width / 2, i = blockIdx.x * TILE_SIZE + tx;

    const int left = i - TILE_SIZE, right = i + TILE_SIZE;
    if (tx >= TILE_SIZE - n)
        N_ds[tx - (TILE_SIZE - n)] = left < 0 ? 0 : N[left];
    N_ds[n + tx] = i < Width ? N[i] : 0;
    if (tx < n)
        N_ds[n + TILE_SIZE + tx] = right >= Width ? 0 : N[right];
    __syncthreads();

    float sum = 0;
    for (int j = 0; j < Mask_Width; j++)
        sum += N_ds[tx + j] * M[j];
    P[i] = sum;
}
