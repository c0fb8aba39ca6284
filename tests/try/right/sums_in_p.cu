// expect: right
// Clears its output, then adds to it in global memory: slow, but right.

__global__ void sums_in_p(const float *N, float *P, int height, int width, const float *M,
                          int mask_width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;
    P[row * width + col] = 0;
    for (int i = 0; i < mask_width; i++)
        for (int j = 0; j < mask_width; j++) {
            const int y = row + i - mask_width / 2, x = col + j - mask_width / 2;
            if (y >= 0 && y < height && x >= 0 && x < width)
                P[row * width + col] += N[y * width + x] * M[i * mask_width + j];
        }
}
