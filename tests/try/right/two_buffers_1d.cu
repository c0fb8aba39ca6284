// expect: right
// Two buffers: the next tile is loaded while this one is summed, with one barrier a tile.

#define TILE_SIZE      32
#define TILES          4
#define MAX_MASK_WIDTH 15
__constant__ float M[MAX_MASK_WIDTH];

__device__ void load(float *cells, const float *N, int start, int count, int width)
{
    for (int k = threadIdx.x; k < count; k += TILE_SIZE)
        cells[k] = start + k >= 0 && start + k < width ? N[start + k] : 0;
}

__global__ void two_buffers(const float *N, float *P, int mask_width, int width)
{
    __shared__ float cells[2][TILE_SIZE + MAX_MASK_WIDTH - 1];
    const int first = blockIdx.x * TILE_SIZE * TILES, count = TILE_SIZE + mask_width - 1;
    load(cells[0], N, first - mask_width / 2, count, width);
    for (int tile = 0; tile < TILES; tile++) {
        const int start = first + tile * TILE_SIZE;
        __syncthreads();
        if (tile + 1 < TILES)
            load(cells[(tile + 1) % 2], N, start + TILE_SIZE - mask_width / 2, count, width);
        float sum = 0;
        for (int j = 0; j < mask_width; j++)
            sum += cells[tile % 2][threadIdx.x + j] * M[j];
        if (start + (int)threadIdx.x < width)
            P[start + threadIdx.x] = sum;
    }
}

void launch(const float *N, float *P, int mask_width, int width)
{
    const int outputs = TILE_SIZE * TILES;
    two_buffers<<<(width + outputs - 1) / outputs, TILE_SIZE>>>(N, P, mask_width, width);
}
