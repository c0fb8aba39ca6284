// expect: right
// Pixels of 8 bits, sums of 32 bits.

__global__ void bytes(const unsigned char *N, int *P, int height, int width, const int *M,
                      int mask_width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;
    int sum = 0;
    for (int i = 0; i < mask_width; i++)
        for (int j = 0; j < mask_width; j++) {
            const int y = row + i - mask_width / 2, x = col + j - mask_width / 2;
            if (y >= 0 && y < height && x >= 0 && x < width)
                sum += N[y * width + x] * M[i * mask_width + j];
        }
    P[row * width + col] = sum;
}
