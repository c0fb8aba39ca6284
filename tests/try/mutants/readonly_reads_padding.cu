// expect: load-past-edge
// x is compared with the pitch: padding counts as pixels.

__global__ void readonly(const float *__restrict__ N, float *__restrict__ P, int height, int width,
                         int pitch, const float *__restrict__ M, int Mask_Width)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= height || col >= width)
        return;

    float sum = 0;
    for (int i = 0; i < Mask_Width; i++)
        for (int j = 0; j < Mask_Width; j++) {
            const int y = row - Mask_Width / 2 + i, x = col - Mask_Width / 2 + j;
            if (y >= 0 && y < height && x >= 0 && x < pitch)
                sum += N[y * pitch + x] * __ldg(&M[i * Mask_Width + j]);
        }
    P[row * pitch + col] = sum;
}
