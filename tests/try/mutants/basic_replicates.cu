// expect: wrong-ghost
// Ghost cells hold the nearest cell, not 0.

__global__ void basic(const float *N, float *P, int height, int width, const float *M,
                      int Mask_Width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int i = 0; i < Mask_Width; i++) {
        for (int j = 0; j < Mask_Width; j++) {
            const int y = min(max(row - Mask_Width / 2 + i, 0), height - 1);
            const int x = min(max(col - Mask_Width / 2 + j, 0), width - 1);
            sum += N[y * width + x] * M[i * Mask_Width + j];
        }
    }
    if (row < height && col < width)
        P[row * width + col] = sum;
}
