// expect: right
// stencil: block=32x4 tile=32x4
// A warp makes 32 outputs of a row. It stages one row of cells at a time, and waits for itself
// only.

#define MAX_MASK_WIDTH 15

__global__ void warp_rows(const float *N, float *P, int height, int width, const float *M,
                          int mask_width)
{
    __shared__ float lines[4][32 + MAX_MASK_WIDTH - 1];
    float *line = lines[threadIdx.y];
    const int n = mask_width / 2, row = blockIdx.y * 4 + threadIdx.y;
    const int left = blockIdx.x * 32 - n, col = left + n + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < mask_width; i++) {
        const int y = row - n + i;
        for (int k = threadIdx.x; k < 32 + mask_width - 1; k += 32) {
            const int x = left + k;
            line[k] = y >= 0 && y < height && x >= 0 && x < width ? N[y * width + x] : 0;
        }
        __syncwarp();
        for (int j = 0; j < mask_width; j++)
            sum += line[threadIdx.x + j] * M[i * mask_width + j];
        __syncwarp();
    }
    if (row < height && col < width)
        P[row * width + col] = sum;
}
