// expect: right
// Whole numbers, a tile without spare threads: the first threads load the halo cells, too.

#define TILE_WIDTH     16
#define MAX_MASK_WIDTH 7
#define IN_WIDTH       (TILE_WIDTH + MAX_MASK_WIDTH - 1)
__constant__ int M[MAX_MASK_WIDTH * MAX_MASK_WIDTH];

__global__ void int_tiled(const int *N, int *P, int height, int width, int pitch, int mask_width)
{
    __shared__ int cells[IN_WIDTH][IN_WIDTH];
    const int n = mask_width / 2, needed = TILE_WIDTH + mask_width - 1;
    for (int k = threadIdx.y * TILE_WIDTH + threadIdx.x; k < needed * needed;
         k += TILE_WIDTH * TILE_WIDTH) {
        const int y = (int)blockIdx.y * TILE_WIDTH - n + k / needed;
        const int x = (int)blockIdx.x * TILE_WIDTH - n + k % needed;
        const bool ghost = y < 0 || x < 0 || y >= height || x >= width;
        cells[k / needed][k % needed] = ghost ? 0 : N[y * pitch + x];
    }
    __syncthreads();

    const int row = blockIdx.y * TILE_WIDTH + threadIdx.y;
    const int col = blockIdx.x * TILE_WIDTH + threadIdx.x;
    int sum = 0;
    for (int i = 0; i < mask_width; i++)
        for (int j = 0; j < mask_width; j++)
            sum += cells[threadIdx.y + i][threadIdx.x + j] * M[i * mask_width + j];
    if (row < height && col < width)
        P[row * pitch + col] = sum;
}
