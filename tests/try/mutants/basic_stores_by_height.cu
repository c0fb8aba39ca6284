// expect: width-height
// Rows of P are counted with the height.

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
    if (row < height && col < width)
        P[row * height + col] = sum;
}
