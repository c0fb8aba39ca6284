// expect: right
// The tile lies in shared memory column by column, with a spare cell against bank conflicts.

#define O_TILE_WIDTH 10
#define BLOCK_WIDTH  16

__global__ void by_columns(float *P, const float *N, int height, int width, size_t pitch,
                           int Mask_Width, const float *M)
{
    __shared__ float N_ds[BLOCK_WIDTH][BLOCK_WIDTH + 1];
    const int tx = threadIdx.x, ty = threadIdx.y, n = Mask_Width / 2;
    const int row_o = blockIdx.y * O_TILE_WIDTH + ty, col_o = blockIdx.x * O_TILE_WIDTH + tx;
    const int row_i = row_o - n, col_i = col_o - n;
    const bool ghost = row_i < 0 || row_i >= height || col_i < 0 || col_i >= width;
    N_ds[tx][ty] = ghost ? 0 : N[row_i * pitch + col_i];
    __syncthreads();

    if (ty >= O_TILE_WIDTH || tx >= O_TILE_WIDTH || row_o >= height || col_o >= width)
        return;
    float sum = 0;
    for (int i = 0; i < Mask_Width; i++)
        for (int j = 0; j < Mask_Width; j++)
            sum += M[i * Mask_Width + j] * N_ds[tx + j][ty + i];
    P[row_o * pitch + col_o] = sum;
}
