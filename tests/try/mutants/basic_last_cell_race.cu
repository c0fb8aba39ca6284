// expect: race-on-p
// Threads past the picture store their sums into its last row and column.

__global__ void basic(const float *N, float *P, int height, int width, const float *M,
                      int Mask_Width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int i = 0; i < Mask_Width; i++) {
        for (int j = 0; j < Mask_Width; j++) {
            const int y = row - Mask_Width / 2 + i, x = col - Mask_Width / 2 + j;
            if (y >= 0 && y < height && x >= 0 && x < width)
                sum += N[y * width + x] * M[i * Mask_Width + j];
        }
    }
    P[min(row, height - 1) * width + min(col, width - 1)] = sum;
}
