// expect: right
// stencil: border=wrap
// The picture is a ring along both axes.

__device__ int ring(int i, int n)
{
    i %= n;
    return i < 0 ? i + n : i;
}

__global__ void wrap(const float *N, float *P, int height, int width, const float *M,
                     int mask_width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;
    float sum = 0;
    for (int i = 0; i < mask_width; i++)
        for (int j = 0; j < mask_width; j++)
            sum += N[ring(row + i - mask_width / 2, height) * width +
                     ring(col + j - mask_width / 2, width)] *
                   M[i * mask_width + j];
    P[row * width + col] = sum;
}
