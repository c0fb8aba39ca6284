// expect: tile-swapped or shared-past-end or never-written
// ty is compared with the width of the tile, tx with its height.
// stencil: block=36x12 tile=32x8 mask=5

#define TILE_X    32 // outputs of a block along a row
#define TILE_Y    8  // outputs of a block along a column
#define MAX_WIDTH 5

__global__ void oblong(const float *N, float *P, int height, int width, const float *M,
                       int Mask_Width)
{
    __shared__ float N_ds[TILE_Y + MAX_WIDTH - 1][TILE_X + MAX_WIDTH - 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row_o = blockIdx.y * TILE_Y + ty, col_o = blockIdx.x * TILE_X + tx;
    const int row_i = row_o - Mask_Width / 2, col_i = col_o - Mask_Width / 2;
    const bool inside = row_i >= 0 && row_i < height && col_i >= 0 && col_i < width;
    N_ds[ty][tx] = inside ? N[row_i * width + col_i] : 0;
    __syncthreads();

    if (ty < TILE_X && tx < TILE_Y && row_o < height && col_o < width) {
        float sum = 0;
        for (int i = 0; i < Mask_Width; i++)
            for (int j = 0; j < Mask_Width; j++)
                sum += M[i * Mask_Width + j] * N_ds[ty + i][tx + j];
        P[row_o * width + col_o] = sum;
    }
}
