// expect: right
// A fixed grid of 2 x 2 blocks walks over the picture.

__global__ void stride(const float *N, float *P, int height, int width, int pitch, const float *M,
                       int mask_width)
{
    const int n = mask_width / 2;
    for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < height;
         row += gridDim.y * blockDim.y)
        for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < width;
             col += gridDim.x * blockDim.x) {
            float sum = 0;
            for (int i = 0; i < mask_width; i++)
                for (int j = 0; j < mask_width; j++) {
                    const int y = row - n + i, x = col - n + j;
                    if (y >= 0 && y < height && x >= 0 && x < width)
                        sum += N[y * pitch + x] * M[i * mask_width + j];
                }
            P[row * pitch + col] = sum;
        }
}

void launch(const float *N, float *P, int height, int width, int pitch, const float *M,
            int mask_width)
{
    stride<<<dim3(2, 2), dim3(8, 8)>>>(N, P, height, width, pitch, M, mask_width);
}
