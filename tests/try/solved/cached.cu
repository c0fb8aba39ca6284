// expect: right
// The template cached, filled in.

#define TILE_SIZE      16 // outputs of a block along an axis, one a thread
#define MAX_MASK_WIDTH 15
__constant__ float M[MAX_MASK_WIDTH * MAX_MASK_WIDTH];

__global__ void cached(const float *N, float *P, int height, int width, int pitch, int Mask_Width)
{
    __shared__ float N_ds[TILE_SIZE][TILE_SIZE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int top = blockIdx.y * TILE_SIZE, left = blockIdx.x * TILE_SIZE; // the tile's first cell
    const int row = top + ty, col = left + tx;

    if (row < height && col < width)
        N_ds[ty][tx] = N[row * pitch + col];

    // No thread reads before all have loaded.
    __syncthreads();

    float sum = 0;
    for (int i = 0; i < Mask_Width; i++) {
        for (int j = 0; j < Mask_Width; j++) {
            const int y = row - Mask_Width / 2 + i, x = col - Mask_Width / 2 + j;
            if (y < 0 || y >= height || x < 0 || x >= width)
                continue; // a ghost cell
            const bool in_tile =
                y >= top && y < top + TILE_SIZE && x >= left && x < left + TILE_SIZE;
            sum += (in_tile ? N_ds[y - top][x - left] : N[y * pitch + x]) * M[i * Mask_Width + j];
        }
    }
    if (row < height && col < width)
        P[row * pitch + col] = sum;
}
