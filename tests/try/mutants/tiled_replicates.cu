// expect: wrong-ghost
// Ghost cells hold the nearest cell, not 0.

#define O_TILE_WIDTH   12
#define MAX_MASK_WIDTH 5
#define BLOCK_WIDTH    (O_TILE_WIDTH + MAX_MASK_WIDTH - 1)

__global__ void tiled(float *P, const float *N, int height, int width, int pitch, int Mask_Width,
                      const float *__restrict__ M)
{
    __shared__ float N_ds[BLOCK_WIDTH][BLOCK_WIDTH];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row_o = blockIdx.y * O_TILE_WIDTH + ty, col_o = blockIdx.x * O_TILE_WIDTH + tx;
    const int row_i = row_o - Mask_Width / 2, col_i = col_o - Mask_Width / 2;

    const int y = min(max(row_i, 0), height - 1), x = min(max(col_i, 0), width - 1);
    N_ds[ty][tx] = N[y * pitch + x];
    __syncthreads();

    if (ty < O_TILE_WIDTH && tx < O_TILE_WIDTH) {
        float sum = 0;
        for (int i = 0; i < Mask_Width; i++)
            for (int j = 0; j < Mask_Width; j++)
                sum += M[i * Mask_Width + j] * N_ds[ty + i][tx + j];
        if (row_o < height && col_o < width)
            P[row_o * pitch + col_o] = sum;
    }
}
