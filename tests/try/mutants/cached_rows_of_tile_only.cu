// expect: shared-past-end
// The test for the tile looks at rows only.

#define TILE_SIZE      16
#define MAX_MASK_WIDTH 15
__constant__ float M[MAX_MASK_WIDTH * MAX_MASK_WIDTH];

__global__ void cached(const float *N, float *P, int height, int width, int pitch, int Mask_Width)
{
    __shared__ float N_ds[TILE_SIZE][TILE_SIZE];
    const int tx = threadIdx.x, ty = threadIdx.y, n = Mask_Width / 2;
    const int top = blockIdx.y * TILE_SIZE, left = blockIdx.x * TILE_SIZE;
    const int row = top + ty, col = left + tx;
    if (row < height && col < width)
        N_ds[ty][tx] = N[row * pitch + col];
    __syncthreads();

    float sum = 0;
    for (int i = 0; i < Mask_Width; i++)
        for (int j = 0; j < Mask_Width; j++) {
            const int y = row - n + i, x = col - n + j;
            if (y < 0 || y >= height || x < 0 || x >= width)
                continue;
            if (y >= top && y < top + TILE_SIZE)
                sum += N_ds[y - top][x - left] * M[i * Mask_Width + j];
            else
                sum += N[y * pitch + x] * M[i * Mask_Width + j];
        }
    if (row < height && col < width)
        P[row * pitch + col] = sum;
}
