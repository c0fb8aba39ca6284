// expect: missing-barrier
// The next tile is loaded while others still read the last one.

#define TILE_SIZE      32
#define TILES          3 // that a block makes one after the other
#define MAX_MASK_WIDTH 15

__global__ void many_tiles_1d(const int *N, int *P, const int *M, int mask_width, int width)
{
    __shared__ int cells[TILE_SIZE + MAX_MASK_WIDTH - 1];
    const int first = blockIdx.x * TILE_SIZE * TILES;
    for (int tile = 0; tile < TILES; tile++) {
        const int start = first + tile * TILE_SIZE - mask_width / 2;
        for (int at = threadIdx.x; at < TILE_SIZE + mask_width - 1; at += TILE_SIZE)
            cells[at] = start + at >= 0 && start + at < width ? N[start + at] : 0;
        __syncthreads();
        int sum = 0;
        for (int j = 0; j < mask_width; j++)
            sum += cells[threadIdx.x + j] * M[j];
        const int i = first + tile * TILE_SIZE + threadIdx.x;
        if (i < width)
            P[i] = sum;
    }
}

void launch(const int *N, int *P, const int *M, int mask_width, int width)
{
    const int outputs = TILE_SIZE * TILES;
    many_tiles_1d<<<(width + outputs - 1) / outputs, TILE_SIZE>>>(N, P, M, mask_width, width);
}
