// expect: right
// No branch: a ghost cell's index is moved inside, and its weight is taken as 0.

__global__ void clamped(const float *N, float *P, int height, int width, const float *M,
                        int mask_width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;
    float sum = 0;
    for (int i = 0; i < mask_width; i++)
        for (int j = 0; j < mask_width; j++) {
            const int y = row + i - mask_width / 2, x = col + j - mask_width / 2;
            const int yy = min(max(y, 0), height - 1), xx = min(max(x, 0), width - 1);
            const float inside = y == yy && x == xx;
            sum += inside * N[yy * width + xx] * M[i * mask_width + j];
        }
    P[row * width + col] = sum;
}
