// expect: right
// stencil: template=5 mask=5 block=32x4
// The width of the mask is an argument of a template, so that the loops can be unrolled.

template <int WIDTH>
__global__ void fixed(const float *N, float *P, int height, int width, const float *M)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < WIDTH; i++)
#pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            const int y = row + i - WIDTH / 2, x = col + j - WIDTH / 2;
            if (y >= 0 && y < height && x >= 0 && x < width)
                sum += N[y * width + x] * M[i * WIDTH + j];
        }
    P[row * width + col] = sum;
}
