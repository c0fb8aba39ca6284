// expect: right
// Sizes of shared arrays as shifts and comparisons.

#define O_TILE_WIDTH   12 // outputs of a block along an axis
#define MAX_MASK_WIDTH 5
#define BLOCK_WIDTH    (O_TILE_WIDTH + MAX_MASK_WIDTH - 1) // threads, one a cell of the input tile

__global__ void shifts(float *P, const float *N, int height, int width, int pitch, int Mask_Width,
                       const float *__restrict__ M)
{
    __shared__ float N_ds[32 >> 1][BLOCK_WIDTH > 15 ? 1 << 4 : 99];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row_o = blockIdx.y * O_TILE_WIDTH + ty;
    const int col_o = blockIdx.x * O_TILE_WIDTH + tx;

    // The input tile begins half a mask above and left of the output tile.
    const int row_i = row_o - Mask_Width / 2;
    const int col_i = col_o - Mask_Width / 2;

    if (row_i >= 0 && row_i < height && col_i >= 0 && col_i < width)
        N_ds[ty][tx] = N[row_i * pitch + col_i];
    else
        N_ds[ty][tx] = 0; // a ghost cell

    // No thread reads before all have loaded.
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
