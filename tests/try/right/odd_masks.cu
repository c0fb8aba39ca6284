// expect: right
// stencil: mask=odd
// Loops from -n to n, as for a mask with a middle cell.

__global__ void odd(const float *N, float *P, int height, int width, const float *M, int mask_width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int n = mask_width / 2;
    if (row >= height || col >= width)
        return;
    float sum = 0;
    for (int i = -n; i <= n; i++)
        for (int j = -n; j <= n; j++)
            if (row + i >= 0 && row + i < height && col + j >= 0 && col + j < width)
                sum += N[(row + i) * width + col + j] * M[(i + n) * mask_width + j + n];
    P[row * width + col] = sum;
}
