// expect: right
// The launch function cuts the picture into strips of 8 rows, and launches each by itself.

__global__ void strip(const float *N, float *P, int height, int width, const float *M,
                      int mask_width, int first)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = first + threadIdx.y;
    if (row >= height || col >= width)
        return;
    float sum = 0;
    for (int i = 0; i < mask_width; i++)
        for (int j = 0; j < mask_width; j++) {
            const int y = row + i - mask_width / 2, x = col + j - mask_width / 2;
            if (y >= 0 && y < height && x >= 0 && x < width)
                sum += N[y * width + x] * M[i * mask_width + j];
        }
    P[row * width + col] = sum;
}

void launch(const float *N, float *P, int height, int width, const float *M, int mask_width)
{
    const dim3 block(32, 8);
    for (int first = 0; first < height; first += 8)
        strip<<<(width + 31) / 32, block>>>(N, P, height, width, M, mask_width, first);
}
