// expect: right
// Rows of the tile through pointers; a macro chooses the cell; the block is 8 x 32.

#define TILE_X         32
#define TILE_Y         8
#define MAX_MASK_WIDTH 9
#define LINE           (TILE_X + MAX_MASK_WIDTH - 1)
#define LINES          (TILE_Y + MAX_MASK_WIDTH - 1)
#define INSIDE(y, x)   ((y) >= 0 && (y) < height && (x) >= 0 && (x) < width)
#define CELL(y, x)     (INSIDE(y, x) ? N[(y)*width + (x)] : 0)

// stencil: block=32x8 tile=32x8
__global__ void pointers(const float *N, float *P, int height, int width, const float *M,
                         int mask_width)
{
    __shared__ float tile[LINES * LINE];
    float(*lines)[LINE] = (float(*)[LINE])tile;
    const int top = blockIdx.y * TILE_Y - mask_width / 2,
              left = blockIdx.x * TILE_X - mask_width / 2;
    for (int i = threadIdx.y; i < TILE_Y + mask_width - 1; i += TILE_Y)
        for (int j = threadIdx.x; j < TILE_X + mask_width - 1; j += TILE_X)
            lines[i][j] = CELL(top + i, left + j);
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < mask_width; i++) {
        const float *line = lines[threadIdx.y + i] + threadIdx.x, *weights = M + i * mask_width;
        for (int j = 0; j < mask_width; j++)
            sum += *line++ * *weights++;
    }
    const int row = top + mask_width / 2 + threadIdx.y, col = left + mask_width / 2 + threadIdx.x;
    if (row < height && col < width)
        P[row * width + col] = sum;
}
