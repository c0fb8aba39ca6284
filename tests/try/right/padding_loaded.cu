// expect: right
// Loads whole rows, padding too, but never uses the padding.

#define TILE_SIZE      16
#define MAX_MASK_WIDTH 5

__global__ void padding(const float *N, float *P, int height, int width, int pitch, const float *M,
                        int mask_width)
{
    __shared__ float cells[TILE_SIZE + MAX_MASK_WIDTH - 1][TILE_SIZE + MAX_MASK_WIDTH - 1];
    const int n = mask_width / 2, across = TILE_SIZE + mask_width - 1;
    const int top = blockIdx.y * TILE_SIZE - n, left = blockIdx.x * TILE_SIZE - n;
    for (int i = threadIdx.y; i < across; i += TILE_SIZE)
        for (int j = threadIdx.x; j < across; j += TILE_SIZE) {
            const int y = top + i, x = left + j;
            const bool in_row = y >= 0 && y < height && x >= 0 && x < pitch;
            cells[i][j] = in_row ? N[y * pitch + x] : 0;
        }
    __syncthreads();

    const int row = top + n + threadIdx.y, col = left + n + threadIdx.x;
    if (row >= height || col >= width)
        return;
    float sum = 0;
    for (int i = 0; i < mask_width; i++)
        for (int j = 0; j < mask_width && col - n + j < width; j++)
            sum += cells[threadIdx.y + i][threadIdx.x + j] * M[i * mask_width + j];
    P[row * pitch + col] = sum;
}
