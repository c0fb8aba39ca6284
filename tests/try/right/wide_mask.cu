// expect: right
// A wide mask: a case takes longer, and is no loop without end.
// stencil: mask=31

__global__ void basic(const float *N, float *P, int height, int width, const float *M,
                      int Mask_Width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;

    float sum = 0;
    for (int i = 0; i < Mask_Width; i++) {
        for (int j = 0; j < Mask_Width; j++) {
            const int y = row - Mask_Width / 2 + i, x = col - Mask_Width / 2 + j;
            const bool inside = y >= 0 && y < height && x >= 0 && x < width;
            if (inside)
                sum += N[y * width + x] * M[i * Mask_Width + j];
        }
    }

    const bool stores = row < height && col < width;
    if (stores)
        P[row * width + col] = sum;
}
