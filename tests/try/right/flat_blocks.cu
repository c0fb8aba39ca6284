// expect: right
// Blocks and grid have one dimension, the picture has two.

__global__ void flat(const float *N, float *P, int height, int width, const float *M,
                     int mask_width)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= height * width)
        return;
    const int row = at / width, col = at % width;
    float sum = 0;
    for (int i = 0; i < mask_width; i++)
        for (int j = 0; j < mask_width; j++) {
            const int y = row + i - mask_width / 2, x = col + j - mask_width / 2;
            if (y >= 0 && y < height && x >= 0 && x < width)
                sum += N[y * width + x] * M[i * mask_width + j];
        }
    P[at] = sum;
}

void launch(const float *N, float *P, int height, int width, const float *M, int mask_width)
{
    flat<<<(height * width + 127) / 128, 128>>>(N, P, height, width, M, mask_width);
}
