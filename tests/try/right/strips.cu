// expect: right
// Rows are staged strip by strip: a block walks down and keeps Mask_Width rows in a ring.

#define TILE_SIZE      32
#define MAX_MASK_WIDTH 9

__global__ void strips(const float *N, float *P, int height, int width, int pitch, const float *M,
                       int mask_width)
{
    __shared__ float ring[MAX_MASK_WIDTH][TILE_SIZE + MAX_MASK_WIDTH - 1];
    const int n = mask_width / 2, left = blockIdx.x * TILE_SIZE - n;
    const int col = left + n + threadIdx.x;
    const int above = n, below = mask_width - 1 - n;
    for (int y = -above; y < height + below; y++) {
        float *line = ring[(y + above) % mask_width];
        for (int k = threadIdx.x; k < TILE_SIZE + mask_width - 1; k += TILE_SIZE) {
            const int x = left + k;
            const bool inside = y >= 0 && y < height && x >= 0 && x < width;
            line[k] = inside ? N[y * pitch + x] : 0;
        }
        __syncthreads();
        const int row = y - below;
        if (row >= 0 && col < width) {
            float sum = 0;
            for (int i = 0; i < mask_width; i++)
                for (int j = 0; j < mask_width; j++)
                    sum += ring[(row + i) % mask_width][threadIdx.x + j] * M[i * mask_width + j];
            P[row * pitch + col] = sum;
        }
        __syncthreads();
    }
}

void launch(const float *N, float *P, int height, int width, int pitch, const float *M,
            int mask_width)
{
    strips<<<(width + TILE_SIZE - 1) / TILE_SIZE, TILE_SIZE>>>(N, P, height, width, pitch, M,
                                                               mask_width);
}
