// expect: right
// stencil: border=replicate
// Ghost cells hold the nearest cell of the picture.

__global__ void replicate(const float *N, float *P, int height, int width, const float *M,
                          int mask_width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;
    float sum = 0;
    for (int i = 0; i < mask_width; i++)
        for (int j = 0; j < mask_width; j++) {
            const int y = min(max(row + i - mask_width / 2, 0), height - 1);
            const int x = min(max(col + j - mask_width / 2, 0), width - 1);
            sum += N[y * width + x] * M[i * mask_width + j];
        }
    P[row * width + col] = sum;
}
